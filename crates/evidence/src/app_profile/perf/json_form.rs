//! `perf stat -j`: an object a line.

use numasim_model::input::Problem;
use serde_json::{Map, Value as Json};

use super::counter::{Counter, Output, is_silent, span, value};
use crate::csv_rows::shown;
use crate::import::lines::lines;

pub(super) fn read(text: &str) -> Result<Output, Problem> {
    let mut output = Output::default();
    let mut started = 0;
    for line in lines(text) {
        if is_silent(line, &mut started)? {
            continue;
        }
        let trimmed = line.text.trim();
        let object: Map<String, Json> = serde_json::from_str(trimmed).map_err(|error| {
            let problem = line.problem(format!("this is no JSON object: {error}"));
            problem.hint("`perf stat -j -o FILE` writes an object a line, and nothing else")
        })?;
        let word = |key: &str| object.get(key).and_then(Json::as_str);
        let number = |key: &str| object.get(key).and_then(Json::as_f64);
        if let Some(time) = number("interval").filter(|time| time.is_finite()) {
            output.intervals = true;
            output.seconds = Some(output.seconds.unwrap_or(0.0).max(time));
        }
        let (Some(event), Some(counted)) = (word("event"), word("counter-value")) else {
            // A metric without a counter of its own.
            if object.contains_key("metric-value") {
                continue;
            }
            let problem =
                line.problem("this object has neither `event` with `counter-value` nor `metric-value`");
            return Err(problem.hint("give the output of `perf stat -j` as it was written"));
        };
        let counted = value(counted)
            .ok_or_else(|| line.problem(format!("`counter-value` is '{}', not a count", shown(counted))))?;
        output.counters.push(Counter {
            event: event.to_owned(),
            value: counted,
            unit: word("unit").unwrap_or_default().to_owned(),
            percent: number("pcnt-running").filter(|percent| (0.0..=100.0).contains(percent)),
            span: span(line),
        });
    }
    Ok(output)
}
