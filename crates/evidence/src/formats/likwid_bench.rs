//! likwid-bench: one run, or the output of many runs one after the other (a sweep over thread counts); or a CSV with the
//! columns `kernel`, `threads` and `bw_GBs`.

use numasim_model::Access;
use numasim_study::Problem;

use super::lines::{Line, comments, is_csv, lines, nothing};
use super::runs::Run;
use crate::csv_rows::Rows;
use crate::figures;
use crate::figures::{MEGA, mega_to_giga};

/// Runs, and what a CSV says about itself.
pub type Runs = (Vec<Run>, Vec<String>);

/// Reads the output of likwid-bench. `select` keeps the rows of one machine of a CSV.
///
/// # Errors
/// The line that is wrong: not a number, a run without its result, no run at all.
pub fn read_likwid(text: &str, select: Option<&str>) -> Result<Runs, Problem> {
    if is_csv(text) {
        return read_csv(text, select);
    }
    let mut runs = Vec::new();
    let mut open: Option<(Line<'_>, Run)> = None;
    for line in lines(text) {
        if let Some(kernel) = line.after("Test:") {
            unfinished(open.as_ref())?;
            open = Some((line, of_kernel(kernel)));
        }
        let Some((_, run)) = open.as_mut() else { continue };
        if let Some(threads) = line.after("Using ").and_then(|rest| rest.strip_suffix(" threads")) {
            let count = threads.parse().ok().filter(|&count: &u32| count > 0);
            run.threads = Some(count.ok_or_else(|| line.problem("this is not a number of threads"))?);
        } else if let Some(groups) = line.after("Using ").and_then(|rest| rest.strip_suffix(" work groups")) {
            if groups != "1" {
                run.variant = format!("{groups} work groups");
                run.spread = true;
            }
        } else if let Some(size) = line.after("Size (Byte):") {
            run.size_bytes = Some(line.number(size, false)?);
        } else if let Some(time) = line.after("Time:") {
            run.time_s = Some(line.number(time.trim_end_matches("sec").trim(), false)?);
        } else if let Some(flops) = line.after("MFlops/s:") {
            let gflops = mega_to_giga(line.number(flops, true)?);
            if let Some(why) = figures::too_much(gflops) {
                return Err(line.problem(why).hint(figures::HINT));
            }
            run.gflops = Some(gflops);
        } else if let Some(bytes) = line.after("MByte/s:") {
            run.bandwidth_gbs = line.bandwidth(line.number(bytes, false)?, MEGA)?;
            runs.extend(open.take().map(|(_, run)| run));
        }
    }
    unfinished(open.as_ref())?;
    if runs.is_empty() {
        let hint = "import the output of `likwid-bench -t load -w S0:1GB:1`, of one run or of several runs in sequence";
        return Err(nothing(text, "likwid-bench", hint));
    }
    Ok((
        runs,
        vec![
            "likwid-bench; bytes as the kernel declares them, without write-allocate".to_owned(),
            "They are figures of one NUMA node if all threads and data were there (-w M0:2GB:8)".to_owned(),
        ],
    ))
}

/// A run of a kernel: what only reads, and what computes on a few bytes of a cache, whatever its bytes per second are.
fn of_kernel(kernel: &str) -> Run {
    let begins = |words: &[&str]| words.iter().any(|word| kernel.starts_with(word));
    Run {
        kernel: kernel.to_owned(),
        access: begins(&["load", "clload", "sum", "ddot"]).then_some(Access::Read),
        computes: begins(&["peakflops"]),
        ..Run::default()
    }
}

fn unfinished(open: Option<&(Line<'_>, Run)>) -> Result<(), Problem> {
    match open {
        Some((line, _)) => {
            let problem = line.problem("this run has no result: no line `MByte/s:` follows");
            Err(problem.hint("import the output of finished runs"))
        }
        None => Ok(()),
    }
}

fn read_csv(text: &str, select: Option<&str>) -> Result<Runs, Problem> {
    let mut rows = Rows::new(text)?;
    let (Some(kernel), Some(threads), Some(bandwidth)) =
        (rows.column("kernel"), rows.column("threads"), rows.column("bw_GBs"))
    else {
        let problem = rows.header_lacks("these are not the columns of a sweep over threads");
        return Err(problem.hint(
            "the columns are kernel, threads, bw_GBs and, where there are several machines, machine_file",
        ));
    };
    let [machine, cores, most, smt] =
        ["machine_file", "cores", "cores_per_numa_domain", "smt_per_core_used"].map(|name| rows.column(name));
    let mut runs = Vec::new();
    while let Some(row) = rows.next() {
        let row = row?;
        if select.is_some_and(|select| !row.text(machine).contains(select)) {
            continue;
        }
        let count = |column: Option<usize>, what: &str| {
            column
                .filter(|&at| !row.text(Some(at)).is_empty())
                .map(|at| row.whole_number(at, 1, what))
                .transpose()
        };
        let smt = row.text(smt);
        runs.push(Run {
            machine: row.text(machine).to_owned(),
            cores: count(cores, "a number of cores")?,
            threads: Some(row.whole_number(threads, 1, "a number of threads")?),
            variant: if smt.is_empty() || smt == "1" {
                String::new()
            } else {
                format!("{smt} threads per core")
            },
            bandwidth_gbs: row.bandwidth(bandwidth, "GB/s (10^9 bytes per second)", 1.0)?,
            cores_per_node: count(most, "a number of cores")?,
            ..of_kernel(row.text(Some(kernel)))
        });
    }
    if runs.is_empty() {
        let problem = rows.header_lacks("there is no row of this machine");
        return Err(problem.hint("--select takes a part of the name in the column machine_file"));
    }
    Ok((runs, comments(text)))
}
