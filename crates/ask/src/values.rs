//! Values of documents: numbers, and what may be null; a document as text.

use serde::Serialize;
use serde_json::Value;

pub use crate::json::Number;

/// A value that is always there, and null where it is not known.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct OrNull<T>(pub Option<T>);

impl From<Option<f64>> for OrNull<Number> {
    fn from(value: Option<f64>) -> Self {
        Self(value.map(Number))
    }
}

/// A document as indented text with a line end. Writing what has names as keys, into memory, does not fail.
pub fn text(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// A document as a value.
pub fn value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}
