//! The search for the best allocation, with a single entry point: [`explore`].
//!
//! # Approach
//! This is a summary; `README.md` in this folder describes it on one page.
//!
//! 1. Each set of open homes becomes a separate problem with a first, cheap bound (`homes`). Of the sets that exchanges of equal nodes or
//!    equal instances turn into each other, only one is searched (`symmetry`).
//! 2. Hill climbing from several starts gives a good answer (`local`).
//! 3. Each set gets an upper bound (`dual`, `cutting`). Sets that cannot beat the best answer are closed; the others are searched for
//!    better answers with the prices of the bound (`respond`).
//! 4. If data has a home, the remaining sets are split by the reads of other nodes from it (`watch`): at once if these get everything they
//!    ask (`cells`), otherwise when a part is split.
//! 5. The remainder is split by thread totals and by the bandwidth drawn from homes (`boxes`), and the rest is searched node by node
//!    (`branch`). If every node gets the same, all allocations are evaluated (`uniform`). Sets of homes take turns (`in_turn`), and the
//!    best answer gets kicks in the meantime (`kicks`). When all are searched, the answer is proven; otherwise the largest open bound is
//!    reported with it.
//! 6. A second pass with a lower cutoff finds the next best, different answers.
//! 7. With `fair` the next smallest p follow (`leximin`), and of equally good allocations one with the fewest threads is the answer
//!    (`fewest`).
//!
//! If applications may use only a few nodes, steps 3 to 5 decide part by part which ones (`few_nodes`, `parts`). [`simplest`] looks for the
//! simplest allocation that is nearly as good in the same way.
//!
//! [`explore_to_the_end`] repeats this with larger budgets within the time limit.
//!
//! The answer does not depend on the number of threads: work runs in batches of fixed size whose results are merged in order, and the
//! budget is counted in steps, not in seconds. Only a stop by the [`Monitor`] depends on time.

use std::sync::{Mutex, PoisonError};

use budget::Quiet;
use choices::{ByNode, best_of_choices};
use pool::Pool;

use crate::answer::Forbidden;
use crate::memory::lacks_memory;
use crate::objective::{Goal, Objective, margin};
use crate::problem::{Candidate, Evaluator, Problem};
use crate::restrictions::Infeasible;
use crate::search::homes::HomeSets;
use crate::search::pool::Canonical;

pub use crate::monitor::{Monitor, Progress, Unattended};
pub use budget::Settings;
pub(crate) use climbs::climbed;
pub(crate) use domains::explore_by_domain;
pub use fewest::{Fewest, PART_OF_FEWEST, fewest_beside};
pub use leximin::Level;
pub(crate) use leximin::is_fairer;
pub(crate) use local::generator;
pub use simple::{
    PART_OF_SIMPLEST, Simplest, Simplicity, WITHIN, simplest, simplest_beside, simplest_to_the_end,
    simplicity, within,
};

mod boxes;
mod branch;
pub(crate) mod budget;
mod ceilings;
mod cells;
mod choices;
mod climbs;
mod corners;
mod cutting;
mod domains;
mod dual;
mod fewest;
mod halves;
mod homes;
mod leximin;
mod local;
mod master;
mod options;
pub mod over_models;
mod parts;
mod pool;
mod prove;
mod respond;
pub mod robust;
mod shares;
mod simple;
mod uniform;
mod watch;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

/// Finds the best allocation: by node, and by L3 domain if these matter.
///
/// # Errors
/// [`ExploreError::Infeasible`] if no allocation satisfies the constraints, or if none has a finite makespan;
/// [`ExploreError::NothingFound`] if the monitor stopped the search before it found one; [`ExploreError::Fault`] if an answer breaks a rule
/// of the question, which is checked for each answer before it is returned.
pub fn explore(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    let found = best_with_any_threads(problem, settings, monitor)?;
    found.with_levels(problem, settings, monitor)?.with_fewest_threads(problem, settings, monitor)
}

/// [`explore`], but with any of the best allocations, for callers that do not care about the number of threads.
///
/// # Errors
/// Those of [`explore`].
pub(crate) fn best_with_any_threads(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    let found = if problem.is_by_domain() {
        explore_by_domain(problem, settings, &problem.starts(), false, monitor)
    } else {
        explore_beyond(problem, settings, monitor, None)
    };
    found.map(|outcome| outcome.relative_to(problem))
}

