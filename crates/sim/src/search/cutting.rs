//! The minimum of the dual bound, by cutting planes (Kelley 1960).
//!
//! The bound of [`super::dual`] is a maximum of linear functions of the prices, one for each choice of options. The linear program over the
//! options met so far gives prices. The best options at these prices give the true bound there, which is valid for any prices, and new
//! cuts. This repeats until both agree.
//!
//! All scores are divided by `scale`, so that the variables are near 1:
//!
//! ```text
//! minimise  K(y) + sum_m lambda_m + sum_w mu_w R_w / B_w + sum_c nodes_c sigma_c
//!           - sum_k (plus_k lowest_k - minus_k highest_k) / cores
//! where     sigma_c >= sum_a E_ac potential_a(x) / (unit_a scale)
//!                      + sum_k (plus_k min(threads_k(x), lowest_k) - minus_k threads_k(x)) / cores
//!                      - sum_w mu_w reads_w(x) / B_w - omega wait(x)   per cut; k: a on the machine, a on nodes of class c
//!           E_ac >= y_a - sum_m lambda_m scale unit_a draw_acm / B_m,   E_ac >= 0
//! ```

use microlp::{ComparisonOp, Solution};

use super::dual::{Class, Earnings, Improved, MeanWait, Prices, Ranges, Relaxation, Shares, best_option};
use super::master::{Cut, Master};
use crate::monitor::Monitor;
use crate::objective::Objective;

/// Maximum number of pairs of an application and a class of nodes, over all models that judge together. With more, one program takes longer
/// to solve than it saves.
pub(super) const MOST_EARNINGS: usize = 1_000;
/// Rounds without a better bound after which none is expected: further changes are rounding of the programs.
pub(super) const PATIENCE: usize = 12;
/// The same if waits have a price: it takes long until all prices are consistent.
const PATIENCE_WITH_WAITS: usize = 40;
/// Cost of solving a small linear program, in steps of the search (measured: about 100 microseconds).
pub(super) const PROGRAM_STEPS: u64 = 2_000;
/// Relative difference at which program and bound agree.
pub(super) const AGREEMENT: f64 = 1e-11;

/// An option that shapes the bound, and its distribution of the memory of its node.
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

/// A bound that is a maximum of linear functions of prices, with the linear program over the functions met so far.
pub(super) trait Cutting {
    type Prices: Clone;
    /// The linear functions that give the bound at some prices.
    type Found;

    fn prices(&self, solution: &Solution) -> Self::Prices;

    /// The bound at these prices. `None` if nothing allowed exists.
    fn bound(&self, prices: &Self::Prices) -> Option<(f64, Self::Found)>;

    /// The value of the program, which no bound is below.
    fn least(&self, solution: &Solution, prices: &Self::Prices) -> f64;

    /// The new cuts of these functions.
    fn cuts(&mut self, found: Self::Found, prices: &Self::Prices) -> Vec<Cut>;

    /// The size of `bound` to which differences are relative.
    fn size(&self, bound: f64) -> f64;

    /// The cost of a round, in steps of the search.
    fn steps(&self) -> u64;

    /// The number of rounds without a better bound after which none is expected.
    fn patience(&self) -> usize;
}

/// The lowest bound so far, its prices, and its cost in steps of the search.
#[derive(Clone)]
pub(super) struct Lowered<P> {
    pub(super) bound: f64,
    pub(super) prices: P,
    pub(super) work: u64,
}

/// Lowers the bound of `start` by at most `rounds` rounds, each with the program of the round before and the cuts that it lacks. It ends early at `target`,
/// or when program and bound agree. The flag is false if it stopped: on a signal, or because a program could not be solved.
pub(super) fn lower<C: Cutting>(
    cutting: &mut C,
    mut solution: Solution,
    start: Lowered<C::Prices>,
    target: f64,
    rounds: usize,
    monitor: &dyn Monitor,
) -> (Lowered<C::Prices>, bool) {
    let (mut best, mut since_improved) = (start, 0);
    for _ in 0..rounds {
        if monitor.stop() {
            return (best, false);
        }
        since_improved += 1;
        if since_improved > cutting.patience() {
            break;
        }
        best.work += cutting.steps();
        let prices = cutting.prices(&solution);
        let Some((bound, found)) = cutting.bound(&prices) else { return (best, false) };
        if bound < best.bound {
            if bound < best.bound - 1e-9 * cutting.size(best.bound) {
                since_improved = 0;
            }
            best.bound = bound;
            best.prices = prices.clone();
        }
        let least = cutting.least(&solution, &prices);
        if best.bound <= target || best.bound - least <= AGREEMENT * cutting.size(best.bound) {
            break;
        }
        let fresh = cutting.cuts(found, &prices);
        if fresh.is_empty() {
            break;
        }
        for (terms, right) in fresh {
            if monitor.stop() {
                return (best, false);
            }
            let next = solution.add_constraint(&terms[..], ComparisonOp::Ge, right);
            match next.ok().and_then(|outcome| outcome.into_solution().ok()) {
                Some(next) => solution = next,
                None => return (best, false),
            }
        }
    }
    (best, true)
}

