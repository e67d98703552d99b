//! What an allocation may not do, and why a question has no answer.

use numasim_model::{Allocation, App, AppId, Machine};

/// Restrictions of a search. They combine; the default restricts nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// An application has the same number of threads on every node that has cores.
    pub same_on_every_node: bool,
    /// At most one application has threads on a node.
    pub whole_nodes: bool,
    /// Fewest threads of each application on every node that has cores.
    pub min_threads_per_node: u32,
    /// Every core runs a thread.
    pub no_idle_cores: bool,
}

/// A restriction that makes the question impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Infeasible {
    /// More threads wanted than there are cores.
    #[error("`min_threads` of all applications add up to {wanted}, but the machine has {cores} cores")]
    MinThreads {
        /// Sum of `min_threads`.
        wanted: u64,
        /// Cores of the machine.
        cores: u64,
    },
    /// The per-node minimum does not fit a node.
    #[error("{per_node} threads of each of {apps} applications do not fit {node}, which has {cores} cores")]
    MinPerNode {
        /// The minimum.
        per_node: u32,
        /// Applications.
        apps: usize,
        /// The first node that is too small.
        node: numasim_model::NodeId,
        /// Its cores.
        cores: u32,
    },
    /// Whole nodes, yet everybody on every node.
    #[error(
        "at most one application on a node contradicts {per_node} threads of each of {apps} applications on every node"
    )]
    WholeNodesMinPerNode {
        /// The minimum.
        per_node: u32,
        /// Applications.
        apps: usize,
    },
    /// Whole nodes and the same number on every node: only one application can run.
    #[error(
        "at most one application on a node, with the same number on every node, leaves room for one application; {apps} need threads"
    )]
    WholeNodesSame {
        /// Applications that need a thread.
        apps: usize,
    },
    /// Fewer nodes than applications that need one.
    #[error(
        "at most one application on a node: the applications need {needed} whole nodes, {nodes} have cores"
    )]
    TooFewNodes {
        /// Nodes needed at least.
        needed: usize,
        /// Nodes with cores.
        nodes: usize,
    },
    /// The per-node minimum exceeds what an application may have.
    #[error("{app} may have at most {max} threads, but {per_node} on each of {nodes} nodes are {total}")]
    MaxBelowMinPerNode {
        /// The application.
        app: String,
        /// Its `max_threads`.
        max: u32,
        /// The minimum.
        per_node: u32,
        /// Nodes with cores.
        nodes: usize,
        /// The product.
        total: u64,
    },
    /// Not enough threads to use every core.
    #[error(
        "no idle cores: the applications may have {allowed} threads in total, but the machine has {cores} cores"
    )]
    IdleCores {
        /// Sum of `max_threads`.
        allowed: u64,
        /// Cores of the machine.
        cores: u64,
    },
    /// The same number everywhere cannot fill nodes of different size.
    #[error(
        "no idle cores with the same number on every node needs nodes of equal size; they have {smallest} to {largest} cores"
    )]
    IdleCoresOnUnequalNodes {
        /// Cores of the smallest node.
        smallest: u32,
        /// Cores of the largest node.
        largest: u32,
    },
    /// The same number everywhere, in steps of the number of nodes, misses the range of an application.
    #[error(
        "the same number on every node gives {app} a multiple of {nodes} threads, but it may have only {min} to {max}"
    )]
    SameMissesRange {
        /// The application.
        app: String,
        /// Nodes with cores.
        nodes: usize,
        /// Fewest threads allowed.
        min: u32,
        /// Most threads allowed.
        max: u32,
    },
    /// Each restriction alone is possible, all together are not.
    #[error("no allocation satisfies all restrictions together: {}", .0.join(", "))]
    Together(Vec<String>),
    /// Somebody never ends.
    #[error("in every allocation some application makes no progress, so no makespan is finite: {}", .0.join(", "))]
    NoFiniteMakespan(Vec<String>),
}

impl Restrictions {
    /// Whether `allocation` keeps to the restrictions, the threads of each application and the cores of each node.
    pub fn allow(&self, machine: &Machine, apps: &[App], allocation: &Allocation) -> bool {
        self.violation(machine, apps, allocation).is_none()
    }

    /// The first restriction that `allocation` breaks, in words.
    pub fn violation(&self, machine: &Machine, apps: &[App], allocation: &Allocation) -> Option<String> {
        if let Err(error) = allocation.fits(machine) {
            return Some(error.to_string());
        }
        for (a, app) in apps.iter().enumerate() {
            let total = allocation.total(AppId(a));
            if total < u64::from(app.min_threads) {
                return Some(format!("{} has {total} threads, fewer than its min_threads", app.name));
            }
            if app.max_threads.is_some_and(|max| total > u64::from(max)) {
                return Some(format!("{} has {total} threads, more than its max_threads", app.name));
            }
        }
        for node in machine.compute_nodes() {
            let counts = || (0..apps.len()).map(|a| allocation.get(AppId(a), node));
            if counts().any(|threads| threads < self.min_threads_per_node) {
                return Some(format!("{node} has fewer threads of an application than required"));
            }
            if self.whole_nodes && counts().filter(|&threads| threads > 0).count() > 1 {
                return Some(format!("several applications share {node}"));
            }
            if self.no_idle_cores && allocation.on_node(node) < u64::from(machine.node(node).cores) {
                return Some(format!("{node} has idle cores"));
            }
        }
        if self.same_on_every_node {
            for (a, app) in apps.iter().enumerate() {
                let mut counts = machine.compute_nodes().map(|node| allocation.get(AppId(a), node));
                let first = counts.next();
                if counts.any(|threads| Some(threads) != first) {
                    return Some(format!("{} differs between nodes", app.name));
                }
            }
        }
        None
    }

