//! The fewest hardware threads with which an allocation is as good as the best, or nearly.
//!
//! # Approach
//! A climb takes threads away as long as the allocation keeps to a [`Standard`]. Then the proof asks for an allocation with one thread less:
//! a part of the space says between which numbers the threads of each application lie (`parts`). The numbers are constraints that bounds
//! know; that all of them together are few is known to the division alone, which leaves out parts whose lowest numbers are already too many.

use numasim_model::{AppId, Placement};

use super::budget::{Quiet, Settings};
use super::climbs::climb_with_homes;
use super::local::{self, Rates};
use super::parts::Division;
use super::pool::Pool;
use super::{ExploreError, Outcome, Search};
use crate::monitor::Monitor;
use crate::objective::{Goal, Objective, SCORE_TOLERANCE};
use crate::problem::{Candidate, Evaluator, Problem, margin};

/// The part of the effort of a search that goes into fewer threads: one of so many.
const PART_OF_EFFORT: u64 = 100;
/// Most allocations of a question, as a power of ten, among which it is looked for a proof: beyond that it would take longer than the search
/// for the best (4 nodes x 20 cores: 27 s instead of 0.1 s).
const MOST_ALLOCATIONS: f64 = 6.0;
/// Random changes to an allocation with few threads.
const KICKS: u64 = 8;

/// What an allocation must reach to be as good as another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standard {
    /// The least score.
    score: f64,
    /// For `fair`: the least p of all applications, ascending; else empty.
    sorted: Vec<f64>,
}

impl Standard {
    /// What loses at most the share `within` of an allocation with these GFLOPS, to a relative 1e-9.
    pub(super) fn of(goal: &Goal, gflops: &[f64], within: f64) -> Self {
        let score = goal.least_score(goal.score(gflops), within);
        let sorted = if goal.objective() == Objective::Fair { goal.sorted(gflops) } else { Vec::new() };
        let least = |p: f64| p * (1.0 - within) * (1.0 - SCORE_TOLERANCE);
        Self { score: score - margin(score), sorted: sorted.into_iter().map(least).collect() }
    }

    /// Whether an allocation with these GFLOPS is good enough.
    pub(super) fn is_met(&self, goal: &Goal, gflops: &[f64]) -> bool {
        goal.score(gflops) >= self.score
            && (self.sorted.is_empty()
                || goal.sorted(gflops).iter().zip(&self.sorted).all(|(p, least)| p >= least))
    }
}

impl Problem {
    /// Hardware threads of an allocation.
    pub(crate) fn threads_of(&self, candidate: &Candidate) -> u64 {
        let smt = |app: usize| candidate.smt.get(app).map_or(self.apps[app].smt, |smt| *smt);
        let of = |app: usize| candidate.allocation.total(AppId(app)) * u64::from(smt(app).threads_per_core());
        (0..self.apps.len()).map(of).sum()
    }
}

/// Rates allocations by how few threads they have among those that are good enough.
struct Sparing<'a, 's> {
    evaluator: Evaluator<'a>,
    standard: &'s Standard,
}

impl Rates for Sparing<'_, '_> {
    fn excess(&self, threads: &[u32]) -> f64 {
        self.evaluator.excess(threads)
    }

    fn rate(&mut self, allocation: &numasim_model::Allocation) -> (f64, f64) {
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

    fn candidate(&mut self, allocation: numasim_model::Allocation) -> Candidate {
        let (score, tie_break) = self.rate(&allocation);
        Candidate { score, tie_break, ..self.evaluator.candidate(allocation) }
    }
}

impl Outcome {
    /// The same answer with the fewest threads of all that are as good, as far as they were found. An allocation that had more becomes the
    /// first alternative. Where a geomean is 0 in every allocation, any is left as it is: no thread at all would be as good.
    ///
    /// # Errors
    /// [`ExploreError::Fault`] if what was found breaks a rule of the question.
    pub(super) fn with_fewest_threads(
        mut self,
        problem: &Problem,
        settings: &Settings,
        monitor: &dyn Monitor,
    ) -> Result<Self, ExploreError> {
        let of = problem.with_smt(&self.best.smt);
        let gflops =
            Evaluator::new(&of, self.best.placements.clone()).gflops_of(&self.best.allocation).to_vec();
        let standard = Standard::of(&problem.goal, &gflops, 0.0);
        let (fewest, _) = fewest_threads(problem, &self.best, &standard, settings, monitor);
        problem.with_smt(&fewest.smt).check_answer(&fewest.allocation, &fewest.placements)?;
        self.replace_best(problem, fewest, settings.top);
        Ok(self)
    }
}

/// An allocation that meets the standard with the fewest threads that were found, from `best` on, and whether it is proven that none has
/// fewer.
pub(super) fn fewest_threads(
    problem: &Problem,
    best: &Candidate,
    standard: &Standard,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> (Candidate, bool) {
    let (quiet, mut found, mut proven) = (Quiet(monitor), best.clone(), true);
    let choices = if problem.has_open_smt() { problem.choices.clone() } else { vec![problem.smt.clone()] };
    let all = settings.effort / PART_OF_EFFORT;
    let all = if problem.size_log10() <= MOST_ALLOCATIONS { all } else { 0 };
    let effort = all / choices.len().max(1) as u64;
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
                None => return (found, proof.complete),
            }
        }
    }

    /// A climb from `start` to fewer threads.
    fn spared(&self, start: Candidate, standard: &Standard) -> Candidate {
        let problem = self.problem;
        if problem.is_by_domain() || self.monitor.stop() {
            return start;
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

/// All allocations with few threads together that meet a standard.
struct FewThreads<'a> {
    problem: &'a Problem,
    standard: &'a Standard,
    /// Most hardware threads of all applications together.
    most: u64,
}

/// Per application: the fewest and most cores, both included.
type Numbers = Vec<(u32, u32)>;

impl FewThreads<'_> {
    fn threads(&self, app: usize, cores: u32) -> u64 {
        u64::from(cores) * u64::from(self.problem.apps[app].smt.threads_per_core())
    }

    /// Everything.
    fn root(&self) -> Numbers {
        let all = u32::try_from(self.problem.machine.total_cores()).unwrap_or(u32::MAX);
        let apps = self.problem.apps.iter();
        self.tight(
            apps.map(|app| (app.min_threads, app.max_threads.map_or(all, |max| max.min(all)))).collect(),
        )
    }

    /// The same without numbers that leave too few threads for the fewest of the others.
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

    /// Which application has fewer threads does not show.
    fn rounded(&self, _: &Numbers, _: &Candidate) -> Option<Numbers> {
        None
    }
}
