//! The command lines of the commands that measure: `numasim bench`, `calibrate`, `validate` and `profile-app`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{ArgAction, ArgGroup, Args, ValueHint, value_parser};
use numasim_bench::bundle::ENDING;
use numasim_bench::plan::Bind;
use numasim_kernels::loops::Isa;
use numasim_model::ModelKind;

use crate::args::{FileArgs, above_zero, named, one_model, seconds};
use crate::output::{Format, OutputArgs};

// The command line of `numasim bench`.

const MEASURING: &str = "Measurement";
const HOST: &str = "Host";

/// `numasim bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    pub(crate) asked: Benchmark,

    /// Print what would run where, and every doubt about it, without measuring
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

/// What is measured, and how.
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

    /// Each application is a process of its own, not a group of threads in one process
    #[arg(long, help_heading = MEASURING)]
    pub(crate) processes: bool,

    /// What a thread is bound to
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
            Bind::Core => "A core of its own",
            Bind::Node => "All cores of its node",
            Bind::None => "Nothing: the system moves threads among all cores",
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

/// `numasim calibrate`.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) asked: Calibrating,

    /// Print what would be measured and how long it takes, and measure nothing
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

    /// Do not measure copies, triads and updates beside reads
    #[arg(long, help_heading = MEASURING)]
    pub(crate) reads_only: bool,

    /// Measure with the usual kernels, instead of trying ways through memory first
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

/// `numasim validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Files of your own with [machine], [[app]] and [[scenario]]; scenarios that do not fit this host are scaled to it
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

    /// All applications are threads of one process [default: each is a process of its own]
    #[arg(long, help_heading = MEASURING)]
    pub(crate) one_process: bool,

    /// Bandwidth-sharing model [default: that of the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = one_model())]
    pub(crate) model: Option<ModelKind>,
}

/// Reads the name of a bundle.
fn bundle(text: &str) -> Result<PathBuf, String> {
    if text.ends_with(ENDING) && text != ENDING {
        return Ok(PathBuf::from(text));
    }
    Err(format!("the name of a bundle ends with {ENDING}"))
}

// The command line of `numasim profile-app`.

const COUNTERS: &str = "Where FLOP and bytes come from";
const DATA: &str = "Where data and threads lie";

/// `numasim profile-app`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("source").required(true).multiple(true).args(["files", "perf", "likwid", "numa_maps", "pid"])))]
pub(crate) struct ProfileAppArgs {
    /// Measured CSV of `numasim bench`
    #[arg(value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// The application in the CSV, where it has several
    #[arg(long, value_name = "NAME", requires = "files", help_heading = COUNTERS)]
    pub(crate) app: Option<String>,

    /// Output of `perf stat`: with -x, (CSV), with -j (JSON), or as it is printed; one file for each run
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath, help_heading = COUNTERS)]
    pub(crate) perf: Vec<PathBuf>,

    /// Output of `likwid-perfctr`, groups such as MEM_DP, or FLOPS_DP and MEM, with or without -O; one file for each run
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath, help_heading = COUNTERS)]
    pub(crate) likwid: Vec<PathBuf>,

    /// The region of likwid-perfctr -m, where the program marks several
    #[arg(long, value_name = "NAME", requires = "likwid", help_heading = COUNTERS)]
    pub(crate) region: Option<String>,

    /// Threads of each run of --perf, in the order of its files: 1,2,4
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', requires = "perf", help_heading = COUNTERS)]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    pub(crate) threads: Vec<u32>,

    /// FLOP per byte, where nothing counted them
    #[arg(long, value_name = "X", value_parser = intensity, help_heading = COUNTERS)]
    pub(crate) arithmetic_intensity: Option<f64>,

    /// A process of this host that runs: its pages and its threads (Linux)
    #[arg(long, value_name = "PID", value_parser = value_parser!(u32).range(1..), help_heading = DATA)]
    pub(crate) pid: Option<u32>,

    /// A copy of /proc/PID/numa_maps; two of runs with other threads tell local data from data with a home
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath, help_heading = DATA)]
    pub(crate) numa_maps: Vec<PathBuf>,

    /// Threads of each NUMA node while --numa-maps was copied: 8,0; given once for each of its files, in their order
    #[arg(long, value_name = "N,N,...", value_parser = per_node, requires = "numa_maps", help_heading = DATA)]
    pub(crate) threads_per_node: Vec<PerNode>,

    /// The machine on which it ran: how many nodes there are, and what the system calls them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = DATA)]
    pub(crate) machine: Option<PathBuf>,

    /// The name of the application in the new file [default: that of the CSV, the process or the file]
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

    /// The region of likwid-perfctr -m, where the program marks several
    #[arg(long, value_name = "NAME")]
    region: Option<String>,

    #[command(flatten)]
    app: ImportedAppArgs,
}

/// What both have.
#[derive(Clone, Debug, Args)]
struct ImportedAppArgs {
    /// FLOP per byte, where nothing counted them
    #[arg(long, value_name = "X", value_parser = intensity)]
    arithmetic_intensity: Option<f64>,

    /// The name of the application in the new file [default: that of the first file]
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
            arithmetic_intensity,
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

/// As in an input file: above zero.
fn intensity(text: &str) -> Result<f64, String> {
    above_zero(text, "a number of FLOP per byte", "0.5")
}
