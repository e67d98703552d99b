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
//! where     sigma_c >= sum_a E_ac potential_a(x) / (unit_a scale)
//!                      + sum_k (plus_k min(threads_k(x), lowest_k) - minus_k threads_k(x)) / cores
//!                      - sum_w mu_w reads_w(x) / B_w   per cut; k: a on the machine, a on nodes of class c
//!           E_ac >= y_a - sum_m lambda_m scale unit_a draw_acm / B_m,   E_ac >= 0
//! ```

mod master;
mod threads;

use microlp::ComparisonOp;

use super::dual::{Class, Earnings, Improved, Prices, Ranges, Relaxation, Shares, best_option};
use crate::objective::Objective;
use master::{Cut, Master};
pub(super) use threads::ThreadPrices;

/// Prices beyond this many times the score are never needed; the box keeps the first programs bounded.
pub(super) const LARGEST_PRICE: f64 = 50.0;
/// Most pairs of an application and a class of nodes: with more, solving one program takes longer than it helps.
const MOST_EARNINGS: usize = 1_000;
/// Rounds without a better bound after which none is expected: the rest is rounding of the programs.
const PATIENCE: usize = 12;
/// What solving a small linear program costs, in steps of the search (measured: about 100 microseconds).
const PROGRAM_STEPS: u64 = 2_000;
/// Relative difference at which program and bound agree.
const AGREEMENT: f64 = 1e-11;

/// An option that shapes the bound, and how it deals out the memory of its node.
#[derive(PartialEq)]
struct Chosen {
    class: usize,
    option: usize,
    shares: Option<Shares>,
}

impl Chosen {
    fn of(&self, master: &Master<'_, '_>) -> Cut {
        match &self.shares {
            Some(shares) => master.cut_of_shares(self.class, self.option, shares),
            None => master.cut(self.class, self.option),
        }
    }
}

