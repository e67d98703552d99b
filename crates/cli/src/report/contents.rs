//! What a page tells, as plain values.

use numasim_bench::provenance::Provenance;
use numasim_model::Study;
use serde_json::Value;

use crate::view::{ScenarioView, compared};

/// Everything that a page tells.
#[derive(Clone, Copy, Debug)]
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
    /// Prediction beside measurement; `None` where nothing was measured.
    pub(crate) compared: Option<compared::View<'a>>,
    /// Where the measurements come from.
    pub(crate) provenance: Option<&'a Provenance>,
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
    /// What `compare --format json` says.
    pub(crate) comparison: Option<&'a Value>,
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
