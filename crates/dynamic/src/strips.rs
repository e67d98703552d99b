//! A simulation as strips over time: cores and GFLOPS of each application on each node, and items of each channel, in slots of
//! equal length.
//!
//! What a picture needs, in memory that does not depend on the number of events: the slots become twice as long whenever there
//! are too many. Between two instants everything is constant, so the mean of a slot is exact.

use numasim_model::units::Seconds;
use numasim_model::{AppId, NodeId, Study, Table};

use crate::observer::{Observer, Snapshot};

/// Most slots; a picture has hardly more columns.
const MOST_SLOTS: usize = 2048;
/// Fewest slots, where there are very many applications and nodes. Both are even: slots are joined in pairs.
const FEWEST_SLOTS: usize = 64;
/// Most values in all slots together: 32 MB.
const MOST_VALUES: usize = 4 << 20;
/// Length of a slot at the beginning, a power of two, about 1 ns: shorter than anything that is simulated.
const FIRST_SLOT_S: f64 = 1.0 / (1 << 30) as f64;

/// Cores, GFLOPS and items over time. Slot i is the time from i x `slot` to (i + 1) x `slot`; the last one ends with `end`.
#[derive(Clone, Debug, PartialEq)]
pub struct Strips {
    /// Length of a slot.
    pub slot: Seconds,
    /// Length of all slots together: when the simulation ended.
    pub end: Seconds,
    /// For each application and node: the cores that its threads use, on average over each slot.
    pub busy: Table<Vec<f64>>,
    /// For each application and node: its GFLOPS, on average over each slot.
    pub gflops: Table<Vec<f64>>,
    /// For each channel, in file order: its items in each slot.
    pub items: Vec<Vec<Items>>,
}

/// Items that are produced and not finished in a channel, over one slot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Items {
    /// On average.
    pub mean: f64,
    /// The most at the end of an instant.
    pub max: f64,
}

impl Strips {
    /// How many slots there are.
    pub fn slots(&self) -> usize {
        let busy = self.busy.as_slice().first().map(Vec::len);
        busy.or_else(|| self.items.first().map(Vec::len)).unwrap_or(0)
    }

    /// When slot `number` begins.
    pub fn begins(&self, number: usize) -> Seconds {
        self.slot * number as f64
    }
}

/// Looks on at a simulation and makes strips of it.
#[derive(Clone, Debug)]
pub struct StripRecorder {
    apps: usize,
    nodes: usize,
    slot_s: f64,
    slots: usize,
    busy: Vec<Series>,
    gflops: Vec<Series>,
    items: Vec<Series>,
}

impl StripRecorder {
    /// For the applications, nodes and channels of a study.
    pub fn new(study: &Study) -> Self {
        let (apps, nodes) = (study.apps.len(), study.machine.node_count());
        let channels = study.dynamics.channels.len();
        let series = (2 * apps * nodes + 2 * channels).max(1);
        let slots = (MOST_VALUES / series).clamp(FEWEST_SLOTS, MOST_SLOTS) & !1;
        Self {
            apps,
            nodes,
            slot_s: FIRST_SLOT_S,
            slots,
            busy: vec![Series::default(); apps * nodes],
            gflops: vec![Series::default(); apps * nodes],
            items: vec![Series::default(); channels],
        }
    }

    /// The strips of a simulation that ended at `end`.
    pub fn finish(mut self, end: Seconds) -> Strips {
        self.make_room(end.value());
        let slots = self.slots_until(end.value());
        let mean = |series: &mut Series, slot_s: f64| {
            series.set(end.value(), 0.0, slot_s);
            series.sums.resize(slots, 0.0);
            series.most.resize(slots, 0.0);
            for (slot, sum) in series.sums.iter_mut().enumerate() {
                let begin = slot as f64 * slot_s;
                *sum /= (end.value() - begin).min(slot_s);
            }
        };
        let slot_s = self.slot_s;
        let means = |all: &mut [Series]| {
            let means = all.iter_mut().map(|series| {
                mean(series, slot_s);
                std::mem::take(&mut series.sums)
            });
            let mut means = means.collect::<Vec<_>>().into_iter();
            Table::from_fn(self.apps, self.nodes, |_: AppId, _: NodeId| means.next().unwrap_or_default())
        };
        let (busy, gflops) = (means(&mut self.busy), means(&mut self.gflops));
        let items = self.items.iter_mut().map(|series| {
            mean(series, slot_s);
            series.sums.iter().zip(&series.most).map(|(&mean, &max)| Items { mean, max }).collect()
        });
        Strips { slot: Seconds::new(slot_s), end, busy, gflops, items: items.collect() }
    }

    /// Slots that begin before `end_s`.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the most slots")]
    fn slots_until(&self, end_s: f64) -> usize {
        ((end_s / self.slot_s).ceil() as usize).min(self.slots)
    }

    /// Makes slots longer until `until_s` lies in one of them, or at the end of the last.
    fn make_room(&mut self, until_s: f64) {
        while until_s > self.slot_s * self.slots as f64 && until_s.is_finite() {
            self.slot_s *= 2.0;
            for series in self.busy.iter_mut().chain(&mut self.gflops).chain(&mut self.items) {
                series.join_slots();
            }
        }
    }
}

