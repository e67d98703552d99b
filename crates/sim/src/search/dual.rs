//! Upper bounds: the Lagrangian dual of "one option per node".
//!
//! # Problem
//! Choose an option x_n for each node n. Applications then get G_a <= sum over n of potential_a(x_n), and every
//! memory m that others read serves no more than its bandwidth B_m.
//!
//! # Approach
//! The score F is concave in G, so for any prices y >= 0 per unit of G (in units of `unit_gflops`):
//! F(G) <= K(y) + sum_a y_a G_a / unit_a, with K from the objective (a conjugate). Further prices, each valid for any
//! value >= 0: lambda_m for bandwidth of a memory that is read from outside, nu_a for threads where `min_threads` or
//! `max_threads` bind. With all prices fixed the nodes are independent:
//!
//! ```text
//! bound = K(y) + sum_m lambda_m B_m + sum_a (upper_a max_a - lower_a min_a)
//!       + sum_n max over options x of sum_a [ max(0, y_a/unit_a - sum_m lambda_m fraction_m / AI_a) potential_a(x)
//!                                            + (lower_a - upper_a) threads_a(x) ]
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

use numasim_model::NodeId;

use super::options::OptionTable;
use crate::objective::Objective;
use crate::problem::{Evaluator, Problem};

/// Nodes that can be exchanged, with their common options.
pub(super) struct Class {
    pub(super) nodes: Vec<NodeId>,
    pub(super) table: OptionTable,
    /// `draw[app * memories + class of memory]`: GB/s drawn from the memories of that class per GFLOPS of the
    /// application on a node of this class.
    draw: Vec<f64>,
}

/// The relaxed problem for fixed placements.
pub(super) struct Relaxation<'a> {
    problem: &'a Problem,
    pub(super) classes: Vec<Class>,
    /// Per class: all bandwidth of its memories together if it has a price (somebody reads them over a link), else
    /// `None`.
    shared_bandwidth: Vec<Option<f64>>,
    /// Per application: whether `min_threads` / `max_threads` need a price.
    bounded: Vec<bool>,
    /// Cores of the machine: the scale of thread prices.
    total_cores: f64,
}

/// Prices, see the module text.
#[derive(Clone, Debug)]
pub(super) struct Prices {
    /// Per application, per unit of G / unit.
    y: Vec<f64>,
    /// Per class of memories, times their bandwidth (so that it has the unit of the score).
    lambda: Vec<f64>,
    /// Per application, times the cores of the machine; positive pays for threads, negative charges for them.
    nu: Vec<f64>,
}

/// What the prices say about one class: the earnings of each application and thread.
#[derive(Clone, Debug)]
pub(super) struct Earnings {
    per_gflops: Vec<f64>,
    per_thread: Vec<f64>,
}

impl Earnings {
    /// What an option earns.
    #[inline]
    pub(super) fn of(&self, table: &OptionTable, option: usize) -> f64 {
        let gflops = table.potential(option).iter().zip(&self.per_gflops).map(|(g, p)| g * p);
        let threads = table.counts(option).iter().zip(&self.per_thread).map(|(&t, p)| f64::from(t) * p);
        gflops.sum::<f64>() + threads.sum::<f64>()
    }
}

impl<'a> Relaxation<'a> {
    /// Lists the options of each class of nodes; `None` if a node has more than `limit`.
    pub(super) fn new(
        problem: &'a Problem,
        evaluator: &Evaluator<'_>,
        node_classes: &[usize],
        limit: usize,
    ) -> Option<Self> {
        Self::build(problem, evaluator, node_classes, false, |node| {
            OptionTable::new(problem, &evaluator.solver, node, limit)
        })
    }

