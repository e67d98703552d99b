//! Invariants of any sharing of bandwidth, regardless of the solver.
//!
//! Unit: read-equivalent GB/s, the consumed bandwidth ([`crate::Node::occupied_by`]).
//!
//! State: [`Grants`], a plain list with the demand and the grant of each group, its memory and its link, and
//! the capacities. It keeps no reference to a machine or a solver, so [`crate::evaluation::check()`] and
//! property tests use the same functions, and a test can write down a wrong sharing by hand. Each function is
//! linear in the number of groups and pairs of nodes.
//!
//! Properties, one function each:
//! - [`nobody_above_demand`]: 0 <= granted <= demand;
//! - [`controllers_within_capacity`]: the grants of a memory sum to at most its controller's bandwidth;
//! - [`links_within_capacity`]: the grants over a link sum to at most its bandwidth;
//! - [`common_limits_kept`]: the same for shared links, and for the reads of the threads of a node;
//! - [`at_least_baseline`]: no thread gets less than min(demand, baseline);
//! - [`work_conserving`]: no thread stays below its demand at a memory as long as the resource that limits it
//!   there is not full;
//! - [`nobody_hungry_with_room`]: no thread below its demand has room on every resource that it uses;
//! - [`own_port_keeps_its_part`]: a node's own threads keep an equal share of their controller.
//!
//! Every model keeps the first four, for grants and for traffic ([`within_limits`]). The default also keeps
//! the last two ([`of_default`]), because it redistributes unused bandwidth. `remote-first` keeps the
//! baseline and is work conserving in its grants ([`of_remote_first`]), but not in its traffic: a thread that
//! waits for one memory leaves its share of another unused. The default also keeps these two if each thread
//! reads one memory and no limit is shared.

use std::collections::BTreeMap;

use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::units::GigabytesPerSecond;

#[cfg(test)]
mod tests;

/// Relative tolerance of every comparison: well above the rounding error of a sum over all threads of a
/// machine, well below any bandwidth that matters.
pub const TOLERANCE: f64 = 1e-9;

/// One NUMA node: the capacity of its memory and the number of cores that can read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryNode {
    /// Bandwidth of the controller for all readers together, GB/s.
    pub capacity_gbs: f64,
    /// Number of cores; 0 for a memory-only node.
    pub cores: u32,
    /// Read limit of its threads together, GB/s; `None` is no limit.
    pub read_gbs: Option<f64>,
}

/// Read limit of the threads of an L3 domain together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainCapacity {
    /// Its node.
    pub node: NodeId,
    /// Its index within the node.
    pub domain: usize,
    /// GB/s.
    pub capacity_gbs: f64,
}

/// One direction of a shared link.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedCapacity {
    /// GB/s.
    pub capacity_gbs: f64,
    /// Nodes of the cores that read over it.
    pub from: Vec<NodeId>,
    /// Nodes of the memories that they read.
    pub to: Vec<NodeId>,
}

/// Equal threads: one application, one node, one memory. Values are those of one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The application.
    pub app: AppId,
    /// The node its threads run on.
    pub from: NodeId,
    /// The memory they read.
    pub memory: NodeId,
    /// Number of threads.
    pub threads: u32,
    /// Demand of one thread on this memory, GB/s.
    pub demand_gbs: f64,
    /// Grant of one thread, GB/s.
    pub granted_gbs: f64,
}

/// A sharing of bandwidth.
#[derive(Clone, Debug, PartialEq)]
pub struct Grants {
    /// Node i of the machine at index i.
    pub nodes: Vec<MemoryNode>,
    /// `[from][memory]`: bandwidth of the link, GB/s; `None` without a link.
    pub link_capacity_gbs: Vec<Vec<Option<f64>>>,
    /// Directions of shared links.
    pub shared: Vec<SharedCapacity>,
    /// L3 domains with a read limit.
    pub domains: Vec<DomainCapacity>,
    /// Number of rows of an application: row j has its threads in domain j of each node
    /// ([`Machine::rows_per_app`]).
    pub rows_per_app: usize,
    /// Demand and grant of each group.
    pub groups: Vec<Group>,
}

