//! The command line of `numasim catalog`.

use clap::{Args, ValueHint};

use crate::output::OutputArgs;

/// `numasim catalog`.
#[derive(Debug, Args)]
pub(crate) struct CatalogArgs {
    /// Print this file (@epyc-7501-2s), or list only this folder (machines) [default: list all]
    #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
