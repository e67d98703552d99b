//! Moves from one answer to a better one, again and again, without cycles.
//!
//! Scores that differ by little ([`crate::objective::SCORE_TOLERANCE`]) are equal, and this relation is not transitive. Three answers can
//! each be as good as the one before and win by the tie-break, until the first is better than the last by score. So an answer that wins by
//! the tie-break must also be as good as the best score so far.

use crate::objective::{SCORE_TOLERANCE, margin};
use crate::problem::Candidate;

/// The current answer of an ascent.
pub(crate) struct Ascent {
    best: Candidate,
    /// GiB of data that do not fit, the least so far; among answers with no more than that, the highest score.
    excess: f64,
    score: f64,
}

impl Ascent {
    pub(crate) const fn new(start: Candidate) -> Self {
        let (excess, score) = (start.excess, start.score);
        Self { best: start, excess, score }
    }

    pub(crate) const fn best(&self) -> &Candidate {
        &self.best
    }

    pub(crate) fn into_best(self) -> Candidate {
        self.best
    }

    /// Whether an answer with these values is better than this one, and as good as any before.
    pub(crate) fn is_beaten_by(&self, excess: f64, score: f64, tie_break: f64) -> bool {
        let tolerance = SCORE_TOLERANCE * self.excess;
        let as_good = excess < self.excess - tolerance
            || (excess <= self.excess + tolerance && score >= self.score - margin(self.score));
        as_good && self.best.is_beaten_by(excess, score, tie_break)
    }

    /// Moves to an answer that beats this one.
    pub(crate) fn go_to(&mut self, better: Candidate) {
        let fits_better = better.excess < self.excess - SCORE_TOLERANCE * self.excess;
        self.score = if fits_better { better.score } else { self.score.max(better.score) };
        self.excess = self.excess.min(better.excess);
        self.best = better;
    }

    /// Moves to `next` if it is better; returns whether it was.
    pub(crate) fn tries(&mut self, next: Candidate) -> bool {
        let better = self.is_beaten_by(next.excess, next.score, next.tie_break);
        if better {
            self.go_to(next);
        }
        better
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::Allocation;

    use super::*;

    fn answer((score, tie_break): (f64, f64)) -> Candidate {
        let allocation = Allocation::empty(1, 1);
        Candidate { allocation, placements: Vec::new(), smt: Vec::new(), score, tie_break, excess: 0.0 }
    }

    #[test]
    fn equal_answers_do_not_cycle() {
        // Each is worse than the one before by less than 1e-9 of it, and wins by the tie-break; the first is better than the last by 1.5e-9.
        let circle = [(1.0, 1.0), (1.0 - 0.75e-9, 2.0), (1.0 - 1.5e-9, 3.0)].map(answer);
        assert!(circle[1].beats(&circle[0]) && circle[2].beats(&circle[1]) && circle[0].beats(&circle[2]));
        let mut ascent = Ascent::new(circle[0].clone());
        assert!(ascent.tries(circle[1].clone()));
        assert!(!ascent.tries(circle[2].clone()), "as good as the second, but not as the first");
        assert!(!ascent.tries(circle[0].clone()));
        assert_eq!(ascent.best(), &circle[1]);
        // An answer that is better than all others is taken, whatever its tie-break.
        assert!(ascent.tries(answer((1.1, 0.0))));
    }

    #[test]
    fn less_excess_data_beats_any_score() {
        let with = |excess, score| Candidate { excess, ..answer((score, 0.0)) };
        let mut ascent = Ascent::new(with(2.0, 9.0));
        assert!(ascent.tries(with(1.0, 1.0)));
        assert!(!ascent.tries(with(1.5, 20.0)));
        assert!(ascent.tries(with(1.0, 2.0)));
    }
}
