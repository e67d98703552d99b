//! What is listed of the options of a node: threads, what they get with all others empty, and what they ask over links.

use crate::parallel::prelude::*;
use numasim_model::sharing::Solver;
use numasim_model::table::Table;
use numasim_model::{AppId, NodeId, Placement};

use crate::contents::Contents;
use crate::memory::Limits;
use crate::monitor::Monitor;
use crate::problem::{Evaluator, Problem};
use crate::search::pace::Pace;
use crate::search::watch::{Watch, reads_own};

/// Per application, whether what it gets on `node` with all others empty is the most that it gets there.
pub(super) fn alone(evaluator: &Evaluator<'_>, node: NodeId) -> Vec<bool> {
    let solver = &evaluator.solver;
    let (all, local) =
        (solver.threads_elsewhere_never_help(), solver.threads_elsewhere_never_help_local_ones());
    let machine = &evaluator.problem.machine;
    let own = |placement: &Placement| all || (local && reads_own(machine, placement, node));
    evaluator.placements.iter().map(own).collect()
}

/// What is known to be the most: `solved` for those of `alone`, for the others as before.
pub(super) fn lower(before: &[f64], solved: &[f64], alone: &[bool]) -> Vec<f64> {
    let own = before.iter().zip(solved).zip(alone.iter().cycle());
    own.map(|((before, solved), alone)| if *alone { before.min(*solved) } else { *before }).collect()
}

/// GFLOPS of each application for each option when every other node is empty; `None` at a stop.
pub(super) fn potential(
    apps: usize,
    counts: &[u32],
    solver: &Solver,
    node: NodeId,
    cost: u64,
    monitor: &dyn Monitor,
) -> Option<Vec<f64>> {
    let nodes = solver.nodes();
    let parts: Option<Vec<Vec<f64>>> = counts
        .par_chunks(apps * 1024)
        .map(|chunk| {
            let mut workspace = solver.workspace();
            let mut threads: Table<u32> = Table::filled(apps, nodes, 0);
            let mut part = Vec::with_capacity(chunk.len());
            let mut pace = Pace::new(monitor);
            for option in chunk.chunks_exact(apps) {
                if pace.stops_after(cost) {
                    return None;
                }
                for (a, &count) in option.iter().enumerate() {
                    threads[(AppId(a), node)] = count;
                }
                solver.solve_changes(threads.as_slice(), &mut workspace);
                part.extend_from_slice(workspace.gflops());
            }
            Some(part)
        })
        .collect();
    Some(parts?.concat())
}

/// What each option asks to occupy of each watched memory over the link to it, GB/s: all that its threads want, at most the link and
/// what the watch says of it.
pub(super) fn asks(
    problem: &Problem,
    evaluator: &Evaluator<'_>,
    watched: &[Watch],
    node: NodeId,
    counts: &[u32],
) -> Vec<f64> {
    let apps = problem.apps.len();
    let solver = &evaluator.solver;
    let efficiency = problem.machine.sharing().parameters.link_efficiency;
    let mut asks = Vec::with_capacity(counts.len() / apps * watched.len());
    for option in counts.chunks_exact(apps) {
        asks.extend(watched.iter().map(|watch| {
            let memory = watch.memory;
            let Some(link) = problem.machine.link(node, memory) else { return 0.0 };
            let demand_gbs = |(a, &threads): (usize, &u32)| {
                let wants = solver.demand_per_thread()[a * solver.nodes() + node.0];
                f64::from(threads) * wants * evaluator.cost(a, node, memory)
            };
            let limit =
                watch.part.get(node.0).copied().unwrap_or(f64::INFINITY).min(link.value() * efficiency);
            option.iter().enumerate().map(demand_gbs).sum::<f64>().min(limit)
        }));
    }
    asks
}

/// Thread counts of every option of `node` that the restrictions allow on a single node, in lexicographic order; one row
/// of `apps.len()` each. Options whose local data fits the node in no allocation are left out.
pub(super) fn counts(
    problem: &Problem,
    limits: Option<&Limits>,
    node: NodeId,
    limit: usize,
) -> Option<Vec<u32>> {
    let Problem { machine, apps, restrictions, .. } = problem;
    if machine.node(node).cores == 0 {
        return Some(vec![0; apps.len()]);
    }
    let mut found = Vec::new();
    let mut contents = Contents::new(machine, apps, restrictions, &[node]);
    while let Some(content) = contents.next() {
        if limits.is_some_and(|limits| !limits.may_hold(node, content)) {
            continue;
        }
        if found.len() >= limit.saturating_mul(apps.len()) {
            return None;
        }
        found.extend_from_slice(content);
    }
    Some(found)
}
