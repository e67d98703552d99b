//! Better prices by subgradient steps.

use super::prices::{Improved, Prices};
use super::ranges::Ranges;
use super::relaxation::Relaxation;
use crate::objective::Objective;

/// A squared slope that is rounding: a step along it would be so long that prices of 1e18 and more cancel in the bound, and what is left of it is no
/// bound any more. Slopes are parts of the cores, of what an application can have or of a bandwidth.
const NO_SLOPE: f64 = 1e-12;

impl Relaxation<'_> {
    /// Lowers the bound on `ranges` by at most `steps` subgradient steps towards `target`, the best known score; ends
    /// early when it is reached.
    pub(in crate::search) fn descend(
        &self,
        start: Prices,
        ranges: &Ranges,
        target: f64,
        steps: usize,
    ) -> Improved {
        let mut prices = start;
        let mut best = Improved {
            bound: f64::INFINITY,
            prices: prices.clone(),
            threads: Vec::new(),
            cuts: Vec::new(),
            work: 0,
        };
        let (mut step_factor, mut since_improved) = (1.0, 0);
        for _ in 0..steps {
            best.work += self.pricing();
            let (bound, mut slope, threads_of) = self.bound(&prices, ranges);
            if best.threads.is_empty() {
                best.threads.clone_from(&threads_of);
            }
            for (mean, threads) in best.threads.iter_mut().zip(&threads_of) {
                *mean = 0.9 * *mean + 0.1 * threads;
            }
            if bound < best.bound {
                let clearly = best.bound - bound > 1e-3 * (best.bound - target).abs();
                since_improved = if clearly { 0 } else { since_improved };
                best.bound = bound;
                best.prices = prices.clone();
            }
            if best.bound <= target || self.monitor.stop() {
                break;
            }
            since_improved += 1;
            if since_improved > 10 {
                step_factor *= 0.6;
                since_improved = 0;
                prices = best.prices.clone();
                continue;
            }
            for (slope, watched) in slope.mu.iter_mut().zip(&self.watched) {
                *slope = if watched.most.is_finite() { *slope } else { 0.0 };
            }
            for (k, (pays, charges)) in slope.pays.iter_mut().zip(&mut slope.charges).enumerate() {
                let (pay, charge) = ranges.prices_with_meaning(k);
                // What a price of 0 that would fall does for the bound is nothing.
                *pays = if pay && (prices.pays[k] > 0.0 || *pays < 0.0) { *pays } else { 0.0 };
                *charges = if charge && (prices.charges[k] > 0.0 || *charges < 0.0) { *charges } else { 0.0 };
            }
            let goal =
                if target.is_finite() { target } else { best.bound - 0.05 * best.bound.abs().max(1e-12) };
            let parts = slope.y.iter().chain(&slope.lambda).chain(&slope.pays).chain(&slope.charges);
            let parts = parts.chain(&slope.mu);
            let norm: f64 = parts.map(|s| s * s).sum();
            let excess = bound - goal;
            if norm <= NO_SLOPE || step_factor < 1e-6 || !bound.is_finite() {
                break;
            }
            self.step(&mut prices, &slope, step_factor * excess / norm);
        }
        best
    }

    fn step(&self, prices: &mut Prices, slope: &Prices, length: f64) {
        for (lambda, s) in prices.lambda.iter_mut().zip(&slope.lambda) {
            *lambda = (*lambda - length * s).max(0.0);
        }
        for (mu, s) in prices.mu.iter_mut().zip(&slope.mu) {
            *mu = (*mu - length * s).max(0.0);
        }
        for (prices, slope) in [(&mut prices.pays, &slope.pays), (&mut prices.charges, &slope.charges)] {
            for (price, s) in prices.iter_mut().zip(slope) {
                *price = (*price - length * s).max(0.0);
            }
        }
        match self.problem.goal.objective() {
            Objective::TotalGflops => {}
            Objective::Geomean => {
                for (y, s) in prices.y.iter_mut().zip(&slope.y) {
                    // Never to zero, where the conjugate is infinite.
                    *y = (*y - length * s).max(0.25 * *y);
                }
            }
            Objective::Fair | Objective::Makespan => {
                prices.y.iter_mut().zip(&slope.y).for_each(|(y, s)| *y -= length * s);
                project_on_simplex(&mut prices.y);
            }
        }
    }
}

/// The nearest point with non-negative entries that sum to 1 (Held, Wolfe and Crowder 1974).
fn project_on_simplex(y: &mut [f64]) {
    let mut sorted = y.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (i, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (i + 1) as f64;
        if value - candidate > 0.0 {
            shift = candidate;
        }
    }
    for value in y {
        *value = (*value - shift).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::project_on_simplex;

    #[test]
    fn projection_keeps_points_of_the_simplex() {
        let mut y = [0.2, 0.3, 0.5];
        project_on_simplex(&mut y);
        assert!((y[0] - 0.2).abs() < 1e-15 && (y[2] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn projection_cuts_off_negative_weights() {
        // (1.5, 0, -1): keeping only the first gives (1, 0, 0)
        let mut y = [1.5, 0.0, -1.0];
        project_on_simplex(&mut y);
        assert_eq!(y, [1.0, 0.0, 0.0]);
    }
}
