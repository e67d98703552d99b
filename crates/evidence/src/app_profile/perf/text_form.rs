//! What `perf stat` prints for people: counts with separators of thousands, and the time that passed.

use numasim_model::input::Problem;

use super::counter::{Counter, Output, Value, second_run, span};
use super::events::is_unit;
use crate::csv_rows::shown;
use crate::import::lines::{Line, lines};

const HEADER: &str = "Performance counter stats for";

pub(super) fn read(text: &str) -> Result<Output, Problem> {
    let has_header = text.contains(HEADER);
    let mut output = Output::default();
    let mut inside = !has_header;
    let mut headers = 0;
    for line in lines(text) {
        let trimmed = line.text.trim();
        if trimmed.starts_with(HEADER) {
            headers += 1;
            if headers > 1 {
                return Err(second_run(line));
            }
            inside = true;
            continue;
        }
        if trimmed.is_empty() || trimmed.starts_with('#') || !inside {
            continue; // before the header the program itself prints
        }
        if let Some(seconds) = elapsed(trimmed) {
            output.seconds = Some(seconds);
            inside = false;
        } else if let Some(counter) = counter(line, &mut output) {
            output.counters.push(counter);
        } else if has_header {
            let problem = line.problem(format!("'{}' is no line of perf stat", shown(trimmed)));
            return Err(problem.hint(
                "counts look like `1,234 MiB uncore_imc/cas_count_read/ # ...`; with LC_ALL=C perf separates thousands by commas",
            ));
        }
    }
    Ok(output)
}

/// `39.428329959 seconds time elapsed`, `0.1015408 +- 0.0000461 seconds time elapsed  ( +-  0.05% )`.
fn elapsed(line: &str) -> Option<f64> {
    let (before, _) = line.split_once("seconds time elapsed")?;
    let seconds = before.split_whitespace().next()?.parse::<f64>().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
}

/// `765.35 MiB uncore_imc/cas_count_read/ # 0.80 DRAM_BW_Use (66.57%)`.
fn counter(line: Line<'_>, output: &mut Output) -> Option<Counter> {
    let (counted, _) = line.text.split_once('#').unwrap_or((line.text, ""));
    let mut words: Vec<&str> =
        counted.split_whitespace().filter(|word| !word.starts_with(['(', '['])).collect();
    // What is left of `( +-  0.05% )`.
    words.retain(|word| {
        *word != "+-"
            && *word != ")"
            && !word.ends_with("%)")
            && !word.ends_with("%]")
            && !word.ends_with('%')
    });
    let mut at = 0;
    // A processor (`CPU0`), or a socket or node (`S0`, `N0`) with the number of its processors; a time stamp (`-I`).
    if words.first().is_some_and(|word| {
        word.starts_with(|c: char| c.is_ascii_uppercase()) && word.contains(|c: char| c.is_ascii_digit())
    }) {
        at = 1;
    }
    let value_at = |at: usize| {
        let word = words.get(at)?;
        if *word == "<not" {
            let why = match *words.get(at + 1)? {
                "counted>" => "not counted",
                "supported>" => "not supported",
                _ => return None,
            };
            return Some((Value::Not(why), at + 2));
        }
        number(word).map(|number| (Value::Counted(number), at + 1))
    };
    if at == 0 && value_at(0).is_some() && value_at(1).is_some() {
        let time = words.first()?.parse::<f64>().ok()?;
        output.intervals = true;
        output.seconds = Some(output.seconds.unwrap_or(0.0).max(time)).filter(|time| time.is_finite());
        at = 1;
    } else if at == 1 && value_at(1).is_some() && value_at(2).is_some() {
        at = 2;
    }
    let (value, mut next) = value_at(at)?;
    let unit =
        words.get(next).copied().filter(|word| is_unit(word) && words.len() > next + 1).unwrap_or_default();
    next += usize::from(!unit.is_empty());
    let event = words.get(next)?;
    if words.len() > next + 1 || !event.starts_with(|c: char| c.is_alphabetic()) {
        return None;
    }
    Some(Counter {
        event: (*event).to_owned(),
        value,
        unit: unit.to_owned(),
        percent: percent(line.text),
        span: span(line),
    })
}

/// `563,539,901,688`, `0.75`: commas, apostrophes and thin spaces separate thousands. A number with two points is none, as
/// nobody can tell what they separate.
fn number(word: &str) -> Option<f64> {
    let plain: String =
        word.chars().filter(|c| !matches!(c, ',' | '\'' | '\u{2019}' | '\u{202f}' | '\u{a0}')).collect();
    let numeric = plain.starts_with(|c: char| c.is_ascii_digit())
        && plain.chars().all(|c| c.is_ascii_digit() || c == '.');
    numeric.then(|| plain.parse::<f64>().ok()).flatten().filter(|value| value.is_finite())
}

/// The last `(66.57%)` or `[66.57%]` that is no spread.
fn percent(line: &str) -> Option<f64> {
    let end = line.trim_end();
    let inner = end.strip_suffix("%)").or_else(|| end.strip_suffix("%]"))?;
    let begin = inner.rfind(['(', '['])?;
    let percent = inner.get(begin + 1..)?.trim().parse::<f64>().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent)
}
