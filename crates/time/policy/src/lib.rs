//! Policies: threads of each application on each node, decided again at every change.
//!
//! A [`Policy`] takes a [`View`] of the applications and returns a [`Decision`]; [`orders`] turns that into an order for each
//! application. The same code decides in simulated time and in an agent on a real machine. It cannot distinguish them, and uses no
//! clock, randomness, files or threads.
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
