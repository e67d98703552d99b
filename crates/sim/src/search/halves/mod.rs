//! Meet in the middle: the exact end of a max-min search on few nodes.
//!
//! Where the smallest p decides, very many options of a node are equally good (a full controller, split in any way among
//! memory-bound applications), and only whole threads keep the bound from being reached. Walking node by node then
//! visits all triples to find that no fourth node fits. Instead the nodes are cut into two halves. The sums of the left
//! half are stored in a grid; each sum of the right half looks up what it misses.
//!
//! # Why nothing is missed
//! Let t be the best known score, P_a = sum of potential_a / unit_a over the chosen options, and y, nu, mu the prices of
//! the bound with sum y = 1. An allocation with a score above t has P_a > t for all a and keeps to all ranges, so
//! t < sum_a y_a P_a <= constant + sum of earnings = bound - sum of slacks (slack: what an option earns less than the best of
//! its class). Hence the slacks of its options sum to less than gap = bound - t, and y_a (P_a - t) < gap: P_a lies in a
//! window of width gap / y_a. In a cell of reads the sum of reads is in the range of the cell. Below, P and windows are divided by t, so that all are near 1.

mod grid;
mod keep;
mod lookup;
mod question;
mod round;
mod sums;

use crate::parallel::prelude::*;

use super::dual::Improved;
use super::pool::Pool;
use grid::{Grid, InVain, MOST_STORED};
use lookup::Lookup;
pub(super) use question::Halves;
use round::Round;

/// Nodes with a choice: fewer are quick node by node, more have too many sums.
const NODES: std::ops::RangeInclusive<usize> = 3..=6;
/// The same for a sample.
const SAMPLED_NODES: std::ops::RangeInclusive<usize> = 2..=10;
/// Most sums of a half for a search that is over before anything else would be, a few tenths of a second.
pub(super) const QUICK: f64 = 1.2e7;
/// Most sums of a half for a search when all else has failed: a few seconds.
pub(super) const THOROUGH: f64 = 4e7;
/// Sums of the right half from which on a sample is taken first: a better answer makes the lists shorter.
const WORTH_A_SAMPLE: f64 = 1e6;
/// Most sums of a half of a sample.
const SAMPLE: f64 = 2e5;
/// Parts of the gap that a sample looks into, next to the bound first.
const SAMPLE_DEPTHS: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];
/// Choices for the first node of the right half that are looked up from the same cutoff.
const BATCH: usize = 64;

/// Pairs of sums that are compared in the time of one step.
const PAIRS_PER_STEP: u64 = 4;

/// How far a search in halves came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halved {
    /// Everything that could beat the cutoff was met.
    pub(super) complete: bool,
    /// What it cost, in steps of the search, also where it was in vain.
    pub(super) work: u64,
}

/// How a round ended.
enum Ended {
    Complete,
    BetterCutoff,
    Stopped,
}

impl Halves<'_> {
    /// Adds everything above the cutoff of `pool` to it. Not complete if the method does not apply, would take more than
    /// `most` sums of a half, or was stopped. The answers do not depend on the number of threads.
    pub(super) fn search(&self, root: &Improved, pool: &mut Pool, most: f64) -> Halved {
        let mut halved = Halved { complete: false, work: 0 };
        if !self.applies(pool) || self.relaxation.shared_bandwidth.iter().any(Option::is_some) {
            return halved;
        }
        let Some((left, right)) = self.halves(NODES) else { return halved };
        let twins = self.twins();
        let mut sampled = false;
        loop {
            if pool.cutoff() >= root.bound {
                halved.complete = true; // nothing can be better
                return halved;
            }
            let Some(round) = self.round(root, pool.cutoff(), (left.clone(), right.clone()), None) else {
                return halved;
            };
            let looked_up = round.combinations(&round.right);
            if looked_up > WORTH_A_SAMPLE && looked_up <= most && !sampled {
                sampled = true;
                halved.work += self.sample(root, pool);
                continue;
            }
            let walked = round.combinations(&round.left);
            if looked_up.max(walked) > most || walked > 1.5 * MOST_STORED as f64 * orders(&twins) {
                return halved;
            }
            match Grid::new(self, &round, &twins) {
                Err(InVain { sums }) => {
                    halved.work += sums;
                    return halved;
                }
                Ok(grid) => {
                    halved.work += grid.next.len() as u64;
                    match self.look_up(&round, &grid, root, pool, &mut halved.work) {
                        Ended::Complete => halved.complete = true,
                        Ended::BetterCutoff => continue,
                        Ended::Stopped => {}
                    }
                    return halved;
                }
            }
        }
    }

    /// Adds good answers to `pool` by looking at few options of each node only, those that earn most. Proves nothing;
    /// says how many steps it took.
    pub(super) fn sample(&self, root: &Improved, pool: &mut Pool) -> u64 {
        let mut work = 0;
        if !self.applies(pool) {
            return work;
        }
        let Some(halves) = self.halves(SAMPLED_NODES) else { return work };
        let gap = root.bound - pool.cutoff();
        for depth in SAMPLE_DEPTHS {
            let target = (root.bound - depth * gap).max(pool.cutoff());
            let Some(round) = self.round(root, target, halves.clone(), Some(SAMPLE)) else { return work };
            // Stored in every order of twins: the lists of a sample are not closed under their exchange.
            let grid = match Grid::new(self, &round, &vec![false; round.unit.len()]) {
                Ok(grid) => grid,
                Err(InVain { sums }) => return work + sums,
            };
            work += grid.next.len() as u64;
            let before = pool.cutoff();
            let ended = self.look_up(&round, &grid, root, pool, &mut work);
            if matches!(ended, Ended::Stopped) || pool.cutoff() > before {
                return work;
            }
        }
        work
    }

    /// Looks up what each sum of the right half misses.
    fn look_up(&self, round: &Round, grid: &Grid, root: &Improved, pool: &mut Pool, work: &mut u64) -> Ended {
        let firsts: Vec<usize> = (0..round.kept[round.right[0].class].len()).collect();
        for batch in firsts.chunks(BATCH) {
            if self.monitor.stop() {
                return Ended::Stopped;
            }
            let found: Vec<(Pool, u64, bool)> = batch
                .par_iter()
                .map(|&first| {
                    let mut lookup = Lookup::new(self, round, grid, pool);
                    lookup.extend(first, first + 1, 0.0);
                    (lookup.pool, lookup.work + lookup.pairs / PAIRS_PER_STEP, lookup.pace.stopped())
                })
                .collect();
            let mut stopped = false;
            for (found, steps, cut_short) in found {
                pool.merge(self.canonical, found);
                *work += steps;
                stopped |= cut_short;
            }
            if stopped || *work as f64 > 5.0 * THOROUGH {
                return Ended::Stopped;
            }
            // With a much smaller gap the lists are much shorter: start again.
            if round.pairs == u64::MAX && root.bound - pool.cutoff() < 0.5 * round.gap {
                return Ended::BetterCutoff;
            }
        }
        Ended::Complete
    }
}

