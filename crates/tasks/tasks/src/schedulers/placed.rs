//! Schedulers that assign a socket to each task, and the handling of the tasks after that, which they share.

use numasim_graph::partition::PartitionError;
use numasim_graph::values::{BlockHome, BlockId, TaskGraph, TaskId};

use crate::error::TasksError;
use crate::question::Question;
use crate::schedulers::ready_queue::ReadyQueue;
use crate::schedulers::{Draw, Partitioning, Pause, Scheduler, View};
use crate::sockets::{SocketId, Sockets, WorkerId};

/// Determines the socket of each task: when it is created, when a window is partitioned, or when it is ready.
pub(super) trait Place: Send {
    /// As [`Scheduler::created`]. `given`: the sockets of tasks so far.
    fn created(&mut self, view: &View<'_>, task: TaskId, given: &mut Given) -> Option<Partitioning> {
        let _ = (view, task, given);
        None
    }

    /// As [`Scheduler::pauses`].
    fn pauses(&mut self) -> Option<Partitioning> {
        None
    }

    /// As [`Scheduler::partitioned`]; the master has created nothing meanwhile.
    fn partitioned(&mut self, view: &View<'_>, given: &mut Given) -> Result<(), PartitionError> {
        let _ = (view, given);
        Ok(())
    }

    /// The socket of a task that is ready and has none; `None`: it waits until tasks have been partitioned.
    fn ready(&mut self, view: &View<'_>, task: TaskId) -> Option<SocketId> {
        let _ = (view, task);
        None
    }
}

/// All sockets are assigned before the first task is created.
pub(super) struct Said;

impl Place for Said {}

/// The scheduler that assigns the sockets of `P` to tasks, and stores them in `Q`.
pub(super) struct Placed<P, Q = SocketQueues> {
    place: P,
    given: Given,
    /// The temporary queue: ready tasks without a socket, in the order in which they became ready.
    waiting: Vec<TaskId>,
    queues: Q,
    /// Tasks in `queues`.
    queued: usize,
    steals: bool,
}

impl<P: Place> Placed<P> {
    /// No task has a socket yet.
    pub(super) fn new(place: P, question: &Question<'_>, sockets: &Sockets) -> Self {
        Self::with(place, Given::default(), SocketQueues::new(sockets), question)
    }
}

impl<P: Place, Q: Queues> Placed<P, Q> {
    /// Some tasks may have their sockets already; the queues are empty.
    pub(super) fn with(place: P, given: Given, queues: Q, question: &Question<'_>) -> Self {
        Self { place, given, waiting: Vec::new(), queues, queued: 0, steals: question.steal }
    }

    fn push(&mut self, view: &View<'_>, socket: SocketId, task: TaskId) {
        self.queues.push(socket, task, view.graph.priority(task));
        self.queued += 1;
    }

    fn pop(&mut self, socket: SocketId) -> Option<TaskId> {
        let task = self.queues.pop(socket)?;
        self.queued -= 1;
        Some(task)
    }
}

impl<P: Place, Q: Queues> Scheduler for Placed<P, Q> {
    fn created(&mut self, view: &View<'_>, task: TaskId) -> Option<Partitioning> {
        self.place.created(view, task, &mut self.given)
    }

    fn pauses(&mut self, _: &View<'_>, _: Pause) -> Option<Partitioning> {
        self.place.pauses()
    }

    fn partitioned(&mut self, view: &View<'_>) -> Result<(), PartitionError> {
        self.place.partitioned(view, &mut self.given)?;
        for task in std::mem::take(&mut self.waiting) {
            if let Some(socket) = self.given.of(task) {
                self.push(view, socket, task);
            }
        }
        Ok(())
    }

    fn ready(&mut self, view: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        let mut socket = self.given.of(task);
        if socket.is_none() {
            socket = self.place.ready(view, task);
            if let Some(socket) = socket {
                self.given.set(task, socket);
            }
        }
        match socket {
            Some(socket) => self.push(view, socket, task),
            None => self.waiting.push(task),
        }
    }