/// [`explore`], repeated with larger budgets until the answer is proven or `monitor` stops it. Without a stop it may run forever: if no
/// budget suffices for a proof, it continues to climb from further starts.
///
/// # Errors
/// Those of [`explore`]; [`ExploreError::NothingFound`] only when it was stopped.
pub fn explore_to_the_end(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    let found = if problem.is_by_domain() {
        explore_by_domain(problem, settings, &problem.starts(), true, monitor)
    } else {
        homes::best_to_the_end(problem, settings, monitor)
    };
    let found = found?.relative_to(problem);
    found.with_levels(problem, settings, monitor)?.with_fewest_threads(problem, settings, monitor)
}

/// [`explore`] with this known allocation.
fn explore_beyond(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
    known: Option<&Candidate>,
) -> Result<Outcome, ExploreError> {
    if problem.has_open_smt() {
        return best_of_choices(problem, settings, monitor, known, &ByNode);
    }
    let search = Search::new(problem, settings, monitor);
    let Above { best, open_bound } = search.above(known, Floor::default())?;
    let best = best.ok_or(ExploreError::NothingFound)?;
    let score = best.score;
    let (value, bound) = (problem.goal.value(score), problem.goal.value(open_bound.max(score)));
    let status = match (value == bound, monitor.stop()) {
        (true, _) => Status::Optimal,
        (false, true) => Status::Stopped,
        (false, false) => Status::Unproven,
    };
    // If every allocation is as bad as any other, no alternative is better or worse.
    let hopeless = problem.goal.is_hopeless();
    let (alternatives, alternatives_complete) = if hopeless || monitor.stop() {
        (Vec::new(), hopeless)
    } else {
        // The monitor receives the progress of the search for the best only.
        let quiet = Quiet(monitor);
        let Search { canonical, homes, .. } = search;
        Search { problem, settings, monitor: &quiet, canonical, homes }.alternatives(&best)
    };
    let gap = gap(value, bound);
    let levels = Vec::new();
    Outcome { best, value, bound, gap, status, levels, alternatives, alternatives_complete }.checked(problem)
}

/// The answers that a search for the best allocation may skip.
#[derive(Clone, Copy, Debug)]
struct Floor {
    /// Results of climbs are answers if they score more than this.
    ties: f64,
    /// Nothing is proven for scores up to this.
    proof: f64,
}

impl Default for Floor {
    /// Nothing is skipped.
    fn default() -> Self {
        Self { ties: f64::NEG_INFINITY, proof: f64::NEG_INFINITY }
    }
}

/// The result of a search above a floor.
struct Above {
    /// The best; `None` if nothing was found above it.
    best: Option<Candidate>,
    /// No answer has a better score than the larger of this and the floor of the proof. It is the score of the best if that is proven.
    open_bound: f64,
}

impl Search<'_> {
    /// The best allocation above `floor`. `known` is another starting point.
    ///
    /// # Errors
    /// Those of [`explore`].
    fn above(&self, known: Option<&Candidate>, floor: Floor) -> Result<Above, ExploreError> {
        let (problem, monitor) = (self.problem, self.monitor);
        let mut pool = Pool::above(floor.ties, 1);
        let starts: Vec<Candidate> =
            problem.starts().into_iter().filter(|start| problem.permits(start)).collect();
        let mut climbed = self.climbed(&starts);
        climbed.extend(starts);
        climbed.extend(known.cloned());
        for candidate in &climbed {
            pool.add(&self.canonical, candidate.clone());
        }
        if pool.best().is_none() {
            pool = Pool::above(floor.proof, 1);
        }
        // If every allocation is as bad as any other, the first one is the answer.
        let hopeless = problem.goal.is_hopeless() && pool.best().is_some();
        let proof = if hopeless {
            Proof { open_bound: f64::NEG_INFINITY, complete: true }
        } else {
            self.prove(&mut pool, self.settings.effort.saturating_sub(self.homes.work))
        };
        let everything = floor.proof == f64::NEG_INFINITY;
        if proof.complete
            && everything
            && pool.best().is_none()
            && let Some(any) = self.anything_allowed()
        {
            pool.add(&self.canonical, any);
        }
        let Some(best) = pool.best().cloned() else {
            return match (everything, proof.complete) {
                (true, true) => Err(self.infeasible(&climbed).into()),
                (true, false) => Err(ExploreError::NothingFound),
                // A bound without any improvement, because time was up, may be absurd.
                (false, _) => Ok(Above { best: None, open_bound: proof.open_bound.min(problem.roof()) }),
            };
        };
        let best = if monitor.stop() { best } else { self.climb_with_homes(best) };
        let best = if hopeless || proof.closes(&best) { best } else { self.iterate(best) };
        let score = best.score;
        if problem.goal.objective() == Objective::Makespan && score <= 0.0 {
            let stuck = without_progress(problem);
            return Err(if proof.complete {
                Infeasible::NoFiniteMakespan(stuck).into()
            } else {
                ExploreError::NothingFound
            });
        }
        let optimal = hopeless || proof.closes(&best);
        let open_bound = if optimal { score } else { proof.open_bound.min(problem.roof()).max(score) };
        Ok(Above { best: Some(best), open_bound })
    }

    /// An allowed allocation if none has a finite geomean: the proof skips the others.
    fn anything_allowed(&self) -> Option<Candidate> {
        let problem = self.problem;
        if problem.goal.objective() != Objective::Geomean {
            return None;
        }
        let goal = Goal::of_any_work(Objective::TotalGflops, &problem.machine, &problem.apps).ok()?;
        let other = Problem { goal, ..problem.clone() };
        let settings = Settings { top: 0, ..*self.settings };
        let found = best_with_any_threads(&other, &settings, &Quiet(self.monitor)).ok()?.best;
        Some(Evaluator::new(problem, found.placements).candidate(found.allocation))
    }

    /// The reason why there is no answer, if `climbed` is the closest attempt.
    fn infeasible(&self, climbed: &[Candidate]) -> Infeasible {
        let problem = self.problem;
        let closest = climbed.iter().reduce(|best, next| if next.beats(best) { next } else { best });
        let lacks = closest.and_then(|closest| {
            let Candidate { allocation, placements, .. } = closest;
            lacks_memory(&problem.machine, &problem.apps, placements, allocation.as_slice())
        });
        lacks.unwrap_or_else(|| Infeasible::Together(problem.restrictions.describe(&problem.apps)))
    }
}

