//! The fewest hardware threads with which an allocation is as good as the best, or nearly.
//!
//! # Approach
//! A climb removes threads as long as the allocation meets a [`Standard`]. Then the proof asks for an allocation with one thread less. A
//! part of the space defines the range of each application's threads (`parts`). Bounds handle these ranges as constraints. Only the
//! division handles the total: it leaves out parts whose lowest numbers already add up to more than the limit.

use numasim_model::{Allocation, AppId, NodeId, Placement};

use super::budget::{Quiet, RISE, Settings};
use super::climbs::climb_with_homes;
use super::domains;
use super::local::{self, Rates};
use super::parts::Division;
use super::pool::Pool;
use super::{ExploreError, Outcome, Search};
use crate::answer::Forbidden;
use crate::monitor::Monitor;
use crate::objective::{Goal, Objective, SCORE_TOLERANCE};
use crate::open_data::OpenChoices;
use crate::problem::{Candidate, Evaluator, Problem};

/// The budget for fewer threads of an answer that ties is that of the search divided by this.
const PART_OF_EFFORT: u64 = 100;
/// [`fewest_beside`] gets the time limit, or without one the budget, divided by this.
pub const PART_OF_FEWEST: u32 = 5;
/// Maximum number of allocations of a question, as a power of ten, for which a proof is attempted. Beyond that it would take longer than
/// the search for the best (4 nodes x 20 cores: 27 s instead of 0.1 s).
const MOST_ALLOCATIONS: f64 = 6.0;
/// Maximum number of allocations, as a power of ten, that are evaluated one by one.
const MOST_LISTED: f64 = 4.5;
/// Maximum number of ways to decide open data that are evaluated with them.
const MOST_HOMES: usize = 64;
/// Random changes to an allocation with few threads.
const KICKS: u64 = 8;

/// The requirements for an allocation to be as good as another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standard {
    /// The least score.
    score: f64,
    /// For `fair`: the least p of all applications, ascending; else empty.
    sorted: Vec<f64>,
}

impl Standard {
    /// The standard that allows a loss of at most the fraction `within` of an allocation with these GFLOPS, to a relative 1e-9.
    pub(super) fn of(goal: &Goal, gflops: &[f64], within: f64) -> Self {
        let score = goal.least_score(goal.score(gflops), within);
        let sorted = if goal.objective() == Objective::Fair { goal.sorted(gflops) } else { Vec::new() };
        let least = |p: f64| p * (1.0 - within) * (1.0 - SCORE_TOLERANCE);
        // No other score is below 0: every allocation meets 0, and the cutoff of the proof is below all.
        let is_met_by_all = score <= 0.0 && goal.objective() != Objective::Geomean;
        let score = if is_met_by_all { -1.0 } else { score - goal.margin(score) };
        Self { score, sorted: sorted.into_iter().map(least).collect() }
    }

    /// Whether an allocation with these GFLOPS is good enough.
    pub(in crate::search) fn is_met(&self, goal: &Goal, gflops: &[f64]) -> bool {
        goal.score(gflops) >= self.score
            && (self.sorted.is_empty()
                || goal.sorted(gflops).iter().zip(&self.sorted).all(|(p, least)| p >= least))
    }
}

/// The allocation with the fewest threads of those that are nearly as good as the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Fewest {
    /// The allocation.
    pub candidate: Candidate,
    /// Its hardware threads, all applications together.
    pub threads: u64,
    /// Its loss as a fraction of the best: of the value, or for `fair` the largest fraction at one position of the sorted p.
    pub loss: f64,
    /// Whether it is proven that no allocation with fewer threads has such a small loss.
    pub proven: bool,
}

