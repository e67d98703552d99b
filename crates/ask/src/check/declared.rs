//! The JSON Schema of the keys that `check` echoes, from their declarations.

use numasim_course::keys as over_time;
use numasim_graph::keys as tasks;
use numasim_study::keys::{self, Key, Shape};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// Counts for a graph, and for a phase, in addition to the keys of their tables.
const COUNTED: [(&str, &str); 10] = [
    ("accesses", "Accesses to blocks."),
    ("arrays", "Arrays of the program."),
    ("blocks", "Blocks of data."),
    ("chunks", "Blocks of each array."),
    ("gflop", "Divisible work of an iteration in GFLOP."),
    ("loops", "Loops of the program."),
    ("repeat", "How often the loops run."),
    ("task_gflop", "Work of each task of an iteration in GFLOP."),
    ("tasks", "How many tasks there are."),
    ("types", "Types of tasks."),
];

/// An object with these keys, each with a value or null.
fn object<'k>(declared: impl IntoIterator<Item = &'k &'static Key>, counted: &[&str]) -> Schema {
    let of_key = |key: &&'static Key| {
        let value = match key.shape {
            Shape::Number(..) => json!({ "type": "number" }),
            Shape::Whole(..) => json!({ "type": "integer", "minimum": 0 }),
            Shape::Flag => json!({ "type": "boolean" }),
            Shape::Text | Shape::Name | Shape::Cpus | Shape::Words(_) => json!({ "type": "string" }),
            _ => json!({ "type": ["number", "string", "array", "object"] }),
        };
        let schema = json!({ "oneOf": [value, { "type": "null" }], "description": key.description() });
        (key.name.to_owned(), schema)
    };
    let counted = COUNTED.iter().filter(|(key, _)| counted.contains(key));
    let counted = counted.map(|(key, about)| ((*key).to_owned(), json!({ "description": about })));
    let properties: Map<String, Value> = declared.into_iter().map(of_key).chain(counted).collect();
    json_schema!({ "type": "object", "properties": properties })
}

macro_rules! objects {
    ($($name:ident = $table:path $(, $counted:literal)*;)*) => {
        $(
            pub(super) fn $name(_: &mut SchemaGenerator) -> Schema {
                object($table.keys, &[$($counted),*])
            }
        )*
    };
}

objects! {
    app = over_time::APP_TABLE;
    phase = over_time::phase::TABLE, "gflop", "tasks", "task_gflop";
    channel = over_time::channel::TABLE;
    call = over_time::call::TABLE;
    command = over_time::command::TABLE;
    policy = over_time::policy::TABLE;
    os = over_time::os::TABLE;
    known_cluster = over_time::cluster::TABLE;
    known_graph = tasks::graph::TABLE, "accesses", "arrays", "blocks", "chunks", "loops", "repeat", "tasks", "types";
    known_scheduler = tasks::scheduler::TABLE;
    known_runtime = tasks::runtime::TABLE;
    known_contender = tasks::contender::TABLE;
}

/// The keys that a single node may define.
pub(super) fn limits(_: &mut SchemaGenerator) -> Schema {
    object(keys::node::TABLE.keys.iter().filter(|key| key.inherited.is_some() && key.node.is_some()), &[])
}

macro_rules! around {
    ($($name:ident = $of:ident in $around:expr;)*) => {
        $(
            pub(super) fn $name(generator: &mut SchemaGenerator) -> Schema {
                $around(&$of(generator))
            }
        )*
    };
}

fn list(each: &Schema) -> Schema {
    json_schema!({ "type": "array", "items": each })
}

fn or_null(value: &Schema) -> Schema {
    json_schema!({ "oneOf": [value, { "type": "null" }] })
}

around! {
    phases = phase in list;
    channels = channel in list;
    calls = call in list;
    commands = command in list;
    cluster = known_cluster in or_null;
    graph = known_graph in or_null;
    scheduler = known_scheduler in or_null;
    runtime = known_runtime in or_null;
    contender = known_contender in or_null;
}
