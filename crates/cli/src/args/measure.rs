//! The command lines of the commands that measure: `numasim bench`, `calibrate`, `validate` and `profile-app`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PossibleValue, TypedValueParser};
use clap::{ArgAction, ArgGroup, Args, ValueHint, value_parser};
use numasim_bench::bundle::ENDING;
use numasim_bench::plan::Bind;
use numasim_kernels::loops::Isa;

use crate::args::{FileArgs, ModelArgs, above_zero, named, seconds};
use crate::output::{Format, OutputArgs};

// The command line of `numasim bench`.

const MEASURING: &str = "Measurement";
const HOST: &str = "Host";

const BENCH: &str = "\
Examples:
  numasim bench machine.toml apps.toml scenarios.toml -o result.csv
  numasim bench study.toml --dry-run
  numasim bench configs/paper/table-iii.toml --fit-host -o paper.csv
  numasim bench study.toml --scenario even --repeat 20 -o even.csv --resume

Each application of a scenario is run as a kernel with its arithmetic intensity and its `kernel` (read, copy, triad, or \
update). Every thread is bound to its own core, and its data to the nodes given by `data`; all threads start together, and after \
the warm-up each counts its work in the same window. Then the location of pages and threads is verified: a measurement \
with a misplaced thread or page is discarded and repeated once; if it fails again, the exit code is 1.

Node i of the machine file is node i of this host (numasim detect). A scenario that does not fit is an error, and the message names what is \
missing. --fit-host scales it: neighbouring nodes are folded onto one, their threads are added and, if there are \
more than cores, scaled by the largest remainder, at least one each; data moves with its nodes. All rows of such a \
scenario contain `fitted` = true.

RESULT.csv has one row for each scenario x application x node x repetition; GB/s are 10^9 bytes per second, traffic \
counted as STREAM does. Each measurement is on disk before the next begins: after Ctrl-C (exit code 130) or a kill, the \
same command with --resume continues. Scenarios are interleaved in a different order in each repetition, so that drift \
does not favour any of them. Next to it, RESULT.provenance.json records where and how it was measured, with every warning, and \
RESULT.study.toml the scenarios that ran, for numasim evaluate. With --host-machine, RESULT.study.toml contains the values of this host instead of those in \
the files.

Needs Linux and a build with hwloc (cargo build --release --features hwloc).";

/// `numasim bench`.
#[derive(Debug, Args)]
#[command(after_help = BENCH)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    pub(crate) asked: Benchmark,

    /// Print what would run where, and every warning, without measuring
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Write the measurements to this new file [default: bench-HOST-TIME.csv]
    #[arg(short, long, value_name = "RESULT.csv", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Resume the run that wrote RESULT.csv; start one if there is none
    #[arg(long, requires = "output", conflicts_with = "dry_run", help_heading = "Output")]
    pub(crate) resume: bool,

    /// Format of the summary (or the plan) on standard output
    #[arg(long, value_name = "FORMAT", default_value = "table", help_heading = "Output")]
    pub(crate) format: Format,
}

/// Selects scenarios, and sets how they are measured.
#[derive(Debug, Default, Args)]
pub(crate) struct Benchmark {
    /// TOML files, read as one: exactly one [machine], any number of [[app]] and [[scenario]]
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Only the scenario with this name; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) scenario: Vec<String>,

    /// Measure each scenario N times, interleaved with the others
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=1_000_000))]
    #[arg(help_heading = MEASURING)]
    pub(crate) repeat: u32,

    /// Length of the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = window)]
    #[arg(help_heading = MEASURING)]
    pub(crate) window: Duration,

    /// Time from the common start of all threads to the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "0.3", value_parser = seconds)]
    #[arg(help_heading = MEASURING)]
    pub(crate) warm_up: Duration,

    /// Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]
    #[arg(long, value_name = "NAME", help_heading = MEASURING)]
    pub(crate) isa: Option<Isa>,

    /// Size of each thread's data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = MEASURING)]
    pub(crate) memory_per_thread: Option<u64>,

    /// Each application is a separate process, not a group of threads in one process
    #[arg(long, help_heading = MEASURING)]
    pub(crate) processes: bool,

    /// Bind each thread to this
    #[arg(long, value_name = "WHAT", default_value = "core", value_parser = bind(), help_heading = HOST)]
    pub(crate) bind: Bind,

    /// Scale scenarios that do not fit this host: nodes, threads and data placement
    #[arg(long, help_heading = HOST)]
    pub(crate) fit_host: bool,

    /// Machine file of this host: its values are written to RESULT.study.toml
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "fit_host", help_heading = HOST)]
    pub(crate) host_machine: Option<PathBuf>,
}

