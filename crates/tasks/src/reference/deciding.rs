//! Who decides: every scheduler but those of tree programs, with queues as plain lists.

use numasim_model::NodeId;
use numasim_model::graph::{BlockHome, SchedulerKind, TaskId, Ties};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::course::{Heard, ReadyBy};
use super::libraries::Library;
use super::own_queues::OwnQueues;
use super::planned;
use super::windows::Windows;
use crate::error::TasksError;
use crate::question::Question;
use crate::random::{Stream, generator};
use crate::schedulers::{Round, Source, Start};

/// A scheduler.
#[derive(Clone, Debug)]
pub(super) struct Decider<'a> {
    question: &'a Question<'a>,
    /// Nodes with cores, ascending.
    sockets: Vec<NodeId>,
    /// Ready tasks of `fifo`, the oldest first.
    queue: Vec<TaskId>,
    /// Per worker: the task that it runs next.
    successors: Vec<(usize, TaskId)>,
    /// Ready tasks of each node, the oldest first.
    queues: Vec<Vec<TaskId>>,
    /// Per task: the node that it was given.
    given: Vec<Option<NodeId>>,
    /// Per block: the node of the table of `dep`.
    table: Vec<Option<NodeId>>,
    /// How many tasks of which nothing is known there were.
    turn: usize,
    ties: ChaCha8Rng,
    /// Of `rip-*`: the window under way, and ready tasks without a node, the oldest first.
    windows: Option<Windows<'a>>,
    temporary: Vec<TaskId>,
    /// Why a window has no partition.
    pub(super) failed: Option<TasksError>,
    /// Of `random-steal`.
    own_queues: OwnQueues,
    /// Of `heft`: when tasks begin by its plan; no entries under others.
    starts_s: Vec<f64>,
    /// Of `tbb`, `tbb-numa` and `hint`: everything.
    library: Option<Library<'a>>,
}

