//! Meet in the middle: the exact end of a search for the best smallest p, or the best geometric mean, on few nodes.
//!
//! If the smallest p decides, very many options of a node are equally good (a full controller, split in any way among memory-bound
//! applications), and only whole threads keep the bound from being reached. A walk node by node then visits all triples to find that no
//! fourth node fits. Instead the nodes are cut into two halves. The sums of the left half are stored in a grid; each sum of the right half
//! looks up its complement.
//!
//! # Why nothing is missed
//! Let t be the best known score, P_a = sum of potential_a / unit_a over the chosen options, and y, nu, mu the prices of the bound with sum
//! y = 1. An allocation with a score above t has P_a > t for all a and satisfies all ranges, so t < sum_a y_a P_a <= constant + sum of
//! earnings = bound - sum of slacks. (The slack of an option is its earnings subtracted from those of the best of its class.) Hence the
//! slacks of its options sum to less than gap = bound - t, and y_a (P_a - t) < gap: P_a is in a window of width gap / y_a. In a cell of
//! reads the sum of reads is in the range of the cell. Below, P and windows are divided by t, so that all are near 1.
//!
//! If a resource that several nodes share has a price, applications may get less than their potentials: t < P_a still holds, but the upper
//! ends of windows are farther away, or there are none ([`beyond`]). Slacks count consumption at its price.
//!
//! For the geometric mean the score is sum w_a ln P_a, and the bound is that of its tangent at P_a = w_a / y_a: with u_a = y_a P_a / w_a it
//! is sum w_a (u_a - 1 - ln u_a) above the score. Slacks and these losses together are less than the gap, so that each u_a is in an
//! interval around 1 ([`windows`]), about 2 sqrt(2 gap / w_a) wide; P is divided by its lower end.

use grid::{Common, Grid, InVain, Lookup, MOST_STORED};
use numasim_model::{NodeId, Placement};

use crate::monitor::Monitor;
use crate::objective::Objective;
use crate::parallel;
use crate::problem::{Evaluator, Problem};
use crate::search::dual::{Improved, Ranges, Relaxation, Watched};
use crate::search::options::OptionTable;
use crate::search::pool::{Canonical, Pool};
use crate::symmetry::app_classes;

mod grid;
mod keep;
#[cfg(test)]
mod tests;

/// Number of nodes with a choice: one is quick by itself, more have too many sums.
const NODES: std::ops::RangeInclusive<usize> = 2..=6;
/// The same for a sample.
const SAMPLED_NODES: std::ops::RangeInclusive<usize> = 2..=10;
/// Maximum number of sums of a half for a quick search, a few tenths of a second, which finishes before any other method.
pub(super) const QUICK: f64 = 1.2e7;
/// Maximum number of sums of a half for a search when everything else has failed: a few seconds.
pub(super) const THOROUGH: f64 = 4e7;
/// Number of sums of the right half from which a sample is taken first: a better answer makes the lists shorter.
const WORTH_A_SAMPLE: f64 = 1e6;
/// Maximum number of sums of a half of a sample.
const SAMPLE: f64 = 2e5;
/// Parts of the gap that a sample searches, those next to the bound first.
const SAMPLE_DEPTHS: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];
/// Maximum number of steps of one search: about ten seconds.
const MOST_STEPS: u64 = 200_000_000;
/// Choices for the first node of the right half that are looked up from the same cutoff.
const BATCH: usize = 64;

/// The progress of a search in halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halved {
    /// Every answer that could beat the cutoff was met.
    pub(super) complete: bool,
    /// Its cost, in steps of the search, even if it was wasted.
    pub(super) work: u64,
}

/// Whether halves may close parts in which the bandwidth that other nodes draw from a memory is known.
pub(super) fn may_end(relaxation: &Relaxation<'_>) -> bool {
    let choices = relaxation.classes.iter().filter(|class| class.table.len() > 1);
    relaxation.is_drawn_from()
        && relaxation.problem.goal.objective() != Objective::TotalGflops
        && NODES.contains(&choices.map(|class| class.nodes.len()).sum())
}

/// The result of a round.
enum Ended {
    Complete,
    BetterCutoff,
    Stopped,
}

