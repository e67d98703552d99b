//! Contradictions between constraints that are detected without a search.

use std::num::NonZeroU32;

use numasim_model::units::Gibibytes;
use numasim_model::{App, Machine, NodeId};

use crate::restrictions::rules::{Restrictions, may_hold};

impl Restrictions {
    /// Finds contradictions before any search.
    ///
    /// # Errors
    /// The first [`Infeasible`] found. `Ok` does not guarantee that an allocation exists.
    pub fn check(&self, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
        if let Some(app) = apps.iter().find(|app| app.max_threads.is_some_and(|max| max < app.min_threads)) {
            return Err(Infeasible::OddThreads { app: app.name.clone() });
        }
        let cores = machine.total_cores();
        let nodes = machine.compute_nodes().count();
        let wanted: u64 = apps.iter().map(|app| u64::from(app.min_threads)).sum();
        if wanted > cores {
            return Err(Infeasible::MinThreads { wanted, cores });
        }
        for app in apps.iter().filter(|app| app.nodes.is_some()) {
            let cores = allowed(machine, app).map(|node| u64::from(machine.node(node).cores)).sum();
            if u64::from(app.min_threads) > cores {
                let (app, wanted) = (app.name.clone(), app.min_threads);
                return Err(Infeasible::TooFewAllowed { app, wanted, cores });
            }
        }
        check_placing(self, machine, apps)?;
        self.check_per_node(machine, apps)?;
        if self.whole_nodes {
            self.check_whole_nodes(machine, apps, nodes)?;
        }
        if self.no_idle_cores {
            let allowed: Option<u64> = apps.iter().map(|app| app.max_threads.map(u64::from)).sum();
            let free = machine.compute_nodes().find(|&node| !apps.iter().any(|app| may_hold(app, node)));
            if let Some(node) = free {
                return Err(Infeasible::NobodyOnNode(node));
            }
            if let Some(allowed) = allowed.filter(|&allowed| allowed < cores) {
                return Err(Infeasible::IdleCores { allowed, cores });
            }
        }
        if self.same_on_every_node {
            self.check_same(machine, apps)?;
        }
        self.check_domains(machine, apps)
    }

    /// Checks the constraints on L3 domains.
    fn check_domains(&self, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
        let of_nodes = |nodes: &mut dyn Iterator<Item = NodeId>| -> Vec<u32> {
            let cores = nodes.flat_map(|node| {
                let node = machine.node(node);
                std::iter::repeat_n(node.domain_cores(), node.domains())
            });
            cores.collect()
        };
        for app in apps {
            let (min, each) = (app.min_threads, app.placing.per_l3.map(NonZeroU32::get));
            if each.is_none() && app.placing.max_l3.is_none() {
                continue;
            }
            if let (Some(each), Some(max)) = (each, app.max_threads)
                && min.checked_next_multiple_of(each).is_none_or(|fewest| fewest > max)
            {
                return Err(Infeasible::DomainMissesRange { app: app.name.clone(), each, min, max });
            }
            let mut holds: Vec<u32> = of_nodes(&mut allowed(machine, app));
            for cores in &mut holds {
                *cores = each.map_or(*cores, |each| if each <= *cores { each } else { 0 });
            }
            holds.sort_unstable_by(|a, b| b.cmp(a));
            let domains = app.placing.max_l3.map_or(holds.len(), |most| most.min(holds.len()));
            let cores: u64 = holds.iter().take(domains).map(|&cores| u64::from(cores)).sum();
            if cores < u64::from(min) {
                let app = app.name.clone();
                return Err(Infeasible::TooFewInDomains { app, wanted: min, domains, each, cores });
            }
        }
        let all = of_nodes(&mut machine.compute_nodes());
        let largest = all.iter().copied().max().unwrap_or(1).max(1);
        let least = |app: &App| {
            let each = app.placing.per_l3.map_or(largest, |each| each.get().min(largest));
            app.min_threads.div_ceil(each) as usize
        };
        let needed: usize = apps.iter().map(least).sum();
        if self.whole_l3 && needed > all.len() {
            return Err(Infeasible::TooFewDomains { needed, domains: all.len() });
        }
        Ok(())
    }

