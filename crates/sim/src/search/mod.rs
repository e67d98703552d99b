//! The search for the best allocation, behind one door: [`explore`].
//!
//! # Approach
//! In short; `README.md` beside this file has it in one page.
//!
//! 1. Each set of open homes, one from each group that can be turned into each other by exchanging equal nodes or equal
//!    instances (`symmetry`), becomes a problem of its own, with a first, cheap bound (`homes`).
//! 2. Hill climbing from several starts gives a good answer (`local`).
//! 3. Each gets an upper bound (`dual`, `cutting`); those that cannot beat the best answer are closed, the others are
//!    searched for better answers with the prices of the bound (`respond`).
//! 4. Where data has a home, the others are split by what other nodes read from it (`watch`): at once where they get what they ask
//!    (`cells`), else as a part is split.
//! 5. What is left is split by thread totals and what is drawn of homes (`boxes`) and what remains is searched node by node (`branch`); where
//!    every node gets the same, all are evaluated (`uniform`). Sets of homes have their turns (`in_turn`), and the best answer gets kicks meanwhile (`kicks`).
//!    When all are searched the answer is proven; else the largest open bound is reported with it.
//! 6. A second pass with a lower cutoff finds the next best, different answers.
//!
//! Where applications may be on few nodes only, steps 3 to 5 decide part by part which (`few_nodes`, `parts`); so
//! [`simplest`] looks for the simplest allocation that is nearly as good.
//!
//! [`explore_to_the_end`] does so again with more effort while somebody has time.
//!
//! The answer does not depend on the number of threads: work is handed out in batches of fixed size whose results are
//! merged in order, and effort is counted in steps, not in seconds. Only a stop by the [`Monitor`] depends on time.

mod alternatives;
mod beside;
mod boxes;
mod branch;
pub(crate) mod budget;
mod ceilings;
mod cells;
mod climbs;
mod cutting;
mod dual;
mod halves;
mod history;
mod homes;
mod in_turn;
mod local;
mod options;
mod outcome;
pub mod over_models;
mod parts;
mod pool;
mod prove;
mod question;
mod respond;
pub mod robust;
mod simple;
mod uniform;
mod watch;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use crate::memory::lacks_memory;
pub use crate::monitor::{Monitor, Progress, Unattended};
use crate::objective::{Goal, Objective};
use crate::problem::{Candidate, Evaluator, Problem};
use crate::restrictions::Infeasible;
use beside::Quiet;
pub use budget::Settings;
pub use history::{History, Mark, Spent};
pub use homes::explore_to_the_end;
pub(crate) use local::generator;
pub use outcome::{ExploreError, Outcome, Status, gap};
use pool::Pool;
use question::{Proof, Search};
pub use simple::{
    PART_OF_SIMPLEST, Simplest, Simplicity, WITHIN, simplest, simplest_beside, simplest_to_the_end,
    simplicity, within,
};

/// Finds the best allocation.
///
/// # Errors
/// [`ExploreError::Infeasible`] if no allocation keeps to the restrictions, or none has a finite makespan;
/// [`ExploreError::NothingFound`] if the monitor stopped the search before it found one; [`ExploreError::Fault`] if an
/// answer breaks a rule of the question, which is checked of each before it is handed out.
pub fn explore(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    explore_beyond(problem, settings, monitor, None)
}

/// [`explore`] where this allocation is known.
fn explore_beyond(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
    known: Option<&Candidate>,
) -> Result<Outcome, ExploreError> {
    let search = Search::new(problem, settings, monitor);
    let mut pool = Pool::new(1);
    let mut climbed = search.climbed();
    climbed.extend(known.cloned());
    for candidate in &climbed {
        pool.add(&search.canonical, candidate.clone());
    }
    // Where every allocation is as bad as any other, the first one is the answer.
    let hopeless = problem.goal.is_hopeless() && pool.best().is_some();
    let mut proof = if hopeless {
        Proof { open_bound: f64::NEG_INFINITY, complete: true }
    } else {
        search.prove(&mut pool, settings.effort.saturating_sub(search.homes.work))
    };
    if proof.complete
        && pool.best().is_none()
        && let Some(any) = search.anything_allowed()
    {
        pool.add(&search.canonical, any);
    }
    let Some(best) = pool.best().cloned() else {
        return Err(if proof.complete {
            search.infeasible(&climbed).into()
        } else {
            ExploreError::NothingFound
        });
    };
    let best = if monitor.stop() { best } else { search.climb_with_homes(best) };
    let best = if hopeless || proof.closes(&best) { best } else { search.iterate(best) };
    let score = best.score;
    if hopeless {
        proof = Proof { open_bound: score, complete: true };
    }
    if problem.goal.objective() == Objective::Makespan && score <= 0.0 {
        let stuck = search.without_progress();
        return Err(if proof.complete {
            Infeasible::NoFiniteMakespan(stuck).into()
        } else {
            ExploreError::NothingFound
        });
    }
    let optimal = proof.closes(&best);
    // A bound that was not worked on, because time was up, may be absurd.
    let bound_score = if optimal { score } else { proof.open_bound.min(problem.roof()).max(score) };
    let (value, bound) = (problem.goal.value(score), problem.goal.value(bound_score));
    let status = match (optimal, monitor.stop()) {
        (true, _) => Status::Optimal,
        (false, true) => Status::Stopped,
        (false, false) => Status::Unproven,
    };
    let (alternatives, alternatives_complete) = if hopeless || monitor.stop() {
        (Vec::new(), hopeless)
    } else {
        // The monitor hears of the search for the best only.
        let quiet = Quiet(monitor);
        let Search { canonical, homes, .. } = search;
        Search { problem, settings, monitor: &quiet, canonical, homes }.alternatives(&best)
    };
    let gap = gap(value, bound);
    Outcome { best, value, bound, gap, status, alternatives, alternatives_complete }.checked(problem)
}

impl Search<'_> {
    /// An allowed allocation where none with a finite geomean is: the proof passes over those without.
    fn anything_allowed(&self) -> Option<Candidate> {
        let problem = self.problem;
        if problem.goal.objective() != Objective::Geomean {
            return None;
        }
        let goal = Goal::new(Objective::TotalGflops, &problem.machine, &problem.apps).ok()?;
        let other = Problem { goal, ..problem.clone() };
        let found = explore(&other, &Settings { top: 0, ..*self.settings }, &Quiet(self.monitor)).ok()?.best;
        Some(Evaluator::new(problem, found.placements).candidate(found.allocation))
    }

    /// Why there is no answer, if `climbed` is as close as it gets.
    fn infeasible(&self, climbed: &[Candidate]) -> Infeasible {
        let problem = self.problem;
        let closest = climbed.iter().reduce(|best, next| if next.beats(best) { next } else { best });
        let lacks = closest.and_then(|closest| {
            let Candidate { allocation, placements, .. } = closest;
            lacks_memory(&problem.machine, &problem.apps, placements, allocation.as_slice())
        });
        lacks.unwrap_or_else(|| Infeasible::Together(problem.restrictions.describe(&problem.apps)))
    }

    /// The applications that get nothing even with the whole machine; all of them if each alone would.
    fn without_progress(&self) -> Vec<String> {
        let names = |filter: &dyn Fn(f64) -> bool| -> Vec<String> {
            let alone = self.problem.goal.alone();
            let stuck = self.problem.apps.iter().zip(alone).filter(|(_, alone)| filter(**alone));
            stuck.map(|(app, _)| app.name.clone()).collect()
        };
        let stuck = names(&|alone| alone <= 0.0);
        if stuck.is_empty() { names(&|_| true) } else { stuck }
    }
}
