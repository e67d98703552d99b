//! The command line of `numasim import` for tools that print topologies.

use std::path::PathBuf;

use clap::{Args, ValueHint, value_parser};
use numasim_model::bounds;

use super::FileArgs;

const FIGURES: &str = "What a topology does not contain, for all nodes";

/// `numasim import numactl`.
#[derive(Debug, Args)]
pub(crate) struct NumactlArgs {
    /// Output of `numactl --hardware`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Output of lscpu on the same machine, in any of its forms: cores, sockets and caches, which numactl does not know
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath, conflicts_with = "threads_per_core")]
    pub(crate) lscpu: Vec<PathBuf>,

    /// Hardware threads of each core: of so many processors one counts as a core
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=16))]
    pub(crate) threads_per_core: Option<u32>,

    #[command(flatten)]
    pub(crate) given: FiguresArgs,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import lscpu`.
#[derive(Debug, Args)]
pub(crate) struct LscpuArgs {
    /// Output of `lscpu`, `lscpu -J`, `lscpu -e` or `lscpu -p`; the summary and a table of the same machine are put together
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) given: FiguresArgs,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// `numasim import likwid-topology`.
#[derive(Debug, Args)]
pub(crate) struct LikwidTopologyArgs {
    /// Output of `likwid-topology`, with or without -c or -O
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) given: FiguresArgs,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}

/// Figures of a person, and the name.
#[derive(Debug, Args)]
pub(crate) struct FiguresArgs {
    /// The name of the machine [default: that of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Peak of one core in GFLOPS
    #[arg(long, value_name = "GFLOPS", value_parser = positive, help_heading = FIGURES)]
    pub(crate) gflops_per_core: Option<f64>,

    /// What the memory of a node delivers to its own cores, in GB/s
    #[arg(long, value_name = "GB/S", value_parser = positive, help_heading = FIGURES)]
    pub(crate) bandwidth_gbs: Option<f64>,

    /// What the cores of a node get from the memory of another one, in GB/s
    #[arg(long, value_name = "GB/S", value_parser = positive, help_heading = FIGURES)]
    pub(crate) link_gbs: Option<f64>,
}

/// A figure above zero, in the bounds of files.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    above_zero(text, "a number", "80 or 73.6")
}

/// `what` above zero, in the bounds of files; `example` is one.
pub(super) fn above_zero(text: &str, what: &str, example: &str) -> Result<f64, String> {
    let Ok(number) = text.parse::<f64>() else {
        return Err(format!("write {what} above zero, such as {example}"));
    };
    match bounds::misfit(bounds::as_written(number, text), false) {
        None => Ok(number),
        Some(misfit) if misfit.label.starts_with("too ") => {
            Err(format!("{text} is {}: write {what} of {}, such as {example}", misfit.label, misfit.must))
        }
        Some(_) => Err(format!("write {what} above zero, such as {example}")),
    }
}
