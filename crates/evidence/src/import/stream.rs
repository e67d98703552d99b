//! STREAM (McCalpin): one run, or the output of many runs one after the other; or a CSV with the columns `threads` and
//! `Copy`, `Scale`, `Add` and `Triad` in MB/s.

use numasim_model::Access;
use numasim_model::input::Problem;

use super::likwid::Runs;
use super::lines::{comments, is_csv, lines, mega_to_giga, nothing};
use super::runs::Run;
use crate::csv_rows::{Rows, shown};

/// The kernels and their FLOP per byte, by STREAM's own count: 2, 2, 3 and 3 words of 8 bytes, and 0, 1, 1 and 2 FLOP.
const KERNELS: [(&str, f64); 4] =
    [("Copy", 0.0), ("Scale", 1.0 / 16.0), ("Add", 1.0 / 24.0), ("Triad", 2.0 / 24.0)];

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
    if is_csv(text) {
        return read_csv(text);
    }
    let mut runs: Vec<Run> = Vec::new();
    let (mut threads, mut elements, mut word) = (None, None, 8.0);
    let mut in_table = false;
    for line in lines(text) {
        if line.text.contains("STREAM version") {
            (threads, elements, word, in_table) = (None, None, 8.0, false);
        } else if let Some(bytes) = line.after("This system uses").and_then(|rest| rest.split(' ').next()) {
            word = line.number(bytes, false)?;
        } else if let Some(size) = line.after("Array size =").and_then(|rest| rest.split(' ').next()) {
            elements = Some(line.number(size.trim_end_matches(','), false)?);
        } else if let Some(count) =
            line.after("Number of Threads counted =").or_else(|| line.after("Number of Threads requested ="))
        {
            let count = count.parse().ok().filter(|&count: &u32| count > 0);
            threads = Some(count.ok_or_else(|| line.problem("this is not a number of threads"))?);
        } else if line.text.contains("Failed Validation") {
            let problem = line.problem("STREAM computed a wrong result: its rates are invalid");
            return Err(problem.hint("build STREAM with other compiler options and measure again"));
        } else if line.after("Function").is_some() {
            in_table = true;
        } else if let Some((kernel, rest)) = line.text.trim().split_once(':').filter(|_| in_table) {
            let Some((kernel, intensity)) = KERNELS.into_iter().find(|(name, _)| *name == kernel) else {
                let problem = line.problem(format!("'{}' is not a kernel of STREAM", shown(kernel)));
                return Err(problem.hint("the kernels are Copy, Scale, Add and Triad"));
            };
            let figures: Vec<&str> = rest.split_whitespace().collect();
            let [rate, _, least, _] = figures.as_slice() else {
                let problem = line.problem("a kernel has a rate and three times");
                return Err(problem.hint("leave the output of the tool as it was printed"));
            };
            let bandwidth_gbs = mega_to_giga(line.number(rate, false)?);
            runs.push(Run {
                kernel: kernel.to_owned(),
                access: access(kernel),
                threads,
                bandwidth_gbs,
                gflops: Some(bandwidth_gbs * intensity),
                // Three arrays.
                size_bytes: elements.map(|elements| 3.0 * elements * word),
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

fn read_csv(text: &str) -> Result<Runs, Problem> {
    let mut rows = Rows::new(text)?;
    let column = |(name, intensity): (&'static str, f64)| {
        let at = rows.column(name).or_else(|| rows.column(&format!("{name}_med")))?;
        Some((name, intensity, at))
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
            let bandwidth_gbs = mega_to_giga(row.amount(at, "MB/s (10^6 bytes per second)")?);
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
