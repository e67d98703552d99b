//! The lowest joint bound of a part of the space, by cutting planes (Kelley 1960), as [`super::super::cutting`] does for one model.

use microlp::{ComparisonOp, OptimizationDirection, Problem as LinearProgram, Solution, Variable};
use numasim_model::{AppId, Placement};

use crate::monitor::Monitor;
use crate::objective::Objective;
use crate::open_data::{Decided, OpenChoices};
use crate::parallel;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::cutting::{Cutting, Lowered, MOST_EARNINGS, PATIENCE, PROGRAM_STEPS, lower};
use crate::search::dual::{Class, Earnings, Prices, Ranges, Relaxation};
use crate::search::master::{Cut, LARGEST_PRICE, ThreadPrices};
use crate::search::robust::{Panel, Scale};
use crate::symmetry::node_classes;

/// A part of the space with the lowest bound reached.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) ranges: Ranges,
    /// No allocation in it has a larger merit.
    pub(super) bound: f64,
    pub(super) prices: JointPrices,
    /// Options that shape the bound: (class, option).
    pub(super) cuts: Vec<(usize, usize)>,
    /// Per counter: the approximate threads of the relaxed optimum, where a split helps most.
    pub(super) threads: Vec<f64>,
    /// The cost of the bound, in steps of the search.
    pub(super) work: u64,
}

impl Joint<'_> {
    /// Whether programs are small enough to be solved.
    fn can_be_cut(&self) -> bool {
        self.earnings_in_all() <= MOST_EARNINGS
    }

    fn earnings_in_all(&self) -> usize {
        self.scales.len() * self.classes().len() * self.apps()
    }

    /// The cost of one round, in steps of the search: programs grow with the square of their earnings.
    fn round_steps(&self) -> u64 {
        let earnings = self.earnings_in_all() as u64;
        PROGRAM_STEPS.max(earnings.saturating_mul(earnings)).saturating_add(self.pricing())
    }

    /// Bounds a part by at most `rounds` programs, which start with `cuts`; stops early at `target`.
    pub(super) fn bounded(
        &self,
        ranges: Ranges,
        start: &JointPrices,
        cuts: &[(usize, usize)],
        target: f64,
        rounds: usize,
        monitor: &dyn Monitor,
    ) -> Part {
        let mut part = Part {
            ranges,
            bound: f64::INFINITY,
            prices: start.clone(),
            cuts: cuts.to_vec(),
            threads: Vec::new(),
            work: self.pricing(),
        };
        let Some((bound, first)) = self.bound(start, &part.ranges) else {
            part.bound = f64::NEG_INFINITY;
            return part;
        };
        part.bound = bound;
        part.cuts.extend(first);
        part.cuts.sort_unstable();
        part.cuts.dedup();
        if bound > target && self.can_be_cut() {
            self.cut_down(&mut part, target, rounds, monitor);
        }
        part.threads = self.relaxations[0].mixed_threads(&part.cuts);
        part
    }

    fn cut_down(&self, part: &mut Part, target: f64, rounds: usize, monitor: &dyn Monitor) {
        let mut master = Master::new(self, &part.ranges);
        let known: Vec<Cut> = part.cuts.iter().map(|&(class, option)| master.cut(class, option)).collect();
        let first = known.into_iter().chain(self.first_tangents(&master));
        for (terms, right) in first.collect::<Vec<_>>() {
            master.program.add_constraint(&terms, ComparisonOp::Ge, right);
        }
        let solved = master.program.solve().ok().and_then(|outcome| outcome.into_solution().ok());
        let Some(solution) = solved else { return };
        let start = Lowered { bound: part.bound, prices: part.prices.clone(), work: part.work };
        let mut cutting = OfPart { joint: self, ranges: &part.ranges, master, cuts: &mut part.cuts };
        let (lowered, complete) = lower(&mut cutting, solution, start, target, rounds, monitor);
        (part.bound, part.prices, part.work) = (lowered.bound, lowered.prices, lowered.work);
        if complete {
            self.keep_tight(part);
        }
    }

    /// The part of the bound without a variable of the program: none, except for geomean -sum l w.
    fn fixed_part(&self, prices: &JointPrices) -> f64 {
        let of = self.relaxations.iter().zip(&self.scales).zip(&prices.weights);
        let logarithmic = of.filter(|((_, scale), _)| scale.logarithmic);
        -logarithmic
            .map(|((r, _), weight)| weight * r.problem.goal.weights().iter().sum::<f64>())
            .sum::<f64>()
    }

    /// Tangents at likely values of GFLOPS / alone, for geomean.
    fn first_tangents(&self, master: &Master<'_, '_>) -> Vec<Cut> {
        const AT: [f64; 8] = [1.0, 0.7, 0.5, 0.33, 0.2, 0.1, 0.04, 0.01];
        let pairs = (0..self.scales.len()).flat_map(|model| (0..self.apps()).map(move |app| (model, app)));
        pairs
            .flat_map(|(model, app)| AT.iter().filter_map(move |&at| master.tangent(model, app, at)))
            .collect()
    }

    fn tangents_at(&self, master: &Master<'_, '_>, prices: &JointPrices) -> Vec<Cut> {
        let mut found = Vec::new();
        for (model, of) in prices.of.iter().enumerate() {
            let weights = self.relaxations[model].problem.goal.weights();
            for (app, (y, own)) in of.y.iter().zip(weights).enumerate() {
                found.extend(master.tangent(model, app, prices.weights[model] * own / y));
            }
        }
        found
    }

    /// Keeps only the cuts that nearly reach the top of their class at the prices.
    fn keep_tight(&self, part: &mut Part) {
        let mut kept = Vec::new();
        for c in 0..self.classes().len() {
            let earnings = self.earnings(c, &part.prices, &part.ranges);
            let own = part.cuts.iter().filter(|cut| cut.0 == c);
            let earned: Vec<_> = own.map(|&cut| (cut, self.earned(c, cut.1, &earnings))).collect();
            let top = earned.iter().map(|(_, earned)| *earned).fold(f64::NEG_INFINITY, f64::max);
            let near = earned.into_iter().filter(|(_, earned)| *earned >= top - 0.05 * top.abs());
            kept.extend(near.map(|(cut, _)| cut));
        }
        part.cuts = kept;
    }
}

