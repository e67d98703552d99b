//! Runs of a graph: one task after the other, and under a scheduler; the graph with the durations of a serial run.

use std::thread;

use numasim_graph::values::TaskGraph;
use numasim_host::memory::Pages;
use numasim_kernels::{Code, Store, Workspace};
use numasim_model::{Machine, NodeId};
use numasim_tasks::{Question, TaskRecord};

use super::ExecuteError;
use super::director::{Clock, Director, Protocol};
use super::workers::{Workers, bind};

/// A serial run.
#[derive(Debug)]
pub struct Serial {
    /// From the first task to the end of the last one, in seconds.
    pub seconds: f64,
    /// Per kind of task: mean seconds of a task, and how many there are.
    pub kinds: Vec<(f64, u32)>,
    /// What the tasks left.
    pub store: Store,
}

/// Runs all tasks on the processor `cpu`, in a thread of its own.
///
/// # Errors
/// [`ExecuteError::Affinity`], [`ExecuteError::Fault`], [`ExecuteError::Thread`].
pub fn serial(graph: &TaskGraph, code: &dyn Code, cpu: u32) -> Result<Serial, ExecuteError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("serial".to_owned());
        let running = thread.spawn_scoped(scope, || {
            bind(cpu)?;
            run(graph, code)
        })?;
        running.join().map_err(|_| ExecuteError::Lost)?
    })
}

fn run(graph: &TaskGraph, code: &dyn Code) -> Result<Serial, ExecuteError> {
    let (store, mut work) = (Store::new(graph), Workspace::new());
    let mut kinds = vec![(0.0, 0); graph.types().len()];
    let clock = Clock::start();
    let mut begin_s = clock.now_s();
    for task in graph.tasks() {
        store.run(graph, code, task, &mut work)?;
        let end_s = clock.now_s();
        if let Some((seconds, count)) = kinds.get_mut(graph.kind(task).0 as usize) {
            *seconds += end_s - begin_s;
            *count += 1;
        }
        begin_s = end_s;
    }
    for (seconds, count) in &mut kinds {
        *seconds /= f64::from((*count).max(1));
    }
    Ok(Serial { seconds: begin_s, kinds, store })
}

/// `graph` with work that a core of `machine` does in the mean time that a task of its kind took in a serial run: tasks that compute or wait for memory longer
/// than their FLOP say have more work, first tasks (`init`) have some at all. What tasks move stays, so that those that run together still share bandwidth.
///
/// With nodes of different cores it is the first one's time: nothing else was measured.
pub fn calibrated(graph: &TaskGraph, machine: &Machine, serial: &Serial) -> TaskGraph {
    let peak = machine.compute_nodes().next().map_or(0.0, |node| machine.node(node).gflops_per_core.value());
    let kinds: Vec<_> = graph.tasks().map(|task| graph.kind(task).0 as usize).collect();
    graph.clone().with_work(|task| {
        let kind = kinds.get(task.0 as usize).and_then(|&kind| serial.kinds.get(kind));
        kind.map_or(0.0, |&(seconds, _)| seconds * peak)
    })
}

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

/// The whole pages of the blocks: by node of the machine whose worker made the block, on which nodes of the operating system they are.
/// By first touch they are on the node of that worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPages(pub Vec<Pages>);

impl BlockPages {
    /// Asks for every block; `None` where the system does not tell.
    pub(crate) fn of(store: &Store, records: &[TaskRecord], nodes: usize) -> Option<Self> {
        let mut made_on: Vec<Option<NodeId>> = Vec::new();
        for record in records {
            let task = record.task.0 as usize;
            if made_on.len() <= task {
                made_on.resize(task + 1, None);
            }
            if let Some(node) = made_on.get_mut(task) {
                *node = Some(record.node);
            }
        }
        let mut all = vec![Pages::default(); nodes];
        for (task, addresses) in store.made() {
            let node = made_on.get(task.0 as usize).copied().flatten();
            let Some(of_node) = node.and_then(|node| all.get_mut(node.0)) else { continue };
            of_node.add(&Pages::of(&addresses)?);
        }
        Some(Self(all))
    }
}
