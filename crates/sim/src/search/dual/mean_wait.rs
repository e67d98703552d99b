//! How long bytes wait whose data lie on several memories, the same wherever threads run: one number more of a part of the space.
//!
//! # Why
//! Under `ecm` the time per byte of a thread whose data lie on several memories is a mean, 1/d + v x (sum over memories m of c_m w_m + waits at links).
//! Where the fractions do not depend on the node, W = sum of c_m w_m is one number for all threads of all such applications: in a part where it is
//! `least` to `most`, none of them has more than after `least` ([`numasim_model::sharing::Solver::gflops_after`]). And the waits of all memories
//! together are no longer than `most`: a price for that keeps a bound from letting some wait for long while those who read all of them do not.

use numasim_model::NodeId;

use crate::problem::Evaluator;
use crate::search::dual::Relaxation;

/// What is known of the mean wait.
#[derive(Clone, Debug)]
pub(in crate::search) struct MeanWait {
    /// Applications whose bytes wait so long.
    pub(in crate::search) readers: Vec<usize>,
    /// Per class: what a GB takes of the memory of one of its nodes.
    parts: Vec<f64>,
    /// The time that a byte takes of a memory, ns per byte: waits of less make little difference.
    pub(in crate::search) unit: f64,
    /// ns for each GB.
    pub(in crate::search) range: (f64, f64),
}

/// Parts of a memory that are one.
fn is_same(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() <= 1e-12 * one.abs())
}

impl MeanWait {
    /// `None` where memories are not shared along curves, or no application reads several, the same from all nodes.
    pub(super) fn new(relaxation: &Relaxation<'_>, evaluator: &Evaluator<'_>) -> Option<Self> {
        let machine = &relaxation.problem.machine;
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
        let apps = 0..relaxation.problem.apps.len();
        let of_nodes = apps.clone().find_map(|app| everywhere(&app))?;
        let reads_so = |app: &usize| everywhere(app).is_some_and(|other| is_same(&of_nodes, &other));
        let readers = apps.filter(reads_so).collect();
        let parts = relaxation
            .classes
            .iter()
            .map(|class| class.nodes.iter().map(|node| of_nodes[node.0]).fold(f64::INFINITY, f64::min));
        let parts = parts.collect();
        let bandwidth = machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
        Some(Self { readers, parts, unit: bandwidth.recip(), range: (0.0, f64::INFINITY) })
    }

    /// What each ns per byte at a memory of a class takes of the limit; nothing where there is none.
    pub(in crate::search) fn part(&self, class: usize) -> f64 {
        self.parts[class] / self.range.1
    }

    /// What of it is one node of a class, where bytes wait `wait` ns per byte there.
    pub(in crate::search) fn of_node(&self, class: usize, wait: f64) -> f64 {
        self.parts[class] * wait
    }

    /// Whether there is a limit: the price of all of it is what it costs.
    pub(in crate::search) fn has_a_price(&self) -> bool {
        self.range.1.is_finite()
    }

    /// The same in another range, and what a price becomes.
    pub(super) fn within(&self, range: (f64, f64), price: f64) -> (Self, f64) {
        let price = if self.has_a_price() { price * range.1 / self.range.1 } else { 0.0 };
        (Self { range, ..self.clone() }, price)
    }
}
