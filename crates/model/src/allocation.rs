//! Number of threads of each application on each node and in each of its L3 domains.

use std::borrow::Cow;

use crate::ids::{AppId, NodeId};
use crate::machine::{Machine, Node};
use crate::table::Table;

/// Threads of each application on each node: the cheap, plain value that the search works on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Allocation {
    threads: Table<u32>,
    /// The same by L3 domain, if specified or decided; otherwise the threads are dealt over the domains
    /// ([`deal`]).
    per_l3: Option<PerDomain>,
}

/// Threads of each application on each node in each of its L3 domains.
pub type PerDomain = Vec<Vec<Vec<u32>>>;

/// Threads of an application on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnNode {
    /// This number of threads, in any of the node's L3 domains.
    Threads(u32),
    /// The number of threads in each of the node's L3 domains.
    Domains(Vec<u32>),
}

impl OnNode {
    /// Total number of threads on the node.
    pub fn threads(&self) -> u32 {
        match self {
            Self::Threads(threads) => *threads,
            Self::Domains(list) => list.iter().fold(0, |sum: u32, threads| sum.saturating_add(*threads)),
        }
    }

    /// The same value with `change` applied to each number.
    #[must_use]
    pub fn map(&self, change: impl Fn(u32) -> u32) -> Self {
        match self {
            Self::Threads(threads) => Self::Threads(change(*threads)),
            Self::Domains(list) => Self::Domains(list.iter().map(|&threads| change(threads)).collect()),
        }
    }
}

/// Deals the `threads` of each application on each node over the node's L3 domains. Explicit lists are placed
/// first. Numbers are then dealt application by application and thread by thread; each thread goes to the
/// domain with the fewest used cores that has a free one. With `pack`, threads fill one domain after the
/// other, and each application starts where the previous one ended.
pub fn deal(machine: &Machine, threads: &[Vec<OnNode>], pack: bool) -> PerDomain {
    let domains = |node: &Node| vec![0; node.domains()];
    let mut dealt: PerDomain =
        threads.iter().map(|_| machine.nodes().iter().map(domains).collect()).collect();
    for (n, node) in machine.nodes().iter().enumerate() {
        let mut used = domains(node);
        for (own, on_nodes) in dealt.iter_mut().zip(threads) {
            if let Some(OnNode::Domains(list)) = on_nodes.get(n) {
                for ((own, used), &threads) in own[n].iter_mut().zip(&mut used).zip(list) {
                    (*own, *used) = (threads, used.saturating_add(threads));
                }
            }
        }
        for (own, on_nodes) in dealt.iter_mut().zip(threads) {
            let Some(&OnNode::Threads(threads)) = on_nodes.get(n) else { continue };
            for _ in 0..threads {
                let mut free = (0..used.len()).filter(|&d| used[d] < node.domain_cores());
                let next = if pack { free.next() } else { free.min_by_key(|&d| used[d]) };
                // [`Allocation::fits`] rejects more threads than cores.
                let next = next.unwrap_or(0);
                (own[n][next], used[next]) = (own[n][next] + 1, used[next] + 1);
            }
        }
    }
    dealt
}

