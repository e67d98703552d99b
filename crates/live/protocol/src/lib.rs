//! The protocol between applications and an agent: messages, and the lines that carry them.
//!
//! Version 1. Each message is one JSON object with a key `type`, in UTF-8, ended by a line feed, at most [`LONGEST_LINE`] bytes including
//! it. Unknown keys are ignored, so that a later version may send more; a duplicate key in an object is an error. [`Lines`] divides bytes
//! into lines, [`FromApp`] and [`FromAgent`] are the messages of both directions, and [`AgentStatus`] is the agent's report about itself.
//! This crate does not use sockets, clocks or files.
//!
//! An application begins with [`Hello`], within two seconds, and receives [`Welcome`]. From then on it reports its status
//! ([`AppStatus`]), the agent sends the resources that it may use ([`Order`]), and each order is acknowledged or refused. A client that
//! begins with a query or with stop only asks, and is no application.
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

/// The version of the protocol; only one exists.
pub const VERSION: u64 = 1;
/// The largest number in a message, 2^53 - 1: up to it every whole number is exact in any program that reads JSON.
pub const LARGEST: u64 = (1 << 53) - 1;
/// Maximum number of threads of an application on a node.
pub const MOST_THREADS: u32 = 65_536;
/// Maximum number of characters in the name of an application.
pub const LONGEST_NAME: usize = 128;
