//! The JSON Schema of documents, generated from the types that are written.

use std::borrow::Cow;

use numasim_study::schema::DRAFT;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::document::ByName;
use crate::json::Number;

/// The JSON Schema (draft 2020-12) of the document `T`, which the command `name` writes.
pub fn of<T: JsonSchema>(name: &str) -> Value {
    let mut generated = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    // A key that may be missing is never null; one that is always there and may be null is `OrNull`.
    RecursiveTransform(without_null).transform(&mut generated);
    let mut schema = json_schema!({ "$schema": DRAFT, "title": format!("numasim {name} --format json") });
    for (key, value) in generated.as_object().into_iter().flatten().filter(|(key, _)| *key != "title") {
        schema.insert(key.clone(), value.clone());
    }
    schema.to_value()
}

pub use crate::values::OrNull;

impl JsonSchema for Number {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        f64::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        f64::json_schema(generator)
    }
}

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

impl<T: JsonSchema> JsonSchema for ByName<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}ByName", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        std::collections::BTreeMap::<String, T>::json_schema(generator)
    }
}

/// No null where a key is there or it is not, as in TOML; and a description is one paragraph.
fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            only.into_iter().for_each(|(key, value)| {
                schema.insert(key, value);
            });
        }
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}
