//! A better bound: subgradient steps first, then cutting planes.

use super::dual::{Effort, Improved, Ranges, Relaxation};

impl Relaxation<'_> {
    /// Lowers the bound on `ranges` towards `target`, the best known score: by subgradient steps, then to the minimum
    /// by cutting planes. Ends early when `target` is reached.
    ///
    /// `start` brings prices and cuts from a larger box.
    pub(super) fn improve(&self, start: &Improved, ranges: &Ranges, target: f64, effort: Effort) -> Improved {
        let mut descended = self.descend(start.prices.clone(), ranges, target, effort.steps);
        descended.cuts.clone_from(&start.cuts);
        if descended.bound <= target || effort.cuts == 0 || self.monitor.stop() {
            return descended;
        }
        self.cut_down(descended, ranges, target, effort.cuts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::search::testing::{question, relaxation};

    #[test]
    fn the_bound_of_the_fair_question_falls_to_the_best_answer() {
        // Alone `mem` has 16 GFLOPS and `cpu` 20 on a node. With equal prices (y = 1/2 each) the best option is (1, 1),
        // which earns 1/2 (10/16 + 10/20) = 0.5625. Each needs a thread, which only (1, 1) gives both: 10/20 at best.
        let problem = question(1, Objective::Fair);
        let relaxation = relaxation(&problem);
        let start = relaxation.start();
        let everything = relaxation.everything();
        let first = relaxation.improve(&start, &everything, 0.0, Effort { steps: 1, cuts: 0 });
        assert!((first.bound - 0.5625).abs() < 1e-9, "{}", first.bound);
        let better = relaxation.improve(&start, &everything, 0.0, Effort { steps: 50, cuts: 50 });
        assert!((better.bound - 0.5).abs() < 1e-9, "{}", better.bound);
    }
}
