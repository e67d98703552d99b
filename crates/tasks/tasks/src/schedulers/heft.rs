//! `heft`, a reference with complete information in advance: heterogeneous earliest finish time (Topcuoglu, Hariri, Wu,
//! "Performance-effective and low-complexity task scheduling for heterogeneous computing", 2002).
//!
//! All tasks of the graph are ranked by the longest way to the end with mean costs (`rank`). Then each in this order gets the slot in
//! which it ends first by estimate (`plan`, `estimate`): its duration alone on the machine, with blocks on the nodes that touch them
//! first in the plan. The estimate ignores contention, caches, `taskwait` and throttle. At run time a worker takes the ready task of its
//! socket that begins first in the plan.
//!
//! In the plan the master creates its k-th task until k x `creation`. The children of a task exist when it has ended, and creating them
//! costs nothing more, as in the simulation: a creator is a parent that hands over no bytes, in the rank and in the plan.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numasim_graph::Tracker;
use numasim_graph::values::{BlockHome, TaskGraph, TaskId};
use numasim_model::NodeId;
use numasim_model::sharing::Network;

use crate::error::TasksError;
use crate::question::Question;
use crate::schedulers::placed::{Given, Placed, Queues, Said};
use crate::sockets::{Homes, SocketId, Sockets, interleave};

/// The scheduler.
///
/// # Errors
/// [`TasksError::TooManyEdges`].
pub(super) fn heft(question: &Question<'_>, sockets: &Sockets) -> Result<Placed<Said, Turns>, TasksError> {
    let mut estimate = Estimate::new(question, sockets);
    let ranked = rank(question.graph, &mut estimate)?;
    let plan = plan(&ranked, question, sockets, &mut estimate);
    let mut given = Given::default();
    for (task, slot) in question.graph.tasks().zip(&plan) {
        given.set(task, slot.socket);
    }
    let mut order: Vec<TaskId> = question.graph.tasks().collect();
    let start = |task: &TaskId| plan.get(task.0 as usize).map_or(0.0, |slot| slot.start_s);
    // The sort is stable: with equal starts the lowest number comes first.
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
    /// Place of each task in the order of all tasks.
    turns: Vec<u32>,
    /// The ready tasks of each socket, by turn.
    queues: Vec<BinaryHeap<Reverse<(u32, TaskId)>>>,
}

impl Queues for Turns {
    /// The plan ranks all tasks, regardless of their priorities.
    fn push(&mut self, socket: SocketId, task: TaskId, _: f64) {
        let turn = self.turns.get(task.0 as usize).copied().unwrap_or(u32::MAX);
        if let Some(queue) = self.queues.get_mut(socket.0 as usize) {
            queue.push(Reverse((turn, task)));
        }
    }

    fn pop(&mut self, socket: SocketId) -> Option<TaskId> {
        self.queues.get_mut(socket.0 as usize)?.pop().map(|Reverse((_, task))| task)
    }
}

// The order in which tasks are planned: by the longest way to the end, with mean costs of tasks and edges ("upward rank").

/// Tasks in the order in which they are planned, and the parents of each.
struct Ranked {
    order: Vec<TaskId>,
    /// Index of the first parent of each task; one more at the end.
    starts: Vec<usize>,
    parents: Vec<TaskId>,
}

impl Ranked {
    /// The tasks that `task` waits for; its creator is not among them.
    fn parents(&self, task: TaskId) -> &[TaskId] {
        let task = task.0 as usize;
        &self.parents[self.starts[task]..self.starts[task + 1]]
    }
}

/// Ranks all tasks.
///
/// # Errors
/// [`TasksError::TooManyEdges`].
fn rank(graph: &TaskGraph, estimate: &mut Estimate<'_>) -> Result<Ranked, TasksError> {
    let mut tracker = Tracker::new(graph.blocks().len());
    let mut starts = vec![0];
    let (mut parents, mut bytes) = (Vec::new(), Vec::new());
    for task in graph.tasks() {
        for edge in tracker.add(graph, task) {
            parents.push(edge.from);
            bytes.push(edge.bytes);
        }
        if u32::try_from(parents.len()).is_err() {
            return Err(TasksError::TooManyEdges);
        }
        starts.push(parents.len());
    }
    let per_byte = estimate.mean_seconds_per_byte();
    // Edges go from lower to higher numbers, and so do edges from creators to their children: all tasks after a task are ranked before
    // it.
    let mut rank_s = vec![0.0_f64; graph.task_count()];
    for task in graph.tasks().rev() {
        let number = task.0 as usize;
        let own = rank_s[number] + estimate.mean_seconds(task);
        rank_s[number] = own;
        // A child waits for its creator, from which it gets no bytes.
        if let Some(creator) = graph.created_by(task) {
            let behind = &mut rank_s[creator.0 as usize];
            *behind = behind.max(own);
        }
        for edge in starts[number]..starts[number + 1] {
            let behind = &mut rank_s[parents[edge].0 as usize];
            *behind = behind.max(own + bytes[edge] * per_byte);
        }
    }
    let mut order: Vec<TaskId> = graph.tasks().collect();
    // The sort is stable: with equal ranks the lowest number comes first, so that parents and creators come before their children.
    order.sort_by(|a, b| rank_s[b.0 as usize].total_cmp(&rank_s[a.0 as usize]));
    Ok(Ranked { order, starts, parents })
}

