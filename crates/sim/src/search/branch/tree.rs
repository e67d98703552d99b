//! The prepared tree: the order of the nodes, and the options of each, best first.

use crate::parallel::prelude::*;
use numasim_model::{NodeId, Placement};

use crate::monitor::Monitor;
use crate::problem::Problem;
use crate::search::dual::{Class, Earnings, Prices, Ranges, Relaxation};

/// One step of the search: which node is filled, and from which class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) class: usize,
    /// Nodes of this class that are not filled yet, this one included.
    pub(super) left_in_class: f64,
    /// What all nodes of later classes can earn.
    pub(super) later: f64,
    /// Whether the step before filled a node of the same class.
    pub(super) same_as_before: bool,
}

/// An option that may be part of a better answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) earns: f64,
    pub(super) option: u32,
}

/// The prepared search tree.
pub(in crate::search) struct Tree<'a> {
    pub(super) problem: &'a Problem,
    pub(super) relaxation: &'a Relaxation<'a>,
    pub(super) placements: &'a [Placement],
    pub(super) ranges: &'a Ranges,
    pub(super) constant: f64,
    pub(super) steps: Vec<Step>,
    /// Per class, best first, those that cannot improve on the cutoff left out.
    pub(super) ranked: Vec<Vec<Ranked>>,
    /// `reach[step * apps + app]`: the most GFLOPS an application can get on the nodes from this step on.
    pub(super) reach: Vec<f64>,
    /// `most_threads[step * apps + app]`: the most threads it can get there.
    pub(super) most_threads: Vec<u32>,
    /// No application reads another node's memory: potentials are exact.
    pub(super) decoupled: bool,
    /// What rating an allocation costs beside the step that leads to it.
    pub(super) steps_to_rate: u64,
}

/// What rating an allocation costs beside the step that leads to it: much where potentials say so little that most of
/// what is met has to be rated.
pub(in crate::search) fn steps_to_rate(relaxation: &Relaxation<'_>) -> u64 {
    /// Elementary operations of an evaluation in the time of one step.
    const OPERATIONS_PER_STEP: u64 = 4;
    if relaxation.exact { 0 } else { relaxation.problem.evaluation_cost() / OPERATIONS_PER_STEP }
}

impl<'a> Tree<'a> {
    /// Ranks the options at `prices`; those that cannot lead above `cutoff` are left out. `None` at a stop.
    pub(in crate::search) fn new(
        problem: &'a Problem,
        relaxation: &'a Relaxation<'a>,
        placements: &'a [Placement],
        prices: &Prices,
        ranges: &'a Ranges,
        cutoff: f64,
        monitor: &dyn Monitor,
    ) -> Option<Self> {
        let constant = relaxation.constant(prices, ranges);
        let earnings: Vec<Earnings> =
            (0..relaxation.classes.len()).map(|c| relaxation.earnings(c, prices, ranges)).collect();
        let all: Vec<Vec<Ranked>> = relaxation
            .classes
            .iter()
            .zip(&earnings)
            .map(|(class, earnings)| {
                if monitor.stop() {
                    return None;
                }
                let mut ranked: Vec<Ranked> = (0..class.table.len())
                    .map(|option| Ranked {
                        earns: earnings.of(&class.table, option),
                        option: u32::try_from(option).unwrap_or(u32::MAX),
                    })
                    .collect();
                ranked.par_sort_unstable_by(|a, b| b.earns.total_cmp(&a.earns).then(a.option.cmp(&b.option)));
                Some(ranked)
            })
            .collect::<Option<_>>()?;
        let top = |c: usize| all[c].first().map_or(f64::NEG_INFINITY, |r| r.earns);
        let root: f64 =
            constant + (0..all.len()).map(|c| relaxation.classes[c].nodes.len() as f64 * top(c)).sum::<f64>();
        let ranked = all
            .iter()
            .enumerate()
            .map(|(c, ranked)| {
                ranked.iter().copied().take_while(|r| root - top(c) + r.earns > cutoff).collect()
            })
            .collect();
        let decoupled =
            relaxation.exact && placements.iter().all(|placement| placement.stays_at_home(&problem.machine));
        let mut tree = Self {
            problem,
            relaxation,
            placements,
            ranges,
            constant,
            steps: Vec::new(),
            ranked,
            reach: Vec::new(),
            most_threads: Vec::new(),
            decoupled,
            steps_to_rate: steps_to_rate(relaxation),
        };
        tree.lay_out_steps();
        Some(tree)
    }

    /// Nodes whose memory others read come last: by then most of what is read from outside is known.
    fn lay_out_steps(&mut self) {
        let classes = &self.relaxation.classes;
        let home = |c: usize| {
            self.placements.iter().any(|p| p.home().is_some_and(|h| classes[c].nodes.contains(&h)))
        };
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&c| (home(c), std::cmp::Reverse(classes[c].nodes.len()), c));
        let top = |c: usize| self.ranked[c].first().map_or(f64::NEG_INFINITY, |r| r.earns);
        let mut steps = Vec::new();
        for (i, &class) in order.iter().enumerate() {
            let later = order[i + 1..].iter().map(|&c| classes[c].nodes.len() as f64 * top(c)).sum();
            for (k, &node) in classes[class].nodes.iter().enumerate() {
                let left_in_class = (classes[class].nodes.len() - k) as f64;
                steps.push(Step { node, class, left_in_class, later, same_as_before: k > 0 });
            }
        }
        let apps = self.problem.apps.len();
        let mut reach = vec![0.0; (steps.len() + 1) * apps];
        let mut most_threads = vec![0; (steps.len() + 1) * apps];
        let most = |(class, ranked): (&Class, &Vec<Ranked>)| -> Vec<(f64, u32)> {
            let options = || ranked.iter().map(|r| r.option as usize);
            let of_app = |a: usize| {
                let potential = options().map(|o| class.table.potential(o)[a]).fold(0.0, f64::max);
                (potential, options().map(|o| class.table.counts(o)[a]).max().unwrap_or(0))
            };
            (0..apps).map(of_app).collect()
        };
        let most: Vec<Vec<(f64, u32)>> = classes.iter().zip(&self.ranked).map(most).collect();
        for (s, step) in steps.iter().enumerate().rev() {
            for (a, &(potential, threads)) in most[step.class].iter().enumerate() {
                reach[s * apps + a] = reach[(s + 1) * apps + a] + potential;
                most_threads[s * apps + a] = most_threads[(s + 1) * apps + a] + threads;
            }
        }
        self.steps = steps;
        self.reach = reach;
        self.most_threads = most_threads;
    }

    /// The options of a step that are walked after `before` was chosen in the step before.
    pub(super) fn start(&self, step: usize, before: usize) -> usize {
        if self.steps[step].same_as_before { before } else { 0 }
    }

    pub(super) fn task_bound(&self, first: usize, second: Option<usize>) -> f64 {
        let earns = self.ranked[self.steps[0].class][first].earns;
        match second {
            None => {
                let step = &self.steps[0];
                self.constant + earns * step.left_in_class + step.later
            }
            Some(j) => {
                let step = &self.steps[1];
                self.constant + earns + self.ranked[step.class][j].earns * step.left_in_class + step.later
            }
        }
    }
}
