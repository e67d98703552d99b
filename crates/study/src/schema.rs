//! The JSON Schema of an input file, generated from the declarations of its keys ([`crate::keys`]); relations
//! between keys are added here.

use serde_json::{Map, Value, json};

use crate::keys::{Forms, Key, Shape, Table, Words};
use numasim_model::bounds::{MOST_EXACT, SMALLEST};
use numasim_model::problem::KernelName;

/// The version of JSON Schema.
pub const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The JSON Schema (draft 2020-12) of one input file with these tables.
pub fn json_schema(root: &Table) -> Value {
    let mut types = Map::new();
    let mut schema = object([("$schema", DRAFT.into()), ("title", "numasim input file".into())]);
    schema.extend(table(root, &mut types));
    schema.insert("$defs".to_owned(), types.into());
    schema.into()
}

type Schema = Map<String, Value>;

fn object<const N: usize>(entries: [(&str, Value); N]) -> Schema {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The text of documentation comments as one paragraph.
fn paragraph(doc: &str) -> Value {
    doc.trim().into()
}

/// A reference to the type with this name; `make` creates the type if it does not exist yet.
fn reference(name: &str, types: &mut Schema, make: impl FnOnce(&mut Schema) -> Schema) -> Schema {
    if !types.contains_key(name) {
        // A type precedes the types that it uses.
        types.insert(name.to_owned(), Value::Null);
        let made = make(types);
        types.insert(name.to_owned(), made.into());
    }
    object([("$ref", format!("#/$defs/{name}").into())])
}

fn table(table: &Table, types: &mut Schema) -> Schema {
    let properties: Schema =
        table.keys.iter().map(|key| (key.name.to_owned(), property(key, types).into())).collect();
    let required: Vec<&str> = table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = object([
        ("type", "object".into()),
        ("additionalProperties", false.into()),
        ("properties", properties.into()),
        ("description", paragraph(table.doc)),
    ]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    if let Value::Object(relations) = relations(table) {
        schema.extend(relations);
    }
    schema
}

fn property(key: &Key, types: &mut Schema) -> Schema {
    described(shape(&key.shape, types), key.description().into())
}

fn described(mut schema: Schema, description: Value) -> Schema {
    schema.insert("description".to_owned(), description);
    schema
}

fn shape(of: &Shape, types: &mut Schema) -> Schema {
    match of {
        Shape::Number(least, most) => object([
            ("type", "number".into()),
            ("format", "double".into()),
            ("minimum", (*least).into()),
            ("maximum", (*most).into()),
        ]),
        Shape::Whole(least, most, bits) => {
            let mut schema = object([
                ("type", "integer".into()),
                ("format", format!("uint{bits}").into()),
                ("minimum", (*least).into()),
            ]);
            // Beyond these bounds, the type defines the limit, or the numbers of a file are not exact.
            if *most < if *bits == u32::BITS { u64::from(u32::MAX) } else { MOST_EXACT } {
                schema.insert("maximum".to_owned(), (*most).into());
            }
            schema
        }
        Shape::Flag => object([("type", "boolean".into())]),
        Shape::Text => object([("type", "string".into())]),
        Shape::Name => {
            object([("type", "string".into()), ("minLength", 1.into()), ("pattern", r"\S".into())])
        }
        Shape::Cpus => object([("type", "string".into()), ("pattern", "[0-9]".into())]),
        Shape::Words(words) => reference(words.type_name, types, |_| choice(words)),
        Shape::List(each, least, most) => list(shape(each, types), *least, *most),
        Shape::Map(each) => {
            object([("type", "object".into()), ("additionalProperties", shape(each, types).into())])
        }
        Shape::Table(of) => reference(of.type_name, types, |types| table(of, types)),
        Shape::Tables(of, least, most) => {
            list(reference(of.type_name, types, |types| table(of, types)), *least, *most)
        }
        Shape::Forms(forms) => reference(forms.type_name, types, |types| any_of(forms, types)),
    }
}

fn list(each: Schema, least: u32, most: u32) -> Schema {
    let mut schema = object([("type", "array".into()), ("items", each.into())]);
    for (key, bound) in [("minItems", least), ("maxItems", most)] {
        if bound > 0 {
            schema.insert(key.to_owned(), bound.into());
        }
    }
    schema
}

fn choice(words: &Words) -> Schema {
    let word = |(word, doc)| json!({ "type": "string", "const": word, "description": doc });
    let words_of: Vec<Value> = words.each().map(word).collect();
    object([("oneOf", words_of.into()), ("description", paragraph(words.doc))])
}

fn any_of(forms: &Forms, types: &mut Schema) -> Schema {
    let form = |(of, doc): &(Shape, &str)| Value::from(described(shape(of, types), (*doc).into()));
    let forms_of: Vec<Value> = forms.forms.iter().map(form).collect();
    object([("anyOf", forms_of.into()), ("description", paragraph(forms.doc))])
}

/// Relations between the keys of a table: keys that require each other, and keys that exclude each other.
fn relations(table: &Table) -> Value {
    // One of the keys on the left, or those on the right.
    let form = |keys: &[&str], other: &str| {
        let given: Vec<Value> = keys.iter().map(|key| json!({ "required": [key] })).collect();
        json!({ "required": [other], "not": { "anyOf": given } })
    };
    match table.type_name {
        "MachineTable" => json!({
            "allOf": [
                { "oneOf": [
                    { "required": ["nodes", "cores_per_node", "gflops_per_core"], "not": { "required": ["node"] } },
                    form(&["nodes", "cores_per_node", "gflops_per_core", "cpus"], "node"),
                ] },
                { "oneOf": [
                    { "required": ["bandwidth_gbs"], "not": { "required": ["bandwidth_matrix_gbs"] } },
                    form(
                        &["bandwidth_gbs", "link_gbs", "sockets", "socket_link_gbs", "shared_link_gbs"],
                        "bandwidth_matrix_gbs"
                    ),
                ] },
            ],
            "dependentRequired": { "socket_link_gbs": ["sockets"], "shared_link_gbs": ["sockets"] },
        }),
        // A node with cores requires their peak.
        "NodeTable" => json!({
            "if": { "properties": { "cores": { "minimum": 1 } } },
            "then": {
                "required": ["gflops_per_core"],
                "properties": { "gflops_per_core": { "minimum": SMALLEST } }
            },
        }),
        "SharedLinkTable" => json!({ "oneOf": [
            { "required": ["between"], "not": { "anyOf": [{ "required": ["from"] }, { "required": ["to"] }] } },
            { "required": ["from", "to"], "not": { "required": ["between"] } },
        ] }),
        // An intensity, a kernel that counts its own, or a program that is only started; problem sizes only for such a kernel.
        "AppTable" => {
            let real = KernelName::ALL.map(|kernel| json!({ "const": kernel.as_str() }));
            json!({
                "anyOf": [
                    { "required": ["arithmetic_intensity"] },
                    { "required": ["thread_gflops", "thread_gbs"] },
                    {
                        "required": ["rate", "thread_gbs"],
                        "not": { "anyOf": [
                            { "required": ["arithmetic_intensity"] },
                            { "required": ["thread_gflops"] },
                            { "required": ["work_gflop"] },
                        ] },
                    },
                    { "required": ["kernel"], "properties": { "kernel": { "anyOf": real } } },
                    { "required": ["command"] },
                ],
                "dependentRequired": { "problem": ["kernel"], "rate": ["thread_gbs"] },
                "not": { "required": ["kernel", "write_share"] },
            })
        }
        "BlockTable" | "ProgramArrayTable" => {
            json!({ "oneOf": [{ "required": ["bytes"] }, { "required": ["mb"] }] })
        }
        // All keys except the name belong to a generator.
        "GraphTable" => {
            let own = |key: &&&Key| !matches!(key.name, "name" | "generator");
            let needs: Schema = table
                .keys
                .iter()
                .filter(own)
                .map(|key| (key.name.to_owned(), json!(["generator"])))
                .collect();
            json!({ "dependentRequired": needs })
        }
        _ => Value::Null,
    }
}
