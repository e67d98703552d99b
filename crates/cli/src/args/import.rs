//! The command line of `numasim import`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint, value_parser};

use super::FileArgs;
use super::profile_app::{LikwidPerfctrArgs, PerfArgs};
use super::topology::{FiguresArgs, LikwidTopologyArgs, LscpuArgs, NumactlArgs, positive};

/// `numasim import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    pub(crate) kind: ImportKind,
}

/// The tools whose output is read.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportKind {
    /// Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file
    Mlc(MlcArgs),
    /// hwloc, lstopo --of xml: the skeleton of a machine file, or all of one that numasim exported
    Hwloc(HwlocArgs),
    /// numactl --hardware: the skeleton of a machine file, with memory and distances
    Numactl(NumactlArgs),
    /// lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches
    Lscpu(LscpuArgs),
    /// likwid-topology, as text, -c or -O: the skeleton of a machine file
    LikwidTopology(LikwidTopologyArgs),
    /// perf stat, one file for each run: an application, as `profile-app --perf` writes it
    Perf(PerfArgs),
    /// likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it
    LikwidPerfctr(LikwidPerfctrArgs),
    /// likwid-bench, one run or a sweep: a CSV of bandwidth over threads
    Likwid(LikwidArgs),
    /// STREAM or BabelStream: a CSV of bandwidth by kernel
    Stream(StreamArgs),
    /// WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks
    Wfcommons(WfcommonsArgs),
    /// DOT, a digraph with work and bytes as attributes: a graph of tasks
    Dot(DotArgs),
    /// StarPU, the tasks.rec of a run: a graph of tasks
    Starpu(StarpuArgs),
}

/// `numasim import mlc`.
#[derive(Debug, Args)]
pub(crate) struct MlcArgs {
    /// Output of mlc, or a CSV with the columns from_node,to_mem0,to_mem1,...
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// The name of the machine [default: that of the table or of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Physical cores of each node, which the matrix does not contain
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=65_536))]
    pub(crate) cores_per_node: Option<u32>,

    /// Peak of one core in GFLOPS, which the matrix does not contain
    #[arg(long, value_name = "GFLOPS", value_parser = positive)]
    pub(crate) gflops_per_core: Option<f64>,

    /// Only the table whose name contains this, in a CSV with a column `file`
    #[arg(long, value_name = "NAME")]
    pub(crate) select: Option<String>,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import hwloc`.
#[derive(Debug, Args)]
pub(crate) struct HwlocArgs {
    /// Output of `lstopo --of xml`, or of `numasim export hwloc`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) given: FiguresArgs,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import likwid`.
#[derive(Debug, Args)]
pub(crate) struct LikwidArgs {
    /// Output of likwid-bench, or a CSV with the columns kernel,threads,bw_GBs
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Only machines whose name contains this, in a CSV with a column `machine_file`
    #[arg(long, value_name = "NAME")]
    pub(crate) select: Option<String>,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import stream`.
#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// Output of STREAM or BabelStream (also --csv), or a CSV with the columns threads,Copy,Scale,Add,Triad
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import wfcommons`.
#[derive(Debug, Args)]
pub(crate) struct WfcommonsArgs {
    /// An instance in WfFormat, JSON
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// GFLOPS of a core that it was measured on, which the file does not contain: work is runtimeInSeconds x avgCPU / 100 x
    /// GFLOPS
    #[arg(long, value_name = "GFLOPS", required = true, value_parser = positive)]
    pub(crate) reference_gflops: f64,

    #[command(flatten)]
    pub(crate) output: GraphFolder,
}

/// `numasim import dot`.
#[derive(Debug, Args)]
pub(crate) struct DotArgs {
    /// A digraph; nodes have `flop` (or `size`) and `type`, edges have `bytes` (or `size`)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) output: GraphFolder,
}

/// `numasim import starpu`.
#[derive(Debug, Args)]
pub(crate) struct StarpuArgs {
    /// The file tasks.rec that StarPU writes with STARPU_FXT_TRACE=1 and starpu_fxt_tool
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// GFLOPS of a core that it was measured on, for tasks without GFlop: their work is EndTime - StartTime x GFLOPS
    #[arg(long, value_name = "GFLOPS", value_parser = positive)]
    pub(crate) reference_gflops: Option<f64>,

    #[command(flatten)]
    pub(crate) output: GraphFolder,
}

/// Where a graph goes.
#[derive(Debug, Args)]
pub(crate) struct GraphFolder {
    /// Write blocks.csv and tasks.csv to DIR, which is made where there is none; `numasim tasks --graph DIR` reads them
    #[arg(short, long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,
}
