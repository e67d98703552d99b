//! Simultaneous traffic: unequal domains, interleaved memories, unlike applications on one memory.
//!
//! # Problem
//! The other questions of this module are about one curve or one memory. These sets have many threads on several domains, data on several
//! memories and applications with known traffic. `results/published-data/CHOICES.md` stated before any error was known which question each
//! of them decides, and which values are given or predicted.
//!
//! # Method
//! A file becomes values (`domains`, `memories`, `home`, `pair`), each with its null models and the models in question. [`verdict`] decides whether
//! a model is better than every null model beyond noise. The columns of a file identify its kind, so that any file with the same columns is judged
//! alike ([`judge`]).

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

mod chiplets;
mod codes;
mod domains;
mod home;
mod interleave;
mod latency;
mod memories;
mod pair;
mod processes;
mod readers;
#[cfg(test)]
mod tests;
pub(crate) mod verdict;

use numasim_study::Problem;

use super::{Judged, Part, PublishedError, Role};
use numasim_study::csv::{Row, Rows, first, is_full};
pub(crate) use readers::COLUMNS as MEMORIES;

/// One kind of file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// A description of its rows.
    pub(crate) about: &'static str,
    /// The columns that it needs; others do not matter.
    pub(crate) columns: &'static [&'static str],
    judge: fn(&str) -> Result<Vec<Judged>, PublishedError>,
    carried: &'static [&'static str],
}

/// The machine whose pairs may be used to choose a form or a setting.
const CHOSE: &str = "apache-128";

/// The kinds of files, in the order in which they are printed.
pub(crate) const FORMATS: [Format; 14] = [
    Format {
        about: "LULESH over cores",
        columns: &codes::LULESH,
        judge: codes::lulesh,
        carried: &[include_str!("../../../../../results/published-data/data/together/lulesh_scaling.csv")],
    },
    Format {
        about: "SPEChpc over ranks",
        columns: &codes::SPECHPC,
        judge: codes::spechpc,
        carried: &[include_str!("../../../../../results/published-data/data/together/spechpc_tiny.csv")],
    },
    Format {
        about: "threads of one process on two sockets",
        columns: &processes::THREADS,
        judge: processes::threads,
        carried: &[include_str!("../../../../../results/published-data/data/together/triad_threads.csv")],
    },
    Format {
        about: "processes at once",
        columns: &processes::PROCESSES,
        judge: processes::processes,
        carried: &[include_str!("../../../../../results/published-data/data/together/triad_processes.csv")],
    },
    Format {
        about: "threads on several memory domains",
        columns: &processes::DOMAINS,
        judge: processes::domains,
        carried: &[include_str!(
            "../../../../../results/published-data/data/together/noctua2_memory_domains.csv"
        )],
    },
    Format {
        about: "kernels of LULESH",
        columns: &codes::KERNELS,
        judge: codes::kernels,
        carried: &[include_str!("../../../../../results/published-data/data/together/lulesh_22kernels.csv")],
    },
    Format {
        about: "STREAM under numactl",
        columns: &interleave::NUMACTL,
        judge: interleave::numactl,
        carried: &[include_str!(
            "../../../../../results/published-data/data/together/kunpeng920_interleave.csv"
        )],
    },
    Format {
        about: "STREAM with weights",
        columns: &interleave::WEIGHTED,
        judge: interleave::weighted,
        carried: &[include_str!("../../../../../results/published-data/data/together/stream_dram_cxl.csv")],
    },
    Format {
        about: "reads and writes over sets of nodes",
        columns: &interleave::SWEEP,
        judge: interleave::sweep,
        carried: &[include_str!(
            "../../../../../results/published-data/data/together/xeon6787p_interleave.csv"
        )],
    },
    Format {
        about: "local and global memory",
        columns: &home::COLUMNS,
        judge: home::judge,
        carried: &[include_str!("../../../../../results/published-data/data/together/stream_one_home.csv")],
    },
    Format {
        about: "unlike applications on one memory",
        columns: &pair::COLUMNS,
        judge: pair::judge,
        carried: &[
            include_str!("../../../../../results/published-data/data/together/spr_mlc_rn50_pair.csv"),
            include_str!("../../../../../results/published-data/data/together/hpi_dram_pairs.csv"),
        ],
    },
    Format {
        about: "local and remote threads on memories",
        columns: &readers::COLUMNS,
        judge: readers::judge,
        carried: &[include_str!("../../../../../results/published-data/data/together/hpi_ac922_gh200.csv")],
    },
    Format {
        about: "threads on chiplets",
        columns: &chiplets::COLUMNS,
        judge: chiplets::judge,
        carried: &[include_str!("../../../../../results/published-data/data/together/chiplets.csv")],
    },
    Format {
        about: "loaded latency",
        columns: &latency::COLUMNS,
        judge: latency::judge,
        carried: &[include_str!("../../../../../results/published-data/data/together/loaded_latency.csv")],
    },
];

