//! The head of the document of `evaluate`.

use numasim_model::Study;
use numasim_sim::intervals::Draws;
use serde_json::{Value, json};

use crate::intervals;
use crate::json::name_model;

/// All but `scenarios`, which come last. `draws`: where the intervals come from.
pub fn head(study: &Study, draws: Option<&Draws>) -> Value {
    let mut head = json!({
        "schema": 1,
        "command": "evaluate",
        "machine": study.machine.name(),
    });
    name_model(&mut head, study.machine.sharing());
    if let Some(draws) = draws {
        head["intervals"] = intervals::json(draws);
    }
    head
}
