//! `numasim report`: a page of prediction and measurement.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use numasim_ask::compare::{Compared, Measured};
use numasim_ask::evaluate::{MOST_FIGURES, can_be_shown, wanted};
use numasim_ask::sensitivity::gain_unit;
use numasim_ask::{Evaluated, EvaluatedScenario, Explore, Input, document};
use numasim_bench::bundle::{self, Bundle};
use numasim_bench::provenance::{self, Provenance, sha256};
use numasim_course::Study;
use numasim_draw::gantt::{Gantt, MOST_COLUMNS};
use numasim_model::evaluation::Options;
use numasim_model::pinning::node_without_cpus;
use numasim_model::{ModelKind, Scenario};
use numasim_sim::search::WITHIN;
use numasim_sim::search::over_models::ModelList;
use numasim_study::SourceFile;

use crate::args::{EmitKind, ModelArgs, Page, ReportArgs};
use crate::commands::evidence;
use crate::commands::explore;
use crate::commands::report::inputs::Inputs;
use crate::commands::tasks::{Pictured, has_graph, pictured};
use crate::emit::{self, typed};
use crate::failure::Failure;
use crate::output::Destination;
use crate::report::{self, Explored, Figure, Interactive, ReadFile, Repeated, Report, Simulations, Tasks};
use crate::sharing;
use crate::shell::Shell;
use crate::view::answer::Answer;
use crate::view::answer::sensitivity::SensitivityView;
use crate::view::tasked::{Tasked, TasksAnswer};
use crate::view::{Style, cached, figures, warning};
use crate::watch::Watch;

mod drawn;
mod inputs;

/// A page with more scenarios would contain megabytes of unreadable rows.
const MOST_SCENARIOS: usize = 10_000;
/// Maximum number of threads of applications on nodes, and of links, over all scenarios: the page contains all of them as JSON.
const MOST_ON_PAGE: u64 = 500_000;

/// Runs the command.
pub(crate) fn run(args: &ReportArgs, shell: &Shell) -> Result<(), Failure> {
    written(&args.paths, args.measured.as_deref(), args.output.as_deref(), &args.page, shell)
}

