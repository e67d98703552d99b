//! `taskloop-affinity`: OpenMP tasks with the clause `affinity`, as an experimental LLVM runtime does it (Klinkenberg and others, "Assessing
//! Task-to-Data Affinity in the LLVM OpenMP Runtime", IWOMP 2018). The runtime that is released reads the clause and does nothing with it
//! (`__kmpc_omp_reg_task_with_affinity`, LLVM review D80240); what `random-steal` does is near to that.
//!
//! When a task is ready the runtime asks where its data is: the block of which it declares the most, the first of equal ones. If that
//! lies on a node with cores, the task goes to the youngest end of the queue of a worker there: to the one that hands it over if it
//! is of that node, else to the node's workers in turn. Data that nobody has touched, that is interleaved or on a node without cores tells nothing:
//! the task goes to the queue of who hands it over. A worker takes the youngest task of its own queue, then steals the oldest of any
//! other worker, drawn among those that have any. OpenMP knows neither returned tasks nor shared queues, so `returns` and `submit` mean nothing.

use std::collections::VecDeque;

use numasim_graph::values::{Access, BlockHome, TaskId};

use super::draw::Draw;
use super::scheduler::{Partitioning, Scheduler, View};
use super::tree::{HandOver, MASTER, who_hands_over};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct TaskloopAffinity {
    /// Per worker: tasks, the youngest last.
    queues: Vec<VecDeque<TaskId>>,
    /// Per node: how many tasks others have sent there.
    turns: Vec<u32>,
    draw: Draw,
}

impl TaskloopAffinity {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        Self {
            queues: vec![VecDeque::new(); sockets.worker_count()],
            turns: vec![0; sockets.count()],
            draw: Draw::new(question.runtime),
        }
    }

    fn push(&mut self, view: &View<'_>, worker: WorkerId, task: TaskId) {
        let node = home(view, task).filter(|&node| node != view.sockets.of_worker(worker));
        let worker = node.map_or(worker, |node| self.in_turn(view.sockets, node));
        self.queues.get_mut(worker.0 as usize).into_iter().for_each(|queue| queue.push_back(task));
    }

    /// The next worker of a node.
    fn in_turn(&mut self, sockets: &Sockets, node: SocketId) -> WorkerId {
        let workers = sockets.workers(node);
        let Some(turn) = self.turns.get_mut(node.0 as usize) else { return MASTER };
        let place = turn.checked_rem(workers.end - workers.start).unwrap_or(0);
        *turn = place + 1;
        WorkerId(workers.start + place)
    }
}

/// Where the data of a task is.
fn home(view: &View<'_>, task: TaskId) -> Option<SocketId> {
    // The first of equal ones.
    let more = |a: Access, b: Access| if b.declared_bytes > a.declared_bytes { b } else { a };
    let largest = view.graph.accesses(task).reduce(more)?;
    match view.home(largest.block) {
        BlockHome::Node(node) => view.sockets.of_node(node),
        BlockHome::Open | BlockHome::Interleaved => None,
    }
}

impl Scheduler for TaskloopAffinity {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

    fn ready(&mut self, view: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        self.push(view, MASTER, task);
    }

    fn hands_over(&self) -> bool {
        true
    }

    fn hand_over(&mut self, view: &View<'_>, handed: &HandOver<'_>) {
        for &task in handed.children.iter().chain(handed.others) {
            self.push(view, who_hands_over(view.graph, task, handed.worker), task);
        }
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.queues.get_mut(worker.0 as usize)?.pop_back()
    }

    fn steal(&mut self, _: &View<'_>, thief: WorkerId) -> Option<TaskId> {
        let workers = u32::try_from(self.queues.len()).unwrap_or(u32::MAX);
        let after = (thief.0 + 1..workers).chain(0..thief.0);
        let has = |worker: &u32| self.queues.get(*worker as usize).is_some_and(|queue| !queue.is_empty());
        let filled = after.filter(has);
        let victim = filled.clone().nth(self.draw.of_equals(filled.count()))?;
        self.queues.get_mut(victim as usize)?.pop_front()
    }

    fn steals(&self) -> bool {
        true
    }

    fn socket(&self, _: TaskId) -> Option<SocketId> {
        None
    }

    fn gives_sockets(&self) -> bool {
        false
    }
}
