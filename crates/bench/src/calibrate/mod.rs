//! The figures of a machine file, measured: what the model needs to know of this host.
//!
//! Everything is measured by the kernels and the runner of the benchmark, so that a prediction is compared with
//! measurements of the same kind. A [`Step`] is one small scenario: one read kernel on some cores of one node with its
//! data on one node. Steps are repeated in rounds, each round in another order, so that drift favours none.
//!
//! # What is measured
//! - **Peak of a core** (`gflops_per_core`): the kernel at 64 FLOP/byte on all cores of a node at once, divided by their
//!   number: with all cores busy, clocks are those of the scenarios that are predicted.
//! - **Ceiling of one thread** (`core_bandwidth_gbs`): the kernel at 1/32 FLOP/byte on one core, its data local.
//! - **Bandwidth of a controller** (`bandwidth_gbs`, diagonal of the matrix): the best of several thread counts. The
//!   smallest count that reaches 98 % of it is called the saturating one.
//! - **Links** (the rest of the matrix): for each ordered pair of nodes, the better of the saturating count and all
//!   cores of the reading node.
//!
//! The median over the rounds counts; a figure's uncertainty is the largest deviation of a round from it.

mod figure;
mod file;
mod steps;
#[cfg(test)]
mod tests;

use numasim_host::HostTopology;
use numasim_model::ids::NodeId;

use crate::runner::{RunError, Runner, Settings};

pub use figure::Figure;
pub use file::{Described, machine_file};
pub use steps::{Purpose, Step};

/// A thread count saturates a controller when it reaches this share of the best bandwidth of all counts.
pub const SATURATED: f64 = 0.98;

/// How thoroughly to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Rounds: how often every step is measured.
    pub rounds: u32,
    /// Only one, two and all cores are tried instead of a ladder of thread counts.
    pub coarse: bool,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// One entry for each node of the host, in its order.
    pub nodes: Vec<NodeFigures>,
    /// Bandwidth from each node (row: where the cores are) to each other node (column: where the memory is), GB/s.
    /// `None` on the diagonal and in the rows of nodes without cores.
    pub links: Vec<Vec<Option<Figure>>>,
    /// Everything that was measured, step by step, in the order of the steps.
    pub steps: Vec<MeasuredStep>,
}

/// The figures of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeFigures {
    /// GFLOPS of one core while all cores of the node compute; `None` without cores.
    pub peak_per_core: Option<Figure>,
    /// GFLOPS of one core while the others are idle; `None` without cores.
    pub peak_alone: Option<Figure>,
    /// GB/s of one thread that reads its own node; `None` without cores.
    pub core_bandwidth: Option<Figure>,
    /// GB/s of the node's memory, read by its own cores, or, without any, by the node that reads it fastest.
    pub bandwidth: Figure,
    /// The fewest threads that reach [`SATURATED`] of it; `None` without cores.
    pub saturating_threads: Option<u32>,
}

/// One step with what came out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredStep {
    /// What was measured.
    pub step: Step,
    /// GFLOPS of all its threads together.
    pub gflops: Figure,
    /// GB/s of all its threads together.
    pub bandwidth: Figure,
    /// GFLOPS and GB/s of each round, in order.
    pub rounds: Vec<(f64, f64)>,
}

/// Why a host could not be calibrated.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// A step could not be run.
    #[error("cannot measure {step}")]
    Run {
        /// The step, in words.
        step: String,
        /// Why not.
        #[source]
        source: RunError,
    },
    /// A thread or a page was in the wrong place, twice.
    #[error("cannot measure {step}: {what}")]
    Misplaced {
        /// The step, in words.
        step: String,
        /// Which thread or pages.
        what: String,
    },
    /// The kernel does not exist for this.
    #[error(transparent)]
    Kernel(#[from] crate::kernel::KernelError),
    /// No node has a usable core.
    #[error("this host shows no core that may be used")]
    NoCores,
}

/// Learns of each measurement before it begins, for a progress line.
pub type Observer<'a> = &'a mut dyn FnMut(Progress<'_>);

/// How far a calibration is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Measurements done.
    pub done: usize,
    /// Measurements in all, as far as is known: links are added when the controllers are known.
    pub of: usize,
    /// What is measured next.
    pub next: &'a Step,
}

