//! What the effort of an unproven search has brought so far.

use numasim_sim::search::{Mark, Spent};
use serde_json::{Value, json};

use crate::json::number;

/// `effort` of the documented JSON.
pub(super) fn effort(spent: &Spent) -> Value {
    let mark = |mark: &Mark| {
        json!({
            "effort": number(mark.effort),
            "value": number(mark.value),
            "bound": number(mark.bound),
            "gap": number(mark.gap()),
            "elapsed_s": number(mark.elapsed_s),
        })
    };
    json!({ "spent": number(spent.part), "history": spent.marks.iter().map(mark).collect::<Vec<_>>() })
}
