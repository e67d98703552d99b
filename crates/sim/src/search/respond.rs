//! Good answers from the listed options: best response, node by node and pair by pair.
//!
//! Hill climbing by single threads ([`super::local`]) gets stuck if one thread more here must go with two less there. Here a node is
//! refilled at once with the best of all its options while the others stay unchanged, and pairs of nodes with the best pair of the options
//! that earn most at the prices of the bound.

use numasim_model::{Allocation, AppId, NodeId, Placement};
use rand::RngExt as _;

use super::local::{climb, generator};
use super::pool::{Canonical, Pool};
use crate::monitor::Monitor;
use crate::objective::Objective;
use crate::parallel;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::budget::Pace;
use crate::search::dual::{Prices, Relaxation, Watched};
use crate::search::options::OptionTable;
use crate::search::watch::reads_one_memory;

/// Number of starts if the smallest p decides, and if all applications count: in the latter case one start is nearly as good as another.
const STARTS: u64 = 12;
const FEW_STARTS: u64 = 4;
/// Typical number of rounds until nothing improves: for the cost of the search.
const USUAL_ROUNDS: u64 = 4;
/// Rounds over all nodes and pairs; improvements after that are rare.
const MOST_ROUNDS: usize = 30;

impl Responder<'_> {
    fn starts(&self) -> u64 {
        match self.problem.goal.objective() {
            Objective::Fair | Objective::Makespan => STARTS,
            Objective::TotalGflops | Objective::Geomean => FEW_STARTS,
        }
    }

    /// The approximate number of options that are evaluated.
    pub(super) fn cost(&self) -> u64 {
        let options = |&c: &usize| self.relaxation.classes[c].table.len() as u64;
        self.starts() * USUAL_ROUNDS * self.class_of.iter().map(options).sum::<u64>()
    }

    /// Adds its answers to `pool`; the same seed gives the same answers.
    pub(super) fn search(&self, canonical: &Canonical, pool: &mut Pool, seed: u64) {
        let found: Vec<Candidate> = parallel::map(0..self.starts(), |start| {
            let mut random = generator(seed, 1_000 + start);
            let options = self.class_of.iter().map(|&c| {
                let ranked = &self.ranked[c];
                ranked[random.random_range(0..ranked.len().min(TOP))]
            });
            self.improve(options.collect())
        });
        for candidate in found {
            if self.problem.allows(&candidate.allocation, &candidate.placements) {
                pool.add(canonical, candidate);
            }
        }
    }

    fn improve(&self, options: Vec<usize>) -> Candidate {
        let evaluator = Evaluator::new(self.problem, self.placements.to_vec());
        let mut state = State { responder: self, options, evaluator };
        let mut merit = state.merit();
        for _ in 0..MOST_ROUNDS {
            let before = merit;
            for node in 0..self.nodes.len() {
                if self.monitor.stop() {
                    break;
                }
                merit = state.respond(node, merit);
            }
            if self.decoupled && !merit.beats(before) && !self.monitor.stop() {
                for left in 0..self.nodes.len() {
                    for right in left + 1..self.nodes.len() {
                        if self.monitor.stop() {
                            break;
                        }
                        merit = state.respond_in_pair(left, right, merit);
                    }
                }
            }
            if !merit.beats(before) {
                break;
            }
        }
        let allocation = state.allocation();
        let State { mut evaluator, .. } = state;
        let allowed = self.problem.restrictions.allow(&self.problem.machine, &self.problem.apps, &allocation);
        if allowed {
            climb(self.problem, &mut evaluator, allocation, self.monitor)
        } else {
            evaluator.candidate(allocation)
        }
    }
}

// The criteria for an allocation during its improvement.

/// The criteria for an allocation during its improvement: first the missing or excess threads of its applications, then the guide (larger
/// is better).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Merit {
    pub(super) wrong_threads: u64,
    pub(super) guide: f64,
}

impl Merit {
    pub(super) fn beats(self, other: Self) -> bool {
        self.wrong_threads < other.wrong_threads
            || (self.wrong_threads == other.wrong_threads
                && self.guide > other.guide + 1e-12 * other.guide.abs())
    }
}

/// The combined effect of some nodes.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) gflops: Vec<f64>,
    pub(super) threads: Vec<u32>,
    pub(super) reads: Vec<f64>,
}