fn bind() -> impl TypedValueParser<Value = Bind> {
    named(Bind::ALL, |bind| {
        PossibleValue::new(bind.as_str()).help(match bind {
            Bind::Core => "Its own core",
            Bind::Node => "All cores of its node",
            Bind::None => "Nothing: the operating system moves threads among all cores",
        })
    })
}

/// Reads `--window`.
pub(super) fn window(text: &str) -> Result<Duration, String> {
    match seconds(text) {
        Ok(window) if window >= Duration::from_millis(1) => Ok(window),
        _ => Err("write a number of seconds, at least 0.001, such as 0.5 or 2".to_owned()),
    }
}

/// Reads a size in bytes: `64MiB`, `1GiB`, `1000000`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
    ];
    let refusal = || "write a size such as 64MiB, 1GiB or 100MB, at least 64KiB".to_owned();
    let text = text.trim();
    let found = UNITS.iter().find_map(|&(unit, bytes)| Some((text.strip_suffix(unit)?, bytes)));
    let (number, unit) = found.unwrap_or((text, 1));
    let number: u64 = number.trim_end().parse().map_err(|_| refusal())?;
    number.checked_mul(unit).filter(|&bytes| (64 << 10..=1 << 46).contains(&bytes)).ok_or_else(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_binary_or_decimal_by_their_unit() {
        assert_eq!(size("16MiB"), Ok(16 << 20));
        assert_eq!(size("1 GB"), Ok(1_000_000_000));
        assert_eq!(size("100kB"), Ok(100_000));
        assert_eq!(size("65536"), Ok(65536));
        for wrong in [
            "",
            "MiB",
            "-1MiB",
            "1.5GiB",
            "1mib",
            "63KiB",
            "99999999999999999999",
            "1000TiB",
            "18446744073709551615KiB",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_window_has_a_length() {
        assert_eq!(window("0.05"), Ok(Duration::from_millis(50)));
        for wrong in ["0", "-1", "x", "1e-9"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }
}

// The command lines of `numasim calibrate` and `numasim validate`.

const CALIBRATE: &str = "\
Examples:
  numasim calibrate -o machine.toml
  numasim calibrate --quick --dry-run
  numasim calibrate --quick
  numasim calibrate --format csv -o rounds.csv

Measures with the kernels of `numasim bench`: the peak of a core while all cores of its node are busy, the bandwidth of \
one thread on its own node, the local bandwidth of each node (with increasing thread counts; the smallest that reaches \
98 % saturates it), the remote bandwidth of each ordered pair of nodes, and the bandwidth of copies, triads and updates in local memory \
(copy_gbs, triad_gbs, update_gbs; not with --reads-only). It then measures concurrent reads: all nodes of a socket \
read from another one ([[machine.shared_link]], if a socket has several nodes), and all threads of a node read local and \
remote memories (read_gbs). These two are written only if they are below 90 % of the prediction without them \
for the same readers; a comment gives both values. Steps are repeated in rounds, every other \
round in reverse order. The result is the median; its uncertainty is the largest deviation of a round from it.

The table format is the machine file itself, complete for evaluate, explore and bench. Measurement warnings are \
comments in it. A host with one node has no links to measure. --dry-run prints the number of measurements and how \
long they take.

Needs Linux and a build with hwloc (cargo build --release --features hwloc).";

/// `numasim calibrate`.
#[derive(Debug, Args)]
#[command(after_help = CALIBRATE)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) asked: Calibrating,

    /// Print the planned measurements and their duration, without measuring
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How a host is calibrated.
#[derive(Debug, Default, Args)]
pub(crate) struct Calibrating {
    /// Under a minute on a few cores: 3 rounds of 0.2 s, few thread counts
    #[arg(long, conflicts_with_all = ["rounds", "window", "warm_up"], help_heading = MEASURING)]
    pub(crate) quick: bool,

    /// Measure only reads, not copies, triads and updates
    #[arg(long, help_heading = MEASURING)]
    pub(crate) reads_only: bool,

    /// Measure the gain from the second hardware thread of each core (smt_speedup of applications)
    #[arg(long, help_heading = MEASURING)]
    pub(crate) smt: bool,

    /// Measure with the default kernels, instead of trying access variants first
    #[arg(long, help_heading = MEASURING)]
    pub(crate) usual_kernels: bool,

    /// Measure every step N times
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=10_000))]
    #[arg(help_heading = MEASURING)]
    pub(crate) rounds: u32,

    /// Length of the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = window, help_heading = MEASURING)]
    pub(crate) window: Duration,

    /// Time from the common start of all threads to the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "0.3", value_parser = seconds, help_heading = MEASURING)]
    pub(crate) warm_up: Duration,

    /// Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]
    #[arg(long, value_name = "NAME", help_heading = MEASURING)]
    pub(crate) isa: Option<Isa>,

    /// Size of each thread's data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = MEASURING)]
    pub(crate) memory_per_thread: Option<u64>,

    /// Name of the machine [default: the name of this host]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

const VALIDATE: &str = "\
Examples:
  numasim validate -o results/my-host
  numasim validate configs/paper/table-iii-all.toml -o results/table-iii-here
  numasim validate -o results/my-host --resume
  numasim validate -o results/my-host --resume --bundle my-host.tar.zst

Writes into the folder: machine.toml and calibration.csv (calibrate), scenarios.toml (the same applications placed in several \
ways, so that memories and links are oversubscribed if the host can do that), measured.csv with \
its provenance and study (bench --fit-host), comparison.json and comparison.txt (compare), report.html (report), and a \
README.md that describes how it was made. If you pass your own files, they replace the scenarios.

Each application is a separate process (bench --processes); --one-process makes all of them threads of one process.

On hosts with one NUMA node, it also tests the last-level cache: with two applications whose data fit together (cache-inside.csv), \
or only separately (cache-beyond.csv); scenarios in cache.toml, result in cache.json. The sharing models do not cover \
caches, so this is reported separately and is not part of the verdict on sharing.

--bundle packs these files to send them. It removes the name of the host, and folders in the command line, comments and warnings; page, comparison \
and README.md are generated again without them. CPU model, kernel, settings and your own files with their comments remain. For a finished folder, \
--resume --bundle only makes the bundle. numasim report reads it.

The scenarios used for validation are never used for calibration. Needs Linux and a build with hwloc.";

/// `numasim validate`.
#[derive(Debug, Args)]
#[command(after_help = VALIDATE)]
pub(crate) struct ValidateArgs {
    /// Your own files with [machine], [[app]] and [[scenario]]; scenarios that do not fit this host are scaled to it
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Folder for all measurements and results; it is created
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    pub(crate) output: PathBuf,

    /// Resume in a folder that an earlier run started
    #[arg(long)]
    pub(crate) resume: bool,

    /// Pack the result into FILE.tar.zst to send it: machine, raw rows, provenance, page, without the name of the host;
    /// with --resume, a finished folder is packed and nothing is measured
    #[arg(long, value_name = "FILE.tar.zst", value_parser = bundle, value_hint = ValueHint::FilePath)]
    pub(crate) bundle: Option<PathBuf>,

    /// Measure each scenario N times
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=1_000_000))]
    #[arg(help_heading = MEASURING)]
    pub(crate) repeat: u32,

    /// Length of the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = window, help_heading = MEASURING)]
    pub(crate) window: Duration,

    /// Size of each thread's data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = MEASURING)]
    pub(crate) memory_per_thread: Option<u64>,

    /// Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]
    #[arg(long, value_name = "NAME", help_heading = MEASURING)]
    pub(crate) isa: Option<Isa>,

    /// All applications are threads of one process [default: each is a separate process]
    #[arg(long, help_heading = MEASURING)]
    pub(crate) one_process: bool,

    #[command(flatten)]
    pub(crate) sharing: ModelArgs,
}

