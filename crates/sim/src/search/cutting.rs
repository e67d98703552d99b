//! The minimum of the dual bound, by cutting planes (Kelley 1960).
//!
//! The bound of [`super::dual`] is a maximum of linear functions of the prices, one for each choice of options. The
//! linear program over the options met so far gives prices; the best options at these prices give the true bound
//! there, valid whatever the linear program says, and new cuts; until both agree.
//!
//! All scores are divided by `scale`, so that the variables are near 1:
//!
//! ```text
//! minimise  K(y) + sum_m lambda_m + sum_w mu_w R_w / B_w + sum_c nodes_c sigma_c
//!           - sum_k (plus_k lowest_k - minus_k highest_k) / cores
//! where     sigma_c >= sum_a E_ac potential_a(x) / (unit_a scale) + sum_a (nu_a + nu_ca) threads_a(x) / cores
//!                      - sum_w mu_w reads_w(x) / B_w   per cut
//!           E_ac >= y_a - sum_m lambda_m scale unit_a draw_acm / B_m,   E_ac >= 0
//! ```

use microlp::{ComparisonOp, OptimizationDirection, Problem as LinearProgram, Solution, Variable};

use super::dual::{Improved, Prices, Ranges, Relaxation, best_option};
use crate::objective::Objective;

/// Prices beyond this many times the score are never needed; the box keeps the first programs bounded.
const LARGEST_PRICE: f64 = 50.0;
/// Rounds without a better bound after which none is expected: the rest is rounding of the programs.
const PATIENCE: usize = 12;
/// What solving one linear program costs, in steps of the search (measured: about 100 microseconds).
const PROGRAM_STEPS: u64 = 2_000;
/// Relative difference at which program and bound agree.
const AGREEMENT: f64 = 1e-11;

/// The linear program over the cuts so far.
struct Master<'r, 'p> {
    relaxation: &'r Relaxation<'p>,
    scale: f64,
    program: LinearProgram,
    y: Vec<Variable>,
    /// Per class and application: what one unit of G / unit earns there.
    earned: Vec<Vec<Variable>>,
    lambda: Vec<Option<Variable>>,
    /// Per counter: the price that pays and the price that charges, where they have a meaning.
    nu: Vec<[Option<Variable>; 2]>,
    /// Per watched memory with a limit.
    mu: Vec<Option<Variable>>,
    sigma: Vec<Variable>,
    /// Per application, for geomean: the part of K that bends.
    bend: Vec<Option<Variable>>,
}

type Cut = (Vec<(Variable, f64)>, f64);

