//! Bandwidth by kernel and number of threads, and the measured CSV made from it.

use std::collections::HashMap;
use std::fmt::Write as _;

use numasim_model::Access;
use numasim_model::text::visible;
use numasim_study::Problem;

use crate::figures::{MEGA, TOO_FAST_HINT, bandwidth as read_bandwidth, mega_to_giga, too_much};
use crate::formats::lines::{Line, comments, is_csv, lines, nothing};
use numasim_study::csv::Rows;

/// Smaller data may fit into caches: the largest of one package (EPYC 9684X) hold 1.2 GB, most hold a few
/// tens of MB.
const LEAST_DATA: f64 = 1e8;

/// One run of a bandwidth benchmark. Values that the tool does not report are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The machine, if a file has several.
    pub machine: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Its use of memory in a machine file: [`Access::Copy`] becomes `copy_gbs`. `None` if it becomes no
    /// value.
    pub access: Option<Access>,
    /// Whether it computes on a few bytes, so that its bandwidth is that of a cache regardless of the size.
    pub computes: bool,
    /// Whether it has several groups of threads, possibly on different nodes.
    pub spread: bool,
    /// Cores used.
    pub cores: Option<u32>,
    /// Threads.
    pub threads: Option<u32>,
    /// Nodes of the running cores, and nodes of the memory.
    pub nodes: [String; 2],
    /// The properties that distinguish this run from others of the same kernel and threads: size, mode.
    pub variant: String,
    /// Bandwidth in GB/s, as the tool counts bytes.
    pub bandwidth_gbs: f64,
    /// Performance in GFLOPS.
    pub gflops: Option<f64>,
    /// Data of all threads in bytes.
    pub size_bytes: Option<f64>,
    /// Duration in seconds.
    pub time_s: Option<f64>,
    /// Cores of one NUMA node, if known: more cores span several nodes.
    pub cores_per_node: Option<u32>,
}

/// Values for a machine file, suggested by runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The machine, empty if the file contains one.
    pub machine: String,
    /// The kernel of the values: the one that only reads, if there is one.
    pub kernel: String,
    /// Best bandwidth of one thread in GB/s: `core_bandwidth_gbs`.
    pub core_bandwidth_gbs: Option<f64>,
    /// Best total bandwidth in GB/s: `bandwidth_gbs`.
    pub bandwidth_gbs: f64,
    /// Number of threads at which it was reached.
    pub threads: Option<u32>,
    /// Best total bandwidth under write kernels: `copy_gbs`, `triad_gbs`, `update_gbs`, with their numbers of
    /// threads.
    pub writing: Vec<(Access, f64, Option<u32>)>,
}

/// The suggestions of the runs of each machine for its file, and the reasons for ignored runs. Runs across
/// the border of a NUMA node, runs that read another node's memory, and runs whose data may fit in a cache
/// are ignored.
pub fn proposals(runs: &[Run]) -> (Vec<Proposal>, Vec<String>) {
    // Machines in the order of their first run, each with its runs.
    let mut machines: Vec<(&str, Vec<&Run>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for run in runs {
        let place = *places.entry(&run.machine).or_insert_with(|| {
            machines.push((&run.machine, Vec::new()));
            machines.len() - 1
        });
        machines[place].1.push(run);
    }
    let mut notes = Vec::new();
    let mut found = Vec::new();
    for (machine, runs) in machines {
        let of = if machine.is_empty() { String::new() } else { format!(" of {machine}") };
        let of_memory = of_memory(&runs);
        if of_memory.len() < runs.len() {
            notes.push(format!(
                "{} of {} runs{of} say nothing of the memory of a node: they compute only, have several work groups, or have less data than {} MB or than half of the most with the same kernel and threads, which a cache may hold",
                runs.len() - of_memory.len(),
                runs.len(),
                LEAST_DATA / 1e6
            ));
        }
        match proposal(&of_memory, machine) {
            Some(proposal) => found.push(proposal),
            None => notes.push(format!(
                "no figure for a machine file{of}: measure memory, with data of four times all last-level caches, such as likwid-bench -t load -w S0:2GB:1"
            )),
        }
    }
    (found, notes)
}

/// The runs that measure memory: those with the most data for each kernel and number of threads, because a
/// sweep over sizes climbs through the caches.
fn of_memory<'r>(runs: &[&'r Run]) -> Vec<&'r Run> {
    type Kind<'k> = (&'k str, Option<u32>, &'k [String; 2]);
    fn kind(run: &Run) -> Kind<'_> {
        (&run.kernel, run.threads, &run.nodes)
    }
    let mut most: HashMap<Kind<'_>, f64> = HashMap::new();
    for run in runs {
        let largest = most.entry(kind(run)).or_insert(0.0);
        *largest = largest.max(run.size_bytes.unwrap_or(0.0));
    }
    let large = |run: &Run| {
        let Some(size) = run.size_bytes else { return true };
        size >= LEAST_DATA && size >= most.get(&kind(run)).copied().unwrap_or(0.0) / 2.0
    };
    runs.iter().copied().filter(|run| !run.computes && !run.spread && large(run)).collect()
}

