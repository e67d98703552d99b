//! The measurements, as small scenarios.

use std::fmt;

use numasim_evidence::measured;
use numasim_evidence::statistics::{WIDEST_REACH, median_reach};
use numasim_kernels::chase::Chase;
use numasim_kernels::synthetic::{Kernel, KernelError, Variant};
use numasim_kernels::workload::{Real, Workload};
use numasim_model::Access;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::units::FlopPerByte;
use numasim_study::topology::HostTopology;

use crate::calibrate::{Calibration, MeasuredStep, NodeFigures, Options, SATURATED};
use crate::plan::{PlannedApp, PlannedScenario, PlannedThread};

/// Arithmetic intensity at which bandwidth is measured, FLOP/byte: that of the paper's memory-bound application.
pub(super) const BANDWIDTH_AI: f64 = 1.0 / 32.0;
/// Arithmetic intensity at which the peak is measured, FLOP/byte: the highest of the kernel.
pub(super) const PEAK_AI: f64 = 64.0;

/// The purpose of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// GFLOPS without waits for memory.
    Peak,
    /// GB/s of one node from one memory.
    Bandwidth,
    /// GB/s of all nodes of a socket from the memories of another one, at once.
    SharedLink,
    /// GB/s of all threads of a node from its own memory and from others, at once.
    NodeRead,
    /// GB/s of threads that fill one L3 domain after the other, from the node's own memory.
    InDomains,
    /// GFLOPS of all cores of a node with one of their hardware threads, or with both: threads are on the two of a core, core by core.
    SiblingsPeak,
    /// GB/s of one core with one of its hardware threads, or with both.
    SiblingsBandwidth,
    /// GB/s of one node on its own memory under a write kernel.
    Kernel(Access),
    /// GB/s of hops from line to line in random order, with this number of chains for each thread.
    Chains(u32),
    /// GB/s of one node on its own memory under a kernel with a certain access variant.
    Variant(Access, Variant),
}

/// Threads on one node that read the memory of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The node whose cores run.
    pub from: NodeId,
    /// The node whose memory is read.
    pub to: NodeId,
    /// Number of threads: the first cores of the node, or the next ones after those of earlier flows.
    pub threads: u32,
}

/// Threads that read at the same time, each from one memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its purpose.
    pub purpose: Purpose,
    /// The threads that read each memory; one flow if a node or a link is measured alone.
    pub flows: Vec<Flow>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = match self.threads() {
            1 => "1 thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        let (from, to) = (nodes(&self.from_nodes()), nodes(&self.to_nodes()));
        match self.purpose {
            Purpose::Peak => write!(f, "the peak of {threads} on {from}"),
            Purpose::InDomains => write!(f, "the bandwidth of {threads} in the first L3 domains of {from}"),
            Purpose::SiblingsPeak => write!(f, "the peak of {threads} on the hardware threads of {from}"),
            Purpose::SiblingsBandwidth => write!(f, "the bandwidth of {threads} on one core of {from}"),
            Purpose::Bandwidth => write!(f, "the bandwidth of {threads} on {from} that read {to}"),
            Purpose::SharedLink => {
                let flows = self.flows.len();
                write!(f, "the bandwidth of {threads} on {from} that read {to} at once, in {flows} pairs")
            }
            Purpose::NodeRead => {
                let local = self.flows.iter().filter(|flow| flow.from == flow.to).map(|flow| flow.threads);
                write!(f, "the bandwidth of {threads} on {from} that read {to} at once, ")?;
                write!(f, "{} of them local", local.sum::<u32>())
            }
            Purpose::Kernel(kernel) => {
                write!(f, "the bandwidth of {threads} on {from} under the kernel {}", kernel.as_str())
            }
            Purpose::Chains(1) => write!(f, "the latency of {threads} on {from} at the memory of {to}"),
            Purpose::Chains(chains) => {
                write!(f, "the bandwidth of {chains} chains of {threads} on {from} at the memory of {to}")
            }
            Purpose::Variant(kernel, variant) => {
                write!(
                    f,
                    "the bandwidth of {threads} on {from} under the kernel {} ({variant})",
                    kernel.as_str()
                )
            }
        }
    }
}

/// `node 0`, `nodes 0-3,5`.
fn nodes(list: &[NodeId]) -> String {
    match list {
        [one] => one.to_string(),
        _ => format!("nodes {}", ranges_of(list)),
    }
}

/// `0-3,5`.
pub(super) fn ranges_of(list: &[NodeId]) -> String {
    let numbers: Vec<u32> = list.iter().filter_map(|node| u32::try_from(node.0).ok()).collect();
    numasim_model::cpus::ranges(&numbers)
}

