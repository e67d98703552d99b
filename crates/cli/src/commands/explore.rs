//! `numasim explore`: the best allocation of threads to NUMA nodes.

mod pareto;
mod rating;
mod robust;
mod simple;

use std::time::{Duration, Instant};

use numasim_model::{Scenario, Study};
use numasim_sim::objective::GoalError;
use numasim_sim::search::over_models::Models;
use numasim_sim::search::{ExploreError, History, Settings, explore, explore_to_the_end};
use numasim_sim::sensitivity::{Sensitivity, analyse};
use numasim_sim::{Candidate, Infeasible, Objective, Problem, ProblemError, Restrictions};

use super::intervals;
use crate::args::{ExploreArgs, ObjectiveName};
use crate::emit::{self, processors};
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::plot_file::{PlotFile, can_be_mapped};
use crate::sharing;
use crate::shell::Shell;
use crate::threads;
use crate::view::answer::sensitivity::SensitivityView;
use crate::view::answer::{Answer, Document};
use crate::view::{figures, plots, warning};
use crate::watch::Watch;
use numasim_ask::Refusal;
use numasim_ask::evaluate::{MOST_FIGURES, can_be_shown};
use numasim_ask::intervals::figures_of;
use numasim_ask::located::Located;
use numasim_ask::placing::placed;
use numasim_ask::room;

/// Runs the command.
pub(crate) fn run(args: &ExploreArgs, shell: &Shell) -> Result<(), Failure> {
    if let Some(pair) = args.pareto {
        return pareto::run(args, pair, shell);
    }
    let (reading, sources) = files::read_study_and_texts(&args.study.files)?;
    let (study, located) = Located::split(reading, sources);
    let chosen = Models::first(args.study.model, args.models.as_ref());
    let mut study = placed(sharing::choose(study, chosen, shell)?, &args.placing.asked())?;
    study.machine = processors::complete(study.machine, &args.emit)?;
    warn_of_static_work(
        &study,
        "its figures here are so, while the search takes work that is shared by speed",
        shell,
    );
    let destination = Destination::open(args.output.output.as_deref())?;
    let saved = args.save.as_deref().map(|path| Destination::open(Some(path))).transpose()?;
    let picture = open_plot(args)?;
    if picture.is_some() {
        can_be_mapped(&study.machine)?;
    }
    let start = Instant::now();
    let watch = Watch::start(args.time_limit, objective(args.objective), shell);
    let problem = problem(args, &study, &located)?;
    let answer = searched(args, &study, &problem, watch, shell)?;

    tell_warnings(&answer, shell);
    if let Some(saved) = saved {
        saved.deliver(&answer.saved())?;
    }
    if let Some(picture) = picture {
        picture.deliver(&plots::thread_map(&answer.drawn_view()).svg())?;
    }
    if let Some(kind) = args.emit.emit {
        let text = emit::script_with_warnings(kind, &answer.best_view(), &answer.facts(), shell)?;
        return destination.deliver(&text);
    }
    let sensitivity = args.sensitivity.then(|| sensitivity(args, &answer, start, shell)).transpose()?;
    let sensitivity = sensitivity.as_ref().map(|found| SensitivityView { answer: &answer, found });
    let text = match (args.output.format, &sensitivity) {
        (format @ (Format::Table | Format::Markdown), view) => {
            shell.for_people(format, args.output.output.is_some(), |style| match view {
                None => answer.table(style),
                Some(view) => format!("{}\n{}", answer.table(style), view.table(style)),
            })
        }
        (Format::Json, view) => {
            let document = Document { answer: &answer, sensitivity: view.as_ref() };
            return destination.deliver_by(|out| numasim_ask::document::write(&document, out));
        }
        (Format::Csv, view) => view.as_ref().map_or_else(|| answer.csv(), SensitivityView::csv),
    };
    destination.deliver(&text)
}