/// The joint bound of a part of the space.
struct OfPart<'r, 'j> {
    joint: &'r Joint<'j>,
    ranges: &'r Ranges,
    master: Master<'r, 'j>,
    /// Classes and options of the cuts in the program.
    cuts: &'r mut Vec<(usize, usize)>,
}

impl Cutting for OfPart<'_, '_> {
    type Prices = JointPrices;
    type Found = Vec<(usize, usize)>;

    fn prices(&self, solution: &Solution) -> JointPrices {
        self.master.prices(solution)
    }

    fn bound(&self, prices: &JointPrices) -> Option<(f64, Self::Found)> {
        self.joint.bound(prices, self.ranges)
    }

    fn least(&self, solution: &Solution, prices: &JointPrices) -> f64 {
        solution.objective() + self.joint.fixed_part(prices)
    }

    fn cuts(&mut self, found: Self::Found, prices: &JointPrices) -> Vec<Cut> {
        let mut fresh = self.joint.tangents_at(&self.master, prices);
        for cut in found {
            if !self.cuts.contains(&cut) {
                self.cuts.push(cut);
                fresh.push(self.master.cut(cut.0, cut.1));
            }
        }
        fresh
    }

    /// Merits are near 1.
    fn size(&self, _: f64) -> f64 {
        1.0
    }

    fn steps(&self) -> u64 {
        self.joint.round_steps()
    }

    fn patience(&self) -> usize {
        PATIENCE
    }
}

// The linear program over the cuts so far: prices and weights of the models with the lowest bound.

/// The program. Variables are in units of the merit.
pub(super) struct Master<'j, 'a> {
    joint: &'j Joint<'a>,
    pub(super) program: LinearProgram,
    weights: Vec<Variable>,
    /// Per model and application. Empty for total-gflops, which uses weight of the model x weight of the application.
    y: Vec<Vec<Variable>>,
    /// Per model, class and application: the earnings of a unit of GFLOPS, as a multiple of a variable.
    earned: Vec<Vec<Vec<(Variable, f64)>>>,
    lambda: Vec<Vec<Option<Variable>>>,
    /// Common to all models.
    threads: ThreadPrices,
    sigma: Vec<Variable>,
    /// Per model and application, for geomean: the nonlinear part of the bound.
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

    /// The total value of GFLOPS / unit of an application, before its consumption is paid.
    fn worth(&self, model: usize, app: usize) -> (Variable, f64) {
        match self.y[model].get(app) {
            Some(&y) => (y, 1.0),
            None => (self.weights[model], self.joint.relaxations[model].problem.goal.weights()[app]),
        }
    }

