//! What applications and an agent say to each other: messages, and the lines that carry them.
//!
//! Version 1. Each message is one JSON object with a key `type`, in UTF-8, ended by a line feed, at most [`LONGEST_LINE`] bytes with
//! it. Unknown keys are ignored, so that a later version may say more; a key that one object has twice is an error. [`Lines`] cuts bytes into lines, [`FromApp`] and
//! [`FromAgent`] are the messages of both directions, and [`AgentStatus`] is what an agent says of itself. Nothing here knows
//! sockets, clocks or files.
//!
//! An application begins with [`Hello`], within two seconds, and is answered [`Welcome`]. From then on it says how it is
//! ([`AppStatus`]), the agent says what it may use ([`Order`]), and each order is acknowledged or refused. Whoever begins with a
//! query or with stop is somebody who asks, and no application.
#![warn(missing_docs)]

mod agent_status;
mod fields;
mod from_agent;
mod from_app;
mod json;
mod lines;
#[cfg(test)]
mod properties;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;

pub use agent_status::{AgentStatus, AppEntry, Closed, SCHEMA, State};
pub use fields::ParseError;
pub use fields::Version;
pub use from_agent::{Action, FromAgent, Welcome};
pub use from_app::{AppStatus, FromApp, Hello};
pub use lines::{LONGEST_LINE, LineTooLong, Lines};
pub use numasim_model::order::{Control, Order, Waiting};

/// The version of the protocol, the only one that there is.
pub const VERSION: u64 = 1;
/// The largest number in a message, 2^53 - 1: up to it every whole number is exact in any program that reads JSON.
pub const LARGEST: u64 = (1 << 53) - 1;
/// Most threads of an application on a node.
pub const MOST_THREADS: u32 = 65_536;
/// Most characters of the name of an application.
pub const LONGEST_NAME: usize = 128;
