//! Meet in the middle: the exact end of a search for the best smallest p, or the best geometric mean, on few nodes.
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
//!
//! Where something that several nodes share has a price, applications may get less than their potentials: t < P_a still holds, but the upper
//! ends of windows are farther away, or there are none ([`beyond`]). Slacks count what is used at its price.
//!
//! For the geometric mean the score is sum w_a ln P_a, and the bound is that of its tangent where P_a = w_a / y_a: with u_a = y_a P_a / w_a
//! it is sum w_a (u_a - 1 - ln u_a) above the score. Slacks and these losses together are less than the gap, so that each u_a lies in an
//! interval around 1 ([`windows`]), about 2 sqrt(2 gap / w_a) wide; P is divided by its lower end.

mod grid;
mod keep;
mod lookup;
mod question;
mod round;
mod sums;
#[cfg(test)]
mod tests;

use crate::parallel::prelude::*;

use super::dual::{Improved, Relaxation};
use super::pool::Pool;
use crate::objective::Objective;
use crate::problem::Evaluator;
use grid::Common;
use grid::{Grid, InVain, MOST_STORED};
use lookup::Lookup;
pub(super) use question::Halves;
use round::Round;

/// Nodes with a choice: one is quick by itself, more have too many sums.
const NODES: std::ops::RangeInclusive<usize> = 2..=6;
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
/// Most steps of one search: about ten seconds.
const MOST_STEPS: u64 = 200_000_000;
/// Choices for the first node of the right half that are looked up from the same cutoff.
const BATCH: usize = 64;

/// How far a search in halves came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halved {
    /// Everything that could beat the cutoff was met.
    pub(super) complete: bool,
    /// What it cost, in steps of the search, also where it was in vain.
    pub(super) work: u64,
}

/// Whether parts where it is known what other nodes draw of a memory may be closed by halves.
pub(super) fn may_end(relaxation: &Relaxation<'_>) -> bool {
    let choices = relaxation.classes.iter().filter(|class| class.table.len() > 1);
    relaxation.is_drawn_from()
        && relaxation.problem.goal.objective() != Objective::TotalGflops
        && NODES.contains(&choices.map(|class| class.nodes.len()).sum())
}

/// How a round ended.
enum Ended {
    Complete,
    BetterCutoff,
    Stopped,
}

impl Halves<'_> {
    /// Adds everything above the cutoff of `pool` to it. Not complete if the method does not apply, would take more than
    /// `most` sums of a half or more than `steps`, or was stopped. The answers do not depend on the number of threads.
    pub(super) fn search(&self, root: &Improved, pool: &mut Pool, most: f64, steps: u64) -> Halved {
        let steps = steps.min(MOST_STEPS);
        let mut halved = Halved { complete: false, work: 0 };
        if !self.applies(pool, root.bound) {
            return halved;
        }
        let Some((left, right)) = self.halves(NODES) else { return halved };
        let twins = self.twins();
        let mut sampled = false;
        loop {
            halved.complete = pool.cutoff() >= root.bound; // nothing can be better
            if halved.complete || halved.work >= steps {
                return halved;
            }
            let Some(round) = self.round(root, pool.cutoff(), (left.clone(), right.clone()), None) else {
                return halved;
            };
            halved.work += round.work;
            if !round.tells_apart() {
                return halved;
            }
            let looked_up = round.combinations(&round.right);
            if looked_up > WORTH_A_SAMPLE && looked_up <= most && !sampled {
                sampled = true;
                halved.work += self.sample(root, pool, steps.saturating_sub(halved.work));
                continue;
            }
            let walked = round.combinations(&round.left);
            if looked_up.max(walked) > most || walked > 1.5 * MOST_STORED as f64 * orders(&twins) {
                return halved;
            }
            match Grid::new(self, &round, &twins, steps.saturating_sub(halved.work)) {
                Err(InVain { work }) => {
                    halved.work += work;
                    return halved;
                }
                Ok(grid) => {
                    halved.work += grid.work;
                    match self.look_up(&round, &grid, root, pool, (&mut halved.work, steps)) {
                        Ended::Complete => halved.complete = true,
                        Ended::BetterCutoff => continue,
                        Ended::Stopped => {}
                    }
                    return halved;
                }
            }
        }
    }

    /// Adds good answers to `pool` by looking at few options of each node only, those that earn most, for about `steps`.
    /// Proves nothing; says how many steps it took.
    pub(super) fn sample(&self, root: &Improved, pool: &mut Pool, steps: u64) -> u64 {
        let mut work = 0;
        if !self.applies(pool, root.bound) {
            return work;
        }
        let Some(halves) = self.halves(SAMPLED_NODES) else { return work };
        let gap = root.bound - pool.cutoff();
        for depth in SAMPLE_DEPTHS {
            if work >= steps {
                return work;
            }
            let target = (root.bound - depth * gap).max(pool.cutoff());
            let Some(round) = self.round(root, target, halves.clone(), Some(SAMPLE)) else { return work };
            work += round.work;
            // Stored in every order of twins: the lists of a sample are not closed under their exchange.
            let twins = vec![false; round.unit.len()];
            let grid = match Grid::new(self, &round, &twins, steps.saturating_sub(work)) {
                Ok(grid) => grid,
                Err(InVain { work: in_vain }) => return work + in_vain,
            };
            work += grid.work;
            let before = pool.cutoff();
            let ended = self.look_up(&round, &grid, root, pool, (&mut work, steps));
            if matches!(ended, Ended::Stopped) || pool.cutoff() > before {
                return work;
            }
        }
        work
    }

    /// Looks up what each sum of the right half misses, until `work` is more than `steps`.
    fn look_up(
        &self,
        round: &Round,
        grid: &Grid,
        root: &Improved,
        pool: &mut Pool,
        (work, steps): (&mut u64, u64),
    ) -> Ended {
        let firsts: Vec<usize> = (0..round.kept[round.right[0].class].len()).collect();
        for batch in firsts.chunks(BATCH) {
            if self.monitor.stop() {
                return Ended::Stopped;
            }
            let common = Common::new(steps.saturating_sub(*work));
            let found: Vec<(Pool, bool)> = batch
                .par_iter()
                .map_init(
                    || Evaluator::new(self.problem, self.placements.to_vec()),
                    |evaluator, &first| {
                        let mut lookup = Lookup::new(self, round, grid, pool, evaluator, &common);
                        lookup.extend(first, first + 1, 0.0);
                        let Lookup { pool, pace, meter, .. } = lookup;
                        meter.finish();
                        (pool, pace.stopped())
                    },
                )
                .collect();
            *work += common.spent();
            if common.is_exceeded() {
                // How far each of the batch came until then depends on the threads.
                return Ended::Stopped;
            }
            let mut stopped = false;
            for (found, cut_short) in found {
                pool.merge(self.canonical, found);
                stopped |= cut_short;
            }
            if stopped {
                return Ended::Stopped;
            }
            // With a much smaller gap the lists are much shorter: start again. The bound of `root` may be below the one
            // at its prices, which the gap comes from: an earlier bound of the same space, or of a larger one.
            let (cutoff, gap) = (pool.cutoff(), round.bound - pool.cutoff());
            let shorter = cutoff > round.target && (cutoff >= root.bound || gap < 0.5 * round.gap);
            if round.pairs == u64::MAX && shorter {
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
