//! Searches spaces that are too large to cover: from good allocations to their neighbours, along the front.
//!
//! It proves nothing. Work runs in batches of fixed size that are merged in order, so that the same question has the same front on any
//! number of threads.

use super::archive::{Archive, Entry, Pair, Rater, Searched};
use crate::contents::Sites;
use crate::monitor::Monitor;
use crate::objective::margin;
use crate::open_data;
use crate::parallel;
use crate::search::generator;
use numasim_model::{Allocation, AppId, Placement};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Directions between the two objectives in which the front is pushed outwards.
const DIRECTIONS: u32 = 24;
/// Allocations whose neighbours are evaluated before the results are merged.
const BATCH: usize = 32;
/// Maximum number of neighbours of a point from which a second step is taken, and of evaluations for these steps.
const SECOND_STEPS: usize = 48;
const SECOND_STEP_EVALUATIONS: usize = 25_000;
/// The same if neighbours are drawn.
const SAMPLED_SECOND_STEPS: usize = 2;
/// More points than this are thinned out.
const MOST_POINTS: usize = 400;

/// Up to this number of neighbours all are evaluated; above it, a random sample.
const MOST_NEIGHBOURS: u64 = 200_000;
/// Divisors of the maximum number of evaluations: for a climb, and for the neighbours of a sample.
const CLIMB: u64 = 4;
const SAMPLE: u64 = 100;
/// Thread counts of all points of the front together, above which it is thinned out further: 64 MB.
const MOST_CELLS: u64 = 1 << 24;

/// The search of the surroundings of known allocations.
pub(super) struct Nearby<'a> {
    pair: Pair<'a>,
    changes: Changes<'a>,
    monitor: &'a dyn Monitor,
    /// Maximum number of evaluations in all.
    most: u64,
    /// Number of neighbours to draw instead of evaluating all.
    sample: Option<u64>,
    seed: u64,
}

/// The aim of a climb: maximises the first number, and the second if the first is equal.
type Aim<'f> = dyn Fn([f64; 2]) -> [f64; 2] + Sync + 'f;

