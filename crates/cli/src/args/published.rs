//! The command line of `numasim published`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::output::OutputArgs;

/// `numasim published`.
#[derive(Debug, Args)]
pub(crate) struct PublishedArgs {
    /// Assess only the curves of bandwidth over cores in this CSV
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) scaling: Option<PathBuf>,

    /// Assess only the sets of several domains, memories and applications at once
    #[arg(long, conflicts_with_all = ["scaling", "data"])]
    pub(crate) co_run: bool,

    /// Assess only this CSV of one of these sets; its columns say which
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "scaling")]
    pub(crate) data: Option<PathBuf>,

    /// Assess only the results of other hosts in these bundles of `numasim validate --bundle`
    #[arg(long, value_name = "FILE.tar.zst", num_args = 1.., value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["scaling", "co_run", "data", "plots"])]
    pub(crate) bundle: Vec<PathBuf>,

    /// Draw the plots into this directory, as SVG
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) plots: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