impl<'r, 'p> Master<'r, 'p> {
    fn new(relaxation: &'r Relaxation<'p>, ranges: &Ranges, scale: f64) -> Self {
        let goal = &relaxation.problem.goal;
        let apps = relaxation.problem.apps.len();
        let objective = goal.objective();
        let mut program = LinearProgram::new(OptimizationDirection::Minimize);
        let y: Vec<Variable> = goal
            .weights()
            .iter()
            .map(|&weight| match objective {
                Objective::TotalGflops => program.add_var(0.0, (weight, weight)),
                Objective::Geomean => program.add_var(0.0, (1e-4 * weight, 1e4 * weight)),
                Objective::Fair | Objective::Makespan => program.add_var(0.0, (0.0, 1.0)),
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
            .map(|bandwidth| bandwidth.map(|_| program.add_var(1.0, (0.0, LARGEST_PRICE))))
            .collect();
        let nu = (0..ranges.lowest.len())
            .map(|k| {
                let (lowest, highest) = (f64::from(ranges.lowest[k]), f64::from(ranges.highest[k]));
                let (pays, charges) = ranges.prices_with_meaning(k);
                let cores = relaxation.total_cores;
                [
                    pays.then(|| program.add_var(-lowest / cores, (0.0, LARGEST_PRICE))),
                    charges.then(|| program.add_var(highest / cores, (0.0, LARGEST_PRICE))),
                ]
            })
            .collect();
        let mu = relaxation
            .watched
            .iter()
            .map(|watched| {
                let limited = watched.most.is_finite();
                limited.then(|| program.add_var(watched.most / watched.bandwidth, (0.0, LARGEST_PRICE)))
            })
            .collect();
        let sigma = relaxation
            .classes
            .iter()
            .map(|class| program.add_var(class.nodes.len() as f64, (-1e6, 1e6)))
            .collect();
        let earned = Vec::new();
        let mut master = Self { relaxation, scale, program, y, earned, lambda, nu, mu, sigma, bend };
        for class in 0..relaxation.classes.len() {
            let earned = (0..apps).map(|a| master.earning(class, a)).collect();
            master.earned.push(earned);
        }
        master
    }

    /// The variable `E_ac`: y itself where nothing that the application reads has a price.
    fn earning(&mut self, class: usize, app: usize) -> Variable {
        let memories = self.relaxation.classes.len();
        let unit = self.relaxation.problem.goal.unit_gflops()[app];
        let costs: Vec<(Variable, f64)> = (0..memories)
            .filter_map(|m| {
                let draw = self.relaxation.classes[class].draw[app * memories + m];
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

    /// The cut of one option: `sum >= right side`.
    fn cut(&self, class: usize, option: usize) -> Cut {
        let table = &self.relaxation.classes[class].table;
        let unit = self.relaxation.problem.goal.unit_gflops();
        let apps = unit.len();
        let mut terms = vec![(self.sigma[class], 1.0)];
        for ((mu, watched), reads) in self.mu.iter().zip(&self.relaxation.watched).zip(table.reads(option)) {
            terms.extend(mu.filter(|_| *reads > 0.0).map(|mu| (mu, reads / watched.bandwidth)));
        }
        for a in 0..apps {
            let potential = table.potential(option)[a];
            if potential > 0.0 && unit[a] > 0.0 {
                terms.push((self.earned[class][a], -potential / (unit[a] * self.scale)));
            }
            let threads = f64::from(table.counts(option)[a]) / self.relaxation.total_cores;
            if threads > 0.0 {
                for counter in [a, apps * (1 + class) + a] {
                    let [pays, charges] = self.nu[counter];
                    terms.extend(pays.map(|variable| (variable, -threads)));
                    terms.extend(charges.map(|variable| (variable, threads)));
                }
            }
        }
        (terms, 0.0)
    }

    /// The tangent of -w ln(y) at `y`: bend >= -w ln(at) - w (y - at) / at.
    fn tangent(&self, app: usize, at: f64) -> Option<Cut> {
        let weight = self.relaxation.problem.goal.weights()[app];
        let bend = self.bend[app]?;
        Some((vec![(bend, 1.0), (self.y[app], weight / at)], weight - weight * at.ln()))
    }

    fn prices(&self, solution: &Solution) -> Prices {
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
        Prices {
            y,
            lambda: self.lambda.iter().map(|&lambda| value(lambda) * self.scale).collect(),
            nu: self.nu.iter().map(|&[pays, charges]| (value(pays) - value(charges)) * self.scale).collect(),
            mu: self.mu.iter().map(|&mu| value(mu) * self.scale).collect(),
        }
    }
}

impl Relaxation<'_> {
    /// Lowers the bound of `start` by at most `rounds` rounds of cutting planes; ends early at `target`, or when the
    /// minimum is reached. A program that cannot be solved leaves the bound as it is.
    pub(super) fn cut_down(&self, start: Improved, ranges: &Ranges, target: f64, rounds: usize) -> Improved {
        let mut best = start;
        let objective = self.problem.goal.objective();
        let size = if target.is_finite() { target.abs() } else { best.bound.abs() };
        let scale =
            if objective == Objective::Geomean || size == 0.0 || !size.is_finite() { 1.0 } else { size };
        let mut master = Master::new(self, ranges, scale);
        let mut cuts = best.cuts.clone();
        cuts.extend(self.best_options(&best.prices).unwrap_or_default());
        cuts.sort_unstable();
        cuts.dedup();
        let mut first = cuts.iter().map(|&(class, option)| master.cut(class, option)).collect::<Vec<_>>();
        for (app, weight) in self.problem.goal.weights().iter().enumerate() {
            let points = [1.0, 1.5, 2.5, 4.0, 8.0, 20.0, 100.0].map(|inverse| weight * inverse);
            first.extend(
                points.into_iter().chain([best.prices.y[app]]).filter_map(|at| master.tangent(app, at)),
            );
        }
        for (terms, right) in first {
            master.program.add_constraint(&terms, ComparisonOp::Ge, right);
        }
        let Some(mut solution) = master.program.solve().ok().and_then(|outcome| outcome.into_solution().ok())
        else {
            return best;
        };
        let mut since_improved = 0;
        for _ in 0..rounds {
            if self.monitor.stop() {
                return best;
            }
            since_improved += 1;
            if since_improved > PATIENCE {
                break;
            }
            best.work += PROGRAM_STEPS + self.pricing();
            let prices = master.prices(&solution);
            let Some(found) = self.best_options(&prices) else { return best };
            let bound = self.bound_from(&prices, ranges, &found);
            if bound < best.bound {
                if bound < best.bound - 1e-9 * best.bound.abs() {
                    since_improved = 0;
                }
                best.bound = bound;
                best.prices = prices.clone();
            }
            let lower = solution.objective() * scale + self.fixed_part();
            if best.bound <= target || best.bound - lower <= AGREEMENT * best.bound.abs().max(1e-12) {
                break;
            }
            let mut fresh: Vec<Cut> = Vec::new();
            for &(class, option) in &found {
                if !cuts.contains(&(class, option)) {
                    cuts.push((class, option));
                    fresh.push(master.cut(class, option));
                }
            }
            fresh.extend((0..prices.y.len()).filter_map(|app| master.tangent(app, prices.y[app])));
            if fresh.is_empty() {
                break;
            }
            for (terms, right) in fresh {
                let next = solution.add_constraint(&terms[..], ComparisonOp::Ge, right);
                match next.ok().and_then(|outcome| outcome.into_solution().ok()) {
                    Some(next) => solution = next,
                    None => return best,
                }
            }
        }
        best.cuts = self.tight(&cuts, &best.prices);
        best.threads = self.mixed_threads(&best.cuts, ranges);
        best
    }

    /// The part of K(y) that no variable carries: sum of w (ln w - 1) for geomean.
    fn fixed_part(&self) -> f64 {
        let goal = &self.problem.goal;
        if goal.objective() != Objective::Geomean {
            return 0.0;
        }
        goal.weights().iter().filter(|w| **w > 0.0).map(|w| w * (w.ln() - 1.0)).sum()
    }

    /// Per class the option that earns most.
    fn best_options(&self, prices: &Prices) -> Option<Vec<(usize, usize)>> {
        (0..self.classes.len())
            .map(|c| {
                best_option(&self.classes[c].table, &self.earnings(c, prices)).map(|(option, _)| (c, option))
            })
            .collect()
    }

    fn bound_from(&self, prices: &Prices, ranges: &Ranges, best: &[(usize, usize)]) -> f64 {
        let earned = best.iter().map(|&(c, option)| {
            let class = &self.classes[c];
            class.nodes.len() as f64 * self.earnings(c, prices).of(&class.table, option)
        });
        self.constant(prices, ranges) + earned.sum::<f64>()
    }

    /// The cuts that nearly reach the top of their class at `prices`: the others no longer shape the bound.
    fn tight(&self, cuts: &[(usize, usize)], prices: &Prices) -> Vec<(usize, usize)> {
        let mut kept = Vec::new();
        for c in 0..self.classes.len() {
            let earnings = self.earnings(c, prices);
            let table = &self.classes[c].table;
            let top = best_option(table, &earnings).map_or(0.0, |(_, top)| top);
            kept.extend(cuts.iter().filter(|&&(class, option)| {
                class == c && earnings.of(table, option) >= top - 0.05 * top.abs()
            }));
        }
        kept
    }

    /// Per counter: the mean threads over the tight options, kept inside the ranges.
    fn mixed_threads(&self, tight: &[(usize, usize)], ranges: &Ranges) -> Vec<f64> {
        let apps = self.problem.apps.len();
        let mut threads = vec![0.0; ranges.lowest.len()];
        for (c, class) in self.classes.iter().enumerate() {
            let options: Vec<usize> = tight.iter().filter(|t| t.0 == c).map(|t| t.1).collect();
            for a in 0..apps {
                let sum: f64 = options.iter().map(|&o| f64::from(class.table.counts(o)[a])).sum();
                let mean = class.nodes.len() as f64 * sum / options.len().max(1) as f64;
                threads[a] += mean;
                threads[apps * (1 + c) + a] = mean;
            }
        }
        threads
    }
}
