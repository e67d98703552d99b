//! Chooses where to split a part of the space, and builds its two parts.

use std::sync::Arc;

use numasim_model::{AppId, NodeId};

use crate::problem::Evaluator;
use crate::search::boxes::{Boxes, Part};
use crate::search::dual::{Cut, Effort, Improved, Ranges, Relaxation};
use crate::search::halves;
use crate::search::pool::Pool;
use crate::search::watch::reads_own;

/// Work on the bound of a box that may be split.
const THOROUGH: Effort = Effort { steps: 30, cuts: 60 };
/// Work to judge a place to split.
pub(super) const TRIAL: Effort = Effort { steps: 20, cuts: 12 };
/// Work on the bound of a part with another range of the mean wait, which changes all prices.
const OF_MEAN_WAITS: Effort = Effort { steps: 100, cuts: 150 };
/// Below this number of threads that read over links, they are counted almost one by one.
const FEW: u32 = 8;
/// Ranges of waits are cut before anything else if the ratio of their ends is larger.
const WIDE_WAITS: f64 = 1.2;
/// Ranges of the mean wait with a larger ratio of their ends are cut before anything else.
const WIDE_MEAN: f64 = 1.1;
/// Ranges of threads that read all memories are cut first if the ratio of their ends is larger.
const WIDE_SPREAD: f64 = 1.25;
/// Number of places that are judged per split.
const TRIALS: usize = 24;

