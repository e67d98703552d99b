//! The JSON Schema of documents, generated from the types that are serialised.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use numasim_study::schema::DRAFT;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use crate::document::{ByName, VERSION};

/// The JSON Schema (draft 2020-12) of the document `T`, which the command `name` writes.
pub fn of<T: JsonSchema>(name: &str) -> Value {
    let command = name.split(' ').next().unwrap_or_default();
    // A written document contains all of its keys, except for those that are skipped.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generated = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(|schema: &mut Schema| as_written(schema, command)).transform(&mut generated);
    let mut schema = json_schema!({ "$schema": DRAFT, "title": format!("numasim {name} --format json") });
    for (key, value) in generated.as_object().into_iter().flatten().filter(|(key, _)| *key != "title") {
        schema.insert(key.clone(), value.clone());
    }
    schema.to_value()
}

/// The rules of documents: objects have no additional keys; a key that may be missing is never null; the head names the command.
fn as_written(schema: &mut Schema, command: &str) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |key: &str| required.as_array().is_some_and(|keys| keys.iter().any(|own| own == key));
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(key, _)| !is_required(key)) {
        if let Value::Object(property) = property {
            never_null(property);
        }
    }
    if properties.get("schema").is_some_and(|version| version["const"] == VERSION) {
        properties["command"]["const"] = command.into();
    }
    if !schema.as_object().is_some_and(|own| own.contains_key("additionalProperties")) {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
}

/// As in TOML, a key without a value is missing.
fn never_null(schema: &mut Map<String, Value>) {
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
            schema.extend(only);
        }
    }
}

/// A command writes one of two documents, because an option selects a different question.
#[derive(Debug)]
pub struct Either<A, B>(PhantomData<(A, B)>);

impl<A: JsonSchema, B: JsonSchema> JsonSchema for Either<A, B> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Or{}", A::schema_name(), B::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<A>(), generator.subschema_for::<B>()] })
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
        BTreeMap::<String, T>::json_schema(generator)
    }
}
