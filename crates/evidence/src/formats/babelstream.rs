//! BabelStream: what it prints, or its `--csv`. Its kernels are those of STREAM, and Dot, which only reads.
//!
//! ```text
//! Function    MBytes/sec  Min (sec)   Max         Average
//! Copy        128904.123  0.00208     0.00301     0.00215
//! ```

use numasim_model::Access;
use numasim_study::Problem;

use super::likwid_bench::Runs;
use super::lines::{Line, lines, nothing};
use super::runs::Run;
use crate::csv_rows::shown;
use crate::figures::MEGA;

/// The kernels: words of an element, and FLOP; what they are to a machine file.
const KERNELS: [(&str, f64, f64, Option<Access>); 6] = [
    ("Copy", 2.0, 0.0, Some(Access::Copy)),
    ("Mul", 2.0, 1.0, None),
    ("Add", 3.0, 1.0, None),
    ("Triad", 3.0, 2.0, Some(Access::Triad)),
    ("Dot", 2.0, 2.0, Some(Access::Read)),
    ("Nstream", 4.0, 3.0, None),
];
/// How headers of versions 1 to 6 begin to name a unit, in GB: `MBytes/sec`, `max_mbytes_per_sec`, `MB/s`, `MiB/s`.
const UNITS: [(&str, f64); 6] = [
    ("mb", MEGA),
    ("gb", 1.0),
    ("tb", 1e3),
    ("mi", 1.048_576e-3),
    ("gi", 1.073_741_824),
    ("ti", 1_099.511_627_776),
];
/// What runs on an accelerator, whose memory is no NUMA node.
const ACCELERATORS: [&str; 2] = ["CUDA", "HIP"];
const NOTE: &str = "BabelStream, best rates; bytes by its own count, without write-allocate; it does not print the number of its threads. The \
figures are those of one NUMA node if all threads and arrays were there (numactl --cpunodebind=0 --membind=0)";

/// What the names of accelerators have in the line `Using ... device`.
const DEVICES: [&str; 6] = ["nvidia", "geforce", "tesla", "radeon", "instinct", "gpu"];

/// The table whose rows are read.
struct Table {
    csv: bool,
    /// Places of the rate and the least time; the kernel is first.
    rate: usize,
    least: Option<usize>,
    /// Places of elements and of the bytes of a word.
    elements: Option<usize>,
    word: Option<usize>,
    /// GB of one.
    unit: f64,
    /// Of kernels, not of phases such as initialisation.
    kernels: bool,
}

impl Table {
    /// The header of a table; `None` for any other line.
    fn of(line: &str) -> Option<Self> {
        let line = line.trim().to_ascii_lowercase();
        let csv = line.contains(',');
        let cells: Vec<&str> =
            if csv { line.split(',').map(str::trim).collect() } else { line.split_whitespace().collect() };
        let first = *cells.first()?;
        if !matches!(first, "function" | "phase") {
            return None;
        }
        let rate = cells
            .iter()
            .position(|cell| cell.ends_with("/s") || cell.ends_with("/sec") || cell.ends_with("_per_sec"))?;
        let unit = cells.get(rate)?.trim_start_matches("max_");
        let unit = UNITS.into_iter().find(|(name, _)| unit.starts_with(name))?.1;
        let place = |name: &str| cells.iter().position(|cell| *cell == name).filter(|_| csv);
        Some(Self {
            csv,
            rate,
            least: if csv { place("min_runtime").or(place("runtime")) } else { Some(2) },
            elements: place("n_elements"),
            word: place("sizeof"),
            unit,
            kernels: first == "function",
        })
    }
}

/// Whether this is output of BabelStream.
pub(super) fn is_babelstream(text: &str) -> bool {
    lines(text).any(|line| {
        line.text.trim() == "BabelStream"
            || Table::of(line.text).is_some_and(|table| table.csv || table.rate == 1)
    })
}

