//! From samples to figures, and from steps to the figures of nodes and links.

use numasim_evidence::statistics::median_reach;
use numasim_host::HostTopology;
use numasim_model::Access;
use numasim_model::ids::NodeId;

use super::steps::Purpose;
use super::{Calibration, MeasuredStep, NodeFigures, SATURATED};

/// A measured quantity: median over the rounds, and how far they spread. The unit is that of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Median; of an even number of samples the mean of the two in the middle.
    pub median: f64,
    /// Smallest sample.
    pub min: f64,
    /// Largest sample.
    pub max: f64,
    /// Number of samples.
    pub samples: usize,
    /// The factor, less 1, by which the median may be off to either side in 95 % of all cases
    /// ([`median_reach`]); `None` for one sample.
    pub reach95: Option<f64>,
}

impl Figure {
    /// The figure of some samples; `None` without any.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let half = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) };
        Some(Self { median, min, max, samples: sorted.len(), reach95: median_reach(samples) })
    }

    /// Largest deviation of a sample from the median, in percent of the median.
    pub fn uncertainty_percent(&self) -> f64 {
        let deviation = (self.max - self.median).max(self.median - self.min);
        if self.median > 0.0 { 100.0 * deviation / self.median } else { 0.0 }
    }

    /// The same quantity per thread.
    #[must_use]
    pub fn per(self, threads: u32) -> Self {
        let share = |value: f64| value / f64::from(threads.max(1));
        Self { median: share(self.median), min: share(self.min), max: share(self.max), ..self }
    }

    pub(super) fn larger(self, other: Self) -> Self {
        if other.median > self.median { other } else { self }
    }
}

/// The better of what a node did on its own memory under each kernel that writes.
fn kernels(measured: &[MeasuredStep], node: NodeId) -> Vec<(Access, Figure)> {
    let of = |kernel: Access| {
        let steps = measured.iter().filter_map(|done| {
            let flow = done.step.alone(Purpose::Kernel(kernel))?;
            (flow.from == node).then_some(done.bandwidth)
        });
        Some((kernel, steps.reduce(Figure::larger)?))
    };
    Access::WRITING.into_iter().filter_map(of).collect()
}

/// The nodes of a host in order.
pub(super) fn nodes_of(host: &HostTopology) -> impl Iterator<Item = NodeId> + use<> {
    (0..host.nodes.len()).map(NodeId)
}

/// Measured bandwidth from the cores of `from` to the memory of `to`, by number of threads, fewest first.
fn ladder(measured: &[MeasuredStep], from: NodeId, to: NodeId) -> Vec<(u32, Figure)> {
    let mut found: Vec<(u32, Figure)> = measured
        .iter()
        .filter_map(|done| Some((done.step.alone(Purpose::Bandwidth)?, done.bandwidth)))
        .filter(|(flow, _)| flow.from == from && flow.to == to)
        .map(|(flow, bandwidth)| (flow.threads, bandwidth))
        .collect();
    found.sort_by_key(|&(threads, _)| threads);
    found
}

fn best(ladder: &[(u32, Figure)]) -> Option<Figure> {
    ladder.iter().map(|&(_, figure)| figure).reduce(Figure::larger)
}

/// The fewest threads that reach [`SATURATED`] of the best local bandwidth of a node.
pub(super) fn saturating(measured: &[MeasuredStep], node: NodeId) -> Option<u32> {
    let ladder = ladder(measured, node, node);
    let enough = best(&ladder)?.median * SATURATED;
    ladder.iter().find(|(_, figure)| figure.median >= enough).map(|&(threads, _)| threads)
}

/// Puts the figures of nodes and links together; what several read at once is judged by them later.
pub(super) fn assemble(host: &HostTopology, measured: Vec<MeasuredStep>) -> Calibration {
    let between = |from: NodeId, to: NodeId| best(&ladder(&measured, from, to));
    let peak = |node: NodeId, threads: u32| {
        let mut peaks =
            measured.iter().filter_map(|done| Some((done.step.alone(Purpose::Peak)?, done.gflops)));
        peaks
            .find(|(flow, _)| flow.from == node && flow.threads == threads)
            .map(|(_, gflops)| gflops.per(threads))
    };
    let mut nodes = Vec::new();
    let mut links = Vec::new();
    for node in nodes_of(host) {
        let cores = host.nodes[node.0].cores;
        let readers = nodes_of(host).filter_map(|from| between(from, node));
        // A host without cores was refused, so somebody reads every node.
        let fastest = readers.reduce(Figure::larger).unwrap_or(Figure {
            median: 0.0,
            min: 0.0,
            max: 0.0,
            samples: 0,
            reach95: None,
        });
        nodes.push(NodeFigures {
            peak_per_core: peak(node, cores),
            peak_alone: peak(node, 1),
            core_bandwidth: ladder(&measured, node, node).first().map(|&(_, figure)| figure),
            bandwidth: between(node, node).unwrap_or(fastest),
            saturating_threads: saturating(&measured, node),
            kernels: kernels(&measured, node),
            read: None,
        });
        links.push(nodes_of(host).map(|to| if to == node { None } else { between(node, to) }).collect());
    }
    Calibration {
        nodes,
        links,
        shared_links: Vec::new(),
        variants: Vec::new(),
        latencies: None,
        steps: measured,
    }
}
