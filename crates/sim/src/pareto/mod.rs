//! The trade-off between two objectives: allocations of which none is better in one without being worse in the other.
//!
//! # Approach
//! 1. Both ends, the best for each objective alone, come from [`search::explore`] with its proof or bound.
//! 2. A small space is compared whole (`everything`): the front is *complete*, and each of its points is proven.
//! 3. A larger one is searched (`nearby`). The starts are the ends, the baselines, allocations with the same number on every node, and the
//!    best for objectives in between. From these it climbs in many directions between both objectives. Then it evaluates all neighbours of
//!    all points of the front, and those of their best neighbours. The points are the best of everything that was compared: another
//!    allocation may still beat one of them, except in the proven value of an end.
//!
//! A weighted sum of both objectives would miss every point in a dent of the front, and thread counts make many dents.

use archive::Pair;
use numasim_model::{Allocation, App, Machine, Placement, Scenario, Smt};

use crate::baselines::Baseline;
use crate::monitor::Monitor;
use crate::objective::margin;
use crate::pareto::archive::{Archive, Entry};
use crate::pareto::everything::Everything;
use crate::pareto::nearby::Nearby;
use crate::problem::Candidate;
use crate::search::{ExploreError, Outcome, Status, best_with_any_threads};
use crate::{Objective, Problem, ProblemError, Restrictions, search};

mod archive;
mod contents;
mod everything;
mod nearby;
#[cfg(test)]
mod tests;

/// A machine, applications, constraints and two different objectives.
#[derive(Clone, Debug)]
pub struct TradeOff {
    problems: [Problem; 2],
}

/// The reason why there is no trade-off to look for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TradeOffError {
    /// The same objective twice.
    #[error("a trade-off needs two different objectives; both are {}", .0.as_str())]
    SameObjective(Objective),
    /// One of them alone has no answer.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Search budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Seed of the random restarts for the ends.
    pub seed: u64,
    /// Most steps of the exact search for each end.
    pub effort: u64,
    /// Compares every allocation if there are at most this many; equal nodes are counted once.
    pub most_compared: u64,
    /// Otherwise, the maximum of evaluations times applications times nodes along the front.
    pub work: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 0, effort: 30_000_000, most_compared: 10_000_000, work: 300_000_000 }
    }
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The best for the first objective.
    FirstEnd,
    /// The best for the second objective.
    SecondEnd,
    /// Everything in between.
    Between,
}

/// The environment of the work: a [`Monitor`] that is also informed of the current stage.
pub trait Stages: Monitor {
    /// A part starts. A monitor with a limit may give each part a share of it.
    fn begin(&self, stage: Stage);
    /// In [`Stage::Between`]: allocations compared so far, and the fraction of the maximum work, 0 to 1.
    fn compared(&self, allocations: u64, part: f64);
}

impl Stages for search::Unattended {
    fn begin(&self, _: Stage) {}
    fn compared(&self, _: u64, _: f64) {}
}

/// An allocation on the front.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Threads of each application on each node.
    pub allocation: Allocation,
    /// The node of each application's data, open homes decided.
    pub placements: Vec<Placement>,
    /// Value of each objective.
    pub values: [f64; 2],
}

/// The known facts about the best for one objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// Value of the objective at this end of the front.
    pub value: f64,
    /// No allocation has a better value than this; `None` if the search was stopped before it had a bound.
    pub bound: Option<f64>,
    /// Nothing is better for this objective, to a relative 1e-9.
    pub proven: bool,
}

impl End {
    /// |bound - value| / |bound|.
    pub fn gap(&self) -> Option<f64> {
        self.bound.map(|bound| search::gap(self.value, bound))
    }
}

/// The front.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// From the best for the first objective to the best for the second; never empty.
    pub points: Vec<Point>,
    /// The known facts about both ends.
    pub ends: [End; 2],
    /// Every point is proven to be on the front, and no other values are.
    pub complete: bool,
    /// The monitor stopped the work.
    pub stopped: bool,
    /// Allocations whose values were compared along the front, symmetric ones once.
    pub compared: u64,
    /// The baselines, with an open home at its best node for the first objective.
    pub baselines: Vec<Baseline>,
}

impl TradeOff {
    /// Checks the question.
    ///
    /// # Errors
    /// [`TradeOffError`] if both objectives are the same, or if one of them does not apply.
    pub fn new(
        machine: &Machine,
        apps: &[App],
        objectives: [Objective; 2],
        restrictions: Restrictions,
    ) -> Result<Self, TradeOffError> {
        let [first, second] = objectives;
        if first == second {
            return Err(TradeOffError::SameObjective(first));
        }
        let problem = |objective| Problem::new(machine, apps, objective, restrictions);
        Ok(Self { problems: [problem(first)?, problem(second)?] })
    }