impl Halves<'_> {
    /// Adds every answer above the cutoff of `pool` to it. Not complete if the method does not apply, would take more than `most` sums of a
    /// half or more than `steps`, or was stopped. The answers do not depend on the number of threads.
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
            halved.complete = pool.cutoff() >= root.bound; // no answer can be better
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

    /// Adds good answers to `pool` from few options of each node, those that earn most, for about `steps`. Proves nothing; returns the
    /// steps used.
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

    /// Looks up the complement of each sum of the right half, until `work` exceeds `steps`.
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
            let found: Vec<(Pool, bool)> = parallel::map_with(
                batch,
                || Evaluator::new(self.problem, self.placements.to_vec()),
                |evaluator, &first| {
                    let mut lookup = Lookup::new(self, round, grid, pool, evaluator, &common);
                    lookup.extend(first, first + 1, 0.0);
                    let Lookup { pool, pace, meter, .. } = lookup;
                    meter.finish();
                    (pool, pace.stopped())
                },
            );
            *work += common.spent();
            if common.is_exceeded() {
                // The progress of each thread of the batch until then depends on the threads.
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
            // With a much smaller gap the lists are much shorter: start again. The bound of `root` may be below the one at its prices,
            // which defines the gap: it may be an earlier bound of the same space, or of a larger one.
            let (cutoff, gap) = (pool.cutoff(), round.bound - pool.cutoff());
            let shorter = cutoff > round.target && (cutoff >= root.bound || gap < 0.5 * round.gap);
            if round.pairs == u64::MAX && shorter {
                return Ended::BetterCutoff;
            }
        }
        Ended::Complete
    }
}

/// The number of orders of twins: at best, one sum out of this many is stored.
fn orders(twins: &[bool]) -> f64 {
    let mut run = 1.0;
    twins.iter().fold(1.0, |orders, &twin| {
        run = if twin { run + 1.0 } else { 1.0 };
        orders * run
    })
}

// The part of the space that is searched, and whether and how it can be cut into halves.

/// The search in one cell or one set of placements.
pub(in crate::search) struct Halves<'a> {
    pub(in crate::search) problem: &'a Problem,
    pub(in crate::search) relaxation: &'a Relaxation<'a>,
    pub(in crate::search) placements: &'a [Placement],
    pub(in crate::search) ranges: &'a Ranges,
    pub(in crate::search) canonical: &'a Canonical,
    pub(in crate::search) monitor: &'a dyn Monitor,
}

impl Halves<'_> {
    /// Whether there are windows above the cutoff of `pool`, if nothing is above `bound`.
    fn applies(&self, pool: &Pool, bound: f64) -> bool {
        /// Far above the cutoff there are too many sums, and in units of it they would be too coarse in single precision.
        const MOST_UNITS: f64 = 16.0;
        let goal = &self.problem.goal;
        let cutoff = pool.cutoff();
        let has_windows = match goal.objective() {
            Objective::TotalGflops => false,
            Objective::Fair | Objective::Makespan => {
                let has_least = |a: usize| goal.least_gflops(a, cutoff) > 0.0;
                MOST_UNITS * cutoff > bound && cutoff > 0.0 && (0..self.problem.apps.len()).all(has_least)
            }
            Objective::Geomean => goal.weights().iter().all(|weight| *weight > 0.0),
        };
        // If several nodes have less than the sum of their options, windows have no upper end.
        let add_up = !self.problem.loses_on_several_nodes();
        has_windows && add_up && cutoff.is_finite() && !goal.unit_gflops().contains(&0.0)
    }

    /// Whether nodes share a resource that may be scarce: potentials may then exceed real GFLOPS.
    fn is_shared(&self) -> bool {
        self.relaxation.shared_bandwidth.iter().any(Option::is_some)
    }

    /// The nodes with a choice in two halves, equal nodes next to each other.
    fn halves(&self, nodes: std::ops::RangeInclusive<usize>) -> Option<(Vec<Place>, Vec<Place>)> {
        let mut classes: Vec<usize> = (0..self.relaxation.classes.len())
            .filter(|&c| self.relaxation.classes[c].table.len() > 1)
            .collect();
        classes.sort_by_key(|&c| (std::cmp::Reverse(self.relaxation.classes[c].nodes.len()), c));
        let all: Vec<(NodeId, usize)> = classes
            .iter()
            .flat_map(|&class| self.relaxation.classes[class].nodes.iter().map(move |&node| (node, class)))
            .collect();
        if !nodes.contains(&all.len()) {
            return None;
        }
        let places = |part: &[(NodeId, usize)]| {
            let before = |i: usize| i.checked_sub(1).is_some_and(|before| part[before].1 == part[i].1);
            let place = |(i, &(node, class)): (usize, &(NodeId, usize))| Place {
                node,
                class,
                same_as_before: before(i),
            };
            part.iter().enumerate().map(place).collect::<Vec<_>>()
        };
        let (left, right) = all.split_at(all.len() / 2);
        Some((places(left), places(right)))
    }

    /// The nodes without a choice, each with its class.
    fn forced(&self) -> Vec<(NodeId, usize)> {
        let classes = self.relaxation.classes.iter().enumerate().filter(|(_, class)| class.table.len() == 1);
        classes.flat_map(|(c, class)| class.nodes.iter().map(move |&node| (node, c))).collect()
    }

    /// Whether an application can be exchanged with the one before it, its ranges included.
    fn twins(&self) -> Vec<bool> {
        let of_app = app_classes(&self.problem.machine, &self.problem.apps);
        let Ranges { lowest, highest, .. } = self.ranges;
        let same_ranges = |a: usize| {
            (0..lowest.len())
                .skip(a)
                .step_by(of_app.len())
                .all(|k| lowest[k] == lowest[k - 1] && highest[k] == highest[k - 1])
        };
        let twin = |a: usize| {
            a > 0
                && of_app[a] == of_app[a - 1]
                && self.placements[a] == self.placements[a - 1]
                && same_ranges(a)
        };
        (0..of_app.len()).map(twin).collect()
    }
}