/// A violated property, with the values that show it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Violation {
    /// Threads on a node without cores, or on data without memory, or without a link between the two.
    #[error("{from} cannot read the memory of {memory}: a node, its cores or the link does not exist")]
    NoPath {
        /// The node of the threads.
        from: NodeId,
        /// The memory that they read.
        memory: NodeId,
    },
    /// A grant that is negative or not a finite number.
    #[error("{} is granted {} GB/s: not an amount of bandwidth", who(.0), .0.granted_gbs)]
    NotAnAmount(Group),
    /// A grant above the demand.
    #[error("{} is granted {} GB/s but wants {} GB/s", who(.0), .0.granted_gbs, .0.demand_gbs)]
    AboveDemand(Group),
    /// A controller grants more than its bandwidth.
    #[error("the controller of {memory} grants {granted_gbs} GB/s and has {capacity_gbs} GB/s")]
    ControllerOverrun {
        /// The memory.
        memory: NodeId,
        /// All grants from it, GB/s.
        granted_gbs: f64,
        /// Its bandwidth, GB/s.
        capacity_gbs: f64,
    },
    /// A link carries more than its bandwidth.
    #[error("the link {from} -> {memory} carries {granted_gbs} GB/s and has {capacity_gbs} GB/s")]
    LinkOverrun {
        /// The node of the cores.
        from: NodeId,
        /// The memory.
        memory: NodeId,
        /// All grants over it, GB/s.
        granted_gbs: f64,
        /// Its bandwidth, GB/s.
        capacity_gbs: f64,
    },
    /// A shared link carries more than its bandwidth.
    #[error("a shared link (direction {direction}) carries {granted_gbs} GB/s and has {capacity_gbs} GB/s")]
    SharedLinkOverrun {
        /// Index of the direction over all shared links.
        direction: usize,
        /// All grants over it, GB/s.
        granted_gbs: f64,
        /// Its bandwidth, GB/s.
        capacity_gbs: f64,
    },
    /// The threads of a node read more than their limit.
    #[error("the threads of {node} read {granted_gbs} GB/s and can read {capacity_gbs} GB/s")]
    ReadOverrun {
        /// The node.
        node: NodeId,
        /// Total grant of its threads, GB/s.
        granted_gbs: f64,
        /// The limit, GB/s.
        capacity_gbs: f64,
    },
    /// A thread below its demand, with room on every resource that it uses.
    #[error("{} is granted {} of the {} GB/s it wants, but everything it uses has room", who(.0), .0.granted_gbs, .0.demand_gbs)]
    HungryWithRoom(Group),
    /// A node's own threads have less than an equal share of their controller.
    #[error(
        "the threads of {node} are granted {granted_gbs} GB/s of their own memory: less than {due_gbs} GB/s"
    )]
    BelowEqualPart {
        /// The node.
        node: NodeId,
        /// Their total grant, GB/s.
        granted_gbs: f64,
        /// The smaller of their demand and the equal share, GB/s.
        due_gbs: f64,
    },
    /// Faster than with the machine to itself, or not a valid speed.
    #[error("application {} has {gflops} GFLOPS: not from 0 to its {full_speed} GFLOPS at full speed", app.0)]
    AboveFullSpeed {
        /// The application.
        app: AppId,
        /// Its GFLOPS.
        gflops: f64,
        /// GFLOPS of the same threads if each got its whole demand.
        full_speed: f64,
    },
    /// Less than the smaller of demand and baseline.
    #[error(
        "{} is granted {} GB/s: it wants {} GB/s and the baseline is {baseline_gbs} GB/s",
        who(group), group.granted_gbs, group.demand_gbs
    )]
    BelowBaseline {
        /// The group with too small a grant.
        group: Group,
        /// The baseline it is entitled to, GB/s.
        baseline_gbs: f64,
    },
    /// Below its demand although the controller, and the link if there is one, has bandwidth left.
    #[error(
        "{} is granted {} of the {} GB/s it wants, but the controller has {controller_left_gbs} GB/s left{}",
        who(group), group.granted_gbs, group.demand_gbs,
        link_left_gbs.map_or(String::new(), |left| format!(" and the link {left} GB/s"))
    )]
    IdleCapacity {
        /// The group below its demand.
        group: Group,
        /// Bandwidth left on the controller of the memory, GB/s.
        controller_left_gbs: f64,
        /// Bandwidth left on the link, GB/s; `None` for a thread that reads local memory.
        link_left_gbs: Option<f64>,
    },
}

