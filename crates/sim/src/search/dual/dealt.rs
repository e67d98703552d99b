//! The memory of a node, distributed inside each of its options.
//!
//! # Why
//! With one price for all, the bound allows mixtures: a small part of an option that draws more than the capacity of the memory, and a
//! large part of one that draws less. So each option shares the memory of its own node with the bandwidth that others draw there:
//!
//! ```text
//! earned(x) = max sum over a of (y_a - what a draws elsewhere, at its prices) g_a + lambda R
//!             where sum over a of own_a g_a + R <= B,  least(x) <= g <= potential(x),  R <= most that others draw beside x
//! ```
//!
//! R, the bandwidth that others draw from the memory in the option, earns the price that they pay for it. So the price of the memory makes
//! both agree, and no longer has a separate limit in the bound: lambda B is dropped. The maximum is that of a fractional knapsack: the
//! consumer that earns most for a GB/s comes first (Dantzig 1957).

use std::sync::Arc;

use numasim_model::sharing::least::DrawnByOthers;
use numasim_model::sharing::own_queue::{LinkReaders, OwnQueue, Prices, Stretch, Worth};

use crate::search::options::OptionTable;

/// The memory of an option's own node.
#[derive(Clone, Debug)]
pub(in crate::search) struct Own {
    /// Its index among the shared resources: that of the class.
    pub(in crate::search) resource: usize,
    /// GB/s of one node.
    pub(in crate::search) bandwidth_gbs: f64,
    /// Per application: GB/s that are occupied of it for each GFLOPS.
    pub(in crate::search) draw: Vec<f64>,
    pub(in crate::search) others: Arc<DrawnByOthers>,
    /// Set if the possible totals of local threads and others are on a curve.
    pub(in crate::search) queue: Option<OnCurve>,
}

/// The memory of a node if the possible totals of local threads and others are on a curve over the wait of its bytes.
#[derive(Clone, Debug)]
pub(in crate::search) struct OnCurve {
    pub(in crate::search) own: OwnQueue,
    /// Per class of nodes: those that read it over a link.
    pub(in crate::search) links: Vec<Option<LinkReaders>>,
    /// The wait of its bytes in this part of the space, ns per byte.
    pub(in crate::search) waits: (f64, f64),
}

impl Own {
    /// The same if at least this number of threads of the applications `readers`, which read all memories, are somewhere (`lowest`: per
    /// application).
    pub(super) fn beside_at_least(&self, readers: &[usize], lowest: &[u32]) -> Self {
        let queue = self.queue.as_ref().map(|on_curve| {
            let own = on_curve.own.with_at_least(readers.iter().map(|&app| (app, lowest[app])));
            OnCurve { own, ..on_curve.clone() }
        });
        Self { queue, ..self.clone() }
    }
}

/// A consumer of the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Taker {
    App(usize),
    Others,
}

/// The distribution of the memory at certain prices.
#[derive(Clone, Debug)]
pub(in crate::search) struct Dealt {
    own: Arc<Own>,
    /// Per application: the earnings of one GFLOPS, without its traffic here.
    worth: Vec<f64>,
    /// The earnings of one GB/s that others draw.
    of_others: f64,
    /// The cost of each ns per byte of wait, if that is on a curve.
    of_wait: f64,
    /// The consumers that earn anything, in descending order of earnings for a GB/s.
    order: Vec<Taker>,
}

/// A distribution in one option.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::search) struct Shares {
    /// Per application.
    pub(in crate::search) gflops: Vec<f64>,
    /// Bandwidth that others draw, GB/s.
    pub(in crate::search) others_gbs: f64,
    /// Wait of bytes, ns per byte, if that is on a curve.
    pub(in crate::search) wait: f64,
}

impl Dealt {
    /// `worth`: per application, the earnings of one GFLOPS without its traffic here; `of_others`: the price of a GB/s, `of_wait`: of a ns
    /// per byte.
    pub(super) fn new(own: &Arc<Own>, worth: Vec<f64>, of_others: f64, of_wait: f64) -> Self {
        let apps =
            (0..worth.len()).filter(|&a| worth[a] > 0.0).map(|a| (worth[a] / own.draw[a], Taker::App(a)));
        let others = (of_others > 0.0).then_some((of_others, Taker::Others));
        let mut order: Vec<(f64, Taker)> = apps.chain(others).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        Self {
            own: Arc::clone(own),
            worth,
            of_others,
            of_wait,
            order: order.into_iter().map(|(_, taker)| taker).collect(),
        }
    }

