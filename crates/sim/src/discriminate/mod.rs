//! Which scenarios tell the sharing models apart on a machine?
//!
//! # Problem
//! Many scenarios come out the same in every model: the paper's own, for instance. To find out by measurement which model is
//! right on a host, one wants the few scenarios in which they disagree most.
//!
//! # Terminology
//! - **difference** of two models in a scenario: the largest relative difference of the GFLOPS of an application, as a part
//!   of the larger figure.
//! - two models are **separated** by a scenario if their difference is at least [`SEPARATED`]: more than measurements
//!   scatter.
//!
//! # Algorithm
//! Every candidate is evaluated in every model (`candidates`). Then, greedily: the next scenario is the one that
//! adds most to the sum of the largest differences seen so far, over all pairs of models and all kinds of scenario
//! (`Kind`): a model can be right for local threads and wrong for remote ones, so that each kind is to tell by itself. A
//! difference counts up to `ENOUGH` only, so that one extreme pair does not hide the others. Of equal ones the first:
//! nothing is random.

mod candidates;
#[cfg(test)]
mod tests;

use numasim_model::sharing::Solver;
use numasim_model::{Allocation, App, AppId, Data, Machine, ModelKind, NodeId, Placement, Scenario};

use crate::answer::{Forbidden, fits};
use candidates::{Candidate, Kind, Side};

/// Models that differ by this part are told apart.
pub const SEPARATED: f64 = 0.1;
/// More difference than this is not better.
const ENOUGH: f64 = 0.4;
/// What a further scenario must add to the sum: a measurement takes time.
const WORTH: f64 = 0.1;

/// Two models and how far apart they are.
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

/// Scenarios that tell the models apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The applications of all scenarios.
    pub apps: Vec<App>,
    /// In the order of what they add.
    pub scenarios: Vec<Chosen>,
    /// The largest difference of each pair over the scenarios.
    pub pairs: Vec<Pair>,
    /// Scenarios that were looked at.
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

/// What every model says of a candidate: GFLOPS by model and side.
type Answers = Vec<[f64; 2]>;

/// The scenarios that separate the models best on `machine`, at most `most`. Corrections of the machine's model hold for all
/// models that use them.
///
/// # Errors
/// [`Forbidden`] if a scenario has more threads than cores on a node: the program is wrong.
pub fn discriminate(machine: &Machine, most: usize) -> Result<Proposal, Forbidden> {
    let proposal = proposed(machine, most);
    for chosen in &proposal.scenarios {
        fits(machine, &chosen.scenario.allocation)?;
    }
    Ok(proposal)
}

fn proposed(machine: &Machine, most: usize) -> Proposal {
    let all = candidates::all(machine);
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
        solver.solve(candidate.allocation(machine).as_slice(), &mut workspace);
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
        Scenario { name: candidate.name(), allocation, data, static_work: false }
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

/// Where data lies, as an application has it.
impl Side {
    fn data(&self) -> Data {
        Data::Placed(self.placement())
    }

    fn placement(&self) -> Placement {
        self.home.map_or(Placement::Local, Placement::Home)
    }
}

/// The node whose link to `home` is the widest; of equal ones the first.
fn nearest(machine: &Machine, home: NodeId) -> Option<NodeId> {
    let width =
        |from: NodeId| machine.link(from, home).map_or(0.0, numasim_model::units::GigabytesPerSecond::value);
    let others = machine.compute_nodes().filter(|&node| node != home);
    others.reduce(|best, other| if width(other) > width(best) { other } else { best })
}
