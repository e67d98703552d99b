//! Task graphs: their dependences and their sources.
//!
//! The values are those of [`values`]: blocks, and tasks in creation order with their accesses. [`Dependencies`] are the edges that
//! follow from them (paper 001, section 1.2.1).
//!
//! Everything is pure: text or parameters in, values out.
#![warn(missing_docs)]

pub mod csv;
mod dependencies;
pub mod export;
mod generators;
pub mod import;
pub mod input;
pub mod keys;
pub mod paje;
pub mod partition;
mod problems;
#[cfg(test)]
mod properties;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;
mod source;
#[cfg(test)]
mod testing;
pub mod values;

pub use dependencies::{Dependencies, Edge, EdgeKind, Tracker};
pub use generators::{GenerateError, generate, generate_program};
pub use input::{Reading, TaskTables, read_study};
pub use source::{SourceError, graph_of};
