//! The read bandwidth of several nodes, or of all threads of one, at once: limits that a matrix of single pairs cannot show.

use numasim_model::ids::{AppId, NodeId};
use numasim_model::machine::{MachineError, SharedLink};
use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{Allocation, App, Data, KernelBandwidths, Machine, Node, Placement, evaluate};
use numasim_study::topology::{HostNode, HostTopology, Socket};

use crate::calibrate::steps::{BANDWIDTH_AI, Flow, Purpose, Step, ladder, readers};
use crate::calibrate::{Calibration, Figure, MeasuredStep, NodeFigures};

/// Maximum number of thread counts whose prediction is computed to find the best mix.
const MIXES: u32 = 64;

/// The maximum over the measured steps. `also` was read by the same cores at other times, and can be read at any time.
fn most<'a>(
    steps: impl Iterator<Item = &'a MeasuredStep>,
    also: impl Iterator<Item = Figure>,
    machine: &Machine,
) -> Option<Together> {
    let mut best: Option<Together> = None;
    for done in steps {
        let predicted_gbs = predicted_bandwidth(machine, &done.step.flows)?;
        best = Some(best.map_or(Together { bandwidth: done.bandwidth, predicted_gbs }, |best| Together {
            bandwidth: best.bandwidth.larger(done.bandwidth),
            predicted_gbs: best.predicted_gbs.max(predicted_gbs),
        }));
    }
    let best = best?;
    Some(Together { bandwidth: also.fold(best.bandwidth, Figure::larger), ..best })
}

