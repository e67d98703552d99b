//! The bound: all models' relaxations with the same options at the same time; see the module text.

use super::scale::Scale;
use crate::monitor::Monitor;
use crate::objective::Objective;
use crate::parallel::prelude::*;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::dual::{Class, Earnings, Prices, Ranges, Relaxation};
use crate::search::local::Rates;
use crate::symmetry::node_classes;
use numasim_model::{Allocation, AppId, Placement};

/// Most options of one node that are listed.
const MAX_OPTIONS: usize = 100_000;

/// One relaxation for each model; classes of nodes and their options are the same in all.
pub(super) struct Joint<'a> {
    pub(super) relaxations: Vec<Relaxation<'a>>,
    pub(super) scales: Vec<Scale>,
    /// Whether options are real ones, not the corners that lie around them.
    pub(super) listed: bool,
}

/// Weights of the models, and prices that contain them.
#[derive(Clone, Debug)]
pub(super) struct JointPrices {
    /// Per model; their sum is 1.
    pub(super) weights: Vec<f64>,
    /// Per model. Prices of threads, which all have in common, are with the first.
    pub(super) of: Vec<Prices>,
}

impl<'a> Joint<'a> {
    /// The relaxations for one set of decided homes, one of `share` that exist at the same time; `None` at a stop.
    pub(super) fn new(
        panel: &Panel<'a>,
        placements: &[Placement],
        share: usize,
        monitor: &'a dyn Monitor,
    ) -> Option<Self> {
        let classes = common_classes(panel, placements);
        let scales: Vec<Scale> = panel.members.iter().map(|member| member.1).collect();
        let share = share.saturating_mul(scales.len());
        let evaluators: Vec<Evaluator<'a>> =
            panel.members.iter().map(|&(problem, _)| Evaluator::new(problem, placements.to_vec())).collect();
        let both = || panel.members.iter().zip(&evaluators);
        let listed: Option<Vec<Relaxation<'a>>> = both()
            .map(|(&(problem, _), evaluator)| {
                let new = Relaxation::new(problem, evaluator, &classes, &[], MAX_OPTIONS, share, monitor);
                new.map(Relaxation::with_prices_alone)
            })
            .collect();
        if let Some(relaxations) = listed {
            return Some(Self { relaxations, scales, listed: true });
        }
        if monitor.stop() {
            return None;
        }
        let loose = |(&(problem, _), evaluator)| Relaxation::loose(problem, evaluator, &classes, monitor);
        Some(Self { relaxations: both().map(loose).collect(), scales, listed: false })
    }

    /// The same wherever the open homes are.
    pub(super) fn with_homes_anywhere(panel: &Panel<'a>, monitor: &'a dyn Monitor) -> Self {
        let of = |&(problem, _): &(&'a Problem, Scale)| {
            let evaluator = problem.without_ceilings(problem.placements(&[]));
            Relaxation::with_homes_anywhere(problem, &evaluator, monitor)
        };
        let scales = panel.members.iter().map(|member| member.1).collect();
        Self { relaxations: panel.members.iter().map(of).collect(), scales, listed: false }
    }

    /// The classes of nodes; tables of options are those of the first model.
    pub(super) fn classes(&self) -> &[Class] {
        &self.relaxations[0].classes
    }

    pub(super) fn apps(&self) -> usize {
        self.relaxations[0].problem.apps.len()
    }

    pub(super) fn objective(&self) -> Objective {
        self.relaxations[0].problem.goal.objective()
    }

    /// The whole space.
    pub(super) fn everything(&self) -> Ranges {
        self.relaxations[0].everything()
    }

    /// What it costs to price all options once, in steps of the search.
    pub(super) fn pricing(&self) -> u64 {
        self.relaxations.iter().map(Relaxation::pricing).sum()
    }

    /// All models weigh the same, and nothing but GFLOPS has a price.
    pub(super) fn start_prices(&self) -> JointPrices {
        let weight = 1.0 / self.scales.len() as f64;
        let of = self.relaxations.iter().zip(&self.scales).map(|(relaxation, scale)| {
            let mut prices = relaxation.start().prices;
            prices.y.iter_mut().for_each(|y| *y *= weight / scale.unit(1.0));
            prices
        });
        JointPrices { weights: vec![weight; self.scales.len()], of: of.collect() }
    }

    /// The part of the bound that does not depend on the options.
    pub(super) fn constant(&self, prices: &JointPrices, ranges: &Ranges) -> f64 {
        let mut constant = 0.0;
        let members = self.relaxations.iter().zip(&self.scales);
        for ((relaxation, scale), (of, weight)) in members.zip(prices.of.iter().zip(&prices.weights)) {
            let priced = of.lambda.iter().zip(&relaxation.shared_bandwidth).filter(|(_, b)| b.is_some());
            constant += priced.map(|(lambda, _)| lambda).sum::<f64>();
            if scale.logarithmic && *weight > 0.0 {
                let weights = relaxation.problem.goal.weights().iter().map(|w| w * weight);
                let conjugate = weights.zip(&of.y).filter(|(w, _)| *w > 0.0);
                constant += conjugate.map(|(w, y)| w * (libm::log(w / y) - 1.0)).sum::<f64>();
                constant -= weight * scale.best;
            }
        }
        let threads = ranges.at_their_ends(&prices.of[0].pays, &prices.of[0].charges);
        constant - threads / self.relaxations[0].total_cores
    }

    /// What an option earns on a node of `class` under each model.
    pub(super) fn earnings(&self, class: usize, prices: &JointPrices, ranges: &Ranges) -> Vec<Earnings> {
        self.relaxations
            .iter()
            .zip(&prices.of)
            .map(|(relaxation, of)| relaxation.earnings(class, of, ranges))
            .collect()
    }

