//! Means and their uncertainty.

/// Student's t with n - 1 degrees of freedom, two-sided 95 %, for n = 2 to 10 repetitions.
const STUDENT_95: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
/// The same for any larger n.
const NORMAL_95: f64 = 1.96;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// `1.140 [1.131, 1.149]`
    pub(crate) fn shown(self) -> String {
        format!("{:.3} [{:.3}, {:.3}]", self.mean, self.low, self.high)
    }
}

/// The geometric mean of repetitions of a ratio; the interval is that of the mean of their logarithms.
pub(crate) fn of_ratios(ratios: &[f64]) -> Estimate {
    let count = ratios.len() as f64;
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count;
    let squares: f64 = ratios.iter().map(|ratio| (ratio.ln() - mean).powi(2)).sum();
    let half = match ratios.len() {
        0 | 1 => 0.0,
        n => {
            let t = STUDENT_95.get(n - 2).copied().unwrap_or(NORMAL_95);
            t * (squares / (count - 1.0)).sqrt() / count.sqrt()
        }
    };
    Estimate { mean: mean.exp(), low: (mean - half).exp(), high: (mean + half).exp() }
}

/// The first point with the smallest error; errors that differ by at most `equal` count as the same.
pub(crate) fn best<T>(points: &[T], error: impl Fn(&T) -> f64, equal: f64) -> Option<&T> {
    let least = points.iter().map(&error).fold(f64::INFINITY, f64::min);
    points.iter().find(|point| error(point) < least + equal)
}

/// The geometric mean.
pub(crate) fn geometric(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        count += 1.0;
    }
    f64::exp(sum / count)
}