    fn check_per_node(&self, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
        let per_node = self.min_threads_per_node;
        if per_node == 0 {
            return Ok(());
        }
        for node in machine.compute_nodes() {
            let cores = machine.node(node).cores;
            let here = || apps.iter().filter(|app| may_hold(app, node));
            let needed: u64 = here().map(|app| u64::from(self.least_on_node(app))).sum();
            let apps = here().count();
            if self.whole_nodes && apps > 1 {
                return Err(Infeasible::WholeNodesMinPerNode { per_node, apps });
            }
            if needed > u64::from(cores) {
                return Err(Infeasible::MinPerNode { per_node, apps, node, cores });
            }
        }
        for app in apps {
            let nodes = allowed(machine, app).count();
            let total = u64::from(self.least_on_node(app)) * nodes as u64;
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
        let everywhere = needy.iter().filter(|app| app.nodes.is_none()).count();
        if self.same_on_every_node && everywhere > 1 {
            return Err(Infeasible::WholeNodesSame { apps: everywhere });
        }
        let largest = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(1).max(1);
        let needed: usize = needy.iter().map(|app| app.min_threads.div_ceil(largest) as usize).sum();
        if needed > nodes {
            return Err(Infeasible::TooFewNodes { needed, nodes });
        }
        Ok(())
    }

    fn check_same(&self, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
        let cores = || machine.compute_nodes().map(|node| machine.node(node).cores);
        let (smallest, largest) = (cores().min().unwrap_or(0), cores().max().unwrap_or(0));
        // Applications on different nodes can fill nodes of different size.
        let everywhere = apps.iter().all(|app| app.nodes.is_none());
        if self.no_idle_cores && smallest < largest && everywhere {
            return Err(Infeasible::IdleCoresOnUnequalNodes { smallest, largest });
        }
        for app in apps {
            let nodes = allowed(machine, app).count();
            let steps = u32::try_from(nodes).unwrap_or(u32::MAX).max(1);
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
}

/// The nodes with cores that may hold threads of an application.
fn allowed<'a>(machine: &'a Machine, app: &'a App) -> impl Iterator<Item = NodeId> + 'a {
    machine.compute_nodes().filter(move |&node| may_hold(app, node))
}

// The reasons why a question has no answer.

/// A constraint that makes the question impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Infeasible {
    /// More threads wanted than there are cores.
    #[error("`min_threads` of all applications add up to {wanted}, but the machine has {cores} cores")]
    MinThreads {
        /// Sum of `min_threads`.
        wanted: u64,
        /// Cores of the machine.
        cores: u64,
    },
    /// More threads of an application wanted than there are cores on its nodes.
    #[error("{app} has `min_threads` {wanted}, but its `nodes` have {cores} cores")]
    TooFewAllowed {
        /// The application.
        app: String,
        /// Its `min_threads`.
        wanted: u32,
        /// Cores of the nodes that may hold its threads.
        cores: u64,
    },
    /// No allowed number of threads of the application fills both hardware threads of its cores.
    #[error(
        "{app} has two hardware threads on each core (`smt`), and may have only an odd number of threads"
    )]
    OddThreads {
        /// The application.
        app: String,
    },
    /// The per-node minimum does not fit a node.
    #[error("{per_node} threads of each of {apps} applications do not fit {node}, which has {cores} cores")]
    MinPerNode {
        /// The minimum.
        per_node: u32,
        /// Applications.
        apps: usize,
        /// The first node that is too small.
        node: NodeId,
        /// Its cores.
        cores: u32,
    },
    /// Whole nodes are required, and also every application on every node.
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
    /// The per-node minimum exceeds the application's maximum.
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
    /// No application may use a node, yet every core has to be used.
    #[error("no idle cores: no application may use {0} (`nodes`)")]
    NobodyOnNode(NodeId),
    /// Fixed data, independent of threads, exceeds the memory of a node.
    #[error("{node} would hold {needed} of data, but has {there} of memory (`memory_gib`)")]
    Memory {
        /// The node.
        node: NodeId,
        /// Data that is fixed there.
        needed: Gibibytes,
        /// Its memory.
        there: Gibibytes,
    },
    /// No node is large enough for data that must be in one place.
    #[error(
        "{app} has {needed} of data in one place, more than any node has: {node}, the largest, has {there} (`memory_gib`)"
    )]
    NoNodeForHome {
        /// The application.
        app: String,
        /// The data that must be on one node.
        needed: Gibibytes,
        /// The node with the most memory.
        node: NodeId,
        /// Its memory.
        there: Gibibytes,
    },
    /// More data than memory.
    #[error(
        "the applications have {needed} of data together, but the nodes have {there} of memory (`memory_gib`)"
    )]
    AllMemory {
        /// All data.
        needed: Gibibytes,
        /// All memory.
        there: Gibibytes,
    },
    /// No allocation was found whose data fits. The values are those of the allocation with the least excess.
    #[error(
        "the data fits in no placement (`memory_gib`): in the closest one, {node} would hold {needed}, but has {there}"
    )]
    NoMemoryAnywhere {
        /// The node with the largest excess.
        node: NodeId,
        /// Data that would be there.
        needed: Gibibytes,
        /// Its memory.
        there: Gibibytes,
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
    /// No allowed number of threads of the application is a multiple of its step.
    #[error(
        "{app} has a multiple of {step} threads on every node, but it may have only {min} to {max} in all"
    )]
    MultipleMissesRange {
        /// The application.
        app: String,
        /// The step for its threads on a node.
        step: u32,
        /// Fewest threads allowed.
        min: u32,
        /// Most threads allowed.
        max: u32,
    },
    /// The nodes that an application may use together hold too few of its threads.
    #[error("{app} needs {wanted} threads, but {} hold only {cores} of them", in_words(*nodes, *step))]
    TooFewOnNodes {
        /// The application.
        app: String,
        /// The fewest threads that it may have.
        wanted: u32,
        /// The most nodes that may have threads of it.
        nodes: usize,
        /// The step for its threads on a node.
        step: u32,
        /// The most threads of it that they hold.
        cores: u64,
    },
    /// An application may use fewer nodes than it must use.
    #[error("{app} may be on at most {most} nodes, but has to be on each of {nodes}")]
    MaxNodesEverywhere {
        /// The application.
        app: String,
        /// The most nodes that may have threads of it.
        most: usize,
        /// The nodes that must have some.
        nodes: usize,
    },
    /// Two applications must use the same node, and one of them needs its nodes exclusively.
    #[error("{app} has exclusive nodes, but {other} must also be on {node}")]
    ExclusiveEverywhere {
        /// The application that needs exclusive nodes.
        app: String,
        /// The application that must also be there.
        other: String,
        /// A node that both must use.
        node: NodeId,
    },
    /// The L3 domains that an application may use hold too few of its threads.
    #[error("{app} needs {wanted} threads, but {} hold only {cores} of them", domains_in_words(*domains, *each))]
    TooFewInDomains {
        /// The application.
        app: String,
        /// The fewest threads that it may have.
        wanted: u32,
        /// The most L3 domains that may have threads of it.
        domains: usize,
        /// The number of threads in each of them, if it is prescribed.
        each: Option<u32>,
        /// The most threads of it that they hold.
        cores: u64,
    },
    /// No allowed number of threads of the application is a multiple of its number in an L3 domain.
    #[error(
        "{app} has {each} threads in each L3 domain that it uses, but it may have only {min} to {max} in all"
    )]
    DomainMissesRange {
        /// The application.
        app: String,
        /// Threads in each domain.
        each: u32,
        /// Fewest threads allowed.
        min: u32,
        /// Most threads allowed.
        max: u32,
    },
    /// Fewer L3 domains than the applications need exclusively.
    #[error(
        "at most one application in an L3 domain: the applications need {needed} whole domains, there are {domains}"
    )]
    TooFewDomains {
        /// Domains needed at least.
        needed: usize,
        /// L3 domains of nodes with cores.
        domains: usize,
    },
    /// More nodes needed than the machine has.
    #[error("exclusive nodes: the applications need {needed} nodes, but {nodes} have cores")]
    ExclusiveNodes {
        /// Nodes needed at least.
        needed: usize,
        /// Nodes with cores.
        nodes: usize,
    },
    /// Each constraint alone can be satisfied, but not all together.
    #[error("no placement satisfies all constraints together: {}", .0.join(", "))]
    Together(Vec<String>),
    /// An application never finishes.
    #[error("in every placement some application makes no progress, so no makespan is finite: {}", .0.join(", "))]
    NoFiniteMakespan(Vec<String>),
}

