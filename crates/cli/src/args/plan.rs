//! The command line of `numasim plan`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use numasim_model::ModelKind;
use numasim_plan::Pattern;

use super::model;
use crate::output::Format;

/// `numasim plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// A profile, the folder that `numasim profile` or OCR-Vx has written; or TOML files, read as one, with a [machine] and the
    /// graph to be planned
    #[arg(value_name = "DIR|FILE", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) from: Vec<PathBuf>,

    /// Of a profile: how blocks are dealt to nodes, consecutive ones together, in turn, or where the programmer wants them
    /// [default: block]
    #[arg(long, value_name = "PATTERN", value_parser = pattern())]
    pub(crate) pattern: Option<Pattern>,

    /// Plan the graph in blocks.csv and tasks.csv in DIR, for the machine in the files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "pattern")]
    pub(crate) graph: Option<PathBuf>,

    /// Of a graph: bandwidth-sharing model [default: that of the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = model::one(), conflicts_with = "pattern")]
    pub(crate) model: Option<ModelKind>,

    /// Write the plan to PLAN: plan.toml, beside it plan-dbs.csv and plan-tree.csv, or of a graph blocks.csv, tasks.csv and
    /// edges.csv
    #[arg(short, long, value_name = "PLAN", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// How to tell what was planned
    #[arg(long, value_name = "FORMAT", default_value = "table", help_heading = "Output")]
    pub(crate) format: Format,
}

fn pattern() -> impl TypedValueParser<Value = Pattern> {
    let names = Pattern::ALL.map(Pattern::as_str);
    // The parser has refused every other name.
    PossibleValuesParser::new(names)
        .map(|name| Pattern::ALL.into_iter().find(|pattern| pattern.as_str() == name).unwrap_or_default())
}
