//! Spaces that are too large to be covered: from good allocations to their neighbours, along the front.
//!
//! It proves nothing. Work is handed out in batches of fixed size and merged in order, so that the same question has
//! the same front on any number of threads.

use std::cmp::Ordering;

use crate::parallel::prelude::*;
use numasim_model::{Allocation, AppId, NodeId, Placement};

use super::archive::{Archive, Entry, Searched};
use super::rate::{Pair, Rater};
use crate::problem::margin;
use crate::search::Monitor;

/// Directions between the two objectives in which the front is pushed outwards.
const DIRECTIONS: u32 = 24;
/// Allocations whose neighbours are looked at before the findings are merged.
const BATCH: usize = 32;
/// Most neighbours of a point from which a second step is taken, and most evaluations for these steps.
const SECOND_STEPS: usize = 48;
const SECOND_STEP_EVALUATIONS: usize = 25_000;
/// More points than this are thinned out.
const MOST_POINTS: usize = 400;

/// A change of a few thread counts: (application, site, new threads).
type Change = [(AppId, usize, u32)];

/// The search of the surroundings of known allocations.
pub(super) struct Nearby<'a> {
    pair: Pair<'a>,
    sites: Vec<Vec<NodeId>>,
    monitor: &'a dyn Monitor,
}

/// What a climb makes as large as possible: the first number, where that is equal the second.
type Aim<'f> = dyn Fn([f64; 2]) -> [f64; 2] + Sync + 'f;

impl<'a> Nearby<'a> {
    pub(super) fn new(pair: Pair<'a>, monitor: &'a dyn Monitor) -> Self {
        Self { pair, sites: pair.sites(), monitor }
    }

