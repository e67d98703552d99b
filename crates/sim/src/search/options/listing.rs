//! What is listed of the options of a node: threads, what they get with all others empty, and what they ask over links.

use crate::contents::Contents;
use crate::memory::Limits;
use crate::monitor::Monitor;
use crate::parallel::prelude::*;
use crate::problem::{Evaluator, Problem};
use crate::restrictions::may_hold;
use crate::search::budget::Pace;
use crate::search::watch::{Watch, reads_own};
use numasim_model::sharing::Solver;
use numasim_model::table::Table;
use numasim_model::{AppId, NodeId, Placement};

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

// The few options of a looser table: the corners of a node.

/// The corners of a node: every application has its minimum; option 0 leaves all other cores idle, option a + 1 gives
/// them to application a.
#[derive(Clone, Debug)]
pub(in crate::search) struct Corners {
    /// Per application: the fewest threads; `None` where it may have none on the node.
    minimum: Vec<Option<u32>>,
    has_minimum: bool,
    free: u32,
    /// GFLOPS of one thread of each application that gets all it wants.
    pub(super) per_thread: Vec<f64>,
}

impl Corners {
    /// Of `node`.
    pub(super) fn new(problem: &Problem, solver: &Solver, node: NodeId) -> Self {
        let apps = problem.apps.len();
        let cores = problem.machine.node(node).cores;
        let least = if cores == 0 { 0 } else { problem.restrictions.min_threads_per_node };
        let minimum: Vec<Option<u32>> =
            problem.apps.iter().map(|app| may_hold(app, node).then_some(least)).collect();
        let given = minimum.iter().flatten().fold(0, |sum: u32, least| sum.saturating_add(*least));
        let free = cores.saturating_sub(given);
        let gets = |a: usize| {
            let demand_gbs = solver.demand_per_thread()[a * solver.nodes() + node.0];
            demand_gbs * problem.apps[a].arithmetic_intensity.value()
        };
        let per_thread = (0..apps).map(gets).collect();
        Self { minimum, has_minimum: least > 0, free, per_thread }
    }

    /// What an option earns at these prices of GFLOPS and threads; no prices of threads are all 0.
    pub(in crate::search) fn earned(&self, option: usize, of_gflops: &[f64], of_thread: &[f64]) -> f64 {
        let thread = |a: usize| self.per_thread[a] * of_gflops[a] + of_thread.get(a).copied().unwrap_or(0.0);
        let all = if self.has_minimum {
            let own = |(a, minimum): (usize, &Option<u32>)| f64::from(minimum.unwrap_or(0)) * thread(a);
            self.minimum.iter().enumerate().map(own).sum()
        } else {
            0.0
        };
        let more = self.receiver(option).map_or(0.0, |a| f64::from(self.free) * thread(a));
        all + more
    }

    /// Who gets the free cores; nobody in the place of an application that may not use the node.
    fn receiver(&self, option: usize) -> Option<usize> {
        option.checked_sub(1).filter(|&a| self.minimum[a].is_some())
    }

    /// GFLOPS and threads of each application.
    pub(super) fn row(&self, option: usize) -> (Vec<f64>, Vec<u32>) {
        let mut counts: Vec<u32> = self.minimum.iter().map(|minimum| minimum.unwrap_or(0)).collect();
        if let Some(a) = self.receiver(option) {
            counts[a] += self.free;
        }
        let potential = counts.iter().zip(&self.per_thread).map(|(&n, each)| f64::from(n) * each).collect();
        (potential, counts)
    }
}
