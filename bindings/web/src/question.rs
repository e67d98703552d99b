//! The questions of the page, and the files that they refer to.

use std::num::{NonZeroU16, NonZeroU32};
use std::sync::Arc;

use numasim_ask::placing::{self, OfApp};
use numasim_ask::{Input, Refusal, limits};
use numasim_course::Study;
use numasim_model::allocation::OnNode;
use numasim_model::demand::with_smt;
use numasim_model::{Allocation, App, Data, ModelKind, NodeId, OpenData, Placement, Smt};
use numasim_sim::Candidate;
use numasim_sim::sweep::{Axis, SettingError, Sweep, Task};
use numasim_study::SourceFile;
use numasim_study::writing::study::{Counted, counted};
use serde::{Deserialize, Serialize};

/// A file in the page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Its name in messages.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

/// Hardware threads of an application on a node, as written in files.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Threads {
    /// Distributed over the L3 domains of the node.
    OnNode(u32),
    /// In each L3 domain of the node.
    InDomains(Vec<u32>),
}

impl From<&OnNode> for Threads {
    fn from(threads: &OnNode) -> Self {
        match threads {
            OnNode::Domains(list) if list.len() > 1 => Self::InDomains(list.clone()),
            one => Self::OnNode(one.threads()),
        }
    }
}

impl From<&Threads> for OnNode {
    fn from(threads: &Threads) -> Self {
        match threads {
            Threads::OnNode(threads) => Self::Threads(*threads),
            Threads::InDomains(list) => Self::Domains(list.clone()),
        }
    }
}

/// A placement that the page shows.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Placed {
    /// The name of the scenario.
    pub(crate) name: String,
    /// Threads of each application on each node.
    pub(crate) threads: Vec<Vec<Threads>>,
    /// Hardware threads of a core that each application uses, by name; empty: as in the applications.
    #[serde(default)]
    pub(crate) smt: Vec<String>,
    /// The node of the data of each application; null: as in the file.
    #[serde(default)]
    pub(crate) homes: Vec<Option<usize>>,
    /// The number of the 16 parts of the data of each application on each node, if the files leave its fractions open; else null.
    #[serde(default)]
    pub(crate) parts: Vec<Option<Vec<u32>>>,
    /// Whether work is divided statically.
    #[serde(default)]
    pub(crate) static_work: bool,
}

impl Placed {
    /// A search result to show.
    pub(crate) fn of(name: &str, apps: &[App], candidate: &Candidate, static_work: bool) -> Self {
        let apps = with_smt(apps, &candidate.smt);
        Self::at(name, &apps, &candidate.allocation, &candidate.placements, static_work)
    }

    /// Cores of each application on each node, with the data at these placements.
    pub(crate) fn at(
        name: &str,
        apps: &[App],
        cores: &Allocation,
        placements: &[Placement],
        static_work: bool,
    ) -> Self {
        let rows = counted(apps, cores);
        // A core without a decision has one thread, as in `counted`.
        let smt = apps.iter().map(|app| if app.smt == Smt::Both { Smt::Both } else { Smt::One });
        Self {
            name: name.to_owned(),
            threads: rows.iter().map(|row| row.iter().map(Threads::from).collect()).collect(),
            smt: smt.map(|smt| smt.as_str().to_owned()).collect(),
            homes: placements.iter().map(|placement| placement.home().map(|home| home.0)).collect(),
            parts: apps
                .iter()
                .zip(placements)
                .map(|(app, placement)| parts_of(&app.data, placement))
                .collect(),
            static_work,
        }
    }
}

/// A number for one application, or for each.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NumberOf<T> {
    /// The application, or all instances of a group; null: each application.
    #[serde(default = "Option::default")]
    app: Option<String>,
    /// The number, from 1 up.
    value: T,
}

/// The search request.
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
    /// Each L3 domain has either no threads of the application or this number.
    pub(crate) threads_per_l3: Vec<NumberOf<NonZeroU32>>,
    /// At most this number of L3 domains of the machine have threads of the application.
    pub(crate) max_l3: Vec<NumberOf<NonZeroU16>>,
    /// Number of alternatives.
    pub(crate) top: u64,
    pub(crate) seed: u64,
    /// Also the placement that is good whichever model is right.
    pub(crate) robust: bool,
    /// Seconds after which the search returns the best so far.
    pub(crate) time_limit_s: Option<f64>,
}

impl Default for Search {
    fn default() -> Self {
        let settings = numasim_sim::search::Settings::default();
        Self {
            objective: numasim_sim::Objective::default().as_str().to_owned(),
            same_on_every_node: false,
            whole_nodes: false,
            min_threads_per_node: 0,
            no_idle_cores: false,
            whole_l3: false,
            threads_per_l3: Vec::new(),
            max_l3: Vec::new(),
            top: settings.top as u64,
            seed: settings.seed,
            robust: false,
            time_limit_s: None,
        }
    }
}

impl Search {
    /// Constraints on single applications.
    pub(crate) fn asked(&self) -> placing::Asked {
        placing::Asked {
            threads_per_l3: of_apps(&self.threads_per_l3),
            max_l3: of_apps(&self.max_l3),
            ..placing::Asked::default()
        }
    }
}

