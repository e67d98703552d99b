//! Tasks that read memory, and their rates under the sharing model.
//!
//! Tasks of the same node with the same fractions and the same demand are one class: one flow of the [`Load`] with one thread per task. A
//! class without members stays for a while, because the next task is often like an earlier one. If memories depend on each other, so do
//! the rates of the sets of tasks that occurred ([`Known`]): when a task ends and a similar one begins, the previous set occurs again.
//! Otherwise only the rates at the memories of tasks that came or went are examined, which costs less than finding a set.

use std::collections::HashMap;

use hashbrown::HashTable;
use numasim_engine::{Fluid, SimTime};
use numasim_model::NodeId;
use numasim_model::sharing::{FlowId, FlowKey, Load, Network};

use crate::sockets::WorkerId;

#[cfg(test)]
mod tests;

/// Number of classes without members that are kept if tasks return to them, and if they do not: they are removed together, because that
/// rebuilds the layout.
const KEPT: usize = 1024;
const KEPT_IN_VAIN: usize = 8;
/// Number of joins between two checks whether tasks return.
const JOINS_PER_LOOK: u32 = 1024;

/// The tasks that read memory.
#[derive(Debug)]
pub(super) struct Flows<'n> {
    load: Load<'n>,
    classes: Classes,
    /// Classes with members, in any order, and the next end of a member of each.
    live: Vec<usize>,
    ends: Vec<SimTime>,
    /// Up to this index no class has members that end in this instant.
    seen: usize,
    /// Classes whose members came or went since rates were solved, and since the load was informed.
    touched: Vec<usize>,
    untold: Vec<usize>,
    /// Per worker: the task that it joined with last.
    joined: Vec<Joined>,
    known: Known,
    /// The number of the present set of tasks ([`Known`]).
    number: u64,
    /// The bits of the task that joins.
    bits: Vec<u64>,
    next_end: SimTime,
    /// Since the last check: joins, and those of them that found a class without members.
    joins: u32,
    found: u32,
    keeps: bool,
}

/// A member of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Joined {
    class: usize,
    /// GB that each member of the class had done when it joined, and 1 / its GB.
    start: f64,
    per_gb: f64,
}

