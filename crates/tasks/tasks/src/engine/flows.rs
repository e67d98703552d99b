//! Tasks that read memory, and the rates that the sharing model gives them.
//!
//! Tasks of the same node with the same fractions and the same want are one class: one flow of the [`Load`] with as many threads. A class
//! without members stays for a while, as the next task is often like one before. Where memories depend on each other so do the rates of
//! the sets of tasks that were met ([`Known`]): a task that ends and one like it that begins bring back the set of a moment ago. Where
//! they do not, only the rates at the memories of tasks that came or went are looked at, which costs less than finding a set.

use numasim_engine::SimTime;
use numasim_model::NodeId;
use numasim_model::sharing::{Load, Network};

use self::classes::{Class, Classes, NOWHERE};
use super::known::{Known, Member};
use crate::sockets::WorkerId;

mod classes;
#[cfg(test)]
mod tests;

/// Classes without members that are kept where tasks come back to them, and where they do not: taken away together, as that is laid out
/// anew then.
const KEPT: usize = 1024;
const KEPT_IN_VAIN: usize = 32;
/// Joins between two looks whether they do.
const JOINS_PER_LOOK: u32 = 1024;

/// The tasks that read memory.
#[derive(Debug)]
pub(super) struct Flows<'n> {
    load: Load<'n>,
    classes: Classes,
    /// Classes with members, in any order, and when the next member of each ends.
    live: Vec<usize>,
    ends: Vec<SimTime>,
    /// Up to here no class has members that end in this instant.
    seen: usize,
    /// Classes whose members came or went since rates were solved, and since the load heard of them.
    touched: Vec<usize>,
    untold: Vec<usize>,
    known: Known,
    /// The number of the set of tasks that there are ([`Known`]).
    number: u64,
    /// The bits of the task that joins.
    bits: Vec<u64>,
    next_end: SimTime,
    /// Since the last look: joins, and those of them that found a class without members.
    joins: u32,
    found: u32,
    keeps: bool,
}

impl<'n> Flows<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        Self {
            load: network.load(),
            classes: Classes::default(),
            live: Vec::new(),
            ends: Vec::new(),
            seen: 0,
            touched: Vec::new(),
            untold: Vec::new(),
            known: Known::default(),
            number: 0,
            bits: Vec::new(),
            next_end: SimTime::NEVER,
            joins: 0,
            found: 0,
            keeps: true,
        }
    }

    /// When the next task ends, at the rates that were solved last.
    pub(super) const fn next_end(&self) -> SimTime {
        self.next_end
    }

    /// A task on `node` begins to read `gb` with `fractions` on the memories, and wants `want_gbs`.
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

    /// Takes a task that is done at `latest`, the end of the instant of `now`.
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
        // Where members have ended, rates are solved before anybody asks for the next end.
        self.next_end = if self.touched.is_empty() { SimTime::earliest(&self.ends) } else { SimTime::NEVER };
        None
    }

    /// Rates for the tasks that there are now.
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
        // Rates are what they were, though members are not.
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

    /// Classes that have lost their last member are no longer among those that have any; the load is to hear of all.
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

    /// Rates where a change at one memory leaves the others as they are.
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

    /// Rates where it does not: those of the same set of tasks, if it was met before.
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
