//! The linear program of [`super::cutting`].

use microlp::{ComparisonOp, OptimizationDirection, Problem as LinearProgram, Solution, Variable};

use super::dual::{Prices, Ranges, Relaxation, Shares};
use crate::objective::Objective;

/// Prices above this multiple of the score are never needed; the box keeps the first programs bounded.
pub(super) const LARGEST_PRICE: f64 = 50.0;

/// The linear program over the cuts so far.
pub(super) struct Master<'r, 'p> {
    pub(super) relaxation: &'r Relaxation<'p>,
    pub(super) scale: f64,
    pub(super) program: LinearProgram,
    pub(super) y: Vec<Variable>,
    /// Per class and application: the earnings of one unit of G / unit there; empty if options distribute their memory.
    pub(super) earned: Vec<Vec<Variable>>,
    pub(super) lambda: Vec<Option<Variable>>,
    threads: ThreadPrices,
    /// Per watched memory with a limit.
    pub(super) mu: Vec<Option<Variable>>,
    /// The variable of the mean wait, if it has a limit.
    wait: Option<Variable>,
    pub(super) sigma: Vec<Variable>,
    /// Per application, for geomean: the nonlinear part of K.
    pub(super) bend: Vec<Option<Variable>>,
}

pub(super) type Cut = (Vec<(Variable, f64)>, f64);

impl<'r, 'p> Master<'r, 'p> {
    pub(super) fn new(relaxation: &'r Relaxation<'p>, ranges: &Ranges, scale: f64) -> Self {
        let goal = &relaxation.problem.goal;
        let apps = relaxation.problem.apps.len();
        let objective = goal.objective();
        let mut program = LinearProgram::new(OptimizationDirection::Minimize);
        let y: Vec<Variable> = goal
            .weights()
            .iter()
            .enumerate()
            .map(|(a, &weight)| match objective {
                Objective::TotalGflops => program.add_var(0.0, (weight, weight)),
                Objective::Geomean => program.add_var(0.0, (1e-4 * weight, 1e4 * weight)),
                Objective::Fair | Objective::Makespan => program.add_var(goal.offset(a) / scale, (0.0, 1.0)),
            })
            .collect();
        if matches!(objective, Objective::Fair | Objective::Makespan) {
            let ones: Vec<_> = y.iter().map(|&y| (y, 1.0)).collect();
            program.add_constraint(&ones, ComparisonOp::Eq, 1.0);
        }
        let bend = goal
            .weights()
            .iter()
            .map(|&weight| {
                let bends = objective == Objective::Geomean && weight > 0.0;
                bends.then(|| program.add_var(1.0, (-1e3, 1e3)))
            })
            .collect();
        let lambda: Vec<Option<Variable>> = relaxation
            .shared_bandwidth
            .iter()
            .enumerate()
            .map(|(m, bandwidth)| {
                let limit = if relaxation.has_limit(m) { 1.0 } else { 0.0 };
                bandwidth.map(|_| program.add_var(limit, (0.0, LARGEST_PRICE)))
            })
            .collect();
        let threads = ThreadPrices::new(&mut program, relaxation, ranges);
        let mu = relaxation
            .watched
            .iter()
            .map(|watched| {
                let limited = watched.most.is_finite();
                limited.then(|| program.add_var(watched.most / watched.bandwidth, (0.0, LARGEST_PRICE)))
            })
            .collect();
        let limited = relaxation.mean_wait.as_ref().filter(|mean| mean.has_a_price());
        let wait = limited.map(|_| program.add_var(1.0, (0.0, LARGEST_PRICE)));
        let sigma = relaxation
            .classes
            .iter()
            .map(|class| program.add_var(class.nodes.len() as f64, (-1e6, 1e6)))
            .collect();
        let earned = Vec::new();
        let mut master =
            Self { relaxation, scale, program, y, earned, lambda, threads, mu, wait, sigma, bend };
        for class in 0..relaxation.classes.len() {
            let by_prices = relaxation.classes[class].own.is_none();
            let earned = (0..apps).filter(|_| by_prices).map(|a| master.earning(class, a)).collect();
            master.earned.push(earned);
        }
        master
    }

    /// The variable `E_ac`: y itself if nothing that the application reads has a price.
    fn earning(&mut self, class: usize, app: usize) -> Variable {
        let unit = self.relaxation.problem.goal.unit_gflops()[app];
        let costs: Vec<(Variable, f64)> = self.relaxation.classes[class].draw[app]
            .iter()
            .filter_map(|&(m, draw)| {
                let per_lambda = self.scale * unit * draw / self.relaxation.shared_bandwidth[m]?;
                Some((self.lambda[m]?, per_lambda)).filter(|_| draw > 0.0)
            })
            .collect();
        if costs.is_empty() {
            return self.y[app];
        }
        let earned = self.program.add_var(0.0, (0.0, f64::INFINITY));
        let mut terms = costs;
        terms.extend([(earned, 1.0), (self.y[app], -1.0)]);
        self.program.add_constraint(&terms, ComparisonOp::Ge, 0.0);
        earned
    }