    /// Contradictions that can be named before any search.
    ///
    /// # Errors
    /// The first [`Infeasible`] found. `Ok` does not promise that an allocation exists.
    pub fn check(&self, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
        let cores = machine.total_cores();
        let nodes = machine.compute_nodes().count();
        let wanted: u64 = apps.iter().map(|app| u64::from(app.min_threads)).sum();
        if wanted > cores {
            return Err(Infeasible::MinThreads { wanted, cores });
        }
        self.check_per_node(machine, apps, nodes)?;
        if self.whole_nodes {
            self.check_whole_nodes(machine, apps, nodes)?;
        }
        if self.no_idle_cores {
            let allowed: Option<u64> = apps.iter().map(|app| app.max_threads.map(u64::from)).sum();
            if let Some(allowed) = allowed.filter(|&allowed| allowed < cores) {
                return Err(Infeasible::IdleCores { allowed, cores });
            }
        }
        if self.same_on_every_node {
            self.check_same(machine, apps, nodes)?;
        }
        Ok(())
    }

    fn check_per_node(&self, machine: &Machine, apps: &[App], nodes: usize) -> Result<(), Infeasible> {
        let per_node = self.min_threads_per_node;
        if per_node == 0 {
            return Ok(());
        }
        if self.whole_nodes && apps.len() > 1 {
            return Err(Infeasible::WholeNodesMinPerNode { per_node, apps: apps.len() });
        }
        for node in machine.compute_nodes() {
            let cores = machine.node(node).cores;
            if u64::from(per_node) * apps.len() as u64 > u64::from(cores) {
                return Err(Infeasible::MinPerNode { per_node, apps: apps.len(), node, cores });
            }
        }
        for app in apps {
            let total = u64::from(per_node) * nodes as u64;
            if let Some(max) = app.max_threads.filter(|&max| u64::from(max) < total) {
                return Err(Infeasible::MaxBelowMinPerNode {
                    app: app.name.clone(),
                    max,
                    per_node,
                    nodes,
                    total,
                });
            }
        }
        Ok(())
    }

    fn check_whole_nodes(&self, machine: &Machine, apps: &[App], nodes: usize) -> Result<(), Infeasible> {
        let needy: Vec<&App> = apps.iter().filter(|app| app.min_threads > 0).collect();
        if self.same_on_every_node && needy.len() > 1 {
            return Err(Infeasible::WholeNodesSame { apps: needy.len() });
        }
        let largest = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(1).max(1);
        let needed: usize = needy.iter().map(|app| app.min_threads.div_ceil(largest) as usize).sum();
        if needed > nodes {
            return Err(Infeasible::TooFewNodes { needed, nodes });
        }
        Ok(())
    }

    fn check_same(&self, machine: &Machine, apps: &[App], nodes: usize) -> Result<(), Infeasible> {
        let cores = || machine.compute_nodes().map(|node| machine.node(node).cores);
        let (smallest, largest) = (cores().min().unwrap_or(0), cores().max().unwrap_or(0));
        if self.no_idle_cores && smallest < largest {
            return Err(Infeasible::IdleCoresOnUnequalNodes { smallest, largest });
        }
        let steps = u32::try_from(nodes).unwrap_or(u32::MAX);
        for app in apps {
            let fewest = app.min_threads.div_ceil(steps).saturating_mul(steps);
            if let Some(max) = app.max_threads.filter(|&max| fewest > max) {
                return Err(Infeasible::SameMissesRange {
                    app: app.name.clone(),
                    nodes,
                    min: app.min_threads,
                    max,
                });
            }
        }
        Ok(())
    }

    /// The restrictions in force, as people would write them.
    pub fn describe(&self, apps: &[App]) -> Vec<String> {
        let mut words = Vec::new();
        if self.same_on_every_node {
            words.push("--same-on-every-node".to_owned());
        }
        if self.whole_nodes {
            words.push("--whole-nodes".to_owned());
        }
        if self.min_threads_per_node > 0 {
            words.push(format!("--min-threads-per-node {}", self.min_threads_per_node));
        }
        if self.no_idle_cores {
            words.push("--no-idle-cores".to_owned());
        }
        if apps.iter().any(|app| app.min_threads > 0) {
            words.push("min_threads".to_owned());
        }
        if apps.iter().any(|app| app.max_threads.is_some()) {
            words.push("max_threads".to_owned());
        }
        words
    }
}
