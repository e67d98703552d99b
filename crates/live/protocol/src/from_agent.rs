//! What the agent says.

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
    /// What the application may use from now on.
    Set {
        /// 1, 2, 3, ... on each connection.
        seq: u64,
        /// All of it.
        #[serde(flatten)]
        order: Order,
    },
    /// The agent is there, and has nothing to say.
    Ping,
    /// The last line was ignored.
    Error {
        /// Why.
        text: String,
    },
    /// The connection is closed; come never again.
    Refused {
        /// Why.
        text: String,
    },
}

/// What an application has to know of the agent and the machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Welcome {
    /// Of the protocol.
    pub version: Version,
    /// Process of the agent.
    pub pid: u64,
    /// Cores of each node.
    pub cores: Vec<u32>,
    /// Whether all threads stay blocked until the first order.
    pub hold: bool,
    /// Time between two decisions, in ms; 0 is whenever something happens.
    pub period_ms: f64,
    /// Time between two statuses of an application, in ms.
    pub status_ms: f64,
}

/// What an application is told, as records and traces keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Its name.
    pub app: String,
    /// Of the order on its connection: 1 for the first one that it is told, and so on.
    pub seq: u64,
    /// All of it.
    #[serde(flatten)]
    pub order: Order,
    /// Why, where the policy says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A message as a line, with its line feed.
pub(crate) fn line(message: &impl Serialize) -> String {
    // Text, numbers and lists: nothing can fail.
    let mut line = serde_json::to_string(message).unwrap_or_default();
    line.push('\n');
    line
}

impl FromAgent {
    /// Reads a line, which comes without its line feed.
    ///
    /// # Errors
    /// What is wrong with it.
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
