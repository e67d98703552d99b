//! Where GFLOPS of a better answer lie.

use crate::objective::{Goal, Objective};

/// The GFLOPS of each application in any answer above a score.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Windows {
    /// The least, GFLOPS.
    pub(super) least: Vec<f64>,
    /// How much more it can be, as a part of the least; infinite where prices say nothing.
    pub(super) width: Vec<f64>,
}

impl Windows {
    /// Of answers that score more than `target`, at prices `y` of GFLOPS per unit whose bound is `gap` above it, and by `beyond` of each
    /// application more for upper ends; see the module text.
    pub(super) fn new(goal: &Goal, y: &[f64], target: f64, gap: f64, beyond: &[f64]) -> Self {
        let unit = goal.unit_gflops().iter();
        if goal.objective() != Objective::Geomean {
            let width = |(y, beyond): (&f64, &f64)| {
                if *y > 1e-9 { (gap + beyond) / (y * target) } else { f64::INFINITY }
            };
            return Self {
                least: unit.map(|unit| unit * target).collect(),
                width: y.iter().zip(beyond).map(width).collect(),
            };
        }
        let ends = goal.weights().iter().zip(beyond).map(|(weight, beyond)| {
            let (low, _) = around_one(gap / weight);
            let farther = |beyond: f64| around_one((gap + beyond) / weight).1;
            (low, if beyond.is_finite() { farther(*beyond) } else { f64::INFINITY })
        });
        let ends: Vec<(f64, f64)> = ends.collect();
        let least = unit.zip(goal.weights()).zip(y).zip(&ends);
        Self {
            least: least.map(|(((unit, weight), y), (low, _))| unit * weight / y * low).collect(),
            width: ends.iter().map(|(low, high)| high / low - 1.0).collect(),
        }
    }
}

/// The interval around 1 outside of which u - 1 - ln u is more than `loss`, by halving; it errs on the outer side.
fn around_one(loss: f64) -> (f64, f64) {
    let is_outside = |u: f64| u - 1.0 - libm::log(u) > loss;
    // ln u < -1 - loss is outside below, u > 2 (2 + loss) above: there ln u < u / 2.
    let (mut low, mut high) = (libm::exp(-1.0 - loss), 2.0 * (2.0 + loss));
    let (mut inside_low, mut inside_high) = (1.0, 1.0);
    for _ in 0..60 {
        let (below, above) = (f64::midpoint(low, inside_low), f64::midpoint(inside_high, high));
        *if is_outside(below) { &mut low } else { &mut inside_low } = below;
        *if is_outside(above) { &mut high } else { &mut inside_high } = above;
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_at_the_ends_is_the_one_that_is_allowed() {
        // 2 - 1 - ln 2 = 0.3069 on the upper side, 0.5 - 1 - ln 0.5 = 0.1931 on the lower one.
        let (_, high) = around_one(1.0 - 2.0_f64.ln());
        assert!((high - 2.0).abs() < 1e-9, "{high}");
        let (low, _) = around_one(2.0_f64.ln() - 0.5);
        assert!((low - 0.5).abs() < 1e-9, "{low}");
        for loss in [1e-12, 1e-6, 1e-3, 1.0, 50.0] {
            let (low, high) = around_one(loss);
            assert!(low < 1.0 && high > 1.0, "{loss}: {low} to {high}");
            assert!(low - 1.0 - low.ln() >= loss * (1.0 - 1e-3) - 1e-15, "{loss}: {low}");
            assert!(high - 1.0 - high.ln() >= loss * (1.0 - 1e-3) - 1e-15, "{loss}: {high}");
        }
    }
}