/// Reads the name of a bundle.
fn bundle(text: &str) -> Result<PathBuf, String> {
    if text.ends_with(ENDING) && text != ENDING {
        return Ok(PathBuf::from(text));
    }
    Err(format!("the name of a bundle ends with {ENDING}"))
}

// The command line of `numasim profile-app`.

const COUNTERS: &str = "Source of FLOP and bytes";
const DATA: &str = "Placement of data and threads";

const PROFILE_APP: &str = "\
Examples:
  likwid-perfctr -C 0-7 -g MEM_DP ./solver > mem_dp.txt
  numasim profile-app --likwid mem_dp.txt --name solver -o solver.toml
  perf stat -a -x, -o run.csv -e duration_time \\
      -e fp_arith_inst_retired.scalar_double \\
      -e fp_arith_inst_retired.256b_packed_double \\
      -e uncore_imc/cas_count_read/ -e uncore_imc/cas_count_write/ -- ./solver
  numasim profile-app --perf run.csv --pid 4711 -o solver.toml
  numasim profile-app --perf t1.csv t2.csv t4.csv --threads 1,2,4
  numasim profile-app --numa-maps one.txt two.txt --threads-per-node 8,0 \\
      --threads-per-node 4,4 --arithmetic-intensity 0.25 -o solver.toml
  numasim profile-app measured.csv --app mem
  numasim check machine.toml solver.toml

