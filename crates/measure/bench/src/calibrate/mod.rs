//! Measures the values of a machine file: the properties of this host that the model needs.
//!
//! Everything is measured with the kernels and the runner of the benchmark, so that a prediction is compared with measurements of the same
//! kind. A [`Step`] is one small scenario: one kernel on some cores of one node with its data on one node. Steps are repeated in rounds,
//! each round in another order, so that drift favours none.
//!
//! # Measurements
//! - **Access variants of kernels** (`[machine.kernels]`): for each kernel, on the first node, prefetch distance, number of streams, vector
//!   width and kind of stores are tuned one after the other, each time keeping the best. A variant must beat the default by more than 1 %
//!   when both are measured once more in pairs; otherwise the default stays. All later measurements use the chosen variants.
//! - **Peak of a core** (`gflops_per_core`): the kernel at 64 FLOP/byte on all cores of a node at once, divided by their number. With all
//!   cores busy, clocks are those of the predicted scenarios.
//! - **Ceiling of one thread** (`core_bandwidth_gbs`): the kernel at 1/32 FLOP/byte on one core, its data local.
//! - **Bandwidth of a controller** (`bandwidth_gbs`, diagonal of the matrix): the best of several thread counts. The smallest count that
//!   reaches 98 % of it is called the saturating one.
//! - **Links** (the rest of the matrix): for each ordered pair of nodes, the better of the saturating count and all cores of the reading
//!   node.
//! - **Write kernels** (`copy_gbs`, `triad_gbs`, `update_gbs`): the better of these two thread counts of a node on its own memory, each
//!   kernel at its lowest intensity. A memory without cores has no such value.
//! - **Links of L3 domains** (`l3_read_gbs`), if a node has several: one domain with a ladder of thread counts, then two at once. In all
//!   other steps threads are distributed over the domains of their node, as in a scenario. The value limits only if the cores of a domain
//!   would read clearly more according to the values of a core and of the node.
//! - **Penalties of the model `ecm`** (`ecm_penalty`, `ecm_write_penalty`): from the thread counts of nodes on their own memories, and of
//!   one write kernel on the first node (`penalties`).
//! - **Links between sockets** (`[[machine.shared_link]]`): if a socket has more than one node, all cores of a socket read the memories of
//!   another one at once, in two ways: each node one memory, and each node all of them.
//! - **Read limit of a node** (`read_gbs`): all its threads at once, some from its own memory and the others from remote ones. There are
//!   two mixes: the one with the highest prediction from the values so far, and half and half.
//!
//! - **Latencies** (`latency_matrix_ns`): chains of addresses in random order, one from a core of each node through each memory. The number
//!   of lines that a core waits for at the same time comes from up to 32 chains through its own memory.
//!
//! - **Second hardware threads**, if requested: all cores of the first node compute with one and with both threads, and one of them reads
//!   (`siblings`). The result is `smt_speedup` of applications, in a comment of the file.
//!
//! A value for links between sockets, or for the read limit of a node, is the maximum read in either way. It limits only if the file
//! without it predicts clearly more for the same readers ([`Together::limits`]); otherwise it is not written.
//!
//! The median over the rounds counts. The uncertainty of a value is the largest deviation of a round from it, and its interval is that of
//! Student's t (`numasim_evidence::statistics`).

mod file;
mod penalties;
mod siblings;
mod steps;
#[cfg(test)]
mod tests;
mod together;
mod variants;

use std::time::Duration;

use numasim_model::ids::NodeId;
use numasim_model::{Access, Model};
use numasim_study::topology::HostTopology;

use crate::runner::{RunError, Runner, Settings};

pub use file::{Described, machine_file};
pub use penalties::{Estimated, Penalty};
pub use siblings::Siblings;
pub use steps::{Figure, Flow, Purpose, Step};
pub use together::{CLEARLY_BELOW, Domains, Latencies, SharedFigure, Together};
pub use variants::Choice;

/// A thread count saturates a controller when it reaches this share of the best bandwidth of all counts.
pub const SATURATED: f64 = 0.98;

/// The measurement effort.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Rounds: the number of measurements of every step.
    pub rounds: u32,
    /// Only one, two and all cores are tried instead of a ladder of thread counts.
    pub coarse: bool,
    /// Write kernels whose bandwidth is also measured.
    pub kernels: Vec<Access>,
    /// Whether access variants of kernels are tried; otherwise all are the default ones.
    pub variants: bool,
    /// Whether instruction sets other than that of the settings are also tried.
    pub any_isa: bool,
    /// Whether the latency of loads is also measured.
    pub latencies: bool,
    /// Whether the effect of the second hardware thread of each core is also measured.
    pub siblings: bool,
}

