//! Output of likwid-perfctr: its printed tables, or its CSV (`-O`); groups such as MEM_DP, MEM_SP, FLOPS_DP
//! and MEM.
//!
//! FLOP and bytes are the sums over all hardware threads. Counters of a socket are in the column of one of
//! its threads, with 0 in the others, so sums are correct. The row `Operational intensity STAT` is not,
//! because it adds ratios.

mod tables;
#[cfg(test)]
mod tests;

use numasim_study::{Problem, ProblemKind};

use crate::figures::{TOO_FAST_HINT, too_fast, too_much};
use crate::formats::counted::{Amount, Kind, Part, Run, joined};
use crate::formats::likwid_perfctr::tables::{Group, Output, Table};
use crate::formats::lines::nothing;
use numasim_study::csv::shown;

const HINT: &str = "give the output of `likwid-perfctr -C 0-3 -g MEM_DP PROGRAM`, with or without -O";
const TIME: &str = "Runtime (RDTSC) [s]";

/// Groups of POWER8 and 9 whose `MFLOP/s` count only some instructions.
const SOME_FLOP: [&str; 6] = ["FLOPS_1_2", "FLOPS_4_8", "FLOPS_FMA", "FLOPS_VSU0", "FLOPS_VSU1", "FLOPS_VSX"];

/// Reads the output of one run of likwid-perfctr; for a program with markers, that of `region`.
///
/// # Errors
/// The line with the error, no group with FLOP or memory traffic, or several regions without a choice.
pub fn read_likwid(text: &str, region: Option<&str>) -> Result<Vec<Run>, Problem> {
    let output = tables::read(text)?;
    let groups = &output.groups;
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
            return Err(second_run(group));
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for group in &chosen {
        let found = run(group, &output)?;
        // Without titles this is the only way to distinguish a second run from another group of the same run.
        let again = |run: &Run| {
            let had = |has: fn(&Run) -> bool| has(run) && runs.iter().any(has);
            had(|run| run.flop.is_some()) || had(|run| run.bytes.is_some())
        };
        if group.name == tables::UNTITLED && found.as_ref().is_some_and(again) {
            return Err(second_run(group));
        }
        runs.extend(found);
    }
    if runs.is_empty() {
        let names: Vec<String> = chosen.iter().map(|group| shown(group.name)).collect();
        let message = format!("{} has neither FLOP nor memory traffic", names.join(", "));
        let mut problem = chosen[0].line.problem(message);
        problem.kind = ProblemKind::MissingKey;
        return Err(problem.hint("its rows are parts of them, or of other things. Measure groups with rows such as `DP [MFLOP/s]` and `Memory bandwidth [MBytes/s]`: both in one, or each in one; `likwid-perfctr -a` lists the groups of a processor"));
    }
    Ok(joined(runs))
}

/// A second run begins with this group.
fn second_run(group: &Group<'_>) -> Problem {
    let problem = group.line.problem("a second run of likwid-perfctr begins here");
    problem.hint("keep each run in a separate file")
}

/// FLOP and bytes of a group; `None` if it has neither.
fn run(group: &Group<'_>, output: &Output<'_>) -> Result<Option<Run>, Problem> {
    let Some(figures) = Figures::of(group)? else { return Ok(None) };
    let mut run = Run { threads: figures.threads, seconds: figures.seconds(), ..Run::default() };
    if figures.mean.is_some() {
        run.doubts.push("only statistics over hardware threads are in this output: rates are summed, and times are the mean".to_owned());
    }
    let names = figures.table.names();
    let flops = flop_rows(&names);
    let mut flop: Option<f64> = None;
    for name in &flops.rows {
        if let Some(found) = figures.amount(name, 1e6, too_much, &mut run.doubts)? {
            *flop.get_or_insert(0.0) += found;
        }
    }
    if flops.assumed && flop.is_some() {
        run.doubts.push(format!(
            "FLOP assume that vectors are as wide as in `{}`, with all of their elements in use: narrower ones have fewer",
            shown(flops.rows.first().copied().unwrap_or_default())
        ));
    }
    if let Some(row) = flops.rows.first().filter(|_| flop == Some(0.0)) {
        run.doubts.push(format!(
            "`{}` is 0: if the program computes in another precision, measure that, as in MEM_SP or MEM_DP",
            shown(row)
        ));
    }
    if flop.is_some() && SOME_FLOP.contains(&group.name) {
        run.doubts
            .push(format!("group {} counts some kinds of instructions only: FLOP are more", group.name));
    }
    let kind = if flops.assumed { Kind::Estimated } else { Kind::Measured };
    let source = format!("MFLOP/s of group {}", shown(group.name));
    run.flop = flop.map(|value| Amount { value, kind, source });
    traffic(group, output, &figures, &names, &mut run)?;
    let not_counted = group.events.as_ref().map(Table::not_counted).unwrap_or_default();
    if !not_counted.is_empty() {
        run.doubts.push(format!("not counted: {}; FLOP or bytes are too few", not_counted.join(", ")));
    }
    Ok((run.flop.is_some() || run.bytes.is_some() || run.part.is_some()).then_some(run))
}

