//! Reads one value: its type, its range, and the messages for errors in either.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeValue};

use super::keys::Key;
use super::log::Source;
use super::names;
use super::problem::{Place, Problem, ProblemKind};
use numasim_model::bounds;
use numasim_model::text::is_bidirectional;

/// The result of `read` for an optional value; `None` if the value is invalid, `Some(None)` if it is missing.
pub fn given<'a, 'v, T>(
    value: Option<&'v Value<'a>>,
    read: impl FnOnce(&'v Value<'a>) -> Option<T>,
) -> Option<Option<T>> {
    value.map_or(Some(None), |value| read(value).map(Some))
}

/// A number with a unit.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// "a bandwidth in GB/s"
    pub what: &'static str,
    /// "4.0"
    pub example: &'static str,
    /// Whether it may be 0.
    pub zero: bool,
}

/// A whole number.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// "a number of cores"
    pub what: &'static str,
    /// "4.0"
    pub example: &'static str,
    /// The smallest.
    pub min: u64,
    /// The largest.
    pub max: u64,
}

impl Key {
    /// The declared number of its value, or of each entry of it.
    pub fn quantity(&self) -> Quantity {
        let (least, _) = self.shape.numbers().unwrap_or_default();
        Quantity { what: self.what, example: self.example, zero: least == 0.0 }
    }

    /// The declared whole number of its value, or of each entry of it.
    pub(super) fn count(&self) -> Count {
        let (min, max) = self.shape.counts().unwrap_or_default();
        Count { what: self.what, example: self.example, min, max }
    }
}

/// A value, with the key that leads to it.
#[derive(Clone)]
pub struct Value<'a> {
    /// The file that contains it.
    pub source: Source<'a>,
    /// `threads.mem[2]`
    pub name: String,
    /// The declaration of that key, or of the key whose list or table contains it.
    pub of: &'static Key,
    key: Range<usize>,
    pub(super) spanned: &'a Spanned<DeValue<'a>>,
}

impl<'a> Value<'a> {
    pub(super) fn new(
        source: Source<'a>,
        of: &'static Key,
        key: Range<usize>,
        value: &'a Spanned<DeValue<'a>>,
    ) -> Self {
        Self { source, name: of.name.to_owned(), of, key, spanned: value }
    }

    /// Its place.
    pub fn place(&self) -> Place {
        self.source.place(&self.spanned.span())
    }

    /// The place of its key.
    pub fn key_place(&self) -> Place {
        self.source.place(&self.key)
    }

    pub(super) fn get(&self) -> &'a DeValue<'a> {
        self.spanned.get_ref()
    }

    /// The value as written in the file, cut to a readable length.
    pub fn text(&self) -> String {
        names::shown(self.source.text.get(self.spanned.span()).unwrap_or_default())
    }

    /// Reports a problem with this value.
    pub fn report(&self, kind: ProblemKind, message: String, label: &str, hint: impl Into<String>) {
        self.source.log.report(Problem::new(kind, message).at(self.place(), label).hint(hint));
    }

