//! Decisions: each scheduler with its queues as plain lists.
//!
//! `fifo`, `random_steal`, `static_loops`, `arenas` and `nearest` are one scheduler each; `hints` contains `hint` and `plan`, and
//! `libraries` contains `tbb` and `tbb-numa`. `given` contains all that assign a node to each task: by `weights`, `windows` or a plan
//! (`planned`).

use numasim_graph::values::{BlockHome, SchedulerKind, TaskGraph, TaskId};
use numasim_model::{Machine, NodeId};

use crate::error::TasksError;
use crate::question::Question;
use crate::reference::course::ReadyBy;
use crate::reference::course::master::Heard;
use crate::schedulers::{Fallbacks, Round, Start};

mod given;
mod libraries;
mod queues;

/// The scheduler that a question asks for.
pub(super) fn make<'a>(question: &'a Question<'a>) -> Result<Box<dyn Decides + 'a>, TasksError> {
    use SchedulerKind as Kind;
    Ok(match question.scheduler.kind {
        Kind::Fifo => Box::new(queues::Fifo::new(question)),
        Kind::RandomSteal => Box::new(queues::OwnQueues::new(question)),
        Kind::Sa | Kind::Dep | Kind::Tracked | Kind::Heft | Kind::RipDep | Kind::RipSp | Kind::RipMw => {
            Box::new(given::Given::new(question)?)
        }
        Kind::Tbb | Kind::TbbNuma => Box::new(libraries::Library::new(question)),
        Kind::Hint | Kind::Plan => Box::new(queues::Hints::new(question)?),
        Kind::ArenaPerNode => Box::new(queues::Arenas::new(question)),
        Kind::TaskloopAffinity => Box::new(queues::Nearest::new(question)),
        Kind::Static => Box::new(queues::StaticLoops::new(question)),
    })
}

// The interface of all schedulers of the slow simulation: they receive events, and return tasks.

/// A scheduler.
pub(super) trait Decides {
    /// Whether it learns which worker hands over which tasks. Then [`Decides::ready`] is called only for tasks of the master that are
    /// ready when they are created.
    fn hands_over(&self) -> bool {
        false
    }

    /// Receives an event. Returns how long the master partitions because of it.
    fn hear(&mut self, heard: &Heard) -> Option<f64>;

    /// A task is ready. `homes`: the present homes of blocks.
    fn ready(&mut self, task: TaskId, by: ReadyBy, homes: &[BlockHome]);

    /// Whether a task is in a queue; workers without a task then do not take from that queue.
    fn has_queued(&self) -> bool;

    /// The task that an idle worker takes in a round.
    fn take(&mut self, round: Round, worker: usize) -> Option<Start>;

    /// The node assigned to a task.
    fn socket(&self, task: TaskId) -> Option<NodeId> {
        let _ = task;
        None
    }

    /// Whether it assigns a node to every task.
    fn gives_sockets(&self) -> bool {
        false
    }

    /// Workers of each program and node in a phase of contenders.
    fn dealt(&self) -> Option<Vec<Vec<u32>>> {
        None
    }

    /// Whether a worker is dealt to the program.
    fn is_dealt(&self, worker: usize) -> bool {
        let _ = worker;
        true
    }

    /// Number of decisions without a plan, if it follows one.
    fn fallbacks(&self) -> Option<Fallbacks> {
        None
    }

    /// The error, if it cannot continue.
    fn failed(&self) -> Option<TasksError> {
        None
    }
}

/// Per worker: its node.
pub(super) fn nodes_of_workers(machine: &Machine) -> Vec<NodeId> {
    let of = |node: NodeId| vec![node; machine.node(node).cores as usize];
    machine.compute_nodes().flat_map(of).collect()
}

/// The worker that hands over a task that becomes ready through the end of another one on `worker`: worker 0 for the master.
pub(super) fn who_hands_over(graph: &TaskGraph, task: TaskId, worker: usize) -> usize {
    if graph.created_by(task).is_some() { worker } else { 0 }
}