/// The best contents of nodes at given prices, for [`Relaxation::cut_until`].
pub(super) trait BestContents {
    type Found;

    /// The amount that the best contents of all nodes earn, and these contents. `None` if a node cannot hold anything allowed.
    fn best(&self, prices: &Prices, ranges: &Ranges) -> Option<(f64, Self::Found)>;

    /// The new cuts of these contents.
    fn cuts(&mut self, found: Self::Found, master: &Master<'_, '_>) -> Vec<Cut>;

    /// The cost of [`Self::best`], in steps of the search.
    fn steps(&self) -> u64;

    /// As [`Cutting::patience`].
    fn patience(&self) -> usize;
}

/// The bound of the best contents of nodes.
struct OfContents<'r, 'p, C> {
    relaxation: &'r Relaxation<'p>,
    ranges: &'r Ranges,
    master: Master<'r, 'p>,
    contents: &'r mut C,
}

impl<C: BestContents> Cutting for OfContents<'_, '_, C> {
    type Prices = Prices;
    type Found = C::Found;

    fn prices(&self, solution: &Solution) -> Prices {
        self.master.prices(solution)
    }

    fn bound(&self, prices: &Prices) -> Option<(f64, C::Found)> {
        let (earned, found) = self.contents.best(prices, self.ranges)?;
        Some((self.relaxation.constant(prices, self.ranges) + earned, found))
    }

    fn least(&self, solution: &Solution, _: &Prices) -> f64 {
        solution.objective() * self.master.scale + self.relaxation.fixed_part()
    }

    fn cuts(&mut self, found: C::Found, prices: &Prices) -> Vec<Cut> {
        let mut fresh = self.contents.cuts(found, &self.master);
        fresh.extend((0..prices.y.len()).filter_map(|app| self.master.tangent(app, prices.y[app])));
        fresh
    }

    fn size(&self, bound: f64) -> f64 {
        bound.abs().max(1e-12)
    }

    fn steps(&self) -> u64 {
        self.relaxation.program_steps() + self.contents.steps()
    }

    fn patience(&self) -> usize {
        self.contents.patience()
    }
}

/// One option for each class of nodes.
struct BestOptions<'r, 'p> {
    relaxation: &'r Relaxation<'p>,
    known: Vec<Chosen>,
    /// Classes and options of the cuts in the program.
    cuts: Vec<(usize, usize)>,
}

impl BestContents for BestOptions<'_, '_> {
    type Found = (Vec<Earnings>, Vec<(usize, usize, f64)>);

    fn best(&self, prices: &Prices, ranges: &Ranges) -> Option<(f64, Self::Found)> {
        let earnings = self.relaxation.all_earnings(prices, ranges);
        let found = self.relaxation.best_options(&earnings)?;
        let classes = &self.relaxation.classes;
        let earned = found.iter().map(|&(c, _, earned)| classes[c].nodes.len() as f64 * earned).sum();
        Some((earned, (earnings, found)))
    }

    fn cuts(&mut self, (earnings, found): Self::Found, master: &Master<'_, '_>) -> Vec<Cut> {
        let mut fresh = Vec::new();
        for (class, option, _) in found {
            let cut = self.relaxation.chosen(class, option, &earnings);
            if !self.known.contains(&cut) {
                fresh.push(cut.of(master));
                self.cuts.push((cut.class, cut.option));
                self.known.push(cut);
            }
        }
        fresh
    }

    fn steps(&self) -> u64 {
        self.relaxation.pricing()
    }

    fn patience(&self) -> usize {
        let priced = self.relaxation.mean_wait.as_ref().is_some_and(MeanWait::has_a_price);
        if priced { PATIENCE_WITH_WAITS } else { PATIENCE }
    }
}