    /// The cut of one option if its memory is distributed in this way: `sum >= right side`.
    pub(super) fn cut_of_shares(&self, class: usize, option: usize, shares: &Shares) -> Cut {
        let unit = self.relaxation.problem.goal.unit_gflops();
        let of = &self.relaxation.classes[class];
        let mut terms = vec![(self.sigma[class], 1.0)];
        self.add_reads(class, option, &mut terms);
        let mut costs = vec![0.0; self.lambda.len()];
        let per_bandwidth = |m: usize| self.relaxation.shared_bandwidth[m].map_or(0.0, f64::recip);
        let (_, counts) = of.table.row(option);
        for (a, &gflops) in shares.gflops.iter().enumerate() {
            if gflops > 0.0 && unit[a] > 0.0 {
                terms.push((self.y[a], -gflops / (unit[a] * self.scale)));
            }
            for (m, draw) in of.draws_at_prices(a) {
                costs[m] += gflops * draw * per_bandwidth(m);
            }
            terms.extend(self.threads.terms(self.relaxation, class, a, f64::from(counts[a])));
        }
        if let (Some(wait), Some(mean)) = (self.wait, &self.relaxation.mean_wait) {
            terms.push((wait, mean.part(class) * shares.wait));
        }
        if let Some(own) = &of.own {
            costs[own.resource] -= shares.others_gbs * per_bandwidth(own.resource);
        }
        self.add_costs(&costs, &mut terms);
        (terms, 0.0)
    }

    /// The payment of an option for shared resources, per resource; below 0 if it is paid.
    fn add_costs(&self, costs: &[f64], terms: &mut Vec<(Variable, f64)>) {
        let costs = self.lambda.iter().zip(costs).filter(|(_, cost)| **cost != 0.0);
        terms.extend(costs.filter_map(|(lambda, &cost)| Some(((*lambda)?, cost))));
    }

    /// The payment of an option for reads of watched memories.
    fn add_reads(&self, class: usize, option: usize, terms: &mut Vec<(Variable, f64)>) {
        let reads = self.relaxation.classes[class].table.reads(option);
        for ((mu, watched), reads) in self.mu.iter().zip(&self.relaxation.watched).zip(reads) {
            terms.extend(mu.filter(|_| *reads > 0.0).map(|mu| (mu, reads / watched.bandwidth)));
        }
    }

    /// The cut of one option: `sum >= right side`.
    pub(super) fn cut(&self, class: usize, option: usize) -> Cut {
        let table = &self.relaxation.classes[class].table;
        let unit = self.relaxation.problem.goal.unit_gflops();
        let apps = unit.len();
        let mut terms = vec![(self.sigma[class], 1.0)];
        self.add_reads(class, option, &mut terms);
        let (potentials, counts) = table.row(option);
        // The cost of unavoidable consumption in terms of prices, for all applications together.
        let mut costs = vec![0.0; self.lambda.len()];
        for a in 0..apps {
            let potential = potentials[a];
            let least = match table.least(option).get(a) {
                Some(&least) if self.earned[class][a] != self.y[a] => least,
                _ => 0.0,
            };
            if potential > least && unit[a] > 0.0 {
                terms.push((self.earned[class][a], -(potential - least) / (unit[a] * self.scale)));
            }
            if least > 0.0 {
                terms.extend((unit[a] > 0.0).then(|| (self.y[a], -least / (unit[a] * self.scale))));
                for &(m, draw) in &self.relaxation.classes[class].draw[a] {
                    costs[m] += self.relaxation.shared_bandwidth[m].map_or(0.0, |all| least * draw / all);
                }
            }
            terms.extend(self.threads.terms(self.relaxation, class, a, f64::from(counts[a])));
        }
        self.add_costs(&costs, &mut terms);
        (terms, 0.0)
    }

    /// The cut of a possible content of a node, listed or not: GFLOPS and threads of each application, which may be fractional.
    pub(super) fn cut_of_content(&self, class: usize, gflops: &[f64], threads: &[f64]) -> Cut {
        let unit = self.relaxation.problem.goal.unit_gflops();
        let of = &self.relaxation.classes[class];
        let mut terms = vec![(self.sigma[class], 1.0)];
        let mut costs = vec![0.0; self.lambda.len()];
        for (a, &gflops) in gflops.iter().enumerate() {
            if gflops > 0.0 && unit[a] > 0.0 {
                terms.push((self.y[a], -gflops / (unit[a] * self.scale)));
            }
            for &(m, draw) in &of.draw[a] {
                costs[m] += self.relaxation.shared_bandwidth[m].map_or(0.0, |all| gflops * draw / all);
            }
            terms.extend(self.threads.terms(self.relaxation, class, a, threads[a]));
        }
        self.add_costs(&costs, &mut terms);
        (terms, 0.0)
    }