impl Relaxation<'_> {
    /// Lowers the bound of `start` by at most `rounds` rounds of cutting planes; ends early at `target`, or when the
    /// minimum is reached. A program that cannot be solved leaves the bound as it is.
    pub(super) fn cut_down(&self, start: Improved, ranges: &Ranges, target: f64, rounds: usize) -> Improved {
        let mut best = start;
        if self.earning_pairs() > MOST_EARNINGS {
            return best;
        }
        let objective = self.problem.goal.objective();
        let size = if target.is_finite() { target.abs() } else { best.bound.abs() };
        let scale =
            if objective == Objective::Geomean || size == 0.0 || !size.is_finite() { 1.0 } else { size };
        let mut master = Master::new(self, ranges, scale);
        let earnings = self.all_earnings(&best.prices, ranges);
        let mut cuts = best.cuts.clone();
        let best_now = self.best_options(&earnings).unwrap_or_default();
        cuts.extend(best_now.into_iter().map(|(class, option, _)| (class, option)));
        cuts.sort_unstable();
        cuts.dedup();
        let chosen = |&(class, option): &(usize, usize)| self.chosen(class, option, &earnings);
        let mut known: Vec<Chosen> = cuts.iter().map(chosen).collect();
        let mut first = known.iter().map(|cut| cut.of(&master)).collect::<Vec<_>>();
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
            best.work += self.program_steps() + self.pricing();
            let prices = master.prices(&solution);
            let earnings = self.all_earnings(&prices, ranges);
            let Some(found) = self.best_options(&earnings) else { return best };
            let earned: f64 =
                found.iter().map(|&(c, _, earned)| self.classes[c].nodes.len() as f64 * earned).sum();
            let bound = self.constant(&prices, ranges) + earned;
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
            for (class, option, _) in found {
                let cut = self.chosen(class, option, &earnings);
                if !known.contains(&cut) {
                    fresh.push(cut.of(&master));
                    cuts.push((cut.class, cut.option));
                    known.push(cut);
                }
            }
            fresh.extend((0..prices.y.len()).filter_map(|app| master.tangent(app, prices.y[app])));
            if fresh.is_empty() {
                break;
            }
            for (terms, right) in fresh {
                if self.monitor.stop() {
                    return best;
                }
                let next = solution.add_constraint(&terms[..], ComparisonOp::Ge, right);
                match next.ok().and_then(|outcome| outcome.into_solution().ok()) {
                    Some(next) => solution = next,
                    None => return best,
                }
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        best.cuts = self.tight(&cuts, &best.prices, ranges);
        best.threads = self.mixed_threads(&best.cuts);
        best
    }

    /// What solving one linear program costs, in steps of the search: it grows with the square of its pairs (measured: about
    /// 1 ms for 128 pairs and 4 ms for 256).
    pub(super) fn program_steps(&self) -> u64 {
        let pairs = self.earning_pairs() as u64;
        PROGRAM_STEPS.max(pairs.saturating_mul(pairs) * 5 / 4)
    }

    /// Pairs of an application and a class of nodes.
    fn earning_pairs(&self) -> usize {
        self.classes.len() * self.problem.apps.len()
    }

    /// The part of K(y) that no variable carries: sum of w (ln w - 1) for geomean.
    fn fixed_part(&self) -> f64 {
        let goal = &self.problem.goal;
        if goal.objective() != Objective::Geomean {
            return 0.0;
        }
        goal.weights().iter().filter(|w| **w > 0.0).map(|w| w * (libm::log(*w) - 1.0)).sum()
    }

    /// What options earn, per class.
    fn all_earnings(&self, prices: &Prices, ranges: &Ranges) -> Vec<Earnings> {
        (0..self.classes.len()).map(|c| self.earnings(c, prices, ranges)).collect()
    }

    /// Per class the option that earns most, and what.
    fn best_options(&self, earnings: &[Earnings]) -> Option<Vec<(usize, usize, f64)>> {
        let best = |(c, class): (usize, &Class)| {
            best_option(&class.table, &earnings[c]).map(|(option, earned)| (c, option, earned))
        };
        self.classes.iter().enumerate().map(best).collect()
    }

    /// An option, and how it deals out the memory of its node where it does.
    fn chosen(&self, class: usize, option: usize, earnings: &[Earnings]) -> Chosen {
        let of = &self.classes[class];
        let shares = of.own.is_some().then(|| earnings[class].shares(&of.table, option));
        Chosen { class, option, shares }
    }

    /// The cuts that nearly reach the top of their class at `prices`: the others no longer shape the bound.
    fn tight(&self, cuts: &[(usize, usize)], prices: &Prices, ranges: &Ranges) -> Vec<(usize, usize)> {
        let mut kept = Vec::new();
        for c in 0..self.classes.len() {
            let earnings = self.earnings(c, prices, ranges);
            let table = &self.classes[c].table;
            let top = best_option(table, &earnings).map_or(0.0, |(_, top)| top);
            kept.extend(cuts.iter().filter(|&&(class, option)| {
                class == c && earnings.of(table, option) >= top - 0.05 * top.abs()
            }));
        }
        kept
    }

    /// Per counter: the mean threads over the tight options.
    pub(super) fn mixed_threads(&self, tight: &[(usize, usize)]) -> Vec<f64> {
        let apps = self.problem.apps.len();
        let mut threads = vec![0.0; apps * (1 + self.classes.len())];
        for (c, class) in self.classes.iter().enumerate() {
            let options: Vec<usize> = tight.iter().filter(|t| t.0 == c).map(|t| t.1).collect();
            let rows: Vec<_> = options.iter().map(|&option| class.table.row(option).1).collect();
            for a in 0..apps {
                let sum: f64 = rows.iter().map(|counts| f64::from(counts[a])).sum();
                let mean = class.nodes.len() as f64 * sum / options.len().max(1) as f64;
                threads[a] += mean;
                threads[apps * (1 + c) + a] = mean;
            }
        }
        threads
    }
}
