//! Sums of what some places give and take, and whether others can complete them.

use crate::search::dual::Watched;
use crate::search::options::OptionTable;

/// Relative error that sums in single precision may have, with room to spare.
pub(super) const SINGLE: f64 = 1e-6;

/// Ranges of what places that are still open can add.
pub(super) struct Rest {
    pub(super) p: Vec<(f64, f64)>,
    pub(super) reads: Vec<(f64, f64)>,
}

impl Rest {
    /// The same with what is already known beside it.
    pub(super) fn plus(mut self, known: &Sums) -> Self {
        let shift = |ranges: &mut [(f64, f64)], by: &[f64]| {
            for (range, by) in ranges.iter_mut().zip(by) {
                *range = (range.0 + by, range.1 + by);
            }
        };
        shift(&mut self.p, &known.p);
        shift(&mut self.reads, &known.reads);
        self
    }

    /// Whether sums so far can still end in their windows.
    pub(super) fn completes(&self, p: &[f64], windows: &[f64], reads: &[f64], watched: &[Watched]) -> bool {
        let in_window = |((sum, rest), window): ((&f64, &(f64, f64)), &f64)| {
            sum + rest.1 >= 1.0 - SINGLE && sum + rest.0 <= 1.0 + window + SINGLE
        };
        let in_range = |((sum, rest), watched): ((&f64, &(f64, f64)), &Watched)| {
            let tolerance = 1e-9 * watched.bandwidth;
            sum + rest.1 >= watched.least - tolerance && sum + rest.0 <= watched.most + tolerance
        };
        p.iter().zip(&self.p).zip(windows).all(in_window)
            && reads.iter().zip(&self.reads).zip(watched).all(in_range)
    }
}

/// What some places give and take together.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) p: Vec<f64>,
    pub(super) reads: Vec<f64>,
}

impl Sums {
    pub(super) fn zero(apps: usize, watched: usize) -> Self {
        Self { p: vec![0.0; apps], reads: vec![0.0; watched] }
    }

    /// `before` plus one option.
    pub(super) fn set(&mut self, before: &Self, table: &OptionTable, option: usize, unit: &[f64]) {
        let potential = table.potential(option);
        for a in 0..unit.len() {
            self.p[a] = before.p[a] + potential[a] / unit[a];
        }
        for (w, reads) in table.reads(option).iter().enumerate() {
            self.reads[w] = before.reads[w] + reads;
        }
    }
}