/// The fewest threads in all with a loss of at most the fraction `within` of `best`. `timed`: a time limit is set and may be used until it
/// is proven; `monitor` enforces its part. `settings` are those of the search for the best.
///
/// # Errors
/// [`Forbidden`] if the result breaks a rule of the question: a fault of the program.
pub fn fewest_beside(
    problem: &Problem,
    best: &Candidate,
    within: f64,
    settings: &Settings,
    timed: bool,
    monitor: &dyn Monitor,
) -> Result<Fewest, Forbidden> {
    let goal = &problem.goal;
    let of_best = problem.gflops_of(best);
    let standard = Standard::of(goal, &of_best, within);
    let effort = settings.effort / u64::from(PART_OF_FEWEST);
    let mut settings = Settings { effort, ..*settings };
    let (mut found, mut proven) = fewest_threads(problem, best, &standard, &settings, monitor);
    while timed && !proven && !monitor.stop() && settings.effort < u64::MAX {
        settings.effort = settings.effort.saturating_mul(RISE);
        (found, proven) = fewest_threads(problem, &found, &standard, &settings, monitor);
    }
    problem.with_smt(&found.smt).check_answer(&found.allocation, &found.placements)?;
    let of_found = problem.gflops_of(&found);
    let value = |gflops: &[f64]| goal.value(goal.score(gflops));
    let loss = if goal.objective() == Objective::Fair {
        let lost = |(own, best): (f64, f64)| if best > 0.0 { 1.0 - own / best } else { 0.0 };
        goal.sorted(&of_found).into_iter().zip(goal.sorted(&of_best)).map(lost).fold(0.0, f64::max)
    } else {
        goal.loss(value(&of_best), value(&of_found))
    };
    Ok(Fewest { threads: problem.threads_of(&found), candidate: found, loss, proven })
}

impl Problem {
    /// GFLOPS of each application, or its rate.
    pub(crate) fn gflops_of(&self, candidate: &Candidate) -> Vec<f64> {
        let of = self.with_smt(&candidate.smt);
        Evaluator::new(&of, candidate.placements.clone()).gflops_of(&candidate.allocation).to_vec()
    }

    /// Hardware threads of an allocation, all applications together.
    pub fn threads_of(&self, candidate: &Candidate) -> u64 {
        let smt = |app: usize| candidate.smt.get(app).map_or(self.apps[app].smt, |smt| *smt);
        let of = |app: usize| candidate.allocation.total(AppId(app)) * u64::from(smt(app).threads_per_core());
        (0..self.apps.len()).map(of).sum()
    }
}

/// Rates allocations that meet the standard by their number of threads: fewer is better.
struct Sparing<'a, 's> {
    evaluator: Evaluator<'a>,
    standard: &'s Standard,
}

impl Rates for Sparing<'_, '_> {
    fn excess(&self, threads: &[u32]) -> f64 {
        self.evaluator.excess(threads)
    }

    fn rate(&mut self, allocation: &Allocation) -> (f64, f64) {
        let problem = self.evaluator.problem;
        let (score, tie_break) = self.evaluator.rate_of(allocation);
        let gflops = self.evaluator.gflops_of(allocation);
        if !self.standard.is_met(&problem.goal, gflops) {
            return (f64::NEG_INFINITY, score);
        }
        let of = |(a, app): (usize, &numasim_model::App)| {
            allocation.total(AppId(a)) * u64::from(app.smt.threads_per_core())
        };
        let threads: u64 = problem.apps.iter().enumerate().map(of).sum();
        (-(threads as f64), tie_break)
    }

    fn candidate(&mut self, allocation: Allocation) -> Candidate {
        let (score, tie_break) = self.rate(&allocation);
        Candidate { score, tie_break, ..self.evaluator.candidate(allocation) }
    }
}

impl Outcome {
    /// The same answer with the fewest threads found among equally good ones. An allocation that had more becomes the first alternative. If
    /// a geomean is 0 in every allocation, the answer stays unchanged: no thread at all would be as good.
    ///
    /// # Errors
    /// [`ExploreError::Fault`] if the result breaks a rule of the question.
    pub(super) fn with_fewest_threads(
        mut self,
        problem: &Problem,
        settings: &Settings,
        monitor: &dyn Monitor,
    ) -> Result<Self, ExploreError> {
        let standard = Standard::of(&problem.goal, &problem.gflops_of(&self.best), 0.0);
        let is_small = problem.size_log10() <= MOST_ALLOCATIONS;
        let effort = if is_small { settings.effort / PART_OF_EFFORT } else { 0 };
        let settings = &Settings { effort, ..*settings };
        let (fewest, _) = fewest_threads(problem, &self.best, &standard, settings, monitor);
        problem.with_smt(&fewest.smt).check_answer(&fewest.allocation, &fewest.placements)?;
        self.replace_best(problem, fewest, settings.top);
        Ok(self)
    }
}

