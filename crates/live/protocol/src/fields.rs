//! The keys of one message, read one by one; each problem names its key.

use numasim_model::order::{Control, Order};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::json::{self, NoValue};
use crate::{LARGEST, MOST_THREADS, VERSION};

/// Number of characters of the sender's text that an error repeats.
const SHOWN: usize = 60;

/// Why a line is no message. Its text addresses the author of the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Not UTF-8.
    #[error("this line is not UTF-8 text")]
    NoText,
    /// Not JSON.
    #[error("this line is not JSON: {0}")]
    NoJson(String),
    /// An object has this key twice: it is not defined which of the two counts.
    #[error("the key {} appears twice", shown(&Value::from(key.as_str())))]
    Twice {
        /// The key.
        key: String,
    },
    /// JSON, but no object.
    #[error("this line is no JSON object: a message is one, like {{\"type\":\"bye\"}}")]
    NoObject,
    /// No key `type`.
    #[error("\"type\" is missing: every message has one")]
    NoType,
    /// A `type` that is no text.
    #[error("\"type\" must be text, not {0}")]
    WrongType(String),
    /// A message that does not exist in this direction.
    #[error("there is no message of type {0}")]
    UnknownType(String),
    /// A hello or welcome of another version.
    #[error("version {theirs} of the protocol is not spoken here, only version {VERSION}")]
    Version {
        /// The version in the message.
        theirs: u64,
    },
    /// A required key is missing.
    #[error("{message}: {what} is missing")]
    Missing {
        /// Type of the message.
        message: &'static str,
        /// The key, in quotes, or keys.
        what: String,
    },
    /// An invalid value for a key.
    #[error("{message}: \"{key}\" must be {needed}, not {found}")]
    Wrong {
        /// Type of the message.
        message: &'static str,
        /// The key.
        key: &'static str,
        /// Values that the key accepts.
        needed: String,
        /// The value as JSON, shortened.
        found: String,
    },
}

/// A value as JSON, shortened.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// A line as an object, and the value of its `type`.
pub(crate) fn object(line: &[u8]) -> Result<(String, Map<String, Value>), ParseError> {
    let value = json::value(line).map_err(|why| match why {
        NoValue::NoText => ParseError::NoText,
        NoValue::NoJson(why) => ParseError::NoJson(why),
        NoValue::Twice(key) => ParseError::Twice { key },
    })?;
    let Value::Object(object) = value else { return Err(ParseError::NoObject) };
    match object.get("type") {
        Some(Value::String(kind)) => Ok((kind.clone(), object)),
        Some(other) => Err(ParseError::WrongType(shown(other))),
        None => Err(ParseError::NoType),
    }
}

/// The type of a message that does not exist.
pub(crate) fn unknown(kind: &str) -> ParseError {
    ParseError::UnknownType(shown(&Value::from(kind)))
}

/// A whole number, within the range of messages. JSON does not distinguish 2 from 2.0, so neither does this.
fn whole(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    let exact = number.as_u64().or_else(|| {
        let of = number.as_f64().filter(|of| of.fract() == 0.0 && (0.0..=LARGEST as f64).contains(of))?;
        // Whole, not negative and below 2^53: no digit is lost.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Some(of as u64)
    });
    exact.filter(|&number| number <= LARGEST)
}

/// The keys of a message.
pub(crate) struct Fields {
    /// Type of the message.
    message: &'static str,
    object: Map<String, Value>,
}

impl Fields {
    pub(crate) fn new(message: &'static str, object: Map<String, Value>) -> Self {
        Self { message, object }
    }

