//! All tasks of a graph under a scheduler.

use numasim_kernels::{Code, Store};
use numasim_tasks::{Question, TaskRecord};

use crate::director::Director;
use crate::error::ExecuteError;
use crate::pages::BlockPages;
use crate::state::Protocol;
use crate::workers::Workers;

/// What became of a graph.
#[derive(Debug)]
pub struct Execution {
    /// When and where each task ran, in seconds since the master began to create tasks, by end. A task begins when it is handed to its worker. Of traffic nothing is
    /// known.
    pub records: Vec<TaskRecord>,
    /// When the last task had ended, in seconds.
    pub makespan_s: f64,
    /// How long the master partitioned, in seconds.
    pub partition_s: f64,
    /// How often a worker was found to be kept from running by an order: if ever, the makespan is one of fewer workers.
    pub held: u64,
    /// What the tasks left.
    pub store: Store,
    /// Where its blocks are; `None` where the system does not tell.
    pub pages: Option<BlockPages>,
}

/// Runs the tasks of `question.graph` on workers of this host; this thread creates the tasks. Blocks are made by the threads that first access them, so that a run has
/// the placement `first-touch`.
///
/// Orders of the pool hold: a worker that is too many gets no tasks from the moment it parks, between two tasks, until it is wanted again. To the scheduler it is
/// one that is busy; what nobody else would ever take (the queue of its socket, its part of a loop) an idle worker of its socket runs in its place, and any idle one
/// where the whole socket is parked. With no worker at all the graph waits until an order raises them.
///
/// # Errors
/// Every variant of [`ExecuteError`].
///
/// # Panics
/// With the panic of a kernel, when no task runs any more.
pub fn execute(
    question: &Question<'_>,
    code: &dyn Code,
    workers: &Workers,
) -> Result<Execution, ExecuteError> {
    workers.check(question.machine)?;
    let store = Store::new(question.graph);
    let director = Director::new(question, code, &store, workers)?;
    workers.pool().dispatch(&director, || director.create_all());
    workers.pool().queued(0);
    let Protocol { records, partition_s, held } = director.finish()?;
    let makespan_s = records.iter().map(|record| record.end_s).fold(0.0, f64::max);
    let pages = BlockPages::of(&store, &records, question.machine.node_count());
    Ok(Execution { records, makespan_s, partition_s, held, store, pages })
}
