//! A counter as `perf stat` prints it, in any form.

use std::ops::Range;

use numasim_study::{Place, Problem, ProblemKind};

use crate::csv_rows::shown;
use crate::formats::lines::Line;

/// What a counter says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// So many, scaled up where it did not run all the time.
    Counted(f64),
    /// Nothing: `not counted` or `not supported`.
    Not(&'static str),
}

/// Why a word is not the value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Odd {
    /// It has a decimal comma, or separators of thousands that could be decimal marks.
    OtherLanguage,
    /// It is no number, negative or not finite.
    NoCount,
}

/// One counter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counter {
    pub(super) event: String,
    pub(super) value: Value,
    /// `MiB`; empty without one.
    pub(super) unit: String,
    /// How much of the time it ran, in percent; `None` where the output does not say it.
    pub(super) percent: Option<f64>,
    /// Its line in the text.
    pub(super) span: Range<usize>,
}

/// All counters of an output.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Output {
    pub(super) counters: Vec<Counter>,
    /// The time that passed, where a line of its own or the last interval says it.
    pub(super) seconds: Option<f64>,
    /// Counts are those of intervals (`-I`).
    pub(super) intervals: bool,
}

impl Output {
    /// The stamp of an interval.
    pub(super) fn stamp(&mut self, time: f64) {
        self.intervals = true;
        self.seconds = Some(self.seconds.unwrap_or(0.0).max(time)).filter(|time| time.is_finite());
    }
}

impl Counter {
    /// A problem with its line.
    pub(super) fn problem(&self, text: &str, message: String) -> Problem {
        let problem = Problem::new(ProblemKind::BadValue, message);
        match text.get(self.span.clone()) {
            Some(_) => problem.at(Place::at(0, self.span.clone()), "this line"),
            None => problem.at(Place::whole(0), ""),
        }
    }
}

/// The value of a counter for programs (`-x`, `-j`): a number without separators of thousands, or `<not counted>`.
pub(super) fn value(field: &str) -> Result<Value, Odd> {
    let field = field.trim();
    if let Some(why) = not(field) {
        return Ok(Value::Not(why));
    }
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(Value::Counted(value)),
        Err(_) if numeric(field) => Err(Odd::OtherLanguage),
        _ => Err(Odd::NoCount),
    }
}

/// The value of a counter for people: separators of thousands are commas, apostrophes or narrow spaces, and the decimal mark is
/// a point.
pub(super) fn grouped(word: &str) -> Result<f64, Odd> {
    if !numeric(word) {
        return Err(Odd::NoCount);
    }
    let plain: String = word.chars().filter(|c| matches!(c, '0'..='9' | '.' | ',')).collect();
    let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let in_order = match groups.as_slice() {
        // 1.234 may be 1234 in another language; perf prints two decimals, or six and more.
        [only] => decimals.len() != 3 || *only == "0",
        [first, middle @ .., last] => {
            (1..=3).contains(&first.len())
                && !first.starts_with('0')
                && middle.iter().all(|group| matches!(group.len(), 2 | 3))
                && last.len() == 3
        }
        [] => false,
    };
    if !in_order || decimals.contains([',', '.']) {
        return Err(Odd::OtherLanguage);
    }
    plain.replace(',', "").parse::<f64>().ok().filter(|value| value.is_finite()).ok_or(Odd::NoCount)
}

/// Digits, and marks between them that some language writes.
fn numeric(word: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    word.starts_with(digit)
        && word.ends_with(digit)
        && word.chars().all(|c| {
            digit(c) || matches!(c, '.' | ',' | '\'' | '\u{2019}' | '\u{202f}' | '\u{a0}' | '\u{2009}')
        })
}

/// `<not counted>`.
pub(super) fn not(field: &str) -> Option<&'static str> {
    match field {
        "<not counted>" => Some("not counted"),
        "<not supported>" => Some("not supported"),
        _ => None,
    }
}

