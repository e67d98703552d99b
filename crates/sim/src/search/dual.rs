//! Upper bounds: the Lagrangian dual of "one option per node".
//!
//! # Problem
//! Choose an option x_n for each node n. Applications then get G_a <= sum over n of potential_a(x_n), and every
//! memory m that others read serves no more than its bandwidth B_m.
//!
//! # Approach
//! The score F is concave in G, so for any prices y >= 0 per unit of G (in units of `unit_gflops`):
//! F(G) <= K(y) + sum_a y_a G_a / unit_a, with K from the objective (a conjugate). Further prices, each valid for any
//! value >= 0: lambda_m for bandwidth of a memory that is read from outside, nu_k for thread totals that must stay in a
//! range (`min_threads`, `max_threads`, and the ranges of a [`Ranges`] box when the search splits the space), mu_w for
//! what threads on other nodes ask of memory w (at most R_w in a cell of [`super::cells`]). With all prices fixed the nodes
//! are independent:
//!
//! ```text
//! bound = K(y) + sum_m lambda_m B_m + sum_w mu_w R_w - sum_k nu_k (nu_k >= 0 ? lowest_k : highest_k)
//!       + sum_n max over options x of sum_a [ max(0, y_a/unit_a - sum_m lambda_m fraction_m / AI_a) potential_a(x)
//!                                            + nu_a threads_a(x) ] - sum_w mu_w reads_w(x)
//! ```
//!
//! Why: a thread group that gets g GFLOPS draws g x fraction_m / AI from memory m, so that g earns
//! y/unit - sum lambda fraction / AI per GFLOP, and 0 <= g <= potential.
//!
//! Prices are improved by subgradient steps (Polyak's rule with the best known score as target). Any prices give a
//! valid bound, so that rounding and early stops cost strength, never truth.
//!
//! | objective | y | K(y) |
//! |---|---|---|
//! | total-gflops | the weights, fixed | 0 |
//! | fair, makespan | y >= 0, sum 1 | 0 |
//! | geomean | y > 0 | sum w (ln(w / y) - 1) |

use std::sync::Arc;

use crate::parallel::prelude::*;
use numasim_model::{NodeId, Placement};

use super::Monitor;
use super::options::OptionTable;
use crate::objective::Objective;
use crate::problem::{Evaluator, Problem};

/// Nodes that can be exchanged, with their common options.
pub(super) struct Class {
    pub(super) nodes: Vec<NodeId>,
    pub(super) table: Arc<OptionTable>,
    /// `draw[app * memories + class of memory]`: GB/s drawn from the memories of that class per GFLOPS of the
    /// application on a node of this class.
    pub(super) draw: Vec<f64>,
}

/// A memory whose readers on other nodes are counted, and what they may ask of it together in this relaxation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    pub(super) memory: NodeId,
    /// Its controller, GB/s: the scale of the price.
    pub(super) bandwidth: f64,
    /// Least that they ask, GB/s.
    pub(super) least: f64,
    /// Most that they ask, GB/s; infinite where there is no limit.
    pub(super) most: f64,
}

/// The relaxed problem for fixed placements.
pub(super) struct Relaxation<'a> {
    pub(super) problem: &'a Problem,
    pub(super) classes: Vec<Class>,
    /// Per class: all bandwidth of its memories together if it has a price (somebody reads them over a link), else
    /// `None`.
    pub(super) shared_bandwidth: Vec<Option<f64>>,
    /// Memories whose readers are counted.
    pub(super) watched: Vec<Watched>,
    /// Cores of the machine: the scale of thread prices.
    pub(super) total_cores: f64,
    /// Asked between steps: a bound may be left as it is at any time.
    pub(super) monitor: &'a dyn Monitor,
}

/// Ranges of thread totals: a part of the search space.
///
/// Counter `a` is application a on the whole machine; counter `apps * (1 + class) + a` is application a on the nodes of
/// one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ranges {
    pub(super) lowest: Vec<u32>,
    pub(super) highest: Vec<u32>,
    /// The most that is possible at all: a range up to here needs no price.
    capacity: Vec<u32>,
}