    /// Whether the key is present.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.object.contains_key(key)
    }

    /// The problem that `what` is missing.
    pub(crate) fn lacks(&self, what: &str) -> ParseError {
        ParseError::Missing { message: self.message, what: what.to_owned() }
    }

    /// The problem that `key` requires another value, `needed`.
    pub(crate) fn wrong(&self, key: &'static str, needed: impl Into<String>) -> ParseError {
        let found = self.object.get(key).map_or_else(|| "nothing".to_owned(), shown);
        ParseError::Wrong { message: self.message, key, needed: needed.into(), found }
    }

    fn get(&self, key: &'static str) -> Result<&Value, ParseError> {
        self.object.get(key).ok_or_else(|| self.lacks(&format!("\"{key}\"")))
    }

    /// A whole number.
    pub(crate) fn number(&self, key: &'static str) -> Result<u64, ParseError> {
        let needed = || self.wrong(key, format!("a whole number from 0 to {LARGEST}"));
        whole(self.get(key)?).ok_or_else(needed)
    }

    /// A whole number, if the key is present.
    pub(crate) fn optional_number(&self, key: &'static str) -> Result<Option<u64>, ParseError> {
        if self.has(key) { self.number(key).map(Some) } else { Ok(None) }
    }

    /// A whole number of at most `most`, which a `u32` can hold.
    pub(crate) fn small(&self, key: &'static str, most: u64) -> Result<u32, ParseError> {
        let number = u32::try_from(self.number(key)?.min(most + 1)).ok();
        let fits = number.filter(|&number| u64::from(number) <= most);
        fits.ok_or_else(|| self.wrong(key, format!("at most {most}")))
    }

    /// A list of whole numbers of at most `most`.
    pub(crate) fn list(&self, key: &'static str, most: u64) -> Result<Vec<u32>, ParseError> {
        let value = |value: &Value| whole(value).filter(|&of| of <= most).and_then(|of| of.try_into().ok());
        let list = self.get(key)?.as_array().and_then(|list| list.iter().map(value).collect());
        list.ok_or_else(|| self.wrong(key, format!("a list of whole numbers from 0 to {most}")))
    }

    /// A number that is not negative.
    pub(crate) fn amount(&self, key: &'static str) -> Result<f64, ParseError> {
        let amount = self.get(key)?.as_f64().filter(|amount| amount.is_finite() && *amount >= 0.0);
        amount.ok_or_else(|| self.wrong(key, "a number of at least 0"))
    }

    /// Text.
    pub(crate) fn text(&self, key: &'static str) -> Result<String, ParseError> {
        self.get(key)?.as_str().map(str::to_owned).ok_or_else(|| self.wrong(key, "text"))
    }

    /// True or false.
    pub(crate) fn flag(&self, key: &'static str) -> Result<bool, ParseError> {
        self.get(key)?.as_bool().ok_or_else(|| self.wrong(key, "true or false"))
    }

    /// One of some words.
    pub(crate) fn word<W: Copy>(
        &self,
        key: &'static str,
        all: &[W],
        as_str: impl Fn(W) -> &'static str,
    ) -> Result<W, ParseError> {
        let text = self.get(key)?.as_str();
        let found = all.iter().copied().find(|&word| Some(as_str(word)) == text);
        found.ok_or_else(|| {
            let words: Vec<String> = all.iter().map(|&word| format!("\"{}\"", as_str(word))).collect();
            let choice = match words.as_slice() {
                [start @ .., last] if start.len() > 1 => format!("{}, or {last}", start.join(", ")),
                few => few.join(" or "),
            };
            self.wrong(key, format!("one of {choice}"))
        })
    }
}

// Words and values that messages of both directions share.

/// The version in a message; only one exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(VERSION)
    }
}

impl Version {
    /// Reads the key `version`.
    pub(crate) fn read(fields: &Fields) -> Result<Self, ParseError> {
        match fields.number("version")? {
            VERSION => Ok(Self),
            theirs => Err(ParseError::Version { theirs }),
        }
    }
}

/// All kinds of orders, in the order in which messages about them list them.
pub(crate) const CONTROLS: [Control; 4] = [Control::PerNode, Control::Total, Control::Cores, Control::None];

/// Reads the one of the three keys of an order that is present.
pub(crate) fn read_order(fields: &Fields) -> Result<Order, ParseError> {
    let found: Vec<&'static str> =
        ["per_node", "total", "cores"].into_iter().filter(|key| fields.has(key)).collect();
    match found[..] {
        ["per_node"] => Ok(Order::PerNode(fields.list("per_node", u64::from(MOST_THREADS))?)),
        ["total"] => Ok(Order::Total(fields.small("total", u64::from(u32::MAX))?)),
        ["cores"] => {
            let cores: Vec<u32> = fields.list("cores", u64::from(u32::MAX))?;
            if cores.is_sorted_by(|one, next| one < next) {
                Ok(Order::Cores(cores))
            } else {
                Err(fields.wrong("cores", "ascending"))
            }
        }
        [] => Err(fields.lacks("one of \"per_node\", \"total\", or \"cores\"")),
        [_, second, ..] => Err(fields.wrong(second, "left out beside another order")),
        [_] => Err(fields.lacks("an order")),
    }
}
