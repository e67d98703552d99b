//! What differs between TBB and TBB-NUMA, and for whom a task is meant.

use numasim_graph::values::TaskId;

use super::mailboxes::MailboxId;
use super::recorded::Recorded;
use super::reflection::Reflection;
use crate::schedulers::given::Given;
use crate::schedulers::scheduler::View;
use crate::sockets::SocketId;

/// The affinity partitioner of standard TBB.
#[derive(Clone, Debug, Default)]
pub(super) struct Partitioner {
    /// Per piece of work: where it ran last.
    pub(super) ran: Recorded,
    /// Per task: where it was sent because of that.
    pub(super) sent: Recorded,
}

/// What is different between the two.
#[derive(Clone, Debug)]
pub(super) enum Library {
    /// Standard TBB, perhaps with an affinity partitioner.
    Standard(Option<Partitioner>),
    /// TBB-NUMA, perhaps with submission by reflection; where tasks ran, if some may be detached.
    Numa { reflection: Option<Reflection>, ran: Option<Given> },
}

impl Library {
    /// The mailbox in which a spawned task waits, too.
    pub(super) fn mailbox(&self, view: &View<'_>, task: TaskId) -> Option<MailboxId> {
        match self {
            Self::Standard(partitioner) => partitioner.as_ref()?.sent.of(task.0),
            Self::Numa { .. } => self.affinity(view, task).map(|node| MailboxId(node.0)),
        }
    }

    /// The node for which a task has affinity.
    pub(super) fn affinity(&self, view: &View<'_>, task: TaskId) -> Option<SocketId> {
        match self {
            Self::Standard(_) => None,
            Self::Numa { .. } => view.sockets.of_node(view.graph.affinity(task)?),
        }
    }
}