// Each task in order of rank gets the slot in which it ends first.

/// Number of gaps that are kept of each worker, the latest ones: the estimate is not precise enough for more.
const GAPS: usize = 16;

/// Place and time of a task in the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slot {
    socket: SocketId,
    start_s: f64,
    end_s: f64,
}

impl Slot {
    /// Slot of a task that is not planned yet.
    const NONE: Self = Self { socket: SocketId(0), start_s: 0.0, end_s: 0.0 };
}

/// A worker in the plan.
#[derive(Clone, Debug, Default)]
struct Worker {
    /// Times without a task before `busy_until_s`, ascending.
    gaps: Vec<(f64, f64)>,
    busy_until_s: f64,
}

/// Slots of tasks that are not planned yet: tasks of the master exist when the master has created them, one after the other without a
/// pause; children since 0, because they wait for their creators.
fn unplanned(graph: &TaskGraph, creation_s: f64) -> Vec<Slot> {
    let mut number = 0.0;
    let slots = graph.tasks().map(|task| {
        if graph.created_by(task).is_some() {
            return Slot::NONE;
        }
        number += 1.0;
        Slot { start_s: creation_s * number, ..Slot::NONE }
    });
    slots.collect()
}

/// The slot of each task, by number.
fn plan(
    ranked: &Ranked,
    question: &Question<'_>,
    sockets: &Sockets,
    estimate: &mut Estimate<'_>,
) -> Vec<Slot> {
    let graph = question.graph;
    let mut slots = unplanned(graph, question.runtime.creation.value());
    let mut workers: Vec<Vec<Worker>> =
        sockets.all().map(|socket| vec![Worker::default(); sockets.workers(socket).len()]).collect();
    for &task in &ranked.order {
        let created_s = slots[task.0 as usize].start_s;
        let creator = graph.created_by(task);
        let before = ranked.parents(task).iter().chain(&creator);
        let ready_s = before.map(|other| slots[other.0 as usize].end_s).fold(created_s, f64::max);
        let mut best: Option<(Slot, usize)> = None;
        for (socket, workers) in sockets.all().zip(&workers) {
            let duration_s = estimate.seconds(task, sockets.node(socket));
            for (place, worker) in workers.iter().enumerate() {
                let start_s = worker.earliest(ready_s, duration_s);
                let end_s = start_s + duration_s;
                if best.is_none_or(|(slot, _)| end_s < slot.end_s) {
                    best = Some((Slot { socket, start_s, end_s }, place));
                }
            }
        }
        let Some((slot, place)) = best else { continue };
        slots[task.0 as usize] = slot;
        workers[slot.socket.0 as usize][place].occupy(slot);
        estimate.touch(task, sockets.node(slot.socket));
    }
    slots
}

impl Worker {
    /// When a task that is ready at `ready_s` and takes `duration_s` can begin: in the first gap that is long enough, or after all tasks.
    fn earliest(&self, ready_s: f64, duration_s: f64) -> f64 {
        let gap = self.gaps.iter().find(|&&(from, to)| from.max(ready_s) + duration_s <= to);
        gap.map_or(self.busy_until_s, |&(from, _)| from).max(ready_s)
    }

    fn occupy(&mut self, slot: Slot) {
        if slot.start_s >= self.busy_until_s {
            if slot.start_s > self.busy_until_s {
                self.gaps.push((self.busy_until_s, slot.start_s));
            }
            self.busy_until_s = slot.end_s;
        } else if let Some(at) =
            self.gaps.iter().position(|&(from, to)| from <= slot.start_s && slot.end_s <= to)
        {
            let (from, to) = self.gaps.remove(at);
            let rest = [(from, slot.start_s), (slot.end_s, to)];
            for (place, gap) in (at..).zip(rest.into_iter().filter(|(from, to)| from < to)) {
                self.gaps.insert(place, gap);
            }
        }
        if self.gaps.len() > GAPS {
            self.gaps.remove(0);
        }
    }
}

// Duration of a task that has the machine to itself, without caches.

const BYTES_PER_GB: f64 = 1e9;

/// Estimates, and the homes of blocks in the plan.
pub(crate) struct Estimate<'a> {
    graph: &'a TaskGraph,
    network: Network,
    /// For each socket: its node, and its fraction of all cores.
    sockets: Vec<(NodeId, f64)>,
    homes: Homes,
    overhead_s: f64,
    /// Per memory: bytes of the current task, then the fraction of all its bytes.
    memories: Vec<f64>,
}

