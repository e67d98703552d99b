//! Replicated data that is written: each write goes to the copies on all nodes that have threads, so that what a thread asks of memories depends
//! on which nodes these are.
//!
//! For one set of such nodes that is data on several memories like any other. So a [`super::Solver`] whose demands leave the set open has a solver
//! for each set that it is asked about, made when it is first needed, in the workspace.

use std::collections::BTreeMap;

use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::Machine;

/// What solvers for sets of nodes are made of.
#[derive(Clone, Debug)]
pub(super) struct Copying {
    pub(super) machine: Machine,
    /// One for each application.
    demands: Vec<Demand>,
    /// The applications that write copies.
    apps: Vec<usize>,
}

/// Which nodes have threads: a bit for each node with cores of each application that writes copies.
type Set = Vec<u64>;

/// What was made for sets of nodes.
#[derive(Clone, Debug)]
pub(super) struct OfSets<T> {
    made: BTreeMap<Set, Box<T>>,
    /// The set that was asked for last.
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

    /// Whether a node has threads of an application, with threads in those groups that `is_used` names.
    fn has_threads(&self, app: usize, node: NodeId, is_used: &impl Fn(usize) -> bool) -> bool {
        let (rows, nodes) = (self.machine.rows_per_app(), self.machine.node_count());
        (app * rows..(app + 1) * rows).any(|row| is_used(row * nodes + node.0))
    }

    /// Writes down the set of nodes.
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

    /// The demands with threads in those groups that `is_used` names.
    pub(super) fn demands(&self, is_used: &impl Fn(usize) -> bool) -> Vec<Demand> {
        let placed =
            self.demands.iter().cloned().enumerate().map(|(app, demand)| {
                demand.on_nodes(&self.machine, |node| self.has_threads(app, node, is_used))
            });
        placed.collect()
    }
}

impl<T> OfSets<T> {
    /// What there is for the set of nodes with threads in those groups that `is_used` names; made by `make` if there is none. `most`: of how many
    /// sets like that it is kept.
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

    /// That of the set that was asked for last.
    pub(super) fn last(&self) -> Option<&T> {
        self.made.get(&self.last).map(Box::as_ref)
    }

    /// The same, to be changed.
    pub(super) fn last_mut(&mut self) -> Option<&mut T> {
        self.made.get_mut(&self.last).map(Box::as_mut)
    }
}
