//! `sa`, `dep`, `tracked`, `heft` and `rip-*`: each task is given a node, whose workers take it from the queue of that node.

use numasim_graph::values::{BlockHome, SchedulerKind, TaskId};
use numasim_model::NodeId;

use super::planned;
use super::weights::Weights;
use super::windows::Windows;
use crate::error::TasksError;
use crate::question::Question;
use crate::reference::course::{Heard, ReadyBy};
use crate::reference::decides::{Decides, nodes_of_workers};
use crate::schedulers::{Round, Source, Start};

#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    question: &'a Question<'a>,
    /// Nodes with cores, ascending, and per worker its node.
    sockets: Vec<NodeId>,
    nodes: Vec<NodeId>,
    /// Ready tasks of each node, the oldest first.
    queues: Vec<Vec<TaskId>>,
    /// Per task: the node that it was given.
    by_task: Vec<Option<NodeId>>,
    weights: Weights<'a>,
    /// Of `rip-*`: the window under way, and ready tasks without a node, the oldest first.
    windows: Option<Windows<'a>>,
    temporary: Vec<TaskId>,
    /// Why a window has no partition.
    failed: Option<TasksError>,
    /// Of `heft`: when tasks begin by its plan; no entries under others.
    starts_s: Vec<f64>,
}

impl<'a> Given<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Result<Self, TasksError> {
        let machine = question.machine;
        let graph = question.graph;
        let sockets: Vec<NodeId> = machine.compute_nodes().collect();
        let mut given = vec![None; graph.task_count()];
        if question.scheduler.kind == SchedulerKind::Sa {
            for task in graph.tasks() {
                let node = graph.socket(task).ok_or(TasksError::NoSocket(task))?;
                if !sockets.contains(&node) {
                    return Err(TasksError::NoCores { task, node });
                }
                given[task.0 as usize] = Some(node);
            }
        }
        let mut starts_s = Vec::new();
        if question.scheduler.kind == SchedulerKind::Heft {
            for (given, (node, start_s)) in given.iter_mut().zip(planned::plan(question)) {
                *given = Some(node);
                starts_s.push(start_s);
            }
        }
        Ok(Self {
            question,
            weights: Weights::new(question, &sockets),
            sockets,
            nodes: nodes_of_workers(machine),
            queues: vec![Vec::new(); machine.node_count()],
            by_task: given,
            windows: question.scheduler.kind.partitions().then(|| Windows::new(question)).transpose()?,
            temporary: Vec::new(),
            failed: None,
            starts_s,
        })
    }

    fn created(&mut self, task: TaskId) -> Option<f64> {
        if let Some(windows) = self.windows.as_mut().filter(|windows| windows.takes_tasks()) {
            return windows.add(task);
        }
        let node = match self.question.scheduler.kind {
            SchedulerKind::Dep | SchedulerKind::RipDep => self.weights.by_table(task),
            SchedulerKind::RipSp => self.weights.by_parents(task, self.windows.as_ref()?, &self.by_task),
            _ => return None,
        };
        self.by_task[task.0 as usize] = Some(node);
        self.weights.enter(task, node);
        None
    }

    fn partitioned(&mut self) {
        let Some(windows) = &mut self.windows else { return };
        let parts = windows.partition(&self.sockets, &self.by_task).unwrap_or_else(|error| {
            self.failed = Some(error);
            Vec::new()
        });
        for (task, node) in parts {
            self.by_task[task.0 as usize] = Some(node);
            self.weights.enter(task, node);
        }
        for task in std::mem::take(&mut self.temporary) {
            match self.by_task[task.0 as usize] {
                Some(node) => self.queues[node.0].push(task),
                None => self.temporary.push(task),
            }
        }
    }

    /// Takes the oldest task of a node; under `heft` the one that the plan begins first, of equal ones the lowest.
    fn first(&mut self, node: NodeId) -> Option<TaskId> {
        let queue = &mut self.queues[node.0];
        let start_s = |task: TaskId| self.starts_s.get(task.0 as usize).copied();
        let mut first = 0;
        for place in 1..queue.len() {
            let (one, other) = (queue[place], queue[first]);
            if start_s(one) < start_s(other)
                || (start_s(one).is_some_and(|s| start_s(other) == Some(s)) && one < other)
            {
                first = place;
            }
        }
        if queue.is_empty() { None } else { Some(queue.remove(first)) }
    }

    /// The first task of the nearest node that has one, by distance, then by number.
    fn steal(&mut self, thief: NodeId) -> Option<TaskId> {
        if !self.question.steal {
            return None;
        }
        let machine = self.question.machine;
        let mut nearest: Option<NodeId> = None;
        for &node in self.sockets.iter().filter(|node| !self.queues[node.0].is_empty()) {
            if nearest.is_none_or(|than| machine.distance(thief, node) < machine.distance(thief, than)) {
                nearest = Some(node);
            }
        }
        self.first(nearest?)
    }
}

impl Decides for Given<'_> {
    fn hear(&mut self, heard: &Heard) -> Option<f64> {
        match heard {
            Heard::Created(task) => return self.created(*task),
            Heard::Partitioned => self.partitioned(),
            Heard::Taskwait | Heard::Throttle | Heard::End => return self.windows.as_ref()?.close(),
            Heard::HandsOver { .. } | Heard::Shares(_) | Heard::Leaves(_) | Heard::Joins(_) => {}
        }
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, homes: &[BlockHome]) {
        if self.question.scheduler.kind == SchedulerKind::Tracked {
            self.by_task[task.0 as usize] = Some(self.weights.by_homes(task, homes));
        }
        match self.by_task[task.0 as usize] {
            Some(node) => self.queues[node.0].push(task),
            None => self.temporary.push(task),
        }
    }

    fn has_queued(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        let node = self.nodes[worker];
        match round {
            Round::Own => self.first(node).map(|task| Start::new(task, Source::Own)),
            Round::OtherNodes => None,
            Round::Steal => self.steal(node).map(|task| Start::new(task, Source::Steal)),
        }
    }

    fn socket(&self, task: TaskId) -> Option<NodeId> {
        self.by_task[task.0 as usize]
    }

    fn gives_sockets(&self) -> bool {
        true
    }

    fn failed(&self) -> Option<TasksError> {
        self.failed.clone()
    }
}