/// The answer to `problem`, which is that of `study`, with all that the command line asks for beside the best.
pub(super) fn searched<'a>(
    args: &ExploreArgs,
    study: &'a Study,
    problem: &'a Problem,
    mut watch: Watch,
    shell: &Shell,
) -> Result<Answer<'a>, Failure> {
    let settings = Settings { top: top(args, study)?, seed: args.seed, ..Settings::default() };
    // Before the search: one that takes all the time would leave none for what its answer is compared with.
    let (baselines, took) = rating::baselines(study, problem, &watch)?;
    let others = simple::time(args) + time_of_sensitivity(args);
    watch.keep_back(rating::after_the_search(took, baselines.len(), settings.top) + others);
    // Time that somebody gives is there to be used.
    let search = if args.time_limit.is_some() { explore_to_the_end } else { explore };
    let models = args.models.as_ref().map(|list| Models::new(study.machine.sharing().kind, list));
    let elapsed_s = || watch.elapsed_s();
    let history = History::new(&watch, &elapsed_s);
    let searched = in_pool(args.placing.workers(), || match &models {
        None => search(problem, &settings, &history),
        Some(models) => search(problem, &settings, &models.first_share(&watch)),
    })?;
    let spent = history.spent();
    let outcome = searched.map_err(|error| {
        watch.finish();
        without_answer(error, problem)
    })?;
    let of_first = models.is_some().then(|| outcome.clone());
    let mut answer = rating::answer(study, problem, &settings, outcome, baselines, &watch)?;
    answer.effort = spent.filter(|_| answer.unproven.is_some() && args.time_limit.is_none());
    if let Some((models, outcome)) = models.zip(of_first) {
        let timed = args.time_limit.is_some();
        in_pool(args.placing.workers(), || {
            let bests = models
                .search(problem, &outcome, &settings, &watch, timed)
                .map_err(|error| robust::no_best(error, problem))?;
            robust::add_to(&mut answer, bests, &watch, shell)
        })??;
    }
    watch.finish();
    answer.simple = args.simple.then(|| simple::simple(args, &answer, &settings, shell)).transpose()?;
    if args.emit.emit.is_none() {
        intervals::of_answer(&mut answer, shell)?;
    }
    Ok(answer)
}

/// The file of `--plot`, which replaces no other file of this command.
fn open_plot(args: &ExploreArgs) -> Result<Option<PlotFile>, Failure> {
    args.plot.as_deref().map(|path| PlotFile::open(Some(path))).transpose()
}

/// The part of the time limit that is kept for the analysis.
fn time_of_sensitivity(args: &ExploreArgs) -> Duration {
    let limit = args.time_limit.filter(|_| args.sensitivity);
    limit.map_or(Duration::ZERO, |limit| limit / PART_OF_SENSITIVITY)
}

/// The analysis of the answer. It has what is left of the time limit since `start`, and its part at least.
pub(super) fn sensitivity(
    args: &ExploreArgs,
    answer: &Answer,
    start: Instant,
    shell: &Shell,
) -> Result<Sensitivity, Failure> {
    let left =
        args.time_limit.map(|limit| limit.saturating_sub(start.elapsed()).max(time_of_sensitivity(args)));
    let watch = Watch::start(left, answer.problem.goal().objective(), shell);
    let others: Vec<Candidate> = answer
        .alternatives
        .iter()
        .chain(answer.baselines.iter().map(|(rated, _)| rated))
        .map(|rated| rated.candidate.clone())
        .collect();
    let found =
        in_pool(args.placing.workers(), || analyse(answer.problem, &answer.best.candidate, &others, &watch));
    watch.finish();
    Ok(found?.map_err(|forbidden| Refusal::from(&forbidden))?)
}

/// The search does not know static work: what scenarios of the files that have it are compared as.
pub(super) fn warn_of_static_work(study: &Study, what: &str, shell: &Shell) {
    let mut names =
        study.scenarios.iter().filter(|scenario| scenario.static_work).map(|scenario| &scenario.name);
    let Some(first) = names.next() else { return };
    let more = names.count();
    let others =
        if more > 0 { format!(" and {}", figures::count(more as u64, "other")) } else { String::new() };
    shell.warn(format!("scenario '{first}'{others} divides work beforehand (static = true): {what}"));
}