impl Sums {
    /// `others` plus some options.
    pub(super) fn set(&mut self, others: &Self, options: &[(&OptionTable, usize)]) {
        for a in 0..others.gflops.len() {
            let with = |sum: f64, (table, option): &(&OptionTable, usize)| sum + table.potential(*option)[a];
            self.gflops[a] = options.iter().fold(others.gflops[a], with);
            let with = |sum: u32, (table, option): &(&OptionTable, usize)| sum + table.counts(*option)[a];
            self.threads[a] = options.iter().fold(others.threads[a], with);
        }
        for w in 0..others.reads.len() {
            let with = |sum: f64, (table, option): &(&OptionTable, usize)| sum + table.reads(*option)[w];
            self.reads[w] = options.iter().fold(others.reads[w], with);
        }
    }
}

/// The tangent of the geomean at an allocation: an upper bound on the score, because the score is concave.
pub(super) struct Rise {
    /// The tangent with the changed nodes empty.
    pub(super) base: f64,
    pub(super) per_gflops: Vec<f64>,
}

impl Rise {
    /// The maximum that an option adds to the base.
    pub(super) fn gain(&self, table: &OptionTable, option: usize) -> f64 {
        table.potential(option).iter().zip(&self.per_gflops).map(|(g, slope)| g * slope).sum()
    }
}

// The ranked options of each node, and the criteria for an allocation of them.

/// Options per node that are tried in pairs, and from which starts are drawn.
pub(super) const TOP: usize = 48;
/// Options per node that are tried alone if nodes depend on each other: each costs an evaluation.
const TOP_COUPLED: usize = 400;
/// The search for one set of placements.
pub(in crate::search) struct Responder<'a> {
    pub(super) problem: &'a Problem,
    pub(super) relaxation: &'a Relaxation<'a>,
    pub(super) placements: &'a [Placement],
    /// Node in the order of the search: its class.
    pub(super) class_of: Vec<usize>,
    pub(super) nodes: Vec<NodeId>,
    /// Per class: options in descending order of earnings.
    pub(super) ranked: Vec<Vec<usize>>,
    /// A value of G / unit: the unit of the guide of the max-min objectives.
    pub(super) target: f64,
    /// Nodes do not depend on each other: sums of potentials are exact (all data local), or nearly exact (a single cell).
    pub(super) decoupled: bool,
    pub(super) monitor: &'a dyn Monitor,
}

impl<'a> Responder<'a> {
    /// Ranks the options at `prices`; `bound` is the bound on the score. `None` if stopped.
    pub(in crate::search) fn new(
        problem: &'a Problem,
        relaxation: &'a Relaxation<'a>,
        placements: &'a [Placement],
        prices: &Prices,
        bound: f64,
        single_cell: bool,
        monitor: &'a dyn Monitor,
    ) -> Option<Self> {
        let decoupled = relaxation.exact && single_cell && placements.iter().all(reads_one_memory);
        let keep = if decoupled { TOP } else { TOP_COUPLED };
        let everything = relaxation.everything();
        let ranked = relaxation
            .classes
            .iter()
            .enumerate()
            .map(|(c, class)| {
                if monitor.stop() {
                    return None;
                }
                let earnings = relaxation.earnings(c, prices, &everything);
                let mut all: Vec<(f64, usize)> =
                    (0..class.table.len()).map(|o| (earnings.of(&class.table, o), o)).collect();
                all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                all.truncate(keep);
                Some(all.into_iter().map(|(_, option)| option).collect())
            })
            .collect::<Option<_>>()?;
        let (nodes, class_of) = relaxation
            .classes
            .iter()
            .enumerate()
            .flat_map(|(c, class)| class.nodes.iter().map(move |&node| (node, c)))
            .unzip();
        Some(Self {
            problem,
            relaxation,
            placements,
            class_of,
            nodes,
            ranked,
            target: bound,
            decoupled,
            monitor,
        })
    }

