//! The values of one axis: `1,2,5`, `10..100:10`, `1/64..64*2`, or places for data.

use numasim_model::bounds::{self, LARGEST, SMALLEST};
use numasim_model::{Data, DataWord, Machine, NodeId, OpenData, Placement};

use super::SettingError;

/// Maximum number of values of an axis, and of points of a grid.
pub const MAX_POINTS: u64 = 1_000_000_000;

/// The largest distance between the end of a range and a step, in steps, at which the end is still included.
const END_TOLERANCE: f64 = 1e-9;

/// The values of an axis in order; ranges are computed, not stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    /// `first + i * step`.
    Steps { first: f64, step: f64, decimal: Option<Decimal>, count: u64 },
    /// `first * factor^i`.
    Factors { first: f64, factor: f64, count: u64 },
    /// As given.
    Numbers(Vec<f64>),
    /// Data placements, each with its word.
    Data(Vec<(String, Data)>),
}

/// First value and step in units of 1 / `scale`, so that the third step of 0.1 is 0.3 and not 0.30000000000000004.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decimal {
    first: f64,
    step: f64,
    scale: f64,
}

/// One value of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// In the unit of the key.
    Number(f64),
    /// The word on the command line (`home:0`), and its meaning.
    Data(&'a str, &'a Data),
}

impl Values {
    /// Reads numbers: a range with a step or a factor, or a list.
    pub(super) fn numbers(text: &str) -> Result<Self, SettingError> {
        let Some((first, rest)) = text.split_once("..") else {
            return list(text)?.into_iter().map(number).collect::<Result<_, _>>().map(Self::Numbers);
        };
        let no_step = || {
            SettingError::wrong(
                format!("the range {text} has no step"),
                "write FIRST..LAST:STEP, e.g. 10..100:10, or FIRST..LAST*FACTOR, e.g. 1/64..64*2",
            )
        };
        let at = rest.rfind([':', '*']).ok_or_else(no_step)?;
        let (last, by) = (number(&rest[..at])?, &rest[at + 1..]);
        if rest[at..].starts_with(':') {
            Self::steps(text, first.trim(), last, by.trim())
        } else {
            Self::factors(text, number(first)?, last, number(by)?)
        }
    }

    fn steps(text: &str, first_text: &str, last: f64, step_text: &str) -> Result<Self, SettingError> {
        let (first, step) = (number(first_text)?, number(step_text)?);
        let steps = (last - first) / step;
        if !steps.is_finite() || steps < 0.0 {
            return Err(SettingError::wrong(
                format!("the range {text} does not end: steps of {step} do not lead from {first} to {last}"),
                "a range that rises has a positive step, one that falls a negative step",
            ));
        }
        let count = checked_count(text, steps)?;
        Ok(Self::Steps { first, step, decimal: Decimal::new(first_text, step_text, count), count })
    }

    fn factors(text: &str, first: f64, last: f64, factor: f64) -> Result<Self, SettingError> {
        let steps = libm::log(last / first) / libm::log(factor);
        let positive = first > 0.0 && last > 0.0 && factor > 0.0 && factor != 1.0;
        if !positive || !steps.is_finite() || steps < 0.0 {
            return Err(SettingError::wrong(
                format!(
                    "the range {text} does not end: factors of {factor} do not lead from {first} to {last}"
                ),
                "a range that rises has a factor above 1, one that falls a factor between 0 and 1",
            ));
        }
        Ok(Self::Factors { first, factor, count: checked_count(text, steps)? })
    }

    /// Reads a list of places for data on `machine`.
    pub(super) fn data(text: &str, machine: &Machine) -> Result<Self, SettingError> {
        let one = |word: &str| Ok((word.to_owned(), data_of(word, machine)?));
        list(text)?.into_iter().map(one).collect::<Result<_, _>>().map(Self::Data)
    }

