//! Upper bounds: the Lagrangian dual of "one option per node".
//!
//! # Problem
//! Choose an option x_n for each node n. Applications then get G_a <= sum over n of potential_a(x_n), and every memory m with remote
//! readers serves no more than its bandwidth B_m.
//!
//! # Approach
//! The score F is concave in G, so for any prices y >= 0 per unit of G (in units of `unit_gflops`): F(G) <= K(y) + sum_a y_a G_a / unit_a,
//! with K from the objective (a conjugate). There are further prices, each valid for any value >= 0:
//! - lambda_m for bandwidth of a memory with remote readers,
//! - plus_k and minus_k for thread totals that must stay in a range (`min_threads`, `max_threads`, and the ranges of a [`Ranges`] box when
//!   the search splits the space),
//! - mu_w for the demand of threads on other nodes on memory w (at most R_w in a cell of [`super::cells`]),
//! - one for the wait of bytes of data on all memories ([`MeanWait`], at most W in a part).
//!
//! With all prices fixed the nodes are independent:
//!
//! ```text
//! bound = K(y) + sum_m lambda_m B_m + sum_w mu_w R_w - sum_k (plus_k lowest_k - minus_k highest_k)
//!       + sum_n max over options x of sum_a [ max(0, e_a) potential_a(x) + min(0, e_a) least_a(x)
//!                                            + plus_a min(threads_a(x), lowest_a) - minus_a threads_a(x) ]
//!                                     - sum_w mu_w reads_w(x)
//! ```
//!
//! Why: a thread group that gets g GFLOPS draws g x fraction_m / AI from memory m, so that g earns e = y/unit - sum lambda fraction / AI
//! per GFLOP, and least <= g <= potential. Least is 0, unless potentials are not exact and the model guarantees a minimum whatever others
//! do ([`numasim_model::sharing::least`]). If at least m threads are wanted in all, the sum over nodes of min(threads, m) is also at least
//! m, and mixtures of a full node and an empty one do not reach it.
//!
//! Prices are improved by subgradient steps (Polyak's rule with the best known score as target). Any prices give a valid bound, so rounding
//! and early stops weaken the bound but never invalidate it.
//!
//! | objective | y | K(y) |
//! |---|---|---|
//! | total-gflops | the weights, fixed | 0 |
//! | fair, makespan | y >= 0, sum 1 | 0 |
//! | geomean | y > 0 | sum w (ln(w / y) - 1) |

use crate::search::options::OptionTable;

pub(super) use bound::best_option;
pub(super) use dealt::{Dealt, OnCurve, Own, Shares};
pub(super) use fewer::Few;
pub(super) use mean_wait::MeanWait;
pub(super) use parts::Cut;
pub(super) use relaxation::{Class, Drawn, Relaxation, Watched};

mod bound;
mod dealt;
mod fewer;
mod mean_wait;
mod parts;
mod relaxation;

// Prices of the bound, the earnings of options at them, and the resulting bound.

/// Prices, see the module text.
#[derive(Clone, Debug)]
pub(in crate::search) struct Prices {
    /// Per application, per unit of G / unit.
    pub(in crate::search) y: Vec<f64>,
    /// Per class of memories, times their bandwidth (so that it has the unit of the score).
    pub(in crate::search) lambda: Vec<f64>,
    /// Per counter of [`Ranges`], times the cores of the machine: the payment for threads up to the lowest number.
    pub(in crate::search) pays: Vec<f64>,
    /// Per counter of [`Ranges`], times the cores of the machine: the charge for each thread, because of the highest number.
    pub(in crate::search) charges: Vec<f64>,
    /// Per watched memory, for reads over links, times the bandwidth of the memory.
    pub(in crate::search) mu: Vec<f64>,
    /// The price of the mean wait ([`MeanWait`]), times its limit.
    pub(in crate::search) wait: f64,
}

/// The effect of the prices on one class: the earnings of each application and thread.
#[derive(Clone, Debug)]
pub(in crate::search) struct Earnings {
    pub(in crate::search) of_gflops: Vec<f64>,
    /// Below 0 if GFLOPS cost more than they are worth: the cost of the unavoidable minimum.
    of_least: Vec<f64>,
    pub(in crate::search) per_thread: Vec<f64>,
    /// Application, the maximum number of threads that are paid for on a node, and the price of each.
    paid: Vec<(usize, u32, f64)>,
    of_reads: Vec<f64>,
    /// Set if options share the memory of their node.
    own: Option<Dealt>,
}

