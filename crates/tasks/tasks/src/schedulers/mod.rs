//! Schedulers decide which task runs where. Each scheduler is a value that receives events and is asked for tasks ([`Scheduler`]).
//!
//! `placed` gives each task a socket (`sa`, `dep`, `tracked`), and so do `rip` and `heft`. `own_queues` and `node_queues` keep tasks per
//! worker and per node, `tbb` keeps those of a library.

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
/// Questions that the scheduler rejects: [`TasksError::NoSocket`], [`TasksError::NoCores`], [`TasksError::Intersection`],
/// [`TasksError::NoPlan`].
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

// The interface of all schedulers: they receive events, and return the next task of a worker.

/// The data that a scheduler may read. It must not read anything about tasks that are not created yet.
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

    /// The present home of a block, as the operating system would report it (`move_pages`): open until a task that accesses it is taken.
    pub fn home(&self, block: BlockId) -> BlockHome {
        self.homes.of(block)
    }
}

/// Why the master creates no further task for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The next task waits for all earlier ones. Reported once for each such task, even if all have ended already.
    Taskwait,
    /// As many tasks are alive as the limit allows. Reported each time that this stops the master.
    Throttle,
    /// All tasks are created. Reported once, even for an empty graph.
    End,
}

/// The master partitions a window: it does nothing else during this time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partitioning {
    /// Tasks of the window.
    pub tasks: usize,
    /// Duration of the partitioning.
    pub duration: Seconds,
}

/// Decides which task runs where. The engine reports events to it, in the order of one instant (the text at the top of the crate), and
/// asks it for tasks. The scheduler never touches the engine, and depends only on the reported events and its own random numbers.
///
/// For tree programs every scheduler receives the same events as for other programs. A scheduler that has queues for each worker declares
/// this ([`Scheduler::hands_over`]). It then also learns which worker hands over which tasks, looks for tasks in up to three rounds
/// ([`Scheduler::rounds`], [`Scheduler::take`]), and may deal workers to contenders ([`Scheduler::is_dealt`]).
///
/// Several threads may call it, one at a time ([`crate::live`]).
pub trait Scheduler: Send {
    /// `task` is created; tasks come in creation order. If the master creates all tasks, this is the order of their numbers. In tree
    /// programs tasks are created when their creator ends, in their order (`seq`), after [`Scheduler::finished`] of the creator.
    ///
    /// Returns how long the master partitions the window, if this task completes one. The scheduler's next event of the master is then
    /// [`Scheduler::partitioned`]. Only tasks of the master count.
    fn created(&mut self, view: &View<'_>, task: TaskId) -> Option<Partitioning> {
        let _ = (view, task);
        None
    }

    /// The master creates no task for now. Returns how long the master partitions the window, if this completes one.
    fn pauses(&mut self, view: &View<'_>, why: Pause) -> Option<Partitioning> {
        let _ = (view, why);
        None
    }

    /// The partitioning time that the scheduler requested is over, and sockets are known from now on. Tasks that wait for their sockets
    /// in a temporary queue go to the queues of these sockets, before tasks that become ready in this instant.
    ///
    /// # Errors
    /// No partition exists; the simulation ends with this error.
    fn partitioned(&mut self, view: &View<'_>) -> Result<(), PartitionError> {
        let _ = view;
        Ok(())
    }

    /// A created task has no unfinished parent any more. `by` is the worker whose task was the last one; `None` if all parents had ended
    /// when the task was created. Tasks of one round come by number.
    fn ready(&mut self, view: &View<'_>, task: TaskId, by: Option<WorkerId>);

    /// A task is ready since `creator` ran the task that created it. By default handled as if the master had created it. Not called if
    /// [`Scheduler::hands_over`].
    fn created_ready(&mut self, view: &View<'_>, task: TaskId, creator: WorkerId) {
        let _ = creator;
        self.ready(view, task, None);
    }

    /// Whether workers hand over tasks that become ready through their tasks. If so, [`Scheduler::hand_over`] is called instead of
    /// [`Scheduler::ready`]; the latter remains for tasks that are ready when the master creates them.
    fn hands_over(&self) -> bool {
        false
    }

    /// A worker whose task has ended hands over the tasks that became ready through that. Called in step 1 of an instant, by the number
    /// of the task that ended, after [`Scheduler::finished`] and [`Scheduler::created`] of it; not called if there is nothing to hand
    /// over.
    fn hand_over(&mut self, view: &View<'_>, handed: &HandOver<'_>) {
        let _ = (view, handed);
    }

    /// Number of ready tasks that are in no queue yet, because they wait for their socket.
    fn without_socket(&self) -> usize {
        0
    }

    /// The rounds in which idle workers look for tasks in step 4 of an instant; the first one is [`Round::Own`].
    fn rounds(&self) -> &'static [Round] {
        if self.steals() { &[Round::Own, Round::Steal] } else { &[Round::Own] }
    }

    /// The task that an idle worker takes in a round. Called only while some task is ready that no worker has taken. A start with
    /// [`Source::Steal`] costs the time to steal. A worker that is no longer dealt to the program ([`Scheduler::is_dealt`]) is asked in
    /// the first round, and leaves if it gets no task.
    fn take(&mut self, view: &View<'_>, worker: WorkerId, round: Round) -> Option<Start> {
        match round {
            Round::Own => self.next(view, worker).map(|task| Start::new(task, Source::Own)),
            Round::OtherNodes => None,
            Round::Steal => self.steal(view, worker).map(|task| Start::new(task, Source::Steal)),
        }
    }

