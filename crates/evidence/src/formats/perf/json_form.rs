//! `perf stat -j`: an object a line.

use numasim_study::Problem;
use serde_json::{Map, Value as Json};

use super::counter::{Counter, Odd, Output, is_silent, no_count, other_language, span, value};
use crate::formats::lines::lines;

pub(super) fn read(text: &str) -> Result<Output, Problem> {
    let mut output = Output::default();
    let mut started = 0;
    for line in lines(text) {
        if is_silent(line, &mut started)? {
            continue;
        }
        let trimmed = line.text.trim();
        if let Some(word) = comma(trimmed) {
            return Err(other_language(line, word));
        }
        let object: Map<String, Json> = serde_json::from_str(trimmed).map_err(|error| {
            let problem = line.problem(format!("this is no JSON object: {error}"));
            problem.hint("`perf stat -j -o FILE` writes an object a line, and nothing else")
        })?;
        let word = |key: &str| object.get(key).and_then(Json::as_str);
        let number = |key: &str| object.get(key).and_then(Json::as_f64);
        if let Some(time) = number("interval").filter(|time| time.is_finite()) {
            output.stamp(time);
        }
        // A string, or a number where another program has written the file anew.
        let counted = object.get("counter-value").map(|value| match value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        });
        let (Some(event), Some(counted)) = (word("event"), counted) else {
            // A metric without a counter of its own.
            if object.contains_key("metric-value") {
                continue;
            }
            let problem =
                line.problem("this object has neither `event` with `counter-value` nor `metric-value`");
            return Err(problem.hint("give the output of `perf stat -j` as it was written"));
        };
        let value = value(&counted).map_err(|odd| match odd {
            Odd::OtherLanguage => other_language(line, &counted),
            Odd::NoCount => no_count(line, event, &counted),
        })?;
        output.counters.push(Counter {
            event: event.to_owned(),
            value,
            unit: word("unit").unwrap_or_default().to_owned(),
            percent: number("pcnt-running").filter(|percent| (0.0..=100.0).contains(percent)),
            span: span(line),
        });
    }
    Ok(output)
}

/// A number with a comma that no string encloses, `"pcnt-running" : 100,00`: this is not even JSON.
fn comma(line: &str) -> Option<&str> {
    line.split(':').skip(1).find_map(|rest| {
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.'))).unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches(',');
        word.contains(',').then_some(word)
    })
}
