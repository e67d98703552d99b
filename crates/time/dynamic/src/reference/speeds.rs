//! How fast every thread is: cores shared by bisection, thread by thread, then the sharing model from the beginning.

use numasim_model::demand::Demand;
use numasim_model::dynamics::Os;
use numasim_model::sharing::Solver;
use numasim_model::units::FlopPerByte;
use numasim_model::{AppId, Machine, NodeId, Table};

use super::records::Application;

/// One thread that computes, for the sharing of the cores of its node.
struct OnCore {
    /// The core, counted through all nodes, where it is bound to one.
    core: Option<u32>,
    /// The part of a core that it has; `None` while it may still grow.
    part: Option<f64>,
}

/// Writes part, speed and bandwidth of every thread.
pub(super) fn set(machine: &Machine, os: &Os, applications: &mut [Application]) {
    for application in applications.iter_mut() {
        for thread in &mut application.threads {
            (thread.part, thread.speed, thread.bandwidth_gbs) = (0.0, 0.0, 0.0);
        }
    }
    for (n, node) in machine.nodes().iter().enumerate() {
        share_cores(n, node.cores, applications);
    }
    solve(machine, os, applications);
}

/// Max-min fair parts of the cores of a node: the level of all threads that may still grow rises until some of them cannot
/// grow any more; these stay, the others go on.
fn share_cores(node: usize, cores: u32, applications: &mut [Application]) {
    let mut places = Vec::new();
    let mut threads = Vec::new();
    for (a, application) in applications.iter().enumerate() {
        for (t, thread) in application.threads.iter().enumerate() {
            if thread.node == node && application.computes(thread) {
                places.push((a, t));
                threads.push(OnCore { core: thread.is_bound.then_some(thread.core), part: None });
            }
        }
    }
    while threads.iter().any(|thread| thread.part.is_none()) {
        let level = highest_level(&threads, cores);
        // Who cannot have a little more, when it alone asks for it?
        let tight: Vec<bool> = (0..threads.len())
            .map(|t| {
                let more = |i: usize| threads[i].part.unwrap_or(level + if i == t { 1e-7 } else { 0.0 });
                threads[t].part.is_none() && !is_possible(&threads, cores, &more)
            })
            .collect();
        for (thread, _) in threads.iter_mut().zip(tight).filter(|(_, tight)| *tight) {
            thread.part = Some(level);
        }
    }
    for ((a, t), thread) in places.into_iter().zip(threads) {
        applications[a].threads[t].part = thread.part.unwrap_or(0.0);
    }
}

/// The highest level that all threads without a part can have together.
fn highest_level(threads: &[OnCore], cores: u32) -> f64 {
    let possible = |level: f64| is_possible(threads, cores, &|t: usize| threads[t].part.unwrap_or(level));
    if possible(1.0) {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    // Each step halves what is unknown; 60 are below the precision of a number near 1.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if possible(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Whether the cores of a node can give these parts: no thread more than a core, those that are bound to a core no more than
/// it has, all together no more than there is (threads that are not bound may run on any core, one after the other).
fn is_possible(threads: &[OnCore], cores: u32, part: &dyn Fn(usize) -> f64) -> bool {
    const ROUNDING: f64 = 1e-14;
    let mut total = 0.0;
    for (t, thread) in threads.iter().enumerate() {
        total += part(t);
        if part(t) > 1.0 + ROUNDING {
            return false;
        }
        if thread.core.is_some() {
            let on_core = (0..threads.len()).filter(|&other| threads[other].core == thread.core);
            if on_core.map(part).sum::<f64>() > 1.0 + ROUNDING {
                return false;
            }
        }
    }
    total <= f64::from(cores) * (1.0 + ROUNDING)
}

/// The threads of an application on a node: equal but for their parts.
struct Group {
    app: usize,
    node: usize,
    demand: Demand,
    efficiency: f64,
    /// The sum of the parts.
    count: f64,
}

/// Speeds, where every group of threads is an application of its own for a new solver.
fn solve(machine: &Machine, os: &Os, applications: &mut [Application]) {
    let mut groups = Vec::new();
    for (app, application) in applications.iter().enumerate() {
        let Some((phase, demand)) = application.phase().zip(demand(application)) else { continue };
        let computing = application.threads.iter().filter(|thread| application.computes(thread));
        let efficiency =
            phase.scaling.efficiency(u32::try_from(computing.clone().count()).unwrap_or(u32::MAX));
        for node in 0..machine.node_count() {
            let parts: Vec<f64> =
                computing.clone().filter(|thread| thread.node == node).map(|thread| thread.part).collect();
            if !parts.is_empty() {
                groups.push(Group {
                    app,
                    node,
                    demand: demand.clone(),
                    efficiency,
                    count: parts.iter().sum(),
                });
            }
        }
    }
    let bandwidths = bandwidths(machine, &groups);
    for (group, bandwidth_gbs) in groups.iter().zip(bandwidths) {
        let peak = machine.node(NodeId(group.node)).gflops_per_core.value() * group.efficiency;
        let full = (bandwidth_gbs * group.demand.arithmetic_intensity.value()).min(peak);
        let application = &mut applications[group.app];
        let of_node = application.threads.iter_mut().filter(|thread| thread.node == group.node);
        for thread in of_node.filter(|thread| thread.part > 0.0) {
            let is_shared = thread.part < 1.0 - 1e-9;
            thread.speed = thread.part * full * if is_shared { os.efficiency() } else { 1.0 };
            thread.bandwidth_gbs = thread.part * bandwidth_gbs;
        }
    }
}

/// What the phase under way asks for.
fn demand<'a>(application: &'a Application) -> Option<&'a Demand> {
    match application.stage {
        super::records::Stage::Phase(number, _) => application.demands.get(number),
        _ => None,
    }
}

/// GB/s of one full thread of each group.
///
/// A solver knows no efficiency. A thread that wants e times what it wants at full speed is one whose core has
/// so high an intensity that it digests no more: peak / intensity = e x want.
fn bandwidths(machine: &Machine, groups: &[Group]) -> Vec<f64> {
    let full: Vec<Demand> = groups.iter().map(|group| group.demand.clone()).collect();
    let wants = Solver::new(machine, &full);
    let slowed = |(g, group): (usize, &Group)| {
        let mut demand = group.demand.clone();
        if group.efficiency < 1.0 {
            let want = wants.demand_per_thread()[(AppId(g), NodeId(group.node))] * group.efficiency;
            let peak = machine.node(NodeId(group.node)).gflops_per_core.value();
            demand.arithmetic_intensity = FlopPerByte::new(peak / want);
        }
        demand
    };
    let demands: Vec<Demand> = groups.iter().enumerate().map(slowed).collect();
    let solver = Solver::new(machine, &demands);
    let mut workspace = solver.workspace();
    let mut counts = Table::filled(groups.len(), machine.node_count(), 0.0);
    for (g, group) in groups.iter().enumerate() {
        counts[(AppId(g), NodeId(group.node))] = group.count;
    }
    solver.solve_fractional(counts.as_slice(), &mut workspace);
    let bandwidth = workspace.bandwidth_per_thread();
    groups.iter().enumerate().map(|(g, group)| bandwidth[(AppId(g), NodeId(group.node))]).collect()
}
