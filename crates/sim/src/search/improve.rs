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
