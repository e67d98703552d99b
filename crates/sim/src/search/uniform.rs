//! Exact search when every node gets the same: one option describes the whole machine, so that all are evaluated.

use numasim_model::{Allocation, AppId, Placement};
use rayon::prelude::*;

use super::monitor::Monitor;
use super::options::counts_for;
use super::pool::{Canonical, Pool};
use crate::problem::{Evaluator, Problem};

/// The node contents that fit every node with cores, or `None` if there are more than `limit`.
pub(super) fn contents(problem: &Problem, limit: usize) -> Option<Vec<u32>> {
    let machine = &problem.machine;
    let smallest = machine.compute_nodes().map(|n| machine.node(n).cores).min()?;
    counts_for(smallest, &problem.apps, &problem.restrictions, limit)
}

/// The allocation that puts `content` on every node with cores.
pub(super) fn everywhere(problem: &Problem, content: &[u32]) -> Allocation {
    let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
    for node in problem.machine.compute_nodes() {
        content.iter().enumerate().for_each(|(a, &threads)| allocation.set(AppId(a), node, threads));
    }
    allocation
}

/// Evaluates every content for one set of placements; false if `monitor` stopped it.
pub(super) fn search(
    problem: &Problem,
    placements: &[Placement],
    contents: &[u32],
    canonical: &Canonical,
    pool: &mut Pool,
    monitor: &dyn Monitor,
) -> bool {
    let apps = problem.apps.len();
    let start = pool.clone();
    let parts: Vec<Option<Pool>> = contents
        .par_chunks(apps * 4096)
        .map(|chunk| {
            if monitor.stop() {
                return None;
            }
            let mut evaluator = Evaluator::new(problem, placements.to_vec());
            let mut found = start.clone();
            for content in chunk.chunks_exact(apps) {
                let allocation = everywhere(problem, content);
                if evaluator.rate(allocation.as_slice()).0 > found.cutoff()
                    && problem.restrictions.allow(&problem.machine, &problem.apps, &allocation)
                {
                    let candidate = evaluator.candidate(allocation);
                    found.add(canonical, candidate);
                }
            }
            Some(found)
        })
        .collect();
    let mut complete = true;
    for part in parts {
        match part {
            Some(found) => pool.merge(canonical, found),
            None => complete = false,
        }
    }
    complete
}