impl<'a> Estimate<'a> {
    pub(crate) fn new(question: &Question<'a>, sockets: &Sockets) -> Self {
        let workers = sockets.worker_count().max(1) as f64;
        let share = |socket| sockets.workers(socket).len() as f64 / workers;
        Self {
            graph: question.graph,
            network: Network::new(question.machine),
            sockets: sockets.all().map(|socket| (sockets.node(socket), share(socket))).collect(),
            homes: Homes::new(
                question.graph,
                question.machine,
                question.placement,
                sockets.node(SocketId(0)),
            ),
            overhead_s: question.runtime.task.value(),
            memories: vec![0.0; question.machine.node_count()],
        }
    }

    /// Seconds of `task` on a core of `node` with blocks at their homes in the plan; open ones are touched here.
    pub(crate) fn seconds(&mut self, task: TaskId, node: NodeId) -> f64 {
        self.memories.fill(0.0);
        for access in self.graph.accesses(task) {
            let home = match self.homes.of(access.block) {
                BlockHome::Open => self.network.machine().local_memory(node),
                BlockHome::Node(home) => home,
                BlockHome::Interleaved => {
                    interleave(self.network.machine(), access.moved_bytes, &mut self.memories);
                    continue;
                }
            };
            if let Some(memory) = self.memories.get_mut(home.0) {
                *memory += access.moved_bytes;
            }
        }
        self.overhead_s + self.working(self.graph.gflop(task), node)
    }

    /// The mean over all cores of the seconds of `task` with all its data local.
    pub(crate) fn mean_seconds(&mut self, task: TaskId) -> f64 {
        let bytes: f64 = self.graph.accesses(task).map(|access| access.moved_bytes).sum();
        let gflop = self.graph.gflop(task);
        let mut sum = 0.0;
        for place in 0..self.sockets.len() {
            let (node, share) = self.sockets[place];
            self.memories.fill(0.0);
            self.memories[self.network.machine().local_memory(node).0] = bytes;
            sum += share * self.working(gflop, node);
        }
        self.overhead_s + sum
    }

    /// The mean over all pairs of cores of the additional seconds that a byte takes from the memory of the other one.
    pub(crate) fn mean_seconds_per_byte(&mut self) -> f64 {
        let mut sum = 0.0;
        for reader in self.sockets.clone() {
            let own = self.per_byte(reader.0, reader.0);
            for &(memory, share) in &self.sockets.clone() {
                sum += reader.1 * share * (self.per_byte(reader.0, memory) - own).max(0.0);
            }
        }
        sum
    }

    /// The blocks of `task` get the home `node` in the plan, unless they have one.
    pub(crate) fn touch(&mut self, task: TaskId, node: NodeId) {
        for access in self.graph.accesses(task) {
            self.homes.touch(access.block, node);
        }
    }

    fn per_byte(&mut self, node: NodeId, memory: NodeId) -> f64 {
        self.memories.fill(0.0);
        self.memories[self.network.machine().local_memory(memory).0] = BYTES_PER_GB;
        self.working(0.0, node) / BYTES_PER_GB
    }

    /// Seconds of `gflop` on `node` with the bytes in `memories`.
    fn working(&mut self, gflop: f64, node: NodeId) -> f64 {
        let bytes: f64 = self.memories.iter().sum();
        let gb = bytes / BYTES_PER_GB;
        let flop_per_byte = gflop / gb;
        if gb > 0.0 && flop_per_byte.is_finite() {
            for part in &mut self.memories {
                *part /= bytes;
            }
            let fraction = |memory: NodeId| self.memories.get(memory.0).copied().unwrap_or(0.0);
            let alone = self.network.alone_gbs(node, fraction);
            let want = self.network.want_gbs(node, flop_per_byte, fraction);
            return gb / want.map_or(alone, |want| want.min(alone));
        }
        if gflop > 0.0 { gflop / self.network.machine().node(node).gflops_per_core.value() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::tree;

    fn slot(start_s: f64, end_s: f64) -> Slot {
        Slot { start_s, end_s, ..Slot::NONE }
    }

    /// 0 and 3 are the master's; 0 creates 1, which creates 2.
    #[test]
    fn the_master_creates_its_own_tasks_only() {
        let graph = tree(&[None, Some(0), Some(1), None]);
        let starts: Vec<f64> = unplanned(&graph, 0.5).iter().map(|slot| slot.start_s).collect();
        assert_eq!(starts, [0.5, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_task_goes_into_the_first_gap_that_holds_it() {
        let mut worker = Worker::default();
        worker.occupy(slot(2.0, 3.0));
        worker.occupy(slot(7.0, 8.0));
        // Gaps 0 to 2 and 3 to 7.
        assert_eq!(worker.earliest(0.0, 2.0), 0.0);
        assert_eq!(worker.earliest(0.5, 2.0), 3.0);
        assert_eq!(worker.earliest(4.0, 2.5), 4.0);
        assert_eq!(worker.earliest(4.0, 4.0), 8.0);
        worker.occupy(slot(4.0, 6.5));
        // 3 to 4 and 6.5 to 7 are left of the second one.
        assert_eq!(worker.gaps, [(0.0, 2.0), (3.0, 4.0), (6.5, 7.0)]);
    }
}
