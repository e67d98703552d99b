//! The graph that is simulated and what is asked of it: from files and switches to values.

use std::path::Path;

use numasim_ask::{Input, Tasks, tasks};
use numasim_graph::values::{GraphSource, TaskGraph};
use numasim_tasks::Asked;

use crate::args::TasksArgs;
use crate::commands::graph_folder;
use crate::failure::Failure;

/// The graph of the files or of a folder.
///
/// # Errors
/// Two graphs; a generator that makes none; what cannot be read.
pub(in crate::commands) fn graph(input: &Input, folder: Option<&Path>) -> Result<TaskGraph, Failure> {
    match (&input.tasks.source, folder) {
        (GraphSource::None, Some(folder)) => graph_folder::read(folder, &input.study.machine),
        (_, None) => Ok(tasks::graph(input)?),
        (_, Some(folder)) => Err(Failure::input(format!(
            "there are two graphs: that of --graph {} and that of the files",
            folder.display()
        ))
        .hint("leave out --graph, or give files without [[task]], [[block]], [program] and generator")),
    }
}

/// The graph of the files or of a folder, under every scheduler, or every scenario, with every seed.
///
/// # Errors
/// Those of [`graph`] and [`Tasks::of`].
pub(super) fn question(args: &TasksArgs, input: &Input, folder: Option<&Path>) -> Result<Tasks, Failure> {
    let asked = Asked {
        schedulers: args.scheduler.clone(),
        placement: args.placement,
        scenarios: args.scenario.clone(),
        steal: args.steal,
        seed: args.seed,
        runs: args.runs,
        metg: args.metg,
    };
    Ok(Tasks::of(input, graph(input, folder)?, &asked)?)
}
