//! Which application has how many threads on which node.

use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::table::Table;

/// Threads of each application on each node. The cheap, plain value that search works on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Allocation {
    threads: Table<u32>,
}

/// More threads than cores on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{node} gets {threads} threads but has {cores} cores")]
pub struct TooManyThreads {
    /// The node.
    pub node: NodeId,
    /// Threads of all applications on it.
    pub threads: u64,
    /// Its cores.
    pub cores: u32,
}

impl Allocation {
    /// No threads at all.
    pub fn empty(apps: usize, nodes: usize) -> Self {
        Self { threads: Table::filled(apps, nodes, 0) }
    }

    /// From one row per application, each with one entry per node.
    ///
    /// Returns `None` if the rows have different lengths.
    pub fn from_rows(rows: &[Vec<u32>]) -> Option<Self> {
        Some(Self { threads: Table::from_rows(rows)? })
    }

    /// Threads of `app` on `node`.
    pub fn get(&self, app: AppId, node: NodeId) -> u32 {
        self.threads[(app, node)]
    }

    /// Sets the threads of `app` on `node`.
    pub fn set(&mut self, app: AppId, node: NodeId, threads: u32) {
        self.threads[(app, node)] = threads;
    }

    /// Threads of `app` on every node.
    pub fn row(&self, app: AppId) -> &[u32] {
        self.threads.row(app)
    }

    /// Threads of `app` over the whole machine.
    pub fn total(&self, app: AppId) -> u64 {
        self.row(app).iter().map(|&t| u64::from(t)).sum()
    }

    /// Threads of all applications on `node`.
    pub fn on_node(&self, node: NodeId) -> u64 {
        (0..self.apps()).map(|a| u64::from(self.get(AppId(a), node))).sum()
    }

    /// Number of applications.
    pub fn apps(&self) -> usize {
        self.threads.rows()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.threads.nodes()
    }

    /// All counts, application by application, as [`Table::as_slice`] has them.
    pub fn as_slice(&self) -> &[u32] {
        self.threads.as_slice()
    }

    /// All counts, application by application, to be changed in place.
    pub fn as_mut_slice(&mut self) -> &mut [u32] {
        self.threads.as_mut_slice()
    }

    /// At most one thread per core on every node (the paper's assumption of no over-subscription, section III).
    ///
    /// # Errors
    /// [`TooManyThreads`] for the first node that has more.
    pub fn fits(&self, machine: &Machine) -> Result<(), TooManyThreads> {
        machine.node_ids().try_for_each(|node| {
            let (threads, cores) = (self.on_node(node), machine.node(node).cores);
            if threads > u64::from(cores) {
                return Err(TooManyThreads { node, threads, cores });
            }
            Ok(())
        })
    }
}
