//! `numasim evaluate`.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::Intervals;
use super::scenario::scenario;

/// Scenarios under one sharing model, or under all.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Evaluate {
    One(UnderOne),
    All(UnderAll),
}

/// The scenarios of the files.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct UnderOne {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "evaluate"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// The sharing model.
    model: String,
    /// Its parameters, where they are not the defaults; `numasim models` has their units.
    model_parameters: Option<BTreeMap<String, f64>>,
    /// Where intervals come from.
    intervals: Option<Intervals>,
    /// In the order of the files.
    scenarios: Vec<Scenario>,
}

/// With `--model all`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct UnderAll {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "evaluate"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// `all`.
    #[schemars(extend("const" = "all"))]
    model: String,
    /// The scenarios once for each sharing model.
    models: Vec<UnderModel>,
}

/// One sharing model.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct UnderModel {
    /// Its name.
    model: String,
    /// In the order of the files.
    scenarios: Vec<Scenario>,
}

scenario! {
    /// An evaluated scenario.
    Scenario {
        /// The worked calculation, with `--explain`.
        explanation: Option<String>,
    }
}
