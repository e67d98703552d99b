//! Contradictions between what applications ask of a placement beside numbers of threads and nodes, as far as they show without
//! a search.

use super::infeasible::Infeasible;
use super::rules::{Restrictions, may_hold};
use numasim_model::{App, Machine, NodeId};
use std::num::NonZeroU32;

/// Contradictions between what applications ask, and with the restrictions of all.
pub(super) fn check(restrictions: &Restrictions, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
    for app in apps {
        check_one(restrictions, machine, app)?;
    }
    let largest = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(1).max(1);
    let nodes = machine.compute_nodes().count();
    let exclusive = || apps.iter().filter(|app| app.placing.exclusive);
    let own: usize = exclusive().map(|app| app.min_threads.div_ceil(largest) as usize).sum();
    let others = apps.iter().any(|app| !app.placing.exclusive && app.min_threads > 0);
    if own > 0 && own + usize::from(others) > nodes {
        return Err(Infeasible::ExclusiveNodes { needed: own + usize::from(others), nodes });
    }
    let everywhere = |app: &App| {
        restrictions.min_threads_per_node > 0 || (restrictions.same_on_every_node && app.min_threads > 0)
    };
    for app in exclusive().filter(|app| everywhere(app)) {
        let with = |node: NodeId| {
            let beside = |other: &&App| other.name != app.name && everywhere(other) && may_hold(other, node);
            apps.iter().find(beside).filter(|_| may_hold(app, node)).map(|other| (other.name.clone(), node))
        };
        if let Some((other, node)) = machine.compute_nodes().find_map(with) {
            return Err(Infeasible::ExclusiveEverywhere { app: app.name.clone(), other, node });
        }
    }
    Ok(())
}

fn check_one(restrictions: &Restrictions, machine: &Machine, app: &App) -> Result<(), Infeasible> {
    let (placing, name) = (&app.placing, || app.name.clone());
    let allowed = || machine.compute_nodes().filter(|&node| may_hold(app, node));
    let step = placing.multiple_of.map_or(1, NonZeroU32::get);
    let (min, max) = (app.min_threads, app.max_threads);
    if let Some(max) = max.filter(|&max| step > 1 && min.div_ceil(step).saturating_mul(step) > max) {
        return Err(Infeasible::MultipleMissesRange { app: name(), step, min, max });
    }
    if let Some(most) = placing.max_nodes {
        let everywhere =
            restrictions.min_threads_per_node > 0 || (restrictions.same_on_every_node && min > 0);
        let nodes = allowed().count();
        if everywhere && nodes > most {
            return Err(Infeasible::MaxNodesEverywhere { app: name(), most, nodes });
        }
    }
    let mut held: Vec<u64> =
        allowed().map(|node| u64::from(placing.previous(machine.node(node).cores))).collect();
    held.sort_unstable_by(|a, b| b.cmp(a));
    let nodes = placing.max_nodes.map_or(held.len(), |most| most.min(held.len()));
    let cores: u64 = held.iter().take(nodes).sum();
    if cores < u64::from(min) {
        return Err(Infeasible::TooFewOnNodes { app: name(), wanted: min, nodes, step, cores });
    }
    Ok(())
}