/// The allocation with the fewest threads found that meets the standard, starting from `best`, and whether it is proven that none has
/// fewer. The whole search uses the budget of `settings`.
pub(super) fn fewest_threads(
    problem: &Problem,
    best: &Candidate,
    standard: &Standard,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> (Candidate, bool) {
    let (quiet, mut found, mut proven) = (Quiet(monitor), best.clone(), true);
    let choices = if problem.has_open_smt() { problem.choices.clone() } else { vec![problem.smt.clone()] };
    let effort = settings.effort / choices.len().max(1) as u64;
    let settings = Settings { top: 0, effort, ..*settings };
    for smt in choices {
        if monitor.stop() {
            return (found, false);
        }
        let of = problem.with_smt(&smt);
        let (fewer, none_has_fewer) = Search::new(&of, &settings, &quiet).fewest_threads(found, standard);
        found = fewer;
        proven &= none_has_fewer;
    }
    (found, proven)
}

impl Search<'_> {
    /// With these hardware threads of a core; `found` may have others.
    fn fewest_threads(&self, mut found: Candidate, standard: &Standard) -> (Candidate, bool) {
        let problem = self.problem;
        if found.smt == problem.smt {
            found = self.spared(found, standard);
        }
        if problem.is_by_domain() || !standard.score.is_finite() || problem.goal.is_hopeless() {
            return (found, false);
        }
        let mut effort = self.settings.effort;
        loop {
            let Some(most) = problem.threads_of(&found).checked_sub(1) else { return (found, true) };
            let division = FewThreads { problem, standard, most };
            let mut pool = Pool::above(standard.score, 1);
            let proof = self.prove_in_parts(&division, vec![division.root()], &mut pool, &mut effort);
            match pool.best() {
                Some(fewer) => found = self.spared(fewer.clone(), standard),
                None if proof.complete => return (found, true),
                None => return self.listed(&found, standard).map_or((found, false), |fewest| (fewest, true)),
            }
        }
    }

    /// One of the allocations with the fewest threads among all, which are evaluated one by one: bounds cover only the smallest p of
    /// `fair`, not its ties. `None` if there are too many.
    fn listed(&self, found: &Candidate, standard: &Standard) -> Option<Candidate> {
        let problem = self.problem;
        if problem.goal.objective() != Objective::Fair || problem.size_log10() > MOST_LISTED {
            return None;
        }
        let nodes: Vec<NodeId> = problem.machine.compute_nodes().collect();
        let cells: Vec<(AppId, NodeId)> = (0..problem.apps.len())
            .flat_map(|app| nodes.iter().map(move |&node| (AppId(app), node)))
            .collect();
        let mut fewest = found.clone();
        for homes in OpenChoices::new(&problem.machine, &problem.apps).all(MOST_HOMES)? {
            let mut evaluator = Evaluator::new(problem, problem.placements(&homes));
            let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
            let mut next = Some(());
            while next.is_some() {
                let candidate = evaluator.candidate(allocation.clone());
                if problem.threads_of(&candidate) < problem.threads_of(&fewest)
                    && problem.permits(&candidate)
                    && standard.is_met(&problem.goal, evaluator.gflops_of(&allocation))
                {
                    fewest = candidate;
                }
                if self.monitor.stop() {
                    return None;
                }
                next = following(&mut allocation, &cells, problem);
            }
        }
        Some(fewest)
    }

    /// A climb from `start` to fewer threads.
    fn spared(&self, start: Candidate, standard: &Standard) -> Candidate {
        let problem = self.problem;
        if self.monitor.stop() || !standard.score.is_finite() {
            return start;
        }
        if problem.is_by_domain() {
            let is_good = |gflops: &[f64]| standard.is_met(&problem.goal, gflops);
            return domains::spared(problem, &start, &is_good, self.monitor);
        }
        let rater =
            |placements: Vec<Placement>| Sparing { evaluator: Evaluator::new(problem, placements), standard };
        let rated = rater(start.placements.clone()).candidate(start.allocation.clone());
        let climbed = climb_with_homes(problem, rated, &rater, self.monitor);
        let mut random = local::generator(self.settings.seed, 5_000);
        let mut again = rater(climbed.placements.clone());
        let kicked = local::iterate(problem, &mut again, &climbed, KICKS, &mut random, self.monitor);
        let fewest = Evaluator::new(problem, kicked.placements).candidate(kicked.allocation);
        if problem.permits(&fewest) && problem.threads_of(&fewest) < problem.threads_of(&start) {
            fewest
        } else {
            start
        }
    }
}