impl<'n> Flows<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        Self {
            load: network.load().beginning_near(),
            classes: Classes::default(),
            live: Vec::new(),
            ends: Vec::new(),
            seen: 0,
            touched: Vec::new(),
            untold: Vec::new(),
            joined: Vec::new(),
            known: Known::default(),
            number: 0,
            bits: Vec::new(),
            next_end: SimTime::NEVER,
            joins: 0,
            found: 0,
            keeps: true,
        }
    }

    /// When the next task ends, at the last solved rates.
    pub(super) const fn next_end(&self) -> SimTime {
        self.next_end
    }

    /// A task on `node` begins to read `gb` with `fractions` on the memories, and demands `want_gbs`.
    pub(super) fn join(
        &mut self,
        now: SimTime,
        worker: WorkerId,
        node: NodeId,
        fractions: &[f64],
        (gb, want_gbs): (f64, f64),
    ) {
        self.bits.clear();
        self.bits.extend([node.0 as u64, want_gbs.to_bits()]);
        self.bits.extend(fractions.iter().map(|fraction| fraction.to_bits()));
        let (number, is_known) = self.classes.reach(&self.bits);
        let Some(class) = self.classes.get_mut(number) else { return };
        class.members.join(now, worker, gb);
        let index = worker.0 as usize;
        if self.joined.len() <= index {
            self.joined.resize(index + 1, Joined::default());
        }
        if let Some(joined) = self.joined.get_mut(index) {
            *joined =
                Joined { class: number, start: class.members.done(now), per_gb: (1.0 / gb).min(f64::MAX) };
        }
        self.number = self.number.wrapping_add(class.weight);
        if class.place == NOWHERE {
            class.place = self.live.len();
            self.live.push(number);
            self.ends.push(SimTime::NEVER);
            self.found += u32::from(is_known);
        }
        if !std::mem::replace(&mut class.is_touched, true) {
            self.touched.push(number);
        }
        self.joins += 1;
    }

    /// The completed part of the task of a worker, which has joined and not ended.
    pub(super) fn progress(&self, now: SimTime, worker: WorkerId) -> f64 {
        let Some(joined) = self.joined.get(worker.0 as usize) else { return 0.0 };
        let done = self.classes.get(joined.class).map_or(0.0, |class| class.members.done(now));
        ((done - joined.start) * joined.per_gb).clamp(0.0, 1.0)
    }

    /// Takes a task that is complete at `latest`, the end of the instant of `now`.
    pub(super) fn pop_ended(&mut self, now: SimTime, latest: SimTime) -> Option<WorkerId> {
        if self.next_end > latest {
            return None;
        }
        while let Some(skipped) = SimTime::first_until(self.ends.get(self.seen..).unwrap_or_default(), latest)
        {
            self.seen += skipped;
            let end = self.ends.get_mut(self.seen);
            let class = self.live.get(self.seen).map(|&number| (number, self.classes.get_mut(number)));
            let (Some(end), Some((number, Some(class)))) = (end, class) else { break };
            let ended = class.members.pop_ended_by(now, latest);
            *end = class.members.next_end();
            if ended.is_some() {
                self.number = self.number.wrapping_sub(class.weight);
                if !std::mem::replace(&mut class.is_touched, true) {
                    self.touched.push(number);
                }
                return ended;
            }
        }
        self.seen = 0;
        // If members have ended, rates are solved before the next end is requested.
        self.next_end = if self.touched.is_empty() { SimTime::earliest(&self.ends) } else { SimTime::NEVER };
        None
    }

    /// Rates for the present tasks.
    pub(super) fn solve(&mut self, now: SimTime) {
        if self.touched.is_empty() {
            return;
        }
        self.look_at_touched_ones();
        if self.load.memories_are_apart() {
            self.solve_apart(now);
        } else {
            self.solve_all(now);
        }
        // Rates are unchanged, although members are not.
        while let Some(number) = self.touched.pop() {
            if let Some(class) = self.classes.get_mut(number) {
                class.is_touched = false;
                if let Some(end) = self.ends.get_mut(class.place) {
                    *end = class.members.next_end();
                }
            }
        }
        self.next_end = SimTime::earliest(&self.ends);
        if self.joins >= JOINS_PER_LOOK {
            self.keeps = 2 * self.found >= self.joins;
            (self.joins, self.found) = (0, 0);
        }
        if self.classes.len() - self.live.len() > if self.keeps { KEPT } else { KEPT_IN_VAIN } {
            self.classes.forget_empty_ones(&mut self.load);
            self.untold.retain(|&number| self.classes.get(number).is_some());
        }
    }

    /// Removes classes that have lost their last member from those with members; the load is informed of all.
    fn look_at_touched_ones(&mut self) {
        for &number in &self.touched {
            let Some(class) = self.classes.get_mut(number) else { continue };
            if !std::mem::replace(&mut class.is_untold, true) {
                self.untold.push(number);
            }
            if !class.members.is_empty() {
                continue;
            }
            let place = std::mem::replace(&mut class.place, NOWHERE);
            if place < self.live.len().min(self.ends.len()) {
                self.live.swap_remove(place);
                self.ends.swap_remove(place);
            }
            let moved = self.live.get(place).copied().and_then(|moved| self.classes.get_mut(moved));
            if let Some(moved) = moved {
                moved.place = place;
            }
        }
    }

    /// Rates if a change at one memory does not affect the others.
    fn solve_apart(&mut self, now: SimTime) {
        let Self { load, classes, ends, untold, .. } = self;
        for number in untold.drain(..) {
            classes.tell(load, number, false);
        }
        load.solve_telling(|flow, rate| {
            if let Some(number) = classes.of_flow(flow) {
                set_rate(now, classes, ends, number, rate);
            }
        });
    }

    /// Rates if it does: those of the same set of tasks, if it occurred before.
    fn solve_all(&mut self, now: SimTime) {
        let Self { load, classes, live, ends, untold, known, number, .. } = self;
        let is_there = |member: &Member| {
            let class = classes.get(member.class);
            class.is_some_and(|class| class.serial == member.serial && class.members.len() == member.count)
        };
        if let Some(members) = known.recall(*number, live.len(), is_there) {
            for member in members {
                set_rate(now, classes, ends, member.class, member.rate);
            }
            return;
        }
        for number in untold.drain(..) {
            classes.tell(load, number, true);
        }
        load.solve();
        for &number in live.iter() {
            let flow = classes.get(number).and_then(|class| class.flow);
            if let Some(flow) = flow {
                set_rate(now, classes, ends, number, load.bandwidth(flow));
            }
        }
        known.learn(*number, || {
            let member = |&class: &usize| {
                let Class { serial, members, .. } = classes.get(class)?;
                Some(Member { class, serial: *serial, count: members.len(), rate: members.rate() })
            };
            live.iter().filter_map(member).collect()
        });
    }
}

