//! The paper's literal rule, memory by memory.
//!
//! For memory m with bandwidth `B_m` and `C_m` cores:
//! 1. Remote first: the threads of another node n together get min(what they want, link n->m). If all links
//!    together would get more than `B_m`, each is scaled by the same factor.
//! 2. Inside one link the threads split what the link got, with baseline = what the link got / cores of n.
//! 3. What is left of `B_m` goes to the threads that run on m, with baseline = what is left / `C_m`.

use crate::ids::NodeId;
use crate::machine::Machine;
use crate::sharing::dealt::{Thread, split};

/// Shares every memory.
pub(super) fn share(machine: &Machine, threads: &mut [Thread]) {
    for memory in machine.node_ids() {
        serve(machine, memory, threads);
    }
}

fn serve(machine: &Machine, memory: NodeId, threads: &mut [Thread]) {
    let controller = machine.node(memory).bandwidth.value();

    // Step 1: remote first.
    let mut link_gets: Vec<(NodeId, f64)> = Vec::new();
    for from in machine.node_ids() {
        if let Some(link) = machine.link(from, memory) {
            let on_from = threads.iter().filter(|thread| thread.node == from);
            let wanted: f64 = on_from.map(|thread| thread.demand_gbs(memory)).sum();
            link_gets.push((from, wanted.min(link.value())));
        }
    }
    let all_links: f64 = link_gets.iter().map(|&(_, gets)| gets).sum();
    let too_much = all_links > controller;
    if too_much {
        for (_, gets) in &mut link_gets {
            *gets *= controller / all_links;
        }
    }

    // Step 2: inside one link.
    for &(from, gets) in &link_gets {
        grant(machine, gets, from, memory, threads);
    }

    // Step 3: what is left. Exactly nothing after scaling; the subtraction would leave a rounding error.
    grant(machine, if too_much { 0.0 } else { controller - all_links }, memory, memory, threads);
}

/// Splits `pool` among the threads that run on `from`, by what they want of `memory`.
fn grant(machine: &Machine, pool: f64, from: NodeId, memory: NodeId, threads: &mut [Thread]) {
    let mut readers: Vec<&mut Thread> = threads.iter_mut().filter(|thread| thread.node == from).collect();
    let wants: Vec<f64> = readers.iter().map(|thread| thread.demand_gbs(memory)).collect();
    let gets = split(pool, f64::from(machine.node(from).cores), &wants);
    for (thread, gets) in readers.iter_mut().zip(gets) {
        thread.gets[memory.0] = gets;
    }
}
