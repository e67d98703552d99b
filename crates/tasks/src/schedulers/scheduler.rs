//! What every scheduler is: it is told what happens, and says which task a worker takes next.

use numasim_model::Machine;
use numasim_model::graph::{BlockHome, BlockId, TaskGraph, TaskId};
use numasim_model::units::Seconds;

use crate::homes::Homes;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// What a scheduler may look at. Of tasks that are not created yet it must not look at anything.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Tasks and their accesses.
    pub graph: &'a TaskGraph,
    /// The machine.
    pub machine: &'a Machine,
    /// Its sockets and workers.
    pub sockets: &'a Sockets,
    homes: &'a Homes,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        graph: &'a TaskGraph,
        machine: &'a Machine,
        sockets: &'a Sockets,
        homes: &'a Homes,
    ) -> Self {
        Self { graph, machine, sockets, homes }
    }

    /// Where a block lies now, as the operating system would say (`move_pages`): open until a task that accesses it is taken.
    pub fn home(&self, block: BlockId) -> BlockHome {
        self.homes.of(block)
    }
}

/// Why the master creates no further task for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The next task waits for all earlier ones. Said once for each such task, also where all have ended already.
    Taskwait,
    /// As many tasks are alive as there may be. Said each time that this stops the master.
    Throttle,
    /// All tasks are created. Said once, also of an empty graph.
    End,
}

/// The master partitions a window: it does nothing else for so long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partitioning {
    /// Tasks of the window.
    pub tasks: usize,
    /// How long it takes.
    pub duration: Seconds,
}

/// Decides which task runs where. The engine tells it what happens, in the order of one instant (the text at the top of the crate), and
/// asks it for tasks; it never touches the engine, and depends on nothing but what it was told and its own random numbers.
pub trait Scheduler {
    /// The master has created `task`; tasks come in creation order. Where this completes a window, how long the master partitions it:
    /// then [`Scheduler::partitioned`] is the next that the scheduler hears of the master.
    fn created(&mut self, view: &View<'_>, task: TaskId) -> Option<Partitioning>;

    /// The master creates nothing for now. Where this completes a window, how long the master partitions it.
    fn pauses(&mut self, view: &View<'_>, why: Pause) -> Option<Partitioning> {
        let _ = (view, why);
        None
    }

    /// The time that the scheduler asked for is over: sockets are known from now on, and tasks that wait for them in a temporary
    /// queue go to the queues of their sockets, before those that become ready in this instant.
    fn partitioned(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// A created task has no unfinished parent any more. `by`: the worker whose task was the last one; `None` where all had ended when
    /// it was created. Those of one round come by number.
    fn ready(&mut self, view: &View<'_>, task: TaskId, by: Option<WorkerId>);

    /// How many ready tasks are in no queue yet, as they wait for their socket.
    fn without_socket(&self) -> usize {
        0
    }

    /// The task that an idle worker takes from its own queue.
    fn next(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId>;

    /// The task that a worker steals that has found none of its own; asked only where [`Scheduler::steals`].
    fn steal(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        let _ = (view, worker);
        None
    }

    /// Whether workers that find no task of their own steal.
    fn steals(&self) -> bool {
        false
    }

    /// `task` has ended on `worker`. Those of one round come by number, before anything that follows from them.
    fn finished(&mut self, view: &View<'_>, task: TaskId, worker: WorkerId) {
        let _ = (view, task, worker);
    }

    /// The socket that a task was given; `None` where it has none yet, or the scheduler gives none.
    fn socket(&self, task: TaskId) -> Option<SocketId>;

    /// Whether it gives every task a socket in the end.
    fn gives_sockets(&self) -> bool;
}
