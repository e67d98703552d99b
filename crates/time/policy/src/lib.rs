//! Policies: who gets how many threads on which node, decided again whenever something changes.
//!
//! A [`Policy`] takes a [`View`] of the applications and returns a [`Decision`]; [`orders`] turns that into what each application can
//! be told. The same code decides in simulated time and in an agent on a real machine: nothing here knows which of them
//! asks, and nothing has a clock, randomness, files or threads of its own.
#![warn(missing_docs)]

pub mod dealing;
mod growth;
mod known;
mod lead;
mod marginal;
mod memo;
mod name;
#[cfg(test)]
mod properties;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;
mod reexplore;
mod replan;
mod shares;
mod speeds;
#[cfg(test)]
mod testing;
mod view;

pub use name::{ABOUT, About, MakeError, NameError, PolicyName, check_threads};
pub use view::{AppView, Looks, Presence, View};
pub use view::{Decision, Policy, PolicyError, orders};
