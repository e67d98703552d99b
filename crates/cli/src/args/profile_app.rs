//! The command line of `numasim profile-app`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint, value_parser};

use super::{FileArgs, topology};

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
    topology::above_zero(text, "a number of FLOP per byte", "0.5")
}