impl Step {
    /// One node that reads one memory.
    pub(super) fn single(purpose: Purpose, from: NodeId, to: NodeId, threads: u32) -> Self {
        Self { purpose, flows: vec![Flow { from, to, threads }] }
    }

    /// Number of its threads.
    pub fn threads(&self) -> u32 {
        self.flows.iter().map(|flow| flow.threads).sum()
    }

    /// The nodes whose cores run, ascending.
    pub fn from_nodes(&self) -> Vec<NodeId> {
        once_each(self.flows.iter().map(|flow| flow.from))
    }

    /// The nodes whose memories are read, ascending.
    pub fn to_nodes(&self) -> Vec<NodeId> {
        once_each(self.flows.iter().map(|flow| flow.to))
    }

    /// Its only flow, if the step has this purpose and is from one node to one.
    pub(super) fn alone(&self, purpose: Purpose) -> Option<Flow> {
        match self.flows.as_slice() {
            [flow] if self.purpose == purpose => Some(*flow),
            _ => None,
        }
    }

    /// The work of each of its threads.
    fn workload(
        &self,
        chosen: impl Fn(Access) -> Option<Variant>,
        bytes_per_thread: u64,
    ) -> Result<Workload, KernelError> {
        /// Larger than any cache, but small enough that its order does not take seconds to draw.
        const MOST_OF_CHAINS: u64 = 256 << 20;
        let kernel = match self.purpose {
            Purpose::Peak | Purpose::SiblingsPeak => Kernel::new(Access::Read, FlopPerByte::new(PEAK_AI))?,
            Purpose::Bandwidth
            | Purpose::InDomains
            | Purpose::SiblingsBandwidth
            | Purpose::SharedLink
            | Purpose::NodeRead => Kernel::new(Access::Read, FlopPerByte::new(BANDWIDTH_AI))?,
            Purpose::Kernel(access) => Kernel::lightest(access),
            Purpose::Variant(Access::Read, variant) => {
                Kernel::new(Access::Read, FlopPerByte::new(BANDWIDTH_AI))?.with(variant)
            }
            Purpose::Variant(access, variant) => Kernel::lightest(access).with(variant),
            Purpose::Chains(chains) => {
                let lines = bytes_per_thread.min(MOST_OF_CHAINS) / 64;
                // At most 2^22 lines, and few chains.
                let (lines, chains) = (usize::try_from(lines).unwrap_or(1), chains as usize);
                return Ok(Real::Chase(Chase { lines: lines.max(chains), chains }).into());
            }
        };
        Ok(match (kernel.variant(), chosen(kernel.access())) {
            (None, Some(variant)) => kernel.with(variant),
            _ => kernel,
        }
        .into())
    }

    /// The logical CPUs of a node in the order in which `threads` take them: distributed over its L3 domains, as threads are in a scenario.
    fn cpus(&self, host: &HostTopology, node: NodeId, threads: u32) -> Vec<u32> {
        let node = &host.nodes[node.0];
        let list = |cpus: &Option<CpuList>| cpus.as_ref().map(CpuList::as_slice).unwrap_or_default().to_vec();
        let first = list(&node.cpus);
        match self.purpose {
            Purpose::InDomains => first,
            // More threads than cores of the step.
            Purpose::SiblingsBandwidth if threads > 1 => pairs_of(&first, &list(&node.second_cpus)),
            Purpose::SiblingsPeak if threads > node.cores => pairs_of(&first, &list(&node.second_cpus)),
            _ => {
                let domains: Vec<&[u32]> = first
                    .chunks(host.cores_per_l3(node).map_or(first.len().max(1), |cores| cores as usize))
                    .collect();
                let longest = domains.iter().map(|domain| domain.len()).max().unwrap_or_default();
                (0..longest)
                    .flat_map(|core| domains.iter().filter_map(move |domain| domain.get(core).copied()))
                    .collect()
            }
        }
    }

