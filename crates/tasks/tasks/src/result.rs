//! The results of a simulation.

use std::ops::{Add, AddAssign, Index, IndexMut, Sub};

use numasim_graph::values::TaskId;
use numasim_model::NodeId;
use numasim_model::units::Seconds;

use crate::schedulers::{Fallbacks, Source};

/// Bytes that tasks moved, by the cache or memory that served them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// The last-level cache of the local node.
    pub llc_local: f64,
    /// The last-level cache of another node.
    pub llc_remote: f64,
    /// The memory of the local node.
    pub dram_local: f64,
    /// The memory of another node.
    pub dram_remote: f64,
}

impl Traffic {
    /// All bytes.
    pub fn total(&self) -> f64 {
        self.llc_local + self.llc_remote + self.dram_local + self.dram_remote
    }

    /// Each multiplied by a factor.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            llc_local: self.llc_local * factor,
            llc_remote: self.llc_remote * factor,
            dram_local: self.dram_local * factor,
            dram_remote: self.dram_remote * factor,
        }
    }

    /// The fraction that came from other nodes; 0 if nothing was moved.
    pub fn remote_share(&self) -> f64 {
        let total = self.total();
        if total > 0.0 { (self.llc_remote + self.dram_remote) / total } else { 0.0 }
    }
}

impl std::ops::AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.llc_local += other.llc_local;
        self.llc_remote += other.llc_remote;
        self.dram_local += other.dram_local;
        self.dram_remote += other.dram_remote;
    }
}

/// Data on the edges between tasks of different sockets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cut {
    /// Number of such edges.
    pub edges: u64,
    /// Bytes that the later tasks declare on them.
    pub bytes: f64,
}

/// The results of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeRun {
    /// Tasks that ran on its cores.
    pub tasks: u64,
    /// Worker-seconds of its cores from taking tasks to their ends.
    pub busy: Seconds,
    /// Worker-seconds that contenders used its cores.
    pub contender: Seconds,
    /// Worker-seconds in which its cores had no task, of the program or of a contender.
    pub idle: IdleTimes,
    /// Bytes that its cores moved.
    pub traffic: Traffic,
}

/// The results of the contenders, which also wanted the workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContenderRun {
    /// Their tasks that ended before the makespan.
    pub tasks: u64,
    /// Per program, the simulated one first: the workers of each node that it has in a phase; `None` if the scheduler deals none.
    pub dealt: Option<Vec<Vec<u32>>>,
}

/// One simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Time at which the last task ended; 0 without tasks.
    pub makespan: Seconds,
    /// Bytes of all tasks.
    pub traffic: Traffic,
    /// Every node, including those without cores.
    pub nodes: Vec<NodeRun>,
    /// Fraction of all worker-seconds in which workers had no task; 0 without tasks.
    pub idle: f64,
    /// Tasks that were stolen.
    pub steals: u64,
    /// Edges between tasks of different sockets; `None` if the scheduler assigns no sockets to tasks.
    pub cut: Option<Cut>,
    /// Sum of the times in which the master partitioned.
    pub partition: Seconds,
    /// Time in which pages were moved before the first task was created.
    pub migration: Seconds,
    /// Tasks that workers found in mailboxes.
    pub mailbox: u64,
    /// Tasks that workers found in shared queues.
    pub shared: u64,
    /// Tasks that workers took from their own queues although they were meant for another mailbox or node.
    pub revokes: u64,
    /// Tasks with an affinity that ran on another node.
    pub remote_tasks: u64,
    /// The results of the contenders; `None` if there were none.
    pub contender: Option<ContenderRun>,
    /// How often a plan did not determine the choice; `None` if the scheduler follows none.
    pub fallbacks: Option<Fallbacks>,
}

impl Run {
    /// Worker-seconds without a task, over all nodes.
    pub fn idle_times(&self) -> IdleTimes {
        self.nodes.iter().fold(IdleTimes::default(), |sum, node| sum + node.idle)
    }

    /// Fraction of all worker-seconds in which workers had no task because of `reason`; the fractions of all reasons add up to
    /// [`Run::idle`]. 0 without tasks.
    pub fn idle_because(&self, reason: IdleReason) -> f64 {
        let idle = self.idle_times();
        let busy_s: f64 = self.nodes.iter().map(|node| node.busy.value() + node.contender.value()).sum();
        let there_s = idle.total().value() + busy_s;
        if there_s > 0.0 { idle[reason] / there_s } else { 0.0 }
    }
}

