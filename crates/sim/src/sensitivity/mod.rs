//! Which resource to widen, and how far the inputs may be off: the answer of a search under changed values.
//!
//! # Two questions
//! 1. *Which resource is worth widening?* Each controller, link and bandwidth ceiling of a core gets 1 GB/s more, each node one core more,
//!    each peak 1 % more, one at a time, and the objective is computed again. This is a finite difference, not a derivative, because the
//!    model has kinks. First the threads stay where they are (a new core gets the thread that makes the most of it, or none), then a local
//!    search follows. p in `fair` and `geomean` stays relative to the unchanged machine: a wider resource must not look worse because an
//!    application alone would gain as well. Gains can be negative: a faster link lets remote readers take more from a controller's local
//!    threads.
//! 2. *How far may an input be off?* One input is multiplied by factors from 1/2 to 2. The range ends where a rival is ahead by more than a
//!    relative 1e-9 (a tie does not win). Here p is relative to the changed machine: it is the question that a person with the correct
//!    value would ask.
//!
//! # Limits of the analysis
//! Rivals are the given alternatives and baselines, and the results of local searches at changed inputs (`climb`). These start at the best,
//! at simple allocations, and at the leader there. Each end is searched once more just inside. Beyond a range a better allocation *is*
//! known. Within it none is known, which is no proof: the true range can be narrower. The analysis also misses rivals that win only between
//! two steps of the grid (2.2 %).
//!
//! The analysis does not depend on the number of threads: its budget is counted in evaluations and results are merged in order. Only a stop
//! by the monitor depends on time; unfinished resources and inputs are counted.

mod climb;
mod figure;
#[cfg(test)]
mod tests;
mod widening;

use crate::answer::Forbidden;
use crate::monitor::Monitor;
use crate::objective::margin;
use crate::open_data;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::budget::Pace;
use crate::search::over_models::{Share, Shared};
use climb::{OF_A_FLOW, cost, rated};
pub use figure::Figure;
pub use figure::{ERRORS, LARGEST_FACTOR, Range, SEARCHED, SMALLEST_FACTOR, Switch};
pub use widening::{Step, Widening};

/// The known facts about an answer under changed inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The gain of each resource, equal ones together, the largest first.
    pub widening: Vec<Widening>,
    /// Resources that were not finished before the stop.
    pub widening_left: usize,
    /// The range of each input, in the order applications, controllers, cores, links.
    pub ranges: Vec<Range>,
    /// Inputs that were not finished before the stop.
    pub ranges_left: usize,
    /// Number of allocations that the best one was compared with.
    pub rivals: usize,
    /// Set if the answer was not proven and a better allocation was met: the whole analysis is about that one.
    pub better: Option<Candidate>,
}

/// Analyses the answer `best` of `problem`. `others` are known allocations; those that the question does not allow are left out. With a
/// time limit `watch` stops it, and unfinished items are counted.
///
/// # Errors
/// [`Forbidden`] if an allocation that wins somewhere breaks a rule of the question: a fault of the program.
pub fn analyse(
    problem: &Problem,
    best: &Candidate,
    others: &[Candidate],
    watch: &dyn Shared,
) -> Result<Sensitivity, Forbidden> {
    let found = analysed(problem, best, others, watch);
    let ends = found.ranges.iter().flat_map(|range| range.below.iter().chain(&range.above));
    for winner in found.better.iter().chain(ends.map(|end| &end.winner)) {
        problem.check_answer(&winner.allocation, &winner.placements)?;
    }
    Ok(found)
}

fn analysed(problem: &Problem, best: &Candidate, others: &[Candidate], watch: &dyn Shared) -> Sensitivity {
    // The gains get the rest of a time limit after the ranges, so that most questions have some results of both.
    let monitor = &Share::until(watch, PART_OF_RANGES);
    let mut subject = best.clone();
    let mut others = others.to_vec();
    let mut attempt = 0;
    let found = loop {
        attempt += 1;
        match figure::ranges(problem, &subject, &others, attempt > MOST_BETTER, monitor) {
            Ok(found) => break found,
            Err(met) => (subject, others) = (met.better, met.others),
        }
    };
    let (widening, widening_left) = widening::widening(problem, &subject, watch);
    Sensitivity {
        widening,
        widening_left,
        ranges: found.ranges,
        ranges_left: found.left,
        rivals: found.rivals,
        better: (attempt > 1).then_some(subject),
    }
}

