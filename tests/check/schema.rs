//! Just enough of JSON Schema (draft 2020-12) for the schema that the program prints. An unsupported keyword panics, so
//! that nothing goes unchecked; `.ci/schema` checks the same files with a complete validator.

use serde_json::{Map, Value};

/// Whether `value` matches `schema`; `root` is the whole schema, for references.
pub(crate) fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    match schema {
        Value::Bool(anything) => *anything,
        Value::Object(rules) => rules.iter().all(|(keyword, rule)| obeys(root, rules, keyword, rule, value)),
        other => panic!("{other} is no schema"),
    }
}

fn obeys(root: &Value, rules: &Map<String, Value>, keyword: &str, rule: &Value, value: &Value) -> bool {
    let accepts = |schema: &Value, value: &Value| accepts(root, schema, value);
    let schemas = || rule.as_array().expect("a list of schemas").iter();
    let fitting = || schemas().filter(|schema| accepts(schema, value)).count();
    let limit = || rule.as_f64().expect("a number");
    let count = || usize::try_from(rule.as_u64().expect("a count")).expect("a small one");
    match keyword {
        // For people, or resolved elsewhere; `then` belongs to `if`.
        "$schema" | "$defs" | "title" | "description" | "format" | "then" => true,
        "$ref" => {
            let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a place in this schema");
            accepts(root.pointer(path).expect("what is referred to"), value)
        }
        "type" => match rule {
            Value::Array(types) => types.iter().any(|name| is(name, value)),
            name => is(name, value),
        },
        "const" => value == rule,
        "enum" => rule.as_array().expect("a list of values").contains(value),
        "minimum" => value.as_f64().is_none_or(|number| number >= limit()),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > limit()),
        "maximum" => value.as_f64().is_none_or(|number| number <= limit()),
        "minLength" => value.as_str().is_none_or(|text| text.chars().count() >= count()),
        "pattern" => value.as_str().is_none_or(|text| matches(text, rule)),
        "minItems" => value.as_array().is_none_or(|list| list.len() >= count()),
        "maxItems" => value.as_array().is_none_or(|list| list.len() <= count()),
        "items" => value.as_array().is_none_or(|list| list.iter().all(|item| accepts(rule, item))),
        "required" => value.as_object().is_none_or(|table| {
            let mut names = rule.as_array().expect("a list of names").iter();
            names.all(|name| table.contains_key(name.as_str().expect("a name")))
        }),
        "dependentRequired" => value.as_object().is_none_or(|table| {
            let rules = rule.as_object().expect("names by name").iter();
            let names = rules.filter(|(name, _)| table.contains_key(*name)).map(|(_, names)| names);
            names
                .flat_map(|names| names.as_array().expect("a list of names"))
                .all(|name| table.contains_key(name.as_str().expect("a name")))
        }),
        "properties" => value.as_object().is_none_or(|table| {
            let known = rule.as_object().expect("a schema for each name");
            known.iter().all(|(name, schema)| table.get(name).is_none_or(|value| accepts(schema, value)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|table| {
            let known = |name: &str| rules.get("properties").is_some_and(|known| known.get(name).is_some());
            table.iter().all(|(name, value)| known(name) || accepts(rule, value))
        }),
        "allOf" => fitting() == schemas().count(),
        "anyOf" => fitting() > 0,
        "oneOf" => fitting() == 1,
        "not" => !accepts(rule, value),
        "if" => !accepts(rule, value) || rules.get("then").is_none_or(|then| accepts(then, value)),
        unknown => panic!("the schema has the keyword {unknown}, which this test does not know"),
    }
}

fn is(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        // 2.0 is also an integer.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        unknown => panic!("there is no type {unknown}"),
    }
}

fn matches(text: &str, pattern: &Value) -> bool {
    match pattern.as_str().expect("a pattern") {
        r"\S" => text.contains(|c: char| !c.is_whitespace()),
        "[0-9]" => text.contains(|c: char| c.is_ascii_digit()),
        unknown => panic!("the schema has the pattern {unknown}, which this test does not know"),
    }
}
