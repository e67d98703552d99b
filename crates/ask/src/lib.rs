//! Answers and mistakes in words and as JSON, for every front end: the command line and the bindings say the same.
//!
//! Pure functions from values to text, JSON and the thread map. Tables, colours and all other plots are those of the command line.

pub mod caution;
pub mod data_words;
pub mod diagnostics;
pub mod evaluated;
pub mod explored;
pub mod heading;
pub mod held_back;
pub mod intervals;
pub mod json;
pub mod lettering;
pub mod limits;
pub mod located;
pub mod of_tasks;
pub mod over_time;
pub mod placing;
pub mod refusal;
pub mod room;
mod scenario;
pub mod simulated;
pub mod suggest;
pub mod tasked;
pub mod thread_map;
pub mod warning;
mod wording;

pub use scenario::{ScenarioView, numbers};
pub use wording::{machine_title, node_ranges};