fn who(group: &Group) -> String {
    let Group { app, from, memory, .. } = group;
    format!("a thread of application {} on {from} that reads the memory of {memory}", app.0)
}

impl Grants {
    /// The capacities of `machine`, without groups.
    pub fn of_idle(machine: &Machine) -> Self {
        let nodes = machine.nodes().iter().map(|node| MemoryNode {
            capacity_gbs: node.bandwidth.value(),
            cores: node.cores,
            read_gbs: node.read_bandwidth.map(GigabytesPerSecond::value),
        });
        let shared = machine.shared_directions().map(|direction| SharedCapacity {
            capacity_gbs: direction.link.bandwidth.value(),
            from: direction.from.to_vec(),
            to: direction.to.to_vec(),
        });
        let domains = machine.node_ids().filter_map(|node| {
            let own = machine.node(node);
            let capacity_gbs = own.l3_bandwidth?.value();
            Some((0..own.domains()).map(move |domain| DomainCapacity { node, domain, capacity_gbs }))
        });
        let links = |from| {
            machine
                .node_ids()
                .map(move |memory| machine.link(from, memory).map(GigabytesPerSecond::value))
                .collect()
        };
        Self {
            nodes: nodes.collect(),
            link_capacity_gbs: machine.node_ids().map(links).collect(),
            shared: shared.collect(),
            domains: domains.flatten().collect(),
            rows_per_app: machine.rows_per_app(),
            groups: Vec::new(),
        }
    }

    fn link(&self, from: NodeId, memory: NodeId) -> Option<f64> {
        self.link_capacity_gbs.get(from.0)?.get(memory.0).copied().flatten()
    }

    /// Sums of all grants. Success also means that every group has an existing path.
    fn totals(&self) -> Result<Totals, Violation> {
        let mut paths = vec![vec![0.0; self.nodes.len()]; self.nodes.len()];
        for &Group { from, memory, threads, granted_gbs, .. } in &self.groups {
            let cores = self.nodes.get(from.0).map_or(0, |node| node.cores);
            let path = from == memory || self.link(from, memory).is_some();
            match paths.get_mut(from.0).and_then(|row| row.get_mut(memory.0)) {
                Some(total) if cores > 0 && path => *total += f64::from(threads) * granted_gbs,
                _ => return Err(Violation::NoPath { from, memory }),
            }
        }
        let mut memories = vec![0.0; self.nodes.len()];
        for row in &paths {
            memories.iter_mut().zip(row).for_each(|(memory, path)| *memory += path);
        }
        Ok(Totals { paths, memories })
    }

    /// The L3 domain of the threads of a group, if it has a read limit, and its total reads, GB/s.
    fn domain_of(&self, group: &Group) -> Option<(&DomainCapacity, f64)> {
        let place = |group: &Group| (group.from, group.app.0.checked_rem(self.rows_per_app).unwrap_or(0));
        let domain = self.domains.iter().find(|domain| (domain.node, domain.domain) == place(group))?;
        let own = self.groups.iter().filter(|other| place(other) == place(group));
        Some((domain, own.map(|group| f64::from(group.threads) * group.granted_gbs).sum()))
    }

