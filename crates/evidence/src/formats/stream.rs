//! STREAM (McCalpin): one run, or the output of many consecutive runs, of stream.c, stream.f or stream_mpi.c;
//! or a CSV with the columns `threads` and `Copy`, `Scale`, `Add` and `Triad` in MB/s. BabelStream is also
//! read.

use numasim_model::Access;
use numasim_study::Problem;

use crate::figures::{MEGA, bandwidth};
use crate::formats::lines::{Line, comments, is_csv, lines, nothing};
use crate::formats::runs::{Run, Runs};
use numasim_study::csv::{Rows, shown};

/// The kernels, by STREAM's own count: words per element (2, 2, 3 and 3) and FLOP (0, 1, 1 and 2).
const KERNELS: [(&str, f64, f64); 4] =
    [("Copy", 2.0, 0.0), ("Scale", 2.0, 1.0), ("Add", 3.0, 1.0), ("Triad", 3.0, 2.0)];
/// Bytes of a word, unless the output contains it.
const DOUBLE: f64 = 8.0;

/// The use of memory of a kernel in a machine file: keys and STREAM count alike, namely the traffic of the
/// kernel without write-allocate. Scale moves the same as Copy, and Add the same as Triad; no kernel writes
/// in place.
fn access(kernel: &str) -> Option<Access> {
    match kernel {
        "Copy" => Some(Access::Copy),
        "Triad" => Some(Access::Triad),
        _ => None,
    }
}

/// The caveat about the values for a machine file.
const FIGURES: &str = "STREAM reads in no kernel alone: bandwidth_gbs, from its fastest one, is at least that, and better from a benchmark that \
only reads. copy_gbs is from Copy, triad_gbs from Triad; nothing becomes update_gbs, and Scale and Add repeat Copy and Triad. They are figures of \
one NUMA node if all threads and arrays were there (numactl --cpunodebind=0 --membind=0), and of stores like those of this build";