/// Prices, see the module text.
#[derive(Clone, Debug)]
pub(super) struct Prices {
    /// Per application, per unit of G / unit.
    pub(super) y: Vec<f64>,
    /// Per class of memories, times their bandwidth (so that it has the unit of the score).
    pub(super) lambda: Vec<f64>,
    /// Per counter of [`Ranges`], times the cores of the machine; positive pays for threads, negative charges.
    pub(super) nu: Vec<f64>,
    /// Per watched memory, for reads over links, times the bandwidth of the memory.
    pub(super) mu: Vec<f64>,
}

/// What the prices say about one class: the earnings of each application and thread.
#[derive(Clone, Debug)]
pub(super) struct Earnings {
    of_gflops: Vec<f64>,
    per_thread: Vec<f64>,
    of_reads: Vec<f64>,
}

impl Earnings {
    /// What an option earns.
    #[inline]
    pub(super) fn of(&self, table: &OptionTable, option: usize) -> f64 {
        // Most prices of threads and reads are 0: then their lists are empty.
        let gflops = table.potential(option).iter().zip(&self.of_gflops).map(|(g, p)| g * p);
        let mut earned = gflops.sum::<f64>();
        if !self.per_thread.is_empty() {
            let threads = table.counts(option).iter().zip(&self.per_thread).map(|(&t, p)| f64::from(t) * p);
            earned += threads.sum::<f64>();
        }
        if !self.of_reads.is_empty() {
            let reads = table.reads(option).iter().zip(&self.of_reads).map(|(r, p)| r * p);
            earned += reads.sum::<f64>();
        }
        earned
    }
}

/// How hard to work on one bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Subgradient steps.
    pub(super) steps: usize,
    /// Cutting planes after them.
    pub(super) cuts: usize,
}

/// The lowest bound that was reached.
#[derive(Clone, Debug)]
pub(super) struct Improved {
    pub(super) bound: f64,
    pub(super) prices: Prices,
    /// Per counter: a moving mean of the threads in the relaxed optimum, where a split is worth most.
    pub(super) threads: Vec<f64>,
    /// Options that shape the bound near its minimum: (class, option).
    pub(super) cuts: Vec<(usize, usize)>,
    /// What the last improvement cost, in steps of the search.
    pub(super) work: u64,
}

impl Ranges {
    /// The end of the range on which a price of this sign acts.
    fn binding(&self, counter: usize, nu: f64) -> f64 {
        f64::from(if nu >= 0.0 { self.lowest[counter] } else { self.highest[counter] })
    }

    /// Whether the range says more than what is possible at all.
    pub(super) fn is_priced(&self, counter: usize) -> bool {
        let (pays, charges) = self.prices_with_meaning(counter);
        pays || charges
    }

    /// Whether a price that pays for threads has a meaning (a lowest number), and one that charges (a highest).
    pub(super) fn prices_with_meaning(&self, counter: usize) -> (bool, bool) {
        (self.lowest[counter] > 0, self.highest[counter] < self.capacity[counter])
    }

    /// A price of a sign that a limited end of the range justifies.
    fn clamp(&self, counter: usize, nu: f64) -> f64 {
        let (pays, charges) = self.prices_with_meaning(counter);
        let least = if charges { f64::NEG_INFINITY } else { 0.0 };
        let most = if pays { f64::INFINITY } else { 0.0 };
        nu.clamp(least, most)
    }

    /// The two parts of the range of `counter` below and above `cut`: up to `cut`, and from `cut` + 1.
    pub(super) fn split(&self, counter: usize, cut: u32) -> [Self; 2] {
        let (mut below, mut above) = (self.clone(), self.clone());
        below.highest[counter] = cut;
        above.lowest[counter] = cut + 1;
        [below, above]
    }
}

