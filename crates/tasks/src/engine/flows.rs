//! Tasks that read memory, and the rates that the sharing model gives them.
//!
//! Tasks of the same node with the same fractions and the same want are one class: one flow of the [`Load`] with as many threads. A class
//! without members stays for a while, as the next task is often like one before; so do the rates of the sets of tasks that were met
//! ([`Known`]): a task that ends and one like it that begins bring back the set of a moment ago.

use std::collections::HashMap;

use numasim_engine::{Fluid, SimTime};
use numasim_model::NodeId;
use numasim_model::sharing::{FlowId, FlowKey, Load, Network};

use super::known::{Known, Member, scattered};
use crate::sockets::WorkerId;

#[cfg(test)]
mod tests;

/// Classes without members that are kept where tasks come back to them, and where they do not: taken away together, as that is laid out
/// anew then.
const KEPT: usize = 1024;
const KEPT_IN_VAIN: usize = 32;
/// Joins between two looks whether they do.
const JOINS_PER_LOOK: u32 = 1024;

/// Equal tasks.
#[derive(Clone, Debug)]
struct Class {
    /// Node, want and fractions: their bits.
    bits: Box<[u64]>,
    /// Which class it is of all that ever were.
    serial: u64,
    flow: FlowId,
    members: Fluid<WorkerId>,
    /// Whether the flow may have another number of threads.
    stale: bool,
}

/// A class with members.
#[derive(Clone, Copy, Debug)]
struct Live {
    index: usize,
    /// When the next of its members ends.
    end: SimTime,
}

/// The tasks that read memory.
#[derive(Debug)]
pub(super) struct Flows<'n> {
    load: Load<'n>,
    classes: Vec<Class>,
    by_bits: HashMap<Box<[u64]>, usize>,
    /// Classes with members by their serials: where they are, and beside that who they are and at which rate.
    live: Vec<Live>,
    set: Vec<Member>,
    /// Classes whose flows may have another number of threads.
    stale: Vec<usize>,
    known: Known,
    /// The bits of the task that joins, and new rates.
    bits: Vec<u64>,
    rates: Vec<f64>,
    next_serial: u64,
    next_end: SimTime,
    /// Whether members came or went since rates were solved.
    changed: bool,
    /// Since the last look: joins, and those of them that found a class without members.
    joins: u32,
    found: u32,
    keeps: bool,
}

