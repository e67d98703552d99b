//! The effect of the second hardware thread of a core: for applications that compute, and for those that read.

use numasim_model::ids::NodeId;
use numasim_study::topology::HostTopology;

use crate::calibrate::steps::{Figure, Purpose, Step};
use crate::calibrate::{Calibration, MeasuredStep};

/// Cores with both hardware threads, compared with the same cores with one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Siblings {
    /// The FLOP rate of all cores of the node with both threads over that with one, round by round: `smt_speedup` of an application with
    /// the same code as the kernel.
    pub speedup: Figure,
    /// GB/s of one core with both threads that read the node's own memory.
    pub core_bandwidth: Figure,
    /// Its ratio to that of one thread, round by round.
    pub bandwidth_ratio: Figure,
}

/// The first node with cores that are all known to have two hardware threads.
pub(super) fn node(host: &HostTopology) -> Option<NodeId> {
    let first = host.nodes.iter().position(|node| node.cores > 0).filter(|_| host.has_second_threads());
    first.map(NodeId)
}

/// All cores of the node with one thread and with both, computing; and one of them, reading.
pub(super) fn steps(host: &HostTopology) -> Vec<Step> {
    let Some(node) = node(host) else { return Vec::new() };
    let all = host.nodes[node.0].cores;
    [(Purpose::SiblingsPeak, all), (Purpose::SiblingsBandwidth, 1)]
        .into_iter()
        .flat_map(|(purpose, cores)| {
            [cores, 2 * cores].map(|threads| Step::single(purpose, node, node, threads))
        })
        .collect()
}

/// The result of the measured [`steps`].
pub(super) fn judge(measured: &[MeasuredStep]) -> Option<Siblings> {
    let of = |purpose: Purpose, rate: fn(&(f64, f64)) -> f64| {
        let mut steps = measured.iter().filter(|done| done.step.alone(purpose).is_some());
        let (one, both) = (steps.next()?, steps.next()?);
        let ratios: Vec<f64> =
            one.rounds.iter().zip(&both.rounds).map(|(one, both)| rate(both) / rate(one)).collect();
        Some((both, Figure::of(&ratios)?))
    };
    let (_, speedup) = of(Purpose::SiblingsPeak, |&(gflops, _)| gflops)?;
    let (both, bandwidth_ratio) = of(Purpose::SiblingsBandwidth, |&(_, gbs)| gbs)?;
    Some(Siblings { speedup, core_bandwidth: both.bandwidth, bandwidth_ratio })
}

impl Calibration {
    /// One line for the machine file, if measured.
    pub(super) fn siblings_in_words(&self) -> Option<String> {
        let Siblings { speedup, core_bandwidth, bandwidth_ratio } = self.siblings?;
        let times =
            |figure: Figure| format!("{:.2} times [{:.2}, {:.2}]", figure.median, figure.min, figure.max);
        Some(format!(
            "a core with both threads computes {} what it does with one (`smt_speedup`), and reads {:.2} GB/s, {}",
            times(speedup),
            core_bandwidth.median,
            times(bandwidth_ratio)
        ))
    }
}
