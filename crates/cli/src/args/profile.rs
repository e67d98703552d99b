//! The command line of `numasim profile`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use numasim_model::ModelKind;

use super::model;

/// `numasim profile`.
#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    /// TOML files, read as one: exactly one [machine], and [[block]] and [[task]] or a [graph] with a generator
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Read the graph from blocks.csv and tasks.csv in DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) graph: Option<PathBuf>,

    /// Bandwidth-sharing model [default: that of the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = model::one())]
    pub(crate) model: Option<ModelKind>,

    /// Write the files ptrace-*.csv to DIR
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) output: PathBuf,
}
