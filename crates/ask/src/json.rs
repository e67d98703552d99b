//! Numbers and lists of documents that are not yet types.

use numasim_model::Model;
use numasim_sim::intervals::Interval;
use serde::Serialize;
use serde::ser::Serializer;
use serde_json::{Map, Value};

/// A list that is made while it is written.
pub struct Sequence<I>(pub I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Sequence<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// Names the sharing model in a document: `model`, and `model_parameters` where corrections are in use.
pub fn name_model(document: &mut Value, sharing: &Model) {
    document["model"] = sharing.name().into();
    let used: Map<String, Value> =
        sharing.in_use().map(|(parameter, value)| (parameter.key().to_owned(), number(value))).collect();
    if !used.is_empty() {
        document["model_parameters"] = used.into();
    }
}

/// As [`number`] writes it.
#[derive(Clone, Copy)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 + 0.0)
    }
}

/// `[low, high]`.
pub fn ends(interval: Interval) -> Value {
    Value::from(vec![number(interval.low), number(interval.high)])
}

/// JSON has no infinity: null. A negative zero becomes zero.
pub fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value + 0.0).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unrounded_and_always_valid_json() {
        assert_eq!(number(0.1 + 0.2).to_string(), "0.30000000000000004");
        assert_eq!(number(254.0).to_string(), "254.0");
        assert_eq!(number(-0.0).to_string(), "0.0");
        assert_eq!(number(f64::INFINITY), Value::Null);
    }

    #[test]
    fn a_number_is_written_as_its_value_is() {
        for value in [0.1 + 0.2, 254.0, -0.0, 1e300, -1e-7, f64::INFINITY, f64::NAN] {
            let written = serde_json::to_string(&Number(value)).expect("a number or null");
            assert_eq!(written, number(value).to_string());
            assert_eq!(serde_json::to_value(Number(value)).expect("a number or null"), number(value));
        }
    }
}
