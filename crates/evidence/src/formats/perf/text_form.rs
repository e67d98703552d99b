//! What `perf stat` prints for people: counts with separators of thousands, and the time that passed.

use numasim_study::Problem;

use super::counter::{
    Counter, Odd, Output, Value, grouped, has_size, is_group, not, other_language, second_run, span,
};
use super::events::is_unit;
use crate::csv_rows::shown;
use crate::formats::lines::{Line, lines};

pub(super) const HEADER: &str = "Performance counter stats for";

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
        if let Some(word) =
            foreign(trimmed).filter(|_| has_header || trimmed.starts_with(|c: char| c.is_ascii_digit()))
        {
            return Err(other_language(line, word));
        }
        if let Some(seconds) = elapsed(trimmed) {
            output.seconds = Some(seconds);
            inside = false;
        } else if let Some(counter) = counter(line, &mut output)? {
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

/// A number of this line that is not written with a decimal point: a time, a percent, a metric.
fn foreign(line: &str) -> Option<&str> {
    let words = line.split_ascii_whitespace().map(|word| word.trim_matches(['(', ')', '[', ']', '%']));
    words.into_iter().find(|word| !is_stamp(word) && grouped(word) == Err(Odd::OtherLanguage))
}

/// The time of an interval has a point in any language: `1.001102293`.
fn is_stamp(word: &str) -> bool {
    word.contains('.') && !word.contains(',') && word.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `765.35 MiB uncore_imc/cas_count_read/ # 0.80 DRAM_BW_Use (66.57%)`; in front perhaps the time of an interval (`-I`), and
/// a processor (`CPU0`), or a socket or node (`S0`, `N0`) with the number of its processors.
fn counter(line: Line<'_>, output: &mut Output) -> Result<Option<Counter>, Problem> {
    let (counted, _) = line.text.split_once('#').unwrap_or((line.text, ""));
    // Not at the narrow spaces with which some languages separate thousands.
    let mut words: Vec<&str> =
        counted.split_ascii_whitespace().filter(|word| !word.starts_with(['(', '['])).collect();
    // What is left of `( +-  0.05% )`.
    words.retain(|word| {
        *word != "+-"
            && *word != ")"
            && !word.ends_with("%)")
            && !word.ends_with("%]")
            && !word.ends_with('%')
    });
    let is_value = |at: usize| words.get(at).is_some_and(|word| *word == "<not" || grouped(word).is_ok());
    let mut at = 0;
    let mut stamp = None;
    if let [time, next, ..] = words.as_slice()
        && is_stamp(time)
        && (is_value(1) || is_group(next))
    {
        stamp = time.parse::<f64>().ok();
        at = 1;
    }
    if let Some(name) = words.get(at).filter(|word| is_group(word)) {
        at += 1;
        at += usize::from(has_size(name) && is_value(at) && is_value(at + 1));
    }
    if is_value(at) && is_value(at + 1) {
        // 1 234 567: spaces between thousands.
        return Err(other_language(line, &words[at..=at + 1].join(" ")));
    }
    let (value, mut next) = match words.get(at..).unwrap_or_default() {
        ["<not", why, ..] => match not(&format!("<not {why}")) {
            Some(why) => (Value::Not(why), at + 2),
            None => return Ok(None),
        },
        [word, ..] => match grouped(word) {
            Ok(number) => (Value::Counted(number), at + 1),
            Err(Odd::OtherLanguage) => return Err(other_language(line, word)),
            Err(Odd::NoCount) => return Ok(None),
        },
        [] => return Ok(None),
    };
    let unit =
        words.get(next).copied().filter(|word| is_unit(word) && words.len() > next + 1).unwrap_or_default();
    next += usize::from(!unit.is_empty());
    let Some(event) = words.get(next).filter(|event| event.starts_with(|c: char| c.is_alphabetic())) else {
        return Ok(None);
    };
    if words.len() > next + 1 {
        return Ok(None);
    }
    if let Some(time) = stamp {
        output.stamp(time);
    }
    Ok(Some(Counter {
        event: (*event).to_owned(),
        value,
        unit: unit.to_owned(),
        percent: percent(line.text),
        span: span(line),
    }))
}

/// The last `(66.57%)` or `[66.57%]` that is no spread.
fn percent(line: &str) -> Option<f64> {
    let end = line.trim_end();
    let inner = end.strip_suffix("%)").or_else(|| end.strip_suffix("%]"))?;
    let begin = inner.rfind(['(', '['])?;
    let percent = inner.get(begin + 1..)?.trim().parse::<f64>().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent)
}