/// Ordered pairs of sockets, at least one of which has more than one node.
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
    // Memories with cores first: those without (CXL) are usually slower.
    let mut memories = b.nodes.clone();
    memories.sort_by_key(|&node| (cores(node) == 0, node));
    let one_each = readers.iter().zip(memories.iter().cycle());
    let one_each = one_each.map(|(&from, &to)| Flow { from, to, threads: cores(from) });
    let mut all: Vec<Flow> = Vec::new();
    for (n, &from) in readers.iter().enumerate() {
        // Each node starts with another memory, so that the remaining threads do not meet.
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

/// The steps between sockets.
pub(super) fn between_sockets(host: &HostTopology) -> Vec<Step> {
    directions(host).iter().flat_map(|(a, b)| ways(host, a, b)).collect()
}

/// Judges the read bandwidth between sockets.
pub(super) fn judge_sockets(host: &HostTopology, found: &mut Calibration, measured: &[MeasuredStep]) {
    let Ok(machine) = predicted_machine(host, found) else { return };
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

/// Maximum number of mixes that are measured.
pub(super) fn most_mixes(host: &HostTopology) -> usize {
    mixed_readers(host).count() * 2
}

/// The steps for simultaneous reads of each node: the mix with the highest prediction from the values so far, and half and half.
pub(super) fn mixes(host: &HostTopology, found: &Calibration) -> Vec<Step> {
    let machine = predicted_machine(host, found);
    let mut steps = Vec::new();
    for (node, cores) in mixed_readers(host) {
        // The fastest links first: they get the remaining threads.
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
                let Some(gbs) = predicted_bandwidth(machine, &mix(local).flows) else { continue };
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

/// Judges the read bandwidth of nodes.
pub(super) fn judge_nodes(host: &HostTopology, found: &mut Calibration, measured: &[MeasuredStep]) {
    let Ok(machine) = predicted_machine(host, found) else { return };
    for (node, _) in mixed_readers(host) {
        let steps = measured.iter().filter(|done| done.step.from_nodes() == [node]);
        let links = found.links[node.0].iter().flatten().copied();
        let alone = links.chain([found.nodes[node.0].bandwidth]);
        let together = most(steps, alone, &machine);
        found.nodes[node.0].read = together;
    }
}

/// The threshold: simultaneous readers have a separate limit if they get less than this fraction of the prediction of the file without it.
///
/// The prediction relies on medians of other steps, each of which is uncertain by a few percent on a quiet host. A limit closer to the
/// prediction changes no answer and may not be real.
pub const CLEARLY_BELOW: f64 = 0.9;

/// The bandwidth of simultaneous readers, and the prediction of the rest of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Together {
    /// The maximum over the ways that were tried, GB/s.
    pub bandwidth: Figure,
    /// The maximum prediction for any of them from the values of nodes and links, GB/s.
    pub predicted_gbs: f64,
}

impl Together {
    /// Whether it is clearly below: the median by more than [`CLEARLY_BELOW`], and no round reached the prediction.
    pub fn limits(&self) -> bool {
        self.bandwidth.median < CLEARLY_BELOW * self.predicted_gbs && self.bandwidth.max < self.predicted_gbs
    }
}

/// The read bandwidth of all nodes of a socket from another one.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedFigure {
    /// Numbers of the sockets: of the cores, of the memories.
    pub sockets: (u32, u32),
    /// Nodes of the first.
    pub from: Vec<NodeId>,
    /// Nodes of the second.
    pub to: Vec<NodeId>,
    /// Their bandwidth.
    pub together: Together,
}

/// The read bandwidth of the L3 domains of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domains {
    /// Cores of each.
    pub cores: u32,
    /// The maximum of any number of cores of one domain, and their prediction without a separate limit.
    pub one: Together,
    /// The bandwidth of all cores of two.
    pub two: Figure,
}

/// The result of the measured [`super::steps::domains`], if a domain has fewer cores than would saturate the memory alone.
pub(super) fn judge_domains(host: &HostTopology, found: &mut Calibration, measured: &[MeasuredStep]) {
    for (n, (there, node)) in host.nodes.iter().zip(&mut found.nodes).enumerate() {
        let ladder = ladder(measured, Purpose::InDomains, NodeId(n), NodeId(n));
        let Some(cores) = host.cores_per_l3(there) else { continue };
        let in_one = ladder.iter().filter(|(threads, _)| *threads <= cores).map(|&(_, figure)| figure);
        let two = ladder.iter().find(|(threads, _)| *threads == 2 * cores).map(|&(_, figure)| figure);
        let (Some(bandwidth), Some(two)) = (in_one.reduce(Figure::larger), two) else { continue };
        let of_cores = node.core_bandwidth.map_or(f64::INFINITY, |core| f64::from(cores) * core.median);
        let predicted_gbs = of_cores.min(node.bandwidth.median);
        node.l3 = Some(Domains { cores, one: Together { bandwidth, predicted_gbs }, two });
    }
}

/// A value as a bandwidth.
pub(super) const fn gbs(figure: Figure) -> GigabytesPerSecond {
    GigabytesPerSecond::new(figure.median)
}

/// The nodes of a calibration, without their read limit for all threads.
pub(super) fn predicted_nodes(host: &HostTopology, found: &Calibration) -> Vec<Node> {
    let node = |(there, figures): (&HostNode, &NodeFigures)| Node {
        cores: there.cores,
        gflops_per_core: Gflops::new(figures.peak_per_core.map_or(0.0, |peak| peak.median)),
        bandwidth: gbs(figures.bandwidth),
        core_bandwidth: figures.core_bandwidth.map(gbs),
        cores_per_l3: host.cores_per_l3(there),
        l3_bandwidth: figures.l3.filter(|l3| l3.one.limits()).map(|l3| gbs(l3.one.bandwidth)),
        kernels: KernelBandwidths::from_fn(|kernel| {
            let measured = figures.kernels.iter().find(|(other, _)| *other == kernel);
            measured.map(|&(_, figure)| gbs(figure))
        }),
        ..Node::default()
    };
    host.nodes.iter().zip(&found.nodes).map(node).collect()
}

/// The read bandwidth of each node from each other one.
pub(super) fn predicted_links(found: &Calibration) -> Vec<GigabytesPerSecond> {
    found.links.iter().flatten().map(|cell| cell.map_or(GigabytesPerSecond::new(0.0), gbs)).collect()
}

/// The machine of a calibration: values of nodes and links, and the limiting shared links.
pub(super) fn predicted_machine(host: &HostTopology, found: &Calibration) -> Result<Machine, MachineError> {
    let limits = found.shared_links.iter().filter(|link| link.together.limits());
    let shared = limits.map(|link: &SharedFigure| SharedLink {
        name: format!("{} reads {}", link.sockets.0, link.sockets.1),
        bandwidth: gbs(link.together.bandwidth),
        from: link.from.clone(),
        to: link.to.clone(),
        both_ways: false,
    });
    let machine = Machine::new("calibrated", predicted_nodes(host, found), predicted_links(found))?;
    machine.with_sharing(found.model()).with_shared_links(shared.collect())
}

/// GB/s of all flows together; `None` if the model has no answer.
pub(super) fn predicted_bandwidth(machine: &Machine, flows: &[Flow]) -> Option<f64> {
    let mut allocation = Allocation::empty(flows.len(), machine.node_count());
    for (a, flow) in flows.iter().enumerate() {
        allocation.set(AppId(a), flow.from, flow.threads);
    }
    let placements: Vec<Placement> = flows.iter().map(|flow| Placement::Home(flow.to)).collect();
    let apps: Vec<App> = flows.iter().enumerate().map(|(a, flow)| reader(a, flow.to)).collect();
    let evaluation = evaluate(machine, &apps, &placements, &allocation).ok()?;
    Some(evaluation.apps.iter().map(|app| app.bandwidth.value()).sum())
}

fn reader(number: usize, home: NodeId) -> App {
    let data = Data::Placed(Placement::Home(home));
    App::new(format!("reader-{}", number + 1), FlopPerByte::new(BANDWIDTH_AI), data)
}

// The latency of a load, and the number of loads that a core waits for at the same time: chains of addresses in random order.
//
// One chain shows the latency: a hop takes 64 bytes and starts when the previous one has ended, so a thread that hops at g GB/s waits 64 /
// g ns. With more chains a core waits for several lines at once, until it has no more room: with latency t and g GB/s it waits for g t / 64
// lines.

/// Bytes of a line, which a hop takes.
pub(super) const LINE_BYTES: f64 = 64.0;
/// Numbers of chains; the maximum of lines counts.
const CHAINS: [u32; 5] = [4, 8, 12, 16, 32];

/// One chain from every node to every memory; many on each node's own.
pub(super) fn chains(host: &HostTopology) -> Vec<Step> {
    let mut all = Vec::new();
    for (from, _) in readers(host) {
        for to in (0..host.nodes.len()).map(NodeId) {
            all.push(Step::single(Purpose::Chains(1), from, to, 1));
        }
        all.extend(CHAINS.map(|chains| Step::single(Purpose::Chains(chains), from, from, 1)));
    }
    all
}

/// The latencies and outstanding lines of cores.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies {
    /// Nanoseconds of a load of a core of each node (row) from each memory (column); `None` in the rows of nodes without cores.
    pub ns: Vec<Vec<Option<Figure>>>,
    /// Lines of local memory for which a core of each node waits at the same time; `None` without cores.
    pub lines: Vec<Option<Figure>>,
}