/// `2 nodes`, `2 nodes in multiples of 4`.
fn in_words(nodes: usize, step: u32) -> String {
    let noun = if nodes == 1 { "node" } else { "nodes" };
    let multiples = if step > 1 { format!(" in multiples of {step}") } else { String::new() };
    format!("{nodes} {noun}{multiples}")
}

/// `2 L3 domains`, `2 L3 domains with 4 threads each`.
fn domains_in_words(domains: usize, each: Option<u32>) -> String {
    let noun = if domains == 1 { "L3 domain" } else { "L3 domains" };
    let with = each.map(|each| format!(" with {each} threads each")).unwrap_or_default();
    format!("{domains} {noun}{with}")
}

// Contradictions between placement requirements of applications, beyond numbers of threads and nodes, as far as they are detected without a
// search.

/// Contradictions between the requirements of applications, and with the common constraints.
fn check_placing(restrictions: &Restrictions, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
    for app in apps {
        check_one(restrictions, machine, app)?;
    }
    let largest = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(1).max(1);
    let nodes = machine.compute_nodes().count();
    let exclusive = || apps.iter().filter(|app| app.placing.exclusive);
    let own: usize = exclusive().map(|app| app.min_threads.div_ceil(largest) as usize).sum();
    let others = apps.iter().any(|app| !app.placing.exclusive && app.min_threads > 0);
    if own > 0 && own + usize::from(others) > nodes {
        return Err(Infeasible::ExclusiveNodes { needed: own + usize::from(others), nodes });
    }
    let everywhere = |app: &App| {
        restrictions.min_threads_per_node > 0 || (restrictions.same_on_every_node && app.min_threads > 0)
    };
    for app in exclusive().filter(|app| everywhere(app)) {
        let with = |node: NodeId| {
            let beside = |other: &&App| other.name != app.name && everywhere(other) && may_hold(other, node);
            apps.iter().find(beside).filter(|_| may_hold(app, node)).map(|other| (other.name.clone(), node))
        };
        if let Some((other, node)) = machine.compute_nodes().find_map(with) {
            return Err(Infeasible::ExclusiveEverywhere { app: app.name.clone(), other, node });
        }
    }
    Ok(())
}

