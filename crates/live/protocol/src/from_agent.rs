//! Messages of the agent.

use numasim_model::order::Order;
use serde::{Deserialize, Serialize};

use crate::fields::{Fields, ParseError, object, unknown};
use crate::fields::{Version, read_order};

/// A message to an application.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FromAgent {
    /// The answer to a hello.
    Welcome(Welcome),
    /// The threads or cores that the application may use from now on.
    Set {
        /// 1, 2, 3, ... on each connection.
        seq: u64,
        /// The complete order.
        #[serde(flatten)]
        order: Order,
    },
    /// Sent as a sign of life.
    Ping,
    /// The last line was ignored.
    Error {
        /// The reason.
        text: String,
    },
    /// The connection is closed; the application must not connect again.
    Refused {
        /// The reason.
        text: String,
    },
}

/// Facts about the agent and the machine for an application.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Welcome {
    /// Version of the protocol.
    pub version: Version,
    /// Process ID of the agent.
    pub pid: u64,
    /// Cores of each node.
    pub cores: Vec<u32>,
    /// Whether all threads stay blocked until the first order.
    pub hold: bool,
    /// Time between two decisions, in ms; 0: it decides whenever something happens.
    pub period_ms: f64,
    /// Time between two statuses of an application, in ms.
    pub status_ms: f64,
}

/// An order for an application, as records and traces store it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Its name.
    pub app: String,
    /// Sequence number of the order on its connection: 1 for the first one that is sent, and so on.
    pub seq: u64,
    /// The complete order.
    #[serde(flatten)]
    pub order: Order,
    /// The reason, if the policy gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A message as a line, with its line feed.
pub(crate) fn line(message: &impl Serialize) -> String {
    // Text, numbers and lists: serialising them cannot fail.
    let mut line = serde_json::to_string(message).unwrap_or_default();
    line.push('\n');
    line
}

impl FromAgent {
    /// Parses a line, given without its line feed.
    ///
    /// # Errors
    /// The problem with the line.
    pub fn parse(line: &[u8]) -> Result<Self, ParseError> {
        let (kind, object) = object(line)?;
        match kind.as_str() {
            "welcome" => {
                let fields = Fields::new("welcome", object);
                Ok(Self::Welcome(Welcome {
                    version: Version::read(&fields)?,
                    pid: fields.number("pid")?,
                    cores: fields.list("cores", u64::from(u32::MAX))?,
                    hold: fields.flag("hold")?,
                    period_ms: fields.amount("period_ms")?,
                    status_ms: fields.amount("status_ms")?,
                }))
            }
            "set" => {
                let fields = Fields::new("set", object);
                Ok(Self::Set { seq: fields.number("seq")?, order: read_order(&fields)? })
            }
            "ping" => Ok(Self::Ping),
            "error" => Ok(Self::Error { text: Fields::new("error", object).text("text")? }),
            "refused" => Ok(Self::Refused { text: Fields::new("refused", object).text("text")? }),
            _ => Err(unknown(&kind)),
        }
    }

    /// The message as a line, with its line feed.
    pub fn line(&self) -> String {
        line(self)
    }
}

#[cfg(test)]
mod tests;
