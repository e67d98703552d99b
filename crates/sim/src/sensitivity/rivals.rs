//! The allocations that the best one is compared with under changed inputs.

use numasim_model::Placement;

use super::climb::{OF_A_FLOW, cost, rated};
use crate::monitor::Monitor;
use crate::problem::{Candidate, Evaluator, Problem, margin};
use crate::search::pace::Pace;

/// Different allocations that keep to the restrictions, none of them the best one itself.
#[derive(Clone)]
pub(super) struct Rivals {
    best: Candidate,
    /// Those with equal homes beside each other: they share a solver.
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

    /// Adds an allocation, unless it is known, forbidden, or has other data than the applications.
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
        let position = self.known.partition_point(|other| homes(other) <= homes(&candidate));
        self.known.insert(position, candidate);
    }

    /// Forgets all but the `most` that are closest at the inputs as they are.
    ///
    /// Keeps all where the monitor wants an end.
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

    /// The best one as rated in `problem`, and the rival that is ahead of it there by more than rounding, if any. Of
    /// several equal ones the first counts. Where the monitor wants an end, only some rivals are looked at.
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
            let (score, tie_break) = with_these_homes.rate(rival.allocation.as_slice());
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

fn homes(candidate: &Candidate) -> Vec<Option<usize>> {
    candidate.placements.iter().map(|placement| Placement::home(placement).map(|home| home.0)).collect()
}

/// Whether the placements of `candidate` are those of the applications, with a home where it is open.
fn keeps_data(problem: &Problem, candidate: &Candidate) -> bool {
    problem.apps.iter().zip(&candidate.placements).all(|(app, placement)| app.data.may_become(placement))
}
