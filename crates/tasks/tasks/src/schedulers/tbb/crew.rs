//! Who is in the program, and which mailboxes nobody will look into soon: the *idle* ones, whose tasks a thief leaves alone.

use super::mailboxes::MailboxId;
use super::worker_set::WorkerSet;
use crate::schedulers::draw::Draw;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// Workers of the program and their mailboxes.
#[derive(Clone, Debug)]
pub(super) enum Crew {
    /// `tbb`: a mailbox per worker, to one of which each worker of the program is connected.
    PerWorker { connected: Vec<Option<MailboxId>>, free: WorkerSet },
    /// `tbb-numa`: a mailbox per node for all of its workers. Per node: workers that are in the program, and that are dealt to it.
    PerNode { present: Vec<u32>, dealt: Vec<u32> },
}

impl Crew {
    /// Worker w is connected to mailbox w, and all are in the program.
    pub(super) fn per_worker(sockets: &Sockets) -> Self {
        let workers = sockets.worker_count();
        let connected = (0..u32::try_from(workers).unwrap_or(u32::MAX)).map(MailboxId).map(Some).collect();
        Self::PerWorker { connected, free: WorkerSet::new(workers) }
    }

    /// All are in the program and dealt to it.
    pub(super) fn per_node(sockets: &Sockets) -> Self {
        let workers = |socket| u32::try_from(sockets.workers(socket).len()).unwrap_or(u32::MAX);
        let workers: Vec<u32> = sockets.all().map(workers).collect();
        Self::PerNode { present: workers.clone(), dealt: workers }
    }

    /// The mailbox that a worker of a node looks into.
    pub(super) fn mailbox(&self, worker: WorkerId, node: SocketId) -> Option<MailboxId> {
        match self {
            Self::PerWorker { connected, .. } => *connected.get(worker.0 as usize)?,
            Self::PerNode { .. } => Some(MailboxId(node.0)),
        }
    }

    /// Whether nobody may look into a mailbox soon: nobody is connected to it, or workers of its node are expected.
    pub(super) fn is_idle(&self, mailbox: MailboxId) -> bool {
        match self {
            Self::PerWorker { free, .. } => free.contains(mailbox.0),
            Self::PerNode { present, dealt } => {
                let node = mailbox.0 as usize;
                present.get(node) < dealt.get(node)
            }
        }
    }

    /// The workers of the program are now those that `is_dealt` says.
    pub(super) fn deal(&mut self, sockets: &Sockets, is_dealt: impl Fn(WorkerId) -> bool) {
        if let Self::PerNode { dealt, .. } = self {
            for (socket, dealt) in sockets.all().zip(dealt) {
                let workers = sockets.workers(socket).filter(|&worker| is_dealt(WorkerId(worker)));
                *dealt = u32::try_from(workers.count()).unwrap_or(u32::MAX);
            }
        }
    }

    /// A worker of a node leaves the program and its mailbox.
    pub(super) fn leave(&mut self, worker: WorkerId, node: SocketId) {
        match self {
            Self::PerWorker { connected, free } => {
                let mailbox = connected.get_mut(worker.0 as usize).and_then(Option::take);
                if let Some(mailbox) = mailbox {
                    free.insert(mailbox.0);
                }
            }
            Self::PerNode { present, .. } => {
                present.get_mut(node.0 as usize).into_iter().for_each(|present| *present -= 1);
            }
        }
    }

    /// A worker of a node comes to the program again: connected to the lowest free mailbox, or to a drawn one.
    pub(super) fn join(&mut self, worker: WorkerId, node: SocketId, draw: &mut Draw) {
        match self {
            Self::PerWorker { connected, free } => {
                let mailbox = free.nth_from(0, draw.of_equals(free.len()));
                if let (Some(slot), Some(mailbox)) = (connected.get_mut(worker.0 as usize), mailbox) {
                    free.remove(mailbox);
                    *slot = Some(MailboxId(mailbox));
                }
            }
            Self::PerNode { present, .. } => {
                present.get_mut(node.0 as usize).into_iter().for_each(|present| *present += 1);
            }
        }
    }
}
