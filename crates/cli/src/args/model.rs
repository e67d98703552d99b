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

/// What `explore --models` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModelList {
    /// All that can answer the question.
    All,
    /// These, each once.
    Named(Vec<ModelKind>),
}

/// Reads `all` or `max-min,ecm`.
pub(super) fn list(text: &str) -> Result<ModelList, String> {
    if text.trim() == "all" {
        return Ok(ModelList::All);
    }
    let known = || names().join(", ");
    let mut kinds = Vec::new();
    for name in text.split(',').map(str::trim) {
        let kind = ModelKind::from_name(name)
            .ok_or_else(|| format!("'{name}' is no model; write all, or some of {}", known()))?;
        if kinds.contains(&kind) {
            return Err(format!("{name} is there twice"));
        }
        kinds.push(kind);
    }
    Ok(ModelList::Named(kinds))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_each_model_once() {
        assert_eq!(list("all"), Ok(ModelList::All));
        assert_eq!(list("max-min, ecm"), Ok(ModelList::Named(vec![ModelKind::MaxMin, ModelKind::Ecm])));
        for wrong in ["", "max-min,", "fast", "ecm,ecm", "all,ecm"] {
            assert!(list(wrong).is_err(), "{wrong}");
        }
    }
}
