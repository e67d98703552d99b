//! Why workers have no task.
//!
//! At any time all idle workers have the same reason, the first of these that holds ([`IdleReason::ALL`] is this order): tasks are
//! ready, so that they lie in queues of others; the master partitions; it has not created all tasks, and creates the next one or waits;
//! all are created and some wait for parents; every task has been taken. So what the master holds back comes before what waits for
//! parents: whether a task that does not exist yet would be ready, no runtime knows.

use std::ops::{Add, AddAssign, Index, IndexMut, Sub};

use numasim_model::units::Seconds;

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
        // A place for each variant.
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
