//! `numasim report`: a page of prediction and measurement.

mod drawn;
mod explored;
mod inputs;
mod interactive;
mod over_time;
mod tasked;
mod wording;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use numasim_ask::compare::Measured;
use numasim_ask::document;
use numasim_bench::provenance::{self, Provenance, sha256};
use numasim_model::ModelKind;
use numasim_model::{Scenario, Study};
use numasim_study::SourceFile;

use self::inputs::Inputs;
pub(super) use self::wording::quoted;
use super::compare;
use crate::args::{Page, ReportArgs};
use crate::failure::Failure;
use crate::output::Destination;
use crate::report::{self, ReadFile, Report};
use crate::sharing;
use crate::shell::Shell;
use crate::view::{cached, warning};
use numasim_ask::evaluate::{can_be_shown, wanted};
use numasim_ask::{Evaluated, EvaluatedScenario, Input};
use numasim_bench::bundle::{self, Bundle};
use numasim_model::evaluation::Options;

/// A page with more is megabytes of rows that nobody reads.
const MOST_SCENARIOS: usize = 10_000;
/// Threads of applications on nodes, and links, over all scenarios: the page has all of them as JSON.
const MOST_FIGURES: u64 = 500_000;

/// Runs the command.
pub(crate) fn run(args: &ReportArgs, shell: &Shell) -> Result<(), Failure> {
    written(&args.paths, args.measured.as_deref(), args.output.as_deref(), &args.page, shell)
}

/// The page of a folder, written there.
pub(super) fn of_folder(folder: &Path, model: Option<ModelKind>, shell: &Shell) -> Result<(), Failure> {
    let (output, page) = (folder.join(bundle::PAGE), Page { model, ..Page::default() });
    written(&[folder.to_owned()], None, Some(&output), &page, shell)
}

fn written(
    paths: &[PathBuf],
    measured: Option<&Path>,
    output: Option<&Path>,
    page: &Page,
    shell: &Shell,
) -> Result<(), Failure> {
    let inputs = inputs::find(paths, measured, output)?;
    inputs.on_disk().iter().for_each(|path| crate::inputs::note(path));
    let destination = Destination::open(output)?;
    destination.deliver_bytes(made(page, &inputs, shell)?.as_bytes())
}

/// The page that goes into a bundle: that of a folder with its files.
pub(super) fn of_bundle(bundle: Bundle, model: Option<ModelKind>, shell: &Shell) -> Result<String, Failure> {
    made(&Page { model, ..Page::default() }, &Inputs::of_bundle(bundle), shell)
}

fn fit_a_page(scenarios: usize) -> Result<(), Failure> {
    if scenarios <= MOST_SCENARIOS {
        return Ok(());
    }
    let message = format!(
        "{scenarios} scenarios are too many for a page; at most {MOST_SCENARIOS} can be read and shown by a browser"
    );
    Err(Failure::input(message).hint(
        "put those of interest into a file of their own; `numasim compare --format csv` has no such limit",
    ))
}