    /// The tangent at `others` plus `option`, if the thread counts are valid (otherwise a worse score may be better). Logarithms of every
    /// option would take most of the time.
    pub(super) fn rise(&self, others: &Sums, options: &[(&OptionTable, usize)]) -> Option<Rise> {
        let goal = &self.problem.goal;
        let mut sums = others.clone();
        sums.set(others, options);
        let merit = self.merit(&sums.gflops, &sums.threads, &sums.reads);
        if goal.objective() != Objective::Geomean || merit.wrong_threads > 0 || !merit.guide.is_finite() {
            return None;
        }
        let slope = |(w, g): (&f64, &f64)| if *w > 0.0 { w / g } else { 0.0 };
        let per_gflops: Vec<f64> = goal.weights().iter().zip(&sums.gflops).map(slope).collect();
        // Rounding must not hide an option that is a little better.
        let mut rise = Rise { base: merit.guide + 1e-9, per_gflops };
        rise.base -= options.iter().map(|&(table, option)| rise.gain(table, option)).sum::<f64>();
        Some(rise)
    }

    pub(super) fn merit(&self, gflops: &[f64], threads: &[u32], reads: &[f64]) -> Merit {
        let wrong_threads: u64 = self
            .problem
            .apps
            .iter()
            .zip(threads)
            .map(|(app, &threads)| {
                let over = app.max_threads.map_or(0, |max| threads.saturating_sub(max));
                u64::from(app.min_threads.saturating_sub(threads) + over)
            })
            .sum();
        let over = |(watched, reads): (&Watched, &f64)| {
            let over = (reads - watched.most) / watched.bandwidth;
            // In thousandths of the controller; any excess counts.
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small positive number"
            )]
            let thousandths = if over > 1e-9 { 1 + (over * 1e3) as u64 } else { 0 };
            thousandths
        };
        let wrong_threads = wrong_threads + self.relaxation.watched.iter().zip(reads).map(over).sum::<u64>();
        let goal = &self.problem.goal;
        let guide = match goal.objective() {
            // The minimum alone has plateaus, so other small terms also count a little.
            Objective::Fair | Objective::Makespan => {
                let parts = gflops.iter().zip(goal.unit_gflops()).enumerate();
                // A term below 0 counts as 0.
                let part = |(a, (g, unit)): (usize, (&f64, &f64))| (goal.offset(a) + g / unit).max(0.0);
                -parts.map(|one| (self.target / part(one)).powi(32)).sum::<f64>()
            }
            Objective::TotalGflops | Objective::Geomean => goal.score(gflops),
        };
        Merit { wrong_threads, guide: if guide.is_nan() { f64::NEG_INFINITY } else { guide } }
    }
}

// An allocation that is being improved, one node or one pair of nodes at a time.

pub(super) struct State<'r, 'a> {
    pub(super) responder: &'r Responder<'a>,
    /// Per node in the order of the search: its option.
    pub(super) options: Vec<usize>,
    pub(super) evaluator: Evaluator<'a>,
}

impl State<'_, '_> {
    fn table(&self, node: usize) -> &OptionTable {
        &self.responder.relaxation.classes[self.responder.class_of[node]].table
    }

    pub(super) fn allocation(&self) -> Allocation {
        let problem = self.responder.problem;
        let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
        for (node, &option) in self.options.iter().enumerate() {
            for (a, &threads) in self.table(node).counts(option).iter().enumerate() {
                allocation.set(AppId(a), self.responder.nodes[node], threads);
            }
        }
        allocation
    }

    /// GFLOPS bounds, threads and reads of all nodes except those in `without`.
    fn sums(&self, without: &[usize]) -> Sums {
        let apps = self.responder.problem.apps.len();
        let watched = self.responder.relaxation.watched.len();
        let (mut gflops, mut threads, mut reads) = (vec![0.0; apps], vec![0; apps], vec![0.0; watched]);
        for (node, &option) in self.options.iter().enumerate().filter(|(node, _)| !without.contains(node)) {
            let table = self.table(node);
            for a in 0..apps {
                gflops[a] += table.potential(option)[a];
                threads[a] += table.counts(option)[a];
            }
            for (sum, reads) in reads.iter_mut().zip(table.reads(option)) {
                *sum += reads;
            }
        }
        Sums { gflops, threads, reads }
    }

    pub(super) fn merit(&mut self) -> Merit {
        let Sums { mut gflops, threads, reads } = self.sums(&[]);
        if !self.responder.decoupled {
            gflops = self.evaluator.gflops_of(&self.allocation()).to_vec();
        }
        self.responder.merit(&gflops, &threads, &reads)
    }

