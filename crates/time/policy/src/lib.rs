//! Policies: who gets how many threads on which node, decided again whenever something changes.
//!
//! A [`Policy`] takes a [`View`] of the applications and returns a [`Decision`]; [`orders`] turns that into what each application can
//! be told. The same code decides in simulated time and in an agent on a real machine: nothing here knows which of them
//! asks, and nothing has a clock, randomness, files or threads of its own.
#![warn(missing_docs)]

mod ahead;
pub mod dealing;
mod decision;
mod fair_share;
mod fixed;
mod growth;
mod known;
mod lead;
mod lend;
mod marginal;
mod memo;
mod name;
mod oversubscribe;
#[cfg(test)]
mod properties;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;
mod reexplore;
mod replan;
mod rounding;
mod speeds;
mod static_even;
#[cfg(test)]
mod testing;
mod view;

pub use decision::{Decision, Policy, PolicyError, orders};
pub use name::{ABOUT, About, MakeError, NameError, PolicyName, check_threads};
pub use view::{AppView, Looks, Presence, View, Waiting};
