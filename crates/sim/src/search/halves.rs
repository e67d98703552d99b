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

use std::collections::BTreeSet;

use numasim_model::{Allocation, AppId, NodeId, Placement};
use rayon::prelude::*;

use super::Monitor;
use super::dual::{Class, Improved, Ranges, Relaxation, Watched};
use super::options::OptionTable;
use super::pool::{Canonical, Pool};
use crate::objective::Objective;
use crate::problem::{Evaluator, Problem};
use crate::symmetry::app_classes;

/// Nodes with a choice: fewer are quick node by node, more have too many sums.
const NODES: std::ops::RangeInclusive<usize> = 3..=6;
/// The same for a sample.
const SAMPLED_NODES: std::ops::RangeInclusive<usize> = 2..=10;
/// Most sums of the left half: about 100 MB.
const MOST_STORED: usize = 3_000_000;
/// Most sums of a half for a search that is over before anything else would be, a few tenths of a second.
pub(super) const QUICK: f64 = 1.2e7;
/// Most sums of a half for a search when all else has failed: a few seconds.
pub(super) const THOROUGH: f64 = 4e7;
/// Sums of the right half from which on a sample is taken first: a better answer makes the lists shorter.
const WORTH_A_SAMPLE: f64 = 1e6;
/// Most sums of a half of a sample.
const SAMPLE: f64 = 2e5;
/// Most pairs of sums looked at below one first choice in a sample.
const SAMPLE_PAIRS: u64 = 20_000;
/// Parts of the gap that a sample looks into, next to the bound first.
const SAMPLE_DEPTHS: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];
/// Choices for the first node of the right half that are looked up from the same cutoff.
const BATCH: usize = 64;
/// Sides of a grid cell in windows, the first one that leaves cells nearly empty is taken: larger cells make fewer
/// lookups, smaller ones hold fewer sums.
const WINDOWS_PER_CELL: [f64; 4] = [8.0, 4.0, 2.0, 1.0];
/// Sums per grid cell at which lookups still find few that miss.
const NEARLY_EMPTY: f64 = 0.5;
/// Relative error that sums in single precision may have, with room to spare.
const SINGLE: f64 = 1e-6;

/// The search in one cell or one set of placements.
pub(super) struct Halves<'a> {
    pub(super) problem: &'a Problem,
    pub(super) relaxation: &'a Relaxation<'a>,
    pub(super) placements: &'a [Placement],
    pub(super) ranges: &'a Ranges,
    pub(super) canonical: &'a Canonical,
    pub(super) monitor: &'a dyn Monitor,
}

/// An option that may be part of a better answer.
#[derive(Clone, Copy, Debug)]
struct Kept {
    slack: f64,
    option: u32,
}

/// A node with a choice, and the options it chooses from.
#[derive(Clone, Copy, Debug)]
struct Place {
    node: NodeId,
    class: usize,
    /// Whether the place before has the same class: then options do not descend.
    same_as_before: bool,
}

/// What one round works with.
struct Round {
    /// Nodes with a single option, and their class: part of every answer.
    forced: Vec<(NodeId, usize)>,
    /// What they give and take; counted with the left half.
    base: Sums,
    left: Vec<Place>,
    right: Vec<Place>,
    /// Per class.
    kept: Vec<Vec<Kept>>,
    gap: f64,
    /// t times the unit of each application: what P is measured in.
    unit: Vec<f64>,
    /// Width of the window of P_a, which starts at 1.
    windows: Vec<f64>,
    /// Per class and application: the range of P of the kept options.
    reach: Vec<Vec<(f64, f64)>>,
    /// Per class and watched memory: the range of reads of the kept options.
    reads: Vec<Vec<(f64, f64)>>,
    /// Most pairs of sums to look at below one first choice.
    pairs: u64,
}