/// Members of a class proceed at that rate from now on.
fn set_rate(now: SimTime, classes: &mut Classes, ends: &mut [SimTime], number: usize, rate: f64) {
    let Some(class) = classes.get_mut(number) else { return };
    if class.members.rate().to_bits() != rate.to_bits() {
        class.members.set_rate(now, rate);
        if let Some(end) = ends.get_mut(class.place) {
            *end = class.members.next_end();
        }
    }
}

// Equal tasks, as classes that are found by their properties.

/// Place of a class without members.
const NOWHERE: usize = usize::MAX;

/// Equal tasks.
#[derive(Clone, Debug, Default)]
struct Class {
    /// Bits of node, demand and fractions; and their hash.
    bits: Vec<u64>,
    hash: u64,
    /// Its number among all classes that ever existed, and [`scattered`] of that.
    serial: u64,
    weight: u64,
    /// Its flow in the load, if it has one.
    flow: Option<FlowId>,
    members: Fluid<WorkerId>,
    /// Its place among the classes with members, or [`NOWHERE`].
    place: usize,
    /// Whether members came or went since rates were solved, and since the load was informed.
    is_touched: bool,
    is_untold: bool,
    /// Whether it was forgotten: the slot can be used for another one.
    is_forgotten: bool,
}

/// Classes, with and without members, by numbers that stay valid until they are forgotten.
#[derive(Debug, Default)]
struct Classes {
    all: Vec<Class>,
    free: Vec<usize>,
    by_bits: HashTable<usize>,
    /// By flow: its class.
    of_flow: Vec<usize>,
    next_serial: u64,
    /// Classes that are about to be forgotten, by serial.
    empty: Vec<(u64, usize)>,
}

impl Classes {
    /// Number of classes.
    fn len(&self) -> usize {
        self.all.len() - self.free.len()
    }

    fn get(&self, number: usize) -> Option<&Class> {
        self.all.get(number).filter(|class| !class.is_forgotten)
    }

    fn get_mut(&mut self, number: usize) -> Option<&mut Class> {
        self.all.get_mut(number).filter(|class| !class.is_forgotten)
    }