/// The results of a calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// One entry for each node of the host, in its order.
    pub nodes: Vec<NodeFigures>,
    /// Bandwidth from each node (row: where the cores are) to each other node (column: where the memory is), GB/s.
    /// `None` on the diagonal and in the rows of nodes without cores.
    pub links: Vec<Vec<Option<Figure>>>,
    /// The read bandwidth between sockets, one entry per direction, whether it limits or not; empty if each socket has one node.
    pub shared_links: Vec<SharedFigure>,
    /// The waits that threads cause each other at a memory: for threads that only read, and for write kernels if these were measured.
    pub penalties: Vec<Penalty>,
    /// The access variant of each kernel, if variants other than the default were tried.
    pub variants: Vec<Choice>,
    /// The latency of loads, if measured.
    pub latencies: Option<Latencies>,
    /// The effect of second hardware threads, if measured.
    pub siblings: Option<Siblings>,
    /// Every measurement, in the order of the steps.
    pub steps: Vec<MeasuredStep>,
}

/// The values of one node.
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
    /// GB/s of its memory under write kernels, in the order of [`Access::WRITING`]; empty without cores.
    pub kernels: Vec<(Access, Figure)>,
    /// GB/s of all its threads from its own memory and from others at once; `None` with fewer than two cores or one node.
    pub read: Option<Together>,
    /// The read bandwidth of its L3 domains; `None` if it has only one, or none that are known.
    pub l3: Option<Domains>,
}

/// One step with its results.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredStep {
    /// The step.
    pub step: Step,
    /// GFLOPS of all its threads together.
    pub gflops: Figure,
    /// GB/s of all its threads together.
    pub bandwidth: Figure,
    /// GFLOPS and GB/s of each round, in order.
    pub rounds: Vec<(f64, f64)>,
}

/// The reason why a host could not be calibrated.
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
    /// A thread or a page was in the wrong place in two attempts.
    #[error("cannot measure {step}: {what}")]
    Misplaced {
        /// The step, in words.
        step: String,
        /// Which thread or pages.
        what: String,
    },
    /// The kernel does not exist in this form.
    #[error(transparent)]
    Kernel(#[from] numasim_kernels::synthetic::KernelError),
    /// No node has a usable core.
    #[error("this host shows no core that may be used")]
    NoCores,
}

/// Receives each measurement before it starts, for a progress line.
pub type Observer<'a> = &'a mut dyn FnMut(Progress<'_>);

/// The progress of a calibration.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Measurements done.
    pub done: usize,
    /// Measurements in all, as far as is known; an upper bound until the controllers are known.
    pub of: usize,
    /// The next measurement.
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
    let rounds = options.rounds as usize;
    let of = plan(host, options).iter().map(Part::measurements).sum();
    let chosen = Vec::new();
    let mut session =
        Session { host, settings, runner, observer, done: 0, of, rounds: options.rounds, chosen };
    if options.variants {
        variants::choose(&mut session, options)?;
    }
    let mut measured = session.measure(local)?;
    let saturating: Vec<Option<u32>> =
        steps::nodes_of(host).map(|node| steps::saturating(&measured, node)).collect();
    let between = together::between_sockets(host);
    let remote = steps::remote(host, &saturating);
    let kernels = steps::kernels(host, options, &saturating);
    let alone = remote.len() + kernels.len();
    session.of = session.done + (alone + between.len() + together::most_mixes(host)) * rounds;
    measured.extend(session.measure(remote)?);
    measured.extend(session.measure(kernels)?);
    let mut calibration = steps::assemble(host, measured);
    let domains = steps::domains(host, options.coarse);
    session.of = session.done + (domains.len() + between.len() + together::most_mixes(host)) * rounds;
    let measured = session.measure(domains)?;
    together::judge_domains(host, &mut calibration, &measured);
    calibration.steps.extend(measured);
    calibration.penalties = penalties::penalties(host, &calibration, steps::with_ladder(&options.kernels));

    let measured = session.measure(between)?;
    together::judge_sockets(host, &mut calibration, &measured);
    calibration.steps.extend(measured);
    let mixes = together::mixes(host, &calibration);
    session.of = session.done + mixes.len() * rounds;
    let measured = session.measure(mixes)?;
    together::judge_nodes(host, &mut calibration, &measured);
    calibration.steps.extend(measured);
    if options.latencies {
        let chains = together::chains(host);
        session.of = session.done + chains.len() * rounds;
        let measured = session.measure(chains)?;
        calibration.latencies = Some(together::latencies(host, &measured));
        calibration.steps.extend(measured);
    }
    if options.siblings {
        let measured = session.measure(siblings::steps(host))?;
        calibration.siblings = siblings::judge(&measured);
        calibration.steps.extend(measured);
    }
    calibration.variants = session.chosen;
    Ok(calibration)
}

