//! The command line of `numasim export`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::FileArgs;

/// `numasim export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    pub(crate) kind: ExportKind,
}

/// What is written.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportKind {
    /// XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes
    Hwloc(ExportHwlocArgs),
}

/// `numasim export hwloc`.
#[derive(Debug, Args)]
pub(crate) struct ExportHwlocArgs {
    /// Input files (TOML); of all tables only [machine] counts
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) output: FileArgs,
}
