//! Prices of the bound, what options earn at them, and the bound that they gave.

use super::own::{Dealt, Shares};
use crate::search::options::OptionTable;

/// Prices, see the module text.
#[derive(Clone, Debug)]
pub(in crate::search) struct Prices {
    /// Per application, per unit of G / unit.
    pub(in crate::search) y: Vec<f64>,
    /// Per class of memories, times their bandwidth (so that it has the unit of the score).
    pub(in crate::search) lambda: Vec<f64>,
    /// Per counter of [`super::Ranges`], times the cores of the machine: what is paid for threads up to the lowest number.
    pub(in crate::search) pays: Vec<f64>,
    /// The same: what is charged for each thread, because of the highest number.
    pub(in crate::search) charges: Vec<f64>,
    /// Per watched memory, for reads over links, times the bandwidth of the memory.
    pub(in crate::search) mu: Vec<f64>,
}

/// What the prices say about one class: the earnings of each application and thread.
#[derive(Clone, Debug)]
pub(in crate::search) struct Earnings {
    pub(super) of_gflops: Vec<f64>,
    /// Below 0 where GFLOPS cost more than they are worth: what cannot be done without costs that.
    pub(super) of_least: Vec<f64>,
    pub(super) per_thread: Vec<f64>,
    /// Application, the most threads that are paid for on a node, and the price of each.
    pub(super) paid: Vec<(usize, u32, f64)>,
    pub(super) of_reads: Vec<f64>,
    /// Where options share the memory of their node.
    pub(super) own: Option<Dealt>,
}

impl Earnings {
    /// What an option earns.
    #[inline]
    pub(in crate::search) fn of(&self, table: &OptionTable, option: usize) -> f64 {
        match &self.own {
            Some(own) => own.earned(table, option) + self.of_threads(table, option),
            None => self.at_prices(table, option),
        }
    }

    /// No option earns more than this, which is quicker to know.
    #[inline]
    pub(super) fn at_most(&self, table: &OptionTable, option: usize) -> f64 {
        let own = self.own.as_ref().map_or(0.0, Dealt::of_all);
        let earned = self.at_prices(table, option) + own;
        earned + 1e-12 * earned.abs()
    }

    /// What each application gets where the option earns that, and what is left to others.
    pub(in crate::search) fn shares(&self, table: &OptionTable, option: usize) -> Shares {
        if let Some(own) = &self.own {
            return own.shares(table, option);
        }
        let least = |a: usize| table.least(option).get(a).copied().unwrap_or(0.0);
        let (potential, _) = table.row(option);
        let got = |(a, potential): (usize, &f64)| if self.of_gflops[a] > 0.0 { *potential } else { least(a) };
        Shares { gflops: potential.iter().enumerate().map(got).collect(), others_gbs: 0.0 }
    }

    /// Where everything that is drawn has its price, and no more is known.
    #[inline]
    fn at_prices(&self, table: &OptionTable, option: usize) -> f64 {
        if let Some(corners) = table.as_corners() {
            return corners.earned(option, &self.of_gflops, &self.per_thread);
        }
        let gflops = table.potential(option).iter().zip(&self.of_gflops).map(|(g, p)| g * p);
        let mut earned = gflops.sum::<f64>();
        if !self.of_least.is_empty() {
            earned += table.least(option).iter().zip(&self.of_least).map(|(g, p)| g * p).sum::<f64>();
        }
        earned + self.of_threads(table, option)
    }

    /// What threads and reads of a listed option earn.
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

/// How hard to work on one bound.
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
    /// What the last improvement cost, in steps of the search.
    pub(in crate::search) work: u64,
}
