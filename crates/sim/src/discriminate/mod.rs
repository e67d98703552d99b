//! Finds the scenarios that distinguish the sharing models on a machine.
//!
//! # Problem
//! Many scenarios give the same result in every model, for instance the paper's own. To measure which model is right on a host, one needs
//! the few scenarios in which the models disagree most.
//!
//! # Terminology
//! - **difference** of two models in a scenario: the largest relative difference of the GFLOPS of an application, as a fraction of the
//!   larger value.
//! - two models are **separated** by a scenario if their difference is at least [`SEPARATED`], which exceeds the scatter of measurements.
//!
//! # Algorithm
//! Every candidate is evaluated in every model (`candidates`). Then a greedy choice follows. The next scenario is the one that adds most to
//! the sum of the largest differences seen so far, over all pairs of models and all kinds of scenario (`Kind`). A model can be right for
//! local threads and wrong for remote ones, so each kind must separate the models by itself. A difference counts only up to `ENOUGH`, so
//! that one extreme pair does not hide the others. Ties go to the first scenario: nothing is random.

#[cfg(test)]
mod tests;

use crate::answer::{Forbidden, fits};
use numasim_model::sharing::Solver;
use numasim_model::units::FlopPerByte;
use numasim_model::{Allocation, App, AppId, Data, Machine, ModelKind, NodeId, Placement, Scenario, Smt};

/// Models are separated if they differ by at least this fraction.
pub const SEPARATED: f64 = 0.1;
/// A larger difference is no better.
const ENOUGH: f64 = 0.4;
/// The minimum that a further scenario must add to the sum: a measurement takes time.
const WORTH: f64 = 0.1;

/// Two models and their difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The models, in the order of [`ModelKind::ALL`].
    pub models: [ModelKind; 2],
    /// The largest difference of an application, 0 to 1.
    pub difference: f64,
}

/// A scenario that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The scenario; its applications are those of [`Proposal::apps`].
    pub scenario: Scenario,
    /// All pairs of models.
    pub pairs: Vec<Pair>,
    /// GFLOPS of all applications together, by model in the order of [`ModelKind::ALL`].
    pub total_gflops: Vec<f64>,
}

/// Scenarios that separate the models.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The applications of all scenarios.
    pub apps: Vec<App>,
    /// In the order of their contribution.
    pub scenarios: Vec<Chosen>,
    /// The largest difference of each pair over the scenarios.
    pub pairs: Vec<Pair>,
    /// Number of scenarios that were evaluated.
    pub candidates: usize,
}

impl Proposal {
    /// Pairs that no scenario separates.
    pub fn not_separated(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| pair.difference < SEPARATED)
    }
}

/// The pairs of models, each once.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    let count = ModelKind::ALL.len();
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

/// The results of every model for a candidate: GFLOPS by model and side.
type Answers = Vec<[f64; 2]>;

/// The scenarios that separate the models best on `machine`, at most `most`. Corrections of the machine's model apply to all models that
/// use them.
///
/// # Errors
/// [`Forbidden`] if a scenario has more threads than cores on a node: a fault of the program.
pub fn discriminate(machine: &Machine, most: usize) -> Result<Proposal, Forbidden> {
    let proposal = proposed(machine, most);
    for chosen in &proposal.scenarios {
        fits(machine, &chosen.scenario.allocation)?;
    }
    Ok(proposal)
}

fn proposed(machine: &Machine, most: usize) -> Proposal {
    let all = all(machine);
    let machines: Vec<Machine> = ModelKind::ALL.map(|kind| machine.clone().with_model(kind)).into();
    let answers: Vec<Answers> = all.iter().map(|one| answers(&machines, one)).collect();
    let differences: Vec<Vec<f64>> = answers.iter().map(differences).collect();
    let mut best = vec![vec![0.0_f64; pairs().count()]; Kind::COUNT];
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < most {
        let gain = |place: usize| -> Option<f64> {
            let best = best.get(all.get(place)?.kind as usize)?;
            let pairs = differences.get(place)?.iter().zip(best);
            Some(pairs.map(|(new, old)| (new.min(ENOUGH) - old.min(ENOUGH)).max(0.0)).sum())
        };
        let open = (0..all.len()).filter(|candidate| !chosen.contains(candidate));
        let gains = open.filter_map(|candidate| Some((candidate, gain(candidate)?)));
        let Some((next, gained)) =
            gains.reduce(|best, other| if other.1 > best.1 + 1e-12 { other } else { best })
        else {
            break;
        };
        if gained < WORTH {
            break;
        }
        if let (Some(of), Some(one)) = (differences.get(next), all.get(next))
            && let Some(best) = best.get_mut(one.kind as usize)
        {
            best.iter_mut().zip(of).for_each(|(old, new)| *old = old.max(*new));
        }
        chosen.push(next);
    }
    let of_all = |pair: usize| best.iter().filter_map(|kind| kind.get(pair)).copied().fold(0.0, f64::max);
    let best: Vec<f64> = (0..pairs().count()).map(of_all).collect();
    assemble(machine, &all, &answers, &differences, &chosen, &best)
}

/// Relative differences, pair by pair.
fn differences(answers: &Answers) -> Vec<f64> {
    let of = |model: usize| answers.get(model).copied().unwrap_or_default();
    pairs()
        .map(|(first, second)| {
            let sides = of(first).into_iter().zip(of(second));
            sides.map(|(a, b)| (a - b).abs() / a.max(b).max(f64::MIN_POSITIVE)).fold(0.0, f64::max)
        })
        .collect()
}