    /// The class with these bits, and whether it existed; otherwise it is made.
    fn reach(&mut self, bits: &[u64]) -> (usize, bool) {
        let Self { all, by_bits, .. } = self;
        let hash = hash(bits);
        let is_same = |&number: &usize| all.get(number).is_some_and(|class| *class.bits == *bits);
        if let Some(&number) = by_bits.find(hash, is_same) {
            return (number, true);
        }
        let number = self.free.pop().unwrap_or_else(|| {
            all.push(Class::default());
            all.len() - 1
        });
        if let Some(class) = all.get_mut(number) {
            class.bits.clear();
            class.bits.extend(bits);
            // Left from another class: its members have gone, so their rate is zero.
            class.members.set_rate(SimTime::START, 0.0);
            let serial = self.next_serial;
            (class.hash, class.serial, class.weight) = (hash, serial, scattered(serial));
            (class.flow, class.place) = (None, NOWHERE);
            (class.is_touched, class.is_untold, class.is_forgotten) = (false, false, false);
        }
        self.next_serial += 1;
        by_bits.insert_unique(hash, number, |&number| all.get(number).map_or(0, |class| class.hash));
        (number, false)
    }

    /// Sets the number of members of a class in the load. The class is a flow while it has members; also afterwards, if adding and
    /// removing flows is expensive (`flows_stay`).
    fn tell(&mut self, load: &mut Load<'_>, number: usize, flows_stay: bool) {
        let Some(class) = self.all.get_mut(number) else { return };
        class.is_untold = false;
        let members = class.members.len() as f64;
        match class.flow {
            Some(flow) if class.members.is_empty() && !flows_stay => {
                load.remove(flow);
                class.flow = None;
            }
            Some(flow) => load.set_threads(flow, members),
            None if class.members.is_empty() => {}
            None => {
                class.flow = class.add_to(load, members);
                if let Some(flow) = class.flow {
                    if self.of_flow.len() <= flow.index() {
                        self.of_flow.resize(flow.index() + 1, NOWHERE);
                    }
                    self.of_flow.get_mut(flow.index()).into_iter().for_each(|of| *of = number);
                }
            }
        }
    }

    /// The class of a flow.
    fn of_flow(&self, flow: FlowId) -> Option<usize> {
        self.of_flow.get(flow.index()).copied()
    }

    /// Forgets classes without members, and removes their flows: in the order of their creation.
    fn forget_empty_ones(&mut self, load: &mut Load<'_>) {
        let Self { all, by_bits, empty, free, .. } = self;
        let is_empty = |class: &Class| class.place == NOWHERE && !class.is_forgotten;
        let named = all.iter().enumerate().filter(|(_, class)| is_empty(class));
        empty.extend(named.map(|(number, class)| (class.serial, number)));
        empty.sort_unstable();
        for (_, number) in empty.drain(..) {
            let Some(class) = all.get_mut(number) else { continue };
            class.is_forgotten = true;
            if let Some(flow) = class.flow.take() {
                load.remove(flow);
            }
            if let Ok(entry) = by_bits.find_entry(class.hash, |&known| known == number) {
                entry.remove();
            }
            free.push(number);
        }
    }
}

impl Class {
    /// Adds a flow with this number of threads. Workers are on nodes with cores.
    fn add_to(&self, load: &mut Load<'_>, threads: f64) -> Option<FlowId> {
        let (&node, rest) = self.bits.split_first()?;
        let (&want, fractions) = rest.split_first()?;
        let fraction = |memory: NodeId| fractions.get(memory.0).map_or(0.0, |&bits| f64::from_bits(bits));
        let key = FlowKey(self.serial);
        let node = NodeId(usize::try_from(node).ok()?);
        load.add_reader(key, node, threads, f64::from_bits(want), fraction)
    }
}

/// Words are mixed as in `FxHash`, and then all bits.
fn hash(bits: &[u64]) -> u64 {
    let mixed = |hash: u64, &word: &u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    scattered(bits.iter().fold(0, mixed))
}

// Rates of sets of tasks that occurred before.

/// Maximum number of stored sets: with 64 classes each, 6 MiB.
const MOST: usize = 4096;
/// Number of lookups between two checks whether they help.
const TRIES_PER_LOOK: u32 = 1024;
/// Number of lookups that are skipped if they did not.
const PAUSE: u32 = 16 * TRIES_PER_LOOK;