/// Measures the host.
///
/// # Errors
/// Every variant of [`CalibrateError`].
pub fn calibrate(
    host: &HostTopology,
    options: &Options,
    settings: &Settings,
    runner: &mut dyn Runner,
    observer: Observer<'_>,
) -> Result<Calibration, CalibrateError> {
    let local = steps::local(host, options.coarse);
    if local.is_empty() {
        return Err(CalibrateError::NoCores);
    }
    let pairs = steps::pairs(host).len() * 2;
    let mut session = Session { host, settings, runner, observer, done: 0, of: 0, rounds: options.rounds };
    session.of = (local.len() + pairs) * options.rounds as usize;
    let mut measured = session.measure(local)?;
    let saturating: Vec<Option<u32>> =
        figure::nodes_of(host).map(|node| figure::saturating(&measured, node)).collect();
    let remote = steps::remote(host, &saturating);
    session.of = session.done + remote.len() * options.rounds as usize;
    measured.extend(session.measure(remote)?);
    Ok(figure::assemble(host, measured))
}

struct Session<'a> {
    host: &'a HostTopology,
    settings: &'a Settings,
    runner: &'a mut dyn Runner,
    observer: Observer<'a>,
    done: usize,
    of: usize,
    rounds: u32,
}

impl Session<'_> {
    /// Measures all steps in rounds; every other round goes backwards.
    fn measure(&mut self, steps: Vec<Step>) -> Result<Vec<MeasuredStep>, CalibrateError> {
        let mut samples: Vec<Vec<(f64, f64)>> = vec![Vec::new(); steps.len()];
        for round in 0..self.rounds {
            let mut order: Vec<usize> = (0..steps.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for at in order {
                (self.observer)(Progress { done: self.done, of: self.of, next: &steps[at] });
                samples[at].push(self.once(&steps[at])?);
                self.done += 1;
            }
        }
        let finished = steps.into_iter().zip(samples).filter_map(|(step, samples)| {
            let (gflops, bandwidth): (Vec<f64>, Vec<f64>) = samples.iter().copied().unzip();
            let (gflops, bandwidth) = (Figure::of(&gflops)?, Figure::of(&bandwidth)?);
            Some(MeasuredStep { step, gflops, bandwidth, rounds: samples })
        });
        Ok(finished.collect())
    }

    /// GFLOPS and GB/s of all threads of one measurement; a wrong placement is tried once more.
    fn once(&mut self, step: &Step) -> Result<(f64, f64), CalibrateError> {
        let scenario = step.scenario(self.host)?;
        let mut wrong = String::new();
        for _ in 0..2 {
            let measurement = self
                .runner
                .measure(&scenario, self.settings)
                .map_err(|source| CalibrateError::Run { step: step.to_string(), source })?;
            let threads: Vec<_> = measurement.apps.iter().flat_map(|app| &app.threads).collect();
            match threads.iter().flat_map(|thread| &thread.misplaced).next() {
                None => {
                    let rate = |count: fn(&crate::runner::MeasuredThread) -> u64| {
                        threads
                            .iter()
                            .map(|thread| count(thread) as f64 / thread.counted_s / 1e9)
                            .sum::<f64>()
                    };
                    return Ok((rate(|thread| thread.flop), rate(|thread| thread.bytes)));
                }
                Some(misplaced) => wrong = misplaced.to_string(),
            }
        }
        Err(CalibrateError::Misplaced { step: step.to_string(), what: wrong })
    }
}

impl Calibration {
    /// The node-to-node matrix as the model takes it: row = node of the cores, column = node of the memory, diagonal =
    /// controllers; `None` in the rows of nodes without cores, but for their diagonal.
    pub fn matrix(&self) -> Vec<Vec<Option<Figure>>> {
        let mut matrix = self.links.clone();
        for (n, node) in self.nodes.iter().enumerate() {
            matrix[n][n] = Some(node.bandwidth);
        }
        matrix
    }

    /// The figures of one node.
    pub fn node(&self, node: NodeId) -> Option<&NodeFigures> {
        self.nodes.get(node.0)
    }
}
