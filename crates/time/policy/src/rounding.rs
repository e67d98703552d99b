//! Figures that differ by their last bits alone are equal, so that the same question in other units has the same answer.

/// Below this relative difference two figures are equal.
pub(crate) const TOLERANCE: f64 = 1e-9;

/// Whether `one` is less than `other`, and not by rounding alone. An infinite figure is equal to itself and beyond all others.
pub(crate) fn is_less(one: f64, other: f64) -> bool {
    one < other
        && (one.is_infinite() || other.is_infinite() || other - one > TOLERANCE * one.abs().max(other.abs()))
}

/// The first of `times` that is no later than the earliest but for rounding: its place and its time. Times count from `now`, where
/// both are known no better than in `now` and the time together.
pub(crate) fn first_of(now: f64, times: impl Iterator<Item = Option<f64>> + Clone) -> Option<(usize, f64)> {
    let earliest = times.clone().flatten().min_by(f64::total_cmp)?;
    let latest = earliest + slack(now, earliest);
    let mut numbered = times.enumerate().filter_map(|(place, time)| Some((place, time?)));
    numbered.find(|(_, time)| *time <= latest)
}

/// How much later than `time`, counted from `now`, is the same time but for rounding.
pub(crate) fn slack(now: f64, time: f64) -> f64 {
    TOLERANCE * (now + time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_bits_make_no_difference() {
        assert!(is_less(1.0, 2.0) && !is_less(2.0, 1.0));
        assert!(!is_less(0.3, 0.1 + 0.2) && !is_less(0.1 + 0.2, 0.3));
        assert!(!is_less(1.0, 1.0 + 0.9e-9) && is_less(1.0, 1.0 + 1.1e-9));
        assert!(!is_less(0.0, 0.0) && is_less(0.0, 1e-300));
    }

    #[test]
    fn never_is_later_than_any_time_and_equal_to_itself() {
        let never = f64::INFINITY;
        assert!(is_less(1e300, never) && !is_less(never, 1e300) && !is_less(never, never));
        assert!(is_less(f64::NEG_INFINITY, -1e300));
    }

    #[test]
    fn of_equal_times_the_first_in_order_counts() {
        let of = |now, times: &[Option<f64>]| first_of(now, times.iter().copied()).map(|(place, _)| place);
        assert_eq!(of(0.0, &[None, Some(2.0), Some(1.0 + 1e-12), Some(1.0)]), Some(2));
        assert_eq!(of(0.0, &[Some(1.0 + 2e-9), Some(1.0)]), Some(1));
        // After 1000 s times are known to 1e-6 s.
        assert_eq!(of(1000.0, &[Some(1.0 + 2e-9), Some(1.0)]), Some(0));
        assert_eq!(of(0.0, &[None]), None);
    }
}
