//! Who decides which task runs where: each scheduler is a value that is told what happens and asked for tasks ([`Scheduler`]).
//!
//! `placed` gives each task a socket (`sa`, `dep`, `tracked`), and so do `rip` and `heft`; `own_queues` and `node_queues` keep tasks of
//! workers and of nodes, `tbb` those of a library.

use std::collections::VecDeque;
use std::ops::Range;

use numasim_graph::partition::PartitionError;
use numasim_graph::values::{BlockHome, BlockId, RuntimeSettings, SchedulerKind, TaskGraph, TaskId, Ties};
use numasim_model::units::Seconds;
use numasim_model::{Machine, NodeId};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::error::TasksError;
use crate::question::Question;
use crate::random::{Stream, generator};
use crate::schedulers::placed::Placed;
use crate::sockets::{Homes, SocketId, Sockets, WorkerId};

pub(crate) use heft::Estimate;
pub use numasim_plan::Fallbacks;

mod heft;
mod node_queues;
mod own_queues;
mod placed;
mod ready_queue;
mod rip;
mod tbb;

/// The scheduler that `question` asks for.
///
/// # Errors
/// What it refuses of the question: [`TasksError::NoSocket`], [`TasksError::NoCores`], [`TasksError::Intersection`], [`TasksError::NoPlan`].
pub(crate) fn make<'a>(
    question: &Question<'a>,
    sockets: &Sockets,
) -> Result<Box<dyn Scheduler + 'a>, TasksError> {
    Ok(match question.scheduler.kind {
        SchedulerKind::Fifo => Box::new(own_queues::Fifo::new(question, sockets)),
        SchedulerKind::Sa => Box::new(placed::sa(question, sockets)?),
        SchedulerKind::Dep => {
            Box::new(Placed::new(placed::DepTable::new(question, sockets), question, sockets))
        }
        SchedulerKind::RandomSteal => Box::new(own_queues::RandomSteal::new(question, sockets)),
        SchedulerKind::RipDep | SchedulerKind::RipSp | SchedulerKind::RipMw => {
            Box::new(Placed::new(rip::Rip::new(question, sockets)?, question, sockets))
        }
        SchedulerKind::Heft => Box::new(heft::heft(question, sockets)?),
        SchedulerKind::Tracked => {
            Box::new(Placed::new(placed::Tracked(placed::Weights::new(question, sockets)), question, sockets))
        }
        SchedulerKind::Tbb | SchedulerKind::TbbNuma => Box::new(tbb::Tbb::new(question, sockets)),
        SchedulerKind::Hint => Box::new(node_queues::Hint::of_programmer(sockets)),
        SchedulerKind::Plan => Box::new(node_queues::Hint::of_plan(question, sockets)?),
        SchedulerKind::ArenaPerNode => Box::new(node_queues::ArenaPerNode::new(question, sockets)),
        SchedulerKind::TaskloopAffinity => Box::new(own_queues::TaskloopAffinity::new(question, sockets)),
        SchedulerKind::Static => Box::new(own_queues::StaticLoops::new(question, sockets)),
    })
}

// What every scheduler is: it is told what happens, and says which task a worker takes next.

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
    fn created(&mut self, view: &View<'_>, task: TaskId) -> Option<Partitioning> {
        let _ = (view, task);
        None
    }

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
    fn socket(&self, task: TaskId) -> Option<SocketId> {
        let _ = task;
        None
    }

    /// Whether it gives every task a socket in the end.
    fn gives_sockets(&self) -> bool {
        false
    }

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

// How a worker comes to a task.

numasim_model::words! {
    /// Where a worker found a task.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Source {
        /// The task that it ran before returned this one.
        Returned = "returned",
        /// The task that it ran before was the last one that this one waited for.
        Successor = "successor",
        /// Its own queue; under schedulers that know no other one that of its socket, or the only one.
        #[default]
        Own = "own",
        /// A mailbox: those who want a task near its data put it there.
        Mailbox = "mailbox",
        /// A queue that workers share, its own node's or another's.
        Shared = "shared",
        /// The queue of another worker or socket, which costs the time to steal.
        Steal = "steal",
    }
}

/// A worker takes a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Which one.
    pub task: TaskId,
    /// Where it was.
    pub source: Source,
    /// Whether the worker took from its own queue what was meant for another mailbox or node.
    pub revoked: bool,
}

impl Start {
    /// A task that was found there.
    pub const fn new(task: TaskId, source: Source) -> Self {
        Self { task, source, revoked: false }
    }
}

/// Idle workers look for tasks in rounds: all of them, in order, in one place before any of them looks in the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// What they have themselves or share with their node.
    Own,
    /// What other nodes share.
    OtherNodes,
    /// What others have.
    Steal,
}

// What a scheduler of tree programs is told beside what all are told.

/// What the worker whose task has ended hands over: tasks that are ready from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandOver<'s> {
    /// The task that has ended.
    pub task: TaskId,
    /// The worker that ran it.
    pub worker: WorkerId,
    /// Those that it has created, in their order (`seq`).
    pub children: &'s [TaskId],
    /// All others that waited for it last, by number: also children of other tasks, and tasks of the master.
    pub others: &'s [TaskId],
}

/// The worker that hands over tasks of the master.
const MASTER: WorkerId = WorkerId(0);

/// Who hands over a task that is ready through the end of another one: the worker that ran that one, but of tasks of the master
/// [`MASTER`].
fn who_hands_over(graph: &TaskGraph, task: TaskId, worker: WorkerId) -> WorkerId {
    if graph.created_by(task).is_some() { worker } else { MASTER }
}

// What a scheduler does where several things are equally good.

/// Chooses among equal things: drawn, or always the first.
#[derive(Clone, Debug)]
struct Draw {
    ties: Ties,
    random: ChaCha8Rng,
}

impl Draw {
    /// As `[runtime]` has it: `ties` and `seed`.
    fn new(runtime: &RuntimeSettings) -> Self {
        Self::of(runtime, Stream::Scheduler)
    }

    /// The same, with the numbers of another purpose.
    fn of(runtime: &RuntimeSettings, stream: Stream) -> Self {
        Self { ties: runtime.ties, random: generator(runtime.seed, stream) }
    }

    /// One of `count` equal things in their order, from 0: drawn with `ties = "random"`, the first with `"order"`. Nothing is
    /// drawn of a single one.
    fn of_equals(&mut self, count: usize) -> usize {
        if count > 1 && self.ties == Ties::Random { self.random.random_range(0..count) } else { 0 }
    }

    /// The oldest task of a worker among `workers` other than the thief, of those that have any: the next one cyclically, or a drawn one.
    fn oldest_of_others(
        &mut self,
        queues: &mut [VecDeque<TaskId>],
        WorkerId(thief): WorkerId,
        workers: Range<u32>,
    ) -> Option<TaskId> {
        let after = (thief + 1..workers.end).chain(workers.start..thief);
        let filled = after.filter(|&other| queues.get(other as usize).is_some_and(|queue| !queue.is_empty()));
        let victim = filled.clone().nth(self.of_equals(filled.count()))?;
        queues.get_mut(victim as usize)?.pop_front()
    }

    /// One of `count` things whatever `ties` says; 0 of none.
    fn any(&mut self, count: usize) -> usize {
        if count > 1 { self.random.random_range(0..count) } else { 0 }
    }
}
