//! What a simulation finds.

use numasim_model::units::Seconds;

use crate::idle::{IdleReason, IdleTimes};
use crate::schedulers::Fallbacks;

/// Bytes that tasks moved, by what served them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// The last-level cache of the own node.
    pub llc_local: f64,
    /// The last-level cache of another node.
    pub llc_remote: f64,
    /// The memory of the own node.
    pub dram_local: f64,
    /// The memory of another node.
    pub dram_remote: f64,
}

impl Traffic {
    /// All bytes.
    pub fn total(&self) -> f64 {
        self.llc_local + self.llc_remote + self.dram_local + self.dram_remote
    }

    /// So many times as much of each.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            llc_local: self.llc_local * factor,
            llc_remote: self.llc_remote * factor,
            dram_local: self.dram_local * factor,
            dram_remote: self.dram_remote * factor,
        }
    }

    /// The part that came from other nodes; 0 where nothing was moved.
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

/// What edges between tasks of different sockets carry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cut {
    /// How many such edges there are.
    pub edges: u64,
    /// Bytes that the later tasks declare on them.
    pub bytes: f64,
}

/// What became of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeRun {
    /// Tasks that ran on its cores.
    pub tasks: u64,
    /// Worker-seconds of its cores from taking tasks to their ends.
    pub busy: Seconds,
    /// Worker-seconds of its cores that contenders had.
    pub contender: Seconds,
    /// Worker-seconds in which its cores had no task, of the program or of a contender.
    pub idle: IdleTimes,
    /// Bytes that its cores moved.
    pub traffic: Traffic,
}

/// What others did who wanted the workers, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContenderRun {
    /// Their tasks that ended before the makespan.
    pub tasks: u64,
    /// Per program, the simulated one first, the workers of each node that it has in a phase; `None` where the scheduler deals none.
    pub dealt: Option<Vec<Vec<u32>>>,
}

/// One simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// When the last task ended; 0 without tasks.
    pub makespan: Seconds,
    /// Bytes of all tasks.
    pub traffic: Traffic,
    /// Every node, those without cores included.
    pub nodes: Vec<NodeRun>,
    /// Part of all worker-seconds in which workers had no task; 0 without tasks.
    pub idle: f64,
    /// Tasks that were stolen.
    pub steals: u64,
    /// Edges between tasks of different sockets; `None` where the scheduler gives tasks no socket.
    pub cut: Option<Cut>,
    /// Sum of the times in which the master partitioned.
    pub partition: Seconds,
    /// Time in which pages were moved before the first task was created.
    pub migration: Seconds,
    /// Tasks that workers found in mailboxes.
    pub mailbox: u64,
    /// Tasks that workers found in shared queues.
    pub shared: u64,
    /// Tasks that workers took from their own queues though they were meant for another mailbox or node.
    pub revokes: u64,
    /// Tasks with an affinity that ran on another node.
    pub remote_tasks: u64,
    /// What others did who wanted the workers, too; `None` where nobody did.
    pub contender: Option<ContenderRun>,
    /// How often a plan did not say what to do; `None` where the scheduler follows none.
    pub fallbacks: Option<Fallbacks>,
}

impl Run {
    /// Worker-seconds without a task of all nodes.
    pub fn idle_times(&self) -> IdleTimes {
        self.nodes.iter().fold(IdleTimes::default(), |sum, node| sum + node.idle)
    }

    /// Part of all worker-seconds in which workers had no task because of `reason`; together those of all reasons are
    /// [`Run::idle`]. 0 without tasks.
    pub fn idle_because(&self, reason: IdleReason) -> f64 {
        let idle = self.idle_times();
        let busy_s: f64 = self.nodes.iter().map(|node| node.busy.value() + node.contender.value()).sum();
        let there_s = idle.total().value() + busy_s;
        if there_s > 0.0 { idle[reason] / there_s } else { 0.0 }
    }
}