    /// The value itself if nothing that the application reads has a price, else a separate variable.
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
            terms.extend(self.threads.terms(&self.joint.relaxations[0], class, a, f64::from(count)));
        }
        (summed(terms), 0.0)
    }

    /// The tangent of l w (ln(l w / y) - 1), with l the weight of the model, at l w / y = `at`: l w ln(at) - at y.
    pub(super) fn tangent(&self, model: usize, app: usize, at: f64) -> Option<Cut> {
        let weight = self.joint.relaxations[model].problem.goal.weights()[app];
        let bend = self.bend[model][app]?;
        let finite = at > 0.0 && at.is_finite();
        finite.then(|| {
            let terms =
                vec![(bend, 1.0), (self.weights[model], -weight * libm::log(at)), (self.y[model][app], at)];
            (terms, 0.0)
        })
    }

    /// Prices that are valid despite the rounding of the program.
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
            Prices { y: y.collect(), lambda: lambda.collect(), pays, charges, mu: Vec::new(), wait: 0.0 }
        });
        JointPrices { of: of.collect(), weights }
    }
}

/// A variable may represent several applications (total-gflops), but the program needs each variable once.
fn summed(mut terms: Vec<(Variable, f64)>) -> Vec<(Variable, f64)> {
    terms.sort_by_key(|(variable, _)| variable.idx());
    let mut sums: Vec<(Variable, f64)> = Vec::with_capacity(terms.len());
    for (variable, factor) in terms {
        match sums.last_mut() {
            Some((last, sum)) if *last == variable => *sum += factor,
            _ => sums.push((variable, factor)),
        }
    }
    sums
}

// The bound: the relaxations of all models with the same options at the same time; see the module text.

/// Maximum number of options of one node that are listed.
const MAX_OPTIONS: usize = 100_000;

/// One relaxation for each model; classes of nodes and their options are the same in all.
pub(super) struct Joint<'a> {
    pub(super) relaxations: Vec<Relaxation<'a>>,
    pub(super) scales: Vec<Scale>,
    /// Whether options are real ones, not the corners around them.
    pub(super) listed: bool,
}

/// Weights of the models, and prices that contain them.
#[derive(Clone, Debug)]
pub(super) struct JointPrices {
    /// Per model; their sum is 1.
    pub(super) weights: Vec<f64>,
    /// Per model. Prices of threads, which are common to all, are with the first.
    pub(super) of: Vec<Prices>,
}

impl<'a> Joint<'a> {
    /// The relaxations for one set of decided homes, one of `share` that exist at the same time; `None` if stopped.
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
        let loose = |(&(problem, _), evaluator)| {
            Relaxation::loose(problem, &problem.machine, evaluator, &classes, monitor)
        };
        Some(Self { relaxations: both().map(loose).collect(), scales, listed: false })
    }

    /// The same for any places of the open homes.
    pub(super) fn with_homes_anywhere(panel: &Panel<'a>, monitor: &'a dyn Monitor) -> Self {
        let of = |&(problem, _): &(&'a Problem, Scale)| {
            let (placements, rest) =
                OpenChoices::new(&problem.machine, &problem.apps).sure(&problem.apps, &Decided::default());
            let evaluator = Evaluator::new(problem, placements);
            Relaxation::with_homes_anywhere(problem, &problem.machine, &evaluator, &rest, monitor)
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

    /// The cost of pricing all options once, in steps of the search.
    pub(super) fn pricing(&self) -> u64 {
        self.relaxations.iter().map(Relaxation::pricing).sum()
    }

    /// All models have the same weight, and only GFLOPS have a price.
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

    /// The earnings of an option on a node of `class` under each model.
    pub(super) fn earnings(&self, class: usize, prices: &JointPrices, ranges: &Ranges) -> Vec<Earnings> {
        self.relaxations
            .iter()
            .zip(&prices.of)
            .map(|(relaxation, of)| relaxation.earnings(class, of, ranges))
            .collect()
    }

    /// The total earnings of an option over all models.
    #[inline]
    pub(super) fn earned(&self, class: usize, option: usize, earnings: &[Earnings]) -> f64 {
        let of = |(relaxation, earnings): (&Relaxation<'_>, &Earnings)| {
            earnings.of(&relaxation.classes[class].table, option)
        };
        self.relaxations.iter().zip(earnings).map(of).sum()
    }

    /// Per class, the option that earns most (in a tie, the first), and the bound; `None` if a node has no option.
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
                let chunks = 0..options.div_ceil(CHUNK);
                parallel::map(chunks, |chunk| best_of(chunk * CHUNK..((chunk + 1) * CHUNK).min(options)))
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

/// The options of an allocation on each node: (class, option).
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
