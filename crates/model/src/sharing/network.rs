//! A machine with flows that come, go and change: [`Network`] and [`Load`], for simulated time.
//!
//! # Unit
//! Rates are GB/s of one thread, speeds GFLOPS of one thread. Numbers of threads may be fractions (processor
//! sharing).
//!
//! # State
//! A [`Network`] is a machine and its sharing model, compiled once. A [`Load`] contains the flows on it. A
//! flow is a number of equal threads on one node with their own intensity and data, for instance one of 80
//! applications or one of 10,000 tasks. A port (pool) of a controller lists only the existing flows, so the
//! cost of an answer depends only on these.
//!
//! # Approach
//! A change of threads or speed marks the memories that the flow reads. [`Load::solve`] solves these again
//! and leaves the others unchanged. That is sufficient if memories do not depend on each other: as long as
//! each thread reads one memory and no limit is shared, under every model but max-min. Otherwise all flows
//! are solved again, and after an arrival or departure they are first laid out again. The rules are those of
//! [`super::Solver`], called for one memory.
//!
//! # Properties
//! The same flows have the same rates, to the bit, regardless of earlier arrivals and departures, and these
//! are the rates of [`super::Solver`]: every sum is in the order of the [`FlowKey`]s. (Exceptions up to
//! rounding: max-min, which sums in the order of the flows' numbers, and [`Load::beginning_near`].) Changing
//! a number of threads allocates nothing. Adding a flow after another one left also allocates nothing, except
//! for a port that is larger than ever before.

use crate::access::Traffic;
use crate::app::ThreadLimits;
use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::sharing::compiled::Shares;
use crate::sharing::compiled::{Compiled, Flow, PerThread, Queueing};
use crate::sharing::way::{Memory, Way};
use crate::table::Table;
use crate::units::FlopPerByte;

/// The memories that a flow reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// No memory, or this one.
    AtMost(Option<NodeId>),
    Several,
}