impl<'a> Relaxation<'a> {
    /// Lists the options of each class of nodes; `None` if a node has more than `limit`.
    pub(super) fn new(
        problem: &'a Problem,
        evaluator: &Evaluator<'_>,
        node_classes: &[usize],
        watched: &[NodeId],
        limit: usize,
        monitor: &'a dyn Monitor,
    ) -> Option<Self> {
        let placements = &evaluator.placements;
        let mut relaxation = Self::build(problem, evaluator, node_classes, false, monitor, |node| {
            OptionTable::new(problem, &evaluator.solver, placements, watched, node, limit)
        })?;
        relaxation.watched = watched
            .iter()
            .map(|&memory| {
                let bandwidth = problem.machine.node(memory).bandwidth.value();
                Watched { memory, bandwidth, least: 0.0, most: f64::INFINITY }
            })
            .collect();
        Some(relaxation)
    }

    /// The same where others ask between `least` and `most` GB/s of the watched memories, one entry each.
    ///
    /// Threads on the node of such a memory then find at most what is left of it: their potentials are lower.
    pub(super) fn where_others_read(&self, evaluator: &Evaluator<'_>, least: &[f64], most: &[f64]) -> Self {
        let classes = self.classes.iter().map(|class| {
            let taken = self.watched.iter().zip(least).find(|(w, _)| class.nodes == [w.memory]);
            let table = match taken {
                Some((watched, &least)) if least > 0.0 => {
                    let solver = evaluator.solver_with_less(watched.memory, least);
                    Arc::new(class.table.with_solver(&solver, watched.memory))
                }
                _ => Arc::clone(&class.table),
            };
            Class { nodes: class.nodes.clone(), table, draw: class.draw.clone() }
        });
        let limits = least.iter().zip(most);
        let watched =
            self.watched.iter().zip(limits).map(|(w, (&least, &most))| Watched { least, most, ..*w });
        Self {
            problem: self.problem,
            classes: classes.collect(),
            shared_bandwidth: self.shared_bandwidth.clone(),
            watched: watched.collect(),
            total_cores: self.total_cores,
            monitor: self.monitor,
        }
    }

    /// The looser relaxation over the corners of each node, for nodes with too many options to list.
    ///
    /// `homes_decided` false: the placements of open homes are arbitrary, and what these applications read is free.
    pub(super) fn loose(
        problem: &'a Problem,
        evaluator: &Evaluator<'_>,
        node_classes: &[usize],
        homes_decided: bool,
        monitor: &'a dyn Monitor,
    ) -> Option<Self> {
        let mut relaxation = Self::build(problem, evaluator, node_classes, true, monitor, |node| {
            Some(OptionTable::corners(problem, &evaluator.solver, node))
        })?;
        if !homes_decided {
            let memories = relaxation.classes.len();
            for class in &mut relaxation.classes {
                for a in problem.open_apps() {
                    class.draw[a * memories..(a + 1) * memories].fill(0.0);
                }
            }
        }
        Some(relaxation)
    }

    fn build(
        problem: &'a Problem,
        evaluator: &Evaluator<'_>,
        node_classes: &[usize],
        price_all_memories: bool,
        monitor: &'a dyn Monitor,
        table: impl Fn(NodeId) -> Option<OptionTable>,
    ) -> Option<Self> {
        let machine = &problem.machine;
        let representatives: Vec<usize> = (0..node_classes.len()).filter(|&n| node_classes[n] == n).collect();
        let class_of = |n: usize| representatives.iter().position(|&r| r == node_classes[n]).unwrap_or(0);
        let memories = representatives.len();
        let mut classes = Vec::with_capacity(memories);
        for &representative in &representatives {
            let from = NodeId(representative);
            let table = table(from)?;
            let mut draw = vec![0.0; problem.apps.len() * memories];
            for (a, app) in problem.apps.iter().enumerate() {
                for m in machine.node_ids() {
                    let fraction = evaluator.placements[a].fraction(machine, from, m);
                    draw[a * memories + class_of(m.0)] += fraction / app.arithmetic_intensity.value();
                }
            }
            let nodes = machine.node_ids().filter(|n| node_classes[n.0] == representative).collect();
            classes.push(Class { nodes, table: Arc::new(table), draw });
        }
        let read_from_outside = |m: NodeId| {
            evaluator.placements.iter().any(|placement| {
                machine.compute_nodes().any(|n| n != m && placement.fraction(machine, n, m) > 0.0)
            })
        };
        let shared_bandwidth = classes
            .iter()
            .map(|class: &Class| {
                let shared = price_all_memories || class.nodes.iter().any(|&m| read_from_outside(m));
                shared.then(|| class.nodes.iter().map(|&m| machine.node(m).bandwidth.value()).sum())
            })
            .collect();
        let total_cores = machine.total_cores() as f64;
        Some(Self { problem, classes, shared_bandwidth, watched: Vec::new(), total_cores, monitor })
    }