/// Extracts them from the measurements.
pub(super) fn latencies(host: &HostTopology, measured: &[MeasuredStep]) -> Latencies {
    let nodes = host.nodes.len();
    let mut found = Latencies { ns: vec![vec![None; nodes]; nodes], lines: vec![None; nodes] };
    for done in measured {
        if let Some(flow) = done.step.alone(Purpose::Chains(1)) {
            found.ns[flow.from.0][flow.to.0] = inverse(done.bandwidth);
        }
    }
    for node in 0..nodes {
        let Some(latency) = found.ns[node][node] else { continue };
        let of_node = |done: &&MeasuredStep| {
            let many =
                |chains| done.step.alone(Purpose::Chains(chains)).is_some_and(|flow| flow.from.0 == node);
            CHAINS.into_iter().any(many)
        };
        let most = measured.iter().filter(of_node).map(|done| done.bandwidth).reduce(Figure::larger);
        found.lines[node] = most.map(|most| most.scaled(latency.median / LINE_BYTES));
    }
    found
}

/// Nanoseconds of a hop.
fn inverse(gbs: Figure) -> Option<Figure> {
    let ns = |gbs: f64| LINE_BYTES / gbs;
    (gbs.min > 0.0).then(|| Figure { median: ns(gbs.median), min: ns(gbs.max), max: ns(gbs.min), ..gbs })
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
    fn threads_are_divided_evenly_without_empty_flows() {
        let memories = [NodeId(2), NodeId(3), NodeId(4)];
        assert_eq!(divided(NodeId(0), 5, &memories), flows(&[(0, 2, 2), (0, 3, 2), (0, 4, 1)]));
        assert_eq!(divided(NodeId(0), 2, &memories), flows(&[(0, 2, 1), (0, 3, 1)]));
    }

    #[test]
    fn each_node_reads_one_memory_then_all_and_slow_memories_without_cores_come_last() {
        let mut host = HostTopology::from_cores("box", &[2, 2, 3, 0]);
        for (node, package) in host.nodes.iter_mut().zip([0, 0, 1, 1]) {
            node.sockets = vec![package];
        }
        let [near, far] = host.sockets().try_into().expect("two sockets");
        let found: Vec<Vec<Flow>> = ways(&host, &near, &far).into_iter().map(|step| step.flows).collect();
        let all = flows(&[(0, 2, 1), (0, 3, 1), (1, 3, 1), (1, 2, 1)]);
        assert_eq!(found, [flows(&[(0, 2, 2), (1, 3, 2)]), all]);
        // In the other direction, one node reads: it can only divide its threads.
        let back: Vec<Vec<Flow>> = ways(&host, &far, &near).into_iter().map(|step| step.flows).collect();
        assert_eq!(back, [flows(&[(2, 0, 2), (2, 1, 1)])]);
    }

    #[test]
    fn sockets_of_one_node_have_no_shared_link() {
        let mut host = HostTopology::from_cores("box", &[2, 2]);
        for (node, package) in host.nodes.iter_mut().zip([0, 1]) {
            node.sockets = vec![package];
        }
        assert_eq!(between_sockets(&host), []);
        assert_eq!(most_mixes(&host), 4);
    }
}

#[cfg(test)]
mod limit_tests {
    use super::*;

    #[test]
    fn a_limit_is_a_tenth_below_and_no_round_reaches_the_prediction() {
        let figure = |median, max| Figure { median, min: median, max, samples: 3, reach95: None };
        let limits = |bandwidth| Together { bandwidth, predicted_gbs: 100.0 }.limits();
        assert!(limits(figure(89.0, 95.0)));
        assert!(!limits(figure(91.0, 91.0)));
        assert!(!limits(figure(89.0, 101.0)));
    }
}