    /// The looser relaxation over the corners of each node, for nodes with too many options to list.
    ///
    /// `homes_decided` false: the placements of open homes are arbitrary, and what these applications read is free.
    pub(super) fn loose(
        problem: &'a Problem,
        evaluator: &Evaluator<'_>,
        node_classes: &[usize],
        homes_decided: bool,
    ) -> Option<Self> {
        let mut relaxation = Self::build(problem, evaluator, node_classes, true, |node| {
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
            classes.push(Class { nodes, table: table, draw });
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
        // Only the sum objective leaves an application without threads; the others score that as the worst.
        let sum = problem.goal.objective() == Objective::TotalGflops;
        let bounded = problem
            .apps
            .iter()
            .map(|app| app.max_threads.is_some() || app.min_threads > u32::from(!sum))
            .collect();
        let total_cores = machine.total_cores() as f64;
        Some(Self { problem, classes, shared_bandwidth, bounded, total_cores })
    }

    /// Prices to start from.
    pub(super) fn start(&self) -> Prices {
        let goal = &self.problem.goal;
        let apps = self.problem.apps.len();
        let y = match goal.objective() {
            Objective::TotalGflops | Objective::Geomean => goal.weights().to_vec(),
            Objective::Fair | Objective::Makespan => vec![1.0 / apps as f64; apps],
        };
        Prices { y, lambda: vec![0.0; self.classes.len()], nu: vec![0.0; apps] }
    }

    /// The part of the bound that does not depend on the options.
    pub(super) fn constant(&self, prices: &Prices) -> f64 {
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
        let memory: f64 = prices
            .lambda
            .iter()
            .zip(&self.shared_bandwidth)
            .filter(|(_, b)| b.is_some())
            .map(|(l, _)| l)
            .sum();
        let threads: f64 = self
            .problem
            .apps
            .iter()
            .zip(&prices.nu)
            .map(|(app, nu)| -nu / self.total_cores * self.binding(app, *nu))
            .sum();
        conjugate + memory + threads
    }

    /// The thread count on which a price of this sign acts: the minimum if it pays, the maximum if it charges.
    fn binding(&self, app: &numasim_model::App, nu: f64) -> f64 {
        if nu >= 0.0 {
            f64::from(app.min_threads)
        } else {
            app.max_threads.map_or(self.total_cores, f64::from)
        }
    }

    /// What an option earns on a node of `class` at these prices.
    pub(super) fn earnings(&self, class: usize, prices: &Prices) -> Earnings {
        let memories = self.classes.len();
        let unit = self.problem.goal.unit_gflops();
        let per_gflops = (0..self.problem.apps.len())
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
        let per_thread = prices.nu.iter().map(|nu| nu / self.total_cores).collect();
        Earnings { per_gflops, per_thread }
    }

    /// The bound at `prices` and its subgradient in the order y, lambda, nu.
    fn bound(&self, prices: &Prices) -> (f64, Prices) {
        let apps = self.problem.apps.len();
        let memories = self.classes.len();
        let unit = self.problem.goal.unit_gflops();
        let mut slope = Prices { y: vec![0.0; apps], lambda: vec![0.0; memories], nu: vec![0.0; apps] };
        let mut bound = self.constant(prices);
        for (c, class) in self.classes.iter().enumerate() {
            let earnings = self.earnings(c, prices);
            let Some((option, best)) = best_option(&class.table, &earnings) else {
                return (f64::NEG_INFINITY, slope);
            };
            let copies = class.nodes.len() as f64;
            bound += copies * best;
            let (potential, counts) = (class.table.potential(option), class.table.counts(option));
            for a in 0..apps {
                slope.nu[a] += copies * f64::from(counts[a]) / self.total_cores;
                if earnings.per_gflops[a] > 0.0 {
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
        for (a, app) in self.problem.apps.iter().enumerate() {
            slope.nu[a] = if self.bounded[a] {
                slope.nu[a] - self.binding(app, prices.nu[a]) / self.total_cores
            } else {
                0.0
            };
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
            Objective::Fair | Objective::Makespan => {}
        }
        (bound, slope)
    }

    /// Lowers the bound by at most `steps` subgradient steps towards `target`, the best known score.
    ///
    /// Returns the lowest bound met and its prices.
    pub(super) fn improve(&self, start: Prices, target: f64, steps: usize) -> (f64, Prices) {
        let mut prices = start;
        let (mut lowest, mut best_prices) = (f64::INFINITY, prices.clone());
        let (mut step_factor, mut since_improved) = (1.0, 0);
        for _ in 0..steps {
            let (bound, slope) = self.bound(&prices);
            if bound < lowest {
                since_improved =
                    if lowest - bound > 1e-4 * (lowest - target).abs() { 0 } else { since_improved };
                lowest = bound;
                best_prices = prices.clone();
            }
            since_improved += 1;
            if since_improved > 8 {
                step_factor *= 0.6;
                since_improved = 0;
                prices = best_prices.clone();
                continue;
            }
            let goal = if target.is_finite() { target } else { lowest - 0.05 * lowest.abs().max(1e-12) };
            let norm: f64 = slope.y.iter().chain(&slope.lambda).chain(&slope.nu).map(|s| s * s).sum();
            let excess = bound - goal;
            if norm <= 0.0 || excess <= 1e-12 * bound.abs() || step_factor < 1e-7 || !bound.is_finite() {
                break;
            }
            self.step(&mut prices, &slope, step_factor * excess / norm);
        }
        (lowest, best_prices)
    }

    fn step(&self, prices: &mut Prices, slope: &Prices, length: f64) {
        for (lambda, s) in prices.lambda.iter_mut().zip(&slope.lambda) {
            *lambda = (*lambda - length * s).max(0.0);
        }
        for (a, (nu, s)) in prices.nu.iter_mut().zip(&slope.nu).enumerate() {
            *nu -= length * s;
            if self.problem.apps[a].max_threads.is_none() {
                *nu = nu.max(0.0);
            }
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
fn best_option(table: &OptionTable, earnings: &Earnings) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for option in 0..table.len() {
        let earned = earnings.of(table, option);
        if best.is_none_or(|(_, most)| earned > most) {
            best = Some((option, earned));
        }
    }
    best
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
    y.iter_mut().for_each(|value| *value = (*value - shift).max(0.0));
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