impl<'n> Flows<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        Self {
            load: network.load(),
            classes: Vec::new(),
            by_bits: HashMap::new(),
            live: Vec::new(),
            set: Vec::new(),
            stale: Vec::new(),
            known: Known::default(),
            bits: Vec::new(),
            rates: Vec::new(),
            next_serial: 0,
            next_end: SimTime::NEVER,
            changed: false,
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
        let known = self.by_bits.get(self.bits.as_slice()).copied();
        let Some(index) = known.or_else(|| self.add(node, fractions, want_gbs)) else { return };
        let Some(class) = self.classes.get_mut(index) else { return };
        class.members.join(now, worker, gb);
        let serial = class.serial;
        // A rate that no class has: its next end is to be found anew.
        let rate = f64::NAN;
        match self.set.binary_search_by_key(&serial, |member| member.serial) {
            Ok(place) => {
                if let Some(member) = self.set.get_mut(place) {
                    (member.count, member.rate) = (member.count + 1, rate);
                }
            }
            Err(place) => {
                self.set.insert(place, Member { serial, weight: scattered(serial), count: 1, rate });
                self.live.insert(place, Live { index, end: SimTime::NEVER });
                self.found += u32::from(known.is_some());
            }
        }
        self.joins += 1;
        self.changes(index);
    }

    /// Takes a task that is done at `latest`, the end of the instant of `now`.
    pub(super) fn pop_ended(&mut self, now: SimTime, latest: SimTime) -> Option<WorkerId> {
        if self.next_end > latest {
            return None;
        }
        for (live, member) in self.live.iter_mut().zip(&mut self.set) {
            if live.end > latest {
                continue;
            }
            let Some(class) = self.classes.get_mut(live.index) else { continue };
            let ended = class.members.pop_ended_by(now, latest);
            live.end = class.members.next_end();
            if ended.is_some() {
                member.count = member.count.saturating_sub(1);
                let index = live.index;
                self.changes(index);
                return ended;
            }
        }
        self.find_next_end();
        None
    }

    /// Rates for the tasks that there are now; whether they may have changed.
    pub(super) fn solve(&mut self, now: SimTime) -> bool {
        if !std::mem::take(&mut self.changed) {
            return false;
        }
        self.leave_empty_ones();
        self.rates.clear();
        let known = self.known.recall(&self.set).map(|rates| self.rates.extend(rates)).is_some();
        if !known {
            self.ask_load();
        }
        self.next_end = SimTime::NEVER;
        for ((live, member), &rate) in self.live.iter_mut().zip(&mut self.set).zip(&self.rates) {
            if rate.to_bits() != member.rate.to_bits()
                && let Some(class) = self.classes.get_mut(live.index)
            {
                class.members.set_rate(now, rate);
                live.end = class.members.next_end();
                member.rate = rate;
            }
            self.next_end = self.next_end.min(live.end);
        }
        if !known {
            self.known.learn(&self.set);
        }
        if self.joins >= JOINS_PER_LOOK {
            self.keeps = 2 * self.found >= self.joins;
            (self.joins, self.found) = (0, 0);
        }
        if self.classes.len() - self.live.len() > if self.keeps { KEPT } else { KEPT_IN_VAIN } {
            self.forget_empty_ones();
        }
        true
    }

    /// Adds a class.
    fn add(&mut self, node: NodeId, fractions: &[f64], want_gbs: f64) -> Option<usize> {
        let fraction = |memory: NodeId| fractions.get(memory.0).copied().unwrap_or(0.0);
        let serial = self.next_serial;
        // Workers are on nodes with cores.
        let flow = self.load.add_reader(FlowKey(serial), node, 0.0, want_gbs, fraction)?;
        self.next_serial += 1;
        let bits: Box<[u64]> = self.bits.as_slice().into();
        self.by_bits.insert(bits.clone(), self.classes.len());
        self.classes.push(Class { bits, serial, flow, members: Fluid::new(), stale: false });
        Some(self.classes.len() - 1)
    }

    /// Rates as the sharing model has them.
    fn ask_load(&mut self) {
        for index in self.stale.drain(..) {
            if let Some(class) = self.classes.get_mut(index) {
                class.stale = false;
                self.load.set_threads(class.flow, class.members.len() as f64);
            }
        }
        self.load.solve();
        let rate =
            |live: &Live| self.classes.get(live.index).map_or(0.0, |class| self.load.bandwidth(class.flow));
        self.rates.extend(self.live.iter().map(rate));
    }

    /// A member of a class came or went.
    fn changes(&mut self, index: usize) {
        self.changed = true;
        if let Some(class) = self.classes.get_mut(index)
            && !std::mem::replace(&mut class.stale, true)
        {
            self.stale.push(index);
        }
    }

    /// Classes that have lost their last member are no longer among those that have any.
    fn leave_empty_ones(&mut self) {
        let mut members = self.set.iter();
        self.live.retain(|_| members.next().is_some_and(|member| member.count > 0));
        self.set.retain(|member| member.count > 0);
    }

    /// Takes the flows of classes without members away.
    fn forget_empty_ones(&mut self) {
        let Self { load, by_bits, .. } = self;
        self.classes.retain(|class| {
            if class.members.is_empty() {
                load.remove(class.flow);
                by_bits.remove(&class.bits);
            }
            !class.members.is_empty()
        });
        self.stale.clear();
        for (index, class) in self.classes.iter().enumerate() {
            by_bits.get_mut(&class.bits).into_iter().for_each(|known| *known = index);
            if class.stale {
                self.stale.push(index);
            }
            // Classes are in the order of their serials, as those with members are.
            if let Some(live) = self.live.get_mut(index) {
                live.index = index;
            }
        }
    }

    fn find_next_end(&mut self) {
        self.next_end = self.live.iter().map(|live| live.end).min().unwrap_or(SimTime::NEVER);
    }
}