/// Bytes of a group, and the caveats.
fn traffic(
    group: &Group<'_>,
    output: &Output<'_>,
    figures: &Figures<'_>,
    names: &[&str],
    run: &mut Run,
) -> Result<(), Problem> {
    let mut found: Vec<(Memory<'_>, f64)> = Vec::new();
    // The rate has more digits if volumes are small.
    let units =
        if figures.seconds().is_some() { [Unit::Rate, Unit::Volume] } else { [Unit::Volume, Unit::Rate] };
    for unit in units {
        for name in names {
            let Some((memory, of_unit)) = memory(name) else { continue };
            if of_unit != unit || found.iter().any(|(known, _)| *known == memory) {
                continue;
            }
            let amount = match unit {
                Unit::Rate => figures.amount(name, 1e6, too_fast, &mut run.doubts)?,
                Unit::Volume => figures.sum(name)?.map(|volume| volume * 1e9),
            };
            found.extend(amount.map(|amount| (memory, amount)));
        }
    }
    found.sort_by_key(|(memory, _)| *memory);
    let of = |wanted: fn(&Memory<'_>) -> bool| {
        found.iter().filter(|(memory, _)| wanted(memory)).collect::<Vec<_>>()
    };
    let all = of(|memory| *memory == Memory::All);
    let kinds = of(|memory| matches!(memory, Memory::Ddr | Memory::Hbm));
    let channels = of(|memory| matches!(memory, Memory::Channels(_)));
    let directions = of(|memory| matches!(memory, Memory::Reads | Memory::Writes));
    let amount = |some: &[&(Memory<'_>, f64)]| Amount {
        value: some.iter().map(|(_, bytes)| bytes).sum(),
        kind: Kind::Measured,
        source: format!("memory traffic of group {}", shown(group.name)),
    };
    // The first complete set of these; a program may use only one kind of memory.
    let whole = [(&all, 1), (&kinds, 1), (&channels, 2), (&directions, 2)];
    if let Some((some, _)) = whole.into_iter().find(|(some, least)| some.len() >= *least) {
        run.bytes = Some(amount(some));
        if all.is_empty()
            && let [(kind, _)] = kinds.as_slice()
        {
            let (known, other) = if *kind == Memory::Hbm { ("HBM", "DDR") } else { ("DDR", "HBM") };
            run.doubts.push(format!(
                "group {} counts {known} only: traffic of {other} is missing, unless no data lies there",
                shown(group.name)
            ));
        }
    } else if let Some((memory, _)) = channels.first().or(directions.first()) {
        let (name, of) = match memory {
            Memory::Channels(name) => (*name, "the channels of a socket (MEM1 and MEM2)"),
            Memory::Reads => ("reads", "reads and writes (MEMREAD and MEMWRITE)"),
            _ => ("writes", "reads and writes (MEMREAD and MEMWRITE)"),
        };
        let some = if channels.is_empty() { &directions } else { &channels };
        run.part = Some(Part { name: name.to_owned(), of: of.to_owned(), amount: amount(some) });
    }
    let bytes = run.bytes.as_ref().or(run.part.as_ref().map(|part| &part.amount));
    if bytes.is_some_and(|bytes| bytes.value > 0.0) {
        run.doubts.push(
            "memory controllers count for all programs of a socket: it has to be idle apart from this one"
                .to_owned(),
        );
        run.doubts.extend(of_processor(output, group, !all.is_empty()).map(str::to_owned));
    }
    Ok(())
}

/// Known errors in the memory counts of a processor.
fn of_processor(output: &Output<'_>, group: &Group<'_>, all: bool) -> Option<&'static str> {
    let kind = output.cpu_type;
    if ["Zen4", "Zen5"].iter().any(|zen| kind.contains(zen)) {
        // github.com/RRZE-HPC/likwid/issues/717
        return Some(
            "on Zen 4 and Zen 5, likwid counts memory correctly only with one NUMA node per socket (NPS1); with NPS2 or NPS4 it counts up to twice as many bytes, and the intensity is too low",
        );
    }
    if kind.contains("(Zen") {
        return Some(
            "on Zen to Zen 3, likwid calls its counts of memory approximate; they are right only with one NUMA node per socket (NPS1)",
        );
    }
    if kind.contains("Knights") && all {
        return Some(if group.name.starts_with("HBM") {
            "this group counts MCDRAM only: traffic of DDR is missing, unless no data lies there"
        } else {
            "this group counts DDR only: traffic of MCDRAM is missing (group HBM), unless no data lies there"
        });
    }
    (output.cpu_name.contains("CPU Max") && all)
        .then_some("this group counts DDR only: traffic of HBM is missing (groups HBM_DP and DDR_HBM), unless no data lies there")
}

/// The table with the values of a group: for its hardware threads, or, if it is the only table, statistics
/// over them.
struct Figures<'g> {
    table: &'g Table<'g>,
    threads: Option<u32>,
    /// Columns of sum and mean, in statistics.
    mean: Option<(usize, usize)>,
    times: Option<Vec<Option<f64>>>,
}

