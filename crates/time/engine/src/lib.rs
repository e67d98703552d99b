//! Simulated time: events in order, and amounts that are done at rates.
//!
//! [`SimTime`] is a point in simulated time, never the wall clock. [`EventQueue`] hands out events by time, and those of equal
//! times in the order in which they were scheduled. [`Instants`] takes together what happens within [`SAME_INSTANT_S`] or another [`Span`].
//! [`Fluid`] is work of equal members that proceed at a common rate, such as tasks on the threads of one node.
//!
//! Nothing here knows a machine; everything is pure: no clock, randomness, thread or global, and no panic on any input.
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