/// Reads its output, in either form.
///
/// # Errors
/// The line that is wrong: not a number, no kernel, a failed validation, an accelerator.
pub(super) fn read(text: &str) -> Result<Runs, Problem> {
    let mut runs = Vec::new();
    let mut notes = vec![NOTE.to_owned()];
    let (mut word, mut elements, mut open) = (8.0, None, None::<Table>);
    for line in lines(text) {
        let trimmed = line.text.trim();
        let lower = trimmed.to_ascii_lowercase();
        if trimmed == "BabelStream" {
            (word, elements, open) = (8.0, None, None);
        } else if let Some(implementation) = line.after("Implementation:") {
            if ACCELERATORS.contains(&implementation) {
                let problem = line.problem(format!("{implementation} measures the memory of an accelerator"));
                return Err(problem.hint("measure a NUMA node with another implementation, such as OpenMP"));
            }
            let note = format!("implementation: {implementation}");
            if !notes.contains(&note) {
                notes.push(note);
            }
        } else if lower.starts_with("using ") && DEVICES.iter().any(|device| lower.contains(device)) {
            let problem = line.problem("this ran on an accelerator, whose memory is no NUMA node");
            return Err(problem.hint("measure a NUMA node with its own processors, such as with OpenMP"));
        } else if let Some(precision) = line.after("Precision:") {
            word = if precision == "float" { 4.0 } else { 8.0 };
        } else if let Some(count) = line.after("Number of elements:") {
            elements = Some(line.number(count, false)?);
        } else if let Some(size) = line.after("Array size:") {
            elements = elements.or(array(size).map(|gb| (gb * 1e9 / word).round()));
        } else if lower.contains("failed validation") || lower.contains("validation failed") {
            let problem = line.problem("BabelStream computed a wrong result: its rates are invalid");
            return Err(problem.hint("build it with other compiler options and measure again"));
        } else if let Some(table) = Table::of(line.text) {
            open = Some(table);
        } else if let Some(table) = open.as_ref().filter(|table| table.kernels && !trimmed.is_empty()) {
            match row(&line, table, word, elements)? {
                Some(run) => runs.push(run),
                None => open = None,
            }
        }
    }
    if runs.is_empty() {
        let hint = "import its table, with or without --csv: a header `Function    MBytes/sec  Min (sec) ...`, and a row for each kernel";
        return Err(nothing(text, "BabelStream", hint));
    }
    Ok((runs, notes))
}

/// A row of a table; `None` behind its end.
fn row(line: &Line<'_>, table: &Table, word: f64, elements: Option<f64>) -> Result<Option<Run>, Problem> {
    let cells: Vec<&str> = if table.csv {
        line.text.split(',').map(str::trim).collect()
    } else {
        line.text.split_whitespace().collect()
    };
    let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
    let number = |at: Option<usize>| at.map(|at| line.number(cell(at), false)).transpose();
    let Some(&(kernel, words, flop, access)) = KERNELS.iter().find(|(name, ..)| *name == cell(0)) else {
        if cell(table.rate).parse::<f64>().is_err() {
            return Ok(None);
        }
        let problem = line.problem(format!("'{}' is not a kernel of BabelStream", shown(cell(0))));
        return Err(problem.hint("the kernels are Copy, Mul, Add, Triad, Dot and Nstream"));
    };
    let bandwidth_gbs = line.bandwidth(line.number(cell(table.rate), false)?, table.unit)?;
    let word = number(table.word)?.unwrap_or(word);
    let elements = number(table.elements)?.or(elements);
    Ok(Some(Run {
        kernel: kernel.to_owned(),
        access,
        bandwidth_gbs,
        gflops: Some(bandwidth_gbs * flop / (words * word)),
        // Three arrays, whatever the kernel uses.
        size_bytes: elements.map(|elements| 3.0 * elements * word),
        time_s: number(table.least)?,
        ..Run::default()
    }))
}

/// `268.4 MB (=0.3 GB)` in GB.
fn array(size: &str) -> Option<f64> {
    let mut words = size.split_whitespace();
    let value = words.next()?.parse::<f64>().ok()?;
    let unit = words.next()?.to_ascii_lowercase();
    let (_, gb) = UNITS.into_iter().find(|(name, _)| unit.starts_with(name))?;
    Some(value * gb).filter(|gb| gb.is_finite() && *gb > 0.0)
}