    /// The value of the whole memory to others: with this an option earns no more than at prices alone.
    pub(super) fn of_all(&self) -> f64 {
        self.of_others * self.own.bandwidth_gbs
    }

    /// The earnings of the option.
    pub(super) fn earned(&self, table: &OptionTable, option: usize) -> f64 {
        if let Some((queue, curve)) = self.on_a_curve(table, option) {
            return self.elsewhere(queue, table, option) + self.best(queue, table, option, curve).most;
        }
        let mut earned: f64 = table.least(option).iter().zip(&self.worth).map(|(g, worth)| g * worth).sum();
        self.deal(table, option, |taker, amount| {
            earned += amount
                * match taker {
                    Taker::App(a) => self.worth[a],
                    Taker::Others => self.of_others,
                };
        });
        earned
    }

    /// An upper bound on the earnings of the option, which is quicker to compute than the earnings.
    pub(super) fn at_most(&self, table: &OptionTable, option: usize) -> f64 {
        let Some((queue, curve)) = self.on_a_curve(table, option) else {
            return self.earned(table, option);
        };
        let own = queue.worth_at_most(table.counts(option), self.prices(), curve, table.others_gbs(option));
        let earned = self.elsewhere(queue, table, option) + own;
        earned + 1e-12 * earned.abs()
    }

    /// The earnings of consumers that read nothing of the curve.
    fn elsewhere(&self, queue: &OwnQueue, table: &OptionTable, option: usize) -> f64 {
        let apps = (0..self.worth.len()).filter(|&a| !queue.has(a) && self.worth[a] > 0.0);
        apps.map(|a| self.worth[a] * table.potential(option)[a]).sum()
    }

    /// The distribution at which the option has these earnings.
    pub(super) fn shares(&self, table: &OptionTable, option: usize) -> Shares {
        if let Some((queue, curve)) = self.on_a_curve(table, option) {
            let Worth { wait, .. } = self.best(queue, table, option, curve);
            let earning = table.potential(option).iter().zip(&self.worth);
            let mut gflops: Vec<f64> =
                earning.map(|(most, worth)| if *worth > 0.0 { *most } else { 0.0 }).collect();
            queue.gflops(table.counts(option), wait).for_each(|(a, own)| gflops[a] = own);
            let others_gbs = queue.others_gbs(table.counts(option), wait);
            return Shares { gflops, others_gbs: others_gbs.min(table.others_gbs(option)), wait };
        }
        let mut gflops = vec![0.0; self.worth.len()];
        gflops.iter_mut().zip(table.least(option)).for_each(|(gflops, least)| *gflops = *least);
        let mut shares = Shares { gflops, others_gbs: 0.0, wait: 0.0 };
        self.deal(table, option, |taker, amount| match taker {
            Taker::App(a) => shares.gflops[a] += amount,
            Taker::Others => shares.others_gbs = amount,
        });
        shares
    }