    /// What an option earns in all models together.
    #[inline]
    pub(super) fn earned(&self, class: usize, option: usize, earnings: &[Earnings]) -> f64 {
        let of = |(relaxation, earnings): (&Relaxation<'_>, &Earnings)| {
            earnings.of(&relaxation.classes[class].table, option)
        };
        self.relaxations.iter().zip(earnings).map(of).sum()
    }

    /// Per class the option that earns most, the first of equals, and the bound; `None` where a node has no option.
    pub(super) fn bound(&self, prices: &JointPrices, ranges: &Ranges) -> Option<(f64, Vec<(usize, usize)>)> {
        /// Options that are priced by one task.
        const CHUNK: usize = 8192;
        let mut bound = self.constant(prices, ranges);
        let mut found = Vec::with_capacity(self.classes().len());
        for (c, class) in self.classes().iter().enumerate() {
            let earnings = self.earnings(c, prices, ranges);
            let options = class.table.len();
            let best_of = |options: std::ops::Range<usize>| {
                let earned = options.map(|option| (option, self.earned(c, option, &earnings)));
                earned.reduce(|best, next| if next.1 > best.1 { next } else { best })
            };
            let chunks: Vec<_> = if options <= CHUNK {
                vec![best_of(0..options)]
            } else {
                let chunks = (0..options.div_ceil(CHUNK)).into_par_iter();
                chunks.map(|chunk| best_of(chunk * CHUNK..((chunk + 1) * CHUNK).min(options))).collect()
            };
            let best =
                chunks.into_iter().flatten().reduce(|best, next| if next.1 > best.1 { next } else { best });
            let (option, earned) = best?;
            bound += class.nodes.len() as f64 * earned;
            found.push((c, option));
        }
        Some((bound, found))
    }
}

/// For each node the smallest one that can be exchanged with it under every model.
fn common_classes(panel: &Panel<'_>, placements: &[Placement]) -> Vec<usize> {
    let of: Vec<Vec<usize>> = panel
        .members
        .iter()
        .map(|(problem, _)| node_classes(&problem.machine, &problem.apps, placements, false))
        .collect();
    let nodes = panel.question().machine.node_count();
    let alike = |i: usize, j: usize| of.iter().all(|classes| classes[i] == classes[j]);
    (0..nodes).map(|i| (0..i).find(|&j| alike(i, j)).unwrap_or(i)).collect()
}

/// The options that an allocation has on each node: (class, option).
pub(super) fn options_of(joint: &Joint<'_>, candidate: &Candidate) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (c, class) in joint.classes().iter().enumerate() {
        for &node in &class.nodes {
            let is = |&option: &usize| {
                let counts = class.table.counts(option).iter().enumerate();
                counts.into_iter().all(|(a, &n)| candidate.allocation.get(AppId(a), node) == n)
            };
            found.extend((0..class.table.len()).find(is).map(|option| (c, option)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

// Several models as one judge: the smallest merit counts.

/// The models under which allocations differ, each with its scale; never empty, and all of one objective.
#[derive(Clone, Debug)]
pub(super) struct Panel<'a> {
    pub(super) members: Vec<(&'a Problem, Scale)>,
}

impl<'a> Panel<'a> {
    /// The question apart from the model: applications, restrictions, nodes.
    pub(super) fn question(&self) -> &'a Problem {
        self.members[0].0
    }

    /// One judge for these placements.
    pub(super) fn rater(&self, placements: &[Placement]) -> Rater<'a> {
        let evaluator =
            |&(problem, scale): &(&'a Problem, Scale)| (Evaluator::new(problem, placements.to_vec()), scale);
        Rater { members: self.members.iter().map(evaluator).collect() }
    }

    /// What rating an allocation costs, in elementary operations.
    pub(super) fn evaluation_cost(&self) -> u64 {
        self.members.iter().map(|(problem, _)| problem.evaluation_cost()).fold(0, u64::saturating_add)
    }

    /// The worst regret of an allocation with this merit.
    pub(super) fn regret(&self, merit: f64) -> f64 {
        self.members[0].1.regret(merit)
    }
}

/// Rates allocations by their smallest merit; the mean of all merits breaks ties.
pub(super) struct Rater<'a> {
    members: Vec<(Evaluator<'a>, Scale)>,
}

impl Rates for Rater<'_> {
    #[inline]
    fn excess(&self, threads: &[u32]) -> f64 {
        self.members[0].0.excess(threads)
    }

    #[inline]
    fn rate(&mut self, threads: &[u32]) -> (f64, f64) {
        let (mut least, mut sum) = (f64::INFINITY, 0.0);
        for (evaluator, scale) in &mut self.members {
            let merit = scale.merit(evaluator.rate(threads).0);
            least = least.min(merit);
            sum += merit;
        }
        (least, sum / self.members.len() as f64)
    }

    fn candidate(&mut self, allocation: Allocation) -> Candidate {
        let (score, tie_break) = self.rate(allocation.as_slice());
        let excess = self.excess(allocation.as_slice());
        let placements = self.members[0].0.placements.clone();
        Candidate { allocation, placements, score, tie_break, excess }
    }
}

/// The best that was met, and what it takes to beat it.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) candidate: Candidate,
}

/// Merits are near 1, or logarithms near 0: they count as equal within this, which is a part of the best of a model.
pub(super) const EQUAL: f64 = 1e-9;

impl Best {
    /// Only what has more is better.
    pub(super) fn cutoff(&self) -> f64 {
        self.candidate.score + EQUAL
    }

    /// Takes what is better.
    pub(super) fn offer(&mut self, other: Candidate) {
        if other.beats(&self.candidate) {
            self.candidate = other;
        }
    }
}
