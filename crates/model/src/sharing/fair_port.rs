//! The model `fair-port`: the paper's split, with the ports of a controller served as equals.
//!
//! # Rules
//! 1. A controller has one port for the threads of its own node and one for each link. A link asks for min(what its
//!    threads want, link).
//! 2. All ports are filled at the same pace until each has what it asks for or the controller is used up (max-min among
//!    ports): a port that asks for more than its equal part keeps at least that, B / (1 + nodes that read from outside).
//! 3. Inside a port the threads split by baseline plus proportional, as in the default.
//!
//! With a remote weight w links fill w times as fast as the local port.
//!
//! # Source
//! Our addition: it keeps the paper's rule wherever links ask for less than their equal part (all published figures are the
//! same), and avoids that wide links leave a node's own threads with nothing.

use super::fast::{Solver, Workspace};
use super::other::Other;

/// Shares memory `m`, whose controller has `controller` GB/s for what is asked of it.
pub(super) fn share(
    solver: &Solver,
    other: &Other,
    m: usize,
    controller: f64,
    threads: &[u32],
    workspace: &mut Workspace,
) {
    let memory = &solver.memories[m];
    let own = memory.own.map_or(0.0, |own| workspace.wanted[own]);
    let level = level(controller, own, &workspace.available[memory.links.clone()], other);
    for p in memory.links.clone() {
        workspace.available[p] = workspace.available[p].min(level * other.remote_weight);
        solver.share(p, threads, workspace);
    }
    if let Some(p) = memory.own {
        workspace.available[p] = own.min(level);
        solver.share(p, threads, workspace);
    }
}

/// Up to where the ports are filled, in GB/s of the local one: `own` and `links` are what the ports ask for.
fn level(controller: f64, own: f64, links: &[f64], other: &Other) -> f64 {
    let (cost, weight) = (other.remote_cost, other.remote_weight);
    let asked = own + cost * links.iter().sum::<f64>();
    if asked <= controller {
        return f64::INFINITY;
    }
    let mut level = 0.0;
    // Each round serves at least one more port in full, or is the last.
    for _ in 0..=links.len() + 1 {
        let (mut served, mut pace) = if own > level { (0.0, 1.0) } else { (own, 0.0) };
        for &link in links {
            if link > level * weight {
                pace += cost * weight;
            } else {
                served += cost * link;
            }
        }
        let next = (controller - served) / pace;
        // Not a number: rounding has served everybody.
        if next.is_nan() || next <= level {
            break;
        }
        level = next;
    }
    level
}

#[cfg(test)]
mod tests {
    use super::super::{Model, Parameter};
    use super::*;
    use crate::app::Placement;
    use crate::machine::{Machine, Node};
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    fn level_with(parameter: Option<(Parameter, f64)>, controller: f64, own: f64, links: &[f64]) -> f64 {
        let mut model = Model::from(super::super::ModelKind::FairPort);
        if let Some((parameter, value)) = parameter {
            model = model.with(parameter, value).unwrap();
        }
        let node = Node {
            cores: 1,
            gflops_per_core: Gflops::new(1.0),
            bandwidth: GigabytesPerSecond::new(1.0),
            core_bandwidth: None,
        };
        let machine =
            Machine::uniform("one", 1, node, GigabytesPerSecond::new(1.0)).unwrap().with_sharing(model);
        let demand = crate::demand::Demand {
            arithmetic_intensity: FlopPerByte::new(1.0),
            placement: Placement::Local,
        };
        let solver = Solver::new(&machine, &[demand]);
        level(controller, own, links, &Other::new(&model, &solver, &machine))
    }

    #[test]
    fn links_below_their_equal_part_leave_the_rest_to_the_node() {
        // The paper's node 0: 60 GB/s, three links of 10 (an equal part is 15), the node wants 140: it has 30.
        assert_eq!(level_with(None, 60.0, 140.0, &[10.0, 10.0, 10.0]), 30.0);
    }

    #[test]
    fn wide_links_leave_the_node_its_equal_part() {
        assert_eq!(level_with(None, 60.0, 140.0, &[100.0, 100.0, 5.0]), 55.0 / 3.0);
        assert_eq!(level_with(None, 60.0, 4.0, &[100.0, 100.0, 100.0]), 56.0 / 3.0);
    }

    #[test]
    fn a_loss_is_paid_by_the_links_share() {
        // One link of cost 2: level + 2 level = 60
        assert_eq!(level_with(Some((Parameter::RemoteLoss, 1.0)), 60.0, 100.0, &[100.0]), 20.0);
        // weight 2: level + 2 level = 60, the link has 40
        assert_eq!(level_with(Some((Parameter::RemoteWeight, 2.0)), 60.0, 100.0, &[100.0]), 20.0);
    }
}
