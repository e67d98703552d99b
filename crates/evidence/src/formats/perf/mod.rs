//! Output of `perf stat`: with `-x,` (CSV), with `-j` (JSON, one object per line), or as printed for people.
//!
//! FLOP come from `fp_arith_inst_retired.*` (1 to 16 FLOP each) and the like, bytes from the counters of the
//! memory controllers (`uncore_imc/cas_count_read/` and the like). If no memory controller was counted,
//! misses of the last cache are counted as lines of 64 B, as an estimate. Counts of several logical CPUs,
//! sockets, nodes or intervals are added.

mod counter;
pub mod device;
#[cfg(test)]
mod tests;

use numasim_study::Problem;
use serde_json::{Map, Value as Json};

use crate::figures::{TOO_FAST_HINT, too_fast, too_much};
use crate::formats::counted::{Amount, Kind, Run};
use crate::formats::lines::{Line, lines, nothing};
use crate::formats::perf::counter::{
    Counter, Direction, Family, Flop, Meaning, Odd, Output, Traffic, Value, bytes_each, grouped, has_size,
    is_group, is_silent, is_unit, meaning, no_count, not, other_language, second_run, seconds_each, span,
    value,
};
use numasim_study::csv::shown;

const HINT: &str = "give the output of `perf stat -x, -o FILE -e EVENTS -- PROGRAM`, with -j instead of -x,, or without either";
/// perf scales up a counter that ran for a smaller share of the time, in percent.
const ALL_THE_TIME: f64 = 99.995;

/// Reads the output of one `perf stat`.
///
/// # Errors
/// A line that is not part of its output, a second run in the same file, or an unknown unit.
pub fn read_perf(text: &str) -> Result<Run, Problem> {
    let first =
        lines(text).map(|line| line.text.trim()).find(|line| !line.is_empty() && !line.starts_with('#'));
    let output = match first {
        None => return Err(nothing(text, "perf stat", HINT)),
        Some(line) if line.starts_with('{') => read_json(text)?,
        Some(_) if !text.contains(HEADER) && separator(text).is_some() => read_csv(text)?,
        Some(_) => read_text(text)?,
    };
    if output.counters.is_empty() {
        return Err(nothing(text, "perf stat", HINT));
    }
    run(text, &output)
}

fn run(text: &str, output: &Output) -> Result<Run, Problem> {
    let mut run = Run { seconds: output.seconds, ..Run::default() };
    let mut used: Vec<&Counter> = Vec::new();
    let counted = |wanted: fn(&Meaning) -> bool| {
        output.counters.iter().filter(move |counter| wanted(&meaning(&counter.event)))
    };
    run.flop = flop(&output.counters, &mut used, &mut run.doubts);
    let memory = counted(|meaning| matches!(meaning, Meaning::Memory(..))).collect();
    run.bytes = memory_bytes(text, memory, &mut used, &mut run.doubts)?;
    if run.bytes.is_none() {
        let misses = counted(|meaning| *meaning == Meaning::LastCacheMiss).collect();
        run.bytes = missed_bytes(misses, &mut used, &mut run.doubts);
    }
    if run.seconds.is_none() {
        for counter in counted(|meaning| *meaning == Meaning::Duration) {
            let each = seconds_each(&counter.unit).ok_or_else(|| unknown_unit(text, counter))?;
            if let Value::Counted(value) = counter.value {
                // Several intervals are added; several logical CPUs each report the same time.
                let sum = run.seconds.get_or_insert(0.0);
                *sum = if output.intervals { *sum + value * each } else { sum.max(value * each) };
            }
        }
    }
    if let Some(seconds) = run.seconds.filter(|&seconds| seconds > 0.0) {
        let rate =
            |amount: &Option<Amount>| amount.as_ref().map_or(0.0, |amount| amount.value / seconds / 1e9);
        let slip = too_fast(rate(&run.bytes)).zip(used.last());
        if let Some((why, counter)) = slip.or_else(|| too_much(rate(&run.flop)).zip(used.first())) {
            return Err(counter.problem(text, why).hint(TOO_FAST_HINT));
        }
    }
    let scaled = used.iter().filter_map(|counter| Some((counter.percent?, &counter.event)));
    let least = scaled.filter(|(percent, _)| *percent < ALL_THE_TIME).min_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((percent, event)) = least {
        run.doubts.push(format!(
            "counters were multiplexed: `{}` ran for {percent:.1} % of the time, and perf scaled its count up; count fewer events at a time",
            shown(event)
        ));
    }
    Ok(run)
}