    /// The step as a scenario of the runner: an application for each flow, with the chosen access variants of kernels.
    pub(super) fn scenario(
        &self,
        host: &HostTopology,
        chosen: impl Fn(Access) -> Option<Variant>,
        bytes_per_thread: u64,
    ) -> Result<PlannedScenario, KernelError> {
        let kernel = self.workload(chosen, bytes_per_thread)?;
        let mut taken = vec![0; host.nodes.len()];
        let apps = self.flows.iter().enumerate().map(|(n, flow)| {
            let memory = vec![(host.nodes[flow.to.0].os_index, 1.0)];
            let threads = self
                .cpus(host, flow.from, flow.threads)
                .iter()
                .skip(taken[flow.from.0])
                .take(flow.threads as usize)
                .filter_map(|&cpu| CpuList::new(vec![cpu]).ok())
                .map(|cpus| PlannedThread { node: flow.from, cpus, memory: memory.clone() })
                .collect();
            taken[flow.from.0] += flow.threads as usize;
            let name =
                if self.flows.len() == 1 { "calibrate".into() } else { format!("calibrate-{}", n + 1) };
            PlannedApp { name, kernel, threads, arrays: None }
        });
        Ok(PlannedScenario { name: self.to_string(), apps: apps.collect(), fitted: false })
    }
}

/// Both logical CPUs of each core, core by core.
fn pairs_of(first: &[u32], second: &[u32]) -> Vec<u32> {
    first.iter().zip(second).flat_map(|(&first, &second)| [first, second]).collect()
}

fn once_each(nodes: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = nodes.collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Thread counts from one core to all: about three for each doubling, so that the knee is visible.
fn counts(cores: u32, coarse: bool) -> Vec<u32> {
    let mut counts: Vec<u32> = if coarse {
        vec![1, 2, cores.div_ceil(2), cores]
    } else {
        let mut ladder: Vec<u32> = (1..=4).collect();
        let mut base = 4;
        while base < cores {
            ladder.extend([base + base / 4, base + base / 2, base * 2]);
            base *= 2;
        }
        ladder.push(cores);
        ladder
    };
    counts.retain(|&count| count >= 1 && count <= cores);
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Nodes with cores, with their number of cores.
pub(super) fn readers(host: &HostTopology) -> impl Iterator<Item = (NodeId, u32)> + '_ {
    host.nodes.iter().enumerate().filter(|(_, node)| node.cores > 0).map(|(n, node)| (NodeId(n), node.cores))
}

/// The steps of each node on its own memory.
pub(super) fn local(host: &HostTopology, coarse: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    for (node, cores) in readers(host) {
        let mut peaks = vec![1, cores];
        peaks.dedup();
        let step = |purpose| move |threads| Step::single(purpose, node, node, threads);
        steps.extend(peaks.into_iter().map(step(Purpose::Peak)));
        steps.extend(counts(cores, coarse).into_iter().map(step(Purpose::Bandwidth)));
    }
    steps
}

/// The read bandwidth of the cores of one L3 domain of each node from its own memory, and of all cores of two.
pub(super) fn domains(host: &HostTopology, coarse: bool) -> Vec<Step> {
    let of = |(node, _): (NodeId, u32)| {
        let cores = host.cores_per_l3(&host.nodes[node.0])?;
        let mut threads = counts(cores, coarse);
        threads.push(2 * cores);
        Some(threads.into_iter().map(move |threads| Step::single(Purpose::InDomains, node, node, threads)))
    };
    readers(host).filter_map(of).flatten().collect()
}

/// Ordered pairs of different nodes, the first with cores.
pub(super) fn pairs(host: &HostTopology) -> Vec<(NodeId, NodeId)> {
    let to = |from: NodeId| (0..host.nodes.len()).map(NodeId).filter(move |&to| to != from);
    readers(host).flat_map(|(from, _)| to(from).map(move |to| (from, to))).collect()
}

/// The read bandwidth of each node from each other one: with the threads that saturate its own memory, and with all.
pub(super) fn remote(host: &HostTopology, saturating: &[Option<u32>]) -> Vec<Step> {
    let mut steps = Vec::new();
    for (from, to) in pairs(host) {
        let all = host.nodes[from.0].cores;
        let mut counts = vec![saturating[from.0].unwrap_or(all), all];
        counts.dedup();
        let step = |threads| Step::single(Purpose::Bandwidth, from, to, threads);
        steps.extend(counts.into_iter().map(step));
    }
    steps
}

/// The kernel whose ladder of thread counts is measured: the one that most codes resemble.
pub(super) fn with_ladder(kernels: &[Access]) -> Option<Access> {
    let triad = kernels.iter().find(|&&kernel| kernel == Access::Triad);
    triad.or(kernels.first()).copied()
}

/// Maximum number of steps of [`kernels`], whichever thread counts saturate.
pub(super) fn most_of_kernels(host: &HostTopology, options: &Options) -> usize {
    // The ladder instead of two counts.
    let ladder = readers(host).next().map_or(0, |(_, all)| counts(all, options.coarse).len());
    let pairs = readers(host).count() * options.kernels.len();
    if pairs == 0 { 0 } else { 2 * (pairs - 1) + ladder }
}

/// Steps of each node on its own memory under each of `kernels`: with the threads that saturate it with reads, and with all. On the first
/// node, one of them is also measured with the thread counts between.
pub(super) fn kernels(host: &HostTopology, options: &Options, saturating: &[Option<u32>]) -> Vec<Step> {
    let mut steps = Vec::new();
    for (number, (node, all)) in readers(host).enumerate() {
        for &kernel in &options.kernels {
            let mut threads = vec![saturating[node.0].unwrap_or(all), all];
            if number == 0 && with_ladder(&options.kernels) == Some(kernel) {
                threads.extend(counts(all, options.coarse).into_iter().filter(|&count| count > 1));
            }
            threads.sort_unstable();
            threads.dedup();
            let step = |threads| Step::single(Purpose::Kernel(kernel), node, node, threads);
            steps.extend(threads.into_iter().map(step));
        }
    }
    steps
}

/// A measured quantity: median over the rounds, and their spread. The unit is that of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Median; the mean of the middle two for an even number of samples.
    pub median: f64,
    /// Smallest sample.
    pub min: f64,
    /// Largest sample.
    pub max: f64,
    /// Number of samples.
    pub samples: usize,
    /// The factor, minus 1, by which the median may be off to either side in 95 % of all cases ([`median_reach`]); `None` for one sample,
    /// or if it is uninformative.
    pub reach95: Option<f64>,
}

