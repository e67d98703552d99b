//! What a page tells, as plain values.

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

/// Everything that a page tells.
#[derive(Clone, Copy)]
pub(crate) struct Report<'a> {
    /// The title.
    pub(crate) title: &'a str,
    /// What was asked, in one sentence.
    pub(crate) question: &'a str,
    /// The files.
    pub(crate) study: &'a Study,
    /// All scenarios, in the order of the files.
    pub(crate) views: &'a [ScenarioView<'a>],
    /// Their maps, where they have one.
    pub(crate) maps: &'a [Option<String>],
    /// What a search found; `None` where the files have scenarios.
    pub(crate) explored: Option<&'a Explored>,
    /// Prediction beside measurement; `None` where nothing was measured.
    pub(crate) compared: Option<&'a Compared>,
    /// Where the measurements come from.
    pub(crate) provenance: Option<&'a Provenance>,
    /// What the last-level cache does; `None` where nobody asked.
    pub(crate) cached: Option<&'a cached::Document>,
    /// Applications over time; `None` where not all of them have work.
    pub(crate) simulations: Option<&'a Simulations>,
    /// A graph of tasks; `None` where the files have none.
    pub(crate) tasks: Option<&'a Tasks>,
    /// Pictures of the machine.
    pub(crate) machine: &'a [Figure],
    /// Pictures of all scenarios together.
    pub(crate) plots: &'a [Figure],
    /// The files that were read.
    pub(crate) read: &'a [ReadFile],
    /// Other files of the folder.
    pub(crate) aside: &'a [String],
    /// Commands that make it all again.
    pub(crate) commands: &'a [Repeated],
    /// What `evaluate --format json` says.
    pub(crate) evaluation: &'a Value,
    /// The what-if page, where it is asked for.
    pub(crate) interactive: Option<&'a Interactive>,
    /// What `compare --format json` says.
    pub(crate) comparison: Option<&'a Value>,
}

/// What a search found, and what to do with it.
pub(crate) struct Explored {
    /// Scenarios of the files, which come before those that were found.
    pub(crate) given: usize,
    /// The name of the objective.
    pub(crate) objective: &'static str,
    /// How good the best, the simplest and the robust placement are; the lines of the second are those of its applications.
    pub(crate) words: Vec<String>,
    /// The gain from more of each resource.
    pub(crate) prices: Vec<Price>,
    /// How to read these gains.
    pub(crate) price_notes: String,
    /// The unit of their gains.
    pub(crate) gain_unit: &'static str,
    /// A script that starts the best with numactl; `None` where the numbers of processors are not known.
    pub(crate) script: Option<String>,
    /// All that was found, as a file of scenarios.
    pub(crate) saved: String,
    /// What `explore --format json` says.
    pub(crate) document: Value,
}

/// Simulations of one study with several policies.
pub(crate) struct Simulations {
    /// One for each policy that has a result.
    pub(crate) courses: Vec<Course>,
    /// Other policies, each with the reason.
    pub(crate) without: Vec<(String, String)>,
    /// What `simulate --format json` says; of very many applications and channels only the first.
    pub(crate) document: Value,
    /// Whether it has all of them.
    pub(crate) is_whole: bool,
    /// Cores, GFLOPS and items over time, for the script of the page.
    pub(crate) strips: Value,
}

impl Simulations {
    /// When the longest of them ended.
    pub(crate) fn end_s(&self) -> f64 {
        self.courses.iter().map(|course| course.simulated.run.time.value()).fold(0.0, f64::max)
    }
}

/// One of them.
pub(crate) struct Course {
    /// What came out.
    pub(crate) simulated: Simulated,
    /// Its picture.
    pub(crate) figure: Figure,
    /// Where times stand in the picture.
    pub(crate) area: Area,
}

/// Simulations of one graph of tasks under several schedulers.
pub(crate) struct Tasks {
    /// The graph.
    pub(crate) facts: GraphFacts,
    /// One for each scheduler that has a result, with its chart where there is room for one.
    pub(crate) runs: Vec<(Tasked, Option<Figure>)>,
    /// Other schedulers, each with the reason.
    pub(crate) without: Vec<(&'static str, String)>,
    /// What `tasks --format json` says.
    pub(crate) document: Value,
}

/// A picture.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// What it is.
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
    /// What it is to the report.
    pub(crate) role: &'static str,
    /// SHA-256 of its text.
    pub(crate) sha256: String,
}

/// A command that makes a part of the report again.
#[derive(Clone, Debug)]
pub(crate) struct Repeated {
    /// What it does.
    pub(crate) what: &'static str,
    /// The command, as for a shell.
    pub(crate) line: String,
}
