//! The interval of 95 % of some values.

/// From the 2.5 % to the 97.5 % quantile, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Of these values: the quantile p lies at place n p + 1/2 of the n ascending ones, between two of them in proportion
    /// (Hazen; of 400 values the lower end lies between the tenth and the eleventh). `None` without values, or where one is
    /// no number.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self { low: at(&sorted, 0.025)?, high: at(&sorted, 0.975)? })
    }

    /// The larger distance from `figure` to an end.
    pub fn reach(self, figure: f64) -> f64 {
        (figure - self.low).max(self.high - figure).max(0.0)
    }

    /// Whether it holds `value`, but for `tolerance`.
    pub(super) fn holds(self, value: f64, tolerance: f64) -> bool {
        self.low - tolerance <= value && value <= self.high + tolerance
    }
}

fn at(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = (sorted.len() as f64 * p - 0.5).clamp(0.0, last as f64);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the number of values")]
    let lower = place.floor() as usize;
    let (low, high) = (*sorted.get(lower)?, *sorted.get(lower + 1).or(sorted.last())?);
    let part = place - lower as f64;
    // Between equal infinities there is no difference to take a part of.
    Some(if low == high || part == 0.0 { low } else { low + (high - low) * part })
}

#[cfg(test)]
mod tests {
    use super::Interval;

    #[test]
    fn ends_lie_between_the_tenth_and_eleventh_of_400() {
        let values: Vec<f64> = (1..=400).map(f64::from).collect();
        assert_eq!(Interval::of(&values), Some(Interval { low: 10.5, high: 390.5 }));
        assert_eq!(Interval::of(&[3.0]), Some(Interval { low: 3.0, high: 3.0 }));
        assert_eq!(Interval::of(&[f64::INFINITY; 4]).map(|interval| interval.low), Some(f64::INFINITY));
        assert_eq!((Interval::of(&[]), Interval::of(&[f64::NAN])), (None, None));
    }

    #[test]
    fn the_reach_is_that_of_the_farther_end() {
        assert_eq!(Interval { low: 8.0, high: 10.5 }.reach(10.0), 2.0);
        assert_eq!(Interval { low: 10.0, high: 10.0 }.reach(10.0), 0.0);
    }
}
