//! Replicated data with writes: each write goes to the copies on all nodes with threads, so a thread's demand
//! on memories depends on these nodes.
//!
//! For one set of nodes this is data on several memories like any other. A [`super::Solver`] whose demands
//! leave the set open therefore has one solver per set, in the workspace, created when the set is first
//! needed.

use std::collections::BTreeMap;

use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::Machine;

/// Input for the solvers of sets of nodes.
#[derive(Clone, Debug)]
pub(super) struct Copying {
    pub(super) machine: Machine,
    /// One per application.
    demands: Vec<Demand>,
    /// The applications that write copies.
    apps: Vec<usize>,
}

/// The nodes with threads: a bit for each node with cores, for each application that writes copies.
type Set = Vec<u64>;

/// Values for sets of nodes.
#[derive(Clone, Debug)]
pub(super) struct OfSets<T> {
    made: BTreeMap<Set, Box<T>>,
    /// The most recent set.
    last: Set,
}

impl<T> Default for OfSets<T> {
    fn default() -> Self {
        Self { made: BTreeMap::new(), last: Set::new() }
    }
}

impl Copying {
    /// `None` if no demand leaves open which copies are written.
    pub(super) fn new(machine: &Machine, demands: &[Demand]) -> Option<Box<Self>> {
        let apps: Vec<usize> = (0..demands.len()).filter(|&a| demands[a].has_open_copies()).collect();
        let copying = |apps| Box::new(Self { machine: machine.clone(), demands: demands.to_vec(), apps });
        (!apps.is_empty()).then(|| copying(apps))
    }

    /// Whether a node has threads of an application, with threads in the groups for which `is_used` returns
    /// true.
    fn has_threads(&self, app: usize, node: NodeId, is_used: &impl Fn(usize) -> bool) -> bool {
        let (rows, nodes) = (self.machine.rows_per_app(), self.machine.node_count());
        (app * rows..(app + 1) * rows).any(|row| is_used(row * nodes + node.0))
    }

    /// Writes the set of nodes to `set`.
    fn set(&self, is_used: &impl Fn(usize) -> bool, set: &mut Set) {
        set.clear();
        let bits =
            self.apps.iter().flat_map(|&app| self.machine.compute_nodes().map(move |node| (app, node)));
        for (bit, (app, node)) in bits.enumerate() {
            if bit % 64 == 0 {
                set.push(0);
            }
            if let Some(word) = set.last_mut().filter(|_| self.has_threads(app, node, is_used)) {
                *word |= 1 << (bit % 64);
            }
        }
    }

    /// The demands with threads in the groups for which `is_used` returns true.
    pub(super) fn demands(&self, is_used: &impl Fn(usize) -> bool) -> Vec<Demand> {
        let placed =
            self.demands.iter().cloned().enumerate().map(|(app, demand)| {
                demand.on_nodes(&self.machine, |node| self.has_threads(app, node, is_used))
            });
        placed.collect()
    }
}

impl<T> OfSets<T> {
    /// The value for the set of nodes with threads in the groups for which `is_used` returns true; `make`
    /// creates it if it does not exist. At most `most` sets are kept.
    pub(super) fn of(
        &mut self,
        copying: &Copying,
        is_used: &impl Fn(usize) -> bool,
        make: impl FnOnce() -> T,
        most: impl FnOnce(&T) -> usize,
    ) -> Option<&mut T> {
        copying.set(is_used, &mut self.last);
        if !self.made.contains_key(&self.last) {
            let made = make();
            if self.made.len() >= most(&made) {
                self.made.clear();
            }
            self.made.insert(self.last.clone(), Box::new(made));
        }
        self.last_mut()
    }

    /// The value of the most recent set.
    pub(super) fn last(&self) -> Option<&T> {
        self.made.get(&self.last).map(Box::as_ref)
    }

    /// The same, mutable.
    pub(super) fn last_mut(&mut self) -> Option<&mut T> {
        self.made.get_mut(&self.last).map(Box::as_mut)
    }
}
