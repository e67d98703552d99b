//! `numasim explore`: the best allocation of threads to NUMA nodes.

use std::path::PathBuf;
use std::sync::Arc;

use numasim_ask::evaluate::MOST_FIGURES;
use numasim_ask::explore::static_work_warning;
use numasim_ask::sensitivity::Row;
use numasim_ask::{Explore, Explored, Input, Pareto, table, tables};
use numasim_sim::Restrictions;
use numasim_sim::search::WITHIN;
use numasim_sim::search::over_models::Models;

use crate::args::{ExploreArgs, ObjectivePair};
use crate::emit::{self, processors};
use crate::failure::Failure;
use crate::output::Destination;
use crate::plot_file::{PlotFile, can_be_mapped};
use crate::shell::Shell;
use crate::view::answer::Answer;
use crate::view::answer::sensitivity::SensitivityView;
use crate::view::{self, Style, front, plots};
use crate::watch::{Parts, Watch};
use crate::{files, sharing, threads};

/// Runs the command.
pub(crate) fn run(args: &ExploreArgs, shell: &Shell) -> Result<(), Failure> {
    match (args.pareto, args.machine.as_slice()) {
        (_, [_, _, ..]) => return machines(args, shell),
        (Some(pair), _) => return pareto(args, pair, shell),
        _ => {}
    }
    let mut input = read(args, args.machine.first(), shell)?;
    let study = Arc::make_mut(&mut input.study);
    study.machine = processors::complete(study.machine.clone(), &args.emit)?;
    let what = "its figures here are so, while the search takes work that is shared by speed";
    shell.warn_all(static_work_warning(&input.study, what).as_slice());
    let place = emit::Place::open(&args.emit, &args.output)?;
    let saved = Destination::beside(args.save.as_deref())?;
    let picture = PlotFile::beside(args.plot.as_deref())?;
    if picture.is_some() {
        can_be_mapped(&input.study.machine)?;
    }
    let is_script = args.emit.emit.is_some();
    let question = Explore {
        objective: args.objective,
        restrictions: restrictions(args),
        // A script cannot contain alternatives.
        top: if is_script { 0 } else { usize::from(args.top) },
        seed: args.seed,
        models: args.models.as_ref(),
        simple: args.simple.then_some(args.within.unwrap_or(WITHIN)),
        fewest: args.fewest_threads.then_some(args.within.unwrap_or(0.0)),
        sensitivity: args.sensitivity && !is_script,
        intervals: !is_script,
        most_figures: Some(MOST_FIGURES),
        ..Explore::new(&input)
    };
    let watch = Watch::start(args.time_limit, question.objective, shell);
    let found = searched(&question, args.placing.workers(), &watch)?;
    shell.warn_all(&found.warnings);
    shell.warn_all(&found.notes());
    let answer = Answer::of(&found);
    if let Some(saved) = saved {
        saved.deliver(&answer.saved())?;
    }
    if let Some(picture) = picture {
        picture.deliver(&plots::thread_map(&answer.drawn_view()).svg())?;
    }
    if let Some(kind) = args.emit.emit {
        return place.deliver(kind, &answer.best_view(), &answer.facts(), &input.located, shell);
    }
    let sensitivity = SensitivityView::of(&answer);
    let table = |style: &Style| answer.table(style, sensitivity.as_ref().map(|view| view.table(style)));
    let rows = || match &found.sensitivity {
        None => tables::explored(&found),
        Some(sensitivity) => table::csv(&Row::columns(&found.problem), Row::all(sensitivity)),
    };
    shell.answer(place.destination(), args.output.format, table, &found, rows)
}

/// The answer, found by this many worker threads.
pub(super) fn searched(
    question: &Explore<'_>,
    workers: Option<u16>,
    watch: &Watch,
) -> Result<Explored, Failure> {
    Ok(in_pool(workers, || numasim_ask::explore(question, watch))??)
}