    /// The whole space: `min_threads` to `max_threads` on the machine, anything on a class.
    pub(super) fn everything(&self) -> Ranges {
        let machine = &self.problem.machine;
        let clamp = |cores: u64| u32::try_from(cores).unwrap_or(u32::MAX);
        let cores = |class: &Class| class.nodes.iter().map(|&n| u64::from(machine.node(n).cores)).sum();
        let apps = &self.problem.apps;
        let all = clamp(machine.total_cores());
        let mut ranges = Ranges {
            lowest: apps.iter().map(|app| app.min_threads).collect(),
            highest: apps.iter().map(|app| app.max_threads.map_or(all, |max| max.min(all))).collect(),
            capacity: vec![all; apps.len()],
        };
        for class in &self.classes {
            let cores = clamp(cores(class));
            ranges.lowest.extend(apps.iter().map(|_| 0));
            ranges.highest.extend(apps.iter().map(|_| cores));
            ranges.capacity.extend(apps.iter().map(|_| cores));
        }
        ranges
    }

    /// Prices to start from.
    pub(super) fn start(&self) -> Improved {
        let prices = self.start_prices();
        Improved { bound: f64::INFINITY, prices, threads: Vec::new(), cuts: Vec::new(), work: 0 }
    }

    fn start_prices(&self) -> Prices {
        let goal = &self.problem.goal;
        let apps = self.problem.apps.len();
        let y = match goal.objective() {
            Objective::TotalGflops | Objective::Geomean => goal.weights().to_vec(),
            Objective::Fair | Objective::Makespan => vec![1.0 / apps as f64; apps],
        };
        Prices {
            y,
            lambda: vec![0.0; self.classes.len()],
            nu: vec![0.0; apps * (1 + self.classes.len())],
            mu: vec![0.0; self.watched.len()],
        }
    }

    /// What it costs to price all options once, in steps of the search.
    pub(super) fn pricing(&self) -> u64 {
        /// Options that are priced in the time of one step.
        const OPTIONS_PER_STEP: usize = 4;
        let options: usize = self.classes.iter().map(|class| class.table.len()).sum();
        (options / OPTIONS_PER_STEP + 1) as u64
    }

    /// The part of the bound that does not depend on the options.
    pub(super) fn constant(&self, prices: &Prices, ranges: &Ranges) -> f64 {
        let goal = &self.problem.goal;
        let conjugate: f64 = match goal.objective() {
            Objective::Geomean => goal
                .weights()
                .iter()
                .zip(&prices.y)
                .filter(|(w, _)| **w > 0.0)
                .map(|(w, y)| w * ((w / y).ln() - 1.0))
                .sum(),
            _ => 0.0,
        };
        let priced = prices.lambda.iter().zip(&self.shared_bandwidth).filter(|(_, b)| b.is_some());
        let memory: f64 = priced.map(|(lambda, _)| lambda).sum();
        let reads = prices.mu.iter().zip(&self.watched).filter(|(mu, _)| **mu > 0.0);
        let reads: f64 = reads.map(|(mu, watched)| mu * watched.most / watched.bandwidth).sum();
        let threads: f64 =
            prices.nu.iter().enumerate().map(|(k, nu)| nu * ranges.binding(k, *nu)).sum::<f64>()
                / self.total_cores;
        conjugate + memory + reads - threads
    }