/// The part of a time limit after which ranges are left out.
const PART_OF_RANGES: f64 = 0.6;
/// Maximum number of times that a better answer replaces an unproven one.
const MOST_BETTER: usize = 4;
/// Work of all local searches of one kind together, in flows: about a second on one core.
const EFFORT: u64 = 200_000_000;
/// Minimum and maximum number of evaluations of a local search.
const EVALUATIONS: (u64, u64) = (500, 30_000);

/// Minimum and maximum number of rivals that are compared at each changed input.
const RIVALS: (usize, usize) = (32, 256);

/// Evaluations of each of `searches`.
fn share_of_effort(problem: &Problem, searches: usize) -> u64 {
    let each = EFFORT / (searches as u64).max(1) / climb::cost(problem).max(1);
    each.clamp(EVALUATIONS.0, EVALUATIONS.1)
}

/// Number of rivals that are compared on a grid of `points` in all.
fn share_of_rivals(problem: &Problem, points: usize) -> usize {
    let each = EFFORT / (points as u64).max(1) / climb::cost(problem).max(1);
    usize::try_from(each).unwrap_or(RIVALS.1).clamp(RIVALS.0, RIVALS.1)
}

// The allocations that the best one is compared with under changed inputs.

/// Different allocations that satisfy the constraints, without the best one itself.
#[derive(Clone)]
pub(super) struct Rivals {
    best: Candidate,
    /// Allocations with equal homes are adjacent: they share a solver.
    known: Vec<Candidate>,
    original: Problem,
}

impl Rivals {
    pub(super) fn new(problem: &Problem, best: &Candidate) -> Self {
        Self { best: best.clone(), known: Vec::new(), original: problem.clone() }
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn into_candidates(self) -> Vec<Candidate> {
        self.known
    }

    /// Adds an allocation, unless it is already known, forbidden, or has other data than the applications.
    pub(super) fn add(&mut self, candidate: Candidate) {
        let same = |other: &Candidate| {
            other.allocation == candidate.allocation && other.placements == candidate.placements
        };
        let problem = &self.original;
        if same(&self.best)
            || self.known.iter().any(same)
            || !problem.allows(&candidate.allocation, &candidate.placements)
            || !keeps_data(problem, &candidate)
        {
            return;
        }
        let before =
            |other: &Candidate| open_data::order_of_all(&other.placements, &candidate.placements).is_le();
        let position = self.known.partition_point(before);
        self.known.insert(position, candidate);
    }

    /// Keeps only the `most` that are closest at the unchanged inputs.
    ///
    /// Keeps all if the monitor asks to stop.
    pub(super) fn keep_closest(&mut self, most: usize, monitor: &dyn Monitor) {
        if self.known.len() <= most {
            return;
        }
        let mut scored: Vec<(f64, usize)> = Vec::with_capacity(self.known.len());
        for (i, other) in self.known.iter().enumerate() {
            if monitor.stop() {
                return;
            }
            scored.push((rated(&self.original, other).score, i));
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut kept: Vec<usize> = scored.into_iter().take(most).map(|(_, i)| i).collect();
        kept.sort_unstable();
        self.known = kept.into_iter().map(|i| self.known[i].clone()).collect();
    }

    /// The best one as rated in `problem`, and the rival that is ahead of it there by more than rounding, if any. Of several equal ones the
    /// first counts. If the monitor asks to stop, only some rivals are compared.
    pub(super) fn lead(&self, problem: &Problem, monitor: &dyn Monitor) -> (Candidate, Option<Candidate>) {
        let kept = rated(problem, &self.best);
        let mut leader: Option<(usize, f64, f64)> = None;
        let mut evaluator: Option<Evaluator<'_>> = None;
        let (mut pace, cost) = (Pace::new(monitor), cost(problem).saturating_mul(OF_A_FLOW));
        for (i, rival) in self.known.iter().enumerate() {
            if pace.stops_after(cost) {
                break;
            }
            let with_these_homes = match &mut evaluator {
                Some(known) if known.placements == rival.placements => known,
                other => other.insert(Evaluator::new(problem, rival.placements.clone())),
            };
            let (score, tie_break) = with_these_homes.rate_of(&rival.allocation);
            let ahead_of = leader.map_or(kept.score, |(_, score, _)| score);
            if score > ahead_of + margin(ahead_of) {
                leader = Some((i, score, tie_break));
            }
        }
        let leader =
            leader.map(|(i, score, tie_break)| Candidate { score, tie_break, ..self.known[i].clone() });
        (kept, leader)
    }
}

/// Whether the placements of `candidate` are those of the applications, with open data decided.
fn keeps_data(problem: &Problem, candidate: &Candidate) -> bool {
    problem.apps.iter().zip(&candidate.placements).all(|(app, placement)| app.data.may_become(placement))
}
