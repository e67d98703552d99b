//! What a task of a tree program says beside its work: who creates it, where and how it is handed over (papers 003 and 000).

use super::parts::TaskId;
use numasim_model::ids::NodeId;

/// A piece of work that comes again: tasks of one key are the same piece, numbered from 0 in the order in which they were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplayId(pub u32);

numasim_model::words! {
    /// How a worker hands a task over that is ready.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Submit {
        /// To the young end of its own deque.
        #[default]
        Spawn = "spawn",
        /// To the end of a shared queue.
        Enqueue = "enqueue",
        /// Enqueued where its affinity is another node than that of the worker, else spawned: the detached subtrees of TBB-NUMA.
        Detach = "detach",
    }
}

/// What a task to be added says of the tree; the default is a task of the master that says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeTask<'a> {
    /// The earlier task that creates it when it ends; `None`: the master.
    pub created_by: Option<TaskId>,
    /// Its place among the tasks of its creator; `None`: they come in the order of their numbers.
    pub seq: Option<u32>,
    /// The node where its data is, for schedulers that look at that.
    pub affinity: Option<NodeId>,
    /// How it is handed over.
    pub submit: Submit,
    /// Whether the worker that ran it goes on with the last task that it hands over.
    pub returns: bool,
    /// The piece of work that it is.
    pub replay: Option<&'a str>,
}