    /// Improves `archive` until nothing within two steps of any point adds to it, `most` evaluations are done, or the
    /// monitor says stop. `told` hears of the evaluations so far. Returns their number.
    pub(super) fn search(&self, archive: &mut Archive, most: u64, told: &dyn Fn(u64)) -> u64 {
        let mut compared = self.push_outwards(archive);
        told(compared);
        while compared < most && !self.monitor.stop() {
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
            // From all parts of the front, so that it is known everywhere when the effort ends.
            let batch: Vec<usize> =
                (0..BATCH.min(open.len())).map(|i| open[i * open.len() / BATCH.min(open.len())]).collect();
            let known: &Archive = archive;
            let found: Vec<(Archive, u64)> = batch
                .par_iter()
                .map(|&i| match step {
                    Searched::TwoSteps => self.two_steps(&known.entries()[i], known),
                    _ => self.expand(&known.entries()[i], known),
                })
                .collect();
            for i in batch {
                archive.entries_mut()[i].searched = step;
            }
            for (found, number) in found {
                archive.merge(found);
                compared += number;
            }
            archive.thin_out(MOST_POINTS);
            told(compared);
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
                // The weighted Chebyshev distance reaches points in dents of the front, too.
                [(parts[0] / weight).min(parts[1] / (1.0 - weight)), parts[0] + parts[1]]
            }
        };
        let mut aims: Vec<Box<Aim<'_>>> =
            vec![Box::new(|scores| scores), Box::new(|scores| [scores[1], scores[0]])];
        for direction in 1..DIRECTIONS {
            aims.push(Box::new(toward(direction)));
        }
        let known: &Archive = archive;
        let found: Vec<(Archive, u64)> = aims.par_iter().map(|aim| self.climb(known, aim)).collect();
        let mut compared = 0;
        for (found, number) in found {
            archive.merge(found);
            compared += number;
        }
        archive.thin_out(MOST_POINTS);
        compared
    }

    /// Steepest ascent from the entry of `known` that is best for `aim`; everything met is offered.
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
        while !self.monitor.stop() {
            let mut next: Option<Entry> = None;
            compared += self.neighbours(&here, &mut |rater, allocation, scores| {
                if !met.beats(scores) {
                    met.add(rater.entry(allocation, scores));
                }
                if better(&scores, next.as_ref().map_or(&here.scores, |next| &next.scores)) {
                    next = Some(rater.entry(allocation, scores));
                }
            });
            match next {
                Some(next) => here = next,
                None => break,
            }
        }
        (met, compared)
    }

    /// The neighbours of `entry` that nothing known beats.
    fn expand(&self, entry: &Entry, known: &Archive) -> (Archive, u64) {
        let mut found = Archive::default();
        let compared = self.neighbours(entry, &mut |rater, allocation, scores| {
            if !known.beats(scores) && !found.beats(scores) {
                found.add(rater.entry(allocation, scores));
            }
        });
        (found, compared)
    }

    /// The neighbours of the neighbours of `entry` that lie closest behind the front: two changes can help where one
    /// alone does not.
    fn two_steps(&self, entry: &Entry, known: &Archive) -> (Archive, u64) {
        let widths = known.ranges().map(|(low, high)| (high - low).max(f64::MIN_POSITIVE));
        let behind = |scores: [f64; 2]| {
            let ahead = known.entries().iter().map(|front| {
                let [first, second] = [0, 1].map(|i| (front.scores[i] - scores[i]) / widths[i]);
                first.min(second)
            });
            ahead.fold(f64::NEG_INFINITY, f64::max)
        };
        let mut steps: Vec<(f64, Entry)> = Vec::new();
        let mut compared = self.neighbours(entry, &mut |rater, allocation, scores| {
            steps.push((behind(scores), rater.entry(allocation, scores)));
        });
        let most = (SECOND_STEP_EVALUATIONS / steps.len().max(1)).min(SECOND_STEPS);
        // Stable: what is equally close stays in the order of the changes. Many are the same but for equal nodes.
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        steps.dedup_by(|a, b| a.1.scores == b.1.scores);
        let mut found = Archive::default();
        for (_, step) in steps.into_iter().take(most) {
            if self.monitor.stop() {
                break;
            }
            let (more, number) = self.expand(&step, known);
            found.merge(more);
            compared += number;
        }
        (found, compared)
    }

    /// Shows every allowed neighbour of `entry` with its scores; returns how many there were.
    fn neighbours(&self, entry: &Entry, visit: &mut dyn FnMut(&Rater<'a>, &Allocation, [f64; 2])) -> u64 {
        let mut compared = 0;
        let mut rater = self.pair.rater(entry.placements.clone());
        let mut changed = entry.allocation.clone();
        self.changes(&entry.allocation, &mut |change| {
            for &(app, site, threads) in change {
                self.sites[site].iter().for_each(|&node| changed.set(app, node, threads));
            }
            if self.fits(change, &changed) && self.pair.allows(&changed) {
                let scores = rater.scores(&changed);
                compared += 1;
                if self.pair.counts(scores) {
                    visit(&rater, &changed, scores);
                }
            }
            for &(app, site, _) in change {
                for &node in &self.sites[site] {
                    changed.set(app, node, entry.allocation.get(app, node));
                }
            }
        });
        for app in self.pair.problem.open_apps() {
            for node in self.pair.problem.machine.node_ids() {
                let mut placements = entry.placements.clone();
                if placements[app].home() == Some(node) {
                    continue;
                }
                placements[app] = Placement::Home(node);
                let mut rater = self.pair.rater(placements);
                let scores = rater.scores(&entry.allocation);
                compared += 1;
                if self.pair.counts(scores) {
                    visit(&rater, &entry.allocation, scores);
                }
            }
        }
        compared
    }

    /// Whether the cores suffice; quicker than asking for all restrictions.
    fn fits(&self, change: &Change, changed: &Allocation) -> bool {
        let machine = &self.pair.problem.machine;
        let mut nodes = change.iter().flat_map(|&(_, site, _)| &self.sites[site]);
        nodes.all(|&node| changed.on_node(node) <= u64::from(machine.node(node).cores))
    }

    /// Every change: threads more or less, handed to another application, moved to another node, traded between two
    /// nodes, and two nodes with exchanged contents.
    fn changes(&self, of: &Allocation, show: &mut dyn FnMut(&Change)) {
        let apps: Vec<AppId> = (0..self.pair.problem.apps.len()).map(AppId).collect();
        let threads = |app: AppId, site: usize| self.sites[site].first().map_or(0, |&node| of.get(app, node));
        for site in 0..self.sites.len() {
            for &a in &apps {
                let own = threads(a, site);
                for step in [1, 4] {
                    show(&[(a, site, own + step)]);
                    if own >= step {
                        show(&[(a, site, own - step)]);
                    }
                }
                for &b in apps.iter().filter(|&&b| b != a) {
                    let from = threads(b, site);
                    let mut steps = vec![1, 2, 5, from];
                    steps.retain(|&moved| moved > 0 && moved <= from);
                    steps.dedup();
                    for moved in steps {
                        show(&[(a, site, own + moved), (b, site, from - moved)]);
                    }
                }
            }
            for other in site + 1..self.sites.len() {
                for &a in &apps {
                    let (here, there) = (threads(a, site), threads(a, other));
                    if here > 0 {
                        show(&[(a, site, here - 1), (a, other, there + 1)]);
                    }
                    if there > 0 {
                        show(&[(a, site, here + 1), (a, other, there - 1)]);
                    }
                    for &b in apps.iter().filter(|&&b| b != a) {
                        let (b_here, b_there) = (threads(b, site), threads(b, other));
                        let most = here.min(b_there);
                        for moved in [1, most].into_iter().take(if most > 1 { 2 } else { 1 }) {
                            if moved <= most {
                                show(&[
                                    (a, site, here - moved),
                                    (a, other, there + moved),
                                    (b, site, b_here + moved),
                                    (b, other, b_there - moved),
                                ]);
                            }
                        }
                    }
                }
                let exchanged: Vec<_> = apps
                    .iter()
                    .flat_map(|&a| [(a, site, threads(a, other)), (a, other, threads(a, site))])
                    .collect();
                show(&exchanged);
            }
        }
    }
}

/// Compares the first numbers, where they are equal to the precision of the search the second.
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