    /// Reports a value of the wrong type; `expected` is "a number".
    pub fn wrong_type(&self, expected: &str, hint: impl Into<String>) {
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

    /// The number declared by its key.
    pub fn number(&self) -> Option<f64> {
        self.number_of(self.of.quantity())
    }

    /// The whole number declared by its key, one of 32 bits.
    pub fn count(&self) -> Option<u32> {
        self.count_of(self.of.count())
    }

    /// The whole number declared by its key.
    pub fn large_count(&self) -> Option<u64> {
        self.large_count_of(self.of.count())
    }

    /// The whole number declared by its key, which may also be written as a decimal number: `1e7`, `36.1e6`.
    pub fn scientific_count(&self) -> Option<u64> {
        self.scientific_count_of(self.of.count())
    }

    /// A finite number, which may be negative, within the limits of its key.
    pub fn signed_number(&self) -> Option<f64> {
        let quantity = self.of.quantity();
        let number = self.any_number(quantity)? + 0.0;
        let (least, most) = self.of.shape.numbers().unwrap_or((f64::MIN, f64::MAX));
        if (least..=most).contains(&number) {
            return Some(number);
        }
        let must = format!("from {least} to {most}");
        self.bad(&must, "out of range", self.advice(quantity.what, quantity.example));
        None
    }

    /// A finite number; whole numbers are accepted.
    pub fn number_of(&self, quantity: Quantity) -> Option<f64> {
        let advice = self.advice(quantity.what, quantity.example);
        let number = bounds::as_written(self.any_number(quantity)?, &self.text());
        match bounds::misfit(number, quantity.zero) {
            Some(misfit) => self.bad(&misfit.must, misfit.label, advice),
            // -0.0 compares equal to 0 but divides to minus infinity.
            None => return Some(number + 0.0),
        }
        None
    }

    /// A number of any size. Anything else is reported.
    fn any_number(&self, quantity: Quantity) -> Option<f64> {
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
        Some(number)
    }

    /// A whole number within its limits, and those of `u32`.
    pub fn count_of(&self, count: Count) -> Option<u32> {
        let number = self.large_count_of(Count { max: count.max.min(u64::from(u32::MAX)), ..count })?;
        u32::try_from(number).ok()
    }

    /// A whole number within its limits.
    pub fn large_count_of(&self, count: Count) -> Option<u64> {
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
    pub(super) fn scientific_count_of(&self, count: Count) -> Option<u64> {
        let DeValue::Float(float) = self.get() else { return self.large_count_of(count) };
        let number = float.as_str().parse::<f64>().ok();
        let Some(whole) = number.filter(|number| number.is_finite() && number.fract() == 0.0) else {
            self.wrong_type("a whole number", self.advice(count.what, count.example));
            return None;
        };
        // Numbers beyond the limits of the type saturate; they are beyond the limits of any count.
        #[allow(clippy::cast_possible_truncation, reason = "as the comment says")]
        let value = whole as i128;
        self.within(Some(value), whole < 0.0, count)
    }

    /// A whole number within the limits; `None` if it is too large to be read.
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

    /// The entry of `all` with this word: `control = "per-node"`.
    pub fn word<T: Copy>(&self, all: &[T], word: fn(T) -> &'static str) -> Option<T> {
        let words = || all.iter().map(|&one| word(one));
        let all_words = || {
            let quoted: Vec<String> = words().map(|word| format!("\"{word}\"")).collect();
            format!("write {}", names::one_of(quoted.iter().map(String::as_str)))
        };
        let DeValue::String(text) = self.get() else {
            self.wrong_type("a word", all_words());
            return None;
        };
        let found = all.iter().copied().find(|&one| word(one) == text);
        if found.is_none() {
            let hint = match self.source.log.suggest(text, words()) {
                Some(close) => format!("did you mean `\"{close}\"`?"),
                None => all_words(),
            };
            let message = format!("`{}` must be {}, not {}", self.name, names::one_of(words()), self.text());
            self.report(ProblemKind::BadValue, message, "unknown word", hint);
        }
        found
    }

    /// True or false.
    pub fn flag(&self) -> Option<bool> {
        if let DeValue::Boolean(flag) = self.get() {
            return Some(*flag);
        }
        let key = self.name.rsplit('.').next().unwrap_or(&self.name);
        self.wrong_type("true or false", format!("write `{key} = true` or `{key} = false`, without quotes"));
        None
    }

    /// Its text, if it is text.
    pub fn as_text(&self) -> Option<&'a str> {
        if let DeValue::String(text) = self.get() { Some(text) } else { None }
    }

    /// Free text; other types are reported.
    pub fn string(&self) -> Option<&'a str> {
        if let Some(text) = self.as_text() {
            return Some(text);
        }
        let text = self.text();
        self.wrong_type("text", format!("write it in quotes, e.g. `\"{}\"`", text.trim_matches('"')));
        None
    }

    /// A name: text on one line that is not empty.
    pub fn name(&self) -> Option<&'a str> {
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
    pub fn is_list(&self) -> bool {
        matches!(self.get(), DeValue::Array(_))
    }

    /// The entries of a list.
    pub fn list(&self, expected: &str, hint: impl Into<String>) -> Option<Vec<Value<'a>>> {
        let DeValue::Array(array) = self.get() else {
            self.wrong_type(expected, hint);
            return None;
        };
        let entry = |(index, value): (usize, &'a Spanned<DeValue<'a>>)| Value {
            source: self.source,
            name: format!("{}[{index}]", self.name),
            of: self.of,
            key: self.key.clone(),
            spanned: value,
        };
        Some(array.iter().enumerate().map(entry).collect())
    }

    /// One entry of a list; `None` if the value is not a list, or is shorter.
    pub fn list_entry(&self, index: usize) -> Option<Value<'a>> {
        let DeValue::Array(array) = self.get() else { return None };
        let name = format!("{}[{index}]", self.name);
        Some(Value {
            source: self.source,
            name,
            of: self.of,
            key: self.key.clone(),
            spanned: array.get(index)?,
        })
    }

    /// The entries of a table whose keys are free names, in the order of the file.
    pub fn entries(&self, expected: &str, hint: impl Into<String>) -> Option<Vec<(&'a str, Value<'a>)>> {
        let DeValue::Table(table) = self.get() else {
            self.wrong_type(expected, hint);
            return None;
        };
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| {
                let name = format!("{}.{}", self.name, names::shown(key.get_ref()));
                let value = Value { source: self.source, name, of: self.of, key: key.span(), spanned: value };
                (&**key.get_ref(), value)
            })
            .collect();
        entries.sort_by_key(|(_, value)| value.key.start);
        Some(entries)
    }
}

fn to_i128(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// The correction for a number in quotes, perhaps with its unit.
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