    /// What an option earns on a node of `class` at these prices.
    pub(super) fn earnings(&self, class: usize, prices: &Prices) -> Earnings {
        let memories = self.classes.len();
        let unit = self.problem.goal.unit_gflops();
        let of_gflops = (0..self.problem.apps.len())
            .map(|a| {
                let worth = if unit[a] > 0.0 { prices.y[a] / unit[a] } else { 0.0 };
                let cost: f64 = (0..memories)
                    .filter_map(|m| {
                        let bandwidth = self.shared_bandwidth[m]?;
                        Some(prices.lambda[m] / bandwidth * self.classes[class].draw[a * memories + m])
                    })
                    .sum();
                (worth - cost).max(0.0)
            })
            .collect();
        let apps = self.problem.apps.len();
        let per_thread = (0..apps)
            .map(|a| (prices.nu[a] + prices.nu[apps * (1 + class) + a]) / self.total_cores)
            .collect();
        let of_reads = prices.mu.iter().zip(&self.watched).map(|(mu, watched)| -mu / watched.bandwidth);
        let unless_zero =
            |prices: Vec<f64>| if prices.iter().all(|p| *p == 0.0) { Vec::new() } else { prices };
        Earnings { of_gflops, per_thread: unless_zero(per_thread), of_reads: unless_zero(of_reads.collect()) }
    }

    /// The bound at `prices` and its subgradient in the order y, lambda, nu.
    fn bound(&self, prices: &Prices, ranges: &Ranges) -> (f64, Prices) {
        let apps = self.problem.apps.len();
        let memories = self.classes.len();
        let unit = self.problem.goal.unit_gflops();
        let nu = vec![0.0; prices.nu.len()];
        let mu: Vec<f64> = self.watched.iter().map(|w| w.most / w.bandwidth).collect();
        let mut slope = Prices { y: vec![0.0; apps], lambda: vec![0.0; memories], nu, mu };
        let mut bound = self.constant(prices, ranges);
        for (c, class) in self.classes.iter().enumerate() {
            let earnings = self.earnings(c, prices);
            let Some((option, best)) = best_option(&class.table, &earnings) else {
                return (f64::NEG_INFINITY, slope);
            };
            let copies = class.nodes.len() as f64;
            bound += copies * best;
            let (potential, counts) = (class.table.potential(option), class.table.counts(option));
            for ((slope, watched), reads) in
                slope.mu.iter_mut().zip(&self.watched).zip(class.table.reads(option))
            {
                *slope -= copies * reads / watched.bandwidth;
            }
            for a in 0..apps {
                let threads = copies * f64::from(counts[a]);
                slope.nu[a] += threads;
                slope.nu[apps * (1 + c) + a] += threads;
                if earnings.of_gflops[a] > 0.0 {
                    slope.y[a] += if unit[a] > 0.0 { copies * potential[a] / unit[a] } else { 0.0 };
                    for m in 0..memories {
                        if let Some(bandwidth) = self.shared_bandwidth[m] {
                            slope.lambda[m] -=
                                copies * potential[a] * class.draw[a * memories + m] / bandwidth;
                        }
                    }
                }
            }
        }
        for m in 0..memories {
            slope.lambda[m] = if self.shared_bandwidth[m].is_some() { slope.lambda[m] + 1.0 } else { 0.0 };
        }
        match self.problem.goal.objective() {
            Objective::TotalGflops => slope.y.fill(0.0),
            Objective::Geomean => {
                for (slope, (w, y)) in
                    slope.y.iter_mut().zip(self.problem.goal.weights().iter().zip(&prices.y))
                {
                    *slope = if *w > 0.0 { *slope - w / y } else { 0.0 };
                }
            }
            Objective::Fair | Objective::Makespan => {
                // y stays on the simplex: what all entries have in common moves nothing and would only shorten steps.
                let mean = slope.y.iter().sum::<f64>() / apps as f64;
                slope.y.iter_mut().for_each(|slope| *slope -= mean);
            }
        }
        (bound, slope)
    }