arithmetic_intensity is FLOP / bytes of memory traffic. FLOP: fp_arith_inst_retired.* of perf (1 to 16 each), or MFLOP/s of likwid. \
Bytes: counters of the memory controllers (perf uncore_imc, likwid's memory bandwidth), which cover the whole machine; \
otherwise LLC-load-misses x 64 B, marked as estimated. Values that you pass are marked as given.

data is the simplest data placement that explains all but 5 % of the pages: local, a home node, interleave, a share of one of these with the \
rest local, or fractions. A residual gives the unexplained part. Mapped files count as data; programs and libraries are left out, \
and the file states their share of the resident memory. If several placements \
explain the pages equally well, all are written as comments and none is chosen; two copies of numa_maps with threads on different nodes distinguish them.

scaling comes from runs with two or more thread counts: Amdahl's law by least squares, or a table of speedups if the law is more \
than 5 % off and one thread was measured. memory_gib is the resident data.";

/// `numasim profile-app`.
#[derive(Debug, Args)]
#[command(after_help = PROFILE_APP)]
#[command(group(ArgGroup::new("source").required(true).multiple(true).args(["files", "perf", "likwid", "numa_maps", "pid"])))]
pub(crate) struct ProfileAppArgs {
    /// Measured CSV of `numasim bench`
    #[arg(value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// The application in the CSV, if it contains several
    #[arg(long, value_name = "NAME", requires = "files", help_heading = COUNTERS)]
    pub(crate) app: Option<String>,

    /// Output of `perf stat`: with -x, (CSV), with -j (JSON), or as it is printed; one file for each run
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath, help_heading = COUNTERS)]
    pub(crate) perf: Vec<PathBuf>,

    /// Output of `likwid-perfctr`, groups such as MEM_DP, or FLOPS_DP and MEM, with or without -O; one file for each run
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath, help_heading = COUNTERS)]
    pub(crate) likwid: Vec<PathBuf>,

    /// The region of likwid-perfctr -m, if the program marks several
    #[arg(long, value_name = "NAME", requires = "likwid", help_heading = COUNTERS)]
    pub(crate) region: Option<String>,

    /// Threads of each run of --perf, in the order of its files: 1,2,4
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', requires = "perf", help_heading = COUNTERS)]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    pub(crate) threads: Vec<u32>,

    /// Number of NUMA nodes with threads in each run of --perf, in the order of its files: 1,2,4; with equal threads on each node they
    /// show the loss on several nodes
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', requires = "threads", help_heading = COUNTERS)]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    pub(crate) nodes: Vec<u32>,

    /// FLOP per byte, if no counter provides them
    #[arg(long, value_name = "X", value_parser = intensity, help_heading = COUNTERS)]
    pub(crate) arithmetic_intensity: Option<f64>,

    /// Number of requests, rows or tokens that each measured run served; the file gets their number per GB (`rate`) instead of an
    /// arithmetic intensity
    #[arg(long, value_name = "X", value_parser = work, requires = "unit", conflicts_with = "arithmetic_intensity", help_heading = COUNTERS)]
    pub(crate) work: Option<f64>,

    /// The unit of --work, such as queries
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new(), requires = "work", help_heading = COUNTERS)]
    pub(crate) unit: Option<String>,

    /// A running process of this host: its pages and its threads (Linux)
    #[arg(long, value_name = "PID", value_parser = value_parser!(u32).range(1..), help_heading = DATA)]
    pub(crate) pid: Option<u32>,

    /// A copy of /proc/PID/numa_maps; two copies, with threads on different nodes, distinguish local data from data with a home node
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath, help_heading = DATA)]
    pub(crate) numa_maps: Vec<PathBuf>,

    /// Threads of each NUMA node while --numa-maps was copied: 8,0; given once for each of its files, in their order
    #[arg(long, value_name = "N,N,...", value_parser = per_node, requires = "numa_maps", help_heading = DATA)]
    pub(crate) threads_per_node: Vec<PerNode>,

    /// The machine on which it ran: the number of nodes, and their numbers in the operating system
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = DATA)]
    pub(crate) machine: Option<PathBuf>,

    /// The name of the application in the new file [default: from the CSV, the process or the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import perf`.
