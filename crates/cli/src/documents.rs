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

mod compare;
mod evaluate;
mod explore;
mod run;
mod scenario;
mod simulate;
mod sweep;
mod tasks;

use std::borrow::Cow;

use clap::ValueEnum;
use numasim_study::schema::{DRAFT, without_null};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
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
    let generator = SchemaSettings::draft2020_12().into_generator();
    let (name, mut generated) = match document {
        Document::Evaluate => ("evaluate", generator.into_root_schema_for::<evaluate::Evaluate>()),
        Document::Explore => ("explore", generator.into_root_schema_for::<explore::Explore>()),
        Document::Compare => ("compare", generator.into_root_schema_for::<compare::Compare>()),
        Document::Simulate => ("simulate", generator.into_root_schema_for::<simulate::Simulate>()),
        Document::Tasks => ("tasks", generator.into_root_schema_for::<tasks::Tasks>()),
        Document::Sweep => ("sweep", generator.into_root_schema_for::<sweep::Sweep>()),
        Document::Run => ("run", generator.into_root_schema_for::<run::Run>()),
    };
    // What may be missing is never null; what is always there and may be null says so (`OrNull`).
    RecursiveTransform(without_null).transform(&mut generated);
    let mut schema = json_schema!({ "$schema": DRAFT, "title": format!("numasim {name} --format json") });
    for (key, value) in generated.as_object().into_iter().flatten().filter(|(key, _)| *key != "title") {
        schema.insert(key.clone(), value.clone());
    }
    schema.to_value()
}

/// A value that is always there, and null where nobody knows it.
struct OrNull<T>(std::marker::PhantomData<T>);

impl<T: JsonSchema> JsonSchema for OrNull<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}OrNull", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "oneOf": [value, { "type": "null" }] })
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