fn restrictions(args: &ExploreArgs) -> Restrictions {
    Restrictions {
        same_on_every_node: args.same_on_every_node,
        whole_nodes: args.whole_nodes,
        min_threads_per_node: args.min_threads_per_node.unwrap_or(0),
        no_idle_cores: args.no_idle_cores,
        whole_l3: args.whole_l3,
    }
}

/// The files, preceded by the machine of another file.
fn read(args: &ExploreArgs, machine: Option<&PathBuf>, shell: &Shell) -> Result<Input, Failure> {
    let files: Vec<PathBuf> = machine.into_iter().chain(&args.study.toml.files).cloned().collect();
    let input = files::read_input(&files)?;
    let chosen = Models::first(args.study.sharing.model, args.models.as_ref());
    Ok(sharing::choose_for(input, chosen, shell)?.placed(&args.placing.asked())?)
}

/// Runs the search with this many worker threads.
fn in_pool<T: Send>(threads: Option<u16>, search: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    match threads {
        None => threads::start(None).map(|()| search()),
        Some(threads) => Ok(threads::pool(usize::from(threads))?.install(search)),
    }
}

// `numasim explore --pareto FIRST,SECOND`: the cost of one objective in terms of the other.

/// Runs the command.
fn pareto(args: &ExploreArgs, pair: ObjectivePair, shell: &Shell) -> Result<(), Failure> {
    let input = read(args, args.machine.first(), shell)?;
    let what = "its figures here are those of work shared by speed, as in the search";
    shell.warn_all(static_work_warning(&input.study, what).as_slice());
    let destination = args.output.open()?;
    let picture = PlotFile::beside(args.plot.as_deref())?;
    let question = Pareto {
        objectives: pair.0,
        restrictions: restrictions(args),
        seed: args.seed,
        most_figures: Some(MOST_FIGURES),
        ..Pareto::new(&input)
    };
    let start = Watch::start(args.time_limit, question.objectives[0], shell);
    let parts = Parts::new(start, question.objectives);
    let searched = || numasim_ask::pareto(&question, &parts.watch, &parts);
    let found = in_pool(args.placing.workers(), searched)??;
    shell.warn_all(&found.notes());
    if let Some(picture) = picture {
        picture.deliver(&found.plot().svg())?;
    }
    let rows = || table::csv(&found.columns(), found.rows());
    shell.answer(&destination, args.output.format, |style| front::table(&found, style), &found, rows)
}

// `numasim explore --machine A --machine B`: the best on each machine.

/// Runs the command.
fn machines(args: &ExploreArgs, shell: &Shell) -> Result<(), Failure> {
    let one_only = [
        ("--pareto", args.pareto.is_some()),
        ("--models", args.models.is_some()),
        ("--simple", args.simple),
        ("--fewest-threads", args.fewest_threads),
        ("--sensitivity", args.sensitivity),
        ("--save", args.save.is_some()),
        ("--plot", args.plot.is_some()),
        ("--emit", args.emit.emit.is_some()),
    ];
    if let Some((switch, _)) = one_only.into_iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!(
            "{switch} is about one machine, and --machine names {}",
            args.machine.len()
        ))
        .hint("give --machine once"));
    }
    let destination = args.output.open()?;
    let inputs: Vec<Input> =
        args.machine.iter().map(|machine| read(args, Some(machine), shell)).collect::<Result<_, _>>()?;
    let question = |input| Explore {
        objective: args.objective,
        restrictions: restrictions(args),
        top: 0,
        seed: args.seed,
        intervals: false,
        doubt: false,
        most_figures: Some(MOST_FIGURES),
        ..Explore::new(input)
    };
    let questions: Vec<Explore<'_>> = inputs.iter().map(question).collect();
    let watch = Watch::start(args.time_limit, args.objective, shell);
    let found = in_pool(args.placing.workers(), || numasim_ask::machines(&questions, &watch))??;
    let rows = || table::csv(&found.csv_columns(), found.rows());
    shell.answer(&destination, args.output.format, |style| view::machines::table(&found, style), &found, rows)
}