impl Earnings {
    /// The earnings of an option.
    #[inline]
    pub(in crate::search) fn of(&self, table: &OptionTable, option: usize) -> f64 {
        match &self.own {
            Some(own) => own.earned(table, option) + self.of_threads(table, option),
            None => self.at_prices(table, option),
        }
    }

    /// An upper bound on the earnings of an option, which is quicker to compute.
    #[inline]
    fn at_most(&self, table: &OptionTable, option: usize) -> f64 {
        let own = self.own.as_ref().map_or(0.0, Dealt::of_all);
        let earned = self.at_prices(table, option) + own;
        earned + 1e-12 * earned.abs()
    }

    /// A tighter upper bound on the earnings, which takes longer; the exact earnings if they are quick to compute.
    #[inline]
    pub(in crate::search) fn nearly(&self, table: &OptionTable, option: usize) -> f64 {
        match &self.own {
            Some(own) => own.at_most(table, option) + self.of_threads(table, option),
            None => self.at_prices(table, option),
        }
    }

    /// The GFLOPS of each application when the option has these earnings, and the remainder for others.
    pub(in crate::search) fn shares(&self, table: &OptionTable, option: usize) -> Shares {
        if let Some(own) = &self.own {
            return own.shares(table, option);
        }
        let least = |a: usize| table.least(option).get(a).copied().unwrap_or(0.0);
        let (potential, _) = table.row(option);
        let got = |(a, potential): (usize, &f64)| if self.of_gflops[a] > 0.0 { *potential } else { least(a) };
        Shares { gflops: potential.iter().enumerate().map(got).collect(), others_gbs: 0.0, wait: 0.0 }
    }

    /// The bound at which all consumption has its price, and nothing more is known.
    #[inline]
    fn at_prices(&self, table: &OptionTable, option: usize) -> f64 {
        let mut earned = if let Some(corners) = table.as_corners() {
            corners.earned(option, &self.of_gflops, &self.per_thread)
        } else {
            let gflops = table.potential(option).iter().zip(&self.of_gflops).map(|(g, p)| g * p);
            gflops.sum::<f64>() + self.of_threads(table, option)
        };
        if !self.of_least.is_empty() {
            earned += table.least(option).iter().zip(&self.of_least).map(|(g, p)| g * p).sum::<f64>();
        }
        earned
    }

    /// The earnings of threads and reads of a listed option.
    #[inline]
    fn of_threads(&self, table: &OptionTable, option: usize) -> f64 {
        // Most prices of threads and reads are 0: then their lists are empty.
        let mut earned = 0.0;
        if !self.per_thread.is_empty() {
            let threads = table.counts(option).iter().zip(&self.per_thread).map(|(&t, p)| f64::from(t) * p);
            earned += threads.sum::<f64>();
        }
        if !self.paid.is_empty() {
            let counts = table.counts(option);
            earned += self.paid.iter().map(|&(a, most, p)| f64::from(counts[a].min(most)) * p).sum::<f64>();
        }
        if !self.of_reads.is_empty() {
            let reads = table.reads(option).iter().zip(&self.of_reads).map(|(r, p)| r * p);
            earned += reads.sum::<f64>();
        }
        earned
    }
}

/// The amount of work on one bound.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Effort {
    /// Subgradient steps.
    pub(in crate::search) steps: usize,
    /// Cutting planes after them.
    pub(in crate::search) cuts: usize,
}

/// The lowest bound that was reached.
#[derive(Clone, Debug)]
pub(in crate::search) struct Improved {
    pub(in crate::search) bound: f64,
    pub(in crate::search) prices: Prices,
    /// Per counter: a moving mean of the threads in the relaxed optimum, where a split is worth most.
    pub(in crate::search) threads: Vec<f64>,
    /// Options that shape the bound near its minimum: (class, option).
    pub(in crate::search) cuts: Vec<(usize, usize)>,
    /// The cost of the last improvement, in steps of the search.
    pub(in crate::search) work: u64,
}

// Ranges of thread totals: the parts into which the space is split.

/// Ranges of thread totals: a part of the search space.
///
/// Counter `a` is application a on the whole machine; counter `apps * (1 + class) + a` is application a on the nodes of
/// one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::search) struct Ranges {
    pub(in crate::search) lowest: Vec<u32>,
    pub(in crate::search) highest: Vec<u32>,
    /// The largest possible number: a range up to here needs no price.
    capacity: Vec<u32>,
}