/// The number of tasks of a class, and their rate in GB/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Member {
    /// Its number, and its number among all classes that ever existed: the first is reused.
    pub(super) class: usize,
    pub(super) serial: u64,
    pub(super) count: usize,
    pub(super) rate: f64,
}

/// Sets of tasks and their rates. A set is found by the sum of a number for each of its tasks, and compared in full.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    sets: HashMap<u64, Box<[Member]>>,
    tries: u32,
    hits: u32,
    /// Number of lookups still to be skipped.
    pause: u32,
}

impl Known {
    /// The set with that number, of `classes` different classes, all of which are `there`, if it occurred before.
    pub(super) fn recall(
        &mut self,
        number: u64,
        classes: usize,
        is_there: impl Fn(&Member) -> bool,
    ) -> Option<&[Member]> {
        if self.pause > 0 {
            self.pause -= 1;
            return None;
        }
        self.tries += 1;
        if self.tries >= TRIES_PER_LOOK {
            if self.hits < TRIES_PER_LOOK / 8 {
                self.pause = PAUSE;
                self.sets.clear();
            }
            (self.tries, self.hits) = (0, 0);
        }
        let known = self.sets.get(&number)?;
        let is_same = known.len() == classes && known.iter().all(is_there);
        self.hits += u32::from(is_same);
        is_same.then_some(known)
    }

    /// Stores the set that was just looked up.
    pub(super) fn learn(&mut self, number: u64, set: impl FnOnce() -> Box<[Member]>) {
        if self.pause > 0 {
            return;
        }
        if self.sets.len() >= MOST {
            self.sets.clear();
        }
        self.sets.insert(number, set());
    }
}

/// A number that looks random (the finaliser of SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
pub(super) fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) | 1
}

#[cfg(test)]
mod known_tests {
    use super::*;

    /// Number of tasks of each of these classes.
    type Set<'s> = &'s [(u64, usize)];

    fn number(set: Set<'_>) -> u64 {
        set.iter()
            .map(|&(serial, count)| scattered(serial).wrapping_mul(count as u64))
            .fold(0, u64::wrapping_add)
    }

    fn rates(known: &mut Known, numbered: Set<'_>, set: Set<'_>) -> Option<Vec<f64>> {
        let is_there = |member: &Member| set.contains(&(member.serial, member.count));
        let members = known.recall(number(numbered), set.len(), is_there)?;
        Some(members.iter().map(|member| member.rate).collect())
    }

    fn learn(known: &mut Known, set: Set<'_>, rates: &[f64]) {
        let member =
            |(&(serial, count), &rate): (&(u64, usize), &f64)| Member { class: 0, serial, count, rate };
        known.learn(number(set), || set.iter().zip(rates).map(member).collect());
    }

    #[test]
    fn a_set_is_recalled_and_no_other_one_is() {
        let mut known = Known::default();
        let met = [(1, 5), (3, 2)];
        assert_eq!(rates(&mut known, &met, &met), None);
        learn(&mut known, &met, &[2.0, 0.5]);
        assert_eq!(rates(&mut known, &met, &met), Some(vec![2.0, 0.5]));
        assert_eq!(rates(&mut known, &[(1, 5), (3, 3)], &[(1, 5), (3, 3)]), None);
        // The same number, but another set: it must not be mistaken for it.
        for other in [&[(1, 5)][..], &[(1, 5), (3, 3)], &[(1, 5), (4, 2)], &[(1, 5), (3, 2), (4, 1)]] {
            assert_eq!(rates(&mut known, &met, other), None);
        }
    }

    #[test]
    fn sets_that_never_come_back_are_not_remembered() {
        let mut known = Known::default();
        for serial in 0..2 * u64::from(TRIES_PER_LOOK) {
            let once = [(serial, 1)];
            assert_eq!(rates(&mut known, &once, &once), None);
            learn(&mut known, &once, &[1.0]);
        }
        assert!(known.sets.is_empty());
    }
}