    /// The same question with these hardware threads of a core ([`Problem::with_smt`]).
    #[must_use]
    pub fn with_smt(&self, smt: &[Smt]) -> Self {
        Self { problems: self.problems.each_ref().map(|problem| problem.with_smt(smt)) }
    }

    /// The question with each objective alone.
    pub fn problems(&self) -> &[Problem; 2] {
        &self.problems
    }

    fn pair(&self) -> Pair<'_> {
        Pair { problem: &self.problems[0], goals: [&self.problems[0].goal, &self.problems[1].goal] }
    }

    /// Values of both objectives for an allocation with decided homes.
    pub fn values(&self, allocation: &Allocation, placements: &[Placement]) -> [f64; 2] {
        let scores = self.pair().rater(placements.to_vec()).scores(allocation);
        self.values_of(scores)
    }

    fn values_of(&self, scores: [f64; 2]) -> [f64; 2] {
        let [first, second] = &self.problems;
        [first.goal.value(scores[0]), second.goal.value(scores[1])]
    }

    /// Whether `a` is better than `b` in one objective and not worse in the other, to a relative 1e-9.
    pub fn beats(&self, a: [f64; 2], b: [f64; 2]) -> bool {
        let better = |i: usize, a: f64, b: f64| match self.problems[i].goal.objective() {
            Objective::Makespan => a < b - margin(b),
            _ => a > b + margin(b),
        };
        (0..2).any(|i| better(i, a[i], b[i])) && !(0..2).any(|i| better(i, b[i], a[i]))
    }
}

impl Front {
    /// The point that gives up least of both: the farthest from the straight line between the ends, with both axes scaled from end to end.
    /// `None` if the front is almost straight, or one point.
    pub fn knee(&self) -> Option<usize> {
        const STRAIGHT: f64 = 0.05;
        let (first, last) = (self.points.first()?.values, self.points.last()?.values);
        // 1 at the end that is best, 0 at the other.
        let part = |value: f64, best: f64, worst: f64| (value - worst) / (best - worst);
        let beyond = |point: &Point| {
            part(point.values[0], first[0], last[0]) + part(point.values[1], last[1], first[1]) - 1.0
        };
        let mut knee: Option<(usize, f64)> = None;
        for (i, distance) in self.points.iter().map(beyond).enumerate() {
            if distance > knee.map_or(STRAIGHT, |(_, most)| most) {
                knee = Some((i, distance));
            }
        }
        knee.map(|(i, _)| i)
    }

    /// At most `most` representative points: evenly spread along the front, with both ends.
    pub fn spread(&self, most: usize) -> Vec<usize> {
        archive::spread(&self.points.iter().map(|point| point.values).collect::<Vec<_>>(), most)
    }
}

// Builds a front: both ends, then the points between them.

/// Maximum number of allocations with the same number on every node that are compared as starts.
const MOST_UNIFORM: u64 = 200_000;

/// Finds the front. Scenarios are also compared if their data is where the applications put it.
///
/// # Errors
/// [`ExploreError::Infeasible`] if no allocation satisfies the constraints, or if none has a finite makespan and that is one of the
/// objectives; [`ExploreError::NothingFound`] if the monitor stopped the search before it found one; [`ExploreError::Fault`] if a point
/// breaks a rule of the question.
pub fn front(
    question: &TradeOff,
    scenarios: &[Scenario],
    settings: &Settings,
    monitor: &dyn Stages,
) -> Result<Front, ExploreError> {
    let pair = question.pair();
    let baselines = question.problems[0].baselines(scenarios, monitor);
    let mut archive = Archive::default();
    let mut ends = [None, None];
    for ((problem, stage), end) in
        question.problems.iter().zip([Stage::FirstEnd, Stage::SecondEnd]).zip(&mut ends)
    {
        monitor.begin(stage);
        let alone = search::Settings { top: 0, seed: settings.seed, effort: settings.effort };
        let problem = problem.clone().starting_from(baselines.iter().map(|one| one.candidate.clone()));
        match best_with_any_threads(&problem, &alone, monitor) {
            Ok(outcome) => {
                offer(&pair, &mut archive, &outcome.best);
                *end = Some(outcome);
            }
            Err(ExploreError::NothingFound) => {}
            Err(error) => return Err(error),
        }
    }
    monitor.begin(Stage::Between);
    for baseline in &baselines {
        if baseline.breaks.is_none() && lies_as_asked(&question.problems[0].apps, &baseline.candidate) {
            offer(&pair, &mut archive, &baseline.candidate);
        }
    }
    let (complete, compared) = between(question, &mut archive, settings, monitor);
    let mut points = tidy(archive.into_entries());
    archive::align(pair.problem, &mut points);
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err(ExploreError::NothingFound);
    };
    let best = [question.values_of(first.scores)[0], question.values_of(last.scores)[1]];
    let [first_end, second_end] = ends;
    let ends = [first_end, second_end].map(|end| (end.as_ref().map(|e| e.bound), is_optimal(end.as_ref())));
    let end = |i: usize| {
        let (bound, optimal) = ends[i];
        let proven = complete || optimal;
        End { value: best[i], bound: if proven { Some(best[i]) } else { bound }, proven }
    };
    let ends = [end(0), end(1)];
    // If one allocation is best for both, there is nothing to trade.
    let complete = complete || (points.len() == 1 && ends.iter().all(|end| end.proven));
    let points = points
        .into_iter()
        .map(|entry| {
            pair.problem.check_answer(&entry.allocation, &entry.placements)?;
            Ok(Point {
                values: question.values(&entry.allocation, &entry.placements),
                allocation: entry.allocation,
                placements: entry.placements,
            })
        })
        .collect::<Result<_, ExploreError>>()?;
    Ok(Front { points, ends, complete, stopped: monitor.stop(), compared, baselines })
}