    fn without_socket(&self) -> usize {
        self.waiting.len()
    }

    fn next(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.pop(view.sockets.of_worker(worker))
    }

    /// The first task of the nearest socket that has one.
    fn steal(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        if self.queued == 0 {
            return None;
        }
        let thief = view.sockets.of_worker(worker);
        view.sockets.nearest(thief).iter().find_map(|&victim| self.pop(victim))
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

// A queue for each socket.

/// Ready tasks of each socket.
pub(super) trait Queues: Send {
    /// Puts a task of this priority into the queue of a socket.
    fn push(&mut self, socket: SocketId, task: TaskId, priority: f64);

    /// Takes the first task of a socket.
    fn pop(&mut self, socket: SocketId) -> Option<TaskId>;
}

/// In the order of arrival, higher priorities first.
#[derive(Clone, Debug)]
pub(super) struct SocketQueues(Vec<ReadyQueue>);

impl SocketQueues {
    /// Empty queues.
    pub(super) fn new(sockets: &Sockets) -> Self {
        Self(vec![ReadyQueue::default(); sockets.count()])
    }
}

impl Queues for SocketQueues {
    fn push(&mut self, socket: SocketId, task: TaskId, priority: f64) {
        if let Some(queue) = self.0.get_mut(socket.0 as usize) {
            queue.push(task, priority);
        }
    }

    fn pop(&mut self, socket: SocketId) -> Option<TaskId> {
        self.0.get_mut(socket.0 as usize)?.pop()
    }
}

/// Numbers assigned to numbers: tasks to sockets, pieces of work to mailboxes. It grows with the largest number; four bytes each, because
/// there are millions of tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers(Vec<u32>);

impl Numbers {
    const NONE: u32 = u32::MAX;

    /// `number` has `given` from now on.
    pub(super) fn set(&mut self, number: u32, given: u32) {
        let index = number as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, Self::NONE);
        }
        if let Some(entry) = self.0.get_mut(index) {
            *entry = given;
        }
    }

    /// The value assigned to `number`.
    pub(super) fn of(&self, number: u32) -> Option<u32> {
        self.0.get(number as usize).copied().filter(|&given| given != Self::NONE)
    }
}

/// The socket of each task that has one.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(Numbers);

impl Given {
    /// `task` has `socket` from now on.
    pub(super) fn set(&mut self, task: TaskId, socket: SocketId) {
        self.0.set(task.0, socket.0);
    }

    /// The socket of a task.
    pub(super) fn of(&self, task: TaskId) -> Option<SocketId> {
        self.0.of(task.0).map(SocketId)
    }
}

/// Assigns tasks to the sockets with most of their bytes.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    of_socket: Vec<f64>,
    /// Number of tasks so far that went to sockets in turn, and how many of them in a row go to one socket.
    turn: u64,
    stride: u64,
    draw: Draw,
}

impl Weights {
    /// A `stride` of 0 counts as 1; readers of files reject it.
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        Self {
            of_socket: vec![0.0; sockets.count()],
            turn: 0,
            stride: u64::from(question.scheduler.stride).max(1),
            draw: Draw::new(question.runtime),
        }
    }

    /// The socket with most of these bytes; ties are broken according to `ties`. Bytes without a socket are not allocated. If no socket
    /// has any bytes, or more bytes are not allocated than each socket has, sockets come in turn: each `stride` times in a row,
    /// ascending, then from the first again.
    pub(super) fn choose(&mut self, bytes: impl Iterator<Item = (Option<SocketId>, f64)>) -> SocketId {
        self.of_socket.fill(0.0);
        let mut nowhere = 0.0;
        for (socket, bytes) in bytes {
            match socket.and_then(|socket| self.of_socket.get_mut(socket.0 as usize)) {
                Some(weight) => *weight += bytes,
                None => nowhere += bytes,
            }
        }
        let most = self.of_socket.iter().copied().fold(0.0, f64::max);
        if most <= 0.0 || nowhere > most {
            let turn = self.turn / self.stride;
            self.turn += 1;
            return SocketId(u32::try_from(turn % self.of_socket.len().max(1) as u64).unwrap_or(0));
        }
        let winners = || (0..).map(SocketId).zip(&self.of_socket).filter(|&(_, &weight)| weight == most);
        let chosen = self.draw.of_equals(winners().count());
        winners().nth(chosen).map_or(SocketId(0), |(socket, _)| socket)
    }
}