// The data of one round: the two halves and the options that may be part of a better answer.

/// An option that may be part of a better answer.
#[derive(Clone, Copy, Debug)]
struct Kept {
    slack: f64,
    option: u32,
}

/// A node with a choice, and its options.
#[derive(Clone, Copy, Debug)]
struct Place {
    node: NodeId,
    class: usize,
    /// Whether the previous place has the same class: then options do not descend.
    same_as_before: bool,
}

/// The data of one round.
struct Round {
    /// Nodes with a single option, and their class: part of every answer.
    forced: Vec<(NodeId, usize)>,
    /// Their effect; counted with the left half.
    base: Sums,
    left: Vec<Place>,
    right: Vec<Place>,
    /// Per class, the options that are kept.
    kept: Vec<Vec<Kept>>,
    /// The score t to beat.
    target: f64,
    /// The bound at the prices of the round.
    bound: f64,
    /// The maximum sum of slacks: the bound less the target, plus a margin for rounding.
    gap: f64,
    /// The lower end of the window of each application, GFLOPS: the unit of P.
    unit: Vec<f64>,
    /// Width of the window of P_a, which starts at 1.
    windows: Vec<f64>,
    /// Per class and application: the range of P of the kept options.
    reach: Vec<Vec<(f64, f64)>>,
    /// Per class and watched memory: the range of reads of the kept options.
    reads: Vec<Vec<(f64, f64)>>,
    /// Maximum number of pairs of sums to compare below one first choice.
    pairs: u64,
    /// Its cost, in steps of the search.
    work: u64,
}

impl Round {
    /// Whether at least half of the windows have an upper end: otherwise nearly all sums match all others.
    fn tells_apart(&self) -> bool {
        2 * self.windows.iter().filter(|window| window.is_finite()).count() >= self.windows.len()
    }

    /// If the halves can be exchanged: the last application with its twins, and half of their maximum GFLOPS.
    ///
    /// Only in a full search: the lists of a sample are not searched completely anyway.
    fn smaller_half(&self, twins: &[bool]) -> Option<(usize, f64)> {
        let class = |place: &Place| place.class;
        let same = self.left.iter().map(class).eq(self.right.iter().map(class));
        let first = (0..twins.len()).rfind(|&a| !twins[a])?;
        let most: f64 = self.gflops(first, self.windows.iter().map(|window| 1.0 + window + SINGLE));
        // The base stays with the left half when the halves are exchanged.
        let base: f64 = self.gflops(first, self.base.p.iter().copied());
        (same && self.pairs == u64::MAX && most.is_finite())
            .then_some((first, f64::midpoint(most, base) * (1.0 + SINGLE)))
    }

    /// The total of the applications from `first` on, GFLOPS, at `p`.
    fn gflops(&self, first: usize, p: impl Iterator<Item = f64>) -> f64 {
        p.zip(&self.unit).skip(first).map(|(p, unit)| p * unit).sum()
    }

