//! The command line of `numasim plan`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use numasim_plan::Pattern;

use crate::output::Format;

/// `numasim plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// A profile: the folder that `numasim profile` or OCR-Vx has written
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) profile: PathBuf,

    /// How blocks are dealt to nodes: consecutive ones together, in turn, or where the programmer wants them
    #[arg(long, value_name = "PATTERN", default_value = "block", value_parser = pattern())]
    pub(crate) pattern: Pattern,

    /// Write plan-dbs.csv, plan-tree.csv and plan.toml to PLAN
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
