//! The mean wait of spread data, one number for the whole machine: parts of the space are cut by it.
//!
//! # Why
//! Under `ecm` the time per byte of a thread with data on several memories is a mean, 1/d + v x (sum over memories m of c_m w_m + waits at
//! links). If the fractions do not depend on the node, W = sum of c_m w_m is one number for all threads of all such applications. In a part
//! with W from `least` to `most`, these threads get no more than after a wait of `least`
//! ([`numasim_model::sharing::Solver::gflops_after`]). The waits of all memories together add up to `most` or less. A price for this sum
//! prevents the bound from mixing long waits of local threads with short waits of spread data.

use numasim_model::NodeId;

use crate::problem::Evaluator;

/// The mean wait in a part of the space.
#[derive(Clone, Debug)]
pub(in crate::search) struct MeanWait {
    /// Applications with this mean wait.
    pub(in crate::search) readers: Vec<usize>,
    /// Per class: the part of each GB that a node's memory holds, counted as reads.
    parts: Vec<f64>,
    /// Transfer time of the fastest memory, ns per byte: shorter waits make little difference.
    pub(in crate::search) unit: f64,
    /// ns for each GB.
    pub(in crate::search) range: (f64, f64),
}

/// Whether two lists of parts differ by rounding only.
fn is_same(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() <= 1e-12 * one.abs())
}

impl MeanWait {
    /// `classes`: the nodes of each. `None` unless memories are shared along curves and an application reads several memories in the same way from all nodes.
    pub(super) fn new(classes: &[&[NodeId]], evaluator: &Evaluator<'_>) -> Option<Self> {
        let machine = &evaluator.problem.machine;
        if !evaluator.solver.shares_along_curves() {
            return None;
        }
        let taken = |app: usize, from: NodeId| -> Vec<f64> {
            let memories = evaluator.placements[app].read_from(machine, from);
            let of = |memory: NodeId| {
                if memories.contains(&memory) { evaluator.cost(app, from, memory) } else { 0.0 }
            };
            machine.node_ids().map(of).collect()
        };
        let everywhere = |app: &usize| -> Option<Vec<f64>> {
            let mut nodes = machine.compute_nodes().map(|node| taken(*app, node));
            let first = nodes.next()?;
            let is_spread = first.iter().filter(|part| **part > 0.0).count() > 1;
            (is_spread && nodes.all(|other| is_same(&first, &other))).then_some(first)
        };
        let apps = 0..evaluator.problem.apps.len();
        let of_nodes = apps.clone().find_map(|app| everywhere(&app))?;
        let reads_so = |app: &usize| everywhere(app).is_some_and(|other| is_same(&of_nodes, &other));
        let readers = apps.filter(reads_so).collect();
        let least =
            |nodes: &&[NodeId]| nodes.iter().map(|node| of_nodes[node.0]).fold(f64::INFINITY, f64::min);
        let parts = classes.iter().map(least).collect();
        let bandwidth = machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
        Some(Self { readers, parts, unit: bandwidth.recip(), range: (0.0, f64::INFINITY) })
    }

    /// The fraction of the limit that each ns per byte at a memory of a class uses; 0 without a limit.
    pub(in crate::search) fn part(&self, class: usize) -> f64 {
        self.parts[class] / self.range.1
    }

    /// The share of one node of a class, with a wait of `wait` ns per byte at its memory.
    pub(in crate::search) fn of_node(&self, class: usize, wait: f64) -> f64 {
        self.parts[class] * wait
    }

    /// Whether there is a limit, and therefore a price.
    pub(in crate::search) fn has_a_price(&self) -> bool {
        self.range.1.is_finite()
    }

    /// The same in another range, with the price converted to its limit.
    pub(super) fn within(&self, range: (f64, f64), price: f64) -> (Self, f64) {
        let price = if self.has_a_price() { price * range.1 / self.range.1 } else { 0.0 };
        (Self { range, ..self.clone() }, price)
    }
}
