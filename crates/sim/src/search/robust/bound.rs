//! The lowest joint bound of a part of the space, by cutting planes (Kelley 1960), as [`super::super::cutting`] does for one model.

use microlp::ComparisonOp;

use super::joint::{Joint, JointPrices};
use super::master::{Cut, Master};
use crate::monitor::Monitor;
use crate::search::dual::Ranges;

/// Most models x applications x classes of nodes: with more, solving one program takes longer than it helps.
const MOST_EARNINGS: usize = 2_000;
/// Rounds without a better bound after which none is expected.
const PATIENCE: usize = 15;
/// Difference of merits at which program and bound agree.
const AGREEMENT: f64 = 1e-11;
/// What solving the smallest program costs, in steps of the search.
const PROGRAM_STEPS: u64 = 2_000;

/// A part of the space with the lowest bound that was reached.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) ranges: Ranges,
    /// No allocation in it has a larger merit.
    pub(super) bound: f64,
    pub(super) prices: JointPrices,
    /// Options that shape the bound: (class, option).
    pub(super) cuts: Vec<(usize, usize)>,
    /// Per counter: about what the relaxed optimum has, where a split is worth most.
    pub(super) threads: Vec<f64>,
    /// What the bound cost, in steps of the search.
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

    /// What one round costs, in steps of the search: programs grow with the square of their earnings.
    fn round_steps(&self) -> u64 {
        let earnings = self.earnings_in_all() as u64;
        PROGRAM_STEPS.max(earnings.saturating_mul(earnings)).saturating_add(self.pricing())
    }

    /// Bounds a part by at most `rounds` programs, which begin with `cuts`; ends early at `target`.
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
        for terms in first.collect::<Vec<_>>() {
            master.program.add_constraint(&terms, ComparisonOp::Ge, 0.0);
        }
        let solved = master.program.solve().ok().and_then(|outcome| outcome.into_solution().ok());
        let Some(mut solution) = solved else { return };
        let mut since_improved = 0;
        for _ in 0..rounds {
            if monitor.stop() {
                return;
            }
            part.work += self.round_steps();
            let prices = master.prices(&solution);
            let Some((bound, found)) = self.bound(&prices, &part.ranges) else { return };
            since_improved += 1;
            if bound < part.bound {
                if bound < part.bound - 1e-9 {
                    since_improved = 0;
                }
                part.bound = bound;
                part.prices = prices.clone();
            }
            let lower = solution.objective() + self.fixed_part(&prices);
            if part.bound <= target || part.bound - lower <= AGREEMENT || since_improved > PATIENCE {
                return self.keep_tight(part);
            }
            let mut fresh: Vec<Cut> = self.tangents_at(&master, &prices);
            for cut in found {
                if !part.cuts.contains(&cut) {
                    part.cuts.push(cut);
                    fresh.push(master.cut(cut.0, cut.1));
                }
            }
            if fresh.is_empty() {
                return self.keep_tight(part);
            }
            for terms in fresh {
                if monitor.stop() {
                    return;
                }
                let next = solution.add_constraint(&terms[..], ComparisonOp::Ge, 0.0);
                match next.ok().and_then(|outcome| outcome.into_solution().ok()) {
                    Some(next) => solution = next,
                    None => return,
                }
            }
        }
        self.keep_tight(part);
    }

    /// The part of the bound that no variable of the program carries: none is, but for geomean -sum l w.
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

    /// Leaves only the cuts that nearly reach the top of their class at the prices.
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
