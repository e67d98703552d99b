//! The linear program over the cuts so far: prices and weights of the models at which the bound is lowest.

use microlp::{ComparisonOp, OptimizationDirection, Problem as LinearProgram, Solution, Variable};

use super::joint::{Joint, JointPrices};
use crate::objective::Objective;
use crate::search::cutting::{LARGEST_PRICE, ThreadPrices};
use crate::search::dual::{Prices, Ranges};

/// `sum >= right side`.
pub(super) type Cut = Vec<(Variable, f64)>;

/// The program. Variables are in units of the merit.
pub(super) struct Master<'j, 'a> {
    joint: &'j Joint<'a>,
    pub(super) program: LinearProgram,
    weights: Vec<Variable>,
    /// Per model and application; none for total-gflops, where it is weight of the model x weight of the application.
    y: Vec<Vec<Variable>>,
    /// Per model, class and application: what a unit of GFLOPS earns, as a multiple of a variable.
    earned: Vec<Vec<Vec<(Variable, f64)>>>,
    lambda: Vec<Vec<Option<Variable>>>,
    /// All models have them in common.
    threads: ThreadPrices,
    sigma: Vec<Variable>,
    /// Per model and application, for geomean: the part of the bound that bends.
    bend: Vec<Vec<Option<Variable>>>,
}

impl<'j, 'a> Master<'j, 'a> {
    pub(super) fn new(joint: &'j Joint<'a>, ranges: &Ranges) -> Self {
        let objective = joint.objective();
        let logarithmic = objective == Objective::Geomean;
        let mut program = LinearProgram::new(OptimizationDirection::Minimize);
        let cost = |best: f64| if logarithmic { -best } else { 0.0 };
        let weights: Vec<Variable> =
            joint.scales.iter().map(|scale| program.add_var(cost(scale.best), (0.0, 1.0))).collect();
        let largest = if logarithmic { 1e4 } else { 1.0 };
        let y: Vec<Vec<Variable>> = if objective == Objective::TotalGflops {
            vec![Vec::new(); weights.len()]
        } else {
            let of_model = |_| (0..joint.apps()).map(|_| program.add_var(0.0, (0.0, largest))).collect();
            (0..weights.len()).map(of_model).collect()
        };
        let sums: Vec<_> = match objective {
            Objective::Fair | Objective::Makespan => y.iter().flatten().map(|&y| (y, 1.0)).collect(),
            Objective::TotalGflops | Objective::Geomean => weights.iter().map(|&w| (w, 1.0)).collect(),
        };
        program.add_constraint(&sums, ComparisonOp::Eq, 1.0);
        let goal_weights = joint.relaxations[0].problem.goal.weights();
        let bend = (0..weights.len())
            .map(|_| {
                let of = goal_weights
                    .iter()
                    .map(|&weight| (logarithmic && weight > 0.0).then(|| program.add_var(1.0, (-1e3, 1e3))));
                of.collect()
            })
            .collect();
        let lambda = joint
            .relaxations
            .iter()
            .map(|relaxation| {
                let shared = relaxation.shared_bandwidth.iter();
                shared.map(|b| b.map(|_| program.add_var(1.0, (0.0, LARGEST_PRICE)))).collect()
            })
            .collect();
        let threads = ThreadPrices::new(&mut program, &joint.relaxations[0], ranges);
        let copies = joint.classes().iter().map(|class| class.nodes.len() as f64);
        let sigma = copies.map(|copies| program.add_var(copies, (-1e6, 1e6))).collect();
        let mut master =
            Self { joint, program, weights, y, earned: Vec::new(), lambda, threads, sigma, bend };
        let (classes, apps) = (joint.classes().len(), joint.apps());
        for model in 0..joint.scales.len() {
            let mut of_model = Vec::with_capacity(classes);
            for class in 0..classes {
                of_model.push((0..apps).map(|app| master.earning(model, class, app)).collect());
            }
            master.earned.push(of_model);
        }
        master
    }

    /// What GFLOPS / unit of an application are worth in all, before what they draw is paid.
    fn worth(&self, model: usize, app: usize) -> (Variable, f64) {
        match self.y[model].get(app) {
            Some(&y) => (y, 1.0),
            None => (self.weights[model], self.joint.relaxations[model].problem.goal.weights()[app]),
        }
    }