impl Boxes<'_, '_> {
    /// Places at which a split may help: around the mean of the relaxed optimum, and around the best known answer (threads per counter in
    /// `known`).
    fn places(&self, part: &Part<'_>, known: &[u32]) -> Vec<(usize, u32)> {
        let Part { ranges, improved, .. } = part;
        if let Some(place) = self.readers_first(&part.relaxation, ranges) {
            return vec![place];
        }
        let one_class = self.relaxation.classes.iter().filter(|class| class.table.len() > 1).count() < 2;
        let counters = if one_class { self.problem.apps.len() } else { ranges.lowest.len() };
        let open = |&counter: &usize| ranges.lowest[counter] < ranges.highest[counter];
        let clamp = |counter: usize, cut: u32| cut.clamp(ranges.lowest[counter], ranges.highest[counter] - 1);
        let around_known = (0..counters).filter(open).flat_map(|counter| {
            let threads = known.get(counter).copied().unwrap_or(0);
            [(counter, clamp(counter, threads)), (counter, clamp(counter, threads.saturating_sub(1)))]
        });
        let around_mean = (0..counters).filter(open).map(|counter| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to the range"
            )]
            let cut = improved.threads.get(counter).map_or(0.0, |threads| threads.max(0.0)) as u32;
            (counter, clamp(counter, cut))
        });
        let mut places: Vec<(usize, u32)> = around_known.chain(around_mean).collect();
        places.sort_unstable();
        places.dedup();
        if places.len() > TRIALS {
            // Wide ranges first: they have been split least.
            let width = |counter: usize| ranges.highest[counter] - ranges.lowest[counter];
            places.sort_by_key(|&(counter, cut)| (std::cmp::Reverse(width(counter)), counter, cut));
            places.truncate(TRIALS);
        }
        places
    }

    /// The threads of an application that reads over links, on the machine or on a class of nodes, while their range is wide. The number
    /// and places of such threads determine the bandwidth that remains for all others; until they are known, no other split helps.
    fn readers_first(&self, relaxation: &Relaxation<'_>, ranges: &Ranges) -> Option<(usize, u32)> {
        if relaxation.exact || relaxation.classes.iter().all(|class| class.kept.is_none()) {
            return None;
        }
        let apps = self.problem.apps.len();
        let Ranges { lowest, highest, .. } = &ranges.tightened(apps);
        let machine = &self.problem.machine;
        let over_links =
            |a: usize| !machine.compute_nodes().all(|node| reads_own(machine, &self.placements[a], node));
        // Each of a few threads counts.
        let slack = |k: usize| if lowest[k] < FEW { lowest[k] / 4 } else { lowest[k] / 2 };
        let wide = |k: &usize| highest[*k] > lowest[*k] + slack(*k) && over_links(*k % apps);
        let ratio = |k: usize| f64::from(highest[k] + 1) / f64::from(lowest[k] + 1);
        let widest = |counters: std::ops::Range<usize>| {
            counters.filter(wide).max_by(|&j, &k| ratio(j).total_cmp(&ratio(k)).then(k.cmp(&j)))
        };
        let counter = widest(0..apps).or_else(|| widest(apps..lowest.len()))?;
        Some((counter, cut_between(lowest[counter], highest[counter])))
    }

    /// The threads of the best known answer per counter.
    pub(super) fn known(&self, pool: &Pool) -> Vec<u32> {
        let Some(best) = pool.best() else { return Vec::new() };
        let apps = self.problem.apps.len();
        let on = |nodes: &mut dyn Iterator<Item = NodeId>| -> Vec<u32> {
            let nodes: Vec<NodeId> = nodes.collect();
            (0..apps).map(|a| nodes.iter().map(|&n| best.allocation.get(AppId(a), n)).sum()).collect()
        };
        let mut known = on(&mut self.problem.machine.node_ids());
        for class in &self.relaxation.classes {
            known.extend(on(&mut class.nodes.iter().copied()));
        }
        known
    }

    /// Splits a box at the place that lowers the bound most; `None` if it cannot be split. Also returns the cost. If there is room for
    /// lists, each half gets a separate list of the minimum GFLOPS of its threads.
    ///
    /// With many options, places are judged by the options that earn most: a comparison of splits does not need a valid bound.
    pub(super) fn split<'p>(
        &self,
        part: &Part<'p>,
        cutoff: f64,
        known: &[u32],
        has_room: bool,
    ) -> (Option<[Part<'p>; 2]>, u64) {
        let Part { ranges, relaxation, improved, .. } = part;
        let evaluator = Evaluator::new(self.problem, self.placements.to_vec());
        let few = relaxation.foremost(improved, ranges);
        let (judged, from) = match &few {
            Some(few) => (few.relaxation(), few.here(improved)),
            None => (&**relaxation, improved.clone()),
        };
        let reads_first = !relaxation.knows_what_is_drawn() && halves::may_end(self.relaxation);
        // The wait of bytes determines the bandwidth of all readers of a memory. Until it is known, hardly any other split helps.
        let mut by_waits = relaxation.cuts_of_waits();
        let waits_first = by_waits.first().is_some_and(|cut| cut.ratio > WIDE_WAITS);
        if waits_first {
            by_waits.truncate(1);
        }
        let spread = spread_first(relaxation, ranges);
        let mean = relaxation.cut_of_mean_wait().filter(|_| spread.is_none());
        let mean_first = mean.is_some_and(|(ratio, _)| ratio > WIDE_MEAN);
        if mean_first || spread.is_some() {
            by_waits.clear();
        }
        let by_waits = by_waits
            .into_iter()
            .map(|Cut { class, parts, .. }| parts.map(|waits| Side::Waited { class, waits }));
        let by_mean = mean.map(|(_, parts)| parts.map(|range| Side::MeanWaited { range }));
        let waits_first = waits_first || mean_first;
        let by_threads = match spread {
            Some(place) => vec![place],
            None if reads_first || waits_first => Vec::new(),
            None => self.places(part, known),
        };
        let by_threads = by_threads.into_iter();
        let by_threads = by_threads.map(|(counter, cut)| ranges.split(counter, cut).map(Side::Threads));
        let by_reads =
            relaxation.cuts_of_what_is_drawn().into_iter().take(if reads_first { 1 } else { usize::MAX });
        let by_reads = by_reads.map(|(watch, ends)| ends.map(|range| Side::Drawn { watch, range }));
        let mut best: Option<(f64, [Side; 2], [Improved; 2])> = None;
        let mut work = if few.is_some() { relaxation.pricing() } else { 0 };
        let mut places: Vec<[Side; 2]> = by_threads.chain(by_reads).chain(by_waits).chain(by_mean).collect();
        if places.len() == 1 {
            // Only one place: no comparison needed.
            best = places.pop().map(|sides| (0.0, sides, [improved.clone(), improved.clone()]));
        }
        for sides in places {
            if matches!(sides[0], Side::Waited { .. }) {
                work += judged.laying_out();
            }
            let trials = sides.each_ref().map(|side| {
                let half = side.ranges().unwrap_or(ranges);
                match side.of(judged, &from, &evaluator) {
                    Some((judged, from)) => judged.improve(&from, half, cutoff, TRIAL),
                    None => judged.improve(&from, half, cutoff, TRIAL),
                }
            });
            work += trials[0].work + trials[1].work;
            let (low, high) = (trials[0].bound.min(trials[1].bound), trials[0].bound.max(trials[1].bound));
            // The worse half counts most, the better one a little.
            let left = (high - cutoff).max(0.0) + 0.2 * (low - cutoff).max(0.0);
            if best.as_ref().is_none_or(|(least, ..)| left < *least) {
                best = Some((left, sides, trials));
            }
            if left <= 0.0 || self.monitor.stop() {
                break;
            }
        }
        let Some((_, sides, trials)) = best else { return (None, work) };
        let [below, above] = sides;
        let finish = |side: Side, trial: &Improved| {
            // The value of a half from few options is no bound on all of them, and the cuts of a shorter list have different numbers.
            let trial = Improved {
                bound: if few.is_some() { f64::INFINITY } else { trial.bound },
                cuts: improved.cuts.clone(),
                ..trial.clone()
            };
            let half = side.ranges().unwrap_or(ranges).clone();
            let side_of_waits = matches!(side, Side::MeanWaited { .. });
            let (relaxation, trial) = match side.of(relaxation, &trial, &evaluator) {
                Some((less, trial)) => (Arc::new(less), trial),
                None => (Arc::clone(relaxation), trial),
            };
            let is_open = trial.bound > cutoff;
            let with_least = (is_open && has_room && relaxation.least_differs(&part.ranges, &half))
                .then(|| relaxation.with_least(&half))
                .flatten();
            let relaxation = with_least.map_or(relaxation, Arc::new);
            // A part that will be cut again at once needs little work.
            let again = spread_first(&relaxation, &half).is_some()
                || (reads_first && !relaxation.knows_what_is_drawn())
                || self.readers_first(&relaxation, &half).is_some();
            let (effort, from) = if side_of_waits {
                (OF_MEAN_WAITS, relaxation.with_a_price_of_waits(trial.clone(), &half))
            } else {
                (if again { TRIAL } else { THOROUGH }, trial.clone())
            };
            let mut better =
                if is_open { relaxation.improve(&from, &half, cutoff, effort) } else { trial.clone() };
            better.bound = better.bound.min(trial.bound).min(improved.bound);
            Part { ranges: half, relaxation, improved: better, number: 0 }
        };
        let parts = [finish(below, &trials[0]), finish(above, &trials[1])];
        work += parts.iter().map(|part| part.relaxation.laying_out()).sum::<u64>();
        work += parts.iter().map(|part| part.improved.work).sum::<u64>();
        (Some(parts), work)
    }
}

