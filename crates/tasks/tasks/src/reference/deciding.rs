//! Who decides: each scheduler with its queues as plain lists.
//!
//! `fifo`, `random_steal`, `static_loops`, `arenas` and `nearest` are one scheduler each, `hints` is `hint` and `plan`, `libraries` is `tbb` and
//! `tbb-numa`, and `given` all that give each task a node, by `weights`, `windows` or a plan (`planned`).

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

// What every scheduler of the slow simulation is: told what happens, and asked for tasks.

/// A scheduler.
pub(super) trait Decides {
    /// Whether it is told who hands which tasks over. Then it hears of [`Decides::ready`] only of tasks of the master that are ready as they
    /// are created.
    fn hands_over(&self) -> bool {
        false
    }

    /// What happens. For how long the master partitions because of that.
    fn hear(&mut self, heard: &Heard) -> Option<f64>;

    /// A task is ready. `homes`: where blocks lie now.
    fn ready(&mut self, task: TaskId, by: ReadyBy, homes: &[BlockHome]);

    /// Whether a task is in a queue; workers that have none then do not take from that queue.
    fn has_queued(&self) -> bool;

    /// What an idle worker takes in a round.
    fn take(&mut self, round: Round, worker: usize) -> Option<Start>;

    /// The node that a task was given.
    fn socket(&self, task: TaskId) -> Option<NodeId> {
        let _ = task;
        None
    }

    /// Whether it gives every task a node.
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

    /// What it did without a plan, where it follows one.
    fn fallbacks(&self) -> Option<Fallbacks> {
        None
    }

    /// Why it cannot go on.
    fn failed(&self) -> Option<TasksError> {
        None
    }
}

/// Per worker: its node.
pub(super) fn nodes_of_workers(machine: &Machine) -> Vec<NodeId> {
    let of = |node: NodeId| vec![node; machine.node(node).cores as usize];
    machine.compute_nodes().flat_map(of).collect()
}

/// Who hands over a task that the end of another one on `worker` makes ready: worker 0 for the master.
pub(super) fn who_hands_over(graph: &TaskGraph, task: TaskId, worker: usize) -> usize {
    if graph.created_by(task).is_some() { worker } else { 0 }
}