/// Reads the output of STREAM: the best rates.
///
/// # Errors
/// The line with the error: not a number, a failed validation, or no table of rates at all.
pub fn read_stream(text: &str) -> Result<Runs, Problem> {
    if is_babelstream(text) {
        return read_babelstream(text);
    }
    if is_csv(text) {
        return read_csv(text);
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut built = Built::default();
    let mut in_table = false;
    // The lines above the table of one run do not apply to the table of another.
    let mut has_table = false;
    for line in lines(text) {
        let is_title = line.after("STREAM version").or_else(|| line.after("STREAM Version")).is_some();
        let is_header = line.after("Function").is_some();
        if has_table && (is_title || is_header || Built::default().read(&line)?) {
            (built, has_table) = (Built::default(), false);
        }
        if is_title {
            in_table = false;
        } else if built.read(&line)? {
        } else if line.text.contains("Failed Validation") {
            let problem = line.problem("STREAM computed a wrong result: its rates are invalid");
            return Err(problem.hint("build STREAM with other compiler options and measure again"));
        } else if is_header {
            in_table = true;
        } else if let Some((kernel, rest)) = line.text.trim().split_once(':').filter(|_| in_table) {
            let Some((kernel, words, flop)) = KERNELS.into_iter().find(|(name, ..)| *name == kernel) else {
                let problem = line.problem(format!("'{}' is not a kernel of STREAM", shown(kernel)));
                return Err(problem.hint("the kernels are Copy, Scale, Add and Triad"));
            };
            let figures: Vec<&str> = rest.split_whitespace().collect();
            let [rate, _, least, _] = figures.as_slice() else {
                let problem = line.problem("a kernel has a rate and three times");
                return Err(problem.hint("leave the output of the tool as it was printed"));
            };
            let bandwidth_gbs = line.bandwidth(line.number(rate, false)?, MEGA)?;
            has_table = true;
            runs.push(Run {
                kernel: kernel.to_owned(),
                access: access(kernel),
                threads: built.threads(),
                bandwidth_gbs,
                gflops: Some(bandwidth_gbs * flop / (words * built.word())),
                // Three arrays.
                size_bytes: built.elements.map(|elements| 3.0 * elements * built.word()),
                time_s: Some(line.number(least, false)?),
                ..Run::default()
            });
        } else if line.text.trim_start().starts_with('-') {
            in_table = false;
        }
    }
    if runs.is_empty() {
        let hint = "import the output of STREAM, with its table `Function    Best Rate MB/s  Avg time     Min time     Max time`";
        return Err(nothing(text, "STREAM", hint));
    }
    Ok((
        runs,
        vec![
            "STREAM, best rates; bytes by STREAM's count, without write-allocate".to_owned(),
            FIGURES.to_owned(),
        ],
    ))
}

/// The properties of a run that are printed above its table.
#[derive(Default)]
struct Built {
    threads: Option<u32>,
    /// Processes of stream_mpi.c.
    ranks: Option<u32>,
    elements: Option<f64>,
    word: Option<f64>,
}

impl Built {
    fn word(&self) -> f64 {
        self.word.unwrap_or(DOUBLE)
    }

    fn threads(&self) -> Option<u32> {
        match (self.threads, self.ranks) {
            (threads, None) => threads,
            (threads, Some(ranks)) => threads.unwrap_or(1).checked_mul(ranks),
        }
    }

    /// Reads a line; `false` if it contains none of these properties.
    fn read(&mut self, line: &Line<'_>) -> Result<bool, Problem> {
        let word = |rest: &'_ str| {
            rest.split_whitespace().next().unwrap_or_default().trim_end_matches(',').to_owned()
        };
        let after = |keys: &[&str]| keys.iter().find_map(|key| line.after(key)).map(word);
        let count = |text: &str| {
            let count = text.parse().ok().filter(|&count: &u32| count > 0);
            count.ok_or_else(|| line.problem("this is not a number of threads"))
        };
        // stream.c; stream.f and versions before 5.10 print DOUBLE PRECISION word.
        if let Some(bytes) =
            after(&["This system uses", "Assuming"]).filter(|_| line.text.contains("bytes per"))
        {
            self.word = Some(line.number(&bytes, false)?);
        } else if let Some(size) = after(&["Array size =", "Total Aggregate Array size ="]) {
            self.elements = Some(line.number(&size, false)?);
        } else if let Some(ranks) = after(&["Data is distributed across"]) {
            self.ranks = Some(count(&ranks)?);
        } else if let Some(threads) = after(&[
            "Number of Threads counted for rank 0 =",
            "Number of Threads counted =",
            "Number of Threads requested for each MPI rank =",
            "Number of Threads requested =",
            "Number of Threads =",
        ]) {
            self.threads = Some(count(&threads)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

fn read_csv(text: &str) -> Result<Runs, Problem> {
    let mut rows = Rows::new(text)?;
    let column = |(name, words, flop): (&'static str, f64, f64)| {
        let at = rows.column(name).or_else(|| rows.column(&format!("{name}_med")))?;
        Some((name, flop / (words * DOUBLE), at))
    };
    let kernels: Option<Vec<(&str, f64, usize)>> = KERNELS.into_iter().map(column).collect();
    let (Some(kernels), Some(threads)) = (kernels, rows.column("threads")) else {
        let problem = rows.header_lacks("these are not the columns of STREAM");
        return Err(problem.hint("the columns are threads, Copy, Scale, Add and Triad, in MB/s"));
    };
    let from = rows.column("src_nodes");
    let to = rows.column("mem_node").or_else(|| rows.column("interleave_nodes"));
    let others = ["array_gb", "mode"].map(|name| (name, rows.column(name)));
    let medians = rows.column("Copy_med").is_some();
    let mut runs = Vec::new();
    while let Some(row) = rows.next() {
        let row = row?;
        let variant = others
            .iter()
            .filter(|(_, at)| at.is_some())
            .map(|&(name, at)| format!("{name} {}", row.text(at)));
        let variant = variant
            .chain(medians.then(|| "median of several runs".to_owned()))
            .collect::<Vec<_>>()
            .join(", ");
        for &(kernel, intensity, at) in &kernels {
            let bandwidth_gbs = bandwidth(&row, at, "MB/s (10^6 bytes per second)", MEGA)?;
            runs.push(Run {
                kernel: kernel.to_owned(),
                access: access(kernel),
                threads: Some(row.whole_number(threads, 1, "a number of threads")?),
                nodes: [from, to].map(|column| row.text(column).to_owned()),
                variant: variant.clone(),
                bandwidth_gbs,
                gflops: Some(bandwidth_gbs * intensity),
                ..Run::default()
            });
        }
    }
    if runs.is_empty() {
        return Err(rows.header_lacks("there are no rows below the header"));
    }
    Ok((runs, comments(text).into_iter().chain([FIGURES.to_owned()]).collect()))
}

// BabelStream: its printed output, or its `--csv`. Its kernels are those of STREAM, and Dot, which only
// reads.
//
// ```text
// Function    MBytes/sec  Min (sec)   Max         Average
// Copy        128904.123  0.00208     0.00301     0.00215
// ```

/// The kernels: words per element, FLOP, and their use of memory in a machine file.
const BABEL_KERNELS: [(&str, f64, f64, Option<Access>); 6] = [
    ("Copy", 2.0, 0.0, Some(Access::Copy)),
    ("Mul", 2.0, 1.0, None),
    ("Add", 3.0, 1.0, None),
    ("Triad", 3.0, 2.0, Some(Access::Triad)),
    ("Dot", 2.0, 2.0, Some(Access::Read)),
    ("Nstream", 4.0, 3.0, None),
];
/// Beginnings of unit names in headers of versions 1 to 6, in GB: `MBytes/sec`, `max_mbytes_per_sec`, `MB/s`,
/// `MiB/s`.
const UNITS: [(&str, f64); 6] = [
    ("mb", MEGA),
    ("gb", 1.0),
    ("tb", 1e3),
    ("mi", 1.048_576e-3),
    ("gi", 1.073_741_824),
    ("ti", 1_099.511_627_776),
];
/// Implementations that run on an accelerator, whose memory is not a NUMA node.
const ACCELERATORS: [&str; 2] = ["CUDA", "HIP"];
const BABEL_NOTE: &str = "BabelStream, best rates; bytes by its own count, without write-allocate; it does not print the number of its threads. The \
figures are those of one NUMA node if all threads and arrays were there (numactl --cpunodebind=0 --membind=0)";

/// Words in names of accelerators in the line `Using ... device`.
const DEVICES: [&str; 6] = ["nvidia", "geforce", "tesla", "radeon", "instinct", "gpu"];

/// The table being read.
struct Table {
    csv: bool,
    /// Columns of the rate and the minimum time; the kernel is first.
    rate: usize,
    least: Option<usize>,
    /// Columns of the number of elements and of the bytes of a word.
    elements: Option<usize>,
    word: Option<usize>,
    /// GB per unit.
    unit: f64,
    /// Whether it is a table of kernels, not of phases such as initialisation.
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
fn is_babelstream(text: &str) -> bool {
    lines(text).any(|line| {
        line.text.trim() == "BabelStream"
            || Table::of(line.text).is_some_and(|table| table.csv || table.rate == 1)
    })
}

/// Reads its output, in either form.
///
/// # Errors
/// The line with the error: not a number, no kernel, a failed validation, or an accelerator.
fn read_babelstream(text: &str) -> Result<Runs, Problem> {
    let mut runs = Vec::new();
    let mut notes = vec![BABEL_NOTE.to_owned()];
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

/// A row of a table; `None` after its end.
fn row(line: &Line<'_>, table: &Table, word: f64, elements: Option<f64>) -> Result<Option<Run>, Problem> {
    let cells: Vec<&str> = if table.csv {
        line.text.split(',').map(str::trim).collect()
    } else {
        line.text.split_whitespace().collect()
    };
    let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
    let number = |at: Option<usize>| at.map(|at| line.number(cell(at), false)).transpose();
    let Some(&(kernel, words, flop, access)) = BABEL_KERNELS.iter().find(|(name, ..)| *name == cell(0))
    else {
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
        // Three arrays, regardless of the kernel.
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