    /// Number of values.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Steps { count, .. } | Self::Factors { count, .. } => *count,
            Self::Numbers(numbers) => numbers.len() as u64,
            Self::Data(places) => places.len() as u64,
        }
    }

    /// Whether `explore` chooses this at some value.
    pub(super) fn open(&self, open: OpenData) -> bool {
        matches!(self, Self::Data(places) if places.iter().any(|(_, data)| data.open() == Some(open)))
    }

    /// The value with this index, from 0.
    #[allow(clippy::cast_possible_truncation, reason = "at most MAX_POINTS")]
    pub(super) fn get(&self, i: u64) -> Value<'_> {
        let number = match self {
            Self::Steps { decimal: Some(decimal), .. } => {
                (decimal.first + i as f64 * decimal.step) / decimal.scale
            }
            Self::Steps { first, step, .. } => first + i as f64 * step,
            Self::Factors { first, factor, .. } => first * factor.powi(i as i32),
            Self::Numbers(numbers) => numbers[i as usize],
            Self::Data(places) => {
                let (word, data) = &places[i as usize];
                return Value::Data(word, data);
            }
        };
        // -0.0 compares equal to 0 but divides to minus infinity.
        Value::Number(number + 0.0)
    }
}

impl Decimal {
    /// Both as whole numbers of the same power of ten, if doubles represent these without rounding.
    fn new(first: &str, step: &str, count: u64) -> Option<Self> {
        const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
        let plain = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        };
        if !plain(first) || !plain(step) {
            return None;
        }
        let decimals = |text: &str| text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let places = decimals(first).max(decimals(step));
        let scale = 10_f64.powi(i32::try_from(places).ok().filter(|&places| places <= 15)?);
        let whole = |text: &str| text.parse::<f64>().ok().map(|value| (value * scale).round());
        let (first, step) = (whole(first)?, whole(step)?);
        let largest = first.abs() + step.abs() * count as f64;
        (largest < EXACT).then_some(Self { first, step, scale })
    }
}