impl Relaxation<'_> {
    /// Lowers the bound of `start` by at most `rounds` rounds of cutting planes. Stops early at `target`, or when the minimum is reached.
    /// If a program cannot be solved, the bound stays unchanged.
    pub(super) fn cut_down(&self, start: Improved, ranges: &Ranges, target: f64, rounds: usize) -> Improved {
        let mut best = start;
        if self.earning_pairs() > MOST_EARNINGS {
            return best;
        }
        let scale = self.scale(target, best.bound);
        let master = Master::new(self, ranges, scale);
        let earnings = self.all_earnings(&best.prices, ranges);
        let mut cuts = best.cuts.clone();
        let best_now = self.best_options(&earnings).unwrap_or_default();
        cuts.extend(best_now.into_iter().map(|(class, option, _)| (class, option)));
        // There are few corners. If they are met one by one, they may need more rounds than are allowed before anything improves.
        let corners = |(c, class): (usize, &Class)| {
            let options = if class.table.as_corners().is_some() { class.table.len() } else { 0 };
            (0..options).map(move |option| (c, option))
        };
        cuts.extend(self.classes.iter().enumerate().flat_map(corners));
        cuts.sort_unstable();
        cuts.dedup();
        let chosen = |&(class, option): &(usize, usize)| self.chosen(class, option, &earnings);
        let known: Vec<Chosen> = cuts.iter().map(chosen).collect();
        let first = known.iter().map(|cut| cut.of(&master)).collect::<Vec<_>>();
        let mut options = BestOptions { relaxation: self, known, cuts };
        if !self.cut_until(&mut best, master, first, ranges, (target, rounds), &mut options) {
            return best;
        }
        let mut cuts = options.cuts;
        cuts.sort_unstable();
        cuts.dedup();
        best.cuts = self.tight(&cuts, &best.prices, ranges);
        best.threads = self.mixed_threads(&best.cuts);
        best
    }

    /// Lowers the bound of `best` by cutting planes, from the cuts in `first`. Returns false if it stopped early: on a signal, or because a program could
    /// not be solved.
    pub(super) fn cut_until<C: BestContents>(
        &self,
        best: &mut Improved,
        mut master: Master<'_, '_>,
        first: Vec<Cut>,
        ranges: &Ranges,
        (target, rounds): (f64, usize),
        contents: &mut C,
    ) -> bool {
        let Some(solution) = master.first_solution(first, &best.prices.y) else { return false };
        let start = Lowered { bound: best.bound, prices: best.prices.clone(), work: best.work };
        let mut cutting = OfContents { relaxation: self, ranges, master, contents };
        let (lowered, complete) = lower(&mut cutting, solution, start, target, rounds, self.monitor);
        (best.bound, best.prices, best.work) = (lowered.bound, lowered.prices, lowered.work);
        complete
    }

    /// Cost of solving one linear program, in steps of the search. It grows with the square of its pairs (measured: about 1 ms for 128
    /// pairs and 4 ms for 256).
    pub(super) fn program_steps(&self) -> u64 {
        let pairs = self.earning_pairs() as u64;
        PROGRAM_STEPS.max(pairs.saturating_mul(pairs) * 5 / 4)
    }

    /// Pairs of an application and a class of nodes.
    fn earning_pairs(&self) -> usize {
        self.classes.len() * self.problem.apps.len()
    }

    /// The part of K(y) without a variable: sum of w (ln w - 1) for geomean.
    pub(super) fn fixed_part(&self) -> f64 {
        let goal = &self.problem.goal;
        if goal.objective() != Objective::Geomean {
            return 0.0;
        }
        goal.weights().iter().filter(|w| **w > 0.0).map(|w| w * (libm::log(*w) - 1.0)).sum()
    }

    /// The divisor of scores in a linear program, so that its variables are near 1.
    pub(super) fn scale(&self, target: f64, bound: f64) -> f64 {
        let size = if target.is_finite() { target.abs() } else { bound.abs() };
        let geomean = self.problem.goal.objective() == Objective::Geomean;
        if geomean || size == 0.0 || !size.is_finite() { 1.0 } else { size }
    }

    /// The earnings of options, per class.
    pub(super) fn all_earnings(&self, prices: &Prices, ranges: &Ranges) -> Vec<Earnings> {
        (0..self.classes.len()).map(|c| self.earnings(c, prices, ranges)).collect()
    }

    /// Per class, the option that earns most, and its earnings.
    fn best_options(&self, earnings: &[Earnings]) -> Option<Vec<(usize, usize, f64)>> {
        let best = |(c, class): (usize, &Class)| {
            best_option(&class.table, &earnings[c]).map(|(option, earned)| (c, option, earned))
        };
        self.classes.iter().enumerate().map(best).collect()
    }

    /// An option, and its distribution of the memory of its node if it has one.
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