    /// Lowers the bound on `ranges` towards `target`, the best known score: by subgradient steps, then to the minimum
    /// by cutting planes. Ends early when `target` is reached.
    ///
    /// `start` brings prices and cuts from a larger box.
    pub(super) fn improve(&self, start: &Improved, ranges: &Ranges, target: f64, effort: Effort) -> Improved {
        let mut descended = self.descend(start.prices.clone(), ranges, target, effort.steps);
        descended.cuts.clone_from(&start.cuts);
        if descended.bound <= target || effort.cuts == 0 || self.monitor.stop() {
            return descended;
        }
        self.cut_down(descended, ranges, target, effort.cuts)
    }

    /// The bound where y is the slope of the score at these GFLOPS: for geomean w / P. If they are the best, this closes
    /// the last difference that linear programs leave by rounding. `None` where y is fixed or not a slope.
    ///
    /// Prices of what an application reads at its home move with the worth of the application.
    pub(super) fn at_gradient(
        &self,
        from: &Improved,
        placements: &[Placement],
        gflops: &[f64],
        ranges: &Ranges,
    ) -> Option<Improved> {
        let goal = &self.problem.goal;
        if goal.objective() != Objective::Geomean || gflops.len() != self.problem.apps.len() {
            return None;
        }
        let slope = |((w, unit), g): ((&f64, &f64), &f64)| if *w > 0.0 { w * unit / g } else { 0.0 };
        let y: Vec<f64> = goal.weights().iter().zip(goal.unit_gflops()).zip(gflops).map(slope).collect();
        let moved = |at_home: &dyn Fn(NodeId) -> bool| {
            let reader = placements.iter().position(|placement| placement.home().is_some_and(at_home));
            let ratio = reader.map(|a| y[a] / from.prices.y[a]).filter(|ratio| ratio.is_finite());
            ratio.unwrap_or(1.0)
        };
        let mut prices = from.prices.clone();
        for (mu, watched) in prices.mu.iter_mut().zip(&self.watched) {
            *mu *= moved(&|home| home == watched.memory);
        }
        for (lambda, class) in prices.lambda.iter_mut().zip(&self.classes) {
            *lambda *= moved(&|home| class.nodes.contains(&home));
        }
        prices.y = y;
        let (bound, _) = self.bound(&prices, ranges);
        bound.is_finite().then(|| Improved { bound, prices, ..from.clone() })
    }

    /// Lowers the bound on `ranges` by at most `steps` subgradient steps towards `target`, the best known score; ends
    /// early when it is reached.
    fn descend(&self, start: Prices, ranges: &Ranges, target: f64, steps: usize) -> Improved {
        let mut prices = start;
        let mut best = Improved {
            bound: f64::INFINITY,
            prices: prices.clone(),
            threads: Vec::new(),
            cuts: Vec::new(),
            work: 0,
        };
        let (mut step_factor, mut since_improved) = (1.0, 0);
        for _ in 0..steps {
            best.work += self.pricing();
            let (bound, mut slope) = self.bound(&prices, ranges);
            if best.threads.is_empty() {
                best.threads.clone_from(&slope.nu);
            }
            for (mean, threads) in best.threads.iter_mut().zip(&slope.nu) {
                *mean = 0.9 * *mean + 0.1 * threads;
            }
            if bound < best.bound {
                let clearly = best.bound - bound > 1e-3 * (best.bound - target).abs();
                since_improved = if clearly { 0 } else { since_improved };
                best.bound = bound;
                best.prices = prices.clone();
            }
            if best.bound <= target || self.monitor.stop() {
                break;
            }
            since_improved += 1;
            if since_improved > 10 {
                step_factor *= 0.6;
                since_improved = 0;
                prices = best.prices.clone();
                continue;
            }
            for (slope, watched) in slope.mu.iter_mut().zip(&self.watched) {
                *slope = if watched.most.is_finite() { *slope } else { 0.0 };
            }
            for (k, slope) in slope.nu.iter_mut().enumerate() {
                let binding = ranges.binding(k, prices.nu[k]);
                *slope = if ranges.is_priced(k) { (*slope - binding) / self.total_cores } else { 0.0 };
            }
            let goal =
                if target.is_finite() { target } else { best.bound - 0.05 * best.bound.abs().max(1e-12) };
            let parts = slope.y.iter().chain(&slope.lambda).chain(&slope.nu).chain(&slope.mu);
            let norm: f64 = parts.map(|s| s * s).sum();
            let excess = bound - goal;
            if norm <= 0.0 || step_factor < 1e-6 || !bound.is_finite() {
                break;
            }
            self.step(&mut prices, &slope, ranges, step_factor * excess / norm);
        }
        best
    }

