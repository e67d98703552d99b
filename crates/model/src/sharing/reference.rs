//! The default `baseline-proportional`, thread by thread: slow, obvious, and the reference for any faster
//! solver; and `remote-first` in the same way.
//!
//! State: one `Thread` per thread of the allocation, with its demand and its bandwidth on each memory. All
//! bandwidths are in GB/s, all speeds in GFLOPS.
//!
//! Problem: each thread on node n has the demand d = min(`gflops_per_core` / arithmetic intensity,
//! `core_bandwidth`), spread over the memories by the fractions of its data. Controllers, links, shared links
//! and read limits of nodes cannot serve them all.
//!
//! One GB/s of a write kernel consumes more of a memory than one GB/s of reads if the machine defines a value
//! for it. Requests, grants and traffic of every shared resource are therefore counted in read-equivalent
//! GB/s, and a thread's cost on a memory is the fraction of its data there times that factor.
//!
//! Approach: [`super::dealt`] follows the wording of the default, `remote_first` that of the paper. Both use
//! the same rule inside one port, *baseline plus proportional*: baseline = G / cores of the node; each thread
//! first gets min(demand, baseline); the rest is split in proportion to the remaining demand of each thread.
//!
//! Terminology: *wants* is demand; *granted* is the grant of a port; *drawn* is the actual traffic of a
//! thread: the smallest granted / cost over its memories, x its cost there. Under the default, bandwidth that
//! is granted and not drawn is redistributed, so both are equal in the end; under `remote-first` it stays
//! unused.
//!
//! Properties: those of [`super::invariants`]; the order of applications and the numbering of nodes do not
//! matter; all bandwidths and peaks times k give all GFLOPS times k. If each thread reads one memory and no
//! limit is shared, threads added on one node never raise the bandwidth of a thread on another node.
//!
//! Source: Dokulil and Benkner, "NUMA-aware CPU core allocation in cooperating dynamic applications", section
//! III-A (local sharing: assumptions 3 to 5; remote first: the paragraph on NUMA-bad applications). Ports and
//! rounds are ours.

use crate::allocation::{Allocation, TooManyThreads};
use crate::app::Placement;
use crate::demand::Demand;
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::sharing::dealt::{self, Thread, demand_in_all, split, threads_of};
use crate::sharing::invariants::{Grants, Group};
use crate::sharing::solver::by_rows;
use crate::sharing_model::ModelKind;
use crate::units::{Gflops, GigabytesPerSecond};

// The paper's literal rule, memory by memory.
//
// For memory m with bandwidth `B_m` and `C_m` cores:
// 1. Remote first: the threads of another node n together get min(their demand, link n->m). If all links
//    together would get more than `B_m`, each is scaled by the same factor.
// 2. Inside one link the threads split the link's grant, with baseline = grant of the link / cores of n.
// 3. The rest of `B_m` goes to the threads that run on m, with baseline = rest / `C_m`.

/// Shares every memory.
fn remote_first(machine: &Machine, threads: &mut [Thread]) {
    for memory in machine.node_ids() {
        serve(machine, memory, threads);
    }
}

fn serve(machine: &Machine, memory: NodeId, threads: &mut [Thread]) {
    let controller = machine.node(memory).bandwidth.value();

    // Step 1: remote first.
    let mut link_gets: Vec<(NodeId, f64)> = Vec::new();
    for from in machine.node_ids() {
        if let Some(link) = machine.link(from, memory) {
            let on_from = threads.iter().filter(|thread| thread.node == from);
            let wanted: f64 = on_from.map(|thread| thread.demand_gbs(memory)).sum();
            link_gets.push((from, wanted.min(link.value())));
        }
    }
    let all_links: f64 = link_gets.iter().map(|&(_, gets)| gets).sum();
    let too_much = all_links > controller;
    if too_much {
        for (_, gets) in &mut link_gets {
            *gets *= controller / all_links;
        }
    }

    // Step 2: inside one link.
    for &(from, gets) in &link_gets {
        grant(machine, gets, from, memory, threads);
    }

    // Step 3: the rest. It is exactly 0 after scaling; the subtraction would leave a rounding error.
    grant(machine, if too_much { 0.0 } else { controller - all_links }, memory, memory, threads);
}

/// Splits `pool` among the threads that run on `from`, by their demands on `memory`.
fn grant(machine: &Machine, pool: f64, from: NodeId, memory: NodeId, threads: &mut [Thread]) {
    let mut readers: Vec<&mut Thread> = threads.iter_mut().filter(|thread| thread.node == from).collect();
    let wants: Vec<f64> = readers.iter().map(|thread| thread.demand_gbs(memory)).collect();
    let gets = split(pool, f64::from(machine.node(from).cores), &wants);
    for (thread, gets) in readers.iter_mut().zip(gets) {
        thread.gets[memory.0] = gets;
    }
}

/// Tolerance for the sum of the fractions of an application's data, which should be 1.
const FRACTION_SUM_TOLERANCE: f64 = 1e-9;

