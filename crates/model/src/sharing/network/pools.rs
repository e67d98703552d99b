//! Where flows stand in the pools of a [`Load`], and which memories they touch.

use super::super::compiled::{Flow, PerThread};
use super::{FlowId, FlowKey, Load, Placed};
use crate::ids::NodeId;

/// Which memories a flow reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// None, or this one.
    AtMost(Option<NodeId>),
    Several,
}

impl Load<'_> {
    /// A memory is to be solved again.
    pub(super) fn mark(&mut self, memory: usize) {
        if !self.is_changed[memory] {
            self.is_changed[memory] = true;
            self.changed.push(memory);
        }
    }

    /// Marks the memories that a flow reads: all where it reads several, as then none is apart.
    pub(super) fn mark_read_by(&mut self, placed: Placed) {
        match placed.reads {
            Reads::AtMost(memory) => memory.into_iter().for_each(|memory| self.mark(memory.0)),
            Reads::Several => (0..self.is_changed.len()).for_each(|memory| self.mark(memory)),
        }
    }

    /// Takes the entry of a flow on `node` for `memory` out of its pool, if there is one.
    pub(super) fn take_out(&mut self, flow: FlowId, node: NodeId, memory: NodeId) {
        let Some(pool) = self.network.pools[(node, memory)] else { return };
        if let Some(place) = self.entry(flow, node, memory) {
            let entries = &mut self.compiled.pools[pool as usize].flows;
            self.compiled.flows[place..entries.end].rotate_left(1);
            entries.end -= 1;
        }
    }

    /// Where among all entries that of a flow on `node` for `memory` is, if it reads that.
    pub(super) fn entry(&self, flow: FlowId, node: NodeId, memory: NodeId) -> Option<usize> {
        let pool = self.network.pools[(node, memory)]?;
        let mut entries = self.compiled.pools[pool as usize].flows.clone();
        entries.find(|&entry| self.compiled.flows[entry].group == flow.0)
    }

    /// A group that no flow has; there are twice as many when none is free.
    pub(super) fn free_group(&mut self) -> usize {
        if let Some(group) = self.free.pop() {
            return group as usize;
        }
        let group = self.flows.len();
        self.flows.push(None);
        if self.threads.len() < self.flows.len() {
            let groups = (2 * self.threads.len()).max(16);
            self.threads.resize(groups, 0.0);
            self.told.resize(groups, f64::NAN);
            self.full_speed.resize(groups, PerThread { demand_gbs: 0.0, peak: 0.0, occupied: 1.0 });
            self.compiled.intensity.resize(groups, 0.0);
            self.compiled.demand_gbs.resize_rows(groups, 0.0);
            self.compiled.peak.resize_rows(groups, 0.0);
            self.compiled.occupied.resize_rows(groups, 1.0);
            self.shares.bandwidth.resize_rows(groups, 0.0);
        }
        group
    }

    /// Puts an entry into a pool, in the order of the keys.
    pub(super) fn insert(&mut self, pool: usize, key: FlowKey, flow: Flow) {
        let range = self.compiled.pools[pool].flows.clone();
        if range.len() == self.room[pool] {
            // A new place at the end, with twice the room; the old one is left.
            let first = self.compiled.flows.len();
            let room = (2 * range.len()).max(4);
            self.compiled.flows.extend_from_within(range.clone());
            self.compiled.flows.resize(first + room, flow);
            self.compiled.pools[pool].flows = first..first + range.len();
            self.room[pool] = room;
        }
        let flows = &self.flows;
        let entries = &mut self.compiled.pools[pool].flows;
        let known = &self.compiled.flows[entries.clone()];
        let key_of = |entry: &Flow| flows[entry.group as usize].map(|placed| placed.key);
        let place = entries.start + known.partition_point(|entry| key_of(entry) < Some(key));
        entries.end += 1;
        let end = entries.end;
        self.compiled.flows[end - 1] = flow;
        self.compiled.flows[place..end].rotate_right(1);
    }

    /// There is room for every flow that there is now.
    pub(super) fn flows_changed(&mut self) {
        self.way.flows_changed(&self.compiled);
        self.shares.granted.resize(self.compiled.flows.len(), 0.0);
        let separable = self.spread == 0 && !self.compiled.has_common_limits();
        self.way.make_room(&self.compiled, separable, &mut self.memory);
    }
}
