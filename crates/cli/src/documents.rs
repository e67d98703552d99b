//! What commands write as JSON, as types from which JSON Schemas are generated (`numasim schema COMMAND`).
//!
//! Writing does not go through these types: documents may be long, and are written piece by piece. Tests hold the two
//! together: no object may have a key that is not here, and real output of each command is accepted (`tests/schemas.rs`).
#![allow(
    dead_code,
    clippy::struct_field_names,
    clippy::zero_sized_map_values,
    reason = "only their shape is used"
)]

mod explore;
mod scenario;

use clap::ValueEnum;
use numasim_ask::compare::Compare;
use numasim_ask::schema::{self, OrNull};
use schemars::JsonSchema;
use serde_json::Value;

/// A document that has a schema, by its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Document {
    /// What `evaluate --format json` writes
    Evaluate,
    /// What `explore --format json` writes
    Explore,
    /// What `compare --format json` writes
    Compare,
    /// What `simulate --format json` writes
    Simulate,
    /// What `tasks --format json` writes
    Tasks,
    /// What `sweep --format json` writes
    Sweep,
    /// What `run --format json` writes, and `result.json` of its folder
    Run,
}

/// The JSON Schema (draft 2020-12) of a document.
pub(crate) fn json_schema(document: Document) -> Value {
    match document {
        Document::Evaluate => schema::of::<numasim_ask::evaluate::Document>("evaluate"),
        Document::Explore => schema::of::<explore::Explore>("explore"),
        Document::Compare => schema::of::<Compare<'_>>("compare"),
        Document::Simulate => schema::of::<numasim_ask::simulate::Document>("simulate"),
        Document::Tasks => schema::of::<numasim_ask::tasks::Document>("tasks"),
        Document::Sweep => schema::of::<numasim_ask::sweep::Document>("sweep"),
        Document::Run => schema::of::<numasim_ask::run::HostRun>("run"),
    }
}

/// Where the intervals of a document come from.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Intervals {
    /// How many of the drawn machines lie inside: 0.95.
    level: f64,
    /// Machines that were drawn.
    draws: u64,
    /// Half the width of the 95 % interval of each uncertain figure of the machine, in percent of the figure.
    interval95_percent: std::collections::BTreeMap<String, f64>,
}
