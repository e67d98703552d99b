//! Chooses placements: which application gets how many threads on which NUMA node.
//!
//! [`search::explore`] is the single entry point. It takes a [`Problem`] (machine, applications, objective, constraints) and returns a
//! [`search::Outcome`] with an upper bound on how good any answer can be. Everything here is pure: time, the keyboard and the terminal are
//! behind [`search::Monitor`], which the caller implements.

mod alone;
mod answer;
mod ascent;
pub mod baselines;
pub mod cautions;
mod contents;
pub mod discriminate;
pub mod intervals;
mod layouts;
mod memory;
mod monitor;
pub mod nearest;
pub mod objective;
mod open_data;
mod parallel;
pub mod pareto;
mod problem;
#[path = "../../../tests/random.rs"]
#[cfg(test)]
mod random;
pub mod restrictions;
mod roof;
mod saturation;
pub mod search;
pub mod sensitivity;
pub mod sweep;
mod symmetry;
#[cfg(test)]
mod testing;

pub use answer::Forbidden;
pub use cautions::Caution;
pub use objective::Objective;
pub use problem::{Candidate, Problem, ProblemError};
pub use restrictions::{Infeasible, Restrictions};
pub use saturation::Saturated;
