//! What must hold of any sharing of bandwidth, whichever solver made it.
//!
//! State: [`Grants`], a plain list of who wants and gets how much from which memory over which link, with the
//! capacities. All figures are in GB/s. It keeps no reference to a machine or a solver, so that
//! [`crate::evaluation::check()`] and property tests use the same functions, and a test can write down a wrong sharing by
//! hand. Each function is linear in the groups and the pairs of nodes.
//!
//! Properties, one function each:
//! - [`nobody_above_demand`]: 0 <= granted <= demand;
//! - [`controllers_within_capacity`]: the grants of a memory sum to at most its controller's bandwidth;
//! - [`links_within_capacity`]: the grants over a link sum to at most its bandwidth;
//! - [`at_least_baseline`]: nobody gets less than min(demand, baseline);
//! - [`work_conserving`]: nobody stays hungry while what it waits for is not used up.
//!
//! They hold of what steps 1 to 4 of the model grant. Of what is really drawn after step 5 only the first
//! three hold: a thread that waits for one memory leaves its share of another unused.

use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::units::GigabytesPerSecond;

#[cfg(test)]
mod tests;

/// Relative tolerance of every comparison: well above the rounding of a sum over all threads of a machine,
/// well below any bandwidth that matters.
pub const TOLERANCE: f64 = 1e-9;

/// One NUMA node: the capacity of its memory and the cores that can read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryNode {
    /// What the controller delivers to all readers together, GB/s.
    pub capacity_gbs: f64,
    /// Cores; 0 for a memory-only node.
    pub cores: u32,
}

/// Equal threads: one application, one node, one memory. Figures are those of one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The application.
    pub app: AppId,
    /// The node its threads run on.
    pub from: NodeId,
    /// The memory they read.
    pub memory: NodeId,
    /// How many threads.
    pub threads: u32,
    /// What one thread wants from this memory, GB/s.
    pub demand_gbs: f64,
    /// What one thread is granted, GB/s.
    pub granted_gbs: f64,
}

/// A sharing of bandwidth.
#[derive(Clone, Debug, PartialEq)]
pub struct Grants {
    /// Node i of the machine at index i.
    pub nodes: Vec<MemoryNode>,
    /// `[from][memory]`: bandwidth of the link, GB/s; `None` where there is none.
    pub link_capacity_gbs: Vec<Vec<Option<f64>>>,
    /// Who wants and gets what.
    pub groups: Vec<Group>,
}

/// A property that does not hold, with the figures that show it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Violation {
    /// Threads where there is no core, no memory, or no link between the two.
    #[error("{from} cannot read the memory of {memory}: a node, its cores or the link does not exist")]
    NoPath {
        /// Where the threads run.
        from: NodeId,
        /// What they read.
        memory: NodeId,
    },
    /// A grant that is negative or not a finite number.
    #[error("{} is granted {} GB/s: not an amount of bandwidth", who(.0), .0.granted_gbs)]
    NotAnAmount(Group),
    /// More than it wants.
    #[error("{} is granted {} GB/s but wants {} GB/s", who(.0), .0.granted_gbs, .0.demand_gbs)]
    AboveDemand(Group),
    /// A controller gives more than it has.
    #[error("the controller of {memory} grants {granted_gbs} GB/s and has {capacity_gbs} GB/s")]
    ControllerOverrun {
        /// The memory.
        memory: NodeId,
        /// All grants from it, GB/s.
        granted_gbs: f64,
        /// Its bandwidth, GB/s.
        capacity_gbs: f64,
    },
    /// A link carries more than it can.
    #[error("the link {from} -> {memory} carries {granted_gbs} GB/s and has {capacity_gbs} GB/s")]
    LinkOverrun {
        /// Where the cores are.
        from: NodeId,
        /// The memory.
        memory: NodeId,
        /// All grants over it, GB/s.
        granted_gbs: f64,
        /// Its bandwidth, GB/s.
        capacity_gbs: f64,
    },
    /// Faster than with the machine to itself, or no speed at all.
    #[error("application {} has {gflops} GFLOPS: not from 0 to its {full_speed} GFLOPS at full speed", app.0)]
    AboveFullSpeed {
        /// The application.
        app: AppId,
        /// Its GFLOPS.
        gflops: f64,
        /// GFLOPS of the same threads if each drew all it wants.
        full_speed: f64,
    },
    /// Less than the smaller of demand and baseline.
    #[error(
        "{} is granted {} GB/s: it wants {} GB/s and the baseline is {baseline_gbs} GB/s",
        who(group), group.granted_gbs, group.demand_gbs
    )]
    BelowBaseline {
        /// Who gets too little.
        group: Group,
        /// The baseline it is entitled to, GB/s.
        baseline_gbs: f64,
    },
    /// Hungry while the controller, and the link if there is one, has something left.
    #[error(
        "{} is granted {} of the {} GB/s it wants, but the controller has {controller_left_gbs} GB/s left{}",
        who(group), group.granted_gbs, group.demand_gbs,
        link_left_gbs.map_or(String::new(), |left| format!(" and the link {left} GB/s"))
    )]
    IdleCapacity {
        /// Who is hungry.
        group: Group,
        /// What the controller of the memory has left, GB/s.
        controller_left_gbs: f64,
        /// What the link has left, GB/s; `None` for a thread that reads its own node.
        link_left_gbs: Option<f64>,
    },
}

