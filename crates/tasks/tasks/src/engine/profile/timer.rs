//! Seconds of one task that nobody disturbs: it is the one flow of the sharing model, solved once for each want and place of its data.

use std::collections::HashMap;

use numasim_graph::values::{PagePlacement, TaskGraph, TaskId};
use numasim_model::sharing::{FlowKey, Load, Network};
use numasim_model::{Machine, NodeId};
use numasim_plan::profile::Setting;

use super::super::cache::Caches;
use super::super::work::{Assay, Pace};
use crate::homes::Homes;

/// Rates that are kept: programs have few different ones.
const MOST_RATES: usize = 1 << 16;

/// Times tasks.
pub(super) struct Timer<'a> {
    machine: &'a Machine,
    graph: &'a TaskGraph,
    near: NodeId,
    far: NodeId,
    assay: Assay<'a>,
    load: Load<'a>,
    /// GB/s by want and fractions: their bits.
    rates: HashMap<Box<[u64]>, f64>,
    /// All blocks near, all far, and caches without anything: changed for one task and back.
    all_near: Homes,
    all_far: Homes,
    cold: Caches<'a>,
}

impl<'a> Timer<'a> {
    pub(super) fn new(graph: &'a TaskGraph, network: &'a Network, near: NodeId, far: NodeId) -> Self {
        let blocks = graph.blocks().len();
        Self {
            machine: network.machine(),
            graph,
            near,
            far,
            assay: Assay::new(graph, network),
            load: network.load(),
            rates: HashMap::new(),
            all_near: Homes::on(network.machine(), near, blocks),
            all_far: Homes::on(network.machine(), far, blocks),
            cold: Caches::new(network.machine(), blocks),
        }
    }

    /// Seconds of every task, by number, where worker 0 runs all in this order: blocks lie where they are touched first, the cache keeps
    /// what it can.
    pub(super) fn full(&mut self, order: &[TaskId]) -> Vec<f64> {
        let mut homes = Homes::new(self.graph, self.machine, PagePlacement::FirstTouch, self.near);
        let mut caches = Caches::new(self.machine, self.graph.blocks().len());
        let mut seconds = vec![0.0; self.graph.task_count()];
        for &task in order {
            let own = self.seconds(task, &mut homes, &caches);
            if let Some(seconds) = seconds.get_mut(task.0 as usize) {
                *seconds = own;
            }
            caches.ended(self.graph, task, self.near);
        }
        seconds
    }

    /// Seconds of a task in all settings but the whole run, instead of what `into` has.
    pub(super) fn settings(&mut self, task: TaskId, into: &mut Vec<(Setting, f64)>) {
        into.clear();
        let graph = self.graph;
        // Taken, so that the timer can be used meanwhile.
        let mut near = std::mem::take(&mut self.all_near);
        let mut far = std::mem::take(&mut self.all_far);
        let mut caches = std::mem::replace(&mut self.cold, Caches::new(self.machine, 0));
        into.push((Setting::Normal, self.seconds(task, &mut near, &caches)));
        for (slot, access) in graph.accesses(task).enumerate() {
            if caches.warm(graph, access.block, self.near) {
                into.push((Setting::Cache(slot), self.seconds(task, &mut near, &caches)));
            }
            caches.cool(graph, access.block);
        }
        let fixed = into.len();
        for (slot, access) in graph.accesses(task).enumerate() {
            far.put(access.block, self.near);
            into.push((Setting::NumaFixed(slot), self.seconds(task, &mut far, &caches)));
            far.put(access.block, self.far);
        }
        // A block that is placed and one that is touched first lie alike.
        for (slot, at) in (fixed..into.len()).enumerate() {
            let seconds = into.get(at).map_or(0.0, |(_, seconds)| *seconds);
            into.push((Setting::NumaMovable(slot), seconds));
        }
        (self.all_near, self.all_far, self.cold) = (near, far, caches);
    }

    fn seconds(&mut self, task: TaskId, homes: &mut Homes, caches: &Caches<'_>) -> f64 {
        match self.assay.of(task, 1.0, self.near, self.near, homes, caches).1 {
            Pace::Seconds(seconds) => seconds,
            Pace::Shared { gb, want_gbs } => gb / self.rate(want_gbs),
        }
    }

    /// What a thread that wants so much gets, with the data of the last task.
    fn rate(&mut self, want_gbs: f64) -> f64 {
        let fractions = self.assay.fractions();
        let bits: Box<[u64]> =
            std::iter::once(want_gbs).chain(fractions.iter().copied()).map(f64::to_bits).collect();
        if let Some(&known) = self.rates.get(&bits) {
            return known;
        }
        let fraction = |memory: NodeId| fractions.get(memory.0).copied().unwrap_or(0.0);
        // Workers are on nodes with cores.
        let Some(flow) = self.load.add_reader(FlowKey(0), self.near, 1.0, want_gbs, fraction) else {
            return 0.0;
        };
        self.load.solve();
        let rate = self.load.bandwidth(flow);
        self.load.remove(flow);
        if self.rates.len() == MOST_RATES {
            self.rates.clear();
        }
        self.rates.insert(bits, rate);
        rate
    }
}
