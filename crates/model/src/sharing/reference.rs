//! The model `baseline-proportional`, thread by thread: slow, obvious, and the measure of any faster solver.
//!
//! State: one `Thread` per thread of the allocation, with what it wants and what it gets from each memory.
//! All bandwidths are in GB/s, all speeds in GFLOPS.
//!
//! Problem: the threads on node n want d = min(`gflops_per_core` / arithmetic intensity, `core_bandwidth`)
//! each, spread over the memories by the fractions of their data. Controllers and links cannot serve them all.
//!
//! Approach: the memories are independent of each other until step 5, so steps 1 to 4 run for one memory m,
//! with bandwidth `B_m` and `C_m` cores, at a time:
//! 1. Remote first: the threads of another node n together get min(what they want, link n->m). If all links
//!    together would get more than `B_m`, each is scaled by the same factor.
//! 2. Inside one link the threads split what the link got by the rule of step 4, with
//!    baseline = what the link got / cores of n.
//! 3. What is left of `B_m`, R, goes to the threads that run on m.
//! 4. Baseline plus proportional: baseline = R / `C_m`; each thread first gets min(demand, baseline); what is
//!    still left is split in proportion to what each thread still wants.
//! 5. The bandwidth of a thread is the minimum over the memories it reads of (what it gets / its fraction
//!    there); GFLOPS = min(`gflops_per_core`, bandwidth x arithmetic intensity).
//!
//! Terminology: *wants* is demand; *granted* is what steps 1 to 4 give; *drawn* is what a thread really uses
//! after step 5, its bandwidth x its fraction. What is granted and not drawn stays unused.
//!
//! Properties: those of [`super::invariants`]; the order of applications and the numbering of nodes do not
//! matter; all bandwidths and peaks times k give all GFLOPS times k; threads added on one node never raise the
//! bandwidth of a thread on another node; a larger pool never lowers the share of a thread in it.
//!
//! Source: Dokulil and Benkner, "NUMA-aware CPU core allocation in cooperating dynamic applications",
//! section III-A (local sharing: assumptions 3 to 5; remote first: the paragraph on NUMA-bad applications).

use super::invariants::{Grants, Group};
use crate::allocation::Allocation;
use crate::demand::Demand;
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::units::{Gflops, GigabytesPerSecond};

mod check;
#[cfg(test)]
mod tests;

pub use check::ReferenceError;

/// The threads of one application on one node that read one memory; figures are those of one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Readers {
    /// The application.
    pub app: AppId,
    /// The node its threads run on.
    pub from: NodeId,
    /// The memory they read.
    pub memory: NodeId,
    /// How many threads.
    pub threads: u32,
    /// What one thread wants from this memory.
    pub demand_gbs: GigabytesPerSecond,
    /// What steps 1 to 4 give one thread.
    pub granted: GigabytesPerSecond,
    /// What one thread really draws after step 5.
    pub drawn: GigabytesPerSecond,
}

/// The answer of the reference solver.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceOutcome {
    /// `[app][node]`: bandwidth of one thread, from all memories together; `None` where the application has no
    /// thread.
    pub thread_bandwidth: Vec<Vec<Option<GigabytesPerSecond>>>,
    /// `[app][node]`: speed of one thread; `None` where the application has no thread.
    pub thread_gflops: Vec<Vec<Option<Gflops>>>,
    /// Speed of each application, all its threads together.
    pub app_gflops: Vec<Gflops>,
    /// `[node][memory]`: what steps 1 to 4 give the threads of the node together.
    pub granted: Vec<Vec<GigabytesPerSecond>>,
    /// `[node][memory]`: what the threads of the node together really draw after step 5.
    pub drawn: Vec<Vec<GigabytesPerSecond>>,
    /// Who reads which memory, by application, node and memory; a memory on which a thread has no data is absent.
    pub readers: Vec<Readers>,
}

impl ReferenceOutcome {
    /// Speed of all applications together.
    pub fn total_gflops(&self) -> Gflops {
        self.app_gflops.iter().fold(Gflops::default(), |sum, &app| sum + app)
    }

    /// What steps 1 to 4 granted, for [`super::invariants`].
    pub fn grants(&self, machine: &Machine) -> Grants {
        self.describe(machine, |readers| readers.granted)
    }

