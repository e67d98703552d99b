//! Allocations that an administrator would write down for jobs of given sizes: whole jobs on nodes, and one job after the other along the
//! nodes.
//!
//! They are starts of the search and candidates for the simplest answer. Climbing thread by thread stops at irregular shapes before it
//! comes near them.

use numasim_model::{Allocation, AppId, NodeId};

use crate::problem::{Evaluator, Problem};
use crate::restrictions::may_hold;

/// Boundaries between jobs in a row are at simple fractions of a node: halves, thirds, and so on up to this denominator.
const FINEST: u32 = 4;

/// GB/s that `threads` threads of each application want on its first node with the machine to themselves.
pub(crate) fn wanted_gbs(problem: &Problem, evaluator: &Evaluator<'_>, threads: &[u32]) -> Vec<f64> {
    let solver = &evaluator.solver;
    let wants = |(a, &threads): (usize, &u32)| {
        let node = problem.machine.compute_nodes().find(|&node| may_hold(&problem.apps[a], node));
        let one = node.map_or(0.0, |node| solver.demand_per_thread()[a * solver.nodes() + node.0]);
        f64::from(threads) * one
    };
    threads.iter().enumerate().map(wants).collect()
}

/// `threads` of each application on one node if it has room. Applications that want most bandwidth come first, each on the node whose
/// memory is loaded least (longest processing time first: Graham, "Bounds on multiprocessing timing anomalies", 1969). Threads without room
/// anywhere are cut.
pub(crate) fn whole_jobs(problem: &Problem, threads: &[u32], wanted_gbs: &[f64]) -> Allocation {
    let machine = &problem.machine;
    let mut allocation = Allocation::empty(problem.apps.len(), machine.node_count());
    let mut free: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    let mut load = vec![0.0; machine.node_count()];
    let mut order: Vec<usize> = (0..problem.apps.len()).collect();
    order.sort_by(|&a, &b| wanted_gbs[b].total_cmp(&wanted_gbs[a]).then(a.cmp(&b)));
    for a in order {
        let each = wanted_gbs[a] / f64::from(threads[a].max(1));
        let mut left = threads[a];
        while left > 0 {
            let nodes =
                machine.compute_nodes().filter(|&node| may_hold(&problem.apps[a], node) && free[node.0] > 0);
            let room = |node: NodeId| free[node.0].min(left);
            let loaded = |node: NodeId| {
                (load[node.0] + f64::from(left) * each)
                    / machine.node(node).bandwidth.value().max(f64::MIN_POSITIVE)
            };
            let best = nodes.min_by(|&one, &other| {
                let by_load = || loaded(one).total_cmp(&loaded(other));
                room(other).cmp(&room(one)).then_with(by_load).then(one.cmp(&other))
            });
            let Some(node) = best else { break };
            let here = room(node);
            allocation.set(AppId(a), node, allocation.get(AppId(a), node) + here);
            free[node.0] -= here;
            load[node.0] += f64::from(here) * each;
            left -= here;
        }
    }
    allocation
}

/// `threads` of each application along the nodes, one application after the other. Each application gets a fraction of all memories in
/// proportion to `parts`. There is one allocation for each granularity of boundaries and each way to round.
pub(crate) fn in_a_row(problem: &Problem, threads: &[u32], parts: &[f64]) -> Vec<Allocation> {
    let machine = &problem.machine;
    let nodes: Vec<NodeId> = machine.compute_nodes().filter(|&node| machine.has_memory(node)).collect();
    let all: f64 = parts.iter().sum();
    if nodes.is_empty() || all <= 0.0 {
        return Vec::new();
    }
    let bandwidth = |at: usize| machine.node(nodes[at]).bandwidth.value();
    let of_memories: f64 = (0..nodes.len()).map(bandwidth).sum();
    // The position along the nodes, in nodes, at which this share of all memories is behind it.
    let position = |mut share: f64| -> f64 {
        for at in 0..nodes.len() {
            let own = bandwidth(at) / of_memories;
            if share < own {
                return at as f64 + share / own;
            }
            share -= own;
        }
        nodes.len() as f64
    };
    let mut found = Vec::new();
    for grain in 1..=FINEST {
        let snapped = |share: f64| (position(share) * f64::from(grain)).round() / f64::from(grain);
        for up in [false, true] {
            let mut allocation = Allocation::empty(problem.apps.len(), machine.node_count());
            let (mut before, mut from) = (0.0_f64, 0.0_f64);
            for (a, &size) in threads.iter().enumerate() {
                before += parts[a] / all;
                let to = snapped(before.min(1.0));
                let lengths: Vec<f64> = (0..nodes.len())
                    .map(|at| (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0))
                    .collect();
                for (at, threads) in dealt(size, &lengths, up).into_iter().enumerate() {
                    allocation.set(AppId(a), nodes[at], threads);
                }
                from = to;
            }
            if !found.contains(&allocation) {
                found.push(allocation);
            }
        }
    }
    found
}