fn check_one(restrictions: &Restrictions, machine: &Machine, app: &App) -> Result<(), Infeasible> {
    let (placing, name) = (&app.placing, || app.name.clone());
    let allowed = || machine.compute_nodes().filter(|&node| may_hold(app, node));
    let step = placing.multiple_of.map_or(1, NonZeroU32::get);
    let (min, max) = (app.min_threads, app.max_threads);
    if let Some(max) = max.filter(|&max| step > 1 && min.div_ceil(step).saturating_mul(step) > max) {
        return Err(Infeasible::MultipleMissesRange { app: name(), step, min, max });
    }
    if let Some(most) = placing.max_nodes {
        let everywhere =
            restrictions.min_threads_per_node > 0 || (restrictions.same_on_every_node && min > 0);
        let nodes = allowed().count();
        if everywhere && nodes > most {
            return Err(Infeasible::MaxNodesEverywhere { app: name(), most, nodes });
        }
    }
    let mut held: Vec<u64> =
        allowed().map(|node| u64::from(placing.previous(machine.node(node).cores))).collect();
    held.sort_unstable_by(|a, b| b.cmp(a));
    let nodes = placing.max_nodes.map_or(held.len(), |most| most.min(held.len()));
    let cores: u64 = held.iter().take(nodes).sum();
    if cores < u64::from(min) {
        return Err(Infeasible::TooFewOnNodes { app: name(), wanted: min, nodes, step, cores });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};

    /// Two nodes of 4 cores; `a` may use node 0, `b` node 1 or, with `both`, each.
    fn refused(restrictions: Restrictions, min_threads: u32, both: bool) -> Option<String> {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
        let mut apps = [local_app("a", 1.0), local_app("b", 1.0)];
        apps[0].nodes = Some(vec![NodeId(0)]);
        apps[0].min_threads = min_threads;
        apps[1].nodes = (!both).then(|| vec![NodeId(1)]);
        restrictions.check(&machine, &apps).err().map(|refused| refused.to_string())
    }

    #[test]
    fn only_allowed_nodes_count_for_an_application() {
        let free = Restrictions::default();
        assert_eq!(refused(free, 4, false), None);
        assert_eq!(
            refused(free, 5, false).as_deref(),
            Some("a has `min_threads` 5, but its `nodes` have 4 cores")
        );
        // 4 threads of each fit: they are on different nodes.
        let many = Restrictions { min_threads_per_node: 4, ..free };
        assert_eq!(refused(many, 1, false), None);
        assert!(refused(many, 1, true).is_some_and(|words| words.contains("do not fit node 0")));
        let whole = Restrictions { whole_nodes: true, same_on_every_node: true, ..free };
        assert_eq!(refused(whole, 1, false), None);
    }

    #[test]
    fn an_unusable_node_cannot_be_required_to_be_busy() {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
        let app = App { nodes: Some(vec![NodeId(0)]), ..local_app("a", 1.0) };
        let busy = Restrictions { no_idle_cores: true, ..Restrictions::default() };
        assert_eq!(busy.check(&machine, &[app]), Err(Infeasible::NobodyOnNode(NodeId(1))));
    }
}
