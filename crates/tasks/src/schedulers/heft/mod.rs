//! `heft`, a reference that knows everything before it begins: heterogeneous earliest finish time (Topcuoglu, Hariri, Wu, "Performance-effective
//! and low-complexity task scheduling for heterogeneous computing", 2002).
//!
//! All tasks of the graph are ranked by the longest way to the end with mean costs (`rank`), then each in this order gets the slot in which it
//! ends first by estimate (`plan`, `estimate`): what it would take alone on the machine, with blocks where the plan touches them first. The
//! estimate knows no contention, caches, `taskwait` or throttle. At run time a worker takes of the ready tasks of its socket the one that the
//! plan begins first.

mod estimate;
mod plan;
mod rank;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numasim_model::graph::TaskId;

use self::estimate::Estimate;
use super::given::Given;
use super::scheduler::{Partitioning, Scheduler, View};
use crate::error::TasksError;
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Heft {
    given: Given,
    /// Of each task its place among all in the order in which the plan begins them.
    turns: Vec<u32>,
    /// Ready tasks of each socket, by turn.
    queues: Vec<BinaryHeap<Reverse<(u32, TaskId)>>>,
    steals: bool,
}

impl Heft {
    /// # Errors
    /// [`TasksError::TooManyEdges`].
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Result<Self, TasksError> {
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
        Ok(Self { given, turns, queues: vec![BinaryHeap::new(); sockets.count()], steals: question.steal })
    }

    fn take(&mut self, socket: SocketId) -> Option<TaskId> {
        self.queues.get_mut(socket.0 as usize)?.pop().map(|Reverse((_, task))| task)
    }
}

impl Scheduler for Heft {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

    fn ready(&mut self, _: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        let turn = self.turns.get(task.0 as usize).copied().unwrap_or(u32::MAX);
        let socket = self.given.of(task).map_or(0, |socket| socket.0 as usize);
        if let Some(queue) = self.queues.get_mut(socket) {
            queue.push(Reverse((turn, task)));
        }
    }

    fn next(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.take(view.sockets.of_worker(worker))
    }

    fn steal(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        let thief = view.sockets.of_worker(worker);
        view.sockets.nearest(thief).iter().find_map(|&victim| self.take(victim))
    }

    fn steals(&self) -> bool {
        self.steals
    }

    fn socket(&self, task: TaskId) -> Option<SocketId> {
        self.given.of(task)
    }

    fn gives_sockets(&self) -> bool {
        true
    }
}
