//! What part of the best of its model an allocation reaches.

use crate::objective::Objective;
use crate::problem::Problem;

/// Turns the scores of one model into *merits*, which compare models: the part of the best there, or for geomean its
/// logarithm. Either is concave in the GFLOPS, as the score is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// The best score that was found.
    pub(super) best: f64,
    /// Whether scores are logarithms.
    pub(super) logarithmic: bool,
}

impl Scale {
    /// `None` where no allocation is better than another: the best score is 0, or that of a geomean with a 0 in it.
    pub(super) fn new(problem: &Problem, best: f64) -> Option<Self> {
        let logarithmic = problem.goal.objective() == Objective::Geomean;
        let scaled = best.is_finite() && (logarithmic || best > 0.0);
        scaled.then_some(Self { best, logarithmic })
    }

    /// The merit of a score; that of the best is 1, or 0 where it is a logarithm.
    #[inline]
    pub(super) fn merit(self, score: f64) -> f64 {
        if self.logarithmic { score - self.best } else { score / self.best }
    }

    /// What an allocation with this merit loses, as a part of the best.
    pub(super) fn regret(self, merit: f64) -> f64 {
        if self.logarithmic { -libm::expm1(merit) } else { 1.0 - merit }
    }

    /// What GFLOPS of an application are divided by, where `unit` is what the goal divides by.
    pub(super) fn unit(self, unit: f64) -> f64 {
        if self.logarithmic { unit } else { unit * self.best }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::question;

    #[test]
    fn a_regret_is_what_is_missing_of_the_best() {
        // 90 of 100 GFLOPS; and a mean of 0.45 of 0.5.
        let total = Scale::new(&question(1, Objective::TotalGflops), 100.0).expect("a scale");
        assert!((total.regret(total.merit(90.0)) - 0.1).abs() < 1e-12);
        let mean = Scale::new(&question(1, Objective::Geomean), 0.5_f64.ln()).expect("a scale");
        assert!((mean.regret(mean.merit(0.45_f64.ln())) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn where_nothing_is_better_there_is_no_scale() {
        assert_eq!(Scale::new(&question(1, Objective::Fair), 0.0), None);
        assert_eq!(Scale::new(&question(1, Objective::Geomean), f64::NEG_INFINITY), None);
    }
}