/// Receives an allowed neighbour with its scores.
type Visit<'v, 'a> = dyn FnMut(&Rater<'a>, &Allocation, [f64; 2]) + 'v;

impl<'a> Nearby<'a> {
    /// `most`: maximum number of evaluations.
    pub(super) fn new(pair: Pair<'a>, monitor: &'a dyn Monitor, most: u64, seed: u64) -> Self {
        let changes = Changes::new(pair);
        let sample = (changes.about() > MOST_NEIGHBOURS).then(|| (most / SAMPLE).min(MOST_NEIGHBOURS));
        Self { pair, changes, monitor, most, sample, seed }
    }

    /// Points that are kept.
    fn most_points(&self) -> usize {
        let room = usize::try_from(MOST_CELLS / self.pair.cells()).unwrap_or(usize::MAX);
        MOST_POINTS.min(room.max(2))
    }

    /// Improves `archive` until nothing within two steps of any point adds to it, about `most` evaluations are done, or the monitor stops
    /// it. Calls `told` with the number of evaluations so far. Returns their number.
    pub(super) fn search(&self, archive: &mut Archive, reported: &dyn Fn(u64)) -> u64 {
        let mut compared = self.push_outwards(archive);
        reported(compared);
        while compared < self.most && !self.monitor.stop() {
            let below = |step: Searched| -> Vec<usize> {
                let entries = archive.entries().iter().enumerate();
                entries.filter(|(_, entry)| entry.searched < step).map(|(i, _)| i).collect()
            };
            let mut step = Searched::Neighbours;
            let mut open = below(step);
            if open.is_empty() {
                step = Searched::TwoSteps;
                open = below(step);
            }
            if open.is_empty() {
                break;
            }
            // Batches come from all parts of the front, so that the whole front is covered when the budget ends.
            let batch: Vec<usize> =
                (0..BATCH.min(open.len())).map(|i| open[i * open.len() / BATCH.min(open.len())]).collect();
            let known: &Archive = archive;
            let found: Vec<(Archive, u64)> = parallel::map(&batch, |&i| match step {
                Searched::TwoSteps => self.two_steps(&known.entries()[i], known),
                _ => self.expand(&known.entries()[i], known),
            });
            for i in batch {
                archive.entries_mut()[i].searched = step;
            }
            for (found, number) in found {
                archive.merge(found);
                compared += number;
            }
            archive.thin_out(self.most_points());
            reported(compared);
        }
        compared
    }

    /// Climbs from the best known allocation in each direction, and to both ends.
    fn push_outwards(&self, archive: &mut Archive) -> u64 {
        let ranges = archive.ranges();
        let part = move |scores: [f64; 2], i: usize| {
            let (low, high) = ranges[i];
            if high > low { (scores[i] - low) / (high - low) } else { 0.0 }
        };
        let toward = |direction: u32| {
            let weight = f64::from(direction) / f64::from(DIRECTIONS);
            move |scores: [f64; 2]| {
                let parts = [part(scores, 0), part(scores, 1)];
                // The weighted Chebyshev distance also reaches points in dents of the front.
                [(parts[0] / weight).min(parts[1] / (1.0 - weight)), parts[0] + parts[1]]
            }
        };
        let mut aims: Vec<Box<Aim<'_>>> =
            vec![Box::new(|scores| scores), Box::new(|scores| [scores[1], scores[0]])];
        for direction in 1..DIRECTIONS {
            aims.push(Box::new(toward(direction)));
        }
        let known: &Archive = archive;
        let found: Vec<(Archive, u64)> = parallel::map(&aims, |aim| self.climb(known, aim));
        let mut compared = 0;
        for (found, number) in found {
            archive.merge(found);
            compared += number;
        }
        archive.thin_out(self.most_points());
        compared
    }

    /// Steepest ascent from the entry of `known` that is best for `aim`; every allocation met is offered.
    fn climb(&self, known: &Archive, aim: &Aim<'_>) -> (Archive, u64) {
        let (mut met, mut compared) = (known.clone(), 0);
        let better = |a: &[f64; 2], b: &[f64; 2]| larger(aim(*a), aim(*b)) == Ordering::Greater;
        let mut entries = known.entries().iter();
        let Some(mut best) = entries.next() else { return (met, 0) };
        for entry in entries {
            if better(&entry.scores, &best.scores) {
                best = entry;
            }
        }
        let mut here = best.clone();
        while compared < self.most / CLIMB && !self.monitor.stop() {
            let mut next: Option<Entry> = None;
            compared += self.neighbours(&here, self.most / CLIMB, &mut |rater, allocation, scores| {
                if !met.beats(scores) {
                    met.add(rater.entry(allocation, scores));
                }
                if better(&scores, next.as_ref().map_or(&here.scores, |next| &next.scores)) {
                    next = Some(rater.entry(allocation, scores));
                }
            });
            met.thin_out(self.most_met());
            match next {
                Some(next) => here = next,
                None => break,
            }
        }
        (met, compared)
    }

    /// The neighbours of `entry` that no known entry beats.
    fn expand(&self, entry: &Entry, known: &Archive) -> (Archive, u64) {
        let mut found = Archive::default();
        let compared = self.neighbours(entry, self.most, &mut |rater, allocation, scores| {
            if !known.beats(scores) && !found.beats(scores) {
                found.add(rater.entry(allocation, scores));
            }
        });
        (found, compared)
    }

    /// The neighbours of the neighbours of `entry` that are closest behind the front: two changes can help when neither alone does.
    fn two_steps(&self, entry: &Entry, known: &Archive) -> (Archive, u64) {
        let widths = known.ranges().map(|(low, high)| (high - low).max(f64::MIN_POSITIVE));
        let behind = |scores: [f64; 2]| {
            let ahead = known.entries().iter().map(|front| {
                let [first, second] = [0, 1].map(|i| (front.scores[i] - scores[i]) / widths[i]);
                first.min(second)
            });
            ahead.fold(f64::NEG_INFINITY, f64::max)
        };
        // At first only their positions are stored: there are many neighbours, and few are used.
        let mut steps: Vec<(f64, [f64; 2], usize)> = Vec::new();
        let mut compared = self.neighbours(entry, self.most, &mut |_, _, scores| {
            steps.push((behind(scores), scores, steps.len()));
        });
        let most = (SECOND_STEP_EVALUATIONS / steps.len().max(1)).min(SECOND_STEPS);
        let most = if self.sample.is_some() { most.min(SAMPLED_SECOND_STEPS) } else { most };
        // Stable: equally close ones stay in the order of the changes. Many are identical up to equal nodes.
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        steps.dedup_by(|a, b| a.1 == b.1);
        steps.truncate(most);
        let mut chosen: Vec<Option<Entry>> = vec![None; steps.len()];
        let places: HashMap<usize, usize> =
            steps.iter().enumerate().map(|(order, &(_, _, place))| (place, order)).collect();
        let mut place = 0;
        if !steps.is_empty() {
            self.neighbours(entry, self.most, &mut |rater, allocation, scores| {
                if let Some(&order) = places.get(&place) {
                    chosen[order] = Some(rater.entry(allocation, scores));
                }
                place += 1;
            });
        }
        let mut found = Archive::default();
        for step in chosen.into_iter().flatten() {
            if self.monitor.stop() {
                break;
            }
            let (more, number) = self.expand(&step, known);
            found.merge(more);
            compared += number;
        }
        (found, compared)
    }

    /// Number of points that a climb stores.
    fn most_met(&self) -> usize {
        // All climbs run at the same time.
        let room =
            usize::try_from(MOST_CELLS / u64::from(DIRECTIONS) / self.pair.cells()).unwrap_or(usize::MAX);
        room.max(2)
    }

    /// Passes the allowed neighbours of `entry` with their scores to `visit`, all or a sample, until `most` were evaluated or the monitor
    /// stops it. Returns the number evaluated.
    fn neighbours(&self, entry: &Entry, most: u64, visit: &mut Visit<'_, 'a>) -> u64 {
        let mut compared = 0;
        let mut shown = 0_u64;
        let clock = self.pair.clock();
        let mut rater = self.pair.rater(entry.placements.clone());
        let mut changed = entry.allocation.clone();
        let mut show = |change: &Change| {
            self.changes.make(change, &mut changed);
            if self.changes.fits(change, &changed) && rater.allows(&changed) {
                let scores = rater.scores(&changed);
                compared += 1;
                if self.pair.counts(scores) {
                    visit(&rater, &changed, scores);
                }
            }
            self.changes.take_back(change, &entry.allocation, &mut changed);
            shown += 1;
            compared < most && !(shown.is_multiple_of(clock) && self.monitor.stop())
        };
        let mut random = self.sample.map(|_| generator(self.seed, stream(&entry.allocation)));
        match (self.sample, &mut random) {
            (Some(number), Some(random)) => self.changes.some(&entry.allocation, number, random, &mut show),
            _ => self.changes.all(&entry.allocation, &mut show),
        }
        for (app, placement) in self.other_homes(entry, random.as_mut()) {
            if compared >= most || self.monitor.stop() {
                break;
            }
            let mut placements = entry.placements.clone();
            placements[app] = placement;
            let mut rater = self.pair.rater(placements);
            let scores = rater.scores(&entry.allocation);
            compared += 1;
            if self.pair.counts(scores) && rater.allows(&entry.allocation) {
                visit(&rater, &entry.allocation, scores);
            }
        }
        compared
    }

    /// Alternative places for the data of an application, and the application; with many nodes, a few of these drawn by `random`.
    fn other_homes(&self, entry: &Entry, random: Option<&mut ChaCha8Rng>) -> Vec<(usize, Placement)> {
        /// Each placement of open data needs a separate solver.
        const FEW: usize = 64;
        let open = self.pair.problem.open_apps();
        let (machine, apps) = (&self.pair.problem.machine, &self.pair.problem.apps);
        let is_other = |(app, placement): &(usize, Placement)| entry.placements[*app] != *placement;
        match random {
            Some(random) if !open.is_empty() => {
                let mut draw = || {
                    let app = open[random.random_range(0..open.len())];
                    (app, open_data::any(&apps[app].data, machine, random))
                };
                (0..FEW).map(|_| draw()).filter(is_other).collect()
            }
            _ => {
                let others = |app: usize| open_data::others(&apps[app].data, machine, &entry.placements[app]);
                open.iter()
                    .flat_map(|&app| others(app).into_iter().map(move |placement| (app, placement)))
                    .collect()
            }
        }
    }
}

/// A number that distinguishes allocations, for the generator (FNV-1a).
fn stream(allocation: &Allocation) -> u64 {
    let mix = |sum: u64, &threads: &u32| (sum ^ u64::from(threads)).wrapping_mul(0x0100_0000_01b3);
    allocation.as_slice().iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// Compares the first numbers. If they are equal to the precision of the search, compares the second.
fn larger(a: [f64; 2], b: [f64; 2]) -> Ordering {
    let one = |a: f64, b: f64| {
        if a > b + margin(b) {
            Ordering::Greater
        } else if b > a + margin(a) {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    };
    one(a[0], b[0]).then_with(|| one(a[1], b[1]))
}

// The small changes that turn an allocation into its neighbours.

/// A change of a few thread counts: (application, site, new threads).
pub(super) type Change = [(AppId, usize, u32)];

/// Receives a change; false: no more.
type Show<'s> = dyn FnMut(&Change) -> bool + 's;

/// Every change: more or fewer threads, threads handed to another application, moved to another node, or traded between two nodes, and two
/// nodes with exchanged contents.
pub(super) struct Changes<'a> {
    pair: Pair<'a>,
    sites: Sites<'a>,
    apps: Vec<AppId>,
}

impl<'a> Changes<'a> {
    pub(super) fn new(pair: Pair<'a>) -> Self {
        let apps = (0..pair.problem.apps.len()).map(AppId).collect();
        Self { pair, sites: pair.sites(), apps }
    }

    /// Their approximate number.
    pub(super) fn about(&self) -> u64 {
        let (sites, apps) = (self.sites.len() as u64, self.apps.len() as u64);
        let pairs = sites.saturating_mul(sites.saturating_sub(1)) / 2;
        let square = apps.saturating_mul(apps);
        sites.saturating_mul(4 * square).saturating_add(pairs.saturating_mul(2 * square + 1))
    }

    /// Passes all of them to `show`.
    pub(super) fn all(&self, of: &Allocation, show: &mut Show<'_>) {
        for site in 0..self.sites.len() {
            for &a in &self.apps {
                if !self.more_or_less(of, site, a, show) {
                    return;
                }
                for &b in self.apps.iter().filter(|&&b| b != a) {
                    if !self.handed_over(of, site, a, b, show) {
                        return;
                    }
                }
            }
            for other in site + 1..self.sites.len() {
                for &a in &self.apps {
                    if !self.moved(of, [site, other], a, show) {
                        return;
                    }
                    for &b in self.apps.iter().filter(|&&b| b != a) {
                        if !self.traded(of, [site, other], a, b, show) {
                            return;
                        }
                    }
                }
                if !self.exchanged(of, [site, other], show) {
                    return;
                }
            }
        }
    }

    /// Passes about `number` of them to `show`: applications and nodes are drawn by `random`.
    pub(super) fn some(&self, of: &Allocation, number: u64, random: &mut ChaCha8Rng, show: &mut Show<'_>) {
        let mut left = number;
        let mut show = |change: &Change| {
            left = left.saturating_sub(1);
            show(change) && left > 0
        };
        // A draw may have no change at all.
        for _ in 0..number {
            let mut app = || self.apps[random.random_range(0..self.apps.len())];
            let (a, b) = (app(), app());
            let mut site = || random.random_range(0..self.sites.len());
            let (here, there) = (site(), site());
            let go_on = match random.random_range(0..5_u32) {
                0 => self.more_or_less(of, here, a, &mut show),
                1 if a != b => self.handed_over(of, here, a, b, &mut show),
                2 if here != there => self.moved(of, [here, there], a, &mut show),
                3 if here != there && a != b => self.traded(of, [here, there], a, b, &mut show),
                4 if here != there => self.exchanged(of, [here, there], &mut show),
                _ => true,
            };
            if !go_on {
                return;
            }
        }
    }

    /// Makes a change.
    pub(super) fn make(&self, change: &Change, allocation: &mut Allocation) {
        for &(app, site, threads) in change {
            self.sites.set(allocation, app.0, site, threads);
        }
    }

    /// Restores the cells of `change` from `before`.
    pub(super) fn take_back(&self, change: &Change, before: &Allocation, allocation: &mut Allocation) {
        for &(app, site, _) in change {
            self.sites.take_back(before, allocation, app.0, site);
        }
    }

    /// Whether the cores suffice; quicker than a check of all constraints.
    pub(super) fn fits(&self, change: &Change, changed: &Allocation) -> bool {
        let machine = &self.pair.problem.machine;
        let mut nodes = change.iter().flat_map(|&(_, site, _)| self.sites.nodes(site));
        nodes.all(|&node| changed.on_node(node) <= u64::from(machine.node(node).cores))
    }

    fn threads(&self, of: &Allocation, app: AppId, site: usize) -> u32 {
        self.sites.threads(of, app.0, site)
    }

    fn more_or_less(&self, of: &Allocation, site: usize, a: AppId, show: &mut Show<'_>) -> bool {
        let own = self.threads(of, a, site);
        [1, 4]
            .into_iter()
            .all(|step| show(&[(a, site, own + step)]) && (own < step || show(&[(a, site, own - step)])))
    }

    fn handed_over(&self, of: &Allocation, site: usize, a: AppId, b: AppId, show: &mut Show<'_>) -> bool {
        let (own, from) = (self.threads(of, a, site), self.threads(of, b, site));
        let mut steps = vec![1, 2, 5, from];
        steps.retain(|&moved| moved > 0 && moved <= from);
        steps.dedup();
        steps.into_iter().all(|moved| show(&[(a, site, own + moved), (b, site, from - moved)]))
    }

    fn moved(&self, of: &Allocation, [site, other]: [usize; 2], a: AppId, show: &mut Show<'_>) -> bool {
        let (here, there) = (self.threads(of, a, site), self.threads(of, a, other));
        (here == 0 || show(&[(a, site, here - 1), (a, other, there + 1)]))
            && (there == 0 || show(&[(a, site, here + 1), (a, other, there - 1)]))
    }

    fn traded(
        &self,
        of: &Allocation,
        [site, other]: [usize; 2],
        a: AppId,
        b: AppId,
        show: &mut Show<'_>,
    ) -> bool {
        let (here, there) = (self.threads(of, a, site), self.threads(of, a, other));
        let (b_here, b_there) = (self.threads(of, b, site), self.threads(of, b, other));
        let most = here.min(b_there);
        [1, most].into_iter().take(if most > 1 { 2 } else { 1 }).filter(|&moved| moved <= most).all(|moved| {
            show(&[
                (a, site, here - moved),
                (a, other, there + moved),
                (b, site, b_here + moved),
                (b, other, b_there - moved),
            ])
        })
    }

    fn exchanged(&self, of: &Allocation, [site, other]: [usize; 2], show: &mut Show<'_>) -> bool {
        let exchanged: Vec<_> = self
            .apps
            .iter()
            .flat_map(|&a| [(a, site, self.threads(of, a, other)), (a, other, self.threads(of, a, site))])
            .collect();
        show(&exchanged)
    }
}
