//! How long a load takes, and how many of them a core waits for at the same time: chains of addresses in random order.
//!
//! One chain shows the latency: a hop takes 64 bytes and begins when the last one has ended, so a thread that hops at g GB/s waits 64 / g ns. With
//! more chains a core waits for several lines at once, until it has no more room: with latency t and g GB/s it waits for g t / 64 lines.

use numasim_host::HostTopology;
use numasim_model::ids::NodeId;

use super::steps::{self, Purpose, Step};
use super::{Figure, MeasuredStep};

/// Bytes of a line, which a hop takes.
const LINE_BYTES: f64 = 64.0;
/// Chains of which the most lines are taken.
const CHAINS: [u32; 5] = [4, 8, 12, 16, 32];

/// One chain from every node to every memory; many on each node's own.
pub(super) fn steps(host: &HostTopology) -> Vec<Step> {
    let mut all = Vec::new();
    for (from, _) in steps::readers(host) {
        for to in (0..host.nodes.len()).map(NodeId) {
            all.push(Step::single(Purpose::Chains(1), from, to, 1));
        }
        all.extend(CHAINS.map(|chains| Step::single(Purpose::Chains(chains), from, from, 1)));
    }
    all
}

/// What a core waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies {
    /// Nanoseconds of a load of a core of each node (row) from each memory (column); `None` in the rows of nodes without cores.
    pub ns: Vec<Vec<Option<Figure>>>,
    /// Lines of its own memory for which a core of each node waits at the same time; `None` without cores.
    pub lines: Vec<Option<Figure>>,
}

/// Finds them in what was measured.
pub(super) fn found(host: &HostTopology, measured: &[MeasuredStep]) -> Latencies {
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
        found.lines[node] = most.map(|most| times(most, latency.median / LINE_BYTES));
    }
    found
}

/// Nanoseconds of a hop.
fn inverse(gbs: Figure) -> Option<Figure> {
    let ns = |gbs: f64| LINE_BYTES / gbs;
    (gbs.min > 0.0).then(|| Figure { median: ns(gbs.median), min: ns(gbs.max), max: ns(gbs.min), ..gbs })
}

fn times(figure: Figure, factor: f64) -> Figure {
    Figure { median: figure.median * factor, min: figure.min * factor, max: figure.max * factor, ..figure }
}