    /// The queue of the memory if the possible totals of local threads and others are on a curve, and that of the option.
    fn on_a_curve<'t>(&self, table: &'t OptionTable, option: usize) -> Option<(&OwnQueue, &'t [Stretch])> {
        Some((&self.own.queue.as_ref()?.own, table.curve(option)?))
    }

    fn prices(&self) -> Prices<'_> {
        Prices { gflops: &self.worth, others: self.of_others, wait: self.of_wait }
    }

    /// The most valuable point of the curve.
    fn best(&self, queue: &OwnQueue, table: &OptionTable, option: usize, curve: &[Stretch]) -> Worth {
        queue.worth(table.counts(option), self.prices(), curve, table.others_gbs(option))
    }

    /// Distributes the remainder after the minimum of all: GFLOPS to applications, GB/s to others.
    fn deal(&self, table: &OptionTable, option: usize, mut give: impl FnMut(Taker, f64)) {
        let least = table.least(option);
        let taken: f64 = least.iter().zip(&self.own.draw).map(|(g, draw)| g * draw).sum();
        let mut left = (self.own.bandwidth_gbs - taken).max(0.0);
        for &taker in &self.order {
            match taker {
                Taker::App(a) => {
                    let more = (table.potential(option)[a] - least.get(a).copied().unwrap_or(0.0)).max(0.0);
                    let amount = if self.own.draw[a] * more > left { left / self.own.draw[a] } else { more };
                    left = (left - self.own.draw[a] * amount).max(0.0);
                    give(taker, amount);
                }
                Taker::Others => {
                    let amount = table.others_gbs(option).min(left);
                    left -= amount;
                    give(taker, amount);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::{Data, NodeId, Placement};

    use super::*;
    use crate::monitor::Unattended;
    use crate::problem::{Evaluator, Problem};
    use crate::search::dual::Relaxation;
    use crate::symmetry::node_classes;
    use crate::testing::{app, local_app, uniform_machine};
    use crate::{Objective, Restrictions};

    /// Two nodes of 2 cores with 10 GFLOPS and 32 GB/s, links of 10 GB/s. A thread of `mem` and of `far` wants 20 GB/s for 10 GFLOPS; all
    /// that `far` reads is on node 0. Calls `test` with the distribution of node 0's memory if a GFLOPS of `mem` is worth 1, one of `far`
    /// `worth`, and a GB/s costs `price`; with its options, and the one with these threads.
    fn dealt(worth: f64, price: f64, threads: [u32; 2], test: impl FnOnce(&Dealt, &OptionTable, usize)) {
        let machine = uniform_machine(2, 2, 10.0, 32.0, 10.0);
        let placements = vec![Placement::Local, Placement::Home(NodeId(0))];
        let apps = [local_app("mem", 0.5), app("far", 0.5, Data::Placed(placements[1].clone()))];
        let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default());
        let problem = problem.expect("a possible question");
        let evaluator = Evaluator::new(&problem, placements.clone());
        let classes = node_classes(&machine, &apps, &placements, false);
        let relaxation = Relaxation::new(&problem, &evaluator, &classes, &[], 100, 1, &Unattended);
        let mut relaxation = relaxation.expect("few options");
        relaxation.deal_out(&evaluator);
        let relaxation = relaxation.with_least(&relaxation.everything()).expect("not stopped");
        let class = &relaxation.classes[0];
        let table = &class.table;
        let option = (0..table.len()).find(|&option| table.counts(option) == threads).expect("an option");
        let own = class.own.as_ref().expect("somebody reads it over a link");
        test(&Dealt::new(own, vec![1.0, worth], price, 0.0), table, option);
    }

    #[test]
    fn the_best_earnings_per_gbs_get_the_memory_first() {
        // `mem` earns 1/2 for a GB/s. Above that others come first, with the 10 GB/s of their link: 22 are left, 11 GFLOPS.
        dealt(0.0, 0.75, [2, 0], |dealt, table, option| {
            let shares = dealt.shares(table, option);
            assert!(
                (shares.others_gbs - 10.0).abs() < 1e-6 && (shares.gflops[0] - 11.0).abs() < 1e-6,
                "{shares:?}"
            );
            assert!((dealt.earned(table, option) - (7.5 + 11.0)).abs() < 1e-6);
        });
        // Below that price, others have the remainder of `mem`. Two threads have all 32 GB/s, one 20.
        dealt(0.0, 0.25, [2, 0], |dealt, table, option| {
            let shares = dealt.shares(table, option);
            assert!((shares.gflops[0] - 16.0).abs() < 1e-6 && shares.others_gbs < 1e-6, "{shares:?}");
        });
        dealt(0.0, 0.25, [1, 0], |dealt, table, option| {
            assert!((dealt.earned(table, option) - (10.0 + 2.5)).abs() < 1e-6);
        });
    }

    #[test]
    fn the_unavoidable_minimum_is_distributed_first() {
        // Each of two threads keeps at least an equal share of the 22 GB/s that links leave, 11 GB/s: 5.5 GFLOPS of `far`, although they
        // earn nothing. `mem` has the remainder after these and after others, which earn more: 11 GB/s less than 22.
        dealt(0.0, 0.75, [1, 1], |dealt, table, option| {
            let shares = dealt.shares(table, option);
            let least = table.least(option)[1];
            assert!(least > 0.0 && (shares.gflops[1] - least).abs() < 1e-12, "{shares:?}");
            let used = 2.0 * (shares.gflops[0] + shares.gflops[1]) + shares.others_gbs;
            assert!((used - 32.0).abs() < 1e-6, "{shares:?}");
        });
    }

    #[test]
    fn distribution_never_increases_earnings_over_one_price() {
        for price in [0.0, 0.2, 0.5, 0.9] {
            dealt(0.7, price, [1, 1], |dealt, table, option| {
                let at_price =
                    |a: usize, worth: f64| (worth - 2.0 * price).max(0.0) * table.potential(option)[a];
                let all = at_price(0, 1.0) + at_price(1, 0.7) + dealt.of_all();
                assert!(dealt.earned(table, option) <= all + 1e-9, "at {price}");
            });
        }
    }
}