impl<'a> Decider<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Result<Self, TasksError> {
        let machine = question.machine;
        let graph = question.graph;
        let sockets: Vec<NodeId> = machine.compute_nodes().collect();
        let mut given = vec![None; graph.task_count()];
        if let kind @ (SchedulerKind::Plan
        | SchedulerKind::ArenaPerNode
        | SchedulerKind::TaskloopAffinity
        | SchedulerKind::Static) = question.scheduler.kind
        {
            return Err(TasksError::NotYet(kind));
        }
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
        let workers: u32 = machine.nodes().iter().map(|node| node.cores).sum();
        let in_table = |home: BlockHome| match home {
            BlockHome::Node(node) => Some(node).filter(|node| sockets.contains(node)),
            BlockHome::Open | BlockHome::Interleaved => None,
        };
        let table = graph.blocks().iter().map(|block| in_table(block.home)).collect();
        Ok(Self {
            question,
            sockets,
            queue: Vec::new(),
            successors: Vec::new(),
            queues: vec![Vec::new(); machine.node_count()],
            given,
            table,
            turn: 0,
            ties: generator(question.runtime.seed, Stream::Scheduler),
            windows: question.scheduler.kind.partitions().then(|| Windows::new(question)).transpose()?,
            temporary: Vec::new(),
            failed: None,
            own_queues: OwnQueues::new(workers as usize),
            starts_s,
            library: Library::new(question),
        })
    }

    fn is_fifo(&self) -> bool {
        self.question.scheduler.kind == SchedulerKind::Fifo
    }

    /// The node that a task was given.
    pub(super) fn socket(&self, task: TaskId) -> Option<NodeId> {
        self.given[task.0 as usize]
    }

    pub(super) fn gives_sockets(&self) -> bool {
        !self.is_fifo() && !self.is_random_steal() && self.library.is_none()
    }

    fn is_random_steal(&self) -> bool {
        self.question.scheduler.kind == SchedulerKind::RandomSteal
    }

    /// Whether it is told who hands which tasks over.
    pub(super) fn hands_over(&self) -> bool {
        self.library.is_some()
    }

    /// Workers of each program and node in a phase of contenders.
    pub(super) fn dealt(&self) -> Option<Vec<Vec<u32>>> {
        self.library.as_ref()?.dealt.clone()
    }

    /// Whether a worker is dealt to the program.
    pub(super) fn is_dealt(&self, worker: usize) -> bool {
        self.library.as_ref().is_none_or(|library| library.is_dealt(worker))
    }

    /// What the master says. For how long it partitions because of that.
    pub(super) fn hear(&mut self, heard: &Heard) -> Option<f64> {
        if let Some(library) = &mut self.library {
            library.hear(heard);
            return None;
        }
        match heard {
            Heard::Created(task) => return self.created(*task),
            Heard::Partitioned => self.partitioned(),
            Heard::Taskwait | Heard::Throttle | Heard::End => return self.windows.as_ref()?.close(),
            Heard::HandsOver { .. } | Heard::Shares(_) | Heard::Leaves(_) | Heard::Joins(_) => {}
        }
        None
    }

    fn created(&mut self, task: TaskId) -> Option<f64> {
        if let Some(windows) = self.windows.as_mut().filter(|windows| windows.takes_tasks()) {
            return windows.add(task);
        }
        let node = match self.question.scheduler.kind {
            SchedulerKind::Dep | SchedulerKind::RipDep => self.by_table(task),
            SchedulerKind::RipSp => self.by_parents(task),
            _ => return None,
        };
        self.given[task.0 as usize] = Some(node);
        self.enter(task, node);
        None
    }

    fn partitioned(&mut self) {
        let Some(windows) = &mut self.windows else { return };
        let parts = windows.partition(&self.sockets, &self.given).unwrap_or_else(|error| {
            self.failed = Some(error);
            Vec::new()
        });
        for (task, node) in parts {
            self.given[task.0 as usize] = Some(node);
            self.enter(task, node);
        }
        for task in std::mem::take(&mut self.temporary) {
            match self.given[task.0 as usize] {
                Some(node) => self.queues[node.0].push(task),
                None => self.temporary.push(task),
            }
        }
    }

    /// A task is ready. `homes`: where blocks lie now.
    pub(super) fn ready(&mut self, task: TaskId, by: ReadyBy, homes: &[BlockHome]) {
        if let Some(library) = &mut self.library {
            return library.master(task);
        }
        let by = if let ReadyBy::Parent(worker) = by { Some(worker) } else { None };
        match self.question.scheduler.kind {
            SchedulerKind::RandomSteal => return self.own_queues.put(task, by),
            SchedulerKind::Tracked => self.given[task.0 as usize] = Some(self.by_homes(task, homes)),
            _ => {}
        }
        if let Some(node) = self.given[task.0 as usize] {
            self.queues[node.0].push(task);
            return;
        }
        if !self.is_fifo() {
            self.temporary.push(task);
            return;
        }
        let is_on = self.question.scheduler.immediate_successor;
        let free = by.filter(|worker| self.successors.iter().all(|(other, _)| other != worker));
        match free.filter(|_| is_on) {
            Some(worker) => self.successors.push((worker, task)),
            None => self.queue.push(task),
        }
    }

    /// Whether a task is in a queue; workers that have none then do not take from that queue.
    pub(super) fn is_somewhere_else(&self) -> bool {
        if let Some(library) = &self.library {
            return library.has_queued();
        }
        !self.queue.is_empty()
            || !self.own_queues.are_empty()
            || self.queues.iter().any(|queue| !queue.is_empty())
    }

    /// What an idle worker takes in a round.
    pub(super) fn take(&mut self, round: Round, worker: usize, node: NodeId) -> Option<Start> {
        if let Some(library) = &mut self.library {
            return library.take(round, worker);
        }
        match round {
            Round::Own => self.own(worker, node).map(|task| Start::new(task, Source::Own)),
            Round::OtherNodes => None,
            Round::Steal => self.steal(node).map(|task| Start::new(task, Source::Steal)),
        }
    }

    /// The first task of a worker's own queue.
    fn own(&mut self, worker: usize, node: NodeId) -> Option<TaskId> {
        if let Some(place) = self.successors.iter().position(|&(other, _)| other == worker) {
            return Some(self.successors.remove(place).1);
        }
        if self.is_random_steal() {
            return self.own_queues.newest(worker);
        }
        if self.is_fifo() {
            return if self.queue.is_empty() { None } else { Some(self.queue.remove(0)) };
        }
        self.first(node)
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
        if self.is_random_steal() {
            return self.own_queues.stolen(&mut self.ties);
        }
        if !self.question.steal || self.is_fifo() {
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

    /// Algorithm 2.1 of paper 001, as section 11 has it: the node that most declared bytes speak for; turn by turn where more of them are
    /// not allocated, or none speak.
    fn by_table(&mut self, task: TaskId) -> NodeId {
        let mut weights = vec![0.0; self.question.machine.node_count()];
        let mut not_allocated = 0.0;
        for access in self.question.graph.accesses(task) {
            match self.table[access.block.0 as usize] {
                Some(node) => weights[node.0] += access.declared_bytes,
                None => not_allocated += access.declared_bytes,
            }
        }
        self.heaviest(&weights, not_allocated)
    }

    /// The same with the nodes where blocks lie.
    fn by_homes(&mut self, task: TaskId, homes: &[BlockHome]) -> NodeId {
        let mut weights = vec![0.0; self.question.machine.node_count()];
        let mut not_allocated = 0.0;
        for access in self.question.graph.accesses(task) {
            match homes[access.block.0 as usize] {
                BlockHome::Node(node) if self.sockets.contains(&node) => {
                    weights[node.0] += access.declared_bytes;
                }
                _ => not_allocated += access.declared_bytes,
            }
        }
        self.heaviest(&weights, not_allocated)
    }

    /// Algorithm 2.3 of paper 001: the node from whose tasks most bytes come.
    fn by_parents(&mut self, task: TaskId) -> NodeId {
        let mut weights = vec![0.0; self.question.machine.node_count()];
        for parent in self.question.graph.tasks().take(task.0 as usize) {
            let bytes = self.windows.as_ref().map_or(0.0, |windows| windows.bytes_from(parent, task).0);
            if let Some(node) = self.given[parent.0 as usize] {
                weights[node.0] += bytes;
            }
        }
        self.heaviest(&weights, 0.0)
    }

    fn heaviest(&mut self, weights: &[f64], not_allocated: f64) -> NodeId {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 || not_allocated > largest {
            return self.in_turn();
        }
        let equal: Vec<NodeId> =
            self.sockets.iter().copied().filter(|node| weights[node.0] == largest).collect();
        let draws = equal.len() > 1 && self.question.runtime.ties == Ties::Random;
        equal[if draws { self.ties.random_range(0..equal.len()) } else { 0 }]
    }

    fn in_turn(&mut self) -> NodeId {
        let stride = (self.question.scheduler.stride as usize).max(1);
        let node = self.sockets[self.turn / stride % self.sockets.len()];
        self.turn += 1;
        node
    }

    /// Blocks that a task writes and that are not in the table get its node.
    fn enter(&mut self, task: TaskId, node: NodeId) {
        for access in self.question.graph.accesses(task).filter(|access| access.mode.writes()) {
            self.table[access.block.0 as usize].get_or_insert(node);
        }
    }
}