    fn step(&self, prices: &mut Prices, slope: &Prices, ranges: &Ranges, length: f64) {
        for (lambda, s) in prices.lambda.iter_mut().zip(&slope.lambda) {
            *lambda = (*lambda - length * s).max(0.0);
        }
        for (mu, s) in prices.mu.iter_mut().zip(&slope.mu) {
            *mu = (*mu - length * s).max(0.0);
        }
        for (k, (nu, s)) in prices.nu.iter_mut().zip(&slope.nu).enumerate() {
            *nu = ranges.clamp(k, *nu - length * s);
        }
        match self.problem.goal.objective() {
            Objective::TotalGflops => {}
            Objective::Geomean => {
                for (y, s) in prices.y.iter_mut().zip(&slope.y) {
                    // Never to zero, where the conjugate is infinite.
                    *y = (*y - length * s).max(0.25 * *y);
                }
            }
            Objective::Fair | Objective::Makespan => {
                prices.y.iter_mut().zip(&slope.y).for_each(|(y, s)| *y -= length * s);
                project_on_simplex(&mut prices.y);
            }
        }
    }
}

/// The option that earns most; the first of equals. `None` for an empty table.
pub(super) fn best_option(table: &OptionTable, earnings: &Earnings) -> Option<(usize, f64)> {
    /// Options that are priced one after the other; more are priced in parallel.
    const CHUNK: usize = 8192;
    let best_of = |options: std::ops::Range<usize>| -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for option in options {
            let earned = earnings.of(table, option);
            if best.is_none_or(|(_, most)| earned > most) {
                best = Some((option, earned));
            }
        }
        best
    };
    if table.len() <= CHUNK {
        return best_of(0..table.len());
    }
    let chunks: Vec<_> = (0..table.len().div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| best_of(chunk * CHUNK..((chunk + 1) * CHUNK).min(table.len())))
        .collect();
    chunks.into_iter().flatten().reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The nearest point with non-negative entries that sum to 1 (Held, Wolfe and Crowder 1974).
fn project_on_simplex(y: &mut [f64]) {
    let mut sorted = y.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (i, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (i + 1) as f64;
        if value - candidate > 0.0 {
            shift = candidate;
        }
    }
    for value in y {
        *value = (*value - shift).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::project_on_simplex;

    #[test]
    fn projection_keeps_points_of_the_simplex() {
        let mut y = [0.2, 0.3, 0.5];
        project_on_simplex(&mut y);
        assert!((y[0] - 0.2).abs() < 1e-15 && (y[2] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn projection_cuts_off_negative_weights() {
        // (1.5, 0, -1): keeping only the first gives (1, 0, 0)
        let mut y = [1.5, 0.0, -1.0];
        project_on_simplex(&mut y);
        assert_eq!(y, [1.0, 0.0, 0.0]);
    }
}
