//! A point in simulated time.

use std::cmp::Ordering;
use std::fmt;

/// Seconds since the beginning of a simulation; finite and not negative, or [`SimTime::NEVER`].
#[derive(Clone, Copy, Debug, Default)]
pub struct SimTime(f64);

impl SimTime {
    /// The beginning.
    pub const START: Self = Self(0.0);
    /// Later than every event.
    pub const NEVER: Self = Self(f64::INFINITY);

    /// `seconds` after the beginning; `None` if that is negative or NaN.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        // -0.0 becomes 0.0, so that equal times have equal bits.
        (seconds >= 0.0).then_some(Self(seconds + 0.0))
    }

    /// Seconds since the beginning; infinite for [`SimTime::NEVER`].
    pub const fn seconds(self) -> f64 {
        self.0
    }

    /// `delay_s` seconds later; unchanged if that is negative, and [`SimTime::NEVER`] if it is NaN.
    #[must_use]
    pub fn after(self, delay_s: f64) -> Self {
        if delay_s.is_nan() { Self::NEVER } else { Self(self.0 + delay_s.max(0.0)) }
    }

    /// The earliest of `times`, or [`SimTime::NEVER`] of an empty list. No time is NaN, so several are compared at
    /// once.
    pub fn earliest(times: &[Self]) -> Self {
        const LANES: usize = 8;
        let earlier = |a: f64, b: f64| if a < b { a } else { b };
        let (eights, rest) = times.as_chunks::<LANES>();
        let mut least = [f64::INFINITY; LANES];
        for eight in eights {
            for (least, time) in least.iter_mut().zip(eight) {
                *least = earlier(time.0, *least);
            }
        }
        let rest = rest.iter().map(|time| time.0);
        Self(least.into_iter().chain(rest).fold(f64::INFINITY, earlier))
    }

    /// The index of the first of `times` that is not after `latest`.
    pub fn first_until(times: &[Self], latest: Self) -> Option<usize> {
        const LANES: usize = 8;
        let (eights, rest) = times.as_chunks::<LANES>();
        let comes = |time: &Self| time.0 <= latest.0;
        // Compares eight at once.
        let any = |eight: &[Self; LANES]| eight.iter().fold(false, |any, time| any | comes(time));
        let skipped = eights.iter().position(any);
        let (first, times) = match skipped.and_then(|place| Some((place, eights.get(place)?))) {
            Some((place, eight)) => (LANES * place, eight.as_slice()),
            None => (LANES * eights.len(), rest),
        };
        times.iter().position(comes).map(|place| first + place)
    }

    /// Seconds from `earlier` to this; 0 if that is later, or if both are [`SimTime::NEVER`].
    pub fn since(self, earlier: Self) -> f64 {
        let seconds = self.0 - earlier.0;
        if seconds > 0.0 { seconds } else { 0.0 }
    }

    /// Whether this time is ever reached.
    pub fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

impl PartialEq for SimTime {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for SimTime {}

impl PartialOrd for SimTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SimTime {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)?;
        f.write_str(" s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_the_beginning_do_not_exist() {
        assert_eq!(SimTime::from_seconds(-1.0), None);
        assert_eq!(SimTime::from_seconds(f64::NAN), None);
        assert_eq!(SimTime::from_seconds(-0.0), Some(SimTime::START));
        assert_eq!(SimTime::START.after(-3.0), SimTime::START);
        assert_eq!(SimTime::START.after(f64::NAN), SimTime::NEVER);
    }

    #[test]
    fn the_earliest_is_found_at_any_position() {
        assert_eq!(SimTime::earliest(&[]), SimTime::NEVER);
        assert_eq!(SimTime::first_until(&[], SimTime::NEVER), None);
        for count in 1..20 {
            for first in 0..count {
                let time =
                    |place| SimTime::START.after(if place == first { 1.0 } else { 2.0 + place as f64 });
                let times: Vec<SimTime> = (0..count).map(time).collect();
                assert_eq!(SimTime::earliest(&times), SimTime::START.after(1.0), "{first} of {count}");
                for latest in [1.0, 1.5] {
                    let latest = SimTime::START.after(latest);
                    assert_eq!(SimTime::first_until(&times, latest), Some(first), "{first} of {count}");
                }
                assert_eq!(SimTime::first_until(&times, SimTime::START.after(0.9)), None);
            }
        }
    }

    #[test]
    fn never_is_after_everything() {
        let late = SimTime::START.after(1e300);
        assert!(late < SimTime::NEVER);
        assert_eq!(SimTime::NEVER.since(SimTime::NEVER), 0.0);
        assert_eq!(late.since(SimTime::NEVER), 0.0);
    }
}
