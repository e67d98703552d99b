//! `perf stat -x,`: value, unit, event, perhaps the spread of repetitions (`-r`) or a control group, run time, percent.
//!
//! In front are the time of an interval (`-I`), and a processor (`-A`), a thread, or a socket, node and the like with the number
//! of its processors. A decimal comma makes one field more of a line with commas, and is refused.

use numasim_study::Problem;

use super::counter::{Counter, Odd, Output, has_size, is_silent, no_count, other_language, span, value};
use super::events::is_unit;
use crate::csv_rows::shown;
use crate::formats::lines::{Line, lines};

/// Fields in front of the unit: time, name, its processors, and a value that a language has cut into several.
const MOST_IN_FRONT: usize = 8;

pub(super) fn read(text: &str) -> Result<Output, Problem> {
    let mut output = Output::default();
    let mut started = 0;
    let separator = separator(text).unwrap_or(',');
    for line in lines(text) {
        if is_silent(line, &mut started)? {
            continue;
        }
        let fields = Fields::of(line, separator);
        match fields.unit_at() {
            Some(at) => add(&mut output, &fields, at)?,
            // A derived metric has a line without a count: ",,,,,,0.35,metric".
            None if fields.all.iter().filter(|field| field.is_empty()).count() >= 3 => {}
            None => return Err(fields.no_line()),
        }
    }
    Ok(output)
}

/// What separates the fields of a text: with it an event follows a unit.
pub(super) fn separator(text: &str) -> Option<char> {
    let counts = |line: Line<'_>, separator: &char| Fields::of(line, *separator).unit_at().is_some();
    lines(text)
        .filter(|line| !line.text.trim_start().starts_with('#'))
        .find_map(|line| [',', ';', '|', '\t'].into_iter().find(|separator| counts(line, separator)))
}

/// A line in its fields.
struct Fields<'t> {
    line: Line<'t>,
    separator: char,
    all: Vec<&'t str>,
}

impl<'t> Fields<'t> {
    fn of(line: Line<'t>, separator: char) -> Self {
        Self { line, separator, all: line.text.split(separator).map(str::trim).collect() }
    }

    fn at(&self, at: usize) -> &'t str {
        self.all.get(at).copied().unwrap_or_default()
    }

    /// The unit: an event follows, and a value is before it.
    fn unit_at(&self) -> Option<usize> {
        (1..=MOST_IN_FRONT.min(self.all.len().saturating_sub(2)))
            .find(|&at| is_unit(self.at(at)) && self.at(at + 1).starts_with(|c: char| c.is_alphabetic()))
    }

    fn no_line(&self) -> Problem {
        let problem = self.line.problem(format!(
            "'{}' is no line of `perf stat -x{}`",
            shown(self.line.text.trim()),
            self.separator
        ));
        problem.hint("its lines are VALUE,UNIT,EVENT,RUN TIME,PERCENT; give -o FILE, so that what the program prints goes elsewhere")
    }
}

fn add(output: &mut Output, fields: &Fields<'_>, at: usize) -> Result<(), Problem> {
    let line = fields.line;
    let (counted, mut front) = (fields.at(at - 1), &fields.all[..at - 1]);
    if let [first, rest @ ..] = front
        && first.contains('.')
        && let Ok(time) = first.parse::<f64>()
    {
        output.stamp(time);
        front = rest;
    }
    let digits = |field: &str| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    let named = |name: &str| !name.is_empty() && value(name) == Err(Odd::NoCount);
    match front {
        [] => {}
        [name] if named(name) => {}
        [name, count] if named(name) && has_size(name) && digits(count) => {}
        [.., last] if value(last).is_ok() => {
            return Err(other_language(line, &format!("{last}{}{counted}", fields.separator)));
        }
        _ => return Err(fields.no_line()),
    }
    let (event, behind) = event(&fields.all, at + 1);
    let value = value(counted).map_err(|odd| match odd {
        Odd::OtherLanguage => other_language(line, counted),
        Odd::NoCount => no_count(line, &event, counted),
    })?;
    // Run time and percent: perf writes 100.00, and a language with decimal commas 100,00.
    if let Some([_, whole, decimals]) = behind.windows(3).find(|window| {
        window.iter().all(|field| digits(field)) && window[1].len() <= 3 && window[2].len() == 2
    }) {
        return Err(other_language(line, &format!("{whole}{}{decimals}", fields.separator)));
    }
    if let Some(odd) = behind.iter().find(|field| super::counter::value(field) == Err(Odd::OtherLanguage)) {
        return Err(other_language(line, odd));
    }
    // Behind the event: "0.11%" of repetitions, or a control group, then two numbers.
    let numbers: Vec<f64> = behind
        .iter()
        .skip_while(|field| field.parse::<f64>().is_err())
        .map_while(|field| field.parse::<f64>().ok())
        .take(2)
        .collect();
    let percent = numbers.get(1).copied().filter(|percent| (0.0..=100.0).contains(percent));
    output.counters.push(Counter { event, value, unit: fields.at(at).to_owned(), percent, span: span(line) });
    Ok(())
}

/// The event and the fields behind it: `cpu/event=0xc7,umask=0x1/` has the separator in its name.
fn event<'f, 't>(fields: &'f [&'t str], at: usize) -> (String, &'f [&'t str]) {
    let first = fields.get(at).copied().unwrap_or_default();
    let behind = |at: usize| fields.get(at..).unwrap_or_default();
    if first.matches('/').count() == 1
        && let Some(more) = behind(at + 1).iter().position(|field| field.contains('/'))
    {
        let last = at + 1 + more;
        return (fields[at..=last].join(","), behind(last + 1));
    }
    (first.to_owned(), behind(at + 1))
}
