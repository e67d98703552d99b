//! What several nodes, or all threads of one, read at once: limits that a matrix of single pairs cannot show.

use numasim_host::HostTopology;
use numasim_host::sockets::Socket;
use numasim_model::Machine;
use numasim_model::ids::NodeId;

use super::steps::{Flow, Purpose, Step, readers};
use super::{Calibration, Figure, MeasuredStep, SharedFigure, Together, predicted};

/// Most thread counts of which a prediction is asked to find the best mix.
const MIXES: u32 = 64;

/// From the steps that were tried; `also` was read by the same cores at other times, and can be read at any.
fn most<'a>(
    steps: impl Iterator<Item = &'a MeasuredStep>,
    also: impl Iterator<Item = Figure>,
    machine: &Machine,
) -> Option<Together> {
    let mut best: Option<Together> = None;
    for done in steps {
        let predicted_gbs = predicted::bandwidth(machine, &done.step.flows)?;
        best = Some(best.map_or(Together { bandwidth: done.bandwidth, predicted_gbs }, |best| Together {
            bandwidth: best.bandwidth.larger(done.bandwidth),
            predicted_gbs: best.predicted_gbs.max(predicted_gbs),
        }));
    }
    let best = best?;
    Some(Together { bandwidth: also.fold(best.bandwidth, Figure::larger), ..best })
}

/// Ordered pairs of sockets of which at least one has more than one node.
fn directions(host: &HostTopology) -> Vec<(Socket, Socket)> {
    let sockets = host.sockets();
    let mut found = Vec::new();
    for a in &sockets {
        for b in sockets.iter().filter(|b| b.number != a.number) {
            if a.nodes.len() > 1 || b.nodes.len() > 1 {
                found.push((a.clone(), b.clone()));
            }
        }
    }
    found
}

/// The ways in which all cores of `a` read the memories of `b`: each node one of them, each node all of them.
fn ways(host: &HostTopology, a: &Socket, b: &Socket) -> Vec<Step> {
    let cores = |node: NodeId| host.nodes[node.0].cores;
    let readers: Vec<NodeId> = a.nodes.iter().copied().filter(|&node| cores(node) > 0).collect();
    // Memories with cores first: those without (CXL) are slower as a rule.
    let mut memories = b.nodes.clone();
    memories.sort_by_key(|&node| (cores(node) == 0, node));
    let one_each = readers.iter().zip(memories.iter().cycle());
    let one_each = one_each.map(|(&from, &to)| Flow { from, to, threads: cores(from) });
    let mut all: Vec<Flow> = Vec::new();
    for (n, &from) in readers.iter().enumerate() {
        // Each node begins with another memory, so that the threads that are over do not meet.
        let mut turned = memories.clone();
        turned.rotate_left(n % memories.len().max(1));
        all.extend(divided(from, cores(from), &turned));
    }
    let mut ways = vec![one_each.collect::<Vec<Flow>>(), all];
    ways.retain(|flows| flows.len() > 1);
    ways.dedup();
    ways.into_iter().map(|flows| Step { purpose: Purpose::SharedLink, flows }).collect()
}

/// Threads of `from`, divided as evenly as whole threads allow; the first memories get one more.
fn divided(from: NodeId, threads: u32, memories: &[NodeId]) -> Vec<Flow> {
    let count = u32::try_from(memories.len()).unwrap_or(u32::MAX).max(1);
    let flows = (0..).zip(memories).map(|(n, &to): (u32, _)| {
        let one_more = u32::from(n < threads % count);
        Flow { from, to, threads: threads / count + one_more }
    });
    flows.filter(|flow| flow.threads > 0).collect()
}

/// What is measured between sockets.
pub(super) fn between_sockets(host: &HostTopology) -> Vec<Step> {
    directions(host).iter().flat_map(|(a, b)| ways(host, a, b)).collect()
}

/// Judges what sockets read of each other.
pub(super) fn judge_sockets(host: &HostTopology, found: &mut Calibration, measured: &[MeasuredStep]) {
    let Ok(machine) = predicted::machine(host, found) else { return };
    for (a, b) in directions(host) {
        let tried = ways(host, &a, &b);
        let steps = measured.iter().filter(|done| tried.contains(&done.step));
        let pairs = a.nodes.iter().flat_map(|from| b.nodes.iter().map(move |to| (from.0, to.0)));
        let alone = pairs.filter_map(|(from, to)| found.links[from][to]);
        if let Some(together) = most(steps, alone, &machine) {
            let sockets = (a.number, b.number);
            found.shared_links.push(SharedFigure { sockets, from: a.nodes, to: b.nodes, together });
        }
    }
}