/// The page of a folder, written into the folder.
pub(super) fn of_folder(folder: &Path, model: Option<ModelKind>, shell: &Shell) -> Result<(), Failure> {
    let (output, page) =
        (folder.join(bundle::PAGE), Page { sharing: ModelArgs { model }, ..Page::default() });
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

/// The page of a bundle: that of a folder with its files.
pub(super) fn of_bundle(bundle: Bundle, model: Option<ModelKind>, shell: &Shell) -> Result<String, Failure> {
    made(&Page { sharing: ModelArgs { model }, ..Page::default() }, &Inputs::of_bundle(bundle), shell)
}

fn fit_a_page(scenarios: usize) -> Result<(), Failure> {
    if scenarios <= MOST_SCENARIOS {
        return Ok(());
    }
    let message = format!(
        "{scenarios} scenarios are too many for a page; at most {MOST_SCENARIOS} can be read and shown by a browser"
    );
    Err(Failure::input(message).hint(
        "put the interesting ones into a separate file; `numasim compare --format csv` has no such limit",
    ))
}

/// The page.
fn made(page: &Page, inputs: &Inputs, shell: &Shell) -> Result<String, Failure> {
    let texts = inputs.studies()?;
    let input = sharing::choose_for(Input::of_sources(texts.clone())?, page.sharing.model, shell)?;
    let source = inputs.measured.as_deref().map(|path| inputs.read(path)).transpose()?;
    let known = inputs.provenance.as_deref().map(|path| read_provenance(path, inputs)).transpose()?;
    let cached = inputs.cache.as_deref().map(|path| read_cached(path, inputs)).transpose()?;

    let simulations = drawn::simulations(page, &input.study, &input.located, shell)?;
    let tasks = tasks(page, &input)?;
    let searched = source.is_none() && tasks.is_none() && is_asked(page, &input.study, simulations.is_some());
    // Checked before the search, which takes seconds.
    fit_a_page(input.study.scenarios.len())?;
    let found = match searched.then(|| explored(page, &input, shell)).transpose() {
        Ok(found) => found,
        // The scenarios in the files can be shown without an answer.
        Err(failure) if page.objective.is_none() && !input.study.scenarios.is_empty() => {
            shell.warn(format!("no placement was searched for: {failure}"));
            None
        }
        Err(failure) => return Err(failure),
    };
    let (explored, input) = match found {
        Some((found, scenarios)) => {
            let mut study = Study::clone(&input.study);
            study.scenarios.extend(scenarios);
            (Some(found), Input { study: Arc::new(study), ..input })
        }
        None => (None, input),
    };
    let Input { study, located, .. } = &input;
    let scenarios = match (&simulations, &tasks) {
        // Behaviour over time is sufficient for a page.
        (Some(_), _) | (_, Some(_)) if study.scenarios.is_empty() && source.is_none() => Vec::new(),
        _ => wanted(study, &[])?,
    };
    located.can_be_evaluated(study, &scenarios)?;
    fit_a_page(scenarios.len())?;
    can_be_shown(study, &scenarios, 1, MOST_ON_PAGE)?;
    let evaluated = evaluated(study, scenarios)?;
    let views = evaluated.views();
    let facts = |view: &crate::view::ScenarioView<'_>| {
        let all = warning::facts(&view.evaluation.warnings);
        all.into_iter().map(|facts| format!("scenario '{}': {facts}", view.name)).collect::<Vec<_>>()
    };
    shell.warn_all(&views.iter().flat_map(facts).collect::<Vec<_>>());
    // All keys are text, so serialisation cannot fail.
    let evaluation = serde_json::to_value(&evaluated).unwrap_or_default();
    let mut read: Vec<ReadFile> = texts.iter().map(|file| read_file(file, "input")).collect();
    let compared = match source {
        None => None,
        Some(source) => {
            read.push(read_file(&source, "measurements"));
            let compared = evidence::compared_with(&input, &[], &Measured::read(source)?, shell);
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
        question: &question(study, compared, simulations.as_ref(), tasks.as_ref(), explored.as_ref()),
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
        commands: &commands(
            page,
            inputs,
            known.as_ref(),
            study,
            (simulations.as_ref(), tasks.as_ref()),
            explored.as_ref(),
        ),
        evaluation: &evaluation,
        comparison: document.as_ref(),
        interactive: embedded(page, &texts)?.as_ref(),
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

/// The provenance next to the measurements, which must be valid.
fn read_provenance(path: &Path, inputs: &Inputs) -> Result<(SourceFile, Provenance), Failure> {
    let file = inputs.read(path)?;
    let known = provenance::read(&file.text).map_err(|error| {
        Failure::input(format!("{} cannot be read", path.display()))
            .caused_by(&error)
            .hint("if the measurements are not from `numasim bench`, give this file another name")
    })?;
    Ok((file, known))
}

/// The result of `validate` for the last-level cache.
fn read_cached(path: &Path, inputs: &Inputs) -> Result<(SourceFile, cached::Document), Failure> {
    let file = inputs.read(path)?;
    let found = serde_json::from_str(&file.text).map_err(|error| {
        Failure::input(format!("{} cannot be read", path.display()))
            .caused_by(&error)
            .hint("if it is not from `numasim validate`, give this file another name")
    })?;
    Ok((file, found))
}

/// Nothing can be compared, perhaps because the named files differ from those that ran.
fn what_ran(failure: Failure, inputs: &Inputs) -> Failure {
    let study = inputs.measured.as_deref().map(|csv| inputs::beside(csv, "study.toml"));
    match study.filter(|study| study.exists() && !inputs.files.contains(study)) {
        Some(study) => {
            failure.hint(format!("the scenarios that ran are in {}: name this file instead", study.display()))
        }
        None => failure,
    }
}

// Applications without a scenario: a search comes first.

/// The name of the file with the result, as `explore --save` writes it.
const SAVED: &str = "best.toml";

/// Whether the page also searches for a placement.
fn is_asked(page: &Page, study: &Study, over_time: bool) -> bool {
    !study.apps.is_empty() && (!over_time || page.objective.is_some())
}

/// The answers, and their scenarios.
fn explored(page: &Page, input: &Input, shell: &Shell) -> Result<(Explored, Vec<Scenario>), Failure> {
    let objective = page.objective.unwrap_or_default();
    let question = Explore {
        objective,
        models: Some(&ModelList::All),
        simple: Some(WITHIN),
        sensitivity: true,
        top: 0,
        most_figures: Some(MOST_FIGURES),
        ..Explore::new(input)
    };
    let watch = Watch::start(Some(page.time_limit), question.objective, shell);
    let found = explore::searched(&question, None, &watch)?;
    shell.warn_all(&found.warnings);
    let answer = Answer::of(&found);
    let document = serde_json::to_value(&found)
        .map_err(|error| Failure::fault("cannot write JSON").caused_by(&error))?;
    let script = match node_without_cpus(&input.study.machine) {
        Some(_) => None,
        None => Some(emit::script_with_warnings(
            EmitKind::Numactl,
            &answer.best_view(),
            &answer.facts(),
            &input.located,
            shell,
        )?),
    };
    let sensitivity = SensitivityView::of(&answer);
    let explored = Explored {
        given: input.study.scenarios.len(),
        objective: objective.as_str(),
        words: answer.in_words(),
        prices: sensitivity.as_ref().map_or_else(Vec::new, |view| view.prices(&Style::default())),
        price_notes: sensitivity.map_or_else(String::new, |view| view.price_notes().join(" ")),
        gain_unit: gain_unit(&found.problem),
        script,
        saved: answer.saved(),
        document,
    };
    Ok((explored, answer.scenarios()))
}

// The location of the what-if page of `--interactive`. It is WebAssembly from another compiler and cannot be a part of this program.

/// Its name.
const NAME: &str = "numasim.html";
/// How to obtain it.
const HINT: &str = "bindings/web/build in the sources of numasim makes it: target/web/numasim.html; name it with --interactive=FILE, \
     or put it next to the program";

/// The page to embed: the named file, else the file in `share/numasim` of the installation of this program, or in its build folder.
fn embedded(page: &Page, files: &[SourceFile]) -> Result<Option<Interactive>, Failure> {
    let Some(named) = &page.interactive else { return Ok(None) };
    let path = match named {
        Some(path) => path.clone(),
        None => beside_the_program().ok_or_else(|| {
            Failure::input(format!("the what-if page ({NAME}) is not installed with this program")).hint(HINT)
        })?,
    };
    crate::inputs::note(&path);
    let text = fs::read_to_string(&path).map_err(|error| {
        Failure::input(format!("{} cannot be read", path.display())).caused_by(&error).hint(HINT)
    })?;
    let version = env!("CARGO_PKG_VERSION");
    let made = Interactive::new(&text, files).ok_or_else(|| {
        Failure::input(format!("{} is not the what-if page of numasim {version}", path.display())).hint(HINT)
    })?;
    Ok(Some(made))
}

fn beside_the_program() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let folder = program.parent()?;
    let above = folder.parent().unwrap_or(folder);
    let places = [folder.join(NAME), above.join("share/numasim").join(NAME), above.join("web").join(NAME)];
    places.into_iter().find(|place: &PathBuf| Path::is_file(place))
}

// The graph of tasks of a report: simulated under several schedulers, and drawn.

/// Maximum number of pieces in all charts together, about 80 bytes each, and minimum number of columns in one.
const MOST_PIECES: usize = 60_000;
const FEWEST_COLUMNS: usize = 64;

/// Simulates the graph in the files; `None` if they have none.
///
/// # Errors
/// A graph that cannot be created, or does not fit in memory.
fn tasks(page: &Page, input: &Input) -> Result<Option<Tasks>, Failure> {
    if !has_graph(&input.tasks) {
        return Ok(None);
    }
    let Pictured { facts, runs, without } = pictured(input, &page.scheduler)?;
    let all: Vec<Tasked> = runs.iter().map(|(tasked, _)| tasked.clone()).collect();
    let answer =
        TasksAnswer { study: input.study.clone(), graph: facts.clone(), asked: all.len(), runs: all };
    let document = serde_json::to_value(&answer).unwrap_or_default();
    let pictures = runs.len();
    let runs = runs.into_iter().map(|(tasked, chart)| {
        let chart = chart.map(|chart| drawn(&tasked, chart, pictures));
        (tasked, chart)
    });
    Ok(Some(Tasks {
        facts,
        runs: runs.collect(),
        without: without.into_iter().map(|(kind, why)| (kind.as_str(), why)).collect(),
        document,
    }))
}

/// One of `pictures` that share a page.
fn drawn(tasked: &Tasked, mut chart: Gantt, pictures: usize) -> Figure {
    let rows: usize = chart.bands.iter().map(|band| band.rows.len()).sum();
    let room = MOST_PIECES / (rows * pictures).max(1);
    chart.columns = room.clamp(FEWEST_COLUMNS, MOST_COLUMNS);
    let mean = if chart.bands.iter().flat_map(|band| &band.rows).any(|row| row.len() > chart.columns) {
        " Of many tasks each piece shows what took most of its time."
    } else {
        ""
    };
    Figure {
        title: format!("Scheduler {}", tasked.scheduler.as_str()),
        caption: format!(
            "A row for each core, nodes as bands. Colours are kinds of tasks; the background shows why a core has none.{mean}"
        ),
        svg: chart.svg(),
    }
}

// The texts of a report: its question, and the commands that reproduce it.

/// The question, in one sentence.
fn question(
    study: &Study,
    compared: Option<&Compared>,
    simulations: Option<&Simulations>,
    tasks: Option<&Tasks>,
    explored: Option<&Explored>,
) -> String {
    let machine = study.machine.name();
    let apps = figures::count(study.apps.len() as u64, "application");
    if let Some(explored) = explored {
        return format!(
            "Which threads of {apps} belong where on {machine}, for {} under the model {}?",
            explored.objective,
            study.machine.sharing().name()
        );
    }
    let scenarios = |count: usize| figures::count(count as u64, "scenario");
    if let (Some(simulations), true) = (simulations, study.scenarios.is_empty()) {
        let policies = simulations.courses.len() + simulations.without.len();
        return format!(
            "What does the model {} predict for {machine} when {apps} run over time, with {}?",
            study.machine.sharing().name(),
            if policies == 1 { "1 policy".to_owned() } else { format!("{policies} policies") }
        );
    }
    if let (Some(tasks), true) = (tasks, study.scenarios.is_empty()) {
        let schedulers = tasks.runs.len() + tasks.without.len();
        return format!(
            "How long do the tasks of {} take on {machine}, as the model {} has it, under {}?",
            tasks.facts.name,
            study.machine.sharing().name(),
            figures::count(schedulers as u64, "scheduler")
        );
    }
    match compared.map(|view| view.comparison.scenarios.len()) {
        None => format!(
            "What does the model {} predict for {machine} in {} of {apps}?",
            study.machine.sharing().name(),
            scenarios(study.scenarios.len())
        ),
        Some(1) => format!("Does the model predict what {machine} does in one scenario of {apps}?"),
        Some(count) => format!(
            "Does the model predict what {machine} does in {} of {apps}, and does it pick the best of them?",
            scenarios(count)
        ),
    }
}

/// The commands that reproduce the measurements, the comparison and the page.
fn commands(
    page: &Page,
    inputs: &Inputs,
    known: Option<&Provenance>,
    study: &Study,
    (simulations, tasks): (Option<&Simulations>, Option<&Tasks>),
    explored: Option<&Explored>,
) -> Vec<Repeated> {
    let mut commands = Vec::new();
    if let Some(known) = known.filter(|known| !known.command.is_empty()) {
        // The path of the program is from another host.
        let words = std::iter::once("numasim").chain(known.command.iter().skip(1).map(String::as_str));
        commands.push(Repeated { what: "Measure", line: words.map(typed).collect::<Vec<_>>().join(" ") });
    }
    let path = |path: &Path| path.display().to_string();
    let model = page
        .sharing
        .model
        .map(|model| vec!["--model".to_owned(), model.as_str().to_owned()])
        .unwrap_or_default();
    let files: Vec<String> = inputs.files.iter().map(|file| path(file)).collect();
    let line = |command: &str, rest: &[Vec<String>]| {
        let words =
            ["numasim".to_owned(), command.to_owned()].into_iter().chain(rest.iter().flatten().cloned());
        words.map(|word| typed(&word)).collect::<Vec<_>>().join(" ")
    };
    if let Some(bundle) = inputs.bundle_file() {
        commands.push(Repeated { what: "Unpack", line: format!("tar --zstd -xf {}", typed(&path(bundle))) });
    }
    let files = match explored {
        Some(explored) => {
            let options = ["--objective", explored.objective, "--models", "all", "--simple", "--sensitivity"];
            let limit = ["--time-limit".to_owned(), page.time_limit.as_secs_f64().to_string()];
            let options = options.map(str::to_owned).into_iter().chain(limit).collect();
            let save = ["--save", SAVED].map(str::to_owned).into();
            commands.push(Repeated {
                what: "Search, and save what is found",
                line: line("explore", &[files.clone(), options, save, model.clone()]),
            });
            files.into_iter().chain([SAVED.to_owned()]).collect()
        }
        None => files,
    };
    match &inputs.measured {
        Some(csv) => {
            let measured = vec!["--measured".to_owned(), path(csv)];
            let words = [files.clone(), measured, model.clone()];
            commands.push(Repeated { what: "Compare", line: line("compare", &words) });
        }
        None if study.scenarios.is_empty() => {}
        None => {
            let words = [files.clone(), model.clone()];
            commands.push(Repeated { what: "Evaluate", line: line("evaluate", &words) });
        }
    }
    let option = |name: &str, value: Option<String>| {
        value.map(|value| vec![name.to_owned(), value]).unwrap_or_default()
    };
    let until = option("--until", page.until.map(|until| until.to_string()));
    if let Some(simulations) = simulations {
        let policies = simulations.courses.iter().map(|course| course.simulated.policy.clone());
        let policies = policies.flat_map(|policy| ["--policy".to_owned(), policy]).collect();
        let words = [files.clone(), policies, until.clone(), model.clone()];
        commands.push(Repeated { what: "Simulate", line: line("simulate", &words) });
    }
    if let Some(tasks) = tasks {
        let names: Vec<&str> = tasks.runs.iter().map(|(tasked, _)| tasked.scheduler.as_str()).collect();
        let words = [files, option("--scheduler", Some(names.join(","))), model.clone()];
        commands.push(Repeated { what: "Simulate the tasks", line: line("tasks", &words) });
    }
    let schedulers: Vec<&str> = page.scheduler.iter().map(|kind| kind.as_str()).collect();
    let schedulers = option("--scheduler", Some(schedulers.join(",")).filter(|names| !names.is_empty()));
    let policies =
        page.policy.iter().flat_map(|policy| ["--policy".to_owned(), policy.to_string()]).collect();
    let interactive = page.interactive.iter().map(|named| match named {
        Some(file) => format!("--interactive={}", path(file)),
        None => "--interactive".to_owned(),
    });
    let interactive = interactive.collect();
    let again = line(
        "report",
        &[
            inputs.named.iter().map(|one| path(one)).collect(),
            option("--measured", inputs.named_measured.as_deref().map(path)),
            model,
            policies,
            schedulers,
            until,
            option("--objective", explored.map(|explored| explored.objective.to_owned())),
            option("--title", page.title.clone()),
            interactive,
            option("-o", Some("report.html".to_owned())),
        ],
    );
    commands.push(Repeated { what: "Reproduce this page", line: again });
    commands
}
