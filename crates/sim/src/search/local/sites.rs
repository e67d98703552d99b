//! Which nodes change together.

use numasim_model::NodeId;

use crate::problem::Problem;

/// Nodes whose threads change together: one node, or all of them under "the same on every node".
pub(in crate::search) type Site = Vec<NodeId>;

/// The sites of a problem.
pub(in crate::search) fn sites(problem: &Problem) -> Vec<Site> {
    let nodes: Vec<NodeId> = problem.machine.compute_nodes().collect();
    if problem.restrictions.same_on_every_node {
        vec![nodes]
    } else {
        nodes.into_iter().map(|node| vec![node]).collect()
    }
}