fn answers(machines: &[Machine], candidate: &Candidate) -> Answers {
    let demands = candidate.sides.each_ref().map(|side| side.app().demand(side.placement()));
    let of = |machine: &Machine| {
        let solver = Solver::new(machine, &demands);
        let mut workspace = solver.workspace();
        solver.solve(candidate.allocation(machine).rows(machine).as_slice(), &mut workspace);
        let gflops = workspace.gflops();
        [0, 1].map(|side| gflops.get(side).copied().unwrap_or_default())
    };
    machines.iter().map(of).collect()
}

fn named(best: &[f64]) -> Vec<Pair> {
    let pair = |((first, second), &difference): ((usize, usize), &f64)| {
        let models = [*ModelKind::ALL.get(first)?, *ModelKind::ALL.get(second)?];
        Some(Pair { models, difference })
    };
    pairs().zip(best).filter_map(pair).collect()
}

fn assemble(
    machine: &Machine,
    all: &[Candidate],
    answers: &[Answers],
    differences: &[Vec<f64>],
    chosen: &[usize],
    best: &[f64],
) -> Proposal {
    let candidates: Vec<&Candidate> = chosen.iter().filter_map(|&place| all.get(place)).collect();
    let mut sides: Vec<Side> =
        candidates.iter().flat_map(|one| one.sides.iter().map(Side::without_threads)).collect();
    sides.sort_by(|a, b| {
        (a.home, a.intensity.value())
            .partial_cmp(&(b.home, b.intensity.value()))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    sides.dedup();
    let scenario = |candidate: &Candidate| {
        let mut allocation = Allocation::empty(sides.len(), machine.node_count());
        for side in &candidate.sides {
            let Some(app) = sides.iter().position(|one| *one == side.without_threads()) else { continue };
            for &(node, threads) in &side.threads {
                allocation.set(AppId(app), node, threads);
            }
        }
        let data = sides.iter().map(Side::data).collect();
        let smt = vec![Smt::One; sides.len()];
        Scenario { name: candidate.name(), allocation, data, smt, static_work: false }
    };
    let scenarios = chosen.iter().zip(&candidates).map(|(&place, candidate)| Chosen {
        scenario: scenario(candidate),
        pairs: differences.get(place).map(|of| named(of)).unwrap_or_default(),
        total_gflops: answers
            .get(place)
            .map(|of| of.iter().map(|sides| sides.iter().sum()).collect())
            .unwrap_or_default(),
    });
    Proposal {
        scenarios: scenarios.collect(),
        apps: sides.iter().map(Side::app).collect(),
        pairs: named(best),
        candidates: all.len(),
    }
}

/// The placement of the data, as an application specifies it.
impl Side {
    fn data(&self) -> Data {
        Data::Placed(self.placement())
    }

    fn placement(&self) -> Placement {
        self.home.map_or(Placement::Local, Placement::Home)
    }
}

/// The node whose link to `home` has the highest bandwidth; the first one in a tie.
fn nearest(machine: &Machine, home: NodeId) -> Option<NodeId> {
    let width =
        |from: NodeId| machine.link(from, home).map_or(0.0, numasim_model::units::GigabytesPerSecond::value);
    let others = machine.compute_nodes().filter(|&node| node != home);
    others.reduce(|best, other| if width(other) > width(best) { other } else { best })
}

// Scenarios of two applications that a benchmark can run.
//
// - Both local on one node: how are unequal threads served?
// - One local on a node, one with its data there and its threads on the nearest other node, or on all others: how are remote readers
//   served?
//
// Intensities are powers of two. They range from the one at which a single thread could saturate a controller to the one at which a node
// full of threads asks for an eighth of it. Thread counts are fractions of a node.

/// Minimum and maximum intensity for which the benchmark has a kernel, as powers of two.
const POWERS: (i32, i32) = (-6, 6);
/// Thread counts, as fractions of the cores of a node.
const PARTS: [(u32, u32); 5] = [(1, 8), (1, 4), (1, 2), (3, 4), (1, 1)];

/// One of the two applications of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Side {
    /// FLOP per byte, a power of two.
    pub(super) intensity: FlopPerByte,
    /// The node of all its data; `None`: every thread reads local memory.
    pub(super) home: Option<NodeId>,
    /// Threads by node.
    pub(super) threads: Vec<(NodeId, u32)>,
}

impl Side {
    /// The application without its threads.
    pub(super) fn without_threads(&self) -> Self {
        Self { threads: Vec::new(), ..self.clone() }
    }

    fn name(&self) -> String {
        let kind = if self.home.is_some() { "home" } else { "local" };
        format!("{kind}-{}", self.intensity.value())
    }

    pub(super) fn app(&self) -> App {
        App::new(self.name(), self.intensity, self.data())
    }

    fn in_words(&self) -> String {
        let count = self.threads.first().map_or(0, |(_, threads)| *threads);
        let nodes: Vec<String> = self.threads.iter().map(|(node, _)| node.0.to_string()).collect();
        format!("{count} x {} on {}", self.name(), nodes.join(","))
    }
}

/// The kind of a candidate.
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
    /// Number of kinds.
    pub(super) const COUNT: usize = 5;

    /// Remote readers together with local threads, classified by their intensities.
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
    // Below the intensity at which one thread draws its maximum, nothing changes.
    let ceiling =
        node.core_bandwidth.map_or(one, |most| (node.gflops_per_core.value() / most.value()).max(one));
    (power(ceiling)..=power(few)).map(|power| 2_f64.powi(power)).collect()
}
