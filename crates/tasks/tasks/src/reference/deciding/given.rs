//! `sa`, `dep`, `tracked`, `heft` and `rip-*`: each task is assigned to a node, whose workers take it from the queue of that node.

use numasim_graph::partition::{NS_PER_VERTEX_EDGE, WindowGraph};
use numasim_graph::values::{BlockHome, BlockId, SchedulerKind, TaskId, Ties, VertexWeight};
use numasim_graph::{Edge, Tracker, partition};
use numasim_model::NodeId;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::error::TasksError;
use crate::question::Question;
use crate::random::{Stream, generator};
use crate::reference::course::ReadyBy;
use crate::reference::course::master::Heard;
use crate::reference::deciding::queues::most_urgent;
use crate::reference::deciding::{Decides, nodes_of_workers};
use crate::schedulers::{Estimate, Round, Source, Start};
use crate::sockets::Sockets;

#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    question: &'a Question<'a>,
    /// Nodes with cores, ascending, and per worker its node.
    sockets: Vec<NodeId>,
    nodes: Vec<NodeId>,
    /// Ready tasks of each node, the oldest first.
    queues: Vec<Vec<TaskId>>,
    /// Per task: its assigned node.
    by_task: Vec<Option<NodeId>>,
    weights: Weights<'a>,
    /// For `rip-*`: the present window, and ready tasks without a node, the oldest first.
    windows: Option<Windows<'a>>,
    temporary: Vec<TaskId>,
    /// Error of a window without a partition.
    failed: Option<TasksError>,
    /// For `heft`: when tasks begin in its plan; no entries under others.
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
            for (given, (node, start_s)) in given.iter_mut().zip(plan(question)) {
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

    /// Takes the oldest task of the highest priority of a node; under `heft` the one that begins first in the plan, of equal ones the
    /// lowest.
    fn first(&mut self, node: NodeId) -> Option<TaskId> {
        let queue = &mut self.queues[node.0];
        let start_s = |task: TaskId| self.starts_s.get(task.0 as usize).copied();
        let is_planned = self.question.scheduler.kind == SchedulerKind::Heft;
        let mut first = if is_planned { 0 } else { most_urgent(self.question.graph, queue) };
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

// The plan of `heft`: every task gets the slot in which it ends first; tasks with the longest way to the end come before others.
//
// The master has created its first task after one `creation`, its second after two; a task that another one creates waits for the end of
// its creator, as for a parent without bytes.
//
// The estimated duration of a task is part of the question (`schedulers/heft/estimate`). This module determines again, using only slots,
// the order of the tasks, their times and their places.

/// Number of the latest gaps of a worker that are examined.
const GAPS: usize = 16;

/// A task waits for another one, from which it reads this number of bytes, or which creates it.
struct Wait {
    from: TaskId,
    to: TaskId,
    bytes: f64,
}

/// The slots of a worker, ascending, and the time from which its gaps count.
#[derive(Clone, Debug, Default)]
struct Slots {
    taken: Vec<(f64, f64)>,
    gaps_from_s: f64,
}

impl Slots {
    fn gaps(&self) -> Vec<(f64, f64)> {
        let before = [(0.0, 0.0)];
        let ends = before.iter().chain(&self.taken).map(|&(_, end_s)| end_s);
        let gaps = ends.zip(self.taken.iter().map(|&(start_s, _)| start_s));
        gaps.filter(|&(from_s, to_s)| from_s < to_s && from_s >= self.gaps_from_s).collect()
    }

    /// When a task that is ready then and takes this long can begin.
    fn start_s(&self, ready_s: f64, takes_s: f64) -> f64 {
        for (from_s, to_s) in self.gaps() {
            if from_s.max(ready_s) + takes_s <= to_s {
                return from_s.max(ready_s);
            }
        }
        self.taken.last().map_or(0.0, |&(_, end_s)| end_s).max(ready_s)
    }

    fn take(&mut self, start_s: f64, end_s: f64) {
        self.taken.push((start_s, end_s));
        self.taken.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let gaps = self.gaps();
        if gaps.len() > GAPS {
            self.gaps_from_s = gaps[1].0;
        }
    }
}

/// The node and the planned start of each task.
pub(super) fn plan(question: &Question) -> Vec<(NodeId, f64)> {
    let graph = question.graph;
    let sockets = Sockets::new(question.machine);
    let mut estimate = Estimate::new(question, &sockets);
    let mut tracker = Tracker::new(graph.blocks().len());
    let mut waits: Vec<Wait> = Vec::new();
    for to in graph.tasks() {
        waits.extend(tracker.add(graph, to).map(|Edge { from, bytes, .. }| Wait { from, to, bytes }));
        waits.extend(graph.created_by(to).map(|from| Wait { from, to, bytes: 0.0 }));
    }
    let per_byte_s = estimate.mean_seconds_per_byte();
    // The way to the end: the task's mean, and the longest way after it, with the cost of getting there. Children have higher numbers.
    let mut rank_s = vec![0.0; graph.task_count()];
    for task in graph.tasks().rev() {
        let behind = waits.iter().filter(|wait| wait.from == task);
        let ways = behind.map(|wait| rank_s[wait.to.0 as usize] + wait.bytes * per_byte_s);
        rank_s[task.0 as usize] = ways.fold(0.0, f64::max) + estimate.mean_seconds(task);
    }
    let mut left: Vec<TaskId> = graph.tasks().collect();
    let mut workers: Vec<(NodeId, Slots)> = Vec::new();
    for node in question.machine.compute_nodes() {
        workers.extend((0..question.machine.node(node).cores).map(|_| (node, Slots::default())));
    }
    let mut planned = vec![(NodeId(0), 0.0, 0.0); graph.task_count()];
    while !left.is_empty() {
        // The highest rank, of equal ones the lowest number.
        let mut next = 0;
        for place in 1..left.len() {
            if rank_s[left[place].0 as usize] > rank_s[left[next].0 as usize] {
                next = place;
            }
        }
        let task = left.remove(next);
        let masters = graph.tasks().filter(|&other| graph.created_by(other).is_none());
        let up_to_it = masters.filter(|&other| other <= task).count() as f64;
        let is_masters = graph.created_by(task).is_none();
        let created_s = if is_masters { question.runtime.creation.value() * up_to_it } else { 0.0 };
        let before = waits.iter().filter(|wait| wait.to == task);
        let ready_s = before.map(|wait| planned[wait.from.0 as usize].2).fold(created_s, f64::max);
        let mut best: Option<(usize, f64, f64)> = None;
        for (worker, (node, slots)) in workers.iter().enumerate() {
            let takes_s = estimate.seconds(task, *node);
            let start_s = slots.start_s(ready_s, takes_s);
            if best.is_none_or(|(_, _, end_s)| start_s + takes_s < end_s) {
                best = Some((worker, start_s, start_s + takes_s));
            }
        }
        if let Some((worker, start_s, end_s)) = best {
            let (node, slots) = &mut workers[worker];
            slots.take(start_s, end_s);
            planned[task.0 as usize] = (*node, start_s, end_s);
            estimate.touch(task, *node);
        }
    }
    planned.into_iter().map(|(node, start_s, _)| (node, start_s)).collect()
}

// The node with most bytes, for `dep`, `tracked` and `rip-*`.

#[derive(Clone, Debug)]
pub(super) struct Weights<'a> {
    question: &'a Question<'a>,
    /// Nodes with cores, ascending.
    sockets: Vec<NodeId>,
    /// Per block: the node of the table of `dep`.
    table: Vec<Option<NodeId>>,
    /// Number of tasks so far without information.
    turn: usize,
    ties: ChaCha8Rng,
}

impl<'a> Weights<'a> {
    pub(super) fn new(question: &'a Question<'a>, sockets: &[NodeId]) -> Self {
        let in_table = |home: BlockHome| match home {
            BlockHome::Node(node) => Some(node).filter(|node| sockets.contains(node)),
            BlockHome::Open | BlockHome::Interleaved => None,
        };
        Self {
            question,
            sockets: sockets.to_vec(),
            table: question.graph.blocks().iter().map(|block| in_table(block.home)).collect(),
            turn: 0,
            ties: generator(question.runtime.seed, Stream::Scheduler),
        }
    }

    /// Algorithm 2.1 of paper 001, in the form of section 11: the node with most declared bytes; in turn if more of them are not
    /// allocated, or there are none.
    pub(super) fn by_table(&mut self, task: TaskId) -> NodeId {
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

    /// The same with the homes of blocks.
    pub(super) fn by_homes(&mut self, task: TaskId, homes: &[BlockHome]) -> NodeId {
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

    /// Algorithm 2.3 of paper 001: the node whose tasks provide most bytes. `given`: the node of each task.
    pub(super) fn by_parents(&mut self, task: TaskId, windows: &Windows, given: &[Option<NodeId>]) -> NodeId {
        let mut weights = vec![0.0; self.question.machine.node_count()];
        for parent in self.question.graph.tasks().take(task.0 as usize) {
            if let Some(node) = given[parent.0 as usize] {
                weights[node.0] += windows.bytes_from(parent, task).0;
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
    pub(super) fn enter(&mut self, task: TaskId, node: NodeId) {
        for access in self.question.graph.accesses(task).filter(|access| access.mode.writes()) {
            self.table[access.block.0 as usize].get_or_insert(node);
        }
    }
}

// Windows of tasks that are partitioned, for `rip-dep`, `rip-sp` and `rip-mw`.

/// The present window.
#[derive(Clone, Debug)]
pub(super) struct Windows<'a> {
    question: &'a Question<'a>,
    /// Tasks of the window in creation order; the first ones stayed from the previous window.
    tasks: Vec<TaskId>,
    stayed: usize,
    /// Number of windows that were partitioned.
    done: u64,
}

impl<'a> Windows<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Result<Self, TasksError> {
        let settings = question.scheduler;
        if settings.kind == SchedulerKind::RipMw && settings.intersection >= settings.window {
            return Err(TasksError::Intersection {
                scheduler: settings.kind,
                intersection: settings.intersection,
                window: settings.window,
            });
        }
        Ok(Self { question, tasks: Vec::new(), stayed: 0, done: 0 })
    }

    /// Whether a task that is created now belongs to a window: for `rip-mw` all do, otherwise those before the first partition.
    pub(super) fn takes_tasks(&self) -> bool {
        self.done == 0 || self.question.scheduler.kind == SchedulerKind::RipMw
    }

    /// A task is created. Returns how long the window is partitioned if that makes it full.
    pub(super) fn add(&mut self, task: TaskId) -> Option<f64> {
        self.tasks.push(task);
        let settings = self.question.scheduler;
        let extra = if self.done == 0 { settings.initial_extra } else { 0 };
        let full = settings.window as usize + extra as usize;
        if self.tasks.len() >= full { self.close() } else { None }
    }

    /// The master creates nothing for now. Returns how long the window is partitioned, if it has a task that was in none before.
    pub(super) fn close(&self) -> Option<f64> {
        let each_ns = self.question.scheduler.partition_ns_per_vertex_edge.unwrap_or(NS_PER_VERTEX_EDGE);
        let size = self.tasks.len() + self.edges().len();
        (self.tasks.len() > self.stayed).then_some(size as f64 * each_ns * 1e-9)
    }

    /// Edges between tasks of the window, by index: the reader, the writer and the bytes.
    fn edges(&self) -> Vec<(u32, u32, f64)> {
        let mut edges = Vec::new();
        for (to, &reader) in (0..).zip(&self.tasks) {
            for (from, &writer) in (0..to).zip(&self.tasks) {
                let (new, old) = self.bytes_from(writer, reader);
                let bytes = new + if self.question.scheduler.old_dependencies { old } else { 0.0 };
                if bytes > 0.0 {
                    edges.push((from, to, bytes));
                }
            }
        }
        edges
    }

    /// The bytes that a task declares for the blocks it reads whose last writer is the other task, and for those whose second-last writer
    /// it is.
    pub(super) fn bytes_from(&self, writer: TaskId, reader: TaskId) -> (f64, f64) {
        let graph = self.question.graph;
        let mut bytes = (0.0, 0.0);
        for access in graph.accesses(reader).filter(|access| access.mode.reads()) {
            let earlier = graph.tasks().take(reader.0 as usize).rev();
            let writers: Vec<TaskId> = earlier.filter(|&task| self.writes(task, access.block)).collect();
            if writers.first() == Some(&writer) {
                bytes.0 += access.declared_bytes;
            } else if writers.get(1) == Some(&writer) {
                bytes.1 += access.declared_bytes;
            }
        }
        bytes
    }

    fn writes(&self, task: TaskId, block: BlockId) -> bool {
        self.question.graph.accesses(task).any(|access| access.block == block && access.mode.writes())
    }

    /// The window is partitioned: returns the nodes of its tasks that had none. `sockets`: the nodes with cores; `given`: those of tasks.
    pub(super) fn partition(
        &mut self,
        sockets: &[NodeId],
        given: &[Option<NodeId>],
    ) -> Result<Vec<(TaskId, NodeId)>, TasksError> {
        let question = self.question;
        let place = |node: NodeId| sockets.iter().position(|&socket| socket == node);
        let of_task = |task: &TaskId| given[task.0 as usize].and_then(place);
        let fixed: Vec<Option<u32>> = self.tasks[..self.stayed]
            .iter()
            .map(|task| of_task(task).and_then(|place| u32::try_from(place).ok()))
            .collect();
        let graph = match question.scheduler.vertex_weight {
            VertexWeight::One => WindowGraph::new(self.tasks.len(), &self.edges()),
            VertexWeight::Time => {
                let mut estimate = Estimate::new(question, &Sockets::new(question.machine));
                let seconds: Vec<f64> = self.tasks.iter().map(|&task| estimate.mean_seconds(task)).collect();
                WindowGraph::timed(&seconds, &self.edges())
            }
        };
        let window = partition::Window {
            graph: &graph,
            sockets: &partition::Sockets::of(question.machine),
            fixed: &fixed,
            ties: question.runtime.ties,
            seed: question.runtime.seed,
            number: self.done,
        };
        let parts =
            partition::partition(&window, question.scheduler.partitioner).map_err(TasksError::Partition)?;
        let new = self.tasks.iter().zip(parts).skip(self.stayed);
        let new = new.map(|(&task, part)| (task, sockets[part as usize])).collect();
        let stay = question.scheduler.intersection as usize;
        self.tasks.drain(..self.tasks.len().saturating_sub(stay));
        self.stayed = self.tasks.len();
        self.done += 1;
        Ok(new)
    }
}
