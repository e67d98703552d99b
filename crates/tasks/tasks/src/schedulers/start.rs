//! How a worker comes to a task.

use numasim_graph::values::TaskId;

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