/// The reason that there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReferenceError {
    /// More threads than cores on a node.
    #[error(transparent)]
    TooManyThreads(#[from] TooManyThreads),
    /// The allocation is for another number of applications or nodes.
    #[error(
        "{apps} applications on {nodes} nodes need as many rows and columns of threads, not {rows} x {columns}"
    )]
    Shape {
        /// Applications given.
        apps: usize,
        /// Nodes of the machine.
        nodes: usize,
        /// Applications of the allocation.
        rows: usize,
        /// Nodes of the allocation.
        columns: usize,
    },
    /// The data of an application is not completely on the nodes of this machine.
    #[error("the data of application {} does not lie on the {nodes} nodes of the machine: {placement:?}", app.0)]
    Placement {
        /// The application.
        app: AppId,
        /// Nodes of the machine.
        nodes: usize,
        /// The given placement of its data.
        placement: Placement,
    },
    /// The arithmetic intensity is not positive, or too small for the demand to be a finite number.
    #[error("the arithmetic intensity of application {} must be a positive finite number and ask for a finite bandwidth, not {value}", app.0)]
    ArithmeticIntensity {
        /// The application.
        app: AppId,
        /// Its arithmetic intensity in FLOP per byte.
        value: f64,
    },
}

/// Checks that the allocation, the placements and the demands fit the machine.
fn check(machine: &Machine, demands: &[Demand], allocation: &Allocation) -> Result<(), ReferenceError> {
    let (apps, nodes) = (demands.len(), machine.node_count());
    let (rows, columns) = (allocation.apps(), allocation.nodes());
    // An allocation without applications does not specify its number of nodes.
    if rows != apps || (apps > 0 && columns != nodes) {
        return Err(ReferenceError::Shape { apps, nodes, rows, columns });
    }
    let is_memory = |home: NodeId| home.0 < nodes && machine.has_memory(home);
    for (a, demand) in demands.iter().enumerate() {
        let app = AppId(a);
        let on_machine = match &demand.placement {
            Placement::Local | Placement::Interleave | Placement::Replicated => true,
            Placement::Home(home) => is_memory(*home),
            Placement::PartHome { home, share } => is_memory(*home) && (0.0..=1.0).contains(share),
            Placement::PartInterleave { share } => (0.0..=1.0).contains(share),
            Placement::Fractions(fractions) => {
                fractions.len() == nodes
                    && fractions.iter().all(|fraction| (0.0..=1.0).contains(fraction))
                    && machine.node_ids().all(|node| fractions[node.0] == 0.0 || machine.has_memory(node))
                    && (fractions.iter().sum::<f64>() - 1.0).abs() <= FRACTION_SUM_TOLERANCE
            }
        };
        if !on_machine {
            let placement = demand.placement.clone();
            return Err(ReferenceError::Placement { app, nodes, placement });
        }
        let value = demand.arithmetic_intensity.value();
        let finite = machine.compute_nodes().all(|node| demand_in_all(machine, node, demand).is_finite());
        if !(value > 0.0 && value.is_finite() && finite) {
            return Err(ReferenceError::ArithmeticIntensity { app, value });
        }
    }
    if apps > 0 {
        allocation.fits(machine)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

/// The threads of one application on one node that read one memory; values are those of one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Readers {
    /// The application.
    pub app: AppId,
    /// The node its threads run on.
    pub from: NodeId,
    /// The memory they read.
    pub memory: NodeId,
    /// Number of threads.
    pub threads: u32,
    /// Demand of one thread on this memory, in read-equivalent GB/s.
    pub demand_gbs: GigabytesPerSecond,
    /// Grant of one thread.
    pub granted: GigabytesPerSecond,
    /// Actual read-equivalent traffic of one thread on it.
    pub drawn: GigabytesPerSecond,
}

/// The answer of the reference solver.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceOutcome {
    /// `[app][node]` (with rows of applications if L3 domains matter, [`Machine::rows_per_app`]): bandwidth
    /// of one thread as it moves data, on all memories together; `None` if the application has no thread
    /// there.
    pub thread_bandwidth: Vec<Vec<Option<GigabytesPerSecond>>>,
    /// `[app][node]`: speed of one thread; `None` if the application has no thread there.
    pub thread_gflops: Vec<Vec<Option<Gflops>>>,
    /// Speed of each application, all its threads together.
    pub app_gflops: Vec<Gflops>,
    /// `[node][memory]`: total grant of the threads of the node.
    pub granted: Vec<Vec<GigabytesPerSecond>>,
    /// `[node][memory]`: actual read-equivalent traffic of the threads of the node.
    pub drawn: Vec<Vec<GigabytesPerSecond>>,
    /// Groups of threads that read the same memory, by application, node and memory; a memory without data of
    /// the thread is absent.
    pub readers: Vec<Readers>,
}