fn is_optimal(end: Option<&Outcome>) -> bool {
    end.is_some_and(|end| end.status == Status::Optimal)
}

/// Compares everything, or the surroundings of good allocations. Returns whether it was everything, and the number compared.
fn between(
    question: &TradeOff,
    archive: &mut Archive,
    settings: &Settings,
    monitor: &dyn Stages,
) -> (bool, u64) {
    let pair = question.pair();
    let mut compared = 0;
    if let Some(everything) = Everything::new(pair, settings.most_compared) {
        let all = everything.offer(archive, &mut compared, monitor);
        // Complete by node only: each allocation is distributed over the L3 domains of its nodes in one way.
        return (all && !pair.problem.is_by_domain(), compared);
    }
    let same = Problem {
        restrictions: Restrictions { same_on_every_node: true, ..pair.problem.restrictions },
        ..pair.problem.clone()
    };
    let uniform = Pair { problem: &same, goals: pair.goals };
    let most = settings.work / pair.cells();
    if let Some(uniform) = Everything::new(uniform, MOST_UNIFORM.min(most)) {
        uniform.offer(archive, &mut compared, monitor);
    }
    for problem in compromises(question) {
        let quick = search::Settings { top: 0, seed: settings.seed, effort: 0 };
        if monitor.stop() {
            break;
        }
        if let Ok(outcome) = best_with_any_threads(&problem, &quick, monitor) {
            offer(&pair, archive, &outcome.best);
        }
    }
    let reported = |number: u64| {
        monitor.compared(compared + number, (number as f64 / most.max(1) as f64).min(1.0));
    };
    let searched = Nearby::new(pair, monitor, most, settings.seed).search(archive, &reported);
    (false, compared + searched)
}

/// Questions whose answers are between common objectives: the mean and the smallest p, and sums of GFLOPS whose weights go step by step
/// from those of the files to 1 / GFLOPS alone.
fn compromises(question: &TradeOff) -> Vec<Problem> {
    let [first, second] = &question.problems;
    let asked = [first.goal.objective(), second.goal.objective()];
    let with = |objective: Objective, apps: &[App]| {
        Problem::new(&first.machine, apps, objective, first.restrictions)
    };
    let mut problems: Vec<Result<Problem, ProblemError>> = [Objective::Geomean, Objective::Fair]
        .into_iter()
        .filter(|objective| !asked.contains(objective))
        .map(|objective| with(objective, &first.asked))
        .collect();
    for step in [0.25, 0.5, 0.75, 1.0] {
        let mut apps = first.apps.clone();
        for (app, alone) in apps.iter_mut().zip(first.goal.alone()).filter(|(_, alone)| **alone > 0.0) {
            app.weight = libm::pow(app.weight, 1.0 - step) * libm::pow(alone.recip(), step);
        }
        problems.push(with(Objective::TotalGflops, &apps));
    }
    problems.into_iter().flatten().collect()
}

fn offer(pair: &Pair, archive: &mut Archive, candidate: &Candidate) {
    let mut rater = pair.rater(candidate.placements.clone());
    let scores = rater.scores(&candidate.allocation);
    if pair.counts(scores) && rater.allows(&candidate.allocation) {
        archive.add(rater.entry(&candidate.allocation, scores));
    }
}

/// Whether the data is where the applications put it; a scenario may override that.
fn lies_as_asked(apps: &[App], candidate: &Candidate) -> bool {
    apps.iter().zip(&candidate.placements).all(|(app, placement)| app.data.may_become(placement))
}

/// Removes points that differ only by rounding. If two tie in the first score, the better in the second stays.
fn tidy(entries: Vec<Entry>) -> Vec<Entry> {
    let mut kept: Vec<Entry> = Vec::new();
    for entry in entries {
        if let Some(last) = kept.last_mut() {
            if entry.scores[1] <= last.scores[1] + margin(last.scores[1]) {
                continue;
            }
            if entry.scores[0] >= last.scores[0] - margin(last.scores[0]) {
                *last = entry;
                continue;
            }
        }
        kept.push(entry);
    }
    kept
}