/// How many alternatives are shown: of very large questions as many as anybody has use for.
fn top(args: &ExploreArgs, study: &Study) -> Result<usize, Failure> {
    let scenarios: Vec<&Scenario> = study.scenarios.iter().collect();
    can_be_shown(study, &scenarios, 1, MOST_FIGURES)?;
    // A script has no room for alternatives.
    if args.emit.emit.is_some() {
        return Ok(0);
    }
    let of_one = figures_of(study, study.apps.iter().filter_map(|app| app.data.placement()));
    let most = usize::try_from(MOST_FIGURES_OF_ALTERNATIVES / of_one.max(1)).unwrap_or(usize::MAX);
    Ok(usize::from(args.top).min(most))
}

/// What a name on the command line stands for.
pub(super) fn objective(name: ObjectiveName) -> Objective {
    match name {
        ObjectiveName::TotalGflops => Objective::TotalGflops,
        ObjectiveName::Fair => Objective::Fair,
        ObjectiveName::Geomean => Objective::Geomean,
        ObjectiveName::Makespan => Objective::Makespan,
    }
}

fn restrictions(args: &ExploreArgs) -> Restrictions {
    Restrictions {
        same_on_every_node: args.same_on_every_node,
        whole_nodes: args.whole_nodes,
        min_threads_per_node: args.min_threads_per_node.unwrap_or(0),
        no_idle_cores: args.no_idle_cores,
    }
}

pub(super) fn problem(args: &ExploreArgs, study: &Study, located: &Located) -> Result<Problem, Failure> {
    Problem::new(&study.machine, &study.apps, objective(args.objective), restrictions(args))
        .map_err(|error| located.refused(study, &error).map_or_else(|| refused(error), Failure::from))
}

/// Why there is nothing to search, and what to do about it.
pub(super) fn refused(error: ProblemError) -> Failure {
    match error {
        ProblemError::NoApps => Failure::input("there is no [[app]] in the files: nothing to place")
            .hint("add a file with applications, for example one of configs/workloads"),
        ProblemError::Goal(error) => {
            let missing = match error {
                GoalError::MissingWork(_) => "add it to their [[app]] tables",
                GoalError::NoWeight => "raise a `weight` in the [[app]] tables",
            };
            Failure::input(error.to_string()).hint(format!("{missing}, or choose another --objective"))
        }
        ProblemError::Refused(refusal) => Failure::input(refusal.to_string()),
        error @ (ProblemError::TooLarge { .. } | ProblemError::TooManyLinks { .. }) => {
            Failure::input(error.to_string())
                .hint("leave out instances or nodes; data that is not interleaved has fewer flows")
        }
        ProblemError::Infeasible(infeasible) => to_failure(&infeasible),
    }
}

/// Runs the search with this many worker threads.
fn in_pool<T: Send>(threads: Option<u16>, search: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    match threads {
        None => threads::start(None).map(|()| search()),
        Some(threads) => Ok(threads::pool(usize::from(threads))?.install(search)),
    }
}