    /// What is really drawn after step 5, in the same form. It is within every capacity and demand, but it
    /// need not reach the baseline nor use capacity up.
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

/// One thread. Vectors have one entry per memory.
struct Thread {
    app: AppId,
    node: NodeId,
    /// The share of its data on each memory.
    fraction: Vec<f64>,
    /// GB/s.
    demand_gbs: Vec<f64>,
    /// GB/s, after steps 1 to 4.
    gets: Vec<f64>,
}

impl Thread {
    /// Step 5: the slowest memory sets the pace, GB/s from all memories together.
    fn bandwidth(&self) -> f64 {
        let paces = self.gets.iter().zip(&self.fraction).filter(|&(_, &fraction)| fraction > 0.0);
        paces.map(|(gets, fraction)| gets / fraction).fold(f64::INFINITY, f64::min)
    }
}

/// Shares the bandwidth of every memory among the threads of `allocation`; `demands[a]` is application a.
///
/// # Errors
/// Every variant of [`ReferenceError`].
pub fn solve(
    machine: &Machine,
    demands: &[Demand],
    allocation: &Allocation,
) -> Result<ReferenceOutcome, ReferenceError> {
    check::check(machine, demands, allocation)?;
    let mut threads = threads_of(machine, demands, allocation);
    for memory in machine.node_ids() {
        serve(machine, memory, &mut threads);
    }
    Ok(report(machine, demands, allocation, &threads))
}

/// d = min(`gflops_per_core` / arithmetic intensity, `core_bandwidth`) in GB/s.
fn demand_in_all(machine: &Machine, node: NodeId, demand: &Demand) -> f64 {
    let node = machine.node(node);
    let at_peak = node.gflops_per_core / demand.arithmetic_intensity;
    node.core_bandwidth.map_or(at_peak, |ceiling| at_peak.min(ceiling)).value()
}

fn threads_of(machine: &Machine, demands: &[Demand], allocation: &Allocation) -> Vec<Thread> {
    let mut threads = Vec::new();
    for (a, demand) in demands.iter().enumerate() {
        let app = AppId(a);
        for node in machine.node_ids() {
            for _ in 0..allocation.get(app, node) {
                let fraction: Vec<f64> =
                    machine.node_ids().map(|m| demand.placement.fraction(machine, node, m)).collect();
                let d = demand_in_all(machine, node, demand);
                let demand_gbs = fraction.iter().map(|fraction| d * fraction).collect();
                let gets = vec![0.0; fraction.len()];
                threads.push(Thread { app, node, fraction, demand_gbs, gets });
            }
        }
    }
    threads
}

/// Steps 1 to 4 for one memory.
fn serve(machine: &Machine, memory: NodeId, threads: &mut [Thread]) {
    let controller = machine.node(memory).bandwidth.value();
    let cores = |node: NodeId| f64::from(machine.node(node).cores);

    // Step 1: remote first.
    let mut link_gets: Vec<(NodeId, f64)> = Vec::new();
    for from in machine.node_ids() {
        if let Some(link) = machine.link(from, memory) {
            let on_from = threads.iter().filter(|thread| thread.node == from);
            let wanted: f64 = on_from.map(|thread| thread.demand_gbs[memory.0]).sum();
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
        split(gets, gets / cores(from), from, memory, threads);
    }

    // Step 3: what is left. Exactly nothing after scaling; the subtraction would leave a rounding error.
    let left = if too_much { 0.0 } else { controller - all_links };

    // Step 4: the threads that run on this node.
    split(left, left / cores(memory), memory, memory, threads);
}

/// Baseline plus proportional: splits `pool` among the threads that run on `from`, by what they want of `memory`.
fn split(pool: f64, baseline: f64, from: NodeId, memory: NodeId, threads: &mut [Thread]) {
    let m = memory.0;
    let mut readers: Vec<&mut Thread> = threads.iter_mut().filter(|thread| thread.node == from).collect();
    for thread in &mut readers {
        thread.gets[m] = thread.demand_gbs[m].min(baseline);
    }
    let left = (pool - readers.iter().map(|thread| thread.gets[m]).sum::<f64>()).max(0.0);
    let still_wanted: f64 = readers.iter().map(|thread| thread.demand_gbs[m] - thread.gets[m]).sum();
    for thread in &mut readers {
        if left >= still_wanted {
            thread.gets[m] = thread.demand_gbs[m];
        } else {
            // Below 1 times what the thread still wants: nobody gets more than it wants.
            thread.gets[m] += (thread.demand_gbs[m] - thread.gets[m]) * (left / still_wanted);
        }
    }
}

/// Step 5, and the sums that are reported.
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
        app_gflops: vec![Gflops::default(); apps],
        granted: vec![vec![GigabytesPerSecond::default(); nodes]; nodes],
        drawn: vec![vec![GigabytesPerSecond::default(); nodes]; nodes],
        readers: Vec::new(),
    };
    for thread in threads {
        let (a, n) = (thread.app.0, thread.node.0);
        let bandwidth = GigabytesPerSecond::new(thread.bandwidth());
        let peak = machine.node(thread.node).gflops_per_core;
        let gflops = peak.min(bandwidth * demands[a].arithmetic_intensity);
        let first_of_its_kind = outcome.thread_bandwidth[a][n].is_none();
        outcome.thread_bandwidth[a][n] = Some(bandwidth);
        outcome.thread_gflops[a][n] = Some(gflops);
        outcome.app_gflops[a] = outcome.app_gflops[a] + gflops;
        for memory in machine.node_ids() {
            let m = memory.0;
            let granted = GigabytesPerSecond::new(thread.gets[m]);
            let drawn = bandwidth * thread.fraction[m];
            outcome.granted[n][m] = outcome.granted[n][m] + granted;
            outcome.drawn[n][m] = outcome.drawn[n][m] + drawn;
            // Threads of one application on one node are alike: one entry stands for them all.
            if first_of_its_kind && thread.fraction[m] > 0.0 {
                outcome.readers.push(Readers {
                    app: thread.app,
                    from: thread.node,
                    memory,
                    threads: allocation.get(thread.app, thread.node),
                    demand_gbs: GigabytesPerSecond::new(thread.demand_gbs[m]),
                    granted,
                    drawn,
                });
            }
        }
    }
    outcome
}
