//! Other answers than the best: the robust placement, and the simplest.

use numasim_model::ModelKind;
use numasim_sim::search::Simplest;
use numasim_sim::search::over_models::OverModels;
use serde_json::{Map, Value, json};

use super::RatedView;
use crate::json::number;

/// Another answer than the best, with what is said of it.
#[derive(Clone, Debug)]
pub struct Further<'a> {
    /// Its key in the document.
    pub key: &'static str,
    /// What is said of it, in the documented order.
    pub of: Vec<(String, Value)>,
    /// The allocation, `best` of the object.
    pub best: RatedView<'a>,
    /// Intervals would be those of one model, and are left out.
    pub of_several_models: bool,
}

impl<'a> Further<'a> {
    /// The placement that is good whichever model is right: `worst_regret`, `bound`, `regrets` and `others`; beyond the contract `status`,
    /// `at_most` (the worst regret if the bests that are not proven are as good as their bounds), `models` and `left_out`. `best` is the
    /// placement under the first model.
    pub fn robust(over: &OverModels, best: RatedView<'a>) -> Self {
        let OverModels { found, kinds, left_out, others } = over;
        let others: Map<String, Value> =
            others.iter().map(|(name, regrets)| (name.clone(), by_model(kinds, regrets))).collect();
        let models = kinds.iter().zip(&found.models).map(|(kind, of)| {
            let known = json!({ "value": number(of.value), "bound": number(of.bound), "proven": of.proven });
            (kind.name().to_owned(), known)
        });
        let models: Map<String, Value> = models.collect();
        let left_out = left_out
            .iter()
            .map(|one| json!({ "model": one.kind.name(), "reason": one.reason.to_string() }))
            .collect::<Vec<_>>();
        let entries = [
            ("worst_regret", number(found.worst_regret)),
            ("bound", number(found.bound)),
            ("status", found.status.word().into()),
            ("at_most", number(found.at_most)),
            ("regrets", by_model(kinds, &found.regrets)),
            ("others", others.into()),
            ("models", models.into()),
            ("left_out", left_out.into()),
        ];
        Self { key: "robust", of: keyed(entries), best, of_several_models: true }
    }

    /// The simplest allocation that loses at most the share `within` of the best.
    pub fn simple(found: &Simplest, within: f64, best: RatedView<'a>) -> Self {
        let entries = [
            ("loss", number(found.loss)),
            ("within", number(within)),
            ("proven", found.proven.into()),
            ("different_numbers", found.simplicity.numbers.into()),
            ("shared_nodes", found.simplicity.mixed.into()),
        ];
        Self { key: "simple", of: keyed(entries), best, of_several_models: false }
    }
}

fn keyed<const N: usize>(entries: [(&str, Value); N]) -> Vec<(String, Value)> {
    entries.map(|(key, value)| (key.to_owned(), value)).into()
}

fn by_model(kinds: &[ModelKind], regrets: &[f64]) -> Value {
    let entries = kinds.iter().zip(regrets);
    Value::Object(entries.map(|(kind, &regret)| (kind.name().to_owned(), number(regret))).collect())
}