/// Algorithm 2.1 of paper 001, `dep`: a task goes to the socket where most of its data was written first, decided when it is created.
#[derive(Clone, Debug)]
pub(super) struct DepTable {
    /// Per block: four bytes, because graphs have millions of them.
    socket_of: Vec<u32>,
    weights: Weights,
}

/// Mark of a block without a socket.
const NOWHERE: u32 = u32::MAX;

impl DepTable {
    /// Blocks whose `home` is a node with cores are in the table from the beginning, regardless of the real places of pages.
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let socket = |home: BlockHome| match home {
            BlockHome::Node(node) => sockets.of_node(node).map_or(NOWHERE, |socket| socket.0),
            BlockHome::Open | BlockHome::Interleaved => NOWHERE,
        };
        let socket_of = question.graph.blocks().iter().map(|block| socket(block.home)).collect();
        Self { socket_of, weights: Weights::new(question, sockets) }
    }

    /// The blocks that `task` writes get `socket`, unless they have one.
    pub(super) fn enter(&mut self, graph: &TaskGraph, task: TaskId, socket: SocketId) {
        for access in graph.accesses(task).filter(|access| access.mode.writes()) {
            if let Some(entry @ &mut NOWHERE) = self.socket_of.get_mut(access.block.0 as usize) {
                *entry = socket.0;
            }
        }
    }

    /// The socket of a task that is created, and of the blocks that it is the first to write.
    pub(super) fn place(&mut self, view: &View<'_>, task: TaskId) -> SocketId {
        let of = |block: BlockId| self.socket_of.get(block.0 as usize).filter(|socket| **socket != NOWHERE);
        let bytes = view.graph.accesses(task);
        let bytes = bytes.map(|access| (of(access.block).copied().map(SocketId), access.declared_bytes));
        let socket = self.weights.choose(bytes);
        self.enter(view.graph, task, socket);
        socket
    }
}

impl Place for DepTable {
    fn created(&mut self, view: &View<'_>, task: TaskId, given: &mut Given) -> Option<Partitioning> {
        given.set(task, self.place(view, task));
        None
    }
}

/// `sa`, socket-aware: the programmer sets the socket (paper 001, section 2.1).
/// # Errors
/// [`TasksError::NoSocket`], [`TasksError::NoCores`].
pub(super) fn sa(question: &Question<'_>, sockets: &Sockets) -> Result<Placed<Said>, TasksError> {
    let mut given = Given::default();
    for task in question.graph.tasks() {
        let node = question.graph.socket(task).ok_or(TasksError::NoSocket(task))?;
        given.set(task, sockets.of_node(node).ok_or(TasksError::NoCores { task, node })?);
    }
    Ok(Placed::with(Said, given, SocketQueues::new(sockets), question))
}

/// `tracked`: as `dep`, with the true homes of pages instead of the table of first writers, as the runtime OmpSs-2 tracks them.
///
/// The home of a block is known when a task has touched it. So a task gets its socket when it becomes ready: all that it reads has been
/// written by then. Blocks that no task has touched, and blocks on all nodes or on a node without cores, are not allocated.
#[derive(Clone, Debug)]
pub(super) struct Tracked(pub(super) Weights);

impl Place for Tracked {
    fn ready(&mut self, view: &View<'_>, task: TaskId) -> Option<SocketId> {
        let socket = |block| match view.home(block) {
            BlockHome::Node(node) => view.sockets.of_node(node),
            BlockHome::Open | BlockHome::Interleaved => None,
        };
        let accesses = view.graph.accesses(task);
        Some(self.0.choose(accesses.map(|access| (socket(access.block), access.declared_bytes))))
    }
}