impl Observer for StripRecorder {
    fn looks(&self) -> bool {
        true
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        let now_s = snapshot.time().value();
        self.make_room(now_s);
        for (cell, series) in self.busy.iter_mut().enumerate() {
            let (app, node) = (cell / self.nodes, cell % self.nodes);
            series.set(now_s, snapshot.counts(AppId(app), node).busy, self.slot_s);
            self.gflops[cell].set(now_s, snapshot.gflops(AppId(app), node), self.slot_s);
        }
        for (channel, series) in self.items.iter_mut().enumerate() {
            series.set(now_s, snapshot.items(channel) as f64, self.slot_s);
        }
    }
}

/// A number that changes in steps, in slots.
#[derive(Clone, Debug, Default)]
struct Series {
    value: f64,
    since_s: f64,
    /// Its integral over each slot so far.
    sums: Vec<f64>,
    /// The largest in each slot so far.
    most: Vec<f64>,
}

impl Series {
    /// From `now_s` on it is `value`.
    fn set(&mut self, now_s: f64, value: f64, slot_s: f64) {
        // The bits: a number that comes back is not mistaken for one that has changed.
        if value.to_bits() == self.value.to_bits() {
            return;
        }
        if self.value != 0.0 {
            self.add(self.since_s, now_s, slot_s);
        }
        (self.value, self.since_s) = (value, now_s);
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the most slots")]
    fn add(&mut self, from_s: f64, to_s: f64, slot_s: f64) {
        let (first, end) = ((from_s / slot_s) as usize, (to_s / slot_s).ceil() as usize);
        if self.sums.len() < end {
            self.sums.resize(end, 0.0);
            self.most.resize(end, 0.0);
        }
        for slot in first..end {
            let begin_s = slot as f64 * slot_s;
            let part_s = to_s.min(begin_s + slot_s) - from_s.max(begin_s);
            self.sums[slot] += self.value * part_s.max(0.0);
            self.most[slot] = self.most[slot].max(self.value);
        }
    }

    /// Each two slots become one.
    fn join_slots(&mut self) {
        self.sums = self.sums.chunks(2).map(|pair| pair.iter().sum()).collect();
        self.most = self.most.chunks(2).map(|pair| pair.iter().copied().fold(0.0, f64::max)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder(slots: usize) -> StripRecorder {
        StripRecorder {
            apps: 1,
            nodes: 1,
            slot_s: 1.0,
            slots,
            busy: vec![Series::default()],
            gflops: vec![Series::default()],
            items: vec![Series::default()],
        }
    }

    /// Cores and items from these times on.
    fn strips(slots: usize, steps: &[(f64, f64)], end: f64) -> Strips {
        let mut recorder = recorder(slots);
        for &(time_s, value) in steps {
            recorder.make_room(time_s);
            recorder.busy[0].set(time_s, value, recorder.slot_s);
            recorder.gflops[0].set(time_s, 10.0 * value, recorder.slot_s);
            recorder.items[0].set(time_s, value, recorder.slot_s);
        }
        recorder.finish(Seconds::new(end))
    }

    #[test]
    fn slots_have_means_over_time() {
        // 4 until 0.5, then 8 until 2.25, then nothing: (4 + 8) / 2 = 6; 8; 8 x 0.25 = 2.
        let strips = strips(4, &[(0.0, 4.0), (0.5, 8.0), (2.25, 0.0)], 3.0);
        assert_eq!(strips.slots(), 3);
        assert_eq!(strips.busy.as_slice()[0], [6.0, 8.0, 2.0]);
        assert_eq!(strips.gflops.as_slice()[0], [60.0, 80.0, 20.0]);
        let max: Vec<f64> = strips.items[0].iter().map(|items| items.max).collect();
        assert_eq!(max, [8.0, 8.0, 8.0]);
    }

    #[test]
    fn slots_become_twice_as_long_when_there_are_too_many() {
        // 1 until 3, 5 until 7: four slots of 2 s: 1; (1 + 5) / 2; 5; 5 x 1 s of the 1 s that is left.
        let strips = strips(4, &[(0.0, 1.0), (3.0, 5.0)], 7.0);
        assert_eq!(strips.slot, Seconds::new(2.0));
        assert_eq!(strips.busy.as_slice()[0], [1.0, 3.0, 5.0, 5.0]);
        assert_eq!(strips.items[0][1], Items { mean: 3.0, max: 5.0 });
        assert_eq!(strips.begins(3), Seconds::new(6.0));
    }

    #[test]
    fn nothing_makes_no_slots_and_a_long_time_as_many_as_there_are() {
        assert_eq!(strips(4, &[], 0.0).slots(), 0);
        let long = strips(4, &[(0.0, 2.0)], 1e9);
        assert!((3..=4).contains(&long.slots()), "{}", long.slots());
        assert!(long.busy.as_slice()[0].iter().all(|&busy| (busy - 2.0).abs() < 1e-12));
    }
}