impl<'g> Figures<'g> {
    fn of(group: &'g Group<'g>) -> Result<Option<Self>, Problem> {
        let statistics = || Some((group.statistics.as_ref()?, true));
        let Some((table, of_all)) = group.metrics.as_ref().map(|table| (table, false)).or_else(statistics)
        else {
            return Ok(None);
        };
        let mean = if of_all { table.column("Sum").zip(table.column("Avg")) } else { None };
        let threads = if of_all { None } else { u32::try_from(table.columns.len()).ok() };
        Ok(Some(Self { table, threads, mean, times: table.row(TIME)? }))
    }

    /// Its duration: the longest of all hardware threads.
    fn seconds(&self) -> Option<f64> {
        let times = self.times.as_deref()?;
        match self.mean {
            Some((_, mean)) => times.get(mean).copied().flatten(),
            None => times.iter().flatten().copied().reduce(f64::max),
        }
    }

    /// The sum of a row; `None` without the row, or without any value.
    fn sum(&self, name: &str) -> Result<Option<f64>, Problem> {
        let Some(values) = self.table.row(name)? else { return Ok(None) };
        Ok(match self.mean {
            Some((sum, _)) => values.get(sum).copied().flatten(),
            None => values.iter().flatten().copied().reduce(|sum, value| sum + value),
        })
    }

    /// The amount of a rate in millions: each value times its own time; 1 s if no time is known, so that
    /// ratios are correct.
    fn amount(
        &self,
        name: &str,
        scale: f64,
        limit: fn(f64) -> Option<String>,
        doubts: &mut Vec<String>,
    ) -> Result<Option<f64>, Problem> {
        let (Some(values), Some(rate)) = (self.table.row(name)?, self.sum(name)?) else { return Ok(None) };
        if let Some(problem) = limit(rate / 1e3).and_then(|why| self.table.problem(name, why)) {
            return Err(problem.hint(TOO_FAST_HINT));
        }
        if self.mean.is_some() {
            return Ok(Some(rate * self.seconds().unwrap_or(1.0) * scale));
        }
        let time = |at: usize| match self.times.as_deref() {
            Some(times) => times.get(at).copied().flatten(),
            None => Some(1.0),
        };
        let amounts: Vec<Option<f64>> =
            values.iter().enumerate().map(|(at, rate)| Some((*rate)? * time(at)? * scale)).collect();
        let missing = amounts.iter().filter(|amount| amount.is_none()).count();
        if missing > 0 {
            doubts.push(format!(
                "`{}` has no figure of {missing} of {} hardware threads: they are missing",
                shown(name),
                amounts.len()
            ));
        }
        Ok(amounts.into_iter().flatten().reduce(|sum, amount| sum + amount))
    }
}