/// Steps of a kind, to estimate the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The quantity that they measure.
    pub what: &'static str,
    /// Number of steps; the maximum if it depends on the results.
    pub steps: usize,
    /// Number of measurements of each step.
    pub rounds: u32,
    /// Window and warm-up of each, if those of the settings are too long.
    pub each: Option<Duration>,
}

impl Part {
    /// Measurements in all.
    pub fn measurements(&self) -> usize {
        self.steps * self.rounds as usize
    }

    /// Their total time: windows and warm-up, without filling memory.
    pub fn time(&self, settings: &Settings) -> Duration {
        let each = self.each.unwrap_or(settings.window + settings.warm_up);
        each.saturating_mul(u32::try_from(self.measurements()).unwrap_or(u32::MAX))
    }
}

/// The measurements of [`calibrate`] on a host, kind by kind, in its order, including kinds without steps.
pub fn plan(host: &HostTopology, options: &Options) -> [Part; 9] {
    let part = |what, steps| Part { what, steps, rounds: options.rounds, each: None };
    let trials = if options.variants { variants::most_trials(&options.kernels) } else { 0 };
    [
        Part {
            what: "ways of kernels through memory",
            steps: trials,
            rounds: 1,
            each: Some(variants::WINDOW + variants::WARM_UP),
        },
        part("peak and bandwidth of each node", steps::local(host, options.coarse).len()),
        part("links between nodes", steps::pairs(host).len() * 2),
        part("kernels that write, on each node", steps::most_of_kernels(host, options)),
        part("L3 domains of each node", steps::domains(host, options.coarse).len()),
        part("links between sockets, all nodes at once", together::between_sockets(host).len()),
        part("reads of each node, local and remote at once", together::most_mixes(host)),
        part("latencies", if options.latencies { together::chains(host).len() } else { 0 }),
        part("second hardware threads", if options.siblings { siblings::steps(host).len() } else { 0 }),
    ]
}

struct Session<'a> {
    host: &'a HostTopology,
    settings: &'a Settings,
    runner: &'a mut dyn Runner,
    observer: Observer<'a>,
    done: usize,
    of: usize,
    rounds: u32,
    /// The chosen access variants of kernels.
    chosen: Vec<Choice>,
}

impl Session<'_> {
    /// Measures all steps in rounds; every other round runs in reverse order.
    fn measure(&mut self, steps: Vec<Step>) -> Result<Vec<MeasuredStep>, CalibrateError> {
        let mut samples: Vec<Vec<(f64, f64)>> = vec![Vec::new(); steps.len()];
        for round in 0..self.rounds {
            let mut order: Vec<usize> = (0..steps.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for at in order {
                (self.observer)(Progress { done: self.done, of: self.of, next: &steps[at] });
                samples[at].push(self.once(&steps[at], self.settings)?);
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

    /// GFLOPS and GB/s of all threads of one measurement; a wrong placement is retried once.
    fn once(&mut self, step: &Step, settings: &Settings) -> Result<(f64, f64), CalibrateError> {
        let chosen = |access| Some(self.chosen.iter().find(|choice| choice.access == access)?.variant);
        let scenario = step.scenario(self.host, chosen, settings.bytes_per_thread)?;
        let mut wrong = String::new();
        for _ in 0..2 {
            let measurement = self
                .runner
                .measure(&scenario, settings)
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
    /// The node-to-node matrix in the layout of the model: row = node of the cores, column = node of the memory, diagonal = controllers;
    /// `None` in the rows of nodes without cores, except for their diagonal.
    pub fn matrix(&self) -> Vec<Vec<Option<Figure>>> {
        let mut matrix = self.links.clone();
        for (n, node) in self.nodes.iter().enumerate() {
            matrix[n][n] = Some(node.bandwidth);
        }
        matrix
    }

    /// The sharing model of the machine: `ecm`, with the fitted penalties, else the default ones.
    pub fn model(&self) -> Model {
        penalties::model(&self.penalties)
    }

    /// Outstanding lines of the benchmark on a core of this node: the bandwidth of one thread times the latency of its memory (Little's
    /// law). The model `ecm` computes the same from the file.
    pub fn benchmark_lines(&self, node: NodeId) -> Option<Figure> {
        let ns = (*self.latencies.as_ref()?.ns.get(node.0)?.get(node.0)?)?;
        Some(self.node(node)?.core_bandwidth?.times(ns).scaled(1.0 / together::LINE_BYTES))
    }

    /// The values of one node.
    pub fn node(&self, node: NodeId) -> Option<&NodeFigures> {
        self.nodes.get(node.0)
    }
}
