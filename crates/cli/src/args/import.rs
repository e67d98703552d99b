//! The command line of `numasim import`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint, value_parser};

use super::FileArgs;

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
    /// hwloc, lstopo --of xml: the skeleton of a machine file
    Hwloc(HwlocArgs),
    /// likwid-bench, one run or a sweep: a CSV of bandwidth over threads
    Likwid(LikwidArgs),
    /// STREAM: a CSV of bandwidth by kernel
    Stream(StreamArgs),
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
    /// Output of `lstopo --of xml`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

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
    /// Output of STREAM, or a CSV with the columns threads,Copy,Scale,Add,Triad
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// A number above zero.
fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    number.ok_or_else(|| "write a number above zero, such as 80 or 73.6".to_owned())
}
