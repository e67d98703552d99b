//! Numbers that change in steps: their integrals, and over slots of equal length their means and the largest of each.
//!
//! What a picture over time needs, in memory that does not depend on the number of steps: the slots become twice as long whenever
//! there are too many. Between two steps a number is constant, so the mean of a slot is exact.

use numasim_course::Study;
use numasim_engine::SimTime;
use numasim_model::order::Waiting;
use numasim_model::units::Seconds;
use numasim_model::{AppId, NodeId, Table};

use crate::result::{Observer, Snapshot};

/// Most slots; a picture has hardly more columns.
const MOST_SLOTS: usize = 2048;
/// Fewest slots, where there are very many numbers. Both are even: slots are joined in pairs.
const FEWEST_SLOTS: usize = 64;
/// Most values in all slots together: 32 MB.
const MOST_VALUES: usize = 4 << 20;
/// Length of a slot at the beginning, a power of two, about 1 ns: shorter than anything that is simulated.
const FIRST_SLOT_S: f64 = 1.0 / (1 << 30) as f64;

/// Takes the steps of several numbers, each in the order of time.
#[derive(Clone, Debug)]
pub struct SlotRecorder {
    slot_s: f64,
    slots: usize,
    series: Vec<Series>,
}

/// What became of them. Slot i is the time from i x `slot` to (i + 1) x `slot`; the last one ends with `end`.
#[derive(Clone, Debug, PartialEq)]
pub struct Slots {
    /// Length of a slot.
    pub slot: Seconds,
    /// Length of all slots together.
    pub end: Seconds,
    /// Each number, on average over each slot.
    pub mean: Vec<Vec<f64>>,
    /// Each number, at most in each slot.
    pub most: Vec<Vec<f64>>,
}

impl SlotRecorder {
    /// For so many numbers, all 0 until their first step.
    pub fn new(numbers: usize) -> Self {
        let slots = (MOST_VALUES / (2 * numbers).max(1)).clamp(FEWEST_SLOTS, MOST_SLOTS) & !1;
        Self { slot_s: FIRST_SLOT_S, slots, series: vec![Series::default(); numbers] }
    }

    /// From `now` on a number is `value`; a number that does not exist, or a time that is not finite, is ignored.
    pub fn set(&mut self, number: usize, now: Seconds, value: f64) {
        let now_s = now.value();
        if !now_s.is_finite() {
            return;
        }
        self.make_room(now_s);
        let slot_s = self.slot_s;
        if let Some(series) = self.series.get_mut(number) {
            series.set(now_s, value, slot_s);
        }
    }

    /// All numbers until `end`.
    pub fn finish(mut self, end: Seconds) -> Slots {
        self.make_room(end.value());
        let slots = self.slots_until(end.value());
        let slot_s = self.slot_s;
        let (mut mean, mut most) = (Vec::new(), Vec::new());
        for mut series in self.series {
            series.set(end.value(), 0.0, slot_s);
            series.sums.resize(slots, 0.0);
            series.most.resize(slots, 0.0);
            for (slot, sum) in series.sums.iter_mut().enumerate() {
                let begin = slot as f64 * slot_s;
                *sum /= (end.value() - begin).min(slot_s);
            }
            mean.push(series.sums);
            most.push(series.most);
        }
        Slots { slot: Seconds::new(slot_s), end, mean, most }
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
            self.series.iter_mut().for_each(Series::join_slots);
        }
    }
}

/// One number.
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
    channels: usize,
    /// Cores of each application and node, then their GFLOPS, then the items of each channel.
    slots: SlotRecorder,
}

impl StripRecorder {
    /// For the applications, nodes and channels of a study.
    pub fn new(study: &Study) -> Self {
        let (apps, nodes) = (study.apps.len(), study.machine.node_count());
        let channels = study.dynamics.channels.len();
        Self { apps, nodes, channels, slots: SlotRecorder::new(2 * apps * nodes + channels) }
    }

    /// The strips of a simulation that ended at `end`.
    pub fn finish(self, end: Seconds) -> Strips {
        let slots = self.slots.finish(end);
        let cells = self.apps * self.nodes;
        let mut means = slots.mean.into_iter();
        let mut table =
            || Table::from_fn(self.apps, self.nodes, |_: AppId, _: NodeId| means.next().unwrap_or_default());
        let (busy, gflops) = (table(), table());
        let items = means.zip(slots.most.into_iter().skip(2 * cells));
        let items = items.map(|(mean, most)| {
            mean.into_iter().zip(most).map(|(mean, max)| Items { mean, max }).collect::<Vec<_>>()
        });
        Strips { slot: slots.slot, end, busy, gflops, items: items.collect() }
    }
}

impl Observer for StripRecorder {
    fn looks(&self) -> bool {
        true
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        let now = snapshot.time();
        let cells = self.apps * self.nodes;
        for cell in 0..cells {
            let (app, node) = (AppId(cell / self.nodes), cell % self.nodes);
            self.slots.set(cell, now, snapshot.counts(app, node).busy);
            self.slots.set(cells + cell, now, snapshot.gflops(app, node));
        }
        for channel in 0..self.channels {
            self.slots.set(2 * cells + channel, now, snapshot.items(channel) as f64);
        }
    }
}

/// The integral of a number that changes in steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Integral {
    value: f64,
    since: SimTime,
    sum: f64,
}

impl Integral {
    /// From `now` on it is `value`.
    pub(crate) fn set(&mut self, now: SimTime, value: f64) {
        if value != self.value {
            self.sum += self.value * now.since(self.since);
            self.since = now;
            self.value = value;
        }
    }

