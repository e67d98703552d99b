//! Reads one value: its type, its range, and what to say when either is wrong.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeValue};

use super::log::Source;
use super::names;
use super::problem::{Place, Problem, ProblemKind};
use numasim_model::bounds;
use numasim_model::text::is_bidirectional;

/// A figure with a unit.
#[derive(Clone, Copy)]
pub(super) struct Quantity {
    /// "a bandwidth in GB/s"
    pub(super) what: &'static str,
    pub(super) example: &'static str,
    pub(super) zero: bool,
}

/// The bandwidth of a memory, a link or a core.
pub(super) const BANDWIDTH: Quantity = Quantity { what: "a bandwidth in GB/s", example: "32.0", zero: false };

/// A size of memory.
pub(super) const MEMORY: Quantity =
    Quantity { what: "a size of memory in GiB (2^30 bytes)", example: "64.0", zero: false };

/// The memory of each node of a machine.
pub(super) const MEMORY_OF_NODES: Quantity = Quantity {
    what: "a size of memory in GiB (2^30 bytes; 0 only in the `[[machine.node]]` of a node without memory)",
    ..MEMORY
};

/// The size of data.
pub(super) const BYTES: Quantity = Quantity { what: "a size in bytes", example: "3e6", zero: true };

/// The arithmetic intensity of an application or a phase.
pub(super) const INTENSITY: Quantity =
    Quantity { what: "an arithmetic intensity in FLOP per byte", example: "0.5", zero: false };

/// A whole number.
#[derive(Clone, Copy)]
pub(super) struct Count {
    /// "a number of cores"
    pub(super) what: &'static str,
    pub(super) example: &'static str,
    pub(super) min: u64,
    pub(super) max: u64,
}

/// A value, with the key that leads to it.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) source: Source<'a>,
    /// `threads.mem[2]`
    pub(super) name: String,
    key: Range<usize>,
    pub(super) spanned: &'a Spanned<DeValue<'a>>,
}

impl<'a> Value<'a> {
    pub(super) fn new(
        source: Source<'a>,
        name: String,
        key: Range<usize>,
        value: &'a Spanned<DeValue<'a>>,
    ) -> Self {
        Self { source, name, key, spanned: value }
    }

    pub(super) fn place(&self) -> Place {
        self.source.place(&self.spanned.span())
    }

    pub(super) fn key_place(&self) -> Place {
        self.source.place(&self.key)
    }

    pub(super) fn get(&self) -> &'a DeValue<'a> {
        self.spanned.get_ref()
    }

    /// The value as it stands in the file, cut to a readable length.
    pub(super) fn text(&self) -> String {
        names::shown(self.source.text.get(self.spanned.span()).unwrap_or_default())
    }

    /// Reports a problem with this value.
    pub(super) fn report(&self, kind: ProblemKind, message: String, label: &str, hint: impl Into<String>) {
        self.source.log.report(Problem::new(kind, message).at(self.place(), label).hint(hint));
    }

    /// Reports a value of the wrong type; `expected` is "a number".
    pub(super) fn wrong_type(&self, expected: &str, hint: impl Into<String>) {
        let found = type_name(self.get());
        let message = format!("`{}` must be {expected}, but this is {found}", self.name);
        self.report(ProblemKind::WrongType, message, &format!("this is {found}"), hint);
    }

    fn bad(&self, must: &str, label: &str, hint: impl Into<String>) {
        let message = format!("`{}` must be {must}, not {}", self.name, self.text());
        self.report(ProblemKind::BadValue, message, label, hint);
    }

    /// "write a bandwidth in GB/s, e.g. `bandwidth_gbs = 32.0`"
    fn advice(&self, what: &str, example: &str) -> String {
        if self.name.contains('[') {
            format!("write {what}, e.g. `{example}`")
        } else {
            let key = self.name.rsplit('.').next().unwrap_or(&self.name);
            format!("write {what}, e.g. `{key} = {example}`")
        }
    }

    /// A finite figure; whole numbers are accepted.
    pub(super) fn number(&self, quantity: Quantity) -> Option<f64> {
        let advice = self.advice(quantity.what, quantity.example);
        let number = match self.get() {
            DeValue::Float(float) => float.as_str().parse::<f64>().ok()?,
            DeValue::Integer(integer) => match to_i128(integer) {
                Some(integer) => integer as f64,
                None if integer.as_str().starts_with('-') => f64::NEG_INFINITY,
                None => f64::MAX,
            },
            DeValue::String(text) => {
                self.wrong_type("a number", quoted_number(text).unwrap_or(advice));
                return None;
            }
            _ => {
                self.wrong_type("a number", advice);
                return None;
            }
        };
        let number = bounds::as_written(number, &self.text());
        match bounds::misfit(number, quantity.zero) {
            Some(misfit) => self.bad(&misfit.must, misfit.label, advice),
            // -0.0 compares equal to 0 but divides to minus infinity.
            None => return Some(number + 0.0),
        }
        None
    }

    /// A whole number within its limits, and those of `u32`.
    pub(super) fn count(&self, count: Count) -> Option<u32> {
        let number = self.large_count(Count { max: count.max.min(u64::from(u32::MAX)), ..count })?;
        u32::try_from(number).ok()
    }

    /// A whole number within its limits.
    pub(super) fn large_count(&self, count: Count) -> Option<u64> {
        let advice = self.advice(count.what, count.example);
        match self.get() {
            DeValue::Integer(integer) => {
                return self.within(to_i128(integer), integer.as_str().starts_with('-'), count);
            }
            DeValue::Float(float) => {
                let number = float.as_str().parse::<f64>().ok().filter(|f| f.is_finite());
                let whole = number.filter(|f| f.fract() == 0.0 && *f >= 0.0 && *f <= count.max as f64);
                let hint = match whole {
                    Some(whole) => format!("write it without a decimal point: `{whole:.0}`"),
                    None => advice,
                };
                self.wrong_type("a whole number", hint);
            }
            DeValue::String(text) => {
                self.wrong_type("a whole number", quoted_number(text).unwrap_or(advice));
            }
            _ => self.wrong_type("a whole number", advice),
        }
        None
    }

