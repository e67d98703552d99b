//! Output of `perf stat`: with `-x,` (CSV), with `-j` (JSON, an object a line), or as it is printed for people.
//!
//! FLOP come from `fp_arith_inst_retired.*` (1 to 16 FLOP each) and the like, bytes from the counters of the memory controllers
//! (`uncore_imc/cas_count_read/` and the like). Where no memory controller was counted, misses of the last cache stand for
//! lines of 64 B, as an estimate. Counts of several processors, sockets, nodes or intervals are added.

mod counter;
mod csv_form;
mod events;
mod json_form;
#[cfg(test)]
mod tests;
mod text_form;

use numasim_study::Problem;

use super::counted::Kind;
use super::counted::{Amount, Run};
use crate::csv_rows::shown;
use crate::figures::{self, too_fast, too_much};
use crate::formats::lines::{lines, nothing};
use counter::{Counter, Output, Value};
use events::{Direction, Family, Flop, Meaning, Traffic, bytes_each, meaning, seconds_each};

const HINT: &str = "give the output of `perf stat -x, -o FILE -e EVENTS -- PROGRAM`, with -j instead of -x,, or without either";
/// A counter that ran for less of the time was scaled up by perf.
const ALL_THE_TIME: f64 = 99.995;

/// Reads the output of one `perf stat`.
///
/// # Errors
/// The line that is none of its lines, a second run in the same file, a unit that nobody knows.
pub fn read_perf(text: &str) -> Result<Run, Problem> {
    let first =
        lines(text).map(|line| line.text.trim()).find(|line| !line.is_empty() && !line.starts_with('#'));
    let output = match first {
        None => return Err(nothing(text, "perf stat", HINT)),
        Some(line) if line.starts_with('{') => json_form::read(text)?,
        Some(_) if !text.contains(text_form::HEADER) && csv_form::separator(text).is_some() => {
            csv_form::read(text)?
        }
        Some(_) => text_form::read(text)?,
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
                // Of several intervals the sum; of several processors each says the same.
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
            return Err(counter.problem(text, why).hint(figures::HINT));
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

/// All FLOP. An event that counts several kinds is taken in place of those that count one of them.
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
                // The same FLOP may be counted by another event.
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