/// The applications that get nothing even with the whole machine; all of them if each alone would.
fn without_progress(problem: &Problem) -> Vec<String> {
    let names = |filter: &dyn Fn(f64) -> bool| -> Vec<String> {
        let stuck = problem.apps.iter().zip(problem.goal.alone()).filter(|(_, alone)| filter(**alone));
        stuck.map(|(app, _)| app.name.clone()).collect()
    };
    let stuck = names(&|alone| alone <= 0.0);
    if stuck.is_empty() { names(&|_| true) } else { stuck }
}

// The common data of all stages of a search, and the result of a stage.

/// The result of the exact search.
struct Proof {
    /// No allocation that was not met scores more than this.
    open_bound: f64,
    /// Everything was searched.
    complete: bool,
}

impl Proof {
    /// Whether nothing is better than `best`.
    fn closes(&self, best: &Candidate) -> bool {
        self.complete || self.open_bound <= best.score + margin(best.score)
    }
}

struct Search<'a> {
    problem: &'a Problem,
    settings: &'a Settings,
    monitor: &'a dyn Monitor,
    canonical: Canonical,
    /// The possible places of open homes, bounded before the search.
    homes: HomeSets,
}

impl<'a> Search<'a> {
    /// A search with first bounds and no answer yet.
    fn new(problem: &'a Problem, settings: &'a Settings, monitor: &'a dyn Monitor) -> Self {
        let homes = HomeSets::new(problem, settings.effort, monitor);
        Self { problem, settings, monitor, canonical: Canonical::new(problem), homes }
    }
}

// The results of a search, or the reasons for having none.

/// The proof status of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No allocation is better, to a relative 1e-9.
    Optimal,
    /// The monitor stopped the search before the proof.
    Stopped,
    /// The budget was spent before the proof, or the space is too large to cover.
    Unproven,
}

impl Status {
    /// A stable word for documents: `optimal`, or `feasible` for answers that are not proven.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Stopped | Self::Unproven => "feasible",
        }
    }
}