    /// The worth itself where nothing that the application reads has a price, else a variable of its own.
    fn earning(&mut self, model: usize, class: usize, app: usize) -> (Variable, f64) {
        let relaxation = &self.joint.relaxations[model];
        let unit = self.joint.scales[model].unit(relaxation.problem.goal.unit_gflops()[app]);
        let draw = relaxation.classes[class].draw[app].iter();
        let mut terms: Vec<(Variable, f64)> = draw
            .filter_map(|&(m, draw)| {
                let per_lambda = unit * draw / relaxation.shared_bandwidth[m]?;
                Some((self.lambda[model][m]?, per_lambda)).filter(|_| per_lambda > 0.0)
            })
            .collect();
        let (worth, factor) = self.worth(model, app);
        if terms.is_empty() {
            return (worth, factor);
        }
        let earned = self.program.add_var(0.0, (0.0, f64::INFINITY));
        terms.extend([(earned, 1.0), (worth, -factor)]);
        self.program.add_constraint(&terms, ComparisonOp::Ge, 0.0);
        (earned, 1.0)
    }

    /// The cut of one option.
    pub(super) fn cut(&self, class: usize, option: usize) -> Cut {
        let mut terms = vec![(self.sigma[class], 1.0)];
        for (model, (relaxation, scale)) in self.joint.relaxations.iter().zip(&self.joint.scales).enumerate()
        {
            let units = relaxation.problem.goal.unit_gflops();
            let (potentials, _) = relaxation.classes[class].table.row(option);
            for (a, (potential, unit)) in potentials.iter().zip(units).enumerate() {
                let (variable, factor) = self.earned[model][class][a];
                let per_variable = factor * potential / scale.unit(*unit);
                if *unit > 0.0 && per_variable > 0.0 {
                    terms.push((variable, -per_variable));
                }
            }
        }
        let (_, counts) = self.joint.classes()[class].table.row(option);
        for (a, &count) in counts.iter().enumerate() {
            terms.extend(self.threads.terms(&self.joint.relaxations[0], class, a, count));
        }
        summed(terms)
    }

    /// The tangent of l w (ln(l w / y) - 1), with l the weight of the model, where l w / y is `at`: l w ln(at) - at y.
    pub(super) fn tangent(&self, model: usize, app: usize, at: f64) -> Option<Cut> {
        let weight = self.joint.relaxations[model].problem.goal.weights()[app];
        let bend = self.bend[model][app]?;
        let finite = at > 0.0 && at.is_finite();
        finite.then(|| {
            vec![(bend, 1.0), (self.weights[model], -weight * libm::log(at)), (self.y[model][app], at)]
        })
    }

    /// Prices that are valid whatever the rounding of the program.
    pub(super) fn prices(&self, solution: &Solution) -> JointPrices {
        let value = |variable: Variable| solution.var_value(variable).max(0.0);
        let optional = |variable: Option<Variable>| variable.map_or(0.0, value);
        let mut weights: Vec<f64> = self.weights.iter().map(|&weight| value(weight)).collect();
        let sum = match self.joint.objective() {
            Objective::Fair | Objective::Makespan => self.y.iter().flatten().map(|&y| value(y)).sum::<f64>(),
            Objective::TotalGflops | Objective::Geomean => weights.iter().sum(),
        };
        for weight in &mut weights {
            *weight /= sum;
        }
        let of = (0..weights.len()).map(|model| {
            let goal = &self.joint.relaxations[model].problem.goal;
            let y = goal.weights().iter().enumerate().map(|(a, own)| match self.joint.objective() {
                Objective::TotalGflops => weights[model] * own / self.joint.scales[model].best,
                Objective::Fair | Objective::Makespan => {
                    value(self.y[model][a]) / sum / self.joint.scales[model].best
                }
                // Never 0, where the bound is infinite.
                Objective::Geomean => value(self.y[model][a]).max(1e-6 * weights[model] * own),
            });
            let [pays, charges] = self.threads.values(solution, if model == 0 { 1.0 } else { 0.0 });
            let lambda = self.lambda[model].iter().map(|&lambda| optional(lambda));
            Prices { y: y.collect(), lambda: lambda.collect(), pays, charges, mu: Vec::new() }
        });
        JointPrices { of: of.collect(), weights }
    }
}

/// A variable may stand for several applications (total-gflops): the program wants each once.
fn summed(mut terms: Cut) -> Cut {
    terms.sort_by_key(|(variable, _)| variable.idx());
    let mut sums: Cut = Vec::with_capacity(terms.len());
    for (variable, factor) in terms {
        match sums.last_mut() {
            Some((last, sum)) if *last == variable => *sum += factor,
            _ => sums.push((variable, factor)),
        }
    }
    sums
}