/// Whole steps from 0 to `steps`, both ends included.
fn checked_count(text: &str, steps: f64) -> Result<u64, SettingError> {
    let count = (steps + END_TOLERANCE).floor() + 1.0;
    if count > MAX_POINTS as f64 {
        return Err(SettingError::wrong(
            format!("the range {text} has more than {MAX_POINTS} values"),
            "use larger steps",
        ));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to MAX_POINTS")]
    Ok(count as u64)
}

fn list(text: &str) -> Result<Vec<&str>, SettingError> {
    let items: Vec<&str> = text.split(',').map(str::trim).collect();
    if items.contains(&"") {
        return Err(SettingError::wrong(
            if text.trim().is_empty() {
                "there is no value".to_owned()
            } else {
                format!("a value is missing in '{text}'")
            },
            "write values between commas, e.g. 1,2,5, or a range, e.g. 10..100:10",
        ));
    }
    Ok(items)
}

/// A decimal number, or a fraction of two (`1/32`).
fn number(text: &str) -> Result<f64, SettingError> {
    let read = |text: &str| text.trim().parse::<f64>().ok();
    let beyond = |text: &&str| {
        read(text).is_some_and(|value| bounds::as_written(value, text) != value && !value.is_nan())
    };
    if let Some(beyond) = text.split('/').find(beyond) {
        let size = if read(beyond) == Some(0.0) { "small" } else { "large" };
        return Err(SettingError::wrong(
            format!("'{}' is too {size}", beyond.trim()),
            format!("a figure is 0, or from {SMALLEST:e} to {LARGEST:e}"),
        ));
    }
    let one = |text: &str| read(text).filter(|value| value.is_finite());
    let value = match text.split_once('/') {
        Some((over, under)) => one(over).zip(one(under)).map(|(over, under)| over / under),
        None => one(text),
    };
    value.filter(|value| value.is_finite()).ok_or_else(|| {
        SettingError::wrong(
            format!("'{}' is not a number", text.trim()),
            "write numbers such as 10, 0.5, 1e-3 or 1/32: a list 1,2,5 or a range 10..100:10",
        )
    })
}

/// A [`DataWord`], `interleave:0.3`, `home:0`, `home:0:0.5`, `home:any`, `fractions:any` on `machine`.
fn data_of(word: &str, machine: &Machine) -> Result<Data, SettingError> {
    if let Some(word) = DataWord::from_word(word) {
        return Ok(Data::Placed(word.placement()));
    }
    let parts: Vec<&str> = word.split(':').collect();
    match parts.as_slice() {
        ["interleave", share] => Ok(Data::Placed(Placement::interleaved(share_of(share)?))),
        ["fractions", "any"] => Ok(Data::OpenFractions),
        ["home", home] => home_of(home, 1.0, machine),
        ["home", home, share] => home_of(home, share_of(share)?, machine),
        _ => Err(SettingError::wrong(
            format!("'{word}' is not a data placement"),
            format!(
                "write {}, home:0 (all data on node 0), home:0:0.5 (half of it), interleave:0.3, or home:any and fractions:any where explore chooses",
                DataWord::ALL.map(DataWord::as_str).join(", ")
            ),
        )),
    }
}

/// From 0, all local, to 1.
fn share_of(text: &str) -> Result<f64, SettingError> {
    let share = text.parse().ok().map(|share| bounds::as_written(share, text) + 0.0);
    share.filter(|&share| bounds::outside(share, 0.0, 1.0).is_none()).ok_or_else(|| {
        SettingError::wrong(
            format!("'{text}' is not a share of the data"),
            "write a number from 0 to 1: home:0:0.5 has half of the data on node 0, the rest where each thread runs",
        )
    })
}

fn home_of(home: &str, share: f64, machine: &Machine) -> Result<Data, SettingError> {
    if home == "any" {
        return Ok(if share > 0.0 { Data::OpenHome { share } } else { Data::Placed(Placement::Local) });
    }
    let nodes = machine.node_count();
    match home.parse::<usize>() {
        Ok(home) if home < nodes && !machine.has_memory(NodeId(home)) => {
            let others = machine.memory_nodes().map(|node| format!("home:{}", node.0)).collect::<Vec<_>>();
            Err(SettingError::wrong(
                format!("node {home} has no memory"),
                format!("data lies on a node that has some: write {}", others.join(", ")),
            ))
        }
        Ok(home) if home < nodes => Ok(Data::Placed(Placement::at_home(NodeId(home), share))),
        _ => Err(SettingError::wrong(
            format!("there is no node {home}"),
            format!("nodes are numbered from 0: home:0 to home:{}", nodes - 1),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{uniform_machine, with_memory};

    fn all(text: &str) -> Vec<f64> {
        let values = Values::numbers(text).unwrap();
        (0..values.count())
            .map(|i| match values.get(i) {
                Value::Number(number) => number,
                Value::Data(..) => f64::NAN,
            })
            .collect()
    }

    #[test]
    fn a_range_includes_its_end_and_keeps_written_decimals() {
        assert_eq!(all("0..0.5:0.1"), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(all("0.1..0.7:0.2"), [0.1, 0.3, 0.5, 0.7]);
        assert_eq!(all("10..5:-2.5"), [10.0, 7.5, 5.0]);
        assert_eq!(all("1..4:2"), [1.0, 3.0]);
        assert_eq!(all("3..3:1"), [3.0]);
        assert_eq!(all("0..1e0:1/4"), [0.0, 0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn a_million_steps_are_as_exact_as_the_first() {
        let values = Values::numbers("0..100000:0.1").unwrap();
        assert_eq!(values.count(), 1_000_001);
        assert_eq!(values.get(999_999), Value::Number(99_999.9));
        assert_eq!(values.get(1_000_000), Value::Number(100_000.0));
    }

    #[test]
    fn a_range_by_factors_includes_its_end() {
        assert_eq!(all("1/4..4*2"), [0.25, 0.5, 1.0, 2.0, 4.0]);
        assert_eq!(all("1000..1*0.1").len(), 4);
    }

    #[test]
    fn no_data_is_put_on_a_node_without_memory() {
        let machine = with_memory(&uniform_machine(3, 1, 1.0, 1.0, 1.0), &[None, Some(0.0), None]);
        for wrong in ["home:1", "home:0,home:1:0.5"] {
            let error = Values::data(wrong, &machine).unwrap_err();
            assert!(error.to_string().contains("node 1 has no memory"), "{error}");
        }
        assert!(Values::data("home:2,interleave,home:any,fractions:any", &machine).is_ok());
    }

    #[test]
    fn a_list_keeps_its_order() {
        assert_eq!(all("5, 1/32,2"), [5.0, 0.03125, 2.0]);
    }

    #[test]
    fn invalid_values_are_rejected() {
        for wrong in [
            "",
            "1,,2",
            "a",
            "1..2",
            "1..2:0",
            "1..2:-1",
            "2..1:1",
            "1..2*1",
            "-1..2*2",
            "nan",
            "1/0",
            "0..1:1e-12",
        ] {
            assert!(Values::numbers(wrong).is_err(), "{wrong}");
        }
        for wrong in ["home:4", "home", "home:-1", "remote", "local,"] {
            assert!(Values::data(wrong, &uniform_machine(4, 1, 1.0, 1.0, 1.0)).is_err(), "{wrong}");
        }
    }
}
