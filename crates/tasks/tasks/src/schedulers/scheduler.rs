//! What every scheduler is: it is told what happens, and says which task a worker takes next.

use numasim_graph::partition::PartitionError;
use numasim_graph::values::{BlockHome, BlockId, TaskGraph, TaskId};
use numasim_model::units::Seconds;
use numasim_model::{Machine, NodeId};

use super::start::{Round, Source, Start};
use super::tree::{Fallbacks, HandOver};
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
///
/// Of tree programs every scheduler hears what it hears of others. One that has queues for each worker also says so
/// ([`Scheduler::hands_over`]) and is told who hands which tasks over, looks for tasks in up to three rounds
/// ([`Scheduler::rounds`], [`Scheduler::take`]), and may deal workers to contenders ([`Scheduler::is_dealt`]).
///
/// It may be told from several threads, one at a time ([`crate::live`]).
pub trait Scheduler: Send {
    /// `task` is created; tasks come in creation order, which is that of the numbers where the master creates all. In tree programs tasks are
    /// created when their creator ends, in their order (`seq`), after [`Scheduler::finished`] of it.
    ///
    /// Where this completes a window, how long the master partitions it: then [`Scheduler::partitioned`] is the next that the scheduler hears
    /// of the master. That counts only of tasks of the master.
    fn created(&mut self, view: &View<'_>, task: TaskId) -> Option<Partitioning>;

    /// The master creates nothing for now. Where this completes a window, how long the master partitions it.
    fn pauses(&mut self, view: &View<'_>, why: Pause) -> Option<Partitioning> {
        let _ = (view, why);
        None
    }

    /// The time that the scheduler asked for is over: sockets are known from now on, and tasks that wait for them in a temporary
    /// queue go to the queues of their sockets, before those that become ready in this instant.
    ///
    /// # Errors
    /// There is no partition; the simulation ends with that.
    fn partitioned(&mut self, view: &View<'_>) -> Result<(), PartitionError> {
        let _ = view;
        Ok(())
    }

    /// A created task has no unfinished parent any more. `by`: the worker whose task was the last one; `None` where all had ended when
    /// it was created. Those of one round come by number.
    fn ready(&mut self, view: &View<'_>, task: TaskId, by: Option<WorkerId>);

    /// A task is ready since `creator` ran the task that created it. As if the master had created it, unless a scheduler cares. Not said
    /// where [`Scheduler::hands_over`].
    fn created_ready(&mut self, view: &View<'_>, task: TaskId, creator: WorkerId) {
        let _ = creator;
        self.ready(view, task, None);
    }

    /// Whether workers hand over what becomes ready through their tasks: then [`Scheduler::hand_over`] is said instead of
    /// [`Scheduler::ready`], which remains for tasks that are ready when the master creates them.
    fn hands_over(&self) -> bool {
        false
    }

    /// A worker whose task has ended hands over what became ready through that. Said in step 1 of an instant, by the number of the task that
    /// ended, after [`Scheduler::finished`] and [`Scheduler::created`] of it; not where there is nothing to hand over.
    fn hand_over(&mut self, view: &View<'_>, handed: &HandOver<'_>) {
        let _ = (view, handed);
    }

    /// How many ready tasks are in no queue yet, as they wait for their socket.
    fn without_socket(&self) -> usize {
        0
    }

    /// The rounds in which idle workers look for tasks in step 4 of an instant; the first one is [`Round::Own`].
    fn rounds(&self) -> &'static [Round] {
        if self.steals() { &[Round::Own, Round::Steal] } else { &[Round::Own] }
    }

    /// The task that an idle worker takes in a round; asked only while some task is ready that nobody has taken. One with
    /// [`Source::Steal`] costs the time to steal. A worker that is not dealt to the program any more ([`Scheduler::is_dealt`]) is asked
    /// in the first round, and leaves when it gets none.
    fn take(&mut self, view: &View<'_>, worker: WorkerId, round: Round) -> Option<Start> {
        match round {
            Round::Own => self.next(view, worker).map(|task| Start::new(task, Source::Own)),
            Round::OtherNodes => None,
            Round::Steal => self.steal(view, worker).map(|task| Start::new(task, Source::Steal)),
        }
    }

    /// The task that an idle worker takes from its own queue: for schedulers that do not say [`Scheduler::take`].
    fn next(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        let _ = (view, worker);
        None
    }

    /// The task that a worker steals that has found none of its own: as [`Scheduler::next`]; asked only where [`Scheduler::steals`].
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

    /// Where the placement `numa` puts a block that is open when a task that accesses it is taken; `None`: on the socket of that task, else
    /// where it runs. Asked once of a block.
    fn home(&mut self, view: &View<'_>, block: BlockId) -> Option<NodeId> {
        let _ = (view, block);
        None
    }

    /// From now on so many programs share the workers, this one and its contenders; 1: it is alone again. Said before everything
    /// else of an instant, also at the beginning of a run with contenders; never without.
    fn shares(&mut self, view: &View<'_>, programs: u32) {
        let _ = (view, programs);
    }

    /// Whether a worker is dealt to the program. One that is not leaves when it is idle and finds nothing in the first round.
    fn is_dealt(&self, worker: WorkerId) -> bool {
        let _ = worker;
        true
    }

    /// A worker leaves for a contender.
    fn leaves(&mut self, view: &View<'_>, worker: WorkerId) {
        let _ = (view, worker);
    }

    /// A worker that had left and is dealt to the program joins it again, idle. After all ends of tasks of the round, by worker.
    fn joins(&mut self, view: &View<'_>, worker: WorkerId) {
        let _ = (view, worker);
    }

    /// Per program that shares the workers, this one first, the workers of each node in a phase; `None` where it deals none.
    fn dealt(&self) -> Option<Vec<Vec<u32>>> {
        None
    }

    /// How often it had to do without its plan; `None` where it follows none.
    fn fallbacks(&self) -> Option<Fallbacks> {
        None
    }
}
