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

    /// Draw the plots into this directory, as SVG
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) plots: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
