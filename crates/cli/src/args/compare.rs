//! The command line of `numasim compare`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

use super::StudyArgs;
use crate::output::OutputArgs;

/// `numasim compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,

    /// Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops
    #[arg(long, value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) measured: PathBuf,

    /// Only the scenario with this name; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) scenario: Vec<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
