//! Why a graph of tasks cannot be simulated.

use numasim_graph::graph_of;
use numasim_model::graph::{GraphSource, TaskGraph, TaskId};
use numasim_model::{NodeId, Study};
use numasim_tasks::{Asked, JobError, NoSeeds, Program, ProgramError, Settings, TasksError, TooLarge, bench};

use crate::refusal::Refusal;

/// The graph of the files.
///
/// # Errors
/// A generator that makes none; a graph without tasks.
pub fn graph(study: &Study) -> Result<TaskGraph, Refusal> {
    let sockets: Vec<NodeId> = study.machine.compute_nodes().collect();
    let source = &study.tasks.source;
    let graph = graph_of(source, &sockets).map_err(|error| Refusal::said(error.to_string()))?;
    if graph.task_count() > 0 {
        return Ok(graph);
    }
    let (message, hint) = match source {
        GraphSource::None => (
            "there is no graph of tasks".to_owned(),
            "list each `[[task]]`, write `[program]` or `[graph] generator = \"...\"`, or name a folder with blocks.csv and tasks.csv",
        ),
        GraphSource::Given(_) => {
            ("there are no tasks: the graph is empty".to_owned(), "write a `[[task]]` for each task")
        }
        GraphSource::Generated { generator, .. } => (
            format!(
                "there are no tasks: the generator {} makes none with these parameters",
                generator.as_str()
            ),
            "give it more `iterations`, `repeat` or `queries`, or `init = true`",
        ),
        GraphSource::Program { .. } => (
            "there are no tasks: the loops of `[program]` make none".to_owned(),
            "write a `[[program.loop]]`, and a `repeat` of at least 1",
        ),
    };
    Err(Refusal::said(message).hint(hint))
}

/// A graph and its edges.
///
/// # Errors
/// No room for it, or too many edges.
pub fn program(graph: TaskGraph) -> Result<Program, Refusal> {
    Program::of(graph).map_err(|error| match error {
        ProgramError::TooLarge(error) => too_large(error),
        error @ ProgramError::TooManyEdges => Refusal::said(error.to_string()),
    })
}

/// There is no room for a graph and one simulation.
pub fn too_large(error: TooLarge) -> Refusal {
    Refusal::said(error.to_string()).hint("simulate fewer iterations, or coarser tasks")
}

/// Every scheduler, or every scenario, with every seed.
///
/// # Errors
/// Seeds beyond the last one; a granularity of tasks that cannot be made smaller.
pub fn settings(asked: &Asked, study: &Study) -> Result<Vec<Settings>, Refusal> {
    let no_seeds = |error: NoSeeds| Refusal::said(error.to_string()).hint("give a smaller --seed");
    let settings = asked.settings(study).map_err(no_seeds)?;
    if asked.metg.is_some() && bench(study).is_none() {
        return Err(Refusal::said("--metg is of Task Bench: the graph of these files is another one")
            .hint("give [graph] generator = \"task-bench\" with a pattern, width and steps"));
    }
    Ok(settings)
}

/// The scheduler `plan` has nothing to go by.
pub fn plan_needed() -> Refusal {
    Refusal::said("the scheduler plan needs a plan")
        .hint("give --plan PLAN, a folder that `numasim plan` has written")
}

/// Why a simulation has no result; `None` where somebody stopped it.
pub fn failed(study: &Study, program: &Program, error: &JobError) -> Option<Refusal> {
    let error = match error {
        JobError::Simulated(error) => error,
        error @ JobError::Generated(_) => return Some(Refusal::said(error.to_string())),
    };
    let name = |task: TaskId| match program.graph.task_name(task) {
        Some(name) => format!("task `{name}`"),
        None => format!("task {}", task.0),
    };
    Some(match *error {
        TasksError::Stopped => return None,
        TasksError::NoSocket(task) => {
            Refusal::said(format!("{} has no `socket`, which the scheduler sa needs", name(task)))
                .hint("give every task a `socket`, or take another --scheduler")
        }
        TasksError::NoCores { task, node } => {
            Refusal::said(format!("{} should run on {node}, which has no cores", name(task)))
                .hint("give it the `socket` of a node with cores, or take another --scheduler")
        }
        TasksError::Affinity { task, node } => {
            Refusal::said(format!("the `affinity` of {} is {node}, which has no cores", name(task)))
                .hint("give it the `affinity` of a node with cores, or none")
        }
        TasksError::Tree { scheduler, task } => Refusal::said(format!(
            "{} is created by a task, but the scheduler {} partitions what the master creates",
            name(task),
            scheduler.as_str()
        ))
        .hint("take another --scheduler: `fifo`, `sa`, `dep`, `tbb`, `tbb-numa`, `hint` run tree programs"),
        TasksError::NeverEnds(task) => {
            let model = study.machine.sharing().name();
            Refusal::said(format!(
                "{} never ends: nobody's data moves any more under the sharing model {model}",
                name(task)
            ))
            .hint(
                "each task that runs reads several memories, and one of them gives all it has to others, who wait in the same way: \
                 remote-first serves reads across links first, as far as they ask, and a node's own threads from what is left",
            )
            .hint("take another --model, such as baseline-proportional, which serves a node's own threads and links as equals")
        }
        ref error => Refusal::said(error.to_string()),
    })
}
