//! All ways to fill one node: the options among which the exact search chooses, one per node.

use std::sync::Arc;

use crate::parallel::prelude::*;
use numasim_model::{App, Machine, NodeId};

use crate::problem::Problem;
use crate::restrictions::Restrictions;
use numasim_model::Placement;
use numasim_model::sharing::Solver;

/// The options of one node, and of every node that can be exchanged with it.
#[derive(Clone, Debug)]
pub(super) struct OptionTable {
    apps: usize,
    /// Threads: `counts[option * apps + app]`.
    counts: Arc<Vec<u32>>,
    /// GFLOPS of each application on this node with every other node empty: `potential[option * apps + app]`.
    ///
    /// An upper bound for every allocation that contains the option, because threads elsewhere never help (property
    /// of the sharing model).
    potential: Vec<f64>,
    /// GB/s that the option asks of each watched memory over a link: `reads[option * watched + memory]`.
    reads: Arc<Vec<f64>>,
    watched: usize,
}

impl OptionTable {
    /// All options of `node`, or `None` if there are more than `limit`. `watched`: the memories whose readers are
    /// counted.
    pub(super) fn new(
        problem: &Problem,
        solver: &Solver,
        placements: &[Placement],
        watched: &[NodeId],
        node: NodeId,
        limit: usize,
    ) -> Option<Self> {
        let apps = problem.apps.len();
        let counts = counts(&problem.machine, &problem.apps, &problem.restrictions, node, limit)?;
        let potential = potential(apps, &counts, solver, node);
        let reads = reads(problem, solver, placements, watched, node, &counts);
        let (counts, reads) = (Arc::new(counts), Arc::new(reads));
        Some(Self { apps, counts, potential, reads, watched: watched.len() })
    }

    /// The same options where `solver` says what they get.
    pub(super) fn with_solver(&self, solver: &Solver, node: NodeId) -> Self {
        Self { potential: potential(self.apps, &self.counts, solver, node), ..self.clone() }
    }

    /// The corners of a looser, always small table: every application has its minimum, and nobody or one application
    /// has all other cores, too; all get all they want.
    ///
    /// Every real option lies below a mixture of corners, so that a bound over them holds for all options (the
    /// roofline bound: cores and demand only; the bandwidth of memories must then be priced by the caller).
    pub(super) fn corners(problem: &Problem, solver: &Solver, node: NodeId) -> Self {
        let apps = problem.apps.len();
        let cores = problem.machine.node(node).cores;
        let minimum = if cores == 0 { 0 } else { problem.restrictions.min_threads_per_node };
        let given = u32::try_from(apps).unwrap_or(u32::MAX).saturating_mul(minimum);
        let free = cores.saturating_sub(given);
        let mut counts = vec![minimum; apps * (apps + 1)];
        for a in 0..apps {
            counts[(a + 1) * apps + a] += free;
        }
        let gets = |(i, &threads): (usize, &u32)| {
            let wants = solver.wants_per_thread()[i % apps * solver.nodes() + node.0];
            f64::from(threads) * wants * problem.apps[i % apps].arithmetic_intensity.value()
        };
        let potential = counts.iter().enumerate().map(gets).collect();
        let (counts, reads) = (Arc::new(counts), Arc::new(Vec::new()));
        Self { apps, counts, potential, reads, watched: 0 }
    }

    /// Number of options.
    pub(super) fn len(&self) -> usize {
        self.counts.len() / self.apps
    }

    /// Threads of each application.
    pub(super) fn counts(&self, option: usize) -> &[u32] {
        &self.counts[option * self.apps..(option + 1) * self.apps]
    }

    /// GB/s asked of each watched memory over a link.
    pub(super) fn reads(&self, option: usize) -> &[f64] {
        &self.reads[option * self.watched..(option + 1) * self.watched]
    }

    /// Upper bound on the GFLOPS of each application on this node.
    pub(super) fn potential(&self, option: usize) -> &[f64] {
        &self.potential[option * self.apps..(option + 1) * self.apps]
    }
}

/// GFLOPS of each application for each option when every other node is empty.
fn potential(apps: usize, counts: &[u32], solver: &Solver, node: NodeId) -> Vec<f64> {
    let nodes = solver.nodes();
    counts
        .par_chunks(apps * 1024)
        .flat_map_iter(|chunk| {
            let mut workspace = solver.workspace();
            let mut threads = vec![0; apps * nodes];
            let mut part = Vec::with_capacity(chunk.len());
            for option in chunk.chunks_exact(apps) {
                for (a, &count) in option.iter().enumerate() {
                    threads[a * nodes + node.0] = count;
                }
                solver.solve(&threads, &mut workspace);
                part.extend_from_slice(workspace.gflops());
            }
            part
        })
        .collect()
}