/// |bound - value| / |bound|: the fraction of the bound that a value does not reach; 0 if they are equal, also at 0.
pub fn gap(value: f64, bound: f64) -> f64 {
    if value == bound { 0.0 } else { ((bound - value) / bound).abs() }
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The best allocation found.
    pub best: Candidate,
    /// Its value of the objective.
    pub value: f64,
    /// No allocation has a better value than this.
    pub bound: f64,
    /// |bound - value| / |bound|.
    pub gap: f64,
    /// Whether it is proven.
    pub status: Status,
    /// For `fair`: the levels of p, from the smallest up; else none.
    pub levels: Vec<Level>,
    /// The next best, different allocations, best first; not merely exchanges of equal nodes or instances.
    pub alternatives: Vec<Candidate>,
    /// Whether the alternatives are complete.
    pub alternatives_complete: bool,
}

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExploreError {
    /// No allocation is possible.
    #[error(transparent)]
    Infeasible(#[from] Infeasible),
    /// The search ended before it found one.
    #[error("no placement that satisfies the constraints was found before the search stopped")]
    NothingFound,
    /// The result is forbidden: this is a fault of the program, and the question must be reported.
    #[error(transparent)]
    Fault(#[from] Forbidden),
}

impl Outcome {
    /// Itself, but unproven if its reference values are not proven.
    fn relative_to(self, problem: &Problem) -> Self {
        let optimal = self.status == Status::Optimal && !problem.goal.is_exact();
        Self { status: if optimal { Status::Unproven } else { self.status }, ..self }
    }

    /// Itself, after a check that every allocation in it satisfies the question.
    ///
    /// # Errors
    /// [`ExploreError::Fault`] if one does not.
    fn checked(self, problem: &Problem) -> Result<Self, ExploreError> {
        for candidate in std::iter::once(&self.best).chain(&self.alternatives) {
            problem.check_answer(&candidate.allocation, &candidate.placements)?;
        }
        Ok(self)
    }
}

// The state of a search when a quarter and half of its budget were spent.

/// Parts of the budget after which the state is recorded.
const PARTS: [f64; 2] = [0.25, 0.5];

/// The state at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// The part of the budget that was spent, 0 to 1: the first report at or after a quarter, and half.
    pub effort: f64,
    /// Value of the best so far.
    pub value: f64,
    /// No allocation has a better value.
    pub bound: f64,
    /// Seconds since the start.
    pub elapsed_s: f64,
}

impl Mark {
    /// |bound - value| / |bound|.
    pub fn gap(&self) -> f64 {
        gap(self.value, self.bound)
    }
}

/// The budget of a search and its results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// The part of the budget that was spent, 0 to 1.
    pub part: f64,
    /// The states in between, earliest first.
    pub marks: Vec<Mark>,
}

impl Spent {
    /// Records a report that came this number of seconds after the start.
    pub fn note(&mut self, progress: &Progress, elapsed_s: f64) {
        let next = PARTS.iter().find(|&&part| self.marks.last().is_none_or(|mark| mark.effort < part));
        self.part = self.part.max(progress.effort_spent);
        let known = progress.best.filter(|best| best.is_finite() && progress.bound.is_finite());
        if let (Some(value), Some(part)) = (known, next)
            && progress.effort_spent >= *part
        {
            let (effort, bound) = (progress.effort_spent, progress.bound);
            self.marks.push(Mark { effort, value, bound, elapsed_s });
        }
    }
}

/// Watches one search, and records its states.
pub struct History<'w> {
    watch: &'w dyn Monitor,
    elapsed_s: &'w (dyn Fn() -> f64 + Sync),
    noted: Mutex<Option<Spent>>,
}

impl<'w> History<'w> {
    /// `elapsed_s`: the clock of the caller, in seconds since the start.
    pub fn new(watch: &'w dyn Monitor, elapsed_s: &'w (dyn Fn() -> f64 + Sync)) -> Self {
        Self { watch, elapsed_s, noted: Mutex::default() }
    }

    /// The recorded states; `None` if the search reported nothing.
    pub fn spent(&self) -> Option<Spent> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Monitor for History<'_> {
    fn stop(&self) -> bool {
        self.watch.stop()
    }

    fn progress(&self, progress: &Progress) {
        self.watch.progress(progress);
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.get_or_insert_default().note(progress, (self.elapsed_s)());
    }
}

#[cfg(test)]
mod history_tests {
    use super::*;

    #[test]
    fn the_first_reports_after_a_quarter_and_half_are_recorded() {
        let mut spent = Spent::default();
        for (percent, bound) in [(10, 140.0), (30, 130.0), (40, 125.0), (70, 120.0), (90, 110.0)] {
            let effort_spent = f64::from(percent) / 100.0;
            spent.note(&Progress { found: None, best: Some(100.0), bound, effort_spent }, f64::from(percent));
        }
        let kept: Vec<(f64, f64)> = spent.marks.iter().map(|mark| (mark.effort, mark.bound)).collect();
        assert_eq!((spent.part, kept), (0.9, vec![(0.3, 130.0), (0.7, 120.0)]));
        // (120 - 100) / 120
        assert!((spent.marks[1].gap() - 1.0 / 6.0).abs() < 1e-12 && spent.marks[1].elapsed_s == 70.0);
    }

    #[test]
    fn one_late_report_is_recorded_once_and_none_without_an_answer() {
        let mut spent = Spent::default();
        spent.note(&Progress { found: None, best: None, bound: 9.0, effort_spent: 0.5 }, 1.0);
        assert!(spent.marks.is_empty());
        spent.note(&Progress { found: None, best: Some(8.0), bound: 9.0, effort_spent: 0.6 }, 1.0);
        spent.note(&Progress { found: None, best: Some(8.0), bound: 8.5, effort_spent: 0.8 }, 1.0);
        assert_eq!(spent.marks.len(), 1);
    }
}