    /// Groups with at least one thread.
    fn readers(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.threads > 0)
    }
}

/// Sums of all grants.
struct Totals {
    /// `[from][memory]`: grants on that path, GB/s.
    paths: Vec<Vec<f64>>,
    /// Grants of each memory to all nodes together, GB/s.
    memories: Vec<f64>,
}

/// True for a value above the limit and for NaN.
fn above(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit * (1.0 + TOLERANCE)
}

impl Totals {
    /// Total grants over one direction of a shared link, GB/s.
    fn shared(&self, shared: &SharedCapacity) -> f64 {
        let pairs = shared.from.iter().flat_map(|from| shared.to.iter().map(|to| (from.0, to.0)));
        pairs.map(|(from, to)| self.paths[from][to]).sum()
    }

    /// Total reads of the threads of a node, GB/s.
    fn read_by(&self, node: NodeId) -> f64 {
        self.paths[node.0].iter().sum()
    }
}

/// Invariants of the grants of `remote-first` if no limit is shared. On a shared link, bandwidth may stay
/// unused in its single round; then only [`within_limits`] holds.
///
/// # Errors
/// The first [`Violation`].
pub fn of_remote_first(grants: &Grants) -> Result<(), Violation> {
    within_limits(grants)?;
    at_least_baseline(grants)?;
    work_conserving(grants)
}

/// Invariants of the default.
///
/// # Errors
/// The first [`Violation`].
pub fn of_default(grants: &Grants) -> Result<(), Violation> {
    within_limits(grants)?;
    nobody_hungry_with_room(grants)?;
    own_port_keeps_its_part(grants)
}

/// Invariants of every model, for grants and for traffic: no group exceeds its demand, and no resource its
/// capacity.
///
/// # Errors
/// The first [`Violation`].
pub fn within_limits(grants: &Grants) -> Result<(), Violation> {
    nobody_above_demand(grants)?;
    controllers_within_capacity(grants)?;
    links_within_capacity(grants)?;
    common_limits_kept(grants)
}

/// No grant exceeds the demand, and no grant is negative.
///
/// # Errors
/// [`Violation::NotAnAmount`], [`Violation::AboveDemand`].
pub fn nobody_above_demand(grants: &Grants) -> Result<(), Violation> {
    for group in grants.readers() {
        if !group.granted_gbs.is_finite() || group.granted_gbs < 0.0 {
            return Err(Violation::NotAnAmount(*group));
        }
        if above(group.granted_gbs, group.demand_gbs) {
            return Err(Violation::AboveDemand(*group));
        }
    }
    Ok(())
}

/// No memory grants more than its controller's bandwidth.
///
/// # Errors
/// [`Violation::ControllerOverrun`], [`Violation::NoPath`].
pub fn controllers_within_capacity(grants: &Grants) -> Result<(), Violation> {
    let totals = grants.totals()?;
    for (m, &MemoryNode { capacity_gbs, .. }) in grants.nodes.iter().enumerate() {
        let memory = NodeId(m);
        let granted_gbs = totals.memories[m];
        if above(granted_gbs, capacity_gbs) {
            return Err(Violation::ControllerOverrun { memory, granted_gbs, capacity_gbs });
        }
    }
    Ok(())
}

/// No link carries more than its bandwidth.
///
/// # Errors
/// [`Violation::LinkOverrun`], [`Violation::NoPath`].
pub fn links_within_capacity(grants: &Grants) -> Result<(), Violation> {
    for (n, row) in grants.totals()?.paths.iter().enumerate() {
        for (m, &granted_gbs) in row.iter().enumerate() {
            let (from, memory) = (NodeId(n), NodeId(m));
            if let Some(capacity_gbs) = grants.link(from, memory)
                && above(granted_gbs, capacity_gbs)
            {
                return Err(Violation::LinkOverrun { from, memory, granted_gbs, capacity_gbs });
            }
        }
    }
    Ok(())
}