/// What each option asks of each watched memory over the link to it, GB/s: all that its threads want, at most the link.
fn reads(
    problem: &Problem,
    solver: &Solver,
    placements: &[Placement],
    watched: &[NodeId],
    node: NodeId,
    counts: &[u32],
) -> Vec<f64> {
    let apps = problem.apps.len();
    let efficiency = problem.machine.sharing().parameters.link_efficiency;
    let mut reads = Vec::with_capacity(counts.len() / apps * watched.len());
    for option in counts.chunks_exact(apps) {
        reads.extend(watched.iter().map(|&memory| {
            let Some(link) = problem.machine.link(node, memory) else { return 0.0 };
            let wants = |(a, &threads): (usize, &u32)| {
                let fraction = placements[a].fraction(&problem.machine, node, memory);
                f64::from(threads) * solver.wants_per_thread()[a * solver.nodes() + node.0] * fraction
            };
            option.iter().enumerate().map(wants).sum::<f64>().min(link.value() * efficiency)
        }));
    }
    reads
}

/// Thread counts of every option of `node` that the restrictions allow on a single node, in lexicographic order.
fn counts(
    machine: &Machine,
    apps: &[App],
    restrictions: &Restrictions,
    node: NodeId,
    limit: usize,
) -> Option<Vec<u32>> {
    match machine.node(node).cores {
        0 => Some(vec![0; apps.len()]),
        cores => counts_for(cores, apps, restrictions, limit),
    }
}

/// Thread counts of every option of a node with `cores` cores, one row of `apps.len()` per option.
pub(super) fn counts_for(
    cores: u32,
    apps: &[App],
    restrictions: &Restrictions,
    limit: usize,
) -> Option<Vec<u32>> {
    let mut listing = Listing { apps, restrictions, cores, limit, found: Vec::new(), current: Vec::new() };
    listing.extend(cores).then_some(listing.found)
}

/// State of the recursive listing.
struct Listing<'a> {
    apps: &'a [App],
    restrictions: &'a Restrictions,
    cores: u32,
    limit: usize,
    found: Vec<u32>,
    current: Vec<u32>,
}

impl Listing<'_> {
    /// The most threads that the applications after `position` may have together.
    fn room_after(&self, position: usize) -> u32 {
        let most = self.apps[position + 1..].iter().map(|app| app.max_threads.unwrap_or(u32::MAX));
        most.fold(0, u32::saturating_add)
    }

    /// Adds every completion of `current` with `free` cores left; false when there are too many options.
    fn extend(&mut self, free: u32) -> bool {
        let position = self.current.len();
        let Some(app) = self.apps.get(position) else {
            if self.restrictions.no_idle_cores && free > 0 {
                return true;
            }
            self.found.extend_from_slice(&self.current);
            return self.found.len() <= self.limit * self.apps.len();
        };
        let taken = self.restrictions.whole_nodes && free < self.cores;
        let most = if taken { 0 } else { free.min(app.max_threads.unwrap_or(u32::MAX)) };
        // Without idle cores the later applications must be able to take the rest.
        let room = if taken { 0 } else { self.room_after(position) };
        let rest = if self.restrictions.no_idle_cores { free.saturating_sub(room) } else { 0 };
        for threads in self.restrictions.min_threads_per_node.max(rest)..=most {
            self.current.push(threads);
            let go_on = self.extend(free - threads);
            self.current.pop();
            if !go_on {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};

    fn count(apps: usize, cores: u32, restrictions: Restrictions) -> usize {
        let machine = uniform_machine(1, cores, 10.0, 32.0, 10.0);
        let apps = vec![local_app("a", 1.0); apps];
        counts(&machine, &apps, &restrictions, NodeId(0), 1_000_000).unwrap().len() / apps.len()
    }

    #[test]
    fn eight_cores_and_four_apps_have_495_options() {
        // C(8 + 4, 4) = 495 with idle cores, C(8 + 3, 3) = 165 without
        assert_eq!(count(4, 8, Restrictions::default()), 495);
        assert_eq!(count(4, 8, Restrictions { no_idle_cores: true, ..Restrictions::default() }), 165);
    }

    #[test]
    fn whole_nodes_leave_one_app_or_none() {
        // empty, or 1 to 8 threads of one of four applications
        assert_eq!(count(4, 8, Restrictions { whole_nodes: true, ..Restrictions::default() }), 1 + 4 * 8);
    }

    #[test]
    fn minimum_per_node_takes_its_cores_first() {
        // 2 of 8 cores each for 3 applications leave 2 cores to split freely: C(2 + 3, 3) = 10
        assert_eq!(count(3, 8, Restrictions { min_threads_per_node: 2, ..Restrictions::default() }), 10);
    }

    #[test]
    fn too_many_options_are_refused() {
        let machine = uniform_machine(1, 64, 10.0, 32.0, 10.0);
        let apps = vec![local_app("a", 1.0); 8];
        assert!(counts(&machine, &apps, &Restrictions::default(), NodeId(0), 1000).is_none());
    }
}
