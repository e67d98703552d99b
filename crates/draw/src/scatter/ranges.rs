//! The axes of predicted over measured: as wide as the data, linear or logarithmic.

use std::ops::Range;

use super::points::Shown;
use crate::axis::Coordinate;

/// From this ratio of the largest to the smallest value on, axes are logarithmic.
const WIDE: f64 = 12.0;
/// Empty space at both ends, as a share of the data's range.
const AROUND: f64 = 0.06;
/// Ranges that have this share of their union in common are drawn alike, so that equality is the diagonal.
const ALIKE: f64 = 0.75;

/// Both axes, and where a value stands on them.
pub(super) struct Axes {
    pub(super) x: Coordinate,
    pub(super) y: Coordinate,
    pub(super) is_logarithmic: bool,
    pub(super) position: fn(f64) -> f64,
}

impl Axes {
    /// Around the points.
    pub(super) fn of(points: &[Shown<'_>]) -> Self {
        let measured = ends(points.iter().map(|one| one.point.measured));
        let of_interval = points.iter().filter_map(|one| one.point.interval).flatten();
        let predicted = ends(points.iter().map(|one| one.point.predicted).chain(of_interval));
        let (Some(x), Some(y)) = (measured, predicted) else {
            let empty = Coordinate::exactly(0.0..1.0);
            return Self { x: empty.clone(), y: empty, is_logarithmic: false, position: |value| value };
        };
        let (lowest, highest) = (x.start.min(y.start), x.end.max(y.end));
        if lowest > 0.0 && highest > WIDE * lowest {
            let around = |range: Range<f64>| {
                let range = padded(&(range.start.log10()..range.end.log10()), 0.1);
                Coordinate::logarithmic(10_f64.powf(range.start), 10_f64.powf(range.end))
            };
            let [x, y] = alike(x, y, f64::log10).map(around);
            return Self { x, y, is_logarithmic: true, position: f64::log10 };
        }
        let around = |range: Range<f64>| {
            // At least as wide as the band.
            let padded = padded(&range, 0.06 * range.end.abs().max(1e-12));
            let start = if range.start >= 0.0 { padded.start.max(0.0) } else { padded.start };
            Coordinate::exactly(start..padded.end)
        };
        let [x, y] = alike(x, y, |value| value).map(around);
        Self { x, y, is_logarithmic: false, position: |value| value }
    }
}

/// The smallest and the largest.
fn ends(values: impl Iterator<Item = f64>) -> Option<Range<f64>> {
    values.fold(None, |found: Option<Range<f64>>, value| {
        let found = found.unwrap_or(value..value);
        Some(found.start.min(value)..found.end.max(value))
    })
}

/// With a share of it at both ends, and at least `least`.
fn padded(range: &Range<f64>, least: f64) -> Range<f64> {
    let more = (AROUND * (range.end - range.start)).max(least);
    range.start - more..range.end + more
}

/// The union twice where both are nearly the same, by positions.
fn alike(x: Range<f64>, y: Range<f64>, position: fn(f64) -> f64) -> [Range<f64>; 2] {
    let union = x.start.min(y.start)..x.end.max(y.end);
    let length = |from: f64, to: f64| position(to) - position(from);
    let common = length(x.start.max(y.start), x.end.min(y.end));
    if common >= ALIKE * length(union.start, union.end) { [union.clone(), union] } else { [x, y] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_equal_ranges_are_drawn_alike_and_others_each_as_wide_as_its_values() {
        // 8 of 10 in common
        assert_eq!(alike(0.0..9.0, 1.0..10.0, |value| value), [0.0..10.0, 0.0..10.0]);
        assert_eq!(alike(2.0..9.0, 0.0..11.0, |value| value), [2.0..9.0, 0.0..11.0]);
    }
}
