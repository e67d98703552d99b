//! Questions about a NUMA machine that several applications share, and their answers. The command line, the Python package and the web
//! page call this crate, and a runtime or a scheduler can embed it.
//!
//! # One question, one function, one result
//! [`Input::read`] makes a checked study from the texts of input files. A question is a plain value (such as [`Evaluate`]) that refers to
//! this input. One function takes it ([`evaluate()`]) and returns one result ([`Evaluated`]), or a [`Refusal`] that contains the message,
//! its causes, hints, and the places in the files.
//!
//! ```
//! use numasim_ask::{Evaluate, Input, evaluate};
//! use numasim_sim::search::Unattended;
//!
//! let input = Input::read(&[("two.toml", numasim_ask::EXAMPLE)])?;
//! let answer = evaluate(&Evaluate::new(&input), &Unattended)?;
//! println!("{} GFLOPS", answer.scenarios[0].evaluation.total.value());
//! # Ok::<(), numasim_ask::Refusal>(())
//! ```
//!
//! # Documents
//! A result is what `--format json` writes: [`document::write`] serialises it, and the feature `schema` generates the JSON Schema from
//! the same type (`schema::of`). The rules:
//!
//! * The fields of a result are the keys of its document, in the documented order. `schema`, `command`, `machine`, `model` come first.
//! * Data for front ends only (values behind tables and pictures, warnings) is a field with `#[serde(skip)]`.
//! * A part whose shape in the document differs from its value (an [`EvaluatedScenario`] contains the evaluation of the model) is written
//!   through a private type that derives `Serialize` and `JsonSchema`, with `document::written_as!`.
//! * A key that may be missing is an `Option` with `skip_serializing_if`; an `Option` without it may be null. The schema follows from
//!   that alone.
//! * Numbers pass `document::plain`. Maps that keep the order of their entries are [`document::ByName`].
//!
//! # The outside world
//! This crate does not read files, clocks or the environment, does not print, and does not start threads. The whole crate compiles to
//! WebAssembly. Only [`sweep()`] (feature `parallel`) computes its points on all cores, each search with its own clock. Long computations
//! ask a `Monitor` (of `numasim_sim::search`) whether to stop, and report their progress to it. Warnings are part of the result, and each
//! front end decides how to show them.

pub mod advise;
pub mod catalog;
pub mod caution;
pub mod check;
pub mod compare;
pub mod data_words;
pub mod detect;
pub mod diagnostics;
pub mod discriminate;
pub mod document;
pub mod evaluate;
pub mod explain;
pub mod explore;
pub mod explored;
pub mod fit;
pub mod held_back;
pub mod input;
pub mod intervals;
pub mod lettering;
pub mod limits;
pub mod located;
pub mod machines;
pub mod measuring;
pub mod models;
pub mod over_time;
pub mod pareto;
pub mod placing;
pub mod plan;
pub mod reading;
pub mod refusal;
pub mod resources;
pub mod room;
pub mod run;
pub mod saturation;
mod scenario;
#[cfg(feature = "schema")]
pub mod schema;
pub mod sensitivity;
pub mod simulate;
pub mod snapshot;
pub mod suggest;
#[cfg(feature = "parallel")]
pub mod sweep;
pub mod table;
pub mod tables;
pub mod tasks;
pub mod thread_map;
pub mod verdict;
pub mod warning;
pub mod wording;

pub use check::{Checked, check};
pub use evaluate::{Evaluate, Evaluated, EvaluatedUnderAll, evaluate, evaluate_under_all};
pub use explore::{Clock, Explore, explore};
pub use explored::Explored;
pub use input::Input;
pub use machines::{Machines, machines};
pub use pareto::{Pareto, pareto};
pub use refusal::Refusal;
pub use scenario::{EvaluatedScenario, ScenarioView};
pub use simulate::{Simulate, Simulated, Simulation, Simulations, simulate};
#[cfg(feature = "parallel")]
pub use sweep::{Sweep, sweep};
pub use tasks::{Tasked, Tasks, TasksAnswer, tasks};
pub use wording::{machine_title, node_ranges, numbers};

/// The input file of the examples: two nodes, an application that streams its local data, and one whose data is on node 1.
pub const EXAMPLE: &str = r#"
[machine]
name = "two nodes"
nodes = 2
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 32.0
link_gbs = 10.0

[[app]]
name = "stream"
arithmetic_intensity = 0.5

[[app]]
name = "solver"
arithmetic_intensity = 1.0
data = { home = 1 }

[[scenario]]
name = "apart"
threads = { stream = [4, 0], solver = [0, 2] }
"#;