    /// Up to `now`.
    pub(crate) fn until(&self, now: SimTime) -> f64 {
        self.sum + self.value * now.since(self.since)
    }
}

/// Threads of an application, and what it waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Threads that compute.
    pub(crate) running: u32,
    /// Of these, those that share their cores.
    pub(crate) shared: u32,
    /// Threads that might run and have nothing to do.
    pub(crate) idle: u32,
    pub(crate) blocked: u32,
    pub(crate) waiting: Waiting,
}

/// One application.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AppTally {
    pub(crate) arrived: Option<SimTime>,
    pub(crate) finished: Option<SimTime>,
    running: Integral,
    shared: Integral,
    idle: Integral,
    blocked: Integral,
    waits: [Integral; Waiting::ALL.len()],
}

impl AppTally {
    pub(crate) fn set(&mut self, now: SimTime, state: State) {
        let State { running, shared, idle, blocked, waiting } = state;
        self.running.set(now, f64::from(running));
        self.shared.set(now, f64::from(shared));
        self.idle.set(now, f64::from(idle));
        self.blocked.set(now, f64::from(blocked));
        for (kind, integral) in Waiting::ALL.into_iter().zip(&mut self.waits) {
            integral.set(now, f64::from(u8::from(waiting == kind)));
        }
    }

    /// From its arrival to its end, or to `now`; nothing where it has not arrived.
    pub(crate) fn mean_threads(&self, now: SimTime) -> f64 {
        let Some(arrived) = self.arrived else { return 0.0 };
        let time = self.finished.unwrap_or(now).since(arrived);
        if time > 0.0 { self.running.until(now) / time } else { 0.0 }
    }

    pub(crate) fn waited(&self, kind: Waiting, now: SimTime) -> Seconds {
        Seconds::new(self.waits[kind as usize].until(now))
    }

    pub(crate) fn idle(&self, now: SimTime) -> Seconds {
        Seconds::new(self.idle.until(now))
    }

    pub(crate) fn blocked(&self, now: SimTime) -> Seconds {
        Seconds::new(self.blocked.until(now))
    }

    pub(crate) fn shared(&self, now: SimTime) -> Seconds {
        Seconds::new(self.shared.until(now))
    }
}

/// One channel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChannelTally {
    items: Integral,
    pub(crate) max_items: u64,
}

impl ChannelTally {
    /// Items at the end of an instant.
    pub(crate) fn set(&mut self, now: SimTime, items: u64) {
        self.items.set(now, items as f64);
        self.max_items = self.max_items.max(items);
    }

    pub(crate) fn mean_items(&self, now: SimTime) -> f64 {
        let time = now.seconds();
        if time > 0.0 { self.items.until(now) / time } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One number from these times on, in slots that begin with a second.
    fn slots(slots: usize, steps: &[(f64, f64)], end: f64) -> Slots {
        let mut recorder = SlotRecorder { slot_s: 1.0, slots, series: vec![Series::default()] };
        for &(time_s, value) in steps {
            recorder.set(0, Seconds::new(time_s), value);
        }
        recorder.finish(Seconds::new(end))
    }

    #[test]
    fn slots_have_means_over_time() {
        // 4 until 0.5, then 8 until 2.25, then nothing: (4 + 8) / 2 = 6; 8; 8 x 0.25 = 2.
        let slots = slots(4, &[(0.0, 4.0), (0.5, 8.0), (2.25, 0.0)], 3.0);
        assert_eq!(slots.mean[0], [6.0, 8.0, 2.0]);
        assert_eq!(slots.most[0], [8.0, 8.0, 8.0]);
    }

    #[test]
    fn slots_become_twice_as_long_when_there_are_too_many() {
        // 1 until 3, 5 until 7: four slots of 2 s: 1; (1 + 5) / 2; 5; 5 x 1 s of the 1 s that is left.
        let slots = slots(4, &[(0.0, 1.0), (3.0, 5.0)], 7.0);
        assert_eq!(slots.slot, Seconds::new(2.0));
        assert_eq!(slots.mean[0], [1.0, 3.0, 5.0, 5.0]);
        assert_eq!(slots.most[0], [1.0, 5.0, 5.0, 5.0]);
    }

    #[test]
    fn nothing_makes_no_slots_and_a_long_time_as_many_as_there_are() {
        assert_eq!(slots(4, &[], 0.0).mean, [[0.0; 0]]);
        let long = slots(4, &[(0.0, 2.0)], 1e9);
        assert!((3..=4).contains(&long.mean[0].len()), "{}", long.mean[0].len());
        assert!(long.mean[0].iter().all(|&mean| (mean - 2.0).abs() < 1e-12));
    }

    #[test]
    fn of_a_hundred_thousand_steps_no_extreme_is_lost() {
        let mut recorder = SlotRecorder::new(1);
        for step in 0..100_000_u32 {
            let value = if step == 77_777 { 40.0 } else { f64::from(step % 2) };
            recorder.set(0, Seconds::new(f64::from(step) * 1e-3), value);
        }
        let slots = recorder.finish(Seconds::new(100.0));
        assert!(slots.mean[0].len() <= MOST_SLOTS);
        assert_eq!(slots.most[0].iter().copied().fold(0.0, f64::max), 40.0);
        // Half the steps are 1, and one of them is 40: 1 ms of 39 more.
        let integral = |(slot, mean): (usize, &f64)| {
            mean * slots.slot.value().min(100.0 - slot as f64 * slots.slot.value())
        };
        let sum: f64 = slots.mean[0].iter().enumerate().map(integral).sum();
        assert!((sum - 50.039).abs() < 1e-6, "{sum}");
    }
}