/// No shared link carries more than its bandwidth, and no node's threads read more than their limit.
///
/// # Errors
/// [`Violation::SharedLinkOverrun`], [`Violation::ReadOverrun`], [`Violation::NoPath`].
pub fn common_limits_kept(grants: &Grants) -> Result<(), Violation> {
    let totals = grants.totals()?;
    for (direction, shared) in grants.shared.iter().enumerate() {
        let (granted_gbs, capacity_gbs) = (totals.shared(shared), shared.capacity_gbs);
        if above(granted_gbs, capacity_gbs) {
            return Err(Violation::SharedLinkOverrun { direction, granted_gbs, capacity_gbs });
        }
    }
    for (n, node) in grants.nodes.iter().enumerate() {
        let granted_gbs = totals.read_by(NodeId(n));
        if let Some(capacity_gbs) = node.read_gbs
            && above(granted_gbs, capacity_gbs)
        {
            return Err(Violation::ReadOverrun { node: NodeId(n), granted_gbs, capacity_gbs });
        }
    }
    for group in grants.readers() {
        if let Some((&DomainCapacity { node, capacity_gbs, .. }, granted_gbs)) = grants.domain_of(group)
            && above(granted_gbs, capacity_gbs)
        {
            return Err(Violation::ReadOverrun { node, granted_gbs, capacity_gbs });
        }
    }
    Ok(())
}

/// A thread this far below its demand counts as hungry, and this fraction of a capacity counts as room: the
/// default redistributes bandwidth in rounds and stops at some point.
const ROOM: f64 = 1e-6;

/// No thread below its demand reads only over controllers and links with room left: one of its controllers,
/// links and shared links, or the read limit of its node, is full within a relative 1e-6.
///
/// # Errors
/// [`Violation::HungryWithRoom`], [`Violation::NoPath`].
pub fn nobody_hungry_with_room(grants: &Grants) -> Result<(), Violation> {
    let totals = grants.totals()?;
    let full = |used: f64, capacity: f64| used >= capacity * (1.0 - ROOM);
    let held_back = |group: &Group| {
        let Group { from, memory, .. } = *group;
        full(totals.memories[memory.0], grants.nodes[memory.0].capacity_gbs)
            || grants.domain_of(group).is_some_and(|(domain, read)| full(read, domain.capacity_gbs))
            || grants.nodes[from.0].read_gbs.is_some_and(|limit| full(totals.read_by(from), limit))
            || (from != memory
                && (grants.link(from, memory).is_some_and(|link| full(totals.paths[from.0][memory.0], link))
                    || grants.shared.iter().any(|shared| {
                        shared.from.contains(&from)
                            && shared.to.contains(&memory)
                            && full(totals.shared(shared), shared.capacity_gbs)
                    })))
    };
    let mut hungry: BTreeMap<(AppId, NodeId), (&Group, bool)> = BTreeMap::new();
    for group in grants.readers().filter(|group| group.granted_gbs < group.demand_gbs * (1.0 - ROOM)) {
        let threads = hungry.entry((group.app, group.from)).or_insert((group, false));
        threads.1 |= held_back(group);
    }
    let with_room = hungry.into_values().find(|(_, held_back)| !held_back);
    with_room.map_or(Ok(()), |(group, _)| Err(Violation::HungryWithRoom(*group)))
}

