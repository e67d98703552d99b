//! Exact search for fixed placements: depth first, one node after the other, pruned by the dual bound.
//!
//! The options of a node are walked from the one that earns most at the prices of the bound; as soon as the sum of
//! earnings cannot exceed the best known score, the rest of the walk is skipped. Nodes that can be exchanged take
//! options in non-descending position, so that only one order of equal nodes is visited.
//!
//! The tree is cut into tasks (choices for the first one or two nodes). Tasks are worked off in batches of fixed size:
//! all tasks of a batch start from the same cutoff and their findings are merged in order, so that the answer does not
//! depend on the number of threads.

mod tasks;
mod tree;
mod walk;

use crate::parallel::prelude::*;

use super::budget::Budget;
use super::pool::{Canonical, Pool};
use crate::monitor::Monitor;
use tasks::Tasks;
pub(super) use tree::{Tree, steps_to_rate};
use walk::Walk;

/// What a finished or stopped tree search leaves behind.
pub(super) struct TreeResult {
    /// An upper bound on everything that was not searched; -infinity if all was.
    pub(super) open_bound: f64,
}

/// Tasks that start from the same cutoff.
const BATCH: usize = 128;

impl Tree<'_> {
    /// Searches the whole tree, or as much as `budget` and `monitor` allow, and adds what it finds to `pool`.
    pub(super) fn search(
        &self,
        canonical: &Canonical,
        pool: &mut Pool,
        budget: &mut Budget,
        monitor: &dyn Monitor,
    ) -> TreeResult {
        let mut tasks = Tasks::new(self);
        loop {
            let cutoff = pool.cutoff();
            let mut batch = Vec::with_capacity(BATCH);
            while batch.len() < BATCH
                && let Some(task) = tasks.next_above(cutoff)
            {
                batch.push(task);
            }
            if batch.is_empty() {
                return TreeResult { open_bound: f64::NEG_INFINITY };
            }
            if budget.is_spent() || monitor.stop() {
                let open = batch.iter().map(|task| task.bound);
                return TreeResult { open_bound: open.fold(tasks.largest_bound(), f64::max) };
            }
            let share = budget.left() / batch.len() as u64 + 1;
            let searched: Vec<(Pool, u64, Option<f64>)> = batch
                .into_par_iter()
                .map(|task| {
                    let mut walk = Walk::new(self, canonical, pool.clone(), share, monitor);
                    walk.run(&task);
                    (walk.pool, walk.work, walk.cut_short.then_some(task.bound))
                })
                .collect();
            let mut open_bound = f64::NEG_INFINITY;
            for (found, work, open) in searched {
                pool.merge(canonical, found);
                budget.spend(work);
                open_bound = open_bound.max(open.unwrap_or(f64::NEG_INFINITY));
            }
            if open_bound > pool.cutoff() {
                return TreeResult { open_bound: open_bound.max(tasks.largest_bound()) };
            }
            monitor.progress(&budget.progress(self.problem, pool.best(), tasks.largest_bound()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::search::testing::{LOCAL, pool_with, question, relaxation};

    #[test]
    fn the_walk_finds_the_best_and_leaves_nothing_open() {
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let (prices, ranges) = (relaxation.start().prices, relaxation.everything());
        let (canonical, mut pool) = pool_with(&problem, &[vec![1, 0], vec![0, 1]]); // 20 GFLOPS
        let tree = Tree::new(&problem, &relaxation, &LOCAL, &prices, &ranges, pool.cutoff(), &Unattended)
            .expect("no stop");
        let result = tree.search(&canonical, &mut pool, &mut Budget::new(10_000), &Unattended);
        assert_eq!(result.open_bound, f64::NEG_INFINITY);
        assert!(pool.best().is_some_and(|best| (best.score - 40.0).abs() < 1e-9), "{:?}", pool.best());
    }

    #[test]
    fn without_effort_everything_stays_open() {
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let (prices, ranges) = (relaxation.start().prices, relaxation.everything());
        let (canonical, mut pool) = pool_with(&problem, &[vec![1, 0], vec![0, 1]]);
        let tree = Tree::new(&problem, &relaxation, &LOCAL, &prices, &ranges, pool.cutoff(), &Unattended)
            .expect("no stop");
        let result = tree.search(&canonical, &mut pool, &mut Budget::new(0), &Unattended);
        assert!((result.open_bound - 40.0).abs() < 1e-9, "{}", result.open_bound);
    }
}
