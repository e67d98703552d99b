//! The graph that is simulated and what is asked of it: from files and switches to values.

use std::path::Path;

use numasim_ask::of_tasks;
use numasim_model::Study;
use numasim_model::graph::{GraphSource, TaskGraph};
use numasim_tasks::{Asked, Program, Settings};

use crate::args::TasksArgs;
use crate::commands::graph_folder;
use crate::failure::Failure;

/// The graph of the files or of a folder.
///
/// # Errors
/// Two graphs; a generator that makes none; what cannot be read.
pub(in crate::commands) fn graph(study: &Study, folder: Option<&Path>) -> Result<TaskGraph, Failure> {
    match (&study.tasks.source, folder) {
        (GraphSource::None, Some(folder)) => graph_folder::read(folder, &study.machine),
        (_, None) => Ok(of_tasks::graph(study)?),
        (_, Some(folder)) => Err(Failure::input(format!(
            "there are two graphs: that of --graph {} and that of the files",
            folder.display()
        ))
        .hint("leave out --graph, or give files without [[task]], [[block]], [program] and generator")),
    }
}

/// The graph of the files or of a folder, and its edges.
///
/// # Errors
/// Those of [`graph`]; no room for it, or too many edges.
pub(super) fn read(study: &Study, folder: Option<&Path>) -> Result<Program, Failure> {
    Ok(of_tasks::program(graph(study, folder)?)?)
}

/// Every scheduler, or every scenario, with every seed.
///
/// # Errors
/// Seeds beyond the last one; `--metg` of another graph than Task Bench.
pub(super) fn settings(args: &TasksArgs, study: &Study) -> Result<Vec<Settings>, Failure> {
    let asked = Asked {
        schedulers: args.scheduler.clone(),
        placement: args.placement,
        scenarios: args.scenario.clone(),
        steal: args.steal,
        seed: args.seed,
        runs: args.runs,
        metg: args.metg,
    };
    Ok(of_tasks::settings(&asked, study)?)
}