/// More threads than cores on one node.
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
    /// An allocation without any threads.
    pub fn empty(apps: usize, nodes: usize) -> Self {
        Self { threads: Table::filled(apps, nodes, 0), per_l3: None }
    }

    /// Builds an allocation from one row per application, each with one entry per node.
    ///
    /// Returns `None` if the rows have different lengths.
    pub fn from_rows(rows: &[Vec<u32>]) -> Option<Self> {
        Some(Self { threads: Table::from_rows(rows)?, per_l3: None })
    }

    /// Builds an allocation from the threads in each L3 domain of each node. Returns `None` if the
    /// applications differ in their number of nodes.
    pub fn from_domains(per_l3: PerDomain) -> Option<Self> {
        let on_node = |domains: &Vec<u32>| domains.iter().sum();
        let rows: Vec<Vec<u32>> = per_l3.iter().map(|nodes| nodes.iter().map(on_node).collect()).collect();
        Some(Self { threads: Table::from_rows(&rows)?, per_l3: Some(per_l3) })
    }

    /// Threads in each L3 domain, if the allocation specifies them.
    pub fn own_domains(&self) -> Option<&PerDomain> {
        self.per_l3.as_ref()
    }

    /// Threads of each application on each node in each L3 domain, dealt over the domains unless specified.
    pub fn per_l3(&self, machine: &Machine) -> Cow<'_, PerDomain> {
        let on_nodes = |app| self.row(AppId(app)).iter().copied().map(OnNode::Threads).collect();
        let numbers = || (0..self.apps()).map(on_nodes).collect::<Vec<_>>();
        self.per_l3.as_ref().map_or_else(|| Cow::Owned(deal(machine, &numbers(), false)), Cow::Borrowed)
    }

    /// The allocation in the form that [`crate::sharing::Solver`] takes: one row per domain number of an
    /// application if L3 domains matter ([`Machine::rows_per_app`]), otherwise unchanged.
    pub fn rows(&self, machine: &Machine) -> Cow<'_, Self> {
        let rows = machine.rows_per_app();
        if rows == 1 {
            return Cow::Borrowed(self);
        }
        let per_l3 = self.per_l3(machine);
        let threads = Table::from_fn(self.apps() * rows, self.nodes(), |row: AppId, node| {
            per_l3[row.0 / rows][node.0].get(row.0 % rows).copied().unwrap_or(0)
        });
        Cow::Owned(Self { threads, per_l3: None })
    }

    /// Threads of `app` on `node`.
    pub fn get(&self, app: AppId, node: NodeId) -> u32 {
        self.threads[(app, node)]
    }

    /// Sets the threads of `app` on `node`, and deals all threads over the L3 domains again.
    pub fn set(&mut self, app: AppId, node: NodeId, threads: u32) {
        self.threads[(app, node)] = threads;
        self.per_l3 = None;
    }

    /// Replaces each count of `app`, including the counts in L3 domains if specified. Returns `None` and
    /// changes nothing if `change` returns `None` for any count.
    pub fn replace(&mut self, app: AppId, change: impl Fn(u32) -> Option<u32>) -> Option<()> {
        let replace =
            |counts: &[u32]| counts.iter().map(|&count| change(count)).collect::<Option<Vec<u32>>>();
        let (row, per_l3) = match self.per_l3.as_ref().and_then(|per_l3| per_l3.get(app.0)) {
            Some(nodes) => {
                let nodes: Vec<Vec<u32>> =
                    nodes.iter().map(|counts| replace(counts)).collect::<Option<_>>()?;
                (nodes.iter().map(|counts| counts.iter().sum()).collect(), Some(nodes))
            }
            None => (replace(self.row(app))?, None),
        };
        for (node, count) in row.into_iter().enumerate() {
            self.threads[(app, NodeId(node))] = count;
        }
        if let (Some(own), Some(nodes)) =
            (self.per_l3.as_mut().and_then(|per_l3| per_l3.get_mut(app.0)), per_l3)
        {
            *own = nodes;
        }
        Some(())
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

    /// All counts, application by application, in the order of [`Table::as_slice`].
    pub fn as_slice(&self) -> &[u32] {
        self.threads.as_slice()
    }

    /// All counts, application by application, for changes in place.
    pub fn as_mut_slice(&mut self) -> &mut [u32] {
        self.per_l3 = None;
        self.threads.as_mut_slice()
    }

    /// Checks that every node and every L3 domain has at most one thread per core (the paper's assumption of
    /// no over-subscription, section III).
    ///
    /// # Errors
    /// [`TooManyThreads`] for the first node with more threads than cores.
    pub fn fits(&self, machine: &Machine) -> Result<(), TooManyThreads> {
        machine.node_ids().try_for_each(|node| {
            let (threads, cores) = (self.on_node(node), machine.node(node).cores);
            if threads > u64::from(cores) {
                return Err(TooManyThreads { node, threads, cores });
            }
            let own = machine.node(node);
            let Some(per_l3) = &self.per_l3 else { return Ok(()) };
            let in_domain = |domain: usize| {
                let threads = |nodes: &Vec<Vec<u32>>| Some(u64::from(*nodes.get(node.0)?.get(domain)?));
                per_l3.iter().filter_map(threads).sum::<u64>()
            };
            let listed = per_l3.iter().filter_map(|nodes| Some(nodes.get(node.0)?.len())).max().unwrap_or(0);
            (0..listed).try_for_each(|domain| {
                let (threads, cores) = (in_domain(domain), own.domain_cores());
                let room = if domain < own.domains() { u64::from(cores) } else { 0 };
                if threads > room { Err(TooManyThreads { node, threads, cores }) } else { Ok(()) }
            })
        })
    }
}
