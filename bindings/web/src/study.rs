//! From the files of a question to a checked study.

use std::sync::Arc;

use numasim_ask::{Input, Refusal, limits};
use numasim_model::{Allocation, AppId, Data, ModelKind, NodeId, Placement, Study};
use numasim_sim::sweep::{Axis, SettingError, Sweep, Task};
use numasim_study::SourceFile;
use numasim_study::writing::study::Written;

use crate::question::{Placed, Question};

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
    let named = |name: &String| limits::named("model", name, &ModelKind::ALL, ModelKind::name);
    let model = question.model.as_ref().map(named);
    let (mut input, warnings) = input.under(model.transpose().map_err(wrong)?).map_err(in_words)?;
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
    let axes = settings.iter().map(|setting| Axis::read(study, setting, task)).collect::<Result<_, _>>();
    let sweep = Sweep::new(Study::clone(study), axes.map_err(in_words)?).map_err(in_words)?;
    *study = Arc::new(sweep.study_at(0).map_err(|why| format!("error: {why}\n"))?);
    Ok(())
}