/// A number of threads, at most `most`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "within 0 and a number of threads"
)]
fn threads_of(number: f64, most: u32) -> u32 {
    number.clamp(0.0, f64::from(most)) as u32
}

/// `threads` on parts of nodes: the same number on each whole node, rounded `up` or down, and the remainder on the others, or one more on
/// each of the first.
fn dealt(threads: u32, lengths: &[f64], up: bool) -> Vec<u32> {
    let all: f64 = lengths.iter().sum();
    let mut dealt = vec![0; lengths.len()];
    if all <= 0.0 {
        return dealt;
    }
    let each = f64::from(threads) / all;
    let each = if up { each.ceil() } else { each.floor() };
    let mut left = threads;
    let mut give = |dealt: &mut [u32], at: usize, more: u32| {
        dealt[at] += more.min(left);
        left -= more.min(left);
    };
    let whole = |at: &usize| lengths[*at] >= 1.0;
    let partly: Vec<usize> = (0..lengths.len()).filter(|at| lengths[*at] > 0.0 && !whole(at)).collect();
    for at in (0..lengths.len()).filter(whole) {
        give(&mut dealt, at, threads_of(each, threads));
    }
    let of_partly: f64 = partly.iter().map(|&at| lengths[at]).sum();
    let rest = threads - dealt.iter().sum::<u32>();
    for &at in &partly {
        give(&mut dealt, at, threads_of((f64::from(rest) * lengths[at] / of_partly).round(), rest));
    }
    let used: Vec<usize> =
        if partly.is_empty() { (0..lengths.len()).filter(whole).collect() } else { partly };
    for &at in used.iter().cycle().take(threads as usize) {
        give(&mut dealt, at, 1);
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};
    use crate::{Objective, Restrictions};

    fn rows(allocation: &Allocation) -> Vec<Vec<u32>> {
        (0..allocation.apps()).map(|a| allocation.row(AppId(a)).to_vec()).collect()
    }

    /// Four nodes of 8 cores and 40 GB/s, and `apps` equal applications.
    fn problem(apps: usize) -> Problem {
        let apps: Vec<_> = (0..apps).map(|a| local_app(&format!("a{a}"), 0.5)).collect();
        let machine = uniform_machine(4, 8, 10.0, 40.0, 10.0);
        Problem::new(&machine, &apps, Objective::Fair, Restrictions::default()).expect("possible")
    }

    #[test]
    fn whole_jobs_go_to_the_least_loaded_node_and_the_excess_is_cut() {
        // 5 and 5 on nodes 0 and 1, 3 each on nodes 2 and 3; then 30 + 30 GB/s on node 2 are less than 50 + 30 on node 0.
        let threads = [5, 5, 3, 3, 3];
        let wants = [50.0, 50.0, 30.0, 30.0, 30.0];
        let found = whole_jobs(&problem(5), &threads, &wants);
        assert_eq!(rows(&found), [[5, 0, 0, 0], [0, 5, 0, 0], [0, 0, 3, 0], [0, 0, 0, 3], [0, 0, 3, 0]]);
        // 10 threads do not fit a node: 8 and 2.
        assert_eq!(rows(&whole_jobs(&problem(1), &[10], &[100.0])), [[8, 2, 0, 0]]);
    }

    #[test]
    fn a_row_gives_each_job_its_share_of_the_memories() {
        // 2.5 and 1.5 nodes: 8 threads at 3.2 on a node are 3 and 3 and 2 on half of node 2; 6 at 4 are 4, and 2 on the other half.
        let found = in_a_row(&problem(2), &[8, 6], &[2.5, 1.5]);
        assert!(found.iter().any(|one| rows(one) == [[3, 3, 2, 0], [0, 0, 2, 4]]), "{found:?}");
        // In whole nodes, rounded down: 8 threads on three are 2 on each, and one more on the first two.
        assert!(found.iter().any(|one| rows(one) == [[3, 3, 2, 0], [0, 0, 0, 6]]), "{found:?}");
        assert!(found.iter().all(|one| rows(one).iter().map(|row| row.iter().sum::<u32>()).eq([8, 6])));
    }

    #[test]
    fn a_job_without_a_share_has_no_threads() {
        assert!(in_a_row(&problem(2), &[8, 6], &[0.0, 0.0]).is_empty());
        assert_eq!(dealt(5, &[0.0, 0.0], true), [0, 0]);
        assert_eq!(dealt(5, &[1.0, 0.5, 0.5], false), [2, 2, 1]);
    }
}