// The rows of a group that together are all FLOP and all memory traffic: their names differ between
// processors.
//
// Names are those of likwid's groups (`groups/ARCHITECTURE/*.txt`): `DP [MFLOP/s]` of most, `MFLOP/s` of
// Sandy Bridge to Broadwell, `FP rate [MFLOP/s]` of Grace, `DP (FP+SVE512) [MFLOP/s]` of A64FX, `DP [MFLOP/s]
// (AVX512 assumed)` of Knights Landing; the memory is `Memory`, `HBM`, `DDR`, `MCDRAM Memory` or some of its
// channels. Rows such as `AVX DP [MFLOP/s]` are parts of others.

/// Rows whose rates sum to all FLOP.
#[derive(Debug, Default, PartialEq)]
struct FlopRows<'t> {
    rows: Vec<&'t str>,
    /// Whether they assume a vector width.
    assumed: bool,
}

/// Precisions, which are counted separately.
const PRECISIONS: [&str; 5] = ["DP", "SP", "HP", "BF16", "X87"];
/// The text after a precision, the most certain first; among several assumptions the widest vectors.
const KINDS: [(&str, bool); 8] = [
    ("", false),
    (" (FP+SVE512)", true),
    (" (FP+SVE256)", true),
    (" (FP+SVE128)", true),
    (" (AVX512 assumed)", true),
    (" (AVX assumed)", true),
    (" (SSE assumed)", true),
    (" (SP assumed)", true),
];

/// The rows among these names that sum to all FLOP; empty if there are only parts.
fn flop_rows<'t>(names: &[&'t str]) -> FlopRows<'t> {
    let rates: Vec<(&'t str, String)> =
        names.iter().filter_map(|name| Some((*name, flop_rate(name)?))).collect();
    let find = |wanted: &str| rates.iter().find(|(_, key)| *key == wanted).map(|(name, _)| *name);
    if let Some(all) = find("").or_else(|| find("FP rate")) {
        return FlopRows { rows: vec![all], assumed: false };
    }
    let mut found = FlopRows::default();
    for precision in PRECISIONS {
        let of_kind = |(kind, assumed): (&str, bool)| Some((find(&format!("{precision}{kind}"))?, assumed));
        if let Some((row, assumed)) = KINDS.into_iter().find_map(of_kind) {
            found.rows.push(row);
            found.assumed |= assumed;
        }
    }
    found
}