/// The threads of a node that read only its memory keep at least min(their demand, B / (1 + nodes that read
/// it from outside)) together.
///
/// If threads with data on several memories run on the node, the two groups divide that share; if the reads
/// of the node are limited, it may be less. Such nodes are not checked.
///
/// # Errors
/// [`Violation::BelowEqualPart`].
pub fn own_port_keeps_its_part(grants: &Grants) -> Result<(), Violation> {
    let nodes = grants.nodes.len();
    // Per node: demand and grant of its own threads on its memory, and whether they read other memories. Per
    // pair: whether a group reads over it.
    let (mut wanted, mut granted, mut spread) = (vec![0.0; nodes], vec![0.0; nodes], vec![false; nodes]);
    let mut readers = vec![0_u32; nodes];
    let mut paths: Vec<(NodeId, NodeId)> = Vec::new();
    for group in grants.readers().filter(|group| group.demand_gbs > 0.0) {
        if group.from == group.memory {
            wanted[group.from.0] += f64::from(group.threads) * group.demand_gbs;
            granted[group.from.0] += f64::from(group.threads) * group.granted_gbs;
        } else {
            paths.push((group.from, group.memory));
        }
    }
    paths.sort_unstable();
    paths.dedup();
    for (from, memory) in paths {
        readers[memory.0] += 1;
        spread[from.0] = true;
    }
    for (n, node) in grants.nodes.iter().enumerate() {
        let limits_domains = grants.domains.iter().any(|domain| domain.node.0 == n);
        if spread[n] || limits_domains || node.read_gbs.is_some() {
            continue;
        }
        let due_gbs = f64::min(wanted[n], node.capacity_gbs / (1.0 + f64::from(readers[n])));
        if above(due_gbs - TOLERANCE * node.capacity_gbs, granted[n]) {
            return Err(Violation::BelowEqualPart { node: NodeId(n), granted_gbs: granted[n], due_gbs });
        }
    }
    Ok(())
}

/// Every thread gets at least min(demand, baseline).
///
/// The baseline of a thread that reads local memory is R / `C_m`, where R is the bandwidth that remote
/// readers leave of the controller and `C_m` the number of cores of the node. The baseline of a thread on a
/// link is the grant of the link / the number of cores of the node of the thread. The tolerance is relative
/// to the baseline of the whole pool, before remote readers took their share: R may be the small difference
/// of two large numbers.
///
/// # Errors
/// [`Violation::BelowBaseline`], [`Violation::NoPath`].
pub fn at_least_baseline(grants: &Grants) -> Result<(), Violation> {
    let totals = grants.totals()?;
    for group in grants.readers() {
        let MemoryNode { capacity_gbs, cores, .. } = grants.nodes[group.from.0];
        let own_path = totals.paths[group.from.0][group.memory.0];
        let (whole, pool) = if group.from == group.memory {
            let remote = totals.memories[group.memory.0] - own_path;
            (capacity_gbs, (capacity_gbs - remote).max(0.0))
        } else {
            (own_path, own_path)
        };
        let baseline_gbs = pool / f64::from(cores);
        let due = group.demand_gbs.min(baseline_gbs);
        if above(due - TOLERANCE * whole / f64::from(cores), group.granted_gbs) {
            return Err(Violation::BelowBaseline { group: *group, baseline_gbs });
        }
    }
    Ok(())
}

/// No thread gets less than its demand as long as bandwidth is left: a thread that reads local memory is
/// below its demand only if the controller is full, a thread on a link only if the link or the controller is
/// full.
///
/// # Errors
/// [`Violation::IdleCapacity`], [`Violation::NoPath`].
pub fn work_conserving(grants: &Grants) -> Result<(), Violation> {
    let totals = grants.totals()?;
    for group in grants.readers().filter(|group| above(group.demand_gbs, group.granted_gbs)) {
        let Group { from, memory, .. } = *group;
        let capacity = grants.nodes[memory.0].capacity_gbs;
        let controller_left_gbs = capacity - totals.memories[memory.0];
        let link_capacity = grants.link(from, memory).filter(|_| from != memory);
        let link_left_gbs = link_capacity.map(|link| link - totals.paths[from.0][memory.0]);
        let controller_used_up = controller_left_gbs <= TOLERANCE * capacity;
        let link_used_up =
            link_capacity.zip(link_left_gbs).is_some_and(|(capacity, left)| left <= TOLERANCE * capacity);
        if !controller_used_up && !link_used_up {
            return Err(Violation::IdleCapacity { group: *group, controller_left_gbs, link_left_gbs });
        }
    }
    Ok(())
}
