//! What the page asks.

use numasim_model::AppId;
use numasim_sim::Candidate;
use serde::{Deserialize, Serialize};

/// A file as the page has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// As messages name it.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

/// A placement that the page shows.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Placed {
    /// The name of the scenario.
    pub(crate) name: String,
    /// Threads of each application on each node.
    pub(crate) threads: Vec<Vec<u32>>,
    /// The node of the data of each application; null: where the file has it.
    #[serde(default)]
    pub(crate) homes: Vec<Option<usize>>,
    /// Whether work is divided beforehand.
    #[serde(default)]
    pub(crate) static_work: bool,
}

impl Placed {
    /// An allocation, to be shown.
    pub(crate) fn of(name: &str, candidate: &Candidate, static_work: bool) -> Self {
        let placements = &candidate.placements;
        Self {
            name: name.to_owned(),
            threads: (0..placements.len()).map(|app| candidate.allocation.row(AppId(app)).to_vec()).collect(),
            homes: placements.iter().map(|placement| placement.home().map(|home| home.0)).collect(),
            static_work,
        }
    }
}

/// What is searched for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Search {
    /// Its name on the command line.
    pub(crate) objective: String,
    pub(crate) same_on_every_node: bool,
    pub(crate) whole_nodes: bool,
    pub(crate) min_threads_per_node: u32,
    pub(crate) no_idle_cores: bool,
    /// How many alternatives.
    pub(crate) top: u64,
    pub(crate) seed: u64,
    /// Seconds after which the best so far is the answer.
    pub(crate) time_limit_s: Option<f64>,
}

impl Default for Search {
    fn default() -> Self {
        let settings = numasim_sim::search::Settings::default();
        Self {
            objective: numasim_sim::Objective::TotalGflops.name().to_owned(),
            same_on_every_node: false,
            whole_nodes: false,
            min_threads_per_node: 0,
            no_idle_cores: false,
            top: settings.top as u64,
            seed: settings.seed,
            time_limit_s: None,
        }
    }
}

/// A question about files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The files, in their order.
    pub(crate) files: Vec<File>,
    /// The sharing model by name; null: that of the machine.
    #[serde(default)]
    pub(crate) model: Option<String>,
    /// Changed figures, each `KEY=VALUE` as `numasim sweep --set` takes them.
    #[serde(default)]
    pub(crate) set: Vec<String>,
    /// What is evaluated; null: the scenarios of the files.
    #[serde(default)]
    pub(crate) placed: Option<Placed>,
    /// What is searched for.
    #[serde(default)]
    pub(crate) search: Search,
}

impl Question {
    /// From the text of the page.
    pub(crate) fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("error: this is no question: {error}\n"))
    }
}