    /// Gives a node its best option while the others stay unchanged.
    pub(super) fn respond(&mut self, node: usize, merit: Merit) -> Merit {
        let class = self.responder.class_of[node];
        if !self.responder.decoupled {
            return self.respond_coupled(node, merit);
        }
        let others = self.sums(&[node]);
        let table = &self.responder.relaxation.classes[class].table;
        let mut best = (merit, self.options[node]);
        let mut sums = others.clone();
        let rise = self.responder.rise(&others, &[(table, self.options[node])]);
        for option in 0..table.len() {
            if rise.as_ref().is_some_and(|rise| rise.base + rise.gain(table, option) <= best.0.guide) {
                continue;
            }
            sums.set(&others, &[(table, option)]);
            let merit = self.responder.merit(&sums.gflops, &sums.threads, &sums.reads);
            if merit.beats(best.0) {
                best = (merit, option);
            }
        }
        self.options[node] = best.1;
        best.0
    }

    fn respond_coupled(&mut self, node: usize, merit: Merit) -> Merit {
        let responder = self.responder;
        let mut allocation = self.allocation();
        let others = self.sums(&[node]);
        let table = &responder.relaxation.classes[responder.class_of[node]].table;
        let mut best = (merit, self.options[node]);
        let mut sums = others.clone();
        let mut pace = Pace::new(responder.monitor);
        for &option in &responder.ranked[responder.class_of[node]] {
            if pace.stops_after(responder.problem.evaluation_cost()) {
                break;
            }
            for (a, &count) in table.counts(option).iter().enumerate() {
                allocation.set(AppId(a), responder.nodes[node], count);
            }
            sums.set(&others, &[(table, option)]);
            let gflops = self.evaluator.gflops_of(&allocation);
            let merit = responder.merit(gflops, &sums.threads, &sums.reads);
            if merit.beats(best.0) {
                best = (merit, option);
            }
        }
        self.options[node] = best.1;
        best.0
    }

    /// Gives two nodes the best pair of their top options while the others stay unchanged.
    pub(super) fn respond_in_pair(&mut self, left: usize, right: usize, merit: Merit) -> Merit {
        let responder = self.responder;
        let others = self.sums(&[left, right]);
        let (left_table, right_table) = (self.table(left), self.table(right));
        let mut best = (merit, self.options[left], self.options[right]);
        let mut sums = others.clone();
        let current = [(left_table, self.options[left]), (right_table, self.options[right])];
        let rise = responder.rise(&others, &current);
        let ranked = |node: usize| &responder.ranked[responder.class_of[node]];
        let gain =
            |table: &OptionTable, option: usize| rise.as_ref().map_or(0.0, |rise| rise.gain(table, option));
        let right_gains: Vec<f64> = ranked(right).iter().map(|&r| gain(right_table, r)).collect();
        for &l in ranked(left) {
            let most = rise.as_ref().map_or(f64::INFINITY, |rise| rise.base + gain(left_table, l));
            for (&r, right_gain) in ranked(right).iter().zip(&right_gains) {
                if most + right_gain <= best.0.guide {
                    continue;
                }
                sums.set(&others, &[(left_table, l), (right_table, r)]);
                let merit = responder.merit(&sums.gflops, &sums.threads, &sums.reads);
                if merit.beats(best.0) {
                    best = (merit, l, r);
                }
            }
        }
        (self.options[left], self.options[right]) = (best.1, best.2);
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::search::testing::{LOCAL, pool_with, question, relaxation};

    #[test]
    fn every_node_responds_with_its_best_option() {
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let prices = relaxation.start().prices;
        let responder =
            Responder::new(&problem, &relaxation, &LOCAL, &prices, 40.0, true, &Unattended).expect("no stop");
        let (canonical, mut pool) = pool_with(&problem, &[vec![2, 0], vec![0, 1]]);
        responder.search(&canonical, &mut pool, 0);
        assert!(pool.best().is_some_and(|best| (best.score - 40.0).abs() < 1e-9), "{:?}", pool.best());
        // 6 options on each of 2 nodes, 4 starts, 4 rounds
        assert_eq!(responder.cost(), 6 * 2 * 4 * 4);
    }
}
