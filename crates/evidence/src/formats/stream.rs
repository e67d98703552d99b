//! STREAM (McCalpin): one run, or the output of many runs one after the other, of stream.c, stream.f or stream_mpi.c; or a CSV
//! with the columns `threads` and `Copy`, `Scale`, `Add` and `Triad` in MB/s. BabelStream is read as well.

use numasim_model::Access;
use numasim_study::Problem;

use super::babelstream;
use super::likwid_bench::Runs;
use super::lines::{Line, comments, is_csv, lines, nothing};
use super::runs::Run;
use crate::csv_rows::{Rows, shown};
use crate::figures::MEGA;

/// The kernels, by STREAM's own count: words of an element (2, 2, 3 and 3) and FLOP (0, 1, 1 and 2).
const KERNELS: [(&str, f64, f64); 4] =
    [("Copy", 2.0, 0.0), ("Scale", 2.0, 1.0), ("Add", 3.0, 1.0), ("Triad", 3.0, 2.0)];
/// Bytes of a word, where the output does not say it.
const DOUBLE: f64 = 8.0;

/// What a kernel becomes in a machine file: keys and STREAM count alike, what the kernel moves without write-allocate. Scale moves what
/// Copy does and Add what Triad does; none of them writes in place.
fn access(kernel: &str) -> Option<Access> {
    match kernel {
        "Copy" => Some(Access::Copy),
        "Triad" => Some(Access::Triad),
        _ => None,
    }
}

/// What a reader must know of the figures for a machine file.
const FIGURES: &str = "STREAM reads in no kernel alone: bandwidth_gbs, from its fastest one, is at least that, and better from a benchmark that \
only reads. copy_gbs is from Copy, triad_gbs from Triad; nothing becomes update_gbs, and Scale and Add repeat Copy and Triad. They are figures of \
one NUMA node if all threads and arrays were there (numactl --cpunodebind=0 --membind=0), and of stores like those of this build";

/// Reads the output of STREAM: the best rates.
///
/// # Errors
/// The line that is wrong: not a number, a failed validation, no table of rates at all.
pub fn read_stream(text: &str) -> Result<Runs, Problem> {
    if babelstream::is_babelstream(text) {
        return babelstream::read(text);
    }
    if is_csv(text) {
        return read_csv(text);
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut built = Built::default();
    let mut in_table = false;
    // What a run prints above its table says nothing of the table of another run.
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

/// What a run says of itself above its table.
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

    /// Reads a line; `false` if it says nothing of this.
    fn read(&mut self, line: &Line<'_>) -> Result<bool, Problem> {
        let word = |rest: &'_ str| {
            rest.split_whitespace().next().unwrap_or_default().trim_end_matches(',').to_owned()
        };
        let after = |keys: &[&str]| keys.iter().find_map(|key| line.after(key)).map(word);
        let count = |text: &str| {
            let count = text.parse().ok().filter(|&count: &u32| count > 0);
            count.ok_or_else(|| line.problem("this is not a number of threads"))
        };
        // stream.c; stream.f and versions before 5.10 say DOUBLE PRECISION word.
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
            let bandwidth_gbs = row.bandwidth(at, "MB/s (10^6 bytes per second)", MEGA)?;
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