impl Ranges {
    /// The amount that the constant of the bound loses at these prices: payments at the lowest numbers, less charges at the highest.
    pub(in crate::search) fn at_their_ends(&self, pays: &[f64], charges: &[f64]) -> f64 {
        let at = |prices: &[f64], ends: &[u32]| -> f64 {
            prices.iter().zip(ends).filter(|(p, _)| **p > 0.0).map(|(p, end)| p * f64::from(*end)).sum()
        };
        at(pays, &self.lowest) - at(charges, &self.highest)
    }

    /// Whether a price that pays for threads has a meaning (a lowest number), and one that charges (a highest).
    pub(in crate::search) fn prices_with_meaning(&self, counter: usize) -> (bool, bool) {
        (self.lowest[counter] > 0, self.highest[counter] < self.capacity[counter])
    }

    /// The same part of the space with tightened ranges: each range includes the consequences of the other ranges of its application. The
    /// threads on the machine are the sum over the classes.
    ///
    /// Prices do not need that: sums of threads satisfy it as well.
    pub(in crate::search) fn tightened(&self, apps: usize) -> Self {
        let mut tight = self.clone();
        let counters = |a: usize| (a + apps..self.lowest.len()).step_by(apps);
        for a in 0..apps {
            let sum = |ends: &[u32]| counters(a).map(|k| ends[k]).fold(0, u32::saturating_add);
            let (low, high) = (sum(&self.lowest), sum(&self.highest));
            tight.lowest[a] = self.lowest[a].max(low);
            tight.highest[a] = self.highest[a].min(high);
            for k in counters(a) {
                let beside_least = tight.highest[a].saturating_sub(low - self.lowest[k]);
                let beside_most = tight.lowest[a].saturating_sub(high - self.highest[k]);
                tight.highest[k] = self.highest[k].min(beside_least);
                tight.lowest[k] = self.lowest[k].max(beside_most);
            }
        }
        tight
    }

    /// The two parts of the range of `counter` below and above `cut`: up to `cut`, and from `cut` + 1.
    pub(in crate::search) fn split(&self, counter: usize, cut: u32) -> [Self; 2] {
        let (mut below, mut above) = (self.clone(), self.clone());
        below.highest[counter] = cut;
        above.lowest[counter] = cut + 1;
        [below, above]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_has_no_gap_and_no_overlap() {
        let whole = Ranges { lowest: vec![1, 0], highest: vec![4, 4], capacity: vec![4, 4] };
        let [below, above] = whole.split(0, 2);
        assert_eq!((below.lowest[0], below.highest[0]), (1, 2));
        assert_eq!((above.lowest[0], above.highest[0]), (3, 4));
        assert_eq!((below.lowest[1], above.highest[1]), (0, 4), "the other counter stays");
    }

    #[test]
    fn only_an_effective_limit_has_a_price() {
        let ranges = Ranges { lowest: vec![1, 0], highest: vec![4, 3], capacity: vec![4, 4] };
        assert_eq!(ranges.prices_with_meaning(0), (true, false));
        assert_eq!(ranges.prices_with_meaning(1), (false, true));
        // 0.5 for the lowest of the first, 2 for the highest of the second: 0.5 x 1 - 2 x 3.
        assert_eq!(ranges.at_their_ends(&[0.5, 0.0], &[0.0, 2.0]), -5.5);
    }

    #[test]
    fn ranges_are_tightened_by_each_other() {
        // One application on the machine and on two classes: 3 to 4 threads, of which 2 are on the second class at least and 1 at most on the first.
        let ranges = Ranges { lowest: vec![3, 0, 2], highest: vec![4, 1, 8], capacity: vec![16, 8, 8] };
        let tight = ranges.tightened(1);
        // 2 on the second class leave 2, so 1 stays; 1 on the first leave 2 to be on the second, and of 4 none is on the first: 4.
        assert_eq!((tight.lowest, tight.highest), (vec![3, 0, 2], vec![4, 1, 4]));
        // At most 2 on the second class: at least 1 on the first; no more than 3 in all.
        let ranges = Ranges { highest: vec![4, 1, 2], ..ranges };
        let tight = ranges.tightened(1);
        assert_eq!((tight.lowest, tight.highest), (vec![3, 1, 2], vec![3, 1, 2]));
    }
}
