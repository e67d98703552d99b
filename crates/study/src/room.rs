//! Data that no memory has room for, whatever the threads do.

use numasim_model::app::{App, Data};
use numasim_model::ids::NodeId;
use numasim_model::machine::Machine;
use numasim_model::units::Gibibytes;

use super::problem::{Problem, ProblemKind};
use super::value::Value;

/// Reports data of one application that does not fit where it must lie. `size` is its `memory_gib`, `data` says where it lies.
///
/// Looked at for itself: what several applications need together depends on the scenario.
pub(super) fn check(app: &App, machine: &Machine, size: &Value<'_>, data: Option<&Value<'_>>) {
    let Some(gib) = app.memory.map(Gibibytes::value) else { return };
    let Some(full) = too_small(app, machine, gib) else { return };
    let mut problem = Problem::new(ProblemKind::Infeasible, full)
        .at(size.place(), "the size of the data")
        .hint("let it lie on other or on more nodes, or correct `memory_gib` here or of the machine");
    if let Some(data) = data {
        problem = problem.related(data.place(), "where it lies");
    }
    size.source.log.report(problem);
}

/// What does not fit, in a sentence.
fn too_small(app: &App, machine: &Machine, gib: f64) -> Option<String> {
    let room = |node: NodeId| machine.node(node).memory.map_or(f64::INFINITY, Gibibytes::value);
    let fits = |needed: f64, there: f64| needed <= there * (1.0 + 1e-9);
    let placement = match &app.data {
        Data::Placed(placement) => placement,
        Data::OpenHome { share } => {
            let largest = machine.node_ids().map(room).fold(0.0, f64::max);
            return (!fits(gib * share, largest)).then(|| {
                format!(
                    "{} GiB of data are to lie on one node, but the largest memory has {largest} GiB",
                    gib * share
                )
            });
        }
    };
    for node in machine.node_ids() {
        let needed = gib * placement.fixed_share(machine, node);
        if !fits(needed, room(node)) {
            let there = room(node);
            return Some(format!(
                "{needed} GiB of data are to lie on {node}, which has {there} GiB of memory"
            ));
        }
    }
    let local = gib * placement.local_share();
    let may_run = |node: &NodeId| app.nodes.as_ref().is_none_or(|nodes| nodes.contains(node));
    let left = |node: NodeId| room(node) - gib * placement.fixed_share(machine, node);
    let there: f64 = machine.compute_nodes().filter(may_run).map(left).sum();
    (!fits(local, there)).then(|| {
        format!(
            "{local} GiB of data are to lie where the threads run, and there are {there} GiB of memory for it"
        )
    })
}
