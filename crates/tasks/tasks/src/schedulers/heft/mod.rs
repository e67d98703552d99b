//! `heft`, a reference that knows everything before it begins: heterogeneous earliest finish time (Topcuoglu, Hariri, Wu, "Performance-effective
//! and low-complexity task scheduling for heterogeneous computing", 2002).
//!
//! All tasks of the graph are ranked by the longest way to the end with mean costs (`rank`), then each in this order gets the slot in which it
//! ends first by estimate (`plan`, `estimate`): what it would take alone on the machine, with blocks where the plan touches them first. The
//! estimate knows no contention, caches, `taskwait` or throttle. At run time a worker takes of the ready tasks of its socket the one that the
//! plan begins first.
//!
//! When tasks are there by plan: the master creates its k-th task until k x `creation`. What a task creates is there when that one has ended, and
//! costs nothing more, as in the simulation: a creator is a parent that hands over no bytes, in the rank and in the plan.

mod estimate;
mod plan;
mod rank;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numasim_graph::values::TaskId;

pub(crate) use self::estimate::Estimate;
use super::given::Given;
use super::placed::{Placed, Said};
use super::queues::Queues;
use crate::error::TasksError;
use crate::question::Question;
use crate::sockets::{SocketId, Sockets};

/// The scheduler.
///
/// # Errors
/// [`TasksError::TooManyEdges`].
pub(super) fn heft(question: &Question<'_>, sockets: &Sockets) -> Result<Placed<Said, Turns>, TasksError> {
    let mut estimate = Estimate::new(question, sockets);
    let ranked = rank::rank(question.graph, &mut estimate)?;
    let plan = plan::plan(&ranked, question, sockets, &mut estimate);
    let mut given = Given::new();
    for (task, slot) in question.graph.tasks().zip(&plan) {
        given.set(task, slot.socket);
    }
    let mut order: Vec<TaskId> = question.graph.tasks().collect();
    let start = |task: &TaskId| plan.get(task.0 as usize).map_or(0.0, |slot| slot.start_s);
    // The sort is stable: of equal starts the lowest number comes first.
    order.sort_by(|a, b| start(a).total_cmp(&start(b)));
    let mut turns = vec![0; order.len()];
    for (turn, task) in (0..).zip(order) {
        turns[task.0 as usize] = turn;
    }
    let queues = vec![BinaryHeap::new(); sockets.count()];
    Ok(Placed::with(Said, given, Turns { turns, queues }, question))
}

/// Ready tasks in the order in which the plan begins them.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// Of each task its place among all.
    turns: Vec<u32>,
    /// Of each socket, by turn.
    queues: Vec<BinaryHeap<Reverse<(u32, TaskId)>>>,
}

impl Queues for Turns {
    fn push(&mut self, socket: SocketId, task: TaskId) {
        let turn = self.turns.get(task.0 as usize).copied().unwrap_or(u32::MAX);
        if let Some(queue) = self.queues.get_mut(socket.0 as usize) {
            queue.push(Reverse((turn, task)));
        }
    }

    fn pop(&mut self, socket: SocketId) -> Option<TaskId> {
        self.queues.get_mut(socket.0 as usize)?.pop().map(|Reverse((_, task))| task)
    }
}