    /// The same, which may also be written as a decimal number: `1e7`, `36.1e6`.
    pub(super) fn scientific_count(&self, count: Count) -> Option<u64> {
        let DeValue::Float(float) = self.get() else { return self.large_count(count) };
        let number = float.as_str().parse::<f64>().ok();
        let Some(whole) = number.filter(|number| number.is_finite() && number.fract() == 0.0) else {
            self.wrong_type("a whole number", self.advice(count.what, count.example));
            return None;
        };
        // Numbers beyond the limits of the type become these, which are beyond those of any count.
        #[allow(clippy::cast_possible_truncation, reason = "as the comment says")]
        let value = whole as i128;
        self.within(Some(value), whole < 0.0, count)
    }

    /// A whole number, `None` if it is too large to be read, if it is within the limits.
    fn within(&self, value: Option<i128>, negative: bool, count: Count) -> Option<u64> {
        let fits = value.and_then(|value| u64::try_from(value).ok());
        if let Some(fits) = fits.filter(|fits| (count.min..=count.max).contains(fits)) {
            return Some(fits);
        }
        let advice = self.advice(count.what, count.example);
        if negative || value.is_some_and(|value| value < i128::from(count.min)) {
            let label = if negative { "negative" } else { "too small" };
            self.bad(&format!("at least {}", count.min), label, advice);
        } else {
            let message = format!("`{}` must be at most {}, not {}", self.name, count.max, self.text());
            self.report(ProblemKind::Limit, message, "too large", advice);
        }
        None
    }

    /// True or false.
    pub(super) fn flag(&self) -> Option<bool> {
        if let DeValue::Boolean(flag) = self.get() {
            return Some(*flag);
        }
        let key = self.name.rsplit('.').next().unwrap_or(&self.name);
        self.wrong_type("true or false", format!("write `{key} = true` or `{key} = false`, without quotes"));
        None
    }

    /// Free text.
    pub(super) fn string(&self) -> Option<&'a str> {
        if let DeValue::String(text) = self.get() {
            return Some(text);
        }
        let text = self.text();
        self.wrong_type("text", format!("write it in quotes, e.g. `\"{}\"`", text.trim_matches('"')));
        None
    }

    /// A name: text in one line that is not empty.
    pub(super) fn name(&self) -> Option<&'a str> {
        let name = self.string()?;
        let hint = "write a short name on one line, e.g. `\"mem\"`";
        if name.trim().is_empty() {
            self.report(ProblemKind::BadValue, format!("`{}` is empty", self.name), "no name", hint);
            return None;
        }
        if name.chars().any(char::is_control) {
            let message = format!("`{}` contains a line break or another control character", self.name);
            self.report(ProblemKind::BadValue, message, "not a plain name", hint);
            return None;
        }
        if let Some(c) = name.chars().find(|&c| is_bidirectional(c)) {
            let message = format!(
                "`{}` contains U+{:04X}, which cannot be seen and changes the direction of text",
                self.name,
                u32::from(c)
            );
            self.report(ProblemKind::BadValue, message, "not a plain name", hint);
            return None;
        }
        Some(name)
    }

    /// Whether it is a list.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.get(), DeValue::Array(_))
    }

    /// The entries of a list.
    pub(super) fn list(&self, expected: &str, hint: impl Into<String>) -> Option<Vec<Value<'a>>> {
        let DeValue::Array(array) = self.get() else {
            self.wrong_type(expected, hint);
            return None;
        };
        let entry = |(index, value): (usize, &'a Spanned<DeValue<'a>>)| Value {
            source: self.source,
            name: format!("{}[{index}]", self.name),
            key: self.key.clone(),
            spanned: value,
        };
        Some(array.iter().enumerate().map(entry).collect())
    }

    /// One entry of a list; `None` if it is no list, or shorter.
    pub(super) fn list_entry(&self, index: usize) -> Option<Value<'a>> {
        let DeValue::Array(array) = self.get() else { return None };
        let name = format!("{}[{index}]", self.name);
        Some(Value { source: self.source, name, key: self.key.clone(), spanned: array.get(index)? })
    }

    /// The entries of a table whose keys are free names, in the order of the file.
    pub(super) fn entries(
        &self,
        expected: &str,
        hint: impl Into<String>,
    ) -> Option<Vec<(&'a str, Value<'a>)>> {
        let DeValue::Table(table) = self.get() else {
            self.wrong_type(expected, hint);
            return None;
        };
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| {
                let name = format!("{}.{}", self.name, names::shown(key.get_ref()));
                (&**key.get_ref(), Value { source: self.source, name, key: key.span(), spanned: value })
            })
            .collect();
        entries.sort_by_key(|(_, value)| value.key.start);
        Some(entries)
    }
}

fn to_i128(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// What to write for a number in quotes, perhaps with its unit.
fn quoted_number(text: &str) -> Option<String> {
    let number: String =
        text.trim().chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+')).collect();
    let value: f64 = number.parse().ok()?;
    let rest = text.trim().get(number.len()..).unwrap_or_default();
    Some(if rest.is_empty() {
        format!("write the number without quotes: `{number}`")
    } else if value.is_finite() && rest.starts_with([' ', 'G', 'g', 'M', 'T']) {
        format!("the unit is fixed by the key; write the number alone: `{number}`")
    } else {
        return None;
    })
}

fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
