//! A machine under flows that come, go and change: [`Network`] and [`Load`], for simulated time.
//!
//! # Unit
//! Rates are GB/s of one thread, speeds GFLOPS of one thread. Counts of threads may be fractions (processor sharing).
//!
//! # State
//! A [`Network`] is a machine and its sharing model, compiled once. A [`Load`] has the flows on it: each some equal threads on one node
//! with an intensity and data of their own, be they one of 80 applications or one of 10,000 tasks. A port (pool) of a controller
//! lists only the flows that are there, so that what an answer costs depends on these.
//!
//! # Approach
//! A change of threads or speed marks the memories that the flow reads; [`Load::solve`] solves these again and leaves the others
//! as they are. That is enough where memories do not depend on each other: while each thread reads one memory and no limit is
//! shared, under every model but max-min. Else all flows are solved again, and after a flow came or went they are first laid
//! out again for that. The rules are those of [`super::Solver`], called for one memory.
//!
//! # Properties
//! The same flows have the same rates, to the bit, whatever came and went before, and those that [`super::Solver`] gives them: in every
//! sum flows stand in the order of their [`FlowKey`]. (Under max-min, which adds up in the order of the flows' numbers, up to
//! rounding.) Changing a count allocates nothing, nor does adding a flow where
//! another one left (but for what a port has never had before).

use self::pools::Reads;
use super::compiled::{Compiled, Flow, PerThread};
use super::shares::Shares;
use super::way::{Memory, Way};
use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::table::Table;

mod pools;
#[cfg(test)]
mod tests;
mod want;

/// A machine and its sharing model, compiled for any flows.
#[derive(Clone, Debug)]
pub struct Network {
    machine: Machine,
    compiled: Compiled,
    way: Way,
    /// From the node of the cores to that of the memory: the pool, where there is one.
    pools: Table<Option<u32>, NodeId>,
}

/// The order of flows in every sum. It names one thing, such as an application or a task: no two flows of a node have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey(pub u64);

/// A flow of a [`Load`], until it is removed; then another flow may get its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(u32);

impl FlowId {
    /// A small number that no other flow of the same [`Load`] has at that time.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a flow is.
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
    /// Pools list the flows that are there; a group is a flow.
    compiled: Compiled,
    way: Way,
    memory: Memory,
    shares: Shares,
    /// Per flow: its threads, 0 where there is no flow.
    threads: Vec<f64>,
    /// Per flow: one thread at full speed.
    full_speed: Vec<PerThread>,
    /// Per flow: the rate that was told last; not a number where none was.
    told: Vec<f64>,
    flows: Vec<Option<Placed>>,
    free: Vec<u32>,
    /// Flows that read several memories.
    spread: usize,
    /// Per pool: how many entries there is room for.
    room: Vec<usize>,
    /// Memories to be solved again, and per memory whether it is among them.
    changed: Vec<usize>,
    is_changed: Vec<bool>,
}

impl Network {
    /// Compiles `machine`.
    pub fn new(machine: &Machine) -> Self {
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

    /// No flow yet.
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
    /// Adds `threads` equal threads on `node` that ask for `demand`; `None` where the node has no cores or does not exist.
    ///
    /// The caller vouches for at most one thread per core, and for keys that no other flow of the node has.
    pub fn add(&mut self, key: FlowKey, demand: &Demand, node: NodeId, threads: f64) -> Option<FlowId> {
        let machine = &self.network.machine;
        machine.nodes().get(node.0).filter(|node| node.cores > 0)?;
        let per_thread = self.compiled.per_thread(machine, demand, node);
        let of = |memory| {
            let occupied = machine.node(memory).occupied_by(demand.kernel);
            (demand.placement.fraction(machine, node, memory), occupied)
        };
        self.place(key, node, threads, per_thread, demand.arithmetic_intensity.value(), of)
    }

    /// Adds `threads` equal threads on `node` that read, want `want_gbs` each and have `fraction` of their data on each memory: work
    /// of which nothing but its data is known here ([`Network::want_gbs`]). [`Load::gflops`] has 0 for them. `None` where the node
    /// has no cores or does not exist.
    ///
    /// The caller vouches for fractions that add up to 1, and for the same as in [`Load::add`].
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
        self.place(key, node, threads, per_thread, 0.0, |memory| (fraction(memory), 1.0))
    }

    /// Adds a flow. `of`: the fraction of its data on a memory, and what a GB/s of it stands for there.
    fn place(
        &mut self,
        key: FlowKey,
        node: NodeId,
        threads: f64,
        per_thread: PerThread,
        intensity: f64,
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
                let flow = Flow::new(number, per_thread.demand_gbs, fraction, occupied);
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

    /// Slows the cores of a flow down: one thread wants `efficiency` times what it wants at full speed, of each memory that it
    /// reads, and its peak is that part of the core's. A new flow has 1, which gives the bits as if there were no efficiency.
    ///
    /// The caller vouches for 0 < efficiency <= 1.
    pub fn set_efficiency(&mut self, flow: FlowId, efficiency: f64) {
        let group = flow.0 as usize;
        let Some(placed) = self.flows.get(group).copied().flatten() else { return };
        let full_speed = self.full_speed[group];
        let demand_gbs = full_speed.demand_gbs * efficiency;
        // What is solved depends on the demand alone.
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

    /// Takes a flow away.
    pub fn remove(&mut self, flow: FlowId) {
        let group = flow.0 as usize;
        let Some(placed) = self.flows.get(group).copied().flatten() else { return };
        self.mark_read_by(placed);
        match placed.reads {
            Reads::AtMost(memory) => {
                if let Some(memory) = memory {
                    self.take_out(flow, placed.node, memory);
                }
            }
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

    /// Whether a change at one memory leaves the rates of those who read others as they are.
    pub fn memories_are_apart(&self) -> bool {
        self.way.memories_are_apart(self.spread == 0 && !self.compiled.has_common_limits())
    }

    /// Solves what changes have touched.
    pub fn solve(&mut self) {
        self.solve_telling(|_, _| {});
    }

    /// The same, and tells flows and their rates, GB/s of one thread: those that have another one than was told last, and, where memories
    /// are not apart or were not before, all.
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
            // The same bits as by rounds, at once.
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

    /// GB/s of one thread of a flow, as of the last [`Load::solve`]; 0 where there is no such flow.
    pub fn bandwidth(&self, flow: FlowId) -> f64 {
        let group = flow.0 as usize;
        let known = self.flows.get(group).is_some_and(Option::is_some);
        if known { self.shares.bandwidth[group] } else { 0.0 }
    }

    /// GFLOPS of one thread of a flow, as of the last [`Load::solve`]; 0 where there is no such flow.
    pub fn gflops(&self, flow: FlowId) -> f64 {
        let group = flow.0 as usize;
        let peak = self.compiled.peak.as_slice().get(group).copied().unwrap_or(0.0);
        let intensity = self.compiled.intensity.get(group).copied().unwrap_or(0.0);
        (self.bandwidth(flow) * intensity).min(peak)
    }

    /// How many flows there are.
    pub fn len(&self) -> usize {
        self.flows.len() - self.free.len()
    }

    /// Whether there is no flow.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