    /// The first solution: with these cuts, and for geomean with tangents at typical prices and at `y`. `None` if the program cannot be
    /// solved.
    pub(super) fn first_solution(&mut self, mut first: Vec<Cut>, y: &[f64]) -> Option<Solution> {
        for (app, weight) in self.relaxation.problem.goal.weights().iter().enumerate() {
            let points = [1.0, 1.5, 2.5, 4.0, 8.0, 20.0, 100.0].map(|inverse| weight * inverse);
            first.extend(points.into_iter().chain([y[app]]).filter_map(|at| self.tangent(app, at)));
        }
        for (terms, right) in first {
            self.program.add_constraint(&terms, ComparisonOp::Ge, right);
        }
        self.program.solve().ok()?.into_solution().ok()
    }

    /// The tangent of -w ln(y) at `y`: bend >= -w ln(at) - w (y - at) / at.
    pub(super) fn tangent(&self, app: usize, at: f64) -> Option<Cut> {
        let weight = self.relaxation.problem.goal.weights()[app];
        let bend = self.bend[app]?;
        Some((vec![(bend, 1.0), (self.y[app], weight / at)], weight - weight * libm::log(at)))
    }

    pub(super) fn prices(&self, solution: &Solution) -> Prices {
        let value = |variable: Option<Variable>| variable.map_or(0.0, |v| solution.var_value(v).max(0.0));
        let mut y: Vec<f64> = self.y.iter().map(|&y| value(Some(y))).collect();
        if self.relaxation.problem.goal.objective() == Objective::TotalGflops {
            y = self.relaxation.problem.goal.weights().to_vec();
        } else if self.bend.iter().all(Option::is_none) {
            // The bound holds for weights that sum to 1 exactly.
            let sum: f64 = y.iter().sum();
            for y in &mut y {
                *y /= sum;
            }
        }
        let [pays, charges] = self.threads.values(solution, self.scale);
        Prices {
            y,
            lambda: self.lambda.iter().map(|&lambda| value(lambda) * self.scale).collect(),
            pays,
            charges,
            mu: self.mu.iter().map(|&mu| value(mu) * self.scale).collect(),
            wait: value(self.wait) * self.scale,
        }
    }
}

// Prices of thread totals as variables of a linear program.

/// Per counter of [`Ranges`]: the price that pays and the price that charges, if they have a meaning.
pub(in crate::search) struct ThreadPrices {
    variables: Vec<[Option<Variable>; 2]>,
    /// Per counter: the fewest threads.
    lowest: Vec<u32>,
}

impl ThreadPrices {
    /// Adds the variables to `program`, with their effect on the constant of the bound.
    pub(in crate::search) fn new(
        program: &mut LinearProgram,
        relaxation: &Relaxation<'_>,
        ranges: &Ranges,
    ) -> Self {
        let cores = relaxation.total_cores;
        // A single thread may be worth the whole score, which is a price equal to the number of cores.
        let largest = if relaxation.is_listed() { LARGEST_PRICE } else { LARGEST_PRICE.max(cores) };
        let variables = (0..ranges.lowest.len())
            .map(|k| {
                let (lowest, highest) = (f64::from(ranges.lowest[k]), f64::from(ranges.highest[k]));
                let (pays, charges) = ranges.prices_with_meaning(k);
                let mut price = |cost: f64| program.add_var(cost, (0.0, largest));
                [pays.then(|| price(-lowest / cores)), charges.then(|| price(highest / cores))]
            })
            .collect();
        Self { variables, lowest: ranges.lowest.clone() }
    }

    /// The terms for this number of threads of an application on a node of a class in the cut of an option.
    pub(in crate::search) fn terms(
        &self,
        relaxation: &Relaxation<'_>,
        class: usize,
        app: usize,
        threads: f64,
    ) -> impl Iterator<Item = (Variable, f64)> {
        let apps = relaxation.problem.apps.len();
        let counters = [app, apps * (1 + class) + app].into_iter().filter(move |_| threads > 0.0);
        counters.flat_map(move |counter| {
            let [pays, charges] = self.variables[counter];
            let counted = relaxation.counted(class, threads, self.lowest[counter]) / relaxation.total_cores;
            let all = threads / relaxation.total_cores;
            [pays.map(|variable| (variable, -counted)), charges.map(|variable| (variable, all))]
                .into_iter()
                .flatten()
        })
    }

    /// The paying and charging prices in a solution, times `scale`.
    pub(in crate::search) fn values(&self, solution: &Solution, scale: f64) -> [Vec<f64>; 2] {
        let value = |variable: Option<Variable>| variable.map_or(0.0, |v| solution.var_value(v).max(0.0));
        [0, 1].map(|which| self.variables.iter().map(|of| value(of[which]) * scale).collect())
    }
}
