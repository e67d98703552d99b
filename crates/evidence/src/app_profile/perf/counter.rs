//! A counter as `perf stat` prints it, in any form.

use std::ops::Range;

use numasim_model::input::{Place, Problem, ProblemKind};

use crate::import::lines::Line;

/// What a counter says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// So many, scaled up where it did not run all the time.
    Counted(f64),
    /// Nothing: `not counted` or `not supported`.
    Not(&'static str),
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

/// What stands for the value of a counter: a number without separators of thousands, or `<not counted>`.
pub(super) fn value(field: &str) -> Option<Value> {
    match field.trim() {
        "<not counted>" => Some(Value::Not("not counted")),
        "<not supported>" => Some(Value::Not("not supported")),
        number => {
            number.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0).map(Value::Counted)
        }
    }
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

/// What separates the fields of a line with `-x`: where an event follows a count and a unit.
pub(super) fn separator(line: &str) -> Option<char> {
    [',', ';', '|', '\t'].into_iter().find(|&separator| place(line, separator).is_some())
}

/// The field with the value: behind a time stamp (`-I`), a processor (`-A`), or a socket or node and its processors.
pub(super) fn place(line: &str, separator: char) -> Option<usize> {
    let fields: Vec<&str> = line.split(separator).map(str::trim).collect();
    (0..fields.len().min(3)).find(|&at| {
        let event = fields.get(at + 2).copied().unwrap_or_default();
        let unit = fields.get(at + 1).copied().unwrap_or("?");
        value(fields[at]).is_some()
            && super::events::is_unit(unit)
            && event.starts_with(|c: char| c.is_alphabetic())
    })
}

/// The bytes of a line, for a message.
pub(super) fn span(line: Line<'_>) -> Range<usize> {
    line.problem("").place.and_then(|place| place.span).unwrap_or(0..0)
}
