//! A better bound: subgradient steps first, then cutting planes.

use super::dual::{Effort, Few, Improved, Ranges, Relaxation};

/// How often options are added to those with which prices are looked for.
const ROUNDS: usize = 8;
/// Relative difference at which the bounds of few and of all options agree.
const AGREEMENT: f64 = 1e-10;

impl<'a> Relaxation<'a> {
    /// Lowers the bound on `ranges` towards `target`, the best known score: by subgradient steps, then to the minimum
    /// by cutting planes. Ends early when `target` is reached.
    ///
    /// `start` brings prices and cuts from a larger box.
    ///
    /// Where options are many, prices are looked for with those that earn most, until all of them say the same of these prices.
    pub(super) fn improve(&self, start: &Improved, ranges: &Ranges, target: f64, effort: Effort) -> Improved {
        match self.foremost(start, ranges) {
            Some(few) if effort.steps + effort.cuts > 0 => {
                self.improve_on(few, start, ranges, target, effort)
            }
            _ => self.improve_on_all(start, ranges, target, effort),
        }
    }

    fn improve_on(
        &self,
        mut few: Few<'a>,
        start: &Improved,
        ranges: &Ranges,
        target: f64,
        effort: Effort,
    ) -> Improved {
        let mut best = Improved { bound: f64::INFINITY, work: 0, ..start.clone() };
        let mut from = start.clone();
        for round in 0..ROUNDS {
            let effort = if round > 0 && effort.cuts > 0 { Effort { steps: 0, ..effort } } else { effort };
            let found = few.relaxation().improve_on_all(&few.here(&from), ranges, target, effort);
            let (bound, ..) = self.bound(&found.prices, ranges);
            let work = best.work + found.work + 2 * self.pricing();
            let agree = bound - found.bound <= AGREEMENT * bound.abs();
            from = few.there(&found);
            best = if bound < best.bound {
                Improved { bound, work, ..from.clone() }
            } else {
                Improved { work, ..best }
            };
            if agree || best.bound <= target || self.monitor.stop() {
                break;
            }
            few = self.with_foremost(few, &found.prices, ranges);
        }
        best
    }

    fn improve_on_all(&self, start: &Improved, ranges: &Ranges, target: f64, effort: Effort) -> Improved {
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

    #[test]
    fn prices_that_few_options_gave_bound_all_of_them() {
        // From one option of a node on, more are added until all agree: the same minimum, 10/20 of `cpu` (above).
        let problem = question(1, Objective::Fair);
        let relaxation = relaxation(&problem);
        let (start, everything) = (relaxation.start(), relaxation.everything());
        let few = Few::new(&relaxation, vec![vec![0]]);
        let effort = Effort { steps: 50, cuts: 50 };
        let found = relaxation.improve_on(few, &start, &everything, 0.0, effort);
        assert!((found.bound - 0.5).abs() < 1e-9, "{}", found.bound);
        let again = relaxation.bound(&found.prices, &everything).0;
        assert!((again - found.bound).abs() < 1e-12, "the bound is that of its prices");
    }
}
