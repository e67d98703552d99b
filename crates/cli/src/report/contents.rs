//! The contents of a page, as plain values.

use numasim_ask::compare::Compared;
use numasim_bench::provenance::Provenance;
use numasim_course::Study;
use numasim_draw::strips::Area;
use serde_json::Value;

use super::interactive::Interactive;
use crate::view::answer::sensitivity::Price;
use crate::view::simulated::Simulated;
use crate::view::tasked::{GraphFacts, Tasked};
use crate::view::{ScenarioView, cached};

/// The complete contents of a page.
#[derive(Clone, Copy)]
pub(crate) struct Report<'a> {
    /// The title.
    pub(crate) title: &'a str,
    /// The question, in one sentence.
    pub(crate) question: &'a str,
    /// The files.
    pub(crate) study: &'a Study,
    /// All scenarios, in the order of the files.
    pub(crate) views: &'a [ScenarioView<'a>],
    /// Their maps, for the scenarios that have one.
    pub(crate) maps: &'a [Option<String>],
    /// The result of a search; `None` if the files have scenarios.
    pub(crate) explored: Option<&'a Explored>,
    /// Prediction compared with measurement; `None` without measurements.
    pub(crate) compared: Option<&'a Compared>,
    /// Provenance of the measurements.
    pub(crate) provenance: Option<&'a Provenance>,
    /// Interference in the last-level cache; `None` if it was not requested.
    pub(crate) cached: Option<&'a cached::Document>,
    /// Applications over time; `None` if some of them have no work.
    pub(crate) simulations: Option<&'a Simulations>,
    /// A graph of tasks; `None` if the files have none.
    pub(crate) tasks: Option<&'a Tasks>,
    /// Pictures of the machine.
    pub(crate) machine: &'a [Figure],
    /// Pictures of all scenarios together.
    pub(crate) plots: &'a [Figure],
    /// The files that were read.
    pub(crate) read: &'a [ReadFile],
    /// Other files of the folder.
    pub(crate) aside: &'a [String],
    /// Commands that reproduce the report.
    pub(crate) commands: &'a [Repeated],
    /// The output of `evaluate --format json`.
    pub(crate) evaluation: &'a Value,
    /// The what-if page, if it was requested.
    pub(crate) interactive: Option<&'a Interactive>,
    /// The output of `compare --format json`.
    pub(crate) comparison: Option<&'a Value>,
}

/// The result of a search, and how to use it.
pub(crate) struct Explored {
    /// Number of scenarios in the files, which come before those that were found.
    pub(crate) given: usize,
    /// The name of the objective.
    pub(crate) objective: &'static str,
    /// Quality of the best, the simplest and the robust placement; the lines of the second are those of its applications.
    pub(crate) words: Vec<String>,
    /// The gain from more of each resource.
    pub(crate) prices: Vec<Price>,
    /// How to interpret these gains.
    pub(crate) price_notes: String,
    /// The unit of their gains.
    pub(crate) gain_unit: &'static str,
    /// A script that starts the best placement with numactl; `None` if the numbers of the logical CPUs are unknown.
    pub(crate) script: Option<String>,
    /// All results, as a file of scenarios.
    pub(crate) saved: String,
    /// The output of `explore --format json`.
    pub(crate) document: Value,
}

/// Simulations of one study with several policies.
pub(crate) struct Simulations {
    /// One for each policy with a result.
    pub(crate) courses: Vec<Course>,
    /// Other policies, each with the reason.
    pub(crate) without: Vec<(String, String)>,
    /// The output of `simulate --format json`; only the first entries if there are very many applications and channels.
    pub(crate) document: Value,
    /// Whether it contains all of them.
    pub(crate) is_whole: bool,
    /// Cores, GFLOPS and items over time, for the script of the page.
    pub(crate) strips: Value,
}

impl Simulations {
    /// End of the longest of them.
    pub(crate) fn end_s(&self) -> f64 {
        self.courses.iter().map(|course| course.simulated.run.time.value()).fold(0.0, f64::max)
    }
}

/// One of the simulations.
pub(crate) struct Course {
    /// The simulation.
    pub(crate) simulated: Simulated,
    /// Its picture.
    pub(crate) figure: Figure,
    /// The area of the time axis in the picture.
    pub(crate) area: Area,
}

/// Simulations of one graph of tasks under several schedulers.
pub(crate) struct Tasks {
    /// The graph.
    pub(crate) facts: GraphFacts,
    /// One for each scheduler with a result, with its chart if there is space for one.
    pub(crate) runs: Vec<(Tasked, Option<Figure>)>,
    /// Other schedulers, each with the reason.
    pub(crate) without: Vec<(&'static str, String)>,
    /// The output of `tasks --format json`.
    pub(crate) document: Value,
}

/// A picture.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// Its title.
    pub(crate) title: String,
    /// How to read it.
    pub(crate) caption: String,
    /// The picture.
    pub(crate) svg: String,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub(crate) struct ReadFile {
    /// Its name on the command line.
    pub(crate) name: String,
    /// Its role in the report.
    pub(crate) role: &'static str,
    /// SHA-256 of its text.
    pub(crate) sha256: String,
}

/// A command that reproduces a part of the report.
#[derive(Clone, Debug)]
pub(crate) struct Repeated {
    /// Its purpose.
    pub(crate) what: &'static str,
    /// The command in shell syntax.
    pub(crate) line: String,
}