/// Nodes whose threads can read several memories at once.
fn mixed_readers(host: &HostTopology) -> impl Iterator<Item = (NodeId, u32)> + '_ {
    readers(host).filter(|&(_, cores)| cores > 1 && host.nodes.len() > 1)
}

/// How many mixes are measured at most.
pub(super) fn most_mixes(host: &HostTopology) -> usize {
    mixed_readers(host).count() * 2
}

/// What each node reads at once: the mix that the figures so far predict the most of, and half and half.
pub(super) fn mixes(host: &HostTopology, found: &Calibration) -> Vec<Step> {
    let machine = predicted::machine(host, found);
    let mut steps = Vec::new();
    for (node, cores) in mixed_readers(host) {
        // The widest links first: they get the threads that are over.
        let mut remote: Vec<(NodeId, f64)> = found.links[node.0]
            .iter()
            .enumerate()
            .filter_map(|(to, figure)| Some((NodeId(to), figure.as_ref()?.median)))
            .collect();
        remote.sort_by(|a, b| b.1.total_cmp(&a.1));
        let remote: Vec<NodeId> = remote.into_iter().map(|(to, _)| to).collect();
        let mix = |local: u32| {
            let mut flows = vec![Flow { from: node, to: node, threads: local }];
            flows.extend(divided(node, cores - local, &remote));
            Step { purpose: Purpose::NodeRead, flows }
        };
        let mut best: Option<(u32, f64)> = None;
        if let Ok(machine) = &machine {
            for local in (1..cores).step_by((cores.div_ceil(MIXES) as usize).max(1)) {
                let Some(gbs) = predicted::bandwidth(machine, &mix(local).flows) else { continue };
                if best.is_none_or(|(_, most)| gbs > most * (1.0 + 1e-9)) {
                    best = Some((local, gbs));
                }
            }
        }
        let half = cores / 2;
        let mut counts = vec![best.map_or(half, |(local, _)| local), half];
        counts.dedup();
        steps.extend(counts.into_iter().map(mix));
    }
    steps
}

/// Judges what nodes read.
pub(super) fn judge_nodes(host: &HostTopology, found: &mut Calibration, measured: &[MeasuredStep]) {
    let Ok(machine) = predicted::machine(host, found) else { return };
    for (node, _) in mixed_readers(host) {
        let steps = measured.iter().filter(|done| done.step.from_nodes() == [node]);
        let links = found.links[node.0].iter().flatten().copied();
        let alone = links.chain([found.nodes[node.0].bandwidth]);
        let together = most(steps, alone, &machine);
        found.nodes[node.0].read = together;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flows(list: &[(usize, usize, u32)]) -> Vec<Flow> {
        let flow =
            |&(from, to, threads): &(usize, usize, u32)| Flow { from: NodeId(from), to: NodeId(to), threads };
        list.iter().map(flow).collect()
    }

    #[test]
    fn threads_are_divided_evenly_and_nobody_reads_with_none() {
        let memories = [NodeId(2), NodeId(3), NodeId(4)];
        assert_eq!(divided(NodeId(0), 5, &memories), flows(&[(0, 2, 2), (0, 3, 2), (0, 4, 1)]));
        assert_eq!(divided(NodeId(0), 2, &memories), flows(&[(0, 2, 1), (0, 3, 1)]));
    }

    #[test]
    fn each_node_reads_one_memory_then_all_and_slow_memories_without_cores_come_last() {
        let mut host = HostTopology::from_cores("box", &[2, 2, 3, 0]);
        for (node, package) in host.nodes.iter_mut().zip([0, 0, 1, 1]) {
            node.packages = vec![package];
        }
        let [near, far] = host.sockets().try_into().expect("two sockets");
        let found: Vec<Vec<Flow>> = ways(&host, &near, &far).into_iter().map(|step| step.flows).collect();
        let all = flows(&[(0, 2, 1), (0, 3, 1), (1, 3, 1), (1, 2, 1)]);
        assert_eq!(found, [flows(&[(0, 2, 2), (1, 3, 2)]), all]);
        // The other way, one node reads: it can only divide its threads.
        let back: Vec<Vec<Flow>> = ways(&host, &far, &near).into_iter().map(|step| step.flows).collect();
        assert_eq!(back, [flows(&[(2, 0, 2), (2, 1, 1)])]);
    }

    #[test]
    fn sockets_of_one_node_each_have_a_link_and_no_shared_one() {
        let mut host = HostTopology::from_cores("box", &[2, 2]);
        for (node, package) in host.nodes.iter_mut().zip([0, 1]) {
            node.packages = vec![package];
        }
        assert_eq!(between_sockets(&host), []);
        assert_eq!(most_mixes(&host), 4);
    }
}