/// The name of a FLOP rate without its unit: `DP (AVX assumed)`.
fn flop_rate(name: &str) -> Option<String> {
    let unit = ["[MFLOP/s]", "MFLOP/s", "[MFlops/s]", "MFlops/s"];
    let unit = unit.into_iter().find(|unit| name.contains(unit))?;
    Some(name.replace(unit, " ").split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The part of memory that a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Memory<'t> {
    /// All memory.
    All,
    /// DDR of a processor that also has HBM.
    Ddr,
    /// High-bandwidth memory.
    Hbm,
    /// Some channels: `channels 0-3`.
    Channels(&'t str),
    /// Reads only.
    Reads,
    /// Writes only.
    Writes,
}

/// The unit of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// MB/s.
    Rate,
    /// GB.
    Volume,
}

/// The part of memory that a row counts; `None` for other rows, such as those of caches.
fn memory(name: &str) -> Option<(Memory<'_>, Unit)> {
    let (name, unit) = match name.strip_suffix(']')?.rsplit_once('[')? {
        (name, "MBytes/s" | "MByte/s") => (name.trim_end(), Unit::Rate),
        (name, "GBytes" | "GByte") => (name.trim_end(), Unit::Volume),
        _ => return None,
    };
    let words: &[&str] = if unit == Unit::Rate { &[" bandwidth", " BW"] } else { &[" data volume"] };
    let (what, behind) = words.iter().find_map(|word| name.split_once(word))?;
    let channels = behind.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let memory = match (what, channels) {
        ("Memory", None) => Memory::All,
        ("Memory", Some(channels)) => Memory::Channels(channels),
        ("DDR" | "DDR Memory", None) => Memory::Ddr,
        ("HBM" | "MCDRAM" | "MCDRAM Memory", None) => Memory::Hbm,
        ("Memory read" | "Memory load", None) => Memory::Reads,
        ("Memory write" | "Memory writeback" | "Memory evict", None) => Memory::Writes,
        _ => return None,
    };
    Some((memory, unit))
}

#[cfg(test)]
mod rows_tests {
    use super::*;

    #[test]
    fn the_rows_of_each_processor_sum_to_all_flop() {
        for (names, rows, assumed) in [
            (&["DP [MFLOP/s]", "AVX DP [MFLOP/s]"][..], &["DP [MFLOP/s]"][..], false),
            (&["MFLOP/s", "AVX [MFLOP/s]"], &["MFLOP/s"], false),
            (&["SP [MFLOP/s]", "DP [MFLOP/s]"], &["DP [MFLOP/s]", "SP [MFLOP/s]"], false),
            (
                &["FP rate [MFLOP/s]", "SVE FP rate [MFLOP/s]", "Scalar/NEON FP rate [MFLOP/s]"],
                &["FP rate [MFLOP/s]"],
                false,
            ),
            (
                &["DP (FP) [MFLOP/s]", "DP (FP+SVE128) [MFLOP/s]", "DP (FP+SVE512) [MFLOP/s]"],
                &["DP (FP+SVE512) [MFLOP/s]"],
                true,
            ),
            (
                &["SP [MFLOP/s] (SSE assumed)", "SP [MFLOP/s] (AVX512 assumed)"],
                &["SP [MFLOP/s] (AVX512 assumed)"],
                true,
            ),
            (&["DP MFlops/s (AVX assumed)"], &["DP MFlops/s (AVX assumed)"], true),
            (&["HP [MFLOP/s]", "AVX HP [MFLOP/s]"], &["HP [MFLOP/s]"], false),
            (&["Packed SP [MFLOP/s]", "Packed DP [MFLOP/s]"], &[], false),
            // POWER9 counts instructions of both precisions together.
            (&["SP [MFLOP/s] (vector assumed)", "DP [MFLOP/s] (vector assumed)"], &[], false),
        ] {
            assert_eq!(flop_rows(names), FlopRows { rows: rows.to_vec(), assumed }, "{names:?}");
        }
    }

    #[test]
    fn rows_of_memory_are_distinguished_from_those_of_caches() {
        for (name, found) in [
            ("Memory bandwidth [MBytes/s]", Some((Memory::All, Unit::Rate))),
            ("Memory data volume [GBytes]", Some((Memory::All, Unit::Volume))),
            ("Memory BW [MBytes/s]", Some((Memory::All, Unit::Rate))),
            ("Memory bandwidth [MByte/s]", Some((Memory::All, Unit::Rate))),
            (
                "Memory bandwidth (channels 0-3) [MBytes/s]",
                Some((Memory::Channels("channels 0-3"), Unit::Rate)),
            ),
            ("HBM bandwidth [MBytes/s]", Some((Memory::Hbm, Unit::Rate))),
            ("MCDRAM Memory data volume [GBytes]", Some((Memory::Hbm, Unit::Volume))),
            ("DDR bandwidth [MBytes/s]", Some((Memory::Ddr, Unit::Rate))),
            ("Memory evict bandwidth [MBytes/s]", Some((Memory::Writes, Unit::Rate))),
            ("HBM read bandwidth [MBytes/s]", None),
            ("Remote memory bandwidth [MBytes/s]", None),
            ("L3 bandwidth [MBytes/s]", None),
            ("Energy [J]", None),
        ] {
            assert_eq!(memory(name), found, "{name}");
        }
    }
}
