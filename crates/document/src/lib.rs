//! Answers and mistakes in words and as JSON, for every front end: the command line and the bindings say the same.
//!
//! Pure functions from values to text and JSON. Tables, colours and plots are those of the command line.

pub mod caution;
pub mod diagnostics;
pub mod evaluated;
pub mod explored;
pub mod intervals;
pub mod json;
pub mod located;
pub mod of_tasks;
pub mod over_time;
pub mod refusal;
pub mod room;
mod scenario;
pub mod simulated;
pub mod suggest;
pub mod tasked;
pub mod warning;

pub use scenario::{ScenarioView, numbers};
