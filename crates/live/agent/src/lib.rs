//! The agent: connections, their messages, and the use of a policy of `numasim-policy`.
//!
//! [`Core`] is pure: events go in with their times, effects come out. It does not use sockets, clocks or files, so that every rule of the
//! protocol is tested with plain values. [`server`] carries out the effects: sockets, signals, a thread for policies that compute.
//! [`turns`] runs the same server in a thread of an application, if there is no separate agent.
#![warn(missing_docs)]

#[cfg(target_os = "linux")]
pub mod adopt;
mod core;
pub mod load;
pub mod record;
#[cfg(target_os = "linux")]
pub mod server;
#[cfg(target_os = "linux")]
pub mod socket;
#[cfg(target_os = "linux")]
pub mod turns;

/// An agent driven by bytes, for property tests and fuzzing (feature `testing`).
#[cfg(any(test, feature = "testing"))]
pub mod testing {
    pub use crate::core::driven::{LINES, drive};
}
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;

pub use core::{Action, ConnectionId, Core, Decided, Effect, Peer, Question, Seen, Settings};