impl Figure {
    /// The value of some samples; `None` without any.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let measured::Figure { median, min, max, .. } = measured::Figure::of(samples)?;
        Some(Self { median, min, max, samples: samples.len(), reach95: median_reach(samples) })
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

    /// The same in another unit.
    pub(super) fn scaled(self, by: f64) -> Self {
        Self { median: self.median * by, min: self.min * by, max: self.max * by, ..self }
    }

    /// The product with a quantity that was measured independently: their errors add up as squares, on the logarithm.
    pub(super) fn times(self, other: Self) -> Self {
        let both = self.reach95.zip(other.reach95);
        Self {
            median: self.median * other.median,
            min: self.min * other.min,
            max: self.max * other.max,
            samples: self.samples.min(other.samples),
            reach95: both
                .map(|(one, other)| one.ln_1p().hypot(other.ln_1p()).exp_m1())
                .filter(|reach| *reach <= WIDEST_REACH - 1.0),
        }
    }

    pub(super) fn larger(self, other: Self) -> Self {
        if other.median > self.median { other } else { self }
    }
}

/// The better of the measurements of a node on its own memory, for each write kernel.
fn under_kernels(measured: &[MeasuredStep], node: NodeId) -> Vec<(Access, Figure)> {
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
pub(super) fn ladder(
    measured: &[MeasuredStep],
    purpose: Purpose,
    from: NodeId,
    to: NodeId,
) -> Vec<(u32, Figure)> {
    let mut found: Vec<(u32, Figure)> = measured
        .iter()
        .filter_map(|done| Some((done.step.alone(purpose)?, done.bandwidth)))
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
    let ladder = ladder(measured, Purpose::Bandwidth, node, node);
    let enough = best(&ladder)?.median * SATURATED;
    ladder.iter().find(|(_, figure)| figure.median >= enough).map(|&(threads, _)| threads)
}

/// Combines the values of nodes and links; simultaneous readers are judged by them later.
pub(super) fn assemble(host: &HostTopology, measured: Vec<MeasuredStep>) -> Calibration {
    let reads = |from: NodeId, to: NodeId| ladder(&measured, Purpose::Bandwidth, from, to);
    let between = |from: NodeId, to: NodeId| best(&reads(from, to));
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
        // A host without cores was rejected before, so every node has a reader.
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
            core_bandwidth: reads(node, node).first().map(|&(_, figure)| figure),
            bandwidth: between(node, node).unwrap_or(fastest),
            saturating_threads: saturating(&measured, node),
            kernels: under_kernels(&measured, node),
            read: None,
            l3: None,
        });
        links.push(nodes_of(host).map(|to| if to == node { None } else { between(node, to) }).collect());
    }
    Calibration {
        nodes,
        links,
        shared_links: Vec::new(),
        penalties: Vec::new(),
        variants: Vec::new(),
        latencies: None,
        siblings: None,
        steps: measured,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_has_every_count_up_to_four_and_then_three_for_each_doubling() {
        assert_eq!(counts(2, false), [1, 2]);
        assert_eq!(counts(20, false), [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20]);
        assert_eq!(counts(20, true), [1, 2, 10, 20]);
        assert_eq!(counts(1, true), [1]);
    }
}