impl Load<'_> {
    /// Marks a memory to be solved again.
    fn mark(&mut self, memory: usize) {
        if !self.is_changed[memory] {
            self.is_changed[memory] = true;
            self.changed.push(memory);
        }
    }

    /// Marks the memories that a flow reads; marks all memories if it reads several, because none is
    /// independent then.
    fn mark_read_by(&mut self, placed: Placed) {
        match placed.reads {
            Reads::AtMost(Some(memory)) => self.mark(memory.0),
            Reads::AtMost(None) => {}
            Reads::Several => (0..self.is_changed.len()).for_each(|memory| self.mark(memory)),
        }
    }

    /// Removes the entry of a flow on `node` for `memory` from its pool, if there is one.
    fn take_out(&mut self, flow: FlowId, node: NodeId, memory: NodeId) {
        let Some(pool) = self.network.pools[(node, memory)] else { return };
        if let Some(place) = self.entry(flow, node, memory) {
            let entries = &mut self.compiled.pools[pool as usize].flows;
            self.compiled.flows[place..entries.end].rotate_left(1);
            entries.end -= 1;
        }
    }

    /// The index, among all entries, of that of a flow on `node` for `memory`, if the flow reads that memory.
    fn entry(&self, flow: FlowId, node: NodeId, memory: NodeId) -> Option<usize> {
        let pool = self.network.pools[(node, memory)]?;
        let mut entries = self.compiled.pools[pool as usize].flows.clone();
        entries.find(|&entry| self.compiled.flows[entry].group == flow.0)
    }

    /// A group without a flow; the number of groups doubles if none is free.
    fn free_group(&mut self) -> usize {
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

    /// Inserts an entry into a pool, in the order of the keys.
    fn insert(&mut self, pool: usize, key: FlowKey, flow: Flow) {
        let range = self.compiled.pools[pool].flows.clone();
        if range.len() == self.room[pool] {
            // Moves the pool to the end, with twice the room; the old room is abandoned.
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

    /// Makes room for all current flows.
    fn flows_changed(&mut self) {
        self.way.flows_changed(&self.compiled);
        self.shares.granted.resize(self.compiled.flows.len(), 0.0);
        let separable = self.spread == 0 && !self.compiled.has_common_limits();
        self.way.make_room(&self.compiled, separable, &mut self.memory);
    }
}

impl Network {
    /// Demand of one thread on `node` in GB/s that reads and computes `flop_per_byte` with `fraction` of its
    /// data on each memory: as much as its core can process, under every ceiling on one thread, of the
    /// machine (`core_bandwidth_gbs`) and of the model (`outstanding_lines`, ...). `None` if no such limit
    /// exists: it computes nothing.
    pub fn want_gbs(
        &self,
        node: NodeId,
        flop_per_byte: f64,
        fraction: impl Fn(NodeId) -> f64,
    ) -> Option<f64> {
        let cores = self.machine.nodes().get(node.0)?;
        let drawn = ThreadLimits::default().want(cores, FlopPerByte::new(flop_per_byte)).value();
        let parameters = &self.compiled.model.parameters;
        let ceiling = parameters.reader_ceiling(&self.machine, node, fraction);
        Some(ceiling.map_or(drawn, |ceiling| drawn.min(ceiling))).filter(|want| want.is_finite())
    }

    /// Bandwidth in GB/s of one thread on `node` with `fraction` of its data on each memory, with the machine
    /// to itself and without a limit in its core: the least value of (bandwidth of a memory and of the link
    /// to it) / the fraction there.
    pub fn alone_gbs(&self, node: NodeId, fraction: impl Fn(NodeId) -> f64) -> f64 {
        let of = |m: NodeId| {
            let memory = self.compiled.memories[m.0].bandwidth;
            let link = self.pools[(node, m)].filter(|_| m != node);
            link.map_or(memory, |pool| self.compiled.pools[pool as usize].capacity.min(memory)) / fraction(m)
        };
        let memories = self.machine.node_ids().filter(|&m| fraction(m) > 0.0);
        memories.map(of).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests;

/// A machine and its sharing model, compiled for any flows.
#[derive(Clone, Debug)]
pub struct Network {
    machine: Machine,
    compiled: Compiled,
    way: Way,
    /// From the node of the cores to that of the memory: the pool, if there is one.
    pools: Table<Option<u32>, NodeId>,
}

/// The order of flows in every sum. It identifies one thing, such as an application or a task: no two flows
/// of a node have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey(pub u64);

/// A flow of a [`Load`], valid until it is removed; another flow may then get its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(u32);

impl FlowId {
    /// A small number that is unique among the flows that currently exist in the same [`Load`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Node and memories of a flow.
#[derive(Clone, Copy, Debug)]
struct Placed {
    key: FlowKey,
    node: NodeId,
    reads: Reads,
}

/// Flows on a [`Network`].
#[derive(Clone, Debug)]
pub struct Load<'n> {
    network: &'n Network,
    /// Pools list the existing flows; a group is a flow.
    compiled: Compiled,
    way: Way,
    memory: Memory,
    shares: Shares,
    /// Per flow: its threads, 0 if there is no flow.
    threads: Vec<f64>,
    /// Per flow: one thread at full speed.
    full_speed: Vec<PerThread>,
    /// Per flow: the last reported rate; NaN if none was reported.
    told: Vec<f64>,
    flows: Vec<Option<Placed>>,
    free: Vec<u32>,
    /// Number of flows that read several memories.
    spread: usize,
    /// Per pool: number of entries that it has room for.
    room: Vec<usize>,
    /// Memories to be solved again, and per memory whether it is among them.
    changed: Vec<usize>,
    is_changed: Vec<bool>,
}

impl Network {
    /// Compiles `machine`, with [`Machine::with_domains_dealt`].
    pub fn new(machine: &Machine) -> Self {
        let machine = &machine.with_domains_dealt();
        let compiled = Compiled::of_machine(machine);
        let way = Way::new(&compiled, machine);
        let mut pools = Table::filled(machine.node_count(), machine.node_count(), None);
        for (m, p, _) in compiled.pool_indices() {
            pools[(compiled.pools[p].from, NodeId(m))] = u32::try_from(p).ok();
        }
        Self { machine: machine.clone(), compiled, way, pools }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// A load without flows.
    pub fn load(&self) -> Load<'_> {
        let memories = self.compiled.memories.len();
        Load {
            network: self,
            compiled: self.compiled.clone(),
            way: self.way.clone(),
            memory: Memory::default(),
            shares: Shares::new(&self.compiled),
            threads: Vec::new(),
            full_speed: Vec::new(),
            told: Vec::new(),
            flows: Vec::new(),
            free: Vec::new(),
            spread: 0,
            room: vec![0; self.compiled.pools.len()],
            changed: Vec::with_capacity(memories),
            is_changed: vec![false; memories],
        }
    }
}

impl Load<'_> {
    /// From now on, starts each answer near the previous one, which takes half the steps under `ecm`. The
    /// same flows then have the same rates only up to a relative 1e-10, not to the bit: earlier flows affect
    /// the last digits.
    #[must_use]
    pub fn beginning_near(mut self) -> Self {
        self.memory.begin_near();
        self
    }

    /// Adds `threads` equal threads on `node` with the demand `demand`. Returns `None` if the node has no
    /// cores or does not exist.
    ///
    /// The caller ensures at most one thread per core, and keys that no other flow of the node has.
    pub fn add(&mut self, key: FlowKey, demand: &Demand, node: NodeId, threads: f64) -> Option<FlowId> {
        let machine = &self.network.machine;
        machine.nodes().get(node.0).filter(|node| node.cores > 0)?;
        let per_thread = PerThread::of(machine, demand, node);
        let of = |memory| {
            let occupied = machine.node(memory).occupied_by(demand.traffic);
            (demand.placement.fraction(machine, node, memory), occupied)
        };
        let intensity = demand.arithmetic_intensity.value();
        let kind = (intensity, demand.traffic, demand.waits(machine, node));
        self.place(key, node, threads, per_thread, kind, of)
    }

    /// Adds `threads` equal threads on `node` that read, request `want_gbs` each and have `fraction` of their
    /// data on each memory: work of which only the data is known here ([`Network::want_gbs`]).
    /// [`Load::gflops`] is 0 for them. Returns `None` if the node has no cores or does not exist.
    ///
    /// The caller ensures fractions that sum to 1, and the conditions of [`Load::add`].
    pub fn add_reader(
        &mut self,
        key: FlowKey,
        node: NodeId,
        threads: f64,
        want_gbs: f64,
        fraction: impl Fn(NodeId) -> f64,
    ) -> Option<FlowId> {
        self.network.machine.nodes().get(node.0).filter(|node| node.cores > 0)?;
        let per_thread = PerThread { demand_gbs: want_gbs, peak: f64::INFINITY, occupied: 1.0 };
        self.place(key, node, threads, per_thread, (0.0, Traffic::default(), 1.0), |memory| {
            (fraction(memory), 1.0)
        })
    }

    /// Adds a flow. `of`: the fraction of its data on a memory, and its read-equivalent factor there.
    fn place(
        &mut self,
        key: FlowKey,
        node: NodeId,
        threads: f64,
        per_thread: PerThread,
        (intensity, traffic, waits): (f64, Traffic, f64),
        of: impl Fn(NodeId) -> (f64, f64),
    ) -> Option<FlowId> {
        let network = self.network;
        let machine = &network.machine;
        let group = self.free_group();
        self.compiled.demand_gbs.as_mut_slice()[group] = per_thread.demand_gbs;
        self.compiled.peak.as_mut_slice()[group] = per_thread.peak;
        self.compiled.occupied.as_mut_slice()[group] = per_thread.occupied;
        self.compiled.intensity[group] = intensity;
        self.threads[group] = threads;
        self.full_speed[group] = per_thread;
        self.told[group] = f64::NAN;
        let number = u32::try_from(group).ok()?;
        let mut spread = false;
        let mut last = None;
        for memory in machine.node_ids() {
            let (fraction, occupied) = of(memory);
            if fraction > 0.0 {
                let penalty = self.compiled.model.parameters.penalty(traffic, memory != node);
                let queueing = Queueing { penalty, waits };
                let flow = Flow::new(number, per_thread.demand_gbs, (fraction, 1.0), occupied, queueing);
                spread |= flow.spread;
                last = Some(memory);
                if let Some(pool) = network.pools[(node, memory)] {
                    self.insert(pool as usize, key, flow);
                }
                self.mark(memory.0);
            }
        }
        let reads = if spread { Reads::Several } else { Reads::AtMost(last) };
        self.flows[group] = Some(Placed { key, node, reads });
        let flows = &self.flows;
        let key_of = |group: &u32| flows[*group as usize].map(|placed| placed.key);
        let order = self.compiled.order.get_or_insert_with(Vec::new);
        let place = order.partition_point(|group| key_of(group) < Some(key));
        order.insert(place, number);
        if let Some(reads) = self.compiled.reads.iter_mut().find(|reads| reads.node == Some(node)) {
            let place = reads.users.partition_point(|group| key_of(group) < Some(key));
            reads.users.insert(place, number);
        }
        self.spread += usize::from(spread);
        let flows = &self.flows;
        let is_before = |group: u32| flows[group as usize].is_some_and(|placed| placed.key < key);
        self.memory.flow_added(&self.compiled, number, node, is_before);
        self.flows_changed();
        Some(FlowId(number))
    }

    /// Changes the number of threads of a flow.
    pub fn set_threads(&mut self, flow: FlowId, threads: f64) {
        let group = flow.0 as usize;
        let Some(placed) = self.flows.get(group).copied().flatten() else { return };
        if self.threads[group].to_bits() == threads.to_bits() {
            return;
        }
        self.threads[group] = threads;
        self.mark_read_by(placed);
    }

    /// Slows down the cores of a flow: one thread requests `efficiency` times its demand at full speed from
    /// each memory that it reads, and its peak is that fraction of the core's. A new flow has 1, which gives
    /// the same bits as no efficiency.
    ///
    /// The caller ensures 0 < efficiency <= 1.
    pub fn set_efficiency(&mut self, flow: FlowId, efficiency: f64) {
        let group = flow.0 as usize;
        let Some(placed) = self.flows.get(group).copied().flatten() else { return };
        let full_speed = self.full_speed[group];
        let demand_gbs = full_speed.demand_gbs * efficiency;
        // The solution depends only on the demand.
        self.compiled.peak.as_mut_slice()[group] = full_speed.peak * efficiency;
        if self.compiled.demand_gbs[group].to_bits() == demand_gbs.to_bits() {
            return;
        }
        self.compiled.demand_gbs.as_mut_slice()[group] = demand_gbs;
        for memory in self.network.machine.node_ids() {
            if let Some(entry) = self.entry(flow, placed.node, memory) {
                self.compiled.flows[entry].set_demand(demand_gbs);
                self.mark(memory.0);
            }
        }
    }

    /// Removes a flow.
    pub fn remove(&mut self, flow: FlowId) {
        let group = flow.0 as usize;
        let Some(placed) = self.flows.get(group).copied().flatten() else { return };
        self.mark_read_by(placed);
        match placed.reads {
            Reads::AtMost(Some(memory)) => self.take_out(flow, placed.node, memory),
            Reads::AtMost(None) => {}
            Reads::Several => {
                for memory in self.network.machine.node_ids() {
                    self.take_out(flow, placed.node, memory);
                }
            }
        }
        for reads in &mut self.compiled.reads {
            reads.users.retain(|&group| group != flow.0);
        }
        if let Some(order) = &mut self.compiled.order {
            let flows = &self.flows;
            let key_of = |group: &u32| flows[*group as usize].map(|placed| placed.key);
            // Flows of other nodes may have the same key.
            let first = order.partition_point(|group| key_of(group) < Some(placed.key));
            if let Some(place) = order[first..].iter().position(|&group| group == flow.0) {
                order.remove(first + place);
            }
        }
        self.memory.flow_removed(flow.0);
        self.threads[group] = 0.0;
        self.compiled.demand_gbs.as_mut_slice()[group] = 0.0;
        self.flows[group] = None;
        self.free.push(flow.0);
        if placed.reads == Reads::Several {
            self.spread -= 1;
            if self.spread == 0 {
                // Memories depended on each other until now.
                (0..self.is_changed.len()).for_each(|memory| self.mark(memory));
                self.told.fill(f64::NAN);
            }
        }
        self.flows_changed();
    }

    /// Whether a change at one memory leaves the rates of threads on other memories unchanged.
    pub fn memories_are_apart(&self) -> bool {
        self.way.memories_are_apart(self.spread == 0 && !self.compiled.has_common_limits())
    }

    /// Solves everything that changes have affected.
    pub fn solve(&mut self) {
        self.solve_telling(|_, _| {});
    }

    /// The same, and reports flows and their rates, GB/s of one thread, to `tell`: those with another rate
    /// than the last reported one, or all flows if memories are not independent or were not before.
    pub fn solve_telling(&mut self, mut tell: impl FnMut(FlowId, f64)) {
        if self.changed.is_empty() {
            return;
        }
        let Self { compiled, way, memory, shares, threads, told, .. } = self;
        let separable = self.spread == 0 && !compiled.has_common_limits();
        let demand = compiled.demand_gbs.as_slice();
        let apart = way.memories_are_apart(separable);
        if apart {
            for &m in &self.changed {
                let read = &compiled.memories[m];
                for p in read.links.clone().chain(read.own) {
                    for flow in &compiled.flows[compiled.pools[p].flows.clone()] {
                        shares.bandwidth[flow.group as usize] = demand[flow.group as usize];
                    }
                }
                way.share_one(compiled, m, threads, shares, memory);
                for p in read.links.clone().chain(read.own) {
                    for flow in &compiled.flows[compiled.pools[p].flows.clone()] {
                        let rate = shares.bandwidth[flow.group as usize];
                        let told = &mut told[flow.group as usize];
                        if told.to_bits() != rate.to_bits() {
                            *told = rate;
                            tell(FlowId(flow.group), rate);
                        }
                    }
                }
            }
        } else {
            shares.bandwidth.as_mut_slice().copy_from_slice(demand);
            // The same bits as with rounds, in one step.
            if !way.all_have_room(compiled, threads) {
                way.share(compiled, separable, threads, shares, memory);
            }
            for &group in compiled.order.iter().flatten() {
                tell(FlowId(group), shares.bandwidth[group as usize]);
            }
        }
        for m in self.changed.drain(..) {
            self.is_changed[m] = false;
        }
    }

    /// GB/s of one thread of a flow, as of the last [`Load::solve`]; 0 if there is no such flow.
    pub fn bandwidth(&self, flow: FlowId) -> f64 {
        let group = flow.0 as usize;
        let known = self.flows.get(group).is_some_and(Option::is_some);
        if known { self.shares.bandwidth[group] } else { 0.0 }
    }

    /// GFLOPS of one thread of a flow, as of the last [`Load::solve`]; 0 if there is no such flow.
    pub fn gflops(&self, flow: FlowId) -> f64 {
        let group = flow.0 as usize;
        let peak = self.compiled.peak.as_slice().get(group).copied().unwrap_or(0.0);
        let intensity = self.compiled.intensity.get(group).copied().unwrap_or(0.0);
        (self.bandwidth(flow) * intensity).min(peak)
    }

    /// Number of flows.
    pub fn len(&self) -> usize {
        self.flows.len() - self.free.len()
    }

    /// Whether there is no flow.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