/// All FLOP. An event that counts several kinds replaces those that count one of them.
fn flop<'c>(
    counters: &'c [Counter],
    used: &mut Vec<&'c Counter>,
    doubts: &mut Vec<String>,
) -> Option<Amount> {
    let flops: Vec<(&Counter, Flop)> = counters
        .iter()
        .filter_map(|counter| match meaning(&counter.event) {
            Meaning::Flop(flop) => Some((counter, flop)),
            _ => None,
        })
        .collect();
    let counted = |counter: &Counter| matches!(counter.value, Value::Counted(_));
    // The kinds of a family that its events have covered.
    let covered = |family: &Family| -> Vec<usize> {
        let of_family = flops.iter().filter(|(counter, flop)| counted(counter) && flop.family == family);
        of_family.flat_map(|(_, flop)| flop.covers).copied().collect()
    };
    let inside = |flop: &Flop| {
        flops.iter().any(|(counter, other)| {
            counted(counter)
                && other.family == flop.family
                && other.covers.len() > flop.covers.len()
                && flop.covers.iter().all(|at| other.covers.contains(at))
        })
    };
    let (mut sum, mut families): (f64, Vec<&Family>) = (0.0, Vec::new());
    for (counter, flop) in &flops {
        match counter.value {
            Value::Counted(value) if !inside(flop) => {
                sum += value * flop.each;
                used.push(counter);
                if !families.contains(&flop.family) {
                    families.push(flop.family);
                }
            }
            Value::Counted(_) => {}
            Value::Not(why) => {
                // Another event may count the same FLOP.
                let others = flops.iter().filter(|(other, of)| {
                    counted(other) && other.event != counter.event && of.family == flop.family
                });
                let known: Vec<usize> = others.flat_map(|(_, of)| of.covers).copied().collect();
                if !flop.covers.iter().all(|at| known.contains(at)) {
                    doubts.push(format!("`{}` was {why}: its FLOP are missing", shown(&counter.event)));
                }
            }
        }
    }
    for family in &families {
        let known = covered(family);
        let missing = family.missing(&known);
        if !missing.is_empty() {
            let name = family.name();
            let name = name.trim_end_matches(".*");
            doubts.push(format!(
                "{name} was not counted for {}: where the program uses them, FLOP are more",
                missing.join(", ")
            ));
        }
        if family.has_doubt(&known) {
            doubts.extend(family.doubt.map(str::to_owned));
        }
    }
    for counter in counters {
        let Meaning::Uncounted(family) = meaning(&counter.event) else { continue };
        let known = family.is_some_and(|family| family.missing(&covered(family)).is_empty());
        if !known && counter.value != Value::Counted(0.0) {
            let doubt = format!(
                "`{}` counts computing, but not in FLOP: what it counts is missing, and the intensity may be too low",
                shown(&counter.event)
            );
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
        }
    }
    let names: Vec<String> = families.iter().map(|family| family.name()).collect();
    (!names.is_empty()).then(|| Amount { value: sum, kind: Kind::Measured, source: names.join(" and ") })
}

fn memory_bytes<'c>(
    text: &str,
    counters: Vec<&'c Counter>,
    used: &mut Vec<&'c Counter>,
    doubts: &mut Vec<String>,
) -> Result<Option<Amount>, Problem> {
    let of = |counter: &Counter| match meaning(&counter.event) {
        Meaning::Memory(traffic, direction) => Some((traffic, direction)),
        _ => None,
    };
    for counter in &counters {
        if let Value::Not(why) = counter.value {
            doubts.push(format!("`{}` was {why}: its bytes are missing", shown(&counter.event)));
        }
    }
    let counted = |counter: &&&Counter| matches!(counter.value, Value::Counted(_));
    let Some(traffic) = counters.iter().filter(counted).filter_map(|counter| Some(of(counter)?.0)).min()
    else {
        return Ok(None);
    };
    let has = |wanted: Direction| {
        counters.iter().filter(counted).any(|counter| of(counter) == Some((traffic, wanted)))
    };
    let (reads, writes) = (has(Direction::Read), has(Direction::Write));
    let mut sum = 0.0;
    for counter in counters {
        let Value::Counted(value) = counter.value else { continue };
        let Some((own, direction)) = of(counter) else { continue };
        if own != traffic || (direction == Direction::Both && (reads || writes)) {
            continue; // the same bytes again
        }
        sum += value * bytes_each(&counter.unit).ok_or_else(|| unknown_unit(text, counter))?;
        used.push(counter);
    }
    if reads != writes {
        let (known, other) = if reads { ("reads", "writes") } else { ("writes", "reads") };
        doubts.push(format!("memory controllers counted {known} only: {other} are missing"));
    }
    doubts.push(
        "memory controllers count for all programs of the machine: it has to be idle apart from this one"
            .to_owned(),
    );
    let source = match traffic {
        Traffic::Cas => "column accesses of the memory controllers (uncore_imc)",
        Traffic::Umc => "column accesses of the memory controllers (amd_umc)",
        Traffic::FreeRunning => "free-running counters of the memory controllers (uncore_imc)",
    };
    Ok(Some(Amount { value: sum, kind: Kind::Measured, source: source.to_owned() }))
}

