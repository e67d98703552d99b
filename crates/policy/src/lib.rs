//! Policies: who gets how many threads on which node, decided again whenever something changes.
//!
//! A [`Policy`] takes a [`View`] of the applications and returns a [`Decision`]; [`orders`] turns that into what each application can
//! be told. The same code decides in simulated time and in an agent on a real machine: nothing here knows which of them
//! asks, and nothing has a clock, randomness, files or threads of its own.
#![warn(missing_docs)]

mod decision;
mod view;

pub use decision::{Decision, Policy, PolicyError, orders};
pub use view::{AppView, Looks, Presence, View, Waiting};
