//! `--model` and `numasim models`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use numasim_model::ModelKind;

use crate::output::OutputArgs;

/// What `evaluate --model` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelChoice {
    /// One model.
    One(ModelKind),
    /// All of them, side by side.
    All,
}

/// One of the models.
pub(super) fn one() -> impl TypedValueParser<Value = ModelKind> {
    // The parser has refused every other name.
    PossibleValuesParser::new(names()).map(|name| ModelKind::from_name(&name).unwrap_or_default())
}

/// One of the models, or all.
pub(super) fn one_or_all() -> impl TypedValueParser<Value = ModelChoice> {
    PossibleValuesParser::new(names().into_iter().chain(["all"]))
        .map(|name| ModelKind::from_name(&name).map_or(ModelChoice::All, ModelChoice::One))
}

fn names() -> [&'static str; ModelKind::ALL.len()] {
    ModelKind::ALL.map(ModelKind::name)
}

/// `numasim models`.
#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Only this model
    #[arg(value_name = "NAME", value_parser = one(), value_hint = ValueHint::Other)]
    pub(crate) name: Option<ModelKind>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