/// Changes it to the next of all allocations that fit the cores, the first cell changing fastest; `None` after the last.
fn following(allocation: &mut Allocation, cells: &[(AppId, NodeId)], problem: &Problem) -> Option<()> {
    for &(app, node) in cells {
        if allocation.on_node(node) < u64::from(problem.machine.node(node).cores) {
            allocation.set(app, node, allocation.get(app, node) + 1);
            return Some(());
        }
        allocation.set(app, node, 0);
    }
    None
}

/// All allocations with few threads in total that meet a standard.
struct FewThreads<'a> {
    problem: &'a Problem,
    standard: &'a Standard,
    /// Maximum number of hardware threads of all applications together.
    most: u64,
}

/// Per application: the fewest and most cores, both included.
type Numbers = Vec<(u32, u32)>;

impl FewThreads<'_> {
    fn threads(&self, app: usize, cores: u32) -> u64 {
        u64::from(cores) * u64::from(self.problem.apps[app].smt.threads_per_core())
    }

    /// The whole space.
    fn root(&self) -> Numbers {
        let all = u32::try_from(self.problem.machine.total_cores()).unwrap_or(u32::MAX);
        let apps = self.problem.apps.iter();
        self.tight(
            apps.map(|app| (app.min_threads, app.max_threads.map_or(all, |max| max.min(all)))).collect(),
        )
    }

    /// The same without numbers that leave too few threads for the minimum of the others.
    fn tight(&self, mut numbers: Numbers) -> Numbers {
        let least: u64 = numbers.iter().enumerate().map(|(a, own)| self.threads(a, own.0)).sum();
        for (a, own) in numbers.iter_mut().enumerate() {
            let left = self.most.saturating_sub(least - self.threads(a, own.0)) / self.threads(a, 1);
            own.1 = own.1.min(u32::try_from(left).unwrap_or(u32::MAX));
        }
        numbers
    }

    fn is_empty(&self, numbers: &Numbers) -> bool {
        let least: u64 = numbers.iter().enumerate().map(|(a, own)| self.threads(a, own.0)).sum();
        least > self.most || numbers.iter().any(|(least, most)| least > most)
    }
}

impl Division for FewThreads<'_> {
    type Part = Numbers;

    fn problem(&self, numbers: &Numbers) -> Option<Problem> {
        if self.is_empty(numbers) {
            return None;
        }
        let mut problem = self.problem.clone();
        for (app, &(least, most)) in problem.apps.iter_mut().zip(numbers) {
            (app.min_threads, app.max_threads) = (least, Some(most));
        }
        problem.restrictions.check(&problem.machine, &problem.apps).is_ok().then_some(problem)
    }

    fn holds(&self, candidate: &Candidate) -> bool {
        let mut evaluator = Evaluator::new(self.problem, candidate.placements.clone());
        self.problem.threads_of(candidate) <= self.most
            && self.standard.is_met(&self.problem.goal, evaluator.gflops_of(&candidate.allocation))
    }

    fn split(&self, numbers: &Numbers, around: Option<&Candidate>) -> Vec<Numbers> {
        let used = |a: usize| around.map(|candidate| candidate.allocation.total(AppId(a)));
        let used = |a: usize| used(a).and_then(|cores| u32::try_from(cores).ok()).unwrap_or(numbers[a].1);
        let width = |a: usize| used(a).saturating_sub(numbers[a].0);
        let widest =
            (0..numbers.len()).max_by_key(|&a| (width(a), numbers[a].1 - numbers[a].0, std::cmp::Reverse(a)));
        let Some(app) = widest.filter(|&a| numbers[a].0 < numbers[a].1) else { return Vec::new() };
        let (least, most) = numbers[app];
        let cut = (least + width(app) / 2).min(most - 1);
        let with = |own: (u32, u32)| {
            let mut numbers = numbers.clone();
            numbers[app] = own;
            self.tight(numbers)
        };
        let parts = [with((least, cut)), with((cut + 1, most))];
        parts.into_iter().filter(|part| !self.is_empty(part)).collect()
    }

    /// The candidate does not show which application has fewer threads.
    fn rounded(&self, _: &Numbers, _: &Candidate) -> Option<Numbers> {
        None
    }
}
