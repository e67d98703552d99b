//! Output of likwid-perfctr: the tables that it prints, or its CSV (`-O`); groups such as MEM_DP, MEM_SP, FLOPS_DP and MEM.
//!
//! FLOP and bytes are those of all hardware threads together. Counters of a socket are in the column of one of its threads,
//! with 0 in the others, so that sums are right, and the row `Operational intensity STAT` is not: it adds ratios.

mod tables;
#[cfg(test)]
mod tests;

use numasim_model::input::{Problem, ProblemKind};

use super::Kind;
use super::run::{Amount, Run, joined};
use crate::csv_rows::shown;
use crate::import::lines::nothing;
use tables::{Group, Table};

const HINT: &str = "give the output of `likwid-perfctr -C 0-3 -g MEM_DP PROGRAM`, with or without -O";

/// FLOP rates in MFLOP/s, as the versions write them; `AVX DP [MFLOP/s]` and the like are parts of these.
const FLOP_RATES: [&str; 8] = [
    "DP [MFLOP/s]",
    "SP [MFLOP/s]",
    "DP MFLOP/s",
    "SP MFLOP/s",
    "DP MFlops/s",
    "SP MFlops/s",
    "DP MFLOP/s (AVX assumed)",
    "SP MFLOP/s (AVX assumed)",
];
const MEMORY_RATE: &str = "Memory bandwidth [MBytes/s]";
const MEMORY_VOLUME: &str = "Memory data volume [GBytes]";
const TIME: &str = "Runtime (RDTSC) [s]";

/// Reads the output of one run of likwid-perfctr; of a program with markers, that of `region`.
///
/// # Errors
/// The line that is wrong, no group with FLOP or memory traffic, several regions and none chosen.
pub fn read_likwid(text: &str, region: Option<&str>) -> Result<Vec<Run>, Problem> {
    let groups = tables::read(text)?;
    if groups.is_empty() {
        return Err(nothing(text, "likwid-perfctr", HINT));
    }
    let mut names: Vec<&str> = groups.iter().filter_map(|group| group.region.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    let listed = names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    let chosen: Vec<&Group<'_>> = match region {
        Some(wanted) => {
            let chosen: Vec<_> =
                groups.iter().filter(|group| group.region.as_deref() == Some(wanted)).collect();
            if chosen.is_empty() {
                let problem =
                    groups[0].line.problem(format!("there is no region '{}' in this output", shown(wanted)));
                let hint = if names.is_empty() {
                    "it has no regions: leave out --region".to_owned()
                } else {
                    format!("its regions are {listed}")
                };
                return Err(problem.hint(hint));
            }
            chosen
        }
        None if names.len() > 1 => {
            let problem = groups[0].line.problem(format!("this output has {} regions", names.len()));
            return Err(problem.hint(format!("choose one with --region: {listed}")));
        }
        None => groups.iter().collect(),
    };
    for (at, group) in chosen.iter().enumerate() {
        if chosen[..at].iter().any(|other| other.number == group.number && other.name == group.name) {
            return Err(group
                .line
                .problem("a second run of likwid-perfctr begins here")
                .hint("keep each run in a file of its own"));
        }
    }
    let mut runs = Vec::new();
    for group in &chosen {
        runs.extend(run(group)?);
    }
    if runs.is_empty() {
        let names: Vec<String> = chosen.iter().map(|group| shown(group.name)).collect();
        let message = format!("{} has neither FLOP nor memory traffic", names.join(", "));
        let mut problem = chosen[0].line.problem(message);
        problem.kind = ProblemKind::MissingKey;
        return Err(problem.hint("measure with -g MEM_DP or MEM_SP, or once with FLOPS_DP and once with MEM"));
    }
    Ok(joined(runs))
}

/// FLOP and bytes of a group; `None` where it has none of both.
fn run(group: &Group<'_>) -> Result<Option<Run>, Problem> {
    let Some(metrics) = &group.metrics else { return Ok(None) };
    let threads = metrics.columns;
    let times = metrics.row(TIME)?;
    let seconds = times.as_ref().and_then(|times| times.iter().flatten().copied().reduce(f64::max));
    let mut run = Run { threads: u32::try_from(threads).ok(), seconds, ..Run::default() };
    let mut flop: Option<f64> = None;
    for name in FLOP_RATES {
        if let Some(rates) = metrics.row(name)? {
            *flop.get_or_insert(0.0) += over_time(&rates, times.as_deref(), 1e6);
        }
    }
    run.flop = flop.map(|value| Amount {
        value,
        kind: Kind::Measured,
        source: format!("MFLOP/s of group {}", shown(group.name)),
    });
    let volume = metrics.row(MEMORY_VOLUME)?.map(|volumes| volumes.iter().flatten().sum::<f64>() * 1e9);
    let bytes = match metrics.row(MEMORY_RATE)? {
        // The rate has more digits where volumes are small.
        Some(rates) if times.is_some() => Some(over_time(&rates, times.as_deref(), 1e6)),
        _ => volume,
    };
    run.bytes = bytes.map(|value| Amount {
        value,
        kind: Kind::Measured,
        source: format!("memory traffic of group {}", shown(group.name)),
    });
    let not_counted = group.events.as_ref().map(Table::not_counted).unwrap_or_default();
    if !not_counted.is_empty() {
        run.doubts.push(format!("not counted: {}; FLOP or bytes are too few", not_counted.join(", ")));
    }
    if run.bytes.as_ref().is_some_and(|bytes| bytes.value > 0.0) {
        run.doubts.push(
            "memory controllers count for all programs of a socket: it has to be idle apart from this one"
                .to_owned(),
        );
    }
    Ok((run.flop.is_some() || run.bytes.is_some()).then_some(run))
}

/// The sum of rates, each times its own time; 1 s where no time is known, so that ratios stay right.
fn over_time(rates: &[Option<f64>], times: Option<&[Option<f64>]>, scale: f64) -> f64 {
    let time = |at: usize| times.map_or(1.0, |times| times.get(at).copied().flatten().unwrap_or(0.0));
    rates.iter().enumerate().filter_map(|(at, rate)| Some((*rate)? * time(at) * scale)).sum()
}