fn proposal(runs: &[&Run], machine: &str) -> Option<Proposal> {
    let inside = |run: &&Run| {
        let one_node = run.cores.zip(run.cores_per_node).is_none_or(|(cores, most)| cores <= most);
        one_node && run.nodes[0] == run.nodes[1]
    };
    let best = |of: &dyn Fn(&Run) -> bool| {
        runs.iter()
            .copied()
            .filter(inside)
            .filter(|run| of(run))
            .max_by(|a, b| a.bandwidth_gbs.total_cmp(&b.bandwidth_gbs))
    };
    let reads = |run: &Run| run.access == Some(Access::Read);
    let top =
        best(&|run| run.kernel.starts_with("load")).or_else(|| best(&reads)).or_else(|| best(&|_| true))?;
    let single = best(&|run| run.kernel == top.kernel && run.threads == Some(1));
    let writing = Access::WRITING.into_iter().filter_map(|kernel| {
        let run = best(&|run| run.access == Some(kernel))?;
        Some((kernel, run.bandwidth_gbs, run.threads))
    });
    Some(Proposal {
        writing: writing.collect(),
        machine: machine.to_owned(),
        kernel: top.kernel.clone(),
        core_bandwidth_gbs: single.map(|run| run.bandwidth_gbs),
        bandwidth_gbs: top.bandwidth_gbs,
        threads: top.threads,
    })
}

/// The measured CSV: comment lines with `notes` and the proposals, a header, one row for each run.
///
/// # Errors
/// Only those of the writer; writing to memory does not fail.
pub fn csv(runs: &[Run], notes: &[String]) -> Result<String, csv::Error> {
    let mut text = String::new();
    for note in notes {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# {}", visible(note));
    }
    let (proposals, reasons) = proposals(runs);
    for reason in reasons {
        let _ = writeln!(text, "# {}", visible(&reason));
    }
    for Proposal { machine, kernel, core_bandwidth_gbs, bandwidth_gbs, threads, writing } in proposals {
        let machine = if machine.is_empty() { String::new() } else { format!("{machine}: ") };
        let at = |threads: Option<u32>| {
            threads.map_or(String::new(), |threads| format!(" (largest, {threads} threads)"))
        };
        // A quoted name may contain line breaks, which must not end the comment.
        let _ = write!(text, "# For a machine file, from {}: {}", visible(&kernel), visible(&machine));
        if let Some(single) = core_bandwidth_gbs {
            let _ = write!(text, "core_bandwidth_gbs = {single:?}; ");
        }
        let _ = writeln!(text, "bandwidth_gbs = {bandwidth_gbs:?}{}", at(threads));
        for (kernel, gbs, threads) in writing {
            let key = kernel.figure_key();
            let _ = writeln!(
                text,
                "# For a machine file, for applications with kernel = \"{}\": {}{key} = {gbs:?}{}",
                kernel.as_str(),
                visible(&machine),
                at(threads)
            );
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "machine",
        "kernel",
        "threads",
        "bandwidth_gbs",
        "gflops",
        "cores",
        "from_nodes",
        "memory_nodes",
        "variant",
        "size_bytes",
        "time_s",
    ])?;
    for run in runs {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let count = |value: Option<u32>| value.map_or(String::new(), |value| value.to_string());
        let [from, to] = &run.nodes;
        writer.write_record([
            &run.machine,
            &run.kernel,
            &count(run.threads),
            &run.bandwidth_gbs.to_string(),
            &number(run.gflops),
            &count(run.cores),
            from,
            to,
            &run.variant,
            &number(run.size_bytes),
            &number(run.time_s),
        ])?;
    }
    let rows = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    text.push_str(&String::from_utf8_lossy(&rows));
    Ok(text)
}

// likwid-bench: one run, or the output of many consecutive runs (a sweep over thread counts); or a CSV with
// the columns `kernel`, `threads` and `bw_GBs`.

/// Runs, and the notes of a CSV about itself.
pub type Runs = (Vec<Run>, Vec<String>);

/// Reads the output of likwid-bench. `select` keeps the rows of one machine of a CSV.
///
/// # Errors
/// The line with the error: not a number, a run without its result, or no run at all.
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
            if let Some(why) = too_much(gflops) {
                return Err(line.problem(why).hint(TOO_FAST_HINT));
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

/// A run of a kernel: whether it only reads, and whether it computes on a few bytes in a cache, regardless of
/// its bytes per second.
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
        return Err(
            problem.hint("the columns are kernel, threads, bw_GBs and, for several machines, machine_file")
        );
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
            bandwidth_gbs: read_bandwidth(&row, bandwidth, "GB/s (10^9 bytes per second)", 1.0)?,
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