// Observers: traces and charts are made outside of the simulation.

/// A task that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskRecord {
    /// Its number.
    pub task: TaskId,
    /// The socket that the scheduler assigned to it; `None` if it assigns none.
    pub socket: Option<NodeId>,
    /// The node on which it ran.
    pub node: NodeId,
    /// The worker that ran it, numbered by the cores of all nodes in order.
    pub worker: u32,
    /// When it was taken, in seconds.
    pub start_s: f64,
    /// When it ended, in seconds.
    pub end_s: f64,
    /// The place where the worker found it.
    pub source: Source,
    /// Whether the worker took it from its own queue although it was meant for another mailbox or node.
    pub revoked: bool,
    /// Its traffic.
    pub traffic: Traffic,
}

impl TaskRecord {
    /// Whether the worker stole it.
    pub fn stolen(&self) -> bool {
        self.source == Source::Steal
    }
}

/// Observes a simulation.
pub trait Observer {
    /// A task has ended. Tasks come in the order of their ends, those of one instant by number.
    fn ended(&mut self, record: &TaskRecord);

    /// The master partitions a window of `tasks` tasks, in seconds.
    fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        let _ = (tasks, start_s, end_s);
    }

    /// From `start_s` to `end_s`, in seconds, workers without a task had none because of `reason`, if there were any. These times follow
    /// each other without a gap from the beginning to the end.
    fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
        let _ = (reason, start_s, end_s);
    }

    /// Whether the simulation should stop early; polled at intervals.
    fn stops(&self) -> bool {
        false
    }
}

/// Ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn ended(&mut self, _: &TaskRecord) {}
}

/// Passes events on to another observer, and stops on request.
pub(crate) struct Stoppable<'a> {
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Observer for Stoppable<'_> {
    fn ended(&mut self, record: &TaskRecord) {
        self.observer.ended(record);
    }

    fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        self.observer.partitioned(tasks, start_s, end_s);
    }

    fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
        self.observer.idle_because(reason, start_s, end_s);
    }

    fn stops(&self) -> bool {
        (self.stop)() || self.observer.stops()
    }
}

// Reasons why workers have no task.
//
// At any time all idle workers have the same reason, the first of these that holds ([`IdleReason::ALL`] is this order): tasks are ready,
// so that they are in queues of others; the master partitions; it has not created all tasks, and creates the next one or waits; all are
// created and some wait for parents; every task has been taken. So delays by the master come before waiting for parents: no runtime can
// know whether a task that does not exist yet would be ready.

numasim_model::words! {
    /// Why a worker has no task.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum IdleReason {
        /// Ready tasks lie in queues that it does not take from: other sockets', without stealing.
        Elsewhere = "elsewhere",
        /// No task is ready that has a socket, and the master partitions.
        Partition = "partition",
        /// No task is ready that has a socket, and the master creates the next one.
        Creation = "creation",
        /// No task is ready, and as many are alive as there may be.
        Throttle = "throttle",
        /// No task is ready, and the next one waits for all earlier ones.
        Taskwait = "taskwait",
        /// All tasks are created, and those that nobody has taken wait for others that run.
        Parents = "parents",
        /// Every task has been taken: others run the last ones.
        End = "end",
    }
}

/// Worker-seconds without a task, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IdleTimes([f64; IdleReason::ALL.len()]);

impl IdleTimes {
    /// Those of one reason.
    pub fn of(&self, reason: IdleReason) -> Seconds {
        Seconds::new(self[reason])
    }

    /// Those of all reasons.
    pub fn total(&self) -> Seconds {
        Seconds::new(self.0.iter().sum())
    }
}

impl Index<IdleReason> for IdleTimes {
    type Output = f64;

    fn index(&self, reason: IdleReason) -> &f64 {
        // One element for each variant.
        &self.0[reason as usize]
    }
}

impl IndexMut<IdleReason> for IdleTimes {
    fn index_mut(&mut self, reason: IdleReason) -> &mut f64 {
        &mut self.0[reason as usize]
    }
}

impl AddAssign for IdleTimes {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, seconds)| *sum += seconds);
    }
}

impl Add for IdleTimes {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sub for IdleTimes {
    type Output = Self;

    fn sub(mut self, earlier: Self) -> Self {
        self.0.iter_mut().zip(earlier.0).for_each(|(rest, seconds)| *rest -= seconds);
        self
    }
}