    /// The task that an idle worker takes from its own queue: for schedulers that do not implement [`Scheduler::take`].
    fn next(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        let _ = (view, worker);
        None
    }

    /// The task that a worker steals if it has found none in its queue: as [`Scheduler::next`]; called only if [`Scheduler::steals`].
    fn steal(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        let _ = (view, worker);
        None
    }

    /// Whether workers that find no task in their own queues steal.
    fn steals(&self) -> bool {
        false
    }

    /// `task` has ended on `worker`. Tasks of one round come by number, before all events that follow from them.
    fn finished(&mut self, view: &View<'_>, task: TaskId, worker: WorkerId) {
        let _ = (view, task, worker);
    }

    /// The socket of a task; `None` if it has none yet, or if the scheduler assigns none.
    fn socket(&self, task: TaskId) -> Option<SocketId> {
        let _ = task;
        None
    }

    /// Whether it assigns a socket to every task in the end.
    fn gives_sockets(&self) -> bool {
        false
    }

    /// The node on which the placement `numa` puts a block that is open when a task that accesses it is taken; `None`: on the socket of
    /// that task, or else where it runs. Called once per block.
    fn home(&mut self, view: &View<'_>, block: BlockId) -> Option<NodeId> {
        let _ = (view, block);
        None
    }

    /// From now on `programs` programs share the workers: this one and its contenders; 1: it is alone again. Called before all other
    /// events of an instant, also at the beginning of a run with contenders; never called without contenders.
    fn shares(&mut self, view: &View<'_>, programs: u32) {
        let _ = (view, programs);
    }

    /// Whether a worker is dealt to the program. A worker that is not leaves when it is idle and finds nothing in the first round.
    fn is_dealt(&self, worker: WorkerId) -> bool {
        let _ = worker;
        true
    }

    /// A worker leaves for a contender.
    fn leaves(&mut self, view: &View<'_>, worker: WorkerId) {
        let _ = (view, worker);
    }

    /// A worker that had left and is dealt to the program joins it again, idle. Called after all ends of tasks of the round, by worker.
    fn joins(&mut self, view: &View<'_>, worker: WorkerId) {
        let _ = (view, worker);
    }

    /// Per program that shares the workers, this one first: the workers of each node in a phase; `None` if it deals none.
    fn dealt(&self) -> Option<Vec<Vec<u32>>> {
        None
    }

    /// How often it had to decide without its plan; `None` if it follows none.
    fn fallbacks(&self) -> Option<Fallbacks> {
        None
    }
}

// How a worker finds a task.

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
    /// The task.
    pub task: TaskId,
    /// Where it was found.
    pub source: Source,
    /// Whether the worker took from its own queue a task that was meant for another mailbox or node.
    pub revoked: bool,
}

impl Start {
    /// A task that was found at `source`.
    pub const fn new(task: TaskId, source: Source) -> Self {
        Self { task, source, revoked: false }
    }
}

/// Idle workers look for tasks in rounds: all workers look in one place, in order, before any of them looks in the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// Their own queues, or those that they share with their node.
    Own,
    /// Queues that other nodes share.
    OtherNodes,
    /// Queues of other workers.
    Steal,
}

// Events of tree programs that a scheduler receives in addition to those of all programs.

/// Tasks that the worker whose task has ended hands over: they are ready from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandOver<'s> {
    /// The task that has ended.
    pub task: TaskId,
    /// The worker that ran it.
    pub worker: WorkerId,
    /// The tasks that it has created, in their order (`seq`).
    pub children: &'s [TaskId],
    /// All other tasks whose last unfinished parent it was, by number: also children of other tasks, and tasks of the master.
    pub others: &'s [TaskId],
}

/// The worker that hands over tasks of the master.
const MASTER: WorkerId = WorkerId(0);

/// The worker that hands over a task that is ready through the end of another one: the worker that ran that one. For tasks of the master
/// it is [`MASTER`].
fn who_hands_over(graph: &TaskGraph, task: TaskId, worker: WorkerId) -> WorkerId {
    if graph.created_by(task).is_some() { worker } else { MASTER }
}

// How a scheduler decides between equally good choices.

/// Chooses among equal choices: at random, or always the first.
#[derive(Clone, Debug)]
struct Draw {
    ties: Ties,
    random: ChaCha8Rng,
}

impl Draw {
    /// With `ties` and `seed` of `[runtime]`.
    fn new(runtime: &RuntimeSettings) -> Self {
        Self::of(runtime, Stream::Scheduler)
    }

    /// The same, with a separate stream of random numbers.
    fn of(runtime: &RuntimeSettings, stream: Stream) -> Self {
        Self { ties: runtime.ties, random: generator(runtime.seed, stream) }
    }

    /// One of `count` equal choices in their order, from 0: random with `ties = "random"`, the first with `"order"`. A single choice uses
    /// no random number.
    fn of_equals(&mut self, count: usize) -> usize {
        if count > 1 && self.ties == Ties::Random { self.random.random_range(0..count) } else { 0 }
    }

    /// The oldest task of a worker among those of `workers` that have any, other than the thief: the next worker cyclically, or a random
    /// one.
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

    /// A random one of `count` choices, regardless of `ties`; 0 of none.
    fn any(&mut self, count: usize) -> usize {
        if count > 1 { self.random.random_range(0..count) } else { 0 }
    }
}
