//! Tasks that read memory, and the rates that the sharing model gives them.
//!
//! Tasks of the same node with the same fractions and the same want are one class: one flow of the [`Load`] with as many threads. A class
//! without members stays for a while, as the next task is often like one before; so do the rates of the sets of tasks that were met
//! ([`Known`]): a task that ends and one like it that begins bring back the set of a moment ago.

use std::collections::HashMap;

use numasim_engine::{Fluid, SimTime};
use numasim_model::NodeId;
use numasim_model::sharing::{FlowId, FlowKey, Load, Network};

use super::known::{Known, Member};
use crate::sockets::WorkerId;

/// Classes without members that are kept where tasks come back to them.
const KEPT: usize = 512;
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
    /// When the next of them ends.
    end: SimTime,
    /// Whether it is among those with members.
    live: bool,
    /// Whether the flow may have another number of threads.
    stale: bool,
}

/// The tasks that read memory.
#[derive(Debug)]
pub(super) struct Flows<'n> {
    load: Load<'n>,
    classes: Vec<Class>,
    by_bits: HashMap<Box<[u64]>, usize>,
    /// Classes with members, in any order.
    live: Vec<usize>,
    /// Classes whose flows may have another number of threads.
    stale: Vec<usize>,
    known: Known,
    /// The bits of the task that joins, and the set of tasks.
    bits: Vec<u64>,
    set: Vec<Member>,
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
            stale: Vec::new(),
            known: Known::default(),
            bits: Vec::new(),
            set: Vec::new(),
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
        let index = if let Some(&index) = self.by_bits.get(self.bits.as_slice()) {
            index
        } else {
            let fraction = |memory: NodeId| fractions.get(memory.0).copied().unwrap_or(0.0);
            let key = FlowKey(self.next_serial);
            // Workers are on nodes with cores.
            let Some(flow) = self.load.add_reader(key, node, 0.0, want_gbs, fraction) else { return };
            let class = Class {
                bits: self.bits.as_slice().into(),
                serial: self.next_serial,
                flow,
                members: Fluid::new(),
                end: SimTime::NEVER,
                live: false,
                stale: false,
            };
            self.next_serial += 1;
            self.by_bits.insert(class.bits.clone(), self.classes.len());
            self.classes.push(class);
            // No class that came back to.
            self.found = self.found.wrapping_sub(1);
            self.classes.len() - 1
        };
        let Some(class) = self.classes.get_mut(index) else { return };
        class.members.join(now, worker, gb);
        if !std::mem::replace(&mut class.live, true) {
            self.live.push(index);
            self.found = self.found.wrapping_add(1);
        }
        self.joins += 1;
        self.changes(index);
    }

    /// Takes a task that is done at `latest`, the end of the instant of `now`.
    pub(super) fn pop_ended(&mut self, now: SimTime, latest: SimTime) -> Option<WorkerId> {
        if self.next_end > latest {
            return None;
        }
        for place in 0..self.live.len() {
            let index = self.live.get(place).copied()?;
            let Some(class) = self.classes.get_mut(index).filter(|class| class.end <= latest) else {
                continue;
            };
            let ended = class.members.pop_ended_by(now, latest);
            class.end = class.members.next_end();
            if ended.is_some() {
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
        self.set.clear();
        let members = |class: &Class| u32::try_from(class.members.len()).unwrap_or(u32::MAX);
        let live = self.live.iter().filter_map(|&index| self.classes.get(index));
        self.set.extend(live.map(|class| Member { serial: class.serial, count: members(class), rate: 0.0 }));
        if !self.known.recall(&mut self.set) {
            for index in self.stale.drain(..) {
                if let Some(class) = self.classes.get_mut(index) {
                    class.stale = false;
                    self.load.set_threads(class.flow, class.members.len() as f64);
                }
            }
            self.load.solve();
            for (member, &index) in self.set.iter_mut().zip(&self.live) {
                member.rate = self.classes.get(index).map_or(0.0, |class| self.load.bandwidth(class.flow));
            }
            self.known.learn(&self.set);
        }
        for (member, &index) in self.set.iter().zip(&self.live) {
            let Some(class) = self.classes.get_mut(index) else { continue };
            if member.rate.to_bits() != class.members.rate().to_bits() {
                class.members.set_rate(now, member.rate);
            }
            class.end = class.members.next_end();
        }
        self.find_next_end();
        if self.joins >= JOINS_PER_LOOK {
            self.keeps = 2 * self.found >= self.joins;
            (self.joins, self.found) = (0, 0);
        }
        if self.classes.len() - self.live.len() > if self.keeps { KEPT } else { 0 } {
            self.forget_empty_ones();
        }
        true
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
        let mut place = 0;
        while let Some(&index) = self.live.get(place) {
            match self.classes.get_mut(index) {
                Some(class) if class.members.is_empty() => {
                    class.live = false;
                    class.end = SimTime::NEVER;
                    self.live.swap_remove(place);
                }
                _ => place += 1,
            }
        }
    }

    /// Takes the flows of classes without members away.
    fn forget_empty_ones(&mut self) {
        let mut index = 0;
        while let Some(class) = self.classes.get(index) {
            if class.members.is_empty() {
                let class = self.classes.swap_remove(index);
                self.load.remove(class.flow);
                self.by_bits.remove(&class.bits);
                if let Some(moved) = self.classes.get(index) {
                    self.by_bits.get_mut(&moved.bits).into_iter().for_each(|known| *known = index);
                }
            } else {
                index += 1;
            }
        }
        self.live.clear();
        self.stale.clear();
        for (index, class) in self.classes.iter().enumerate() {
            self.live.push(index);
            if class.stale {
                self.stale.push(index);
            }
        }
    }

    fn find_next_end(&mut self) {
        let ends = self.live.iter().filter_map(|&index| self.classes.get(index)).map(|class| class.end);
        self.next_end = ends.min().unwrap_or(SimTime::NEVER);
    }
}