impl Halves<'_> {
    /// Adds everything above the cutoff of `pool` to it, and says how many sums that took; `None` if the method does
    /// not apply, would take more than `most` sums of a half, or was stopped. The answers do not depend on the number of threads.
    pub(super) fn search(&self, root: &Improved, pool: &mut Pool, most: f64) -> Option<u64> {
        if !self.applies(pool) || self.relaxation.shared_bandwidth.iter().any(Option::is_some) {
            return None;
        }
        let (left, right) = self.halves(NODES)?;
        let twins = self.twins();
        let (mut work, mut sampled) = (0, false);
        loop {
            if pool.cutoff() >= root.bound {
                return Some(work); // nothing can be better
            }
            let round = self.round(root, pool.cutoff(), (left.clone(), right.clone()), None)?;
            let looked_up = round.combinations(&round.right);
            if looked_up > WORTH_A_SAMPLE && looked_up <= most && !sampled {
                sampled = true;
                self.sample(root, pool);
                continue;
            }
            let walked = round.combinations(&round.left);
            if looked_up.max(walked) > most || walked > 1.5 * MOST_STORED as f64 * orders(&twins) {
                return None;
            }
            let grid = Grid::new(self, &round, &twins)?;
            work += grid.next.len() as u64;
            match self.look_up(&round, &grid, root, pool, &mut work) {
                Ended::Complete => return Some(work),
                Ended::BetterCutoff => {}
                Ended::Stopped => return None,
            }
        }
    }

    /// Adds good answers to `pool` by looking at few options of each node only, those that earn most. Proves nothing.
    pub(super) fn sample(&self, root: &Improved, pool: &mut Pool) {
        if !self.applies(pool) {
            return;
        }
        let Some(halves) = self.halves(SAMPLED_NODES) else { return };
        let gap = root.bound - pool.cutoff();
        for depth in SAMPLE_DEPTHS {
            let target = (root.bound - depth * gap).max(pool.cutoff());
            let Some(round) = self.round(root, target, halves.clone(), Some(SAMPLE)) else { return };
            // Stored in every order of twins: the lists of a sample are not closed under their exchange.
            let Some(grid) = Grid::new(self, &round, &vec![false; round.unit.len()]) else { return };
            let before = pool.cutoff();
            if let Ended::Stopped = self.look_up(&round, &grid, root, pool, &mut 0) {
                return;
            }
            if pool.cutoff() > before {
                return;
            }
        }
    }

    fn applies(&self, pool: &Pool) -> bool {
        let goal = &self.problem.goal;
        let max_min = matches!(goal.objective(), Objective::Fair | Objective::Makespan);
        let some_answer = pool.cutoff() > 0.0 && pool.cutoff().is_finite();
        max_min && some_answer && !goal.unit_gflops().contains(&0.0)
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
        let of_app = app_classes(&self.problem.apps);
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

    /// The options that may lead above `target`; of those that give and take the same only the first. With `sample` only
    /// so many that each half has at most that many sums.
    fn round(
        &self,
        root: &Improved,
        target: f64,
        (left, right): (Vec<Place>, Vec<Place>),
        sample: Option<f64>,
    ) -> Option<Round> {
        let prices = &root.prices;
        let mut bound = self.relaxation.constant(prices, self.ranges);
        let earnings: Vec<_> =
            (0..self.relaxation.classes.len()).map(|c| self.relaxation.earnings(c, prices)).collect();
        let mut tops = Vec::new();
        for (class, earnings) in self.relaxation.classes.iter().zip(&earnings) {
            let top = super::dual::best_option(&class.table, earnings)?.1;
            bound += class.nodes.len() as f64 * top;
            tops.push(top);
        }
        // Rounding of the sums must not close a window.
        let gap = (bound - target).max(0.0) + 1e-12 * bound.abs();
        let window = |y: &f64| if *y > 1e-9 { gap / (y * target) } else { f64::INFINITY };
        let windows: Vec<f64> = prices.y.iter().map(window).collect();
        let unit: Vec<f64> = self.problem.goal.unit_gflops().iter().map(|unit| unit * target).collect();
        let kept = self.relaxation.classes.iter().enumerate().map(|(c, class)| {
            let slack = |option: usize| (tops[c] - earnings[c].of(&class.table, option)).max(0.0);
            let mut kept: Vec<Kept> = (0..class.table.len())
                .map(|option| Kept {
                    slack: slack(option),
                    option: u32::try_from(option).unwrap_or(u32::MAX),
                })
                .filter(|kept| kept.slack <= gap && self.fits(c, kept.option as usize, &unit, &windows))
                .collect();
            let mut seen = BTreeSet::new();
            kept.retain(|kept| seen.insert(self.effect(c, kept.option as usize)));
            kept
        });
        let forced = self.forced();
        let mut base = Sums::zero(unit.len(), self.relaxation.watched.len());
        for &(_, class) in &forced {
            base.set(&base.clone(), &self.relaxation.classes[class].table, 0, &unit);
        }
        let mut round = Round {
            forced,
            base,
            left,
            right,
            kept: kept.collect(),
            gap,
            unit,
            windows,
            reach: Vec::new(),
            reads: Vec::new(),
            pairs: if sample.is_some() { SAMPLE_PAIRS } else { u64::MAX },
        };
        if let Some(most) = sample {
            round.thin_out(most);
        }
        round.measure(self.relaxation);
        Some(round)
    }

    /// Whether an option alone leaves room for the rest: reads within their range, and GFLOPS within the window where
    /// those of all other nodes together are known.
    fn fits(&self, class: usize, option: usize, unit: &[f64], windows: &[f64]) -> bool {
        let Class { nodes, table, .. } = &self.relaxation.classes[class];
        self.relaxation.watched.iter().zip(table.reads(option)).all(|(watched, &reads)| {
            let tolerance = 1e-9 * watched.bandwidth;
            if reads > watched.most + tolerance {
                return false;
            }
            let known = watched.most - watched.least <= tolerance && *nodes == [watched.memory];
            let Some(reader) = self.only_reader(watched.memory).filter(|_| known) else { return true };
            // All that other nodes read is for this application.
            let elsewhere = watched.least * self.problem.apps[reader].arithmetic_intensity.value();
            let p = (elsewhere + table.potential(option)[reader]) / unit[reader];
            (1.0 - SINGLE..=1.0 + windows[reader] + SINGLE).contains(&p)
        })
    }

    /// The application that alone reads `memory` over links, if there is exactly one and it reads nothing else.
    fn only_reader(&self, memory: NodeId) -> Option<usize> {
        let machine = &self.problem.machine;
        let reads = |placement: &Placement| {
            machine
                .compute_nodes()
                .any(|node| node != memory && placement.fraction(machine, node, memory) > 0.0)
        };
        let mut readers = (0..self.placements.len()).filter(|&a| reads(&self.placements[a]));
        let reader = readers.next().filter(|&a| self.placements[a].home() == Some(memory))?;
        readers.next().is_none().then_some(reader)
    }

    /// What an option gives and takes: GFLOPS, reads, and threads where their total is limited.
    fn effect(&self, class: usize, option: usize) -> Vec<u64> {
        let table = &self.relaxation.classes[class].table;
        let apps = self.problem.apps.len();
        let limited = |a: usize| {
            let unlimited_below =
                self.ranges.lowest[a] <= 1 && self.ranges.lowest[apps * (1 + class) + a] == 0;
            let unlimited_above =
                [a, apps * (1 + class) + a].iter().all(|&k| !self.ranges.prices_with_meaning(k).1);
            !(unlimited_below && unlimited_above)
        };
        // Without the last 12 bits, in which 100 x 1/2 and 100 x 2/4 may differ.
        let rounded = |value: &f64| value.to_bits().saturating_add(1 << 11) >> 12;
        let threads = table.counts(option).iter().enumerate().map(|(a, &n)| if limited(a) { n } else { 0 });
        let figures = table.potential(option).iter().chain(table.reads(option)).map(rounded);
        figures.chain(threads.map(u64::from)).collect()
    }

    /// Looks up what each sum of the right half misses.
    fn look_up(&self, round: &Round, grid: &Grid, root: &Improved, pool: &mut Pool, work: &mut u64) -> Ended {
        let firsts: Vec<usize> = (0..round.kept[round.right[0].class].len()).collect();
        for batch in firsts.chunks(BATCH) {
            if self.monitor.stop() {
                return Ended::Stopped;
            }
            let found: Vec<(Pool, u64)> = batch
                .par_iter()
                .map(|&first| {
                    let mut lookup = Lookup::new(self, round, grid, pool);
                    lookup.extend(first, first + 1, 0.0);
                    (lookup.pool, lookup.work + lookup.pairs / 4)
                })
                .collect();
            for (found, steps) in found {
                pool.merge(self.canonical, found);
                *work += steps;
            }
            if *work as f64 > 5.0 * THOROUGH {
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

/// Ranges of what places that are still open can add.
struct Rest {
    p: Vec<(f64, f64)>,
    reads: Vec<(f64, f64)>,
}

impl Rest {
    /// The same with what is already known beside it.
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

    /// Whether sums so far can still end in their windows.
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

/// What some places give and take together.
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

/// How a round ended.
enum Ended {
    Complete,
    BetterCutoff,
    Stopped,
}

impl Round {
    /// Where the halves can be exchanged: the last application with its twins, and half of the most that they can get.
    ///
    /// Only in a full search: the lists of a sample are not searched completely anyway.
    fn smaller_half(&self, twins: &[bool]) -> Option<(usize, f64)> {
        let class = |place: &Place| place.class;
        let same = self.left.iter().map(class).eq(self.right.iter().map(class));
        let first = (0..twins.len()).rfind(|&a| !twins[a])?;
        let most: f64 = self.windows[first..].iter().map(|window| 1.0 + window + SINGLE).sum();
        // The base stays with the left half when the halves are exchanged.
        let base: f64 = self.base.p[first..].iter().sum();
        (same && self.pairs == u64::MAX && most.is_finite()).then_some((first, (most + base) / 2.0 + SINGLE))
    }

    /// Shortens the lists to the options with the least slack until no half has more than `most` sums. Which of
    /// equals stay is arbitrary, but the same each time.
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

    /// What the kept options of each class can reach.
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

    /// How many sums a half has, before slacks are added up.
    fn combinations(&self, half: &[Place]) -> f64 {
        let mut copies = 1.0;
        half.iter().fold(1.0, |product, place| {
            copies = if place.same_as_before { copies + 1.0 } else { 1.0 };
            product * (self.kept[place.class].len() as f64 + copies - 1.0) / copies
        })
    }
}

/// The sums of the left half, found by where they are.
struct Grid {
    apps: usize,
    /// P_a of each sum, single precision.
    sums: Vec<f32>,
    /// Options of each sum, as positions in the kept lists.
    chosen: Vec<u32>,
    places: usize,
    /// The last application and its twins from the first of them on, and the most that they may get together.
    smaller_half: Option<(usize, f64)>,
    /// Side of a cell per application, at least a window; `None` where the grid does not tell sums apart.
    sides: Vec<Option<f64>>,
    /// First sum of each bucket plus 1; 0 if empty.
    heads: Vec<u32>,
    /// Next sum of the same bucket plus 1.
    next: Vec<u32>,
}

impl Grid {
    /// All sums of the left half with a slack within the gap; `None` if there are too many.
    ///
    /// Of sums that differ by an exchange of twins only the one in descending order is stored: every allocation can be
    /// renamed so that its left half is in this order. Before that, halves of the same classes can be exchanged so that
    /// the left one has at most half of what the last application and its twins get together.
    fn new(halves: &Halves<'_>, round: &Round, twins: &[bool]) -> Option<Self> {
        let apps = round.unit.len();
        let mut grid = Self {
            apps,
            sums: Vec::new(),
            chosen: Vec::new(),
            places: round.left.len(),
            smaller_half: round.smaller_half(twins),
            sides: Vec::new(),
            heads: Vec::new(),
            next: Vec::new(),
        };
        let mut sums = vec![round.base.clone(); round.left.len() + 1];
        let rests: Vec<Rest> =
            (1..=round.left.len()).map(|d| round.rest(&[&round.left[d..], &round.right])).collect();
        if !grid.store(halves, round, &rests, twins, &mut Vec::new(), &mut sums, 0.0) {
            return None;
        }
        let count = grid.sums.len() / apps;
        grid.choose_sides(&round.windows);
        grid.heads = vec![0; (2 * count).next_power_of_two().max(16)];
        grid.next = vec![0; count];
        for sum in 0..count {
            let at = grid.sums[sum * apps..(sum + 1) * apps].iter().map(|&p| f64::from(p));
            let bucket =
                grid.bucket(at.zip(&grid.sides).map(|(p, side)| side.map_or(0, |side| cell(p, side))));
            grid.next[sum] = grid.heads[bucket];
            grid.heads[bucket] = u32::try_from(sum + 1).unwrap_or(u32::MAX);
        }
        Some(grid)
    }

    /// The largest cells that are nearly empty if sums are spread evenly.
    fn choose_sides(&mut self, windows: &[f64]) {
        let count = (self.sums.len() / self.apps) as f64;
        let range = |a: usize| {
            let of_app = self.sums.iter().skip(a).step_by(self.apps).map(|&p| f64::from(p));
            let (least, most) =
                of_app.fold((f64::INFINITY, 0.0_f64), |(least, most), p| (least.min(p), most.max(p)));
            (most - least).max(0.0)
        };
        let ranges: Vec<f64> = (0..self.apps).map(range).collect();
        for factor in WINDOWS_PER_CELL {
            let side = |window: &f64| window.is_finite().then_some((window + SINGLE) * factor);
            self.sides = windows.iter().map(side).collect();
            let parts = self
                .sides
                .iter()
                .zip(&ranges)
                .map(|(side, range)| side.map_or(1.0, |s| (range / s).max(1.0)));
            if count / parts.product::<f64>() <= NEARLY_EMPTY {
                return;
            }
        }
    }

    /// Stores every sum that continues `chosen`; false if there are too many.
    #[allow(clippy::too_many_arguments, reason = "recursive, private")]
    fn store(
        &mut self,
        halves: &Halves<'_>,
        round: &Round,
        rests: &[Rest],
        twins: &[bool],
        chosen: &mut Vec<u32>,
        sums: &mut [Sums],
        slack: f64,
    ) -> bool {
        let depth = chosen.len();
        let Some(place) = round.left.get(depth) else {
            let sum = &sums[depth].p;
            let descending = (1..self.apps).all(|a| !twins[a] || sum[a - 1] >= sum[a] - 1e-9 * sum[a]);
            if descending
                && self.smaller_half.is_none_or(|(first, most)| sum[first..].iter().sum::<f64>() <= most)
            {
                #[allow(clippy::cast_possible_truncation, reason = "the error is accounted for")]
                self.sums.extend(sum.iter().map(|&p| p as f32));
                self.chosen.extend_from_slice(chosen);
            }
            return self.sums.len() <= MOST_STORED * self.apps;
        };
        let start = match chosen.last() {
            Some(&before) if place.same_as_before => before,
            _ => 0,
        };
        let table = &halves.relaxation.classes[place.class].table;
        for (position, kept) in (start..).zip(&round.kept[place.class][start as usize..]) {
            if slack + kept.slack > round.gap {
                continue;
            }
            let (before, after) = sums.split_at_mut(depth + 1);
            after[0].set(&before[depth], table, kept.option as usize, &round.unit);
            if !rests[depth].completes(
                &after[0].p,
                &round.windows,
                &after[0].reads,
                &halves.relaxation.watched,
            ) {
                continue;
            }
            chosen.push(position);
            let room = self.store(halves, round, rests, twins, chosen, sums, slack + kept.slack);
            chosen.pop();
            if !room {
                return false;
            }
        }
        true
    }

    fn bucket(&self, cells: impl Iterator<Item = i64>) -> usize {
        // Fibonacci hashing of each coordinate in turn.
        let mix = |hash: u64, cell: i64| {
            (hash.rotate_left(23) ^ cell.cast_unsigned()).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let hash = cells.fold(0, mix);
        #[allow(clippy::cast_possible_truncation, reason = "as many high bits as there are buckets")]
        let bucket = (hash >> (64 - self.heads.len().trailing_zeros())) as usize;
        bucket
    }
}

fn cell(p: f64, side: f64) -> i64 {
    #[allow(clippy::cast_possible_truncation, reason = "P is at most a few, sides are not below 1e-6")]
    let cell = (p / side).floor() as i64;
    cell
}

/// The walk over the right half below one first choice.
struct Lookup<'l> {
    halves: &'l Halves<'l>,
    round: &'l Round,
    grid: &'l Grid,
    pool: Pool,
    cutoff: f64,
    evaluator: Evaluator<'l>,
    /// Positions in the kept lists.
    chosen: Vec<usize>,
    /// Of the places before each.
    sums: Vec<Sums>,
    /// What the places after each can add, the left half included.
    rests: Vec<Rest>,
    work: u64,
    pairs: u64,
}

impl<'l> Lookup<'l> {
    fn new(halves: &'l Halves<'l>, round: &'l Round, grid: &'l Grid, pool: &Pool) -> Self {
        Self {
            halves,
            round,
            grid,
            pool: pool.clone(),
            cutoff: pool.cutoff(),
            evaluator: Evaluator::new(halves.problem, halves.placements.to_vec()),
            chosen: Vec::with_capacity(round.right.len()),
            sums: vec![Sums::zero(grid.apps, halves.relaxation.watched.len()); round.right.len() + 1],
            rests: (1..=round.right.len())
                .map(|d| round.rest(&[&round.right[d..], &round.left]).plus(&round.base))
                .collect(),
            work: 0,
            pairs: 0,
        }
    }

    /// Takes each of the options `from..to` for the next place.
    fn extend(&mut self, from: usize, to: usize, slack: f64) {
        let depth = self.chosen.len();
        let place = self.round.right[depth];
        let kept = &self.round.kept[place.class];
        let unit = &self.round.unit;
        let table = &self.halves.relaxation.classes[place.class].table;
        for position in from..to.min(kept.len()) {
            let slack = slack + kept[position].slack;
            if slack > self.round.gap {
                continue;
            }
            let (before, after) = self.sums.split_at_mut(depth + 1);
            after[0].set(&before[depth], table, kept[position].option as usize, unit);
            let watched = &self.halves.relaxation.watched;
            if !self.rests[depth].completes(&after[0].p, &self.round.windows, &after[0].reads, watched) {
                continue;
            }
            self.chosen.push(position);
            match self.round.right.get(depth + 1) {
                Some(next) => self.extend(if next.same_as_before { position } else { 0 }, usize::MAX, slack),
                None => self.find_partners(),
            }
            self.chosen.pop();
        }
    }

    /// The stored sums that reach the window together with the current one.
    fn find_partners(&mut self) {
        self.work += 1;
        if self.pairs > self.round.pairs {
            return;
        }
        let apps = self.grid.apps;
        let sums = &self.sums[self.round.right.len()].p;
        // Per application the first and last cell; the windows are wider than rounding.
        let mut first = [0_i64; 16];
        let mut double = [false; 16];
        if apps > first.len() {
            return self.try_all();
        }
        for a in 0..apps {
            if let Some(side) = self.grid.sides[a] {
                let least = 1.0 - sums[a] - SINGLE;
                let most = least + self.round.windows[a] + 3.0 * SINGLE;
                if most < 0.0 {
                    return;
                }
                first[a] = cell(least, side);
                double[a] = cell(most, side) > first[a];
            }
        }
        let mut choice = 0_u32;
        loop {
            // Each subset of the applications whose window spans two cells.
            let at = (0..apps).map(|a| first[a] + i64::from(choice >> a & 1));
            let bucket = self.grid.bucket(at);
            let mut entry = self.grid.heads[bucket];
            while entry > 0 {
                self.consider(entry as usize - 1);
                entry = self.grid.next[entry as usize - 1];
            }
            let next =
                (choice + 1..1 << apps).find(|next| (0..apps).all(|a| double[a] || next >> a & 1 == 0));
            match next {
                Some(next) => choice = next,
                None => return,
            }
        }
    }

    /// More applications than the grid tells apart.
    fn try_all(&mut self) {
        for stored in 0..self.grid.next.len() {
            self.consider(stored);
        }
    }

    /// Rates a stored sum together with the current one if it may beat the cutoff.
    fn consider(&mut self, stored: usize) {
        self.pairs += 1;
        let apps = self.grid.apps;
        let sums = &self.sums[self.round.right.len()].p;
        let other = &self.grid.sums[stored * apps..(stored + 1) * apps];
        if (0..apps).any(|a| sums[a] + f64::from(other[a]) + SINGLE <= 1.0) {
            return;
        }
        let problem = self.halves.problem;
        let relaxation = self.halves.relaxation;
        let mut allocation = Allocation::empty(apps, problem.machine.node_count());
        let mut gflops = vec![0.0; apps];
        let mut reads = vec![0.0; relaxation.watched.len()];
        let places = self.grid.places;
        let left = self.grid.chosen[stored * places..(stored + 1) * places]
            .iter()
            .map(|&position| position as usize);
        let chosen =
            self.round.left.iter().zip(left).chain(self.round.right.iter().zip(self.chosen.iter().copied()));
        let chosen = chosen.map(|(place, position)| {
            (place.node, place.class, self.round.kept[place.class][position].option as usize)
        });
        let forced = self.round.forced.iter().map(|&(node, class)| (node, class, 0));
        for (node, class, option) in forced.chain(chosen) {
            let table = &relaxation.classes[class].table;
            for a in 0..apps {
                allocation.set(AppId(a), node, table.counts(option)[a]);
                gflops[a] += table.potential(option)[a];
            }
            for (sum, reads) in reads.iter_mut().zip(table.reads(option)) {
                *sum += reads;
            }
        }
        let in_cell = relaxation.watched.iter().zip(&reads).all(|(w, reads)| {
            let tolerance = 1e-9 * w.bandwidth;
            (w.least - tolerance..=w.most + tolerance).contains(reads)
        });
        if !in_cell || problem.goal.score(&gflops) <= self.cutoff || !self.in_ranges(&allocation) {
            return;
        }
        let candidate = self.evaluator.candidate(allocation);
        if candidate.score > self.cutoff {
            self.pool.add(self.halves.canonical, candidate);
            self.cutoff = self.pool.cutoff();
        }
    }

    fn in_ranges(&self, allocation: &Allocation) -> bool {
        let Ranges { lowest, highest, .. } = self.halves.ranges;
        let within = |counter: usize, threads: u64| {
            (u64::from(lowest[counter])..=u64::from(highest[counter])).contains(&threads)
        };
        let apps = self.grid.apps;
        let on_class = |(c, class): (usize, &Class)| {
            (0..apps).all(|a| {
                let threads = class.nodes.iter().map(|&n| u64::from(allocation.get(AppId(a), n))).sum();
                within(apps * (1 + c) + a, threads)
            })
        };
        (0..apps).all(|a| within(a, allocation.total(AppId(a))))
            && self.halves.relaxation.classes.iter().enumerate().all(on_class)
    }
}