/// In how many orders twins can stand: at best one sum of so many is stored.
fn orders(twins: &[bool]) -> f64 {
    let mut run = 1.0;
    twins.iter().fold(1.0, |orders, &twin| {
        run = if twin { run + 1.0 } else { 1.0 };
        orders * run
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::monitor::{Monitor, Progress, Unattended};
    use crate::objective::Objective;
    use crate::search::dual::Effort;
    use crate::search::testing::{LOCAL, pool_with, question, relaxation};

    #[test]
    fn four_nodes_are_searched_completely() {
        let problem = question(4, Objective::Fair);
        let relaxation = relaxation(&problem);
        let everything = relaxation.everything();
        // One thread each: `cpu` has 10 of 80 GFLOPS.
        let (canonical, mut pool) = pool_with(&problem, &[vec![1, 0, 0, 0], vec![0, 1, 0, 0]]);
        let root = relaxation.improve(
            &relaxation.start(),
            &everything,
            pool.cutoff(),
            Effort { steps: 50, cuts: 50 },
        );
        let halves = Halves {
            problem: &problem,
            relaxation: &relaxation,
            placements: &LOCAL,
            ranges: &everything,
            canonical: &canonical,
            monitor: &Unattended,
        };
        let halved = halves.search(&root, &mut pool, QUICK);
        assert!(halved.complete && halved.work > 0, "{halved:?}");
        // m nodes with (2, 0), 8 - 2 m - k cores for `cpu` where k nodes have (1, 1): mem 16 m + 10 k of 64, cpu
        // 10 (8 - 2 m - k) of 80. m = 2, k = 1: 42/64 and 30/80; m = 1, k = 2: 36/64 and 40/80; m = 0, k = 4: 40/64
        // and 40/80; m = 1, k = 1: 26/64 and 50/80; m = 0, k = 3: 30/64 and 50/80. The best minimum is 1/2.
        assert!(pool.best().is_some_and(|best| (best.score - 0.5).abs() < 1e-9), "{:?}", pool.best());
    }

    /// Says stop at question `at`, and counts how often it is asked.
    struct StopAt {
        at: u64,
        asked: AtomicU64,
    }

    impl Monitor for StopAt {
        fn stop(&self) -> bool {
            self.asked.fetch_add(1, Ordering::Relaxed) + 1 >= self.at
        }
        fn progress(&self, _: &Progress) {}
    }

    #[test]
    fn a_search_that_is_stopped_is_not_complete_and_charged_what_it_did() {
        let problem = question(4, Objective::Fair);
        let (canonical, pool) = pool_with(&problem, &[vec![1, 0, 0, 0], vec![0, 1, 0, 0]]);
        let calm = relaxation(&problem);
        let root =
            calm.improve(&calm.start(), &calm.everything(), pool.cutoff(), Effort { steps: 50, cuts: 50 });
        let monitor = StopAt { at: 1, asked: AtomicU64::new(0) };
        let halves = Halves {
            problem: &problem,
            relaxation: &calm,
            placements: &LOCAL,
            ranges: &calm.everything(),
            canonical: &canonical,
            monitor: &monitor,
        };
        let halved = halves.search(&root, &mut pool.clone(), QUICK);
        assert!(!halved.complete, "{halved:?}");
        assert!(halved.work > 0, "the sums of the left half were found: {halved:?}");
        assert!(monitor.asked.load(Ordering::Relaxed) > 0);
    }
}