fn who(group: &Group) -> String {
    let Group { app, from, memory, .. } = group;
    format!("a thread of application {} on {from} that reads the memory of {memory}", app.0)
}

impl Grants {
    /// The capacities of `machine`, and nobody there yet.
    pub fn of_idle(machine: &Machine) -> Self {
        let nodes = machine
            .nodes()
            .iter()
            .map(|node| MemoryNode { capacity_gbs: node.bandwidth.value(), cores: node.cores });
        let links = |from| {
            machine
                .node_ids()
                .map(move |memory| machine.link(from, memory).map(GigabytesPerSecond::value))
                .collect()
        };
        Self {
            nodes: nodes.collect(),
            link_capacity_gbs: machine.node_ids().map(links).collect(),
            groups: Vec::new(),
        }
    }

    fn link(&self, from: NodeId, memory: NodeId) -> Option<f64> {
        self.link_capacity_gbs.get(from.0)?.get(memory.0).copied().flatten()
    }

    /// All grants, summed. An answer also means that every group has an existing path.
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

    /// Groups that have a thread.
    fn readers(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.threads > 0)
    }
}

/// All grants, summed.
struct Totals {
    /// `[from][memory]`: on that path, GB/s.
    paths: Vec<Vec<f64>>,
    /// Of each memory to all nodes together, GB/s.
    memories: Vec<f64>,
}

/// True for a value above the limit and for one that is not a number.
fn above(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit * (1.0 + TOLERANCE)
}

/// Every property at once, in the order of the module's list.
///
/// # Errors
/// The first [`Violation`].
pub fn all(grants: &Grants) -> Result<(), Violation> {
    within_limits(grants)?;
    at_least_baseline(grants)?;
    work_conserving(grants)
}

/// What every model promises, of what is granted and of what is drawn: nobody has more than it wants or than there is.
///
/// # Errors
/// The first [`Violation`].
pub fn within_limits(grants: &Grants) -> Result<(), Violation> {
    nobody_above_demand(grants)?;
    controllers_within_capacity(grants)?;
    links_within_capacity(grants)
}

/// Nobody gets more than it wants, and nobody gets a negative amount.
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

/// No memory gives more than its controller's bandwidth.
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

/// Every thread gets at least min(demand, baseline).
///
/// The baseline of a thread that reads its own node is R / `C_m`, with R what remote readers leave of the
/// controller and `C_m` the cores of the node; that of a thread on a link is what the link got / the cores of
/// the node the thread runs on. The tolerance is relative to the baseline of the whole pool, before remote
/// readers took their part: R may be the small difference of two large numbers.
///
/// # Errors
/// [`Violation::BelowBaseline`], [`Violation::NoPath`].
pub fn at_least_baseline(grants: &Grants) -> Result<(), Violation> {
    let totals = grants.totals()?;
    for group in grants.readers() {
        let MemoryNode { capacity_gbs, cores } = grants.nodes[group.from.0];
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

/// Nobody gets less than it wants while there is more to give: a thread that reads its own node is hungry only
/// if the controller is used up, a thread on a link only if the link or the controller is.
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