#[derive(Debug, Args)]
pub(crate) struct PerfArgs {
    /// Output of `perf stat`: with -x, (CSV), with -j (JSON), or as it is printed; one file for each run
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// Threads of each run, in the order of the files: 1,2,4
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', value_parser = value_parser!(u32).range(1..))]
    threads: Vec<u32>,

    #[command(flatten)]
    app: ImportedAppArgs,
}

/// `numasim import likwid-perfctr`.
#[derive(Debug, Args)]
pub(crate) struct LikwidPerfctrArgs {
    /// Output of `likwid-perfctr`, groups such as MEM_DP, or FLOPS_DP and MEM, with or without -O; one file for each run
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// The region of likwid-perfctr -m, if the program marks several
    #[arg(long, value_name = "NAME")]
    region: Option<String>,

    #[command(flatten)]
    app: ImportedAppArgs,
}

/// Arguments of both.
#[derive(Clone, Debug, Args)]
struct ImportedAppArgs {
    /// FLOP per byte, if no counter provides them
    #[arg(long, value_name = "X", value_parser = intensity)]
    arithmetic_intensity: Option<f64>,

    /// The name of the application in the new file [default: from the first file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    output: FileArgs,
}

impl From<&ImportedAppArgs> for ProfileAppArgs {
    fn from(app: &ImportedAppArgs) -> Self {
        let ImportedAppArgs { arithmetic_intensity, name, output } = app.clone();
        Self {
            files: Vec::new(),
            app: None,
            perf: Vec::new(),
            likwid: Vec::new(),
            region: None,
            threads: Vec::new(),
            nodes: Vec::new(),
            arithmetic_intensity,
            work: None,
            unit: None,
            pid: None,
            numa_maps: Vec::new(),
            threads_per_node: Vec::new(),
            machine: None,
            name,
            output,
        }
    }
}

impl From<&PerfArgs> for ProfileAppArgs {
    fn from(args: &PerfArgs) -> Self {
        Self { perf: args.files.clone(), threads: args.threads.clone(), ..Self::from(&args.app) }
    }
}

impl From<&LikwidPerfctrArgs> for ProfileAppArgs {
    fn from(args: &LikwidPerfctrArgs) -> Self {
        Self { likwid: args.files.clone(), region: args.region.clone(), ..Self::from(&args.app) }
    }
}

/// A number of threads for each node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PerNode(pub(crate) Vec<u32>);

fn per_node(text: &str) -> Result<PerNode, String> {
    let counts: Result<Vec<u32>, _> = text.split(',').map(|count| count.trim().parse::<u32>()).collect();
    let counts = counts.ok().filter(|counts| counts.iter().any(|&count| count > 0));
    counts.map(PerNode).ok_or_else(|| "write a number of threads for each node, such as 8,0".to_owned())
}

fn work(text: &str) -> Result<f64, String> {
    above_zero(text, "a number of requests, rows or tokens", "1.2e6")
}

/// As in an input file: above zero.
fn intensity(text: &str) -> Result<f64, String> {
    above_zero(text, "a number of FLOP per byte", "0.5")
}
