//! Scales: positions of values, and of ticks.

use std::ops::Range;

use crate::{figures, metrics};

/// The spacing of values along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Proportional to their size.
    Linear(Vec<f64>),
    /// Proportional to their logarithm; all are positive.
    Log(Vec<f64>),
    /// At equal distances, one after the other.
    Words(Vec<String>),
}

/// A titled axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The quantity, with its unit.
    pub label: String,
    /// Its values.
    pub scale: Scale,
}

/// Up to this number of values, each has a separate tick.
const MOST_OWN_TICKS: usize = 10;

/// A scale between two ends, with labelled ticks.
#[derive(Clone, Debug)]
pub(super) struct Coordinate {
    /// Of positions: values, or their decimal logarithms.
    range: Range<f64>,
    is_logarithmic: bool,
    /// Values and their labels.
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// The position of each value.
    pub(super) fn positions(&self) -> Vec<f64> {
        match &self.scale {
            Scale::Linear(values) => values.clone(),
            Scale::Log(values) => values.iter().map(|value| value.ln()).collect(),
            Scale::Words(words) => (0..words.len()).map(|i| i as f64).collect(),
        }
    }

    /// The axis over `range` of positions.
    pub(super) fn coordinate(&self, range: Range<f64>) -> Coordinate {
        let labels: Vec<String> = match &self.scale {
            Scale::Linear(values) if values.len() > MOST_OWN_TICKS || !evenly(values) => {
                return Coordinate { ticks: nice_ticks(&range, 7), ..Coordinate::bare(range) };
            }
            Scale::Linear(values) | Scale::Log(values) => labels(values),
            Scale::Words(words) => words.clone(),
        };
        let every = labels.len().div_ceil(MOST_OWN_TICKS + 2).max(1);
        let all = self.positions().into_iter().zip(labels);
        let ticks = all.enumerate().filter(|(i, _)| i % every == 0).map(|(_, tick)| tick).collect();
        Coordinate { ticks, ..Coordinate::bare(range) }
    }
}

/// Whether all values have about the same distance, so that their labels do not touch.
fn evenly(values: &[f64]) -> bool {
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let largest = steps.iter().fold(0.0, |most: f64, &step| most.max(step));
    steps.iter().all(|&step| step > 0.5 * largest)
}

/// `1/64` is clearer than `0.015625`: powers of two are fractions if one of them is that small.
fn labels(values: &[f64]) -> Vec<String> {
    let is_fraction = |&value: &f64| {
        let inverse = 1.0 / value;
        value > 0.0 && value < 1.0 && inverse.fract() == 0.0 && inverse.log2().fract() == 0.0
    };
    let fractions = values.iter().any(|value| is_fraction(value) && *value < 0.1);
    let label = |value: &f64| {
        if fractions && is_fraction(value) { format!("1/{}", 1.0 / value) } else { figures::short(*value) }
    };
    values.iter().map(label).collect()
}

/// The smallest and the largest of the values that are numbers.
pub(super) fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.map(|value| (value, value)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// The largest of lengths; 0 if there are none.
pub(super) fn largest(lengths: impl IntoIterator<Item = f64>) -> f64 {
    lengths.into_iter().filter(|length| length.is_finite()).fold(0.0, f64::max)
}

impl Coordinate {
    /// A scale without ticks.
    pub(super) fn bare(range: Range<f64>) -> Self {
        Self { range, is_logarithmic: false, ticks: Vec::new() }
    }

    /// A scale from 0 to `more` times the largest value.
    pub(super) fn from_zero(highest: f64, more: f64) -> Self {
        Self::exactly(0.0..if highest > 0.0 { more * highest } else { 1.0 })
    }

    /// An axis of results from `lowest` to `highest`: from 0, unless that hides the differences. Differences below the accuracy of any
    /// model stay hidden: a line that looks like a mountain range would claim more than is true.
    pub(super) fn of_results(lowest: f64, highest: f64) -> Self {
        let span = (highest - lowest).max(highest.abs() * 1e-6).max(1e-12);
        let small = highest - lowest < 0.005 * highest;
        let from =
            if lowest >= 0.0 && (small || lowest < 0.6 * highest) { 0.0 } else { lowest - 0.08 * span };
        let range = from..highest + 0.06 * (highest - from).max(span);
        Self::exactly(range)
    }

    /// The fraction of its largest value that the axis covers, if it does not start at 0.
    pub(super) fn covers(&self) -> Option<f64> {
        let (low, high) = self.ends();
        (low > 0.0 && !self.is_logarithmic).then(|| (high - low) / high)
    }

    /// An axis whose ends are those of the values.
    pub(super) fn exactly(range: Range<f64>) -> Self {
        Self { ticks: nice_ticks(&range, 6), ..Self::bare(range) }
    }

    /// The same for counts: ticks only at whole numbers.
    pub(super) fn whole(range: Range<f64>) -> Self {
        let mut ticks = nice_ticks(&range, 6);
        if ticks.iter().any(|(at, _)| (at - at.round()).abs() > 1e-9) {
            // A step below 1: all whole numbers of the range, at most six.
            ticks.retain(|(at, _)| (at - at.round()).abs() <= 1e-9);
            for (at, label) in &mut ticks {
                *label = figures::short(*at);
            }
        }
        Self { ticks, ..Self::bare(range) }
    }

    /// A logarithmic axis. Ticks at 1, 2 and 5 over a few decades, else at powers of
    /// ten.
    pub(super) fn logarithmic(lowest: f64, highest: f64) -> Self {
        let range = lowest.log10()..highest.log10();
        let span = range.end - range.start;
        let digits: &[f64] = match span {
            s if s < 0.7 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
            s if s < 3.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        #[allow(clippy::cast_possible_truncation, reason = "logarithms of doubles are small")]
        let decades = range.start.floor() as i32..=range.end.ceil() as i32;
        let values = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10_f64.powi(decade)));
        Self::at(range, values, figures::short)
    }

    /// A logarithmic axis with ticks at powers of two, or of four if those are many; small ones as fractions.
    pub(super) fn powers_of_two(lowest: f64, highest: f64) -> Self {
        let range = lowest.log10()..highest.log10();
        let every = if (highest / lowest).log2() > 12.0 { 2 } else { 1 };
        let values = (-60..60_i32).filter(|power| power % every == 0).map(|power| 2_f64.powi(power));
        let label = |value: f64| {
            if value < 1.0 { format!("1/{}", figures::short(1.0 / value)) } else { figures::short(value) }
        };
        Self::at(range, values, label)
    }

    /// Ticks at those `values` whose logarithms are in the range.
    fn at(range: Range<f64>, values: impl Iterator<Item = f64>, label: impl Fn(f64) -> String) -> Self {
        let is_inside = |value: &f64| (range.start - 1e-9..=range.end + 1e-9).contains(&value.log10());
        let ticks = values.filter(is_inside).map(|value| (value, label(value))).collect();
        Self { range, is_logarithmic: true, ticks }
    }

    /// The positions at both ends: values, or their decimal logarithms.
    pub(super) fn range(&self) -> Range<f64> {
        self.range.clone()
    }

    /// Value and label of each tick.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().map(|(at, label)| (*at, label.as_str()))
    }

    /// The position of a value between the ends, from 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        let at = if self.is_logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value };
        let length = self.range.end - self.range.start;
        if length == 0.0 { 0.0 } else { (at - self.range.start) / length }
    }

    /// The values at both ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        let value = |at: f64| if self.is_logarithmic { 10_f64.powf(at) } else { at };
        (value(self.range.start), value(self.range.end))
    }

    /// The pixels of the widest label.
    pub(super) fn label_width(&self, letters: f64) -> f64 {
        largest(self.ticks.iter().map(|(_, label)| metrics::width(label, letters)))
    }
}

