//! Tasks that read memory, and the rates that the sharing model gives them.
//!
//! Tasks of the same node with the same fractions and the same want are one class: one flow of the [`Load`] with as many threads.

use std::collections::HashMap;

use numasim_engine::{Fluid, SimTime};
use numasim_model::NodeId;
use numasim_model::sharing::{FlowId, FlowKey, Load, Network};

use crate::sockets::WorkerId;

/// Equal tasks.
#[derive(Clone, Debug)]
struct Class {
    /// Node, want and fractions: their bits.
    bits: Box<[u64]>,
    flow: FlowId,
    members: Fluid<WorkerId>,
    /// When the next of them ends.
    end: SimTime,
}

/// The tasks that read memory.
#[derive(Debug)]
pub(super) struct Flows<'n> {
    load: Load<'n>,
    classes: Vec<Class>,
    by_bits: HashMap<Box<[u64]>, usize>,
    /// The bits of the task that joins.
    bits: Vec<u64>,
    next_key: u64,
    next_end: SimTime,
    /// Whether members came or went since rates were solved.
    changed: bool,
}

impl<'n> Flows<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        Self {
            load: network.load(),
            classes: Vec::new(),
            by_bits: HashMap::new(),
            bits: Vec::new(),
            next_key: 0,
            next_end: SimTime::NEVER,
            changed: false,
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
        let class = match self.by_bits.get(self.bits.as_slice()) {
            Some(&class) => class,
            None => {
                let key = FlowKey(self.next_key);
                let fraction = |memory: NodeId| fractions.get(memory.0).copied().unwrap_or(0.0);
                // Workers are on nodes with cores.
                let Some(flow) = self.load.add_reader(key, node, 0.0, want_gbs, fraction) else { return };
                self.next_key += 1;
                let bits: Box<[u64]> = self.bits.as_slice().into();
                self.by_bits.insert(bits.clone(), self.classes.len());
                self.classes.push(Class { bits, flow, members: Fluid::new(), end: SimTime::NEVER });
                self.classes.len() - 1
            }
        };
        if let Some(class) = self.classes.get_mut(class) {
            class.members.join(now, worker, gb);
            self.changed = true;
        }
    }

    /// Takes a task that is done at `latest`, the end of the instant of `now`.
    pub(super) fn pop_ended(&mut self, now: SimTime, latest: SimTime) -> Option<WorkerId> {
        if self.next_end > latest {
            return None;
        }
        for class in &mut self.classes {
            if class.end > latest {
                continue;
            }
            let ended = class.members.pop_ended_by(now, latest);
            class.end = class.members.next_end();
            if ended.is_some() {
                self.changed = true;
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
        let mut place = 0;
        while let Some(class) = self.classes.get(place) {
            if class.members.is_empty() {
                let class = self.classes.swap_remove(place);
                self.load.remove(class.flow);
                self.by_bits.remove(&class.bits);
                if let Some(moved) = self.classes.get(place) {
                    self.by_bits.get_mut(&moved.bits).into_iter().for_each(|known| *known = place);
                }
            } else {
                self.load.set_threads(class.flow, class.members.len() as f64);
                place += 1;
            }
        }
        self.load.solve();
        for class in &mut self.classes {
            let rate = self.load.bandwidth(class.flow);
            if rate.to_bits() != class.members.rate().to_bits() {
                class.members.set_rate(now, rate);
            }
            class.end = class.members.next_end();
        }
        self.find_next_end();
        true
    }

    fn find_next_end(&mut self) {
        let ends = self.classes.iter().map(|class| class.end);
        self.next_end = ends.min().unwrap_or(SimTime::NEVER);
    }
}
