//! Replicated data that is written: each write goes to the copies on all nodes that have threads, so that what a thread asks of memories depends
//! on which nodes these are.
//!
//! For one set of such nodes that is data on several memories like any other. So a [`Solver`] whose demands leave the set open has a solver for
//! each set that it is asked about, made when it is first needed, in the workspace.

use std::collections::BTreeMap;

use super::solver::{Solver, Workspace};
use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::Machine;

/// Flows of all solvers that a workspace keeps, about: some 20 MB.
const MOST_FLOWS: usize = 100_000;
/// Most solvers that it keeps.
const MOST_SETS: usize = 1024;

/// What solvers for sets of nodes are made of.
#[derive(Clone, Debug)]
pub(super) struct Copying {
    machine: Machine,
    /// One for each application.
    demands: Vec<Demand>,
    /// The applications that write copies.
    apps: Vec<usize>,
}

/// Which nodes have threads: a bit for each node with cores of each application that writes copies.
type Set = Vec<u64>;

/// The solvers that were made, with their answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    solvers: BTreeMap<Set, Box<(Solver, Workspace)>>,
    /// That of the last answer.
    last: Set,
}

impl Copying {
    /// `None` if no demand leaves open which copies are written.
    pub(super) fn new(machine: &Machine, demands: &[Demand]) -> Option<Box<Self>> {
        let apps: Vec<usize> = (0..demands.len()).filter(|&a| demands[a].has_open_copies()).collect();
        let copying = || Self { machine: machine.clone(), demands: demands.to_vec(), apps };
        demands.iter().any(Demand::has_open_copies).then(|| Box::new(copying()))
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

    fn solver(&self, is_used: &impl Fn(usize) -> bool) -> Solver {
        let placed =
            self.demands.iter().cloned().enumerate().map(|(app, demand)| {
                demand.on_nodes(&self.machine, |node| self.has_threads(app, node, is_used))
            });
        Solver::new(&self.machine, &placed.collect::<Vec<_>>())
    }
}

impl Known {
    /// The workspace that has the answer: `own`, or that of a solver for a set of nodes.
    pub(super) fn workspace<'w>(&'w self, own: &'w Workspace) -> &'w Workspace {
        self.solvers.get(&self.last).map_or(own, |last| &last.1)
    }

    /// The solver of the last answer, and its workspace.
    pub(super) fn last(&mut self) -> Option<(&Solver, &mut Workspace)> {
        self.solvers.get_mut(&self.last).map(|last| (&last.0, &mut last.1))
    }
}

impl Solver {
    /// The solver for the nodes with threads in those groups that `is_used` names, and its workspace; `None` where nothing depends on them.
    pub(super) fn for_nodes<'w>(
        &self,
        is_used: impl Fn(usize) -> bool,
        workspace: &'w mut Workspace,
    ) -> Option<(&'w Solver, &'w mut Workspace)> {
        let copying = self.copying.as_deref()?;
        let Known { solvers, last } = &mut workspace.known;
        copying.set(&is_used, last);
        if !solvers.contains_key(last) {
            let solver = copying.solver(&is_used);
            let most = (MOST_FLOWS / solver.compiled.flows.len().max(1)).clamp(2, MOST_SETS);
            if solvers.len() >= most {
                solvers.clear();
            }
            let inner = solver.workspace();
            solvers.insert(last.clone(), Box::new((solver, inner)));
        }
        solvers.get_mut(last).map(|known| (&known.0, &mut known.1))
    }

    /// The solver and the workspace that have the last answer.
    pub(super) fn answering<'w>(&'w self, workspace: &'w Workspace) -> (&'w Self, &'w Workspace) {
        let Known { solvers, last } = &workspace.known;
        solvers.get(last).map_or((self, workspace), |known| (&known.0, &known.1))
    }
}
