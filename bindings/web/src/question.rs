//! What the page asks, and the files that it asks about.

use std::sync::Arc;

use numasim_ask::over_time::one_thread_per_core;
use numasim_ask::{Input, Refusal, limits};
use numasim_course::Study;
use numasim_model::{Allocation, AppId, Data, ModelKind, NodeId, Placement};
use numasim_sim::Candidate;
use numasim_sim::sweep::{Axis, SettingError, Sweep, Task};
use numasim_study::SourceFile;
use numasim_study::writing::study::Written;
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
    pub(crate) whole_l3: bool,
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
            objective: numasim_sim::Objective::TotalGflops.as_str().to_owned(),
            same_on_every_node: false,
            whole_nodes: false,
            min_threads_per_node: 0,
            no_idle_cores: false,
            whole_l3: false,
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

// From the files of a question to a checked study.

/// The name of the file with the placement that the page shows.
pub(crate) const PLACED: &str = "what-if.toml";

/// A study as a question means it.
pub(crate) struct Asked {
    pub(crate) input: Input,
    /// Figures that hardly anybody meant.
    pub(crate) warnings: Vec<String>,
    /// The shown placement as text of a file; empty where there is none.
    pub(crate) placed: String,
}

/// Reads the files and makes the changes of a question.
///
/// # Errors
/// What is wrong, as the command line says it.
pub(crate) fn asked(question: &Question, task: Task) -> Result<Asked, String> {
    let mut sources: Vec<SourceFile> = question
        .files
        .iter()
        .map(|file| SourceFile { name: file.name.clone(), text: file.text.clone() })
        .collect();
    let mut input = Input::of_sources(sources.clone()).map_err(in_words)?;
    let mut placed = String::new();
    if let Some(shown) = &question.placed {
        placed = toml(&input.study, shown)?;
        sources.push(SourceFile { name: PLACED.to_owned(), text: placed.clone() });
        // Through the reader, like every other scenario: its rules and its words are written once.
        input = Input::of_sources(sources).map_err(in_words)?;
    }
    let named = |name: &String| limits::named("model", name, &ModelKind::ALL, ModelKind::as_str);
    let model = question.model.as_ref().map(named);
    let (mut input, warnings) = input.under(model.transpose().map_err(wrong)?).map_err(in_words)?;
    // Its boxes are cores with one thread.
    one_thread_per_core(&input.study, "the page").map_err(in_words)?;
    changed(&mut input.study, &question.set, task)?;
    Ok(Asked { input, warnings, placed })
}

/// As the command line says it.
#[allow(clippy::needless_pass_by_value, reason = "what errors are mapped with")]
pub(crate) fn in_words(refusal: Refusal) -> String {
    refusal.text(false) + "\n"
}

/// What cannot be asked, as the command line says it.
#[allow(clippy::needless_pass_by_value, reason = "what errors are mapped with")]
pub(crate) fn wrong(why: String) -> String {
    format!("error: {why}\n")
}

/// The placement as a `[[scenario]]`.
fn toml(study: &Study, placed: &Placed) -> Result<String, String> {
    let (apps, nodes) = (study.apps.len(), study.machine.node_count());
    let fits = placed.threads.len() == apps && placed.threads.iter().all(|row| row.len() == nodes);
    if !fits {
        return Err(format!("error: the threads are not those of {apps} applications on {nodes} nodes\n"));
    }
    let mut allocation = Allocation::empty(apps, nodes);
    for (app, row) in placed.threads.iter().enumerate() {
        row.iter().enumerate().for_each(|(node, &threads)| allocation.set(AppId(app), NodeId(node), threads));
    }
    let mut placements = Vec::with_capacity(apps);
    for (number, app) in study.apps.iter().enumerate() {
        let home = placed.homes.get(number).copied().flatten();
        if let Some(home) = home.filter(|&home| home >= nodes) {
            return Err(format!("error: there is no node {home} for the data of '{}'\n", app.name));
        }
        if let Some(home) = home.filter(|&home| !study.machine.has_memory(NodeId(home))) {
            return Err(format!("error: node {home} has no memory for the data of '{}'\n", app.name));
        }
        let first = study.machine.memory_nodes().next().unwrap_or(NodeId(0));
        let own = || app.data.placement().cloned();
        let without_threads = placed.threads[number].iter().all(|&threads| threads == 0);
        let chosen = match home {
            Some(home) => Some(at_home(&app.data, NodeId(home))),
            // Nobody reads it.
            None if without_threads && own().is_none() => Some(at_home(&app.data, first)),
            None => own(),
        };
        let Some(chosen) = chosen else {
            return Err(format!("error: the home of the data of '{}' is open: choose a node\n", app.name));
        };
        placements.push(chosen);
    }
    let static_work = placed.static_work;
    let written = Written {
        name: &placed.name,
        apps: &study.apps,
        allocation: &allocation,
        placements: &placements,
        smt: &[],
        static_work,
    };
    Ok(written.toml())
}

/// The data of an application with its home on this node; what has no home stays as it is.
fn at_home(data: &Data, home: NodeId) -> Placement {
    match data {
        Data::OpenHome { share } | Data::Placed(Placement::PartHome { share, .. }) => {
            Placement::at_home(home, *share)
        }
        Data::Placed(Placement::Home(_)) => Placement::at_home(home, 1.0),
        Data::Placed(other) => other.clone(),
    }
}

/// Changes figures of the study.
fn changed(study: &mut Arc<Study>, settings: &[String], task: Task) -> Result<(), String> {
    if settings.is_empty() {
        return Ok(());
    }
    let in_words = |error: SettingError| match &error {
        SettingError::Unknown { .. } => format!("error: {error}\n"),
        SettingError::Wrong { hint, .. } => format!("error: {error}\nhint: {hint}\n"),
    };
    let axes =
        settings.iter().map(|setting| Axis::<Study>::read(study, setting, task)).collect::<Result<_, _>>();
    let sweep = Sweep::new(Study::clone(study), axes.map_err(in_words)?).map_err(in_words)?;
    *study = Arc::new(sweep.study_at(0).map_err(|why| format!("error: {why}\n"))?);
    Ok(())
}
