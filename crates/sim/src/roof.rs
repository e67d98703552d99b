//! Upper bounds for one application under any model: cores, links and memories.

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{App, Machine, NodeId, Placement};

use crate::restrictions::may_hold;

/// On a machine with more nodes, equal nodes are tried once as a home, and nothing is searched: 1024 nodes have a million pairs.
pub(crate) const MOST_NODES_SEARCHED: usize = 64;

/// The memories for which a limit is computed: those that all threads read. Data that is spread over a large machine has too many.
fn common_memories(machine: &Machine, placement: &Placement) -> Vec<NodeId> {
    if let Some(home) = placement.home() {
        return vec![home];
    }
    let few = machine.node_count() <= MOST_NODES_SEARCHED;
    let read = |node: &NodeId| few && placement.fixed_share(machine, *node) > 0.0;
    machine.memory_nodes().filter(read).collect()
}

/// GFLOPS of the application for each GB/s of `memory` that it occupies, if `share` of its data is there.
fn per_gbs(machine: &Machine, app: &App, memory: NodeId, share: f64) -> f64 {
    app.arithmetic_intensity.value() / (share * machine.node(memory).occupied_by(app.traffic()))
}

/// An upper bound on the GFLOPS of threads on `node` in any model, from its cores and its links.
pub(crate) fn roof_of_node(machine: &Machine, app: &App, placement: &Placement, node: NodeId) -> f64 {
    let cores = f64::from(machine.node(node).cores) * of_core(machine, app, node);
    let over_link = |memory: NodeId| {
        let link = machine.link(node, memory).map_or(f64::INFINITY, GigabytesPerSecond::value);
        link * per_gbs(machine, app, memory, placement.fraction(machine, node, memory))
    };
    common_memories(machine, placement).into_iter().map(over_link).fold(cores, f64::min)
}

/// The highest performance of one core of `node`.
fn of_core(machine: &Machine, app: &App, node: NodeId) -> f64 {
    let (limits, node) = (app.limits(), machine.node(node));
    let fed = limits.want(node, app.arithmetic_intensity) * app.arithmetic_intensity;
    fed.min(limits.peak(node)).value()
}

/// An upper bound on the GFLOPS of `app` in any model with this placement of its data, from nodes, its threads and the memories that all of
/// them read.
pub(crate) fn roof(machine: &Machine, app: &App, placement: &Placement) -> f64 {
    let nodes: Vec<NodeId> = machine.compute_nodes().filter(|&node| may_hold(app, node)).collect();
    let mut of_nodes: Vec<f64> =
        nodes.iter().map(|&node| roof_of_node(machine, app, placement, node)).collect();
    of_nodes.sort_by(|a, b| b.total_cmp(a));
    let by_nodes: f64 = of_nodes.iter().take(app.placing.max_nodes.unwrap_or(usize::MAX)).sum();
    let fastest = nodes.iter().map(|&node| of_core(machine, app, node)).fold(0.0, f64::max);
    let by_threads = app.max_threads.map_or(f64::INFINITY, |max| f64::from(max) * fastest);
    let of_memory = |memory: NodeId| {
        let bandwidth = machine.node(memory).bandwidth.value();
        bandwidth * per_gbs(machine, app, memory, placement.fixed_share(machine, memory))
    };
    let memories = common_memories(machine, placement).into_iter().map(of_memory);
    let roof = memories.fold(by_nodes.min(by_threads), f64::min);
    if app.writes_copies(placement) { roof.min(roof_of_copies(machine, app, &nodes)) } else { roof }
}

/// An upper bound on the GFLOPS of `app` in any model with threads on some of `nodes` and a copy of its data on each of these. With k
/// nodes, each byte of traffic becomes 1 + (k - 1) x the written share, on all memories together and for the node that moves it. The k - 1
/// links of a node, including the slowest of the fastest k - 1, carry that share of its traffic.
fn roof_of_copies(machine: &Machine, app: &App, nodes: &[NodeId]) -> f64 {
    let (written, intensity) = (app.traffic().write_share(), app.arithmetic_intensity.value());
    let occupied = |memory: NodeId| machine.node(memory).occupied_by(app.traffic());
    let least_occupied =
        nodes.iter().map(|&node| occupied(machine.local_memory(node))).fold(f64::INFINITY, f64::min);
    // Nodes without memory may share a copy.
    if !nodes.iter().all(|&node| machine.has_memory(node)) {
        return f64::INFINITY;
    }
    let largest_first = |mut values: Vec<f64>| {
        values.sort_by(|a, b| b.total_cmp(a));
        values
    };
    // GB/s that a node writes over each of its links, the fastest first.
    let links: Vec<Vec<f64>> = nodes
        .iter()
        .map(|&from| {
            let to = nodes.iter().filter_map(|&to| Some(machine.link(from, to)?.value() / occupied(to)));
            largest_first(to.collect())
        })
        .collect();
    let memories = largest_first(nodes.iter().map(|&node| machine.node(node).bandwidth.value()).collect());
    let most_nodes = app.placing.max_nodes.unwrap_or(usize::MAX).min(nodes.len());
    let on_nodes = |k: usize| {
        let moved = 1.0 + (k - 1) as f64 * written;
        let of_node = |(&node, links): (&NodeId, &Vec<f64>)| {
            let own = machine.node(node);
            let cores = f64::from(own.cores) * of_core(machine, app, node) / intensity;
            let over_link =
                if k > 1 { links.get(k - 2).copied().unwrap_or(0.0) / written } else { f64::INFINITY };
            let read = own.most_read().map_or(f64::INFINITY, |read| read.value() / (moved * least_occupied));
            cores.min(over_link).min(read)
        };
        let of_nodes = largest_first(nodes.iter().zip(&links).map(of_node).collect());
        let by_memories = memories.iter().take(k).sum::<f64>() / (moved * least_occupied);
        let gbs = of_nodes.iter().take(k).sum::<f64>().min(by_memories);
        gbs * intensity / (1.0 + app.node_overhead * libm::log2(k as f64))
    };
    (1..=most_nodes).map(on_nodes).fold(0.0, f64::max)
}
