//! How fast tasks are: what one wants, in the words of the rule, and what all get, from a new solver.

use numasim_model::demand::Demand;
use numasim_model::sharing::Solver;
use numasim_model::units::FlopPerByte;
use numasim_model::{Access, AppId, Machine, NodeId, Placement, Table};

use super::sources::Sources;

/// Bytes of a cache line; bytes per nanosecond are GB/s.
const LINE_BYTES: f64 = 64.0;

/// What a task of `gflop` on `node` wants; or how long it takes, where it has no bytes but from its own cache.
pub(super) fn decide(machine: &Machine, node: NodeId, gflop: f64, sources: &mut Sources) {
    let core = machine.node(node);
    let peak = core.gflops_per_core.value();
    let from_cache = sources.traffic.llc_local;
    let cache_gbs = machine.cache(node).and_then(|cache| cache.core_bandwidth);
    let bytes = sources.bytes();
    if bytes <= 0.0 {
        let cached_s = cache_gbs.map_or(0.0, |gbs| from_cache / 1e9 / gbs.value());
        sources.fixed_s = Some((gflop / peak).max(cached_s));
        return;
    }
    let mut limits = Vec::new();
    if gflop > 0.0 {
        limits.push(peak * (bytes / 1e9) / gflop);
    }
    if let Some(most) = core.core_bandwidth {
        limits.push(most.value());
    }
    if let Some(gbs) = cache_gbs.filter(|_| from_cache > 0.0) {
        limits.push(gbs.value() * bytes / from_cache);
    }
    let seconds_per_gb = waiting(machine, node, sources);
    if seconds_per_gb > 0.0 {
        limits.push(1.0 / seconds_per_gb);
    }
    if limits.is_empty() {
        for memory in machine.node_ids().filter(|memory| sources.by_memory[memory.0] > 0.0) {
            let bandwidth = machine.node(memory).bandwidth.value();
            let efficiency = machine.sharing().parameters.link_efficiency;
            let link = machine.link(node, memory).map(|link| link.value() * efficiency);
            let alone = link.map_or(bandwidth, |link| link.min(bandwidth));
            limits.push(alone / (sources.by_memory[memory.0] / bytes));
        }
    }
    sources.want_gbs = limits.into_iter().fold(f64::INFINITY, f64::min);
}

/// Seconds that a thread waits for a GB because it cannot ask for more at a time: the mean over its data; 0 where nothing limits it.
fn waiting(machine: &Machine, node: NodeId, sources: &Sources) -> f64 {
    let parameters = machine.sharing().parameters;
    let mut mean = 0.0;
    for memory in machine.node_ids() {
        let lines = parameters.outstanding_lines.zip(machine.latency_ns(node, memory));
        let by_lines = lines.map(|(lines, latency_ns)| lines * LINE_BYTES / latency_ns);
        let given = if memory == node { parameters.core_local_gbs } else { parameters.core_remote_gbs };
        let most = by_lines.unwrap_or(f64::INFINITY).min(given.unwrap_or(f64::INFINITY));
        mean += sources.by_memory[memory.0] / sources.bytes() / most;
    }
    mean
}

/// The part of its work that each of the tasks, on their nodes, does per second when all of them work.
pub(super) fn parts_per_second(machine: &Machine, working: &[(NodeId, &Sources)]) -> Vec<f64> {
    let demand = |&(node, sources): &(NodeId, &Sources)| {
        // A core that digests no more than the task wants.
        let peak = machine.node(node).gflops_per_core.value();
        let bytes = sources.bytes();
        Demand {
            arithmetic_intensity: FlopPerByte::new(peak / sources.want_gbs),
            kernel: Access::Read,
            placement: Placement::Fractions(sources.by_memory.iter().map(|part| part / bytes).collect()),
        }
    };
    let demands: Vec<Demand> = working.iter().map(demand).collect();
    let solver = Solver::new(machine, &demands);
    let mut workspace = solver.workspace();
    let mut threads: Table<u32> = Table::filled(working.len(), machine.node_count(), 0);
    for (app, &(node, _)) in working.iter().enumerate() {
        threads[(AppId(app), node)] = 1;
    }
    solver.solve(threads.as_slice(), &mut workspace);
    let gbs = workspace.bandwidth_per_thread();
    let rate = |(app, &(node, sources)): (usize, &(NodeId, &Sources))| {
        gbs[(AppId(app), node)] * 1e9 / sources.bytes()
    };
    working.iter().enumerate().map(rate).collect()
}