/// A number in the manner of another language.
pub(super) fn other_language(line: Line<'_>, word: &str) -> Problem {
    let message = format!(
        "'{}' has a decimal comma or the separators of another language: its value is not certain",
        shown(word)
    );
    line.problem(message).hint(
        "measure again with `LC_ALL=C perf stat ...`: perf writes numbers in the language of the shell, and decimal commas look like separators",
    )
}

/// A counter whose value is no count.
pub(super) fn no_count(line: Line<'_>, event: &str, word: &str) -> Problem {
    let what = if word.is_empty() { "empty".to_owned() } else { format!("'{}'", shown(word)) };
    let message = format!("the count of `{}` is {what}, not a number of 0 or more", shown(event));
    line.problem(message)
        .hint("leave the output of perf as it was written; a counter without a count is `<not counted>`")
}

/// Whether a line says nothing of a counter: it is empty or a comment. `started` counts the comments with which a run begins.
///
/// # Errors
/// A second run.
pub(super) fn is_silent(line: Line<'_>, started: &mut usize) -> Result<bool, Problem> {
    let trimmed = line.text.trim();
    *started += usize::from(trimmed.starts_with("# started on"));
    if *started > 1 {
        return Err(second_run(line));
    }
    Ok(trimmed.is_empty() || trimmed.starts_with('#'))
}

/// A second run begins with this line.
pub(super) fn second_run(line: Line<'_>) -> Problem {
    line.problem("a second run of perf stat begins here").hint("keep each run in a file of its own")
}

/// A group of processors in front of its counters: `CPU0`, `S0-D0-C0`, `N1`.
pub(super) fn is_group(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase()) && word.contains(|c: char| c.is_ascii_digit())
}

/// Whether the number of its processors follows this name of a group: not for one processor (`CPU0`) or thread (`name-4711`).
pub(super) fn has_size(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let cpu = name.strip_prefix("CPU").is_some_and(number);
    let thread = name.rsplit_once('-').is_some_and(|(_, pid)| number(pid));
    !cpu && !thread
}

/// The bytes of a line, for a message.
pub(super) fn span(line: Line<'_>) -> Range<usize> {
    line.problem("").place.and_then(|place| place.span).unwrap_or(0..0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_people_have_a_point_and_whole_groups_of_three() {
        for (word, found) in [
            ("563,539,901,688", Ok(563_539_901_688.0)),
            ("1,024.5", Ok(1024.5)),
            ("12,34,567", Ok(1_234_567.0)), // India
            ("1'234.56", Ok(1234.56)),      // Switzerland
            ("1\u{202f}234\u{202f}567", Ok(1_234_567.0)),
            ("0.75", Ok(0.75)),
            ("0.123", Ok(0.123)),
            ("27,01", Err(Odd::OtherLanguage)),
            ("0,800", Err(Odd::OtherLanguage)),
            ("1.234", Err(Odd::OtherLanguage)),
            ("1.234.567", Err(Odd::OtherLanguage)),
            ("1.234.567,89", Err(Odd::OtherLanguage)),
            ("1\u{202f}234,56", Err(Odd::OtherLanguage)),
            ("1,2345", Err(Odd::OtherLanguage)),
            ("100,00", Err(Odd::OtherLanguage)),
            ("nan", Err(Odd::NoCount)),
            ("-5", Err(Odd::NoCount)),
            ("cycles", Err(Odd::NoCount)),
        ] {
            assert_eq!(grouped(word), found, "{word}");
        }
        assert_eq!(value("27,01"), Err(Odd::OtherLanguage));
        assert_eq!(
            (value("inf"), value("-1"), value("")),
            (Err(Odd::NoCount), Err(Odd::NoCount), Err(Odd::NoCount))
        );
        assert!(has_size("S0-D0-C0") && has_size("N1") && !has_size("CPU12") && !has_size("solver-4711"));
    }
}
