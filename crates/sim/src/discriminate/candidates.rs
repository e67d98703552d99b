//! Scenarios of two applications that a benchmark can run.
//!
//! - Both local on one node: how are unequal threads served?
//! - One local on a node, one with its data there and its threads on the nearest other node, or on all others: how are
//!   remote readers served?
//!
//! Intensities are powers of two: from where a single thread could fill a controller to where a node full of threads
//! asks for an eighth of it. Thread counts are fractions of a node.

use numasim_model::units::FlopPerByte;
use numasim_model::{Access, Allocation, App, AppId, Machine, NodeId, Placing};

use super::nearest;

/// Least and greatest intensity that the benchmark has a kernel for, as powers of two.
const POWERS: (i32, i32) = (-6, 6);
/// Thread counts, as parts of the cores of a node.
const PARTS: [(u32, u32); 5] = [(1, 8), (1, 4), (1, 2), (3, 4), (1, 1)];

/// One of the two applications of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Side {
    /// FLOP per byte, a power of two.
    pub(super) intensity: FlopPerByte,
    /// Where all its data is; `None`: every thread reads its own node.
    pub(super) home: Option<NodeId>,
    /// Threads by node.
    pub(super) threads: Vec<(NodeId, u32)>,
}

impl Side {
    /// The application, whatever its threads.
    pub(super) fn without_threads(&self) -> Self {
        Self { threads: Vec::new(), ..self.clone() }
    }

    fn name(&self) -> String {
        let kind = if self.home.is_some() { "home" } else { "local" };
        format!("{kind}-{}", self.intensity.value())
    }

    pub(super) fn app(&self) -> App {
        App {
            name: self.name(),
            group: self.name(),
            arithmetic_intensity: self.intensity,
            data: self.data(),
            kernel: Access::Read,
            problem: None,
            min_threads: 1,
            max_threads: None,
            placing: Placing::default(),
            weight: 1.0,
            work: None,
            nodes: None,
            memory: None,
        }
    }

    fn in_words(&self) -> String {
        let count = self.threads.first().map_or(0, |(_, threads)| *threads);
        let nodes: Vec<String> = self.threads.iter().map(|(node, _)| node.0.to_string()).collect();
        format!("{count} x {} on {}", self.name(), nodes.join(","))
    }
}

/// What a candidate asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two local applications.
    Local,
    /// Remote readers from one node that want less per thread than the local threads.
    LightReaders,
    /// Remote readers from one node that want at least as much.
    HeavyReaders,
    /// The same from all other nodes.
    LightReadersEverywhere,
    /// The same from all other nodes.
    HeavyReadersEverywhere,
}

impl Kind {
    /// How many there are.
    pub(super) const COUNT: usize = 5;

    /// Remote readers beside local threads, by their intensities.
    fn readers(local: f64, remote: f64, nodes: usize) -> Self {
        match (remote > local, nodes > 1) {
            (true, false) => Self::LightReaders,
            (false, false) => Self::HeavyReaders,
            (true, true) => Self::LightReadersEverywhere,
            (false, true) => Self::HeavyReadersEverywhere,
        }
    }
}

/// Two applications.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) sides: [Side; 2],
}

impl Candidate {
    pub(super) fn allocation(&self, machine: &Machine) -> Allocation {
        let mut allocation = Allocation::empty(2, machine.node_count());
        for (app, side) in self.sides.iter().enumerate() {
            side.threads.iter().for_each(|&(node, threads)| allocation.set(AppId(app), node, threads));
        }
        allocation
    }

    /// "9 x local-0.125 on 0, 18 x home-0.5 on 1".
    pub(super) fn name(&self) -> String {
        let [first, second] = &self.sides;
        format!("{}, {}", first.in_words(), second.in_words())
    }
}

/// All candidates of a machine, in a fixed order.
pub(super) fn all(machine: &Machine) -> Vec<Candidate> {
    let Some(home) = machine.compute_nodes().find(|&node| machine.has_memory(node)) else {
        return Vec::new();
    };
    let intensities = intensities(machine, home);
    let others: Vec<NodeId> = machine.compute_nodes().filter(|&node| node != home).collect();
    let mut readers: Vec<Vec<NodeId>> = nearest(machine, home).map(|node| vec![node]).into_iter().collect();
    if others.len() > 1 {
        readers.push(others);
    }
    let cores = machine.node(home).cores;
    let mut all = Vec::new();
    for &first in &intensities {
        for &second in &intensities {
            for a in counts(cores) {
                for b in counts(cores).into_iter().filter(|b| a + b <= cores && first < second) {
                    let local = |intensity: f64, threads| side(intensity, None, &[home], threads);
                    all.push(Candidate { kind: Kind::Local, sides: [local(first, a), local(second, b)] });
                }
                for nodes in &readers {
                    let fewest = nodes.iter().map(|&node| machine.node(node).cores).min().unwrap_or(0);
                    for b in counts(fewest) {
                        let sides = [side(first, None, &[home], a), side(second, Some(home), nodes, b)];
                        all.push(Candidate { kind: Kind::readers(first, second, nodes.len()), sides });
                    }
                }
            }
        }
    }
    all
}

fn side(intensity: f64, home: Option<NodeId>, nodes: &[NodeId], threads: u32) -> Side {
    let threads = nodes.iter().map(|&node| (node, threads)).collect();
    Side { intensity: FlopPerByte::new(intensity), home, threads }
}

/// Different numbers of threads on a node, ascending.
fn counts(cores: u32) -> Vec<u32> {
    let mut counts: Vec<u32> =
        PARTS.iter().map(|(part, of)| cores * part / of).filter(|&count| count > 0).collect();
    counts.dedup();
    counts
}

/// Powers of two between the intensity at which one thread wants the whole controller, and the one at which all cores
/// want an eighth of it.
fn intensities(machine: &Machine, home: NodeId) -> Vec<f64> {
    let node = machine.node(home);
    let one = node.gflops_per_core.value() / node.bandwidth.value();
    let few = 8.0 * f64::from(node.cores) * one;
    let power = |at: f64| {
        #[allow(clippy::cast_possible_truncation, reason = "clamped to a few powers")]
        let power = libm::log2(at).floor().clamp(f64::from(POWERS.0), f64::from(POWERS.1)) as i32;
        power
    };
    // Beyond what one thread can draw a lower intensity changes nothing.
    let ceiling =
        node.core_bandwidth.map_or(one, |most| (node.gflops_per_core.value() / most.value()).max(one));
    (power(ceiling)..=power(few)).map(|power| 2_f64.powi(power)).collect()
}