fn to_failure(infeasible: &Infeasible) -> Failure {
    let hint = match infeasible {
        Infeasible::MinThreads { .. } => "lower `min_threads`, or remove applications",
        Infeasible::MinPerNode { .. } | Infeasible::MaxBelowMinPerNode { .. } => {
            "lower --min-threads-per-node, or remove applications"
        }
        Infeasible::WholeNodesMinPerNode { .. } => "use either --whole-nodes or --min-threads-per-node",
        Infeasible::WholeNodesSame { .. } => "use either --whole-nodes or --same-on-every-node",
        Infeasible::TooFewNodes { .. } => {
            "leave out --whole-nodes, lower `min_threads`, or remove applications"
        }
        Infeasible::IdleCores { .. } => "leave out --no-idle-cores, or raise `max_threads`",
        Infeasible::IdleCoresOnUnequalNodes { .. } => "use either --no-idle-cores or --same-on-every-node",
        Infeasible::SameMissesRange { .. } => {
            "leave out --same-on-every-node, or widen min_threads and max_threads"
        }
        Infeasible::TooFewAllowed { .. } => "lower its `min_threads`, or allow it more `nodes`",
        Infeasible::NobodyOnNode(_) => "leave out --no-idle-cores, or allow some application this node",
        Infeasible::Memory { .. }
        | Infeasible::NoNodeForHome { .. }
        | Infeasible::NoMemoryAnywhere { .. }
        | Infeasible::AllMemory { .. } => room::hint(),
        Infeasible::MultipleMissesRange { .. } => {
            "choose another --threads-multiple, or other `min_threads` and `max_threads` (--threads sets both)"
        }
        Infeasible::TooFewOnNodes { .. } => {
            "raise --max-nodes, or lower --threads-multiple, --threads or `min_threads`"
        }
        Infeasible::MaxNodesEverywhere { .. } => {
            "raise --max-nodes, or leave out --same-on-every-node and --min-threads-per-node"
        }
        Infeasible::ExclusiveEverywhere { .. } => {
            "leave out --exclusive, or --same-on-every-node and --min-threads-per-node"
        }
        Infeasible::ExclusiveNodes { .. } => {
            "leave out --exclusive, lower `min_threads`, or remove applications"
        }
        Infeasible::Together(_) => "leave out one of them",
        Infeasible::NoFiniteMakespan(_) => {
            "see what holds them back with `numasim evaluate`, or choose another --objective"
        }
    };
    let message = match infeasible {
        Infeasible::Together(_) | Infeasible::NoFiniteMakespan(_) => infeasible.to_string(),
        _ => format!("no allocation is possible: {infeasible}"),
    };
    Failure::input(message).hint(hint)
}

pub(super) fn without_answer(error: ExploreError, problem: &Problem) -> Failure {
    match error {
        ExploreError::Infeasible(infeasible) => to_failure(&infeasible),
        ExploreError::Fault(forbidden) => Refusal::from(&forbidden).into(),
        ExploreError::NothingFound => {
            let restrictions = problem.restrictions().describe(problem.apps()).join(", ");
            Failure::input(error.to_string())
                .hint(format!("give it more time, or relax one of: {restrictions}"))
        }
    }
}

/// The part of the time limit that is kept for `--sensitivity`.
const PART_OF_SENSITIVITY: u32 = 4;
/// Figures of all alternatives together: there are more than one on 1024 nodes, unless applications are spread over them.
const MOST_FIGURES_OF_ALTERNATIVES: u64 = 1_000_000;

fn tell_warnings(answer: &Answer, shell: &Shell) {
    let best = warning::facts(&answer.best.evaluation.warnings);
    let best = best.into_iter().map(|facts| format!("the best allocation: {facts}"));
    // With their figures in JSON; here they would hide what is said of the best.
    let baselines = answer.baselines.iter().filter_map(|(rated, _)| {
        let summary = warning::summary(&rated.evaluation.warnings)?;
        Some(format!("baseline '{}': {summary}", rated.name))
    });
    for (i, warned) in best.chain(baselines).enumerate() {
        let rule = if i == 0 { format!(" {}", warning::RULE) } else { String::new() };
        shell.warn(format!("{warned}{rule}"));
    }
    tell_hopeless(answer.problem, shell);
}

/// Names the applications that get nothing in any allocation.
fn tell_hopeless(problem: &Problem, shell: &Shell) {
    for (app, alone) in problem.apps().iter().zip(problem.goal().alone()) {
        let objective = problem.goal().objective();
        if *alone == 0.0 && matches!(objective, Objective::Fair | Objective::Geomean) {
            shell.warn(format!(
                "'{}' gets 0 GFLOPS even alone with every core of the machine, so no allocation is better than \
                 another for the objective {}; total-gflops still distinguishes them",
                app.name,
                objective.name()
            ));
        }
    }
}