impl ReferenceOutcome {
    /// Speed of all applications together.
    pub fn total_gflops(&self) -> Gflops {
        self.app_gflops.iter().fold(Gflops::default(), |sum, &app| sum + app)
    }

    /// The grants, for [`super::invariants`].
    pub fn grants(&self, machine: &Machine) -> Grants {
        self.describe(machine, |readers| readers.granted)
    }

    /// The actual traffic, in the same form. It is within every capacity and demand; under `remote-first` it
    /// may be below the baseline and leave capacity unused.
    pub fn draws(&self, machine: &Machine) -> Grants {
        self.describe(machine, |readers| readers.drawn)
    }

    fn describe(&self, machine: &Machine, amount: fn(&Readers) -> GigabytesPerSecond) -> Grants {
        let mut grants = Grants::of_idle(machine);
        grants.groups.extend(self.readers.iter().map(|readers| Group {
            app: readers.app,
            from: readers.from,
            memory: readers.memory,
            threads: readers.threads,
            demand_gbs: readers.demand_gbs.value(),
            granted_gbs: amount(readers).value(),
        }));
        grants
    }
}

impl Thread {
    /// Its demand on a memory, in read-equivalent GB/s.
    fn demand_gbs(&self, memory: NodeId) -> f64 {
        self.wants * self.cost[memory.0]
    }

    /// The slowest memory sets the pace; GB/s on all memories together.
    fn bandwidth(&self) -> f64 {
        let paces = self.gets.iter().zip(&self.cost).filter(|&(_, &cost)| cost > 0.0);
        paces.map(|(gets, cost)| gets / cost).fold(f64::INFINITY, f64::min)
    }
}

/// Shares the bandwidth of every memory among the threads of `allocation`; `demands[a]` is application a.
/// Uses the rules of `remote-first` if it is the model of the machine, otherwise those of the default;
/// corrections are ignored.
///
/// # Errors
/// Every variant of [`ReferenceError`].
pub fn solve(
    machine: &Machine,
    demands: &[Demand],
    allocation: &Allocation,
) -> Result<ReferenceOutcome, ReferenceError> {
    check(machine, demands, allocation)?;
    let (demands, allocation) = (&*by_rows(machine, demands), &*allocation.rows(machine));
    let mut threads = threads_of(machine, demands, allocation);
    match machine.sharing().kind {
        ModelKind::RemoteFirst => remote_first(machine, &mut threads),
        _ => dealt::share(machine, &mut threads, drop),
    }
    Ok(report(machine, demands, allocation, &threads))
}

/// The speeds, and the reported sums.
fn report(
    machine: &Machine,
    demands: &[Demand],
    allocation: &Allocation,
    threads: &[Thread],
) -> ReferenceOutcome {
    let (apps, nodes) = (demands.len(), machine.node_count());
    let mut outcome = ReferenceOutcome {
        thread_bandwidth: vec![vec![None; nodes]; apps],
        thread_gflops: vec![vec![None; nodes]; apps],
        app_gflops: vec![Gflops::default(); apps / machine.rows_per_app()],
        granted: vec![vec![GigabytesPerSecond::default(); nodes]; nodes],
        drawn: vec![vec![GigabytesPerSecond::default(); nodes]; nodes],
        readers: Vec::new(),
    };
    for thread in threads {
        let (a, n) = (thread.app.0, thread.node.0);
        let bandwidth = GigabytesPerSecond::new(thread.bandwidth());
        let demand = &demands[a];
        let rows = machine.rows_per_app();
        let first = a - a % rows;
        let is_used = |node| (first..first + rows).any(|row| allocation.get(AppId(row), node) > 0);
        let nodes = machine.node_ids().filter(|&node| is_used(node)).count();
        let kept = 1.0 / (1.0 + demand.node_overhead * libm::log2(nodes as f64));
        let gflops =
            demand.peak(machine.node(thread.node)).min(bandwidth * demand.arithmetic_intensity) * kept;
        let first_of_its_kind = outcome.thread_bandwidth[a][n].is_none();
        outcome.thread_bandwidth[a][n] = Some(bandwidth);
        outcome.thread_gflops[a][n] = Some(gflops);
        outcome.app_gflops[a / rows] = outcome.app_gflops[a / rows] + gflops;
        for memory in machine.node_ids() {
            let m = memory.0;
            let granted = GigabytesPerSecond::new(thread.gets[m]);
            let drawn = bandwidth * thread.cost[m];
            outcome.granted[n][m] = outcome.granted[n][m] + granted;
            outcome.drawn[n][m] = outcome.drawn[n][m] + drawn;
            // Threads of one application on one node are equal: one entry represents them all.
            if first_of_its_kind && thread.cost[m] > 0.0 {
                outcome.readers.push(Readers {
                    app: thread.app,
                    from: thread.node,
                    memory,
                    threads: allocation.get(thread.app, thread.node),
                    demand_gbs: GigabytesPerSecond::new(thread.demand_gbs(memory)),
                    granted,
                    drawn,
                });
            }
        }
    }
    outcome
}