/// All included sets.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn carried() -> Result<Vec<Judged>, PublishedError> {
    let files = FORMATS.iter().flat_map(|format| format.carried.iter().map(|text| (format.judge)(text)));
    let mut judged = files.collect::<Result<Vec<_>, _>>()?.concat();
    for one in &mut judged {
        let chose = match (one.part, one.machine.as_deref()) {
            (Part::Pair, Some(machine)) => machine == CHOSE,
            (Part::Latency, Some(machine)) => latency::chose(machine),
            _ => false,
        };
        one.role = if chose { Role::Chose } else { Role::Tests };
    }
    Ok(judged)
}

/// The sets of a user's file. The columns identify its kind.
///
/// # Errors
/// No kind has these columns, or rows are invalid, with their places.
pub(crate) fn judge(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let rows = Rows::new(text)?;
    let missing = |format: &Format| -> Vec<&str> {
        format.columns.iter().copied().filter(|name| rows.column(name).is_none()).collect()
    };
    // The first of equal ones.
    let nearest = FORMATS.iter().min_by_key(|format| missing(format).len());
    match nearest.map(|format| (format, missing(format))) {
        Some((format, missing)) if missing.is_empty() => {
            if !format.columns.iter().any(|name| name.starts_with("mem")) {
                super::refuse_memories(&rows).map_err(PublishedError::Data)?;
            }
            (format.judge)(text)
        }
        Some((format, missing)) => {
            let quoted: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
            let message = format!(
                "no set has these columns; for {} there is no column {}",
                format.about,
                quoted.join(", ")
            );
            let hint =
                format!("its columns are {}; `published --help` lists all kinds", format.columns.join(","));
            Err(rows.header_lacks(message).hint(hint).into())
        }
        None => Ok(Vec::new()),
    }
}

/// Passes on the rows of a text with the places of the columns of a kind of file, and collects the errors in them.
fn each_row<const N: usize>(
    text: &str,
    columns: [&str; N],
    mut take: impl FnMut(&Row<'_>, [usize; N]) -> Result<(), Problem>,
) -> Result<(), PublishedError> {
    let mut rows = Rows::new(text)?;
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(columns) {
        *place =
            rows.column(name).ok_or_else(|| rows.header_lacks(format!("there is no column `{name}`")))?;
    }
    let mut problems = Vec::new();
    while let Some(row) = rows.next() {
        if let Err(problem) = row.and_then(|row| take(&row, places)) {
            problems.push(problem);
            if is_full(&problems) {
                break;
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(PublishedError::Data(first(problems))) }
}

/// A number above zero.
fn positive(row: &Row<'_>, column: usize, example: &str) -> Result<f64, Problem> {
    let value = row.amount(column, example)?;
    if value > 0.0 {
        return Ok(value);
    }
    let message = "a figure of 0 has no relative error";
    Err(row.problem(column, numasim_study::ProblemKind::BadValue, message).hint(format!("write {example}")))
}

/// The fraction of the bytes that are writes; none if the file does not define it.
fn write_share(row: &Row<'_>, column: Option<usize>) -> Result<f64, Problem> {
    let Some(column) = column else { return Ok(0.0) };
    let value = row.amount(column, "0 for reads, 1 for stores")?;
    if value <= 1.0 {
        return Ok(value);
    }
    let message = "a part of the bytes is at most 1";
    Err(row.problem(column, numasim_study::ProblemKind::BadValue, message).hint("write 0.5 for half of them"))
}
