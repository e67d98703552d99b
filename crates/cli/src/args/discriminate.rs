//! The command line of `numasim discriminate`.

use std::path::PathBuf;

use clap::{Args, ValueHint, value_parser};

use crate::output::OutputArgs;

/// `numasim discriminate`.
#[derive(Debug, Args)]
pub(crate) struct DiscriminateArgs {
    /// TOML files with a [machine]; applications and scenarios in them are ignored
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Propose at most N scenarios
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u8).range(1..=50))]
    pub(crate) most: u8,

    /// Also write the applications and scenarios to FILE, for bench and compare
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) emit_scenarios: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