fn of_apps<T: Copy>(numbers: &[NumberOf<T>]) -> Vec<OfApp<T>> {
    numbers.iter().map(|of| OfApp { app: of.app.clone(), value: of.value }).collect()
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
    /// Changed values, each `KEY=VALUE` as in `numasim sweep --set`.
    #[serde(default)]
    pub(crate) set: Vec<String>,
    /// The placement to evaluate; null: the scenarios of the files.
    #[serde(default)]
    pub(crate) placed: Option<Placed>,
    /// The search request.
    #[serde(default)]
    pub(crate) search: Search,
}

impl Question {
    /// Parses the text of the page.
    pub(crate) fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("error: this is no question: {error}\n"))
    }
}

// From the files of a question to a checked study.

/// The name of the file with the placement that the page shows.
pub(crate) const PLACED: &str = "what-if.toml";

/// The study for a question.
pub(crate) struct Asked {
    pub(crate) input: Input,
    /// Warnings about implausible values.
    pub(crate) warnings: Vec<String>,
    /// The shown placement as text of a file; empty without one.
    pub(crate) placed: String,
}

/// Reads the files and applies the changes of a question.
///
/// # Errors
/// The message of the command line.
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
        // Goes through the reader like every other scenario, so that rules and messages exist once.
        input = Input::of_sources(sources).map_err(in_words)?;
    }
    let named = |name: &String| limits::named("model", name, &ModelKind::ALL, ModelKind::as_str);
    let model = question.model.as_ref().map(named);
    let (mut input, warnings) = input.under(model.transpose().map_err(wrong)?).map_err(in_words)?;
    changed(&mut input.study, &question.set, task)?;
    Ok(Asked { input, warnings, placed })
}

/// Formats an error as the command line does.
#[allow(clippy::needless_pass_by_value, reason = "what errors are mapped with")]
pub(crate) fn in_words(refusal: Refusal) -> String {
    refusal.text(false) + "\n"
}

/// An invalid question, with the message of the command line.
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
    let threads: Vec<Vec<OnNode>> =
        placed.threads.iter().map(|row| row.iter().map(OnNode::from).collect()).collect();
    let named = |word: &String| limits::named("smt", word, &Smt::ALL, Smt::as_str);
    let smt: Vec<Smt> = placed.smt.iter().map(named).collect::<Result<_, _>>().map_err(wrong)?;
    if !smt.is_empty() && smt.len() != apps {
        return Err(format!("error: `smt` is not that of {apps} applications\n"));
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
        let without_threads = threads[number].iter().all(|on_node| on_node.threads() == 0);
        let parts = placed.parts.get(number).and_then(Option::as_ref);
        if let Some(parts) = parts.filter(|parts| parts.len() != nodes) {
            let there = parts.len();
            return Err(format!(
                "error: {nodes} nodes have data of '{}', but there are {there} numbers\n",
                app.name
            ));
        }
        let chosen = match home {
            _ if app.data == Data::OpenFractions && (parts.is_some() || without_threads) => {
                let none = vec![0; nodes];
                let parts = parts.unwrap_or(&none);
                let given = parts.iter().fold(0, |sum: u32, &parts| sum.saturating_add(parts));
                // Not read.
                if without_threads {
                    Some(Placement::Local)
                } else if given == Data::STEPS {
                    Some(app.data.placement_of(parts))
                } else {
                    let all = Data::STEPS;
                    return Err(format!(
                        "error: the parts of the data of '{}' sum to {given}, not to {all}\n",
                        app.name
                    ));
                }
            }
            Some(home) => Some(at_home(&app.data, NodeId(home))),
            // Not read.
            None if without_threads && own().is_none() => Some(at_home(&app.data, first)),
            None => own(),
        };
        match (chosen, app.data.open()) {
            (Some(chosen), _) => placements.push(chosen),
            (None, Some(OpenData::Fractions)) => {
                return Err(format!(
                    "error: the fractions of the data of '{}' are open: give them\n",
                    app.name
                ));
            }
            (None, _) => {
                return Err(format!(
                    "error: the home of the data of '{}' is open: choose a node\n",
                    app.name
                ));
            }
        }
    }
    let written = Counted {
        name: &placed.name,
        apps: &study.apps,
        threads: &threads,
        placements: &placements,
        smt: &smt,
        static_work: placed.static_work,
    };
    Ok(written.toml())
}

/// The data of an application with its home on this node; data without a home is unchanged.
fn at_home(data: &Data, home: NodeId) -> Placement {
    match data {
        Data::OpenHome { share } | Data::Placed(Placement::PartHome { share, .. }) => {
            Placement::at_home(home, *share)
        }
        Data::Placed(Placement::Home(_)) => Placement::at_home(home, 1.0),
        Data::Placed(other) => other.clone(),
        Data::OpenFractions => data.placement_or_local(),
    }
}

/// The parts of data whose fractions the files leave open.
fn parts_of(data: &Data, placement: &Placement) -> Option<Vec<u32>> {
    let Placement::Fractions(fractions) = placement else { return None };
    let parts = |fraction: f64| {
        (0..=Data::STEPS).find(|&parts| f64::from(parts) >= fraction * f64::from(Data::STEPS))
    };
    (*data == Data::OpenFractions)
        .then(|| fractions.iter().map(|&fraction| parts(fraction).unwrap_or(0)).collect())
}

/// Changes values of the study.
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