/// About `wanted` ticks at round numbers, all with the same decimals.
fn nice_ticks(range: &Range<f64>, wanted: u32) -> Vec<(f64, String)> {
    let span = range.end - range.start;
    if span.is_nan() || span <= 0.0 {
        return vec![(range.start, figures::short(range.start))];
    }
    let rough = span / f64::from(wanted);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 15")]
    let decimals = (0..=15).find(|&d| {
        let scaled = step * 10_f64.powi(d);
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    });
    let decimals = usize::try_from(decimals.unwrap_or(0)).unwrap_or(0);
    let first = (range.start / step - 1e-9).ceil();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
    let count = ((range.end / step + 1e-9).floor() - first + 1.0).clamp(0.0, 50.0) as u32;
    (0..count)
        .map(|i| {
            let at = (first + f64::from(i)) * step;
            (at, format!("{:.decimals$}", at + 0.0))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_ticks_at_whole_numbers() {
        let labels =
            |end: f64| Coordinate::whole(0.0..end).ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>();
        assert_eq!(labels(2.12), ["0", "1", "2"]);
        assert_eq!(labels(1.06), ["0", "1"]);
        assert_eq!(labels(10.6), ["0", "2", "4", "6", "8", "10"]);
    }

    #[test]
    fn ticks_are_round_numbers_with_the_same_decimals() {
        let labels = |range: Range<f64>| {
            Coordinate::exactly(range).ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>()
        };
        assert_eq!(labels(0.0..254.0), ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(labels(13.98..15.18), ["14.0", "14.2", "14.4", "14.6", "14.8", "15.0"]);
    }

    #[test]
    fn a_few_values_each_have_a_tick() {
        let axis = Axis { label: String::new(), scale: Scale::Log(vec![0.03125, 0.0625, 0.125, 1.0]) };
        let coordinate = axis.coordinate(-4.0..0.0);
        assert_eq!(coordinate.ticks().map(|tick| tick.1).collect::<Vec<_>>(), ["1/32", "1/16", "1/8", "1"]);
    }

    #[test]
    fn ticks_of_a_logarithmic_axis_are_few_and_round() {
        let labels = |axis: Coordinate| axis.ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>();
        assert_eq!(labels(Coordinate::logarithmic(2.0, 60.0)), ["2", "5", "10", "20", "50"]);
        assert_eq!(labels(Coordinate::logarithmic(0.1, 1000.0)), ["0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(Coordinate::powers_of_two(0.2, 5.0)), ["1/4", "1/2", "1", "2", "4"]);
    }

    #[test]
    fn results_start_at_0_unless_that_hides_the_differences() {
        assert_eq!(Coordinate::of_results(20.0, 254.0).range.start, 0.0);
        assert!(Coordinate::of_results(240.0, 254.0).range.start > 200.0);
        let constant = Coordinate::of_results(5.0, 5.0).range;
        assert!(constant.start == 0.0 && constant.end > 5.0);
        assert_eq!(Coordinate::of_results(4.999, 5.0).range.start, 0.0);
    }
}
