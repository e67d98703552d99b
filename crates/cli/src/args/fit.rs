//! The command line of `numasim fit`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

use super::StudyArgs;
use crate::output::OutputArgs;

/// `numasim fit`.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,

    /// Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops
    #[arg(long, value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) measured: PathBuf,

    /// Machine parameters to estimate, separated by commas; may be given more than once
    #[arg(long, value_name = "KEY,...", required = true, value_delimiter = ',', action = ArgAction::Append)]
    #[arg(long_help = crate::help::free())]
    pub(crate) free: Vec<String>,

    /// Fit only to the scenario with this name, and predict the other measured ones; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) scenario: Vec<String>,

    /// Also write a machine file with the fitted values, whole or not at all
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) emit_machine: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
