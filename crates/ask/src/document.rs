//! Documents: the form in which results are written for programs.
//!
//! Keys have the documented order, and numbers are not rounded. Values that are not finite become null; a negative zero becomes zero.

use std::io::{self, BufWriter, Write};

use numasim_model::Machine;
use numasim_sim::intervals::{Draws, Interval};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::intervals;

/// The `schema` of every document.
pub(crate) const VERSION: u64 = 1;

/// Common keys of all documents: the version, and the command that writes the document.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Head {
    /// Version of the document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    schema: u64,
    /// The command that wrote it.
    command: &'static str,
}

impl Head {
    /// The head of the documents of a command.
    pub const fn of(command: &'static str) -> Self {
        Self { schema: VERSION, command }
    }
}

/// Common keys of documents about a study.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyHead {
    #[serde(flatten)]
    head: Head,
    /// Name of the machine.
    pub machine: String,
    /// The sharing model.
    pub model: &'static str,
    /// Its parameters that differ from the defaults; `numasim models` lists their units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_parameters: Option<ByName<f64>>,
    /// Under `ecm`, the queueing penalties of threads: the `usual` ones, the `given` one (`ecm_penalty`), or none, a `hard-corner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    penalties: Option<PenaltiesWord>,
}

impl StudyHead {
    /// The head of the documents of a command about a machine.
    pub fn of(command: &'static str, machine: &Machine) -> Self {
        let sharing = machine.sharing();
        let used: Vec<_> = sharing
            .in_use()
            .map(|(parameter, value)| (parameter.as_str().to_owned(), plain(value)))
            .collect();
        Self {
            head: Head::of(command),
            machine: machine.name().to_owned(),
            model: sharing.name(),
            model_parameters: (!used.is_empty()).then_some(ByName(used)),
            penalties: sharing.penalties().map(|penalties| PenaltiesWord(penalties.as_str())),
        }
    }
}

/// Writes a document in readable form, with a line break at its end.
///
/// # Errors
/// The errors of `out`.
pub fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // The serialiser writes pieces of a few bytes.
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The text that [`write()`] writes.
pub fn pretty(document: &impl Serialize) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail, and JSON is UTF-8.
    let _ = write(document, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// A document as a value.
pub fn value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}

/// A document as text without line breaks.
pub fn text(document: &impl Serialize) -> String {
    // All keys are text, and writing to memory does not fail.
    serde_json::to_string(document).unwrap_or_default()
}

/// A result whose document has another shape. It is written as the type that is made from it, which also defines its schema.
macro_rules! written_as {
    ($result:ident $(<$life:lifetime>)? => $object:ident) => {
        impl serde::Serialize for $result $(<$life>)? {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $object::from(self).serialize(serializer)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $result $(<$life>)? {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $object::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $object::json_schema(generator)
            }
        }
    };
}
pub(crate) use written_as;

/// A stable word. The schema lists it with all its alternatives.
macro_rules! word {
    ($name:ident, $schema:literal, $description:literal, $all:expr) => {
        #[doc = $description]
        #[derive(Clone, Debug, serde::Serialize)]
        pub(crate) struct $name(pub(crate) &'static str);

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": $all, "description": $description })
            }
        }
    };
}
pub(crate) use word;

word!(
    PenaltiesWord,
    "Penalties",
    "Which penalties threads have in a queue.",
    numasim_model::sharing_model::Penalties::ALL.map(numasim_model::sharing_model::Penalties::as_str)
);

/// Values by name, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct ByName<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for ByName<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The value as in JSON: without a negative zero.
pub(crate) fn plain(value: f64) -> f64 {
    value + 0.0
}

/// `[low, high]`.
pub(crate) fn ends(interval: Interval) -> [f64; 2] {
    [plain(interval.low), plain(interval.high)]
}

/// Source of the intervals in a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Intervals {
    /// Fraction of the drawn machines inside the interval: 0.95.
    pub level: f64,
    /// Number of drawn machines.
    pub draws: u64,
    /// Half the width of the 95 % interval of each uncertain value of the machine, in percent of the value.
    pub interval95_percent: ByName<f64>,
}

impl From<&Draws> for Intervals {
    fn from(draws: &Draws) -> Self {
        let figures = intervals::figures(draws).into_iter();
        let interval95_percent = ByName(figures.map(|(key, p)| (key.to_owned(), plain(p))).collect());
        Self { level: 0.95, draws: Draws::COUNT as u64, interval95_percent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unrounded_and_always_valid_json() {
        let written = |value: f64| text(&plain(value));
        assert_eq!(written(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(written(254.0), "254.0");
        assert_eq!(written(-0.0), "0.0");
        assert_eq!(written(f64::INFINITY), "null");
    }

    #[test]
    fn values_by_name_keep_their_order() {
        assert_eq!(text(&ByName(vec![("b".to_owned(), 1), ("a".to_owned(), 2)])), "{\"b\":1,\"a\":2}");
    }
}