/// The number of threads of an application that reads all memories, if its range is still wide: such threads are in all queues.
fn spread_first(relaxation: &Relaxation<'_>, ranges: &Ranges) -> Option<(usize, u32)> {
    let readers = &relaxation.mean_wait.as_ref()?.readers;
    let ratio = |a: usize| f64::from(ranges.highest[a] + 1) / f64::from(ranges.lowest[a] + 1);
    let wide = readers.iter().copied().filter(|&a| ratio(a) > WIDE_SPREAD);
    let app = wide.max_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(b.cmp(&a)))?;
    Some((app, cut_between(ranges.lowest[app], ranges.highest[app])))
}

/// The number of threads that cuts a range into two with the same ratio of their ends.
fn cut_between(lowest: u32, highest: u32) -> u32 {
    let middle = (f64::from(highest + 1) * f64::from(lowest + 1)).sqrt() - 1.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two counts")]
    let middle = middle as u32;
    middle.clamp(lowest, highest - 1)
}

/// One of two parts.
enum Side {
    /// Threads are in these ranges.
    Threads(Ranges),
    /// The bandwidth that other nodes draw from a watched memory is in this range, GB/s.
    Drawn { watch: usize, range: (f64, f64) },
    /// The wait at the memory of a class is in this range, ns per byte.
    Waited { class: usize, waits: (f64, f64) },
    /// The mean wait is in this range, ns for each GB.
    MeanWaited { range: (f64, f64) },
}

impl Side {
    /// The ranges of threads, if they changed.
    fn ranges(&self) -> Option<&Ranges> {
        match self {
            Self::Threads(ranges) => Some(ranges),
            Self::Drawn { .. } | Self::Waited { .. } | Self::MeanWaited { .. } => None,
        }
    }

    /// The relaxation of this part, and initial prices; `None` if that of the whole is as good.
    fn of<'a>(
        &self,
        relaxation: &Relaxation<'a>,
        from: &Improved,
        evaluator: &Evaluator<'_>,
    ) -> Option<(Relaxation<'a>, Improved)> {
        match self {
            Self::Threads(ranges) => relaxation.within(from, ranges),
            Self::Drawn { watch, range } => relaxation.where_drawn(from, evaluator, *watch, *range),
            Self::Waited { class, waits } => relaxation.where_waited(from, *class, *waits),
            Self::MeanWaited { range } => relaxation.where_mean_waited(from, evaluator, *range),
        }
    }
}
