//! Simulated time: events in order, and amounts of work done at rates.
//!
//! [`SimTime`] is a point in simulated time, never the wall clock. [`EventQueue`] returns events by time, and events of equal times in the
//! order of scheduling. [`Instants`] groups events within [`SAME_INSTANT_S`] or another [`Span`]. [`Fluid`] is work of equal members that
//! progress at a common rate, such as tasks on the threads of one node.
//!
//! This crate is independent of machines, and pure: no clock, randomness, thread or global, and no panic on any input.
#![warn(missing_docs)]

mod fluid;
mod instant;
mod queue;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;
mod time;

pub use fluid::Fluid;
pub use instant::{Instants, SAME_INSTANT_S, Span};
pub use queue::{EventKey, EventQueue};
pub use time::SimTime;