/// One line of 64 B for each miss.
fn missed_bytes<'c>(
    counters: Vec<&'c Counter>,
    used: &mut Vec<&'c Counter>,
    doubts: &mut Vec<String>,
) -> Option<Amount> {
    let mut sum = None;
    for counter in counters {
        match counter.value {
            Value::Counted(value) => {
                *sum.get_or_insert(0.0) += value * 64.0;
                used.push(counter);
            }
            Value::Not(why) => doubts.push(format!("`{}` was {why}", shown(&counter.event))),
        }
    }
    let value = sum?;
    doubts.push("bytes are estimated from misses of the last cache: prefetches and lines written back are not among them, so that the intensity is an upper limit".to_owned());
    Some(Amount {
        value,
        kind: Kind::Estimated,
        source: "64 B for each miss of the last cache (LLC-load-misses)".to_owned(),
    })
}

fn unknown_unit(text: &str, counter: &Counter) -> Problem {
    let problem = counter.problem(text, format!("'{}' is no unit that is known here", shown(&counter.unit)));
    problem.hint("memory traffic is counted in MiB, MB, GB, Bytes or, without a unit, in lines of 64 B")
}

fn read_json(text: &str) -> Result<Output, Problem> {
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
        // A string, or a number if another program has rewritten the file.
        let counted = object.get("counter-value").map(|value| match value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        });
        let (Some(event), Some(counted)) = (word("event"), counted) else {
            // A metric without a counter.
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

/// A number with a comma that is not in a string, `"pcnt-running" : 100,00`: this is not even JSON.
fn comma(line: &str) -> Option<&str> {
    line.split(':').skip(1).find_map(|rest| {
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.'))).unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches(',');
        word.contains(',').then_some(word)
    })
}

// `perf stat -x,`: value, unit, event, optionally the spread of repetitions (`-r`) or a control group, run
// time, percent.
//
// The first fields may be the time of an interval (`-I`), and a logical CPU (`-A`), a thread, or a socket,
// node and the like with the number of its logical CPUs. A decimal comma adds a field to a line with commas,
// and is rejected.

/// Maximum number of fields before the unit: time, name, number of logical CPUs, and a value that a language
/// has split into several.
const MOST_IN_FRONT: usize = 8;

fn read_csv(text: &str) -> Result<Output, Problem> {
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

/// The separator of the fields of a text: an event follows a unit after it.
fn separator(text: &str) -> Option<char> {
    let counts = |line: Line<'_>, separator: &char| Fields::of(line, *separator).unit_at().is_some();
    lines(text)
        .filter(|line| !line.text.trim_start().starts_with('#'))
        .find_map(|line| [',', ';', '|', '\t'].into_iter().find(|separator| counts(line, separator)))
}

/// A line, split into fields.
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

    /// The position of the unit: an event follows it, and a value precedes it.
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
    if let Some(odd) = behind.iter().find(|field| counter::value(field) == Err(Odd::OtherLanguage)) {
        return Err(other_language(line, odd));
    }
    // After the event: "0.11%" of repetitions, or a control group, then two numbers.
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

/// The event and the following fields: the name `cpu/event=0xc7,umask=0x1/` contains the separator.
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

const HEADER: &str = "Performance counter stats for";

fn read_text(text: &str) -> Result<Output, Problem> {
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

/// A number of this line without a decimal point: a time, a percentage, a metric.
fn foreign(line: &str) -> Option<&str> {
    let words = line.split_ascii_whitespace().map(|word| word.trim_matches(['(', ')', '[', ']', '%']));
    words.into_iter().find(|word| !is_stamp(word) && grouped(word) == Err(Odd::OtherLanguage))
}

/// Whether a word is the time of an interval, which has a point in any language: `1.001102293`.
fn is_stamp(word: &str) -> bool {
    word.contains('.') && !word.contains(',') && word.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `765.35 MiB uncore_imc/cas_count_read/ # 0.80 DRAM_BW_Use (66.57%)`; optionally preceded by the time of an
/// interval (`-I`), and a logical CPU (`CPU0`), or a socket or node (`S0`, `N0`) with the number of its
/// logical CPUs.
fn counter(line: Line<'_>, output: &mut Output) -> Result<Option<Counter>, Problem> {
    let (counted, _) = line.text.split_once('#').unwrap_or((line.text, ""));
    // Not at the narrow spaces that some languages use as thousands separators.
    let mut words: Vec<&str> =
        counted.split_ascii_whitespace().filter(|word| !word.starts_with(['(', '['])).collect();
    // The remains of `( +-  0.05% )`.
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

/// The last `(66.57%)` or `[66.57%]` that is not a spread.
fn percent(line: &str) -> Option<f64> {
    let end = line.trim_end();
    let inner = end.strip_suffix("%)").or_else(|| end.strip_suffix("%]"))?;
    let begin = inner.rfind(['(', '['])?;
    let percent = inner.get(begin + 1..)?.trim().parse::<f64>().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent)
}