/// The page.
fn made(page: &Page, inputs: &Inputs, shell: &Shell) -> Result<String, Failure> {
    let texts = inputs.studies()?;
    let input = sharing::choose_for(Input::of_sources(texts.clone())?, page.model, shell)?;
    let source = inputs.measured.as_deref().map(|path| inputs.read(path)).transpose()?;
    let known = inputs.provenance.as_deref().map(|path| read_provenance(path, inputs)).transpose()?;
    let cached = inputs.cache.as_deref().map(|path| read_cached(path, inputs)).transpose()?;

    let simulations = over_time::simulations(page, &input.study, &input.located, shell)?;
    let tasks = tasked::tasks(page, &input)?;
    let searched =
        source.is_none() && tasks.is_none() && explored::is_asked(page, &input.study, simulations.is_some());
    let (explored, input) = if searched {
        let (found, scenarios) = explored::explored(page, &input, shell)?;
        let study = Arc::new(Study { scenarios, ..Study::clone(&input.study) });
        (Some(found), Input { study, ..input })
    } else {
        (None, input)
    };
    let Input { study, located, .. } = &input;
    let scenarios = match (&simulations, &tasks) {
        // What happens over time is enough.
        (Some(_), _) | (_, Some(_)) if study.scenarios.is_empty() && source.is_none() => Vec::new(),
        _ => wanted(study, &[])?,
    };
    located.can_be_evaluated(study, &scenarios)?;
    fit_a_page(scenarios.len())?;
    can_be_shown(study, &scenarios, 1, MOST_FIGURES)?;
    let evaluated = evaluated(study, scenarios)?;
    let views = evaluated.views();
    let facts = |view: &crate::view::ScenarioView<'_>| {
        let all = warning::facts(&view.evaluation.warnings);
        all.into_iter().map(|facts| format!("scenario '{}': {facts}", view.name)).collect::<Vec<_>>()
    };
    shell.warn_all(&views.iter().flat_map(facts).collect::<Vec<_>>());
    // All keys are text, so that nothing can fail.
    let evaluation = serde_json::to_value(&evaluated).unwrap_or_default();
    let mut read: Vec<ReadFile> = texts.iter().map(|file| read_file(file, "input")).collect();
    let compared = match source {
        None => None,
        Some(source) => {
            read.push(read_file(&source, "measurements"));
            let compared = compare::of(&input, &[], &Measured::read(source)?, shell);
            Some(compared.map_err(|failure| what_ran(failure, inputs))?)
        }
    };
    let compared = compared.as_ref();
    read.extend(known.iter().map(|(file, _)| read_file(file, "how it was measured")));
    read.extend(cached.iter().map(|(file, _)| read_file(file, "last-level cache")));
    let document = compared.map(document::value);
    let maps = drawn::maps(&views, compared);
    let preferred = drawn::preferred(&views, compared);
    let machine = drawn::machine(study);
    let plots = drawn::of_all(study, compared, preferred);
    let known = known.map(|(_, known)| known);
    let title = page.title.clone().unwrap_or_else(|| study.machine.name().to_owned());
    Ok(report::page(&Report {
        title: &title,
        question: &wording::question(
            study,
            compared,
            simulations.as_ref(),
            tasks.as_ref(),
            explored.as_ref(),
        ),
        study,
        views: &views,
        maps: &maps,
        explored: explored.as_ref(),
        compared,
        provenance: known.as_ref(),
        cached: cached.as_ref().map(|(_, cached)| cached),
        simulations: simulations.as_ref(),
        tasks: tasks.as_ref(),
        machine: &machine,
        plots: &plots,
        read: &read,
        aside: &inputs.aside.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        commands: &wording::commands(
            page,
            inputs,
            known.as_ref(),
            study,
            (simulations.as_ref(), tasks.as_ref()),
            explored.as_ref(),
        ),
        evaluation: &evaluation,
        comparison: document.as_ref(),
        interactive: interactive::embedded(page, &texts)?.as_ref(),
    }))
}

fn evaluated(study: &Arc<Study>, scenarios: Vec<&Scenario>) -> Result<Evaluated, Failure> {
    let evaluated = scenarios.into_iter().map(|scenario| {
        let options = Options { static_work: scenario.static_work, ..Options::default() };
        EvaluatedScenario::new(study, scenario, options).map(Arc::new)
    });
    Ok(Evaluated::new(study, evaluated.collect::<Result<_, _>>()?))
}

fn read_file(file: &SourceFile, role: &'static str) -> ReadFile {
    ReadFile { name: file.name.clone(), role, sha256: sha256(file.text.as_bytes()) }
}

/// The provenance beside the measurements, which must be one.
fn read_provenance(path: &Path, inputs: &Inputs) -> Result<(SourceFile, Provenance), Failure> {
    let file = inputs.read(path)?;
    let known = provenance::read(&file.text).map_err(|error| {
        Failure::input(format!("{} cannot be read", path.display()))
            .caused_by(&error)
            .hint("if the measurements are not from `numasim bench`, give this file another name")
    })?;
    Ok((file, known))
}

/// What `validate` found of the last-level cache.
fn read_cached(path: &Path, inputs: &Inputs) -> Result<(SourceFile, cached::Document), Failure> {
    let file = inputs.read(path)?;
    let found = serde_json::from_str(&file.text).map_err(|error| {
        Failure::input(format!("{} cannot be read", path.display()))
            .caused_by(&error)
            .hint("if it is not from `numasim validate`, give this file another name")
    })?;
    Ok((file, found))
}

/// Nothing can be compared: perhaps since other files were named than those that ran.
fn what_ran(failure: Failure, inputs: &Inputs) -> Failure {
    let study = inputs.measured.as_deref().map(|csv| inputs::beside(csv, "study.toml"));
    match study.filter(|study| study.exists() && !inputs.files.contains(study)) {
        Some(study) => {
            failure.hint(format!("the scenarios that ran are in {}: name this file instead", study.display()))
        }
        None => failure,
    }
}
