//! `perf stat -x,`: value, unit, event, perhaps the spread of repetitions (`-r`) or a control group, run time, percent.

use numasim_model::input::Problem;

use super::counter::{Counter, Output, is_silent, place, separator, span, value};
use crate::csv_rows::shown;
use crate::import::lines::{Line, lines};

pub(super) fn read(text: &str) -> Result<Output, Problem> {
    let mut output = Output::default();
    let mut used: Option<char> = None;
    let mut started = 0;
    for line in lines(text) {
        if is_silent(line, &mut started)? {
            continue;
        }
        let trimmed = line.text.trim();
        let separator = match used {
            Some(separator) => separator,
            None => *used.insert(separator(line.text).unwrap_or(',')),
        };
        let Some(at) = place(line.text, separator) else {
            // A derived metric has a line without a count: ",,,,,,0.35,metric".
            if line.text.split(separator).take(3).all(|field| field.trim().is_empty()) {
                continue;
            }
            let problem =
                line.problem(format!("'{}' is no line of `perf stat -x{separator}`", shown(trimmed)));
            return Err(problem.hint("its lines are VALUE,UNIT,EVENT,RUN TIME,PERCENT; give -o FILE, so that what the program prints goes elsewhere"));
        };
        add(&mut output, line, separator, at);
    }
    Ok(output)
}

fn add(output: &mut Output, line: Line<'_>, separator: char, at: usize) {
    let fields: Vec<&str> = line.text.split(separator).map(str::trim).collect();
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    if at == 1 {
        // A number before the value is the time of an interval, a name that of a processor.
        if let Ok(time) = field(0).parse::<f64>() {
            output.intervals = true;
            output.seconds = Some(output.seconds.unwrap_or(0.0).max(time)).filter(|time| time.is_finite());
        }
    }
    let Some(value) = value(field(at)) else { return };
    // Behind the event: "0.11%" of repetitions, or a control group, then two numbers.
    let numbers: Vec<f64> = fields
        .iter()
        .skip(at + 3)
        .skip_while(|field| field.parse::<f64>().is_err())
        .map_while(|field| field.parse::<f64>().ok())
        .take(2)
        .collect();
    let percent = numbers.get(1).copied().filter(|percent| (0.0..=100.0).contains(percent));
    output.counters.push(Counter {
        event: field(at + 2).to_owned(),
        value,
        unit: field(at + 1).to_owned(),
        percent,
        span: span(line),
    });
}