    /// Shortens the lists to the options with the least slack until no half has more than `most` sums. The choice between equal options is
    /// arbitrary but reproducible.
    fn thin_out(&mut self, most: f64) {
        let scatter = |option: u32| u64::from(option).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        for kept in &mut self.kept {
            kept.sort_unstable_by(|a, b| {
                a.slack.total_cmp(&b.slack).then(scatter(a.option).cmp(&scatter(b.option)))
            });
        }
        let mut length = self.kept.iter().map(Vec::len).max().unwrap_or(0);
        while length > 2 && self.combinations(&self.left).max(self.combinations(&self.right)) > most {
            length = length * 9 / 10;
            self.kept.iter_mut().for_each(|kept| kept.truncate(length));
        }
    }

    /// The range of the kept options of each class.
    fn measure(&mut self, relaxation: &Relaxation<'_>) {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), v| (least.min(v), most.max(v)))
        };
        for (class, kept) in relaxation.classes.iter().zip(&self.kept) {
            let options = || kept.iter().map(|kept| kept.option as usize);
            let p = |a: usize| range(&mut options().map(|o| class.table.potential(o)[a] / self.unit[a]));
            self.reach.push((0..self.unit.len()).map(p).collect());
            let reads = |w: usize| range(&mut options().map(|o| class.table.reads(o)[w]));
            self.reads.push((0..relaxation.watched.len()).map(reads).collect());
        }
    }

    /// The range of the sums of some places: P per application, reads per watched memory.
    fn rest(&self, places: &[&[Place]]) -> Rest {
        let sum = |of: &[Vec<(f64, f64)>]| -> Vec<(f64, f64)> {
            let length = of.first().map_or(0, Vec::len);
            let add = |i: usize| {
                places
                    .iter()
                    .copied()
                    .flatten()
                    .map(|place| of[place.class][i])
                    .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1))
            };
            (0..length).map(add).collect()
        };
        Rest { p: sum(&self.reach), reads: sum(&self.reads) }
    }

    /// Number of sums of a half, before slacks are added up.
    fn combinations(&self, half: &[Place]) -> f64 {
        let mut copies = 1.0;
        half.iter().fold(1.0, |product, place| {
            copies = if place.same_as_before { copies + 1.0 } else { 1.0 };
            product * (self.kept[place.class].len() as f64 + copies - 1.0) / copies
        })
    }
}

// Sums of the effects of some places, and whether others can complete them.

/// Allowance for the relative error of sums in single precision, with a margin.
const SINGLE: f64 = 1e-6;

/// The ranges that the open places can add.
struct Rest {
    p: Vec<(f64, f64)>,
    reads: Vec<(f64, f64)>,
}

impl Rest {
    /// The same plus the known sums.
    fn plus(mut self, known: &Sums) -> Self {
        let shift = |ranges: &mut [(f64, f64)], by: &[f64]| {
            for (range, by) in ranges.iter_mut().zip(by) {
                *range = (range.0 + by, range.1 + by);
            }
        };
        shift(&mut self.p, &known.p);
        shift(&mut self.reads, &known.reads);
        self
    }

    /// Whether these sums can still end in their windows.
    fn completes(&self, p: &[f64], windows: &[f64], reads: &[f64], watched: &[Watched]) -> bool {
        let in_window = |((sum, rest), window): ((&f64, &(f64, f64)), &f64)| {
            sum + rest.1 >= 1.0 - SINGLE && sum + rest.0 <= 1.0 + window + SINGLE
        };
        let in_range = |((sum, rest), watched): ((&f64, &(f64, f64)), &Watched)| {
            let tolerance = 1e-9 * watched.bandwidth;
            sum + rest.1 >= watched.least - tolerance && sum + rest.0 <= watched.most + tolerance
        };
        p.iter().zip(&self.p).zip(windows).all(in_window)
            && reads.iter().zip(&self.reads).zip(watched).all(in_range)
    }
}

/// The combined effect of some places.
#[derive(Clone, Debug)]
struct Sums {
    p: Vec<f64>,
    reads: Vec<f64>,
}

impl Sums {
    fn zero(apps: usize, watched: usize) -> Self {
        Self { p: vec![0.0; apps], reads: vec![0.0; watched] }
    }

    /// `before` plus one option.
    fn set(&mut self, before: &Self, table: &OptionTable, option: usize, unit: &[f64]) {
        let potential = table.potential(option);
        for a in 0..unit.len() {
            self.p[a] = before.p[a] + potential[a] / unit[a];
        }
        for (w, reads) in table.reads(option).iter().enumerate() {
            self.reads[w] = before.reads[w] + reads;
        }
    }
}
