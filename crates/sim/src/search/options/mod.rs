//! All ways to fill one node: the options among which the exact search chooses, one per node.

mod listing;

use std::borrow::Cow;
use std::sync::Arc;

use crate::parallel::prelude::*;
use numasim_model::NodeId;
use numasim_model::sharing::Solver;
use numasim_model::sharing::least::{DrawnByOthers, Kept, MostThreads};

use super::ceilings::{Ceiling, ceilings};
use super::watch::Watch;
use crate::monitor::Monitor;
use crate::problem::{Evaluator, Problem};
pub(super) use listing::Corners;
use listing::{alone, asks, counts, lower, potential};

/// Options of one task.
const CHUNK: usize = 1024;

/// The options of one node, and of every node that can be exchanged with it.
#[derive(Clone, Debug)]
pub(super) struct OptionTable {
    apps: usize,
    /// Threads: `counts[option * apps + app]`.
    counts: Arc<Vec<u32>>,
    /// GFLOPS of each application on this node with every other node empty: `potential[option * apps + app]`.
    ///
    /// An upper bound for every allocation that contains the option, because threads elsewhere never help (property
    /// of the sharing model); where they can, what no sharing gives more than ([`ceilings`]), and so for those applications only that
    /// they can help.
    potential: Arc<Vec<f64>>,
    /// GFLOPS that each application gets on this node whatever others do, laid out as potentials; empty where that is not known, or
    /// not needed because potentials say what is got.
    least: Vec<f64>,
    /// GB/s that threads elsewhere draw at most of the memory of the node, per option; empty where that is not asked for.
    others: Vec<f64>,
    /// GB/s that the option asks of each watched memory over a link: `asks[option * watched + memory]`.
    asks: Arc<Vec<f64>>,
    /// What of it counts ([`super::dual::Watched`]), laid out as `asks`.
    reads: Arc<Vec<f64>>,
    watched: usize,
    /// In place of lists: the few options of a looser table.
    corners: Option<Corners>,
}

impl OptionTable {
    /// All options of `node`, or `None` if there are more than `limit`, or at a stop. `watched`: the memories whose readers are
    /// counted.
    pub(super) fn new(
        problem: &Problem,
        evaluator: &Evaluator<'_>,
        watched: &[Watch],
        node: NodeId,
        limit: usize,
        monitor: &dyn Monitor,
    ) -> Option<Self> {
        let apps = problem.apps.len();
        let Evaluator { solver, limits, .. } = evaluator;
        let counts = counts(problem, limits.as_ref(), node, limit)?;
        let alone = alone(evaluator, node);
        let potential = if alone.iter().all(|alone| *alone) {
            potential(apps, &counts, solver, node, problem.evaluation_cost(), monitor)?
        } else {
            let ceilings = ceilings(problem, evaluator, node);
            let below = |(&threads, ceiling): (&u32, &Ceiling)| {
                (f64::from(threads) * ceiling.per_thread).min(ceiling.together)
            };
            let below: Vec<f64> = counts
                .chunks_exact(apps)
                .flat_map(|option| option.iter().zip(&ceilings).map(below))
                .collect();
            if alone.contains(&true) {
                let solved = potential(apps, &counts, solver, node, problem.evaluation_cost(), monitor)?;
                lower(&below, &solved, &alone)
            } else {
                below
            }
        };
        let asks = Arc::new(asks(problem, evaluator, watched, node, &counts));
        let (counts, potential) = (Arc::new(counts), Arc::new(potential));
        Some(Self {
            apps,
            counts,
            potential,
            least: Vec::new(),
            others: Vec::new(),
            reads: Arc::clone(&asks),
            asks,
            watched: watched.len(),
            corners: None,
        })
    }

    /// The same options with what they get at least where no application has more than so many threads.
    pub(super) fn with_least(&self, kept: &Kept, most: MostThreads<'_>) -> Self {
        let size = CHUNK * self.apps;
        let parts: Vec<Vec<f64>> = self
            .counts
            .par_chunks(size)
            .enumerate()
            .map(|(chunk, counts)| {
                let mut part = vec![0.0; counts.len()];
                let rows = part.chunks_exact_mut(self.apps).zip(counts.chunks_exact(self.apps));
                for (least, counts) in rows {
                    kept.least_gflops(counts, most, least);
                }
                let potential = &self.potential[chunk * size..][..counts.len()];
                part.iter_mut().zip(potential).for_each(|(least, most)| *least = least.min(*most));
                part
            })
            .collect();
        let least = parts.concat();
        Self { least, ..self.clone() }
    }

    /// The same options with what threads elsewhere draw at most of the memory of the node where no application has more than so many threads.
    pub(super) fn with_others(&self, drawn: &DrawnByOthers, most: MostThreads<'_>) -> Self {
        let others = self.counts.par_chunks(self.apps).map(|counts| drawn.at_most(counts, most));
        Self { others: others.collect(), ..self.clone() }
    }

    /// GB/s that threads elsewhere draw at most of the memory of the node beside a listed option.
    #[inline]
    pub(super) fn others_gbs(&self, option: usize) -> f64 {
        self.others.get(option).copied().unwrap_or(f64::INFINITY)
    }

    /// GB/s that any option draws at least of each shared resource; `draw`: per application, resources and GB/s for each GFLOPS.
    pub(super) fn least_drawn(&self, draw: &[Vec<(usize, f64)>], resources: usize) -> Vec<f64> {
        let mut least = vec![if self.least.is_empty() { 0.0 } else { f64::INFINITY }; resources];
        let mut drawn = vec![0.0; resources];
        for option in self.least.chunks_exact(self.apps) {
            draw_of(option, draw, &mut drawn);
            least.iter_mut().zip(&drawn).for_each(|(least, drawn)| *least = least.min(*drawn));
        }
        least
    }

    /// The same options where no more than `room` GB/s are left for one of each shared resource, laid out as for [`Self::least_drawn`].
    pub(super) fn with_room(&self, draw: &[Vec<(usize, f64)>], room: &[f64]) -> Self {
        let size = CHUNK * self.apps;
        let parts: Vec<Vec<f64>> = self
            .least
            .par_chunks(size)
            .zip(self.potential.par_chunks(size))
            .map(|(least, potential)| {
                let mut part = potential.to_vec();
                let mut drawn = vec![0.0; room.len()];
                for (most, least) in part.chunks_exact_mut(self.apps).zip(least.chunks_exact(self.apps)) {
                    draw_of(least, draw, &mut drawn);
                    for ((most, least), draw) in most.iter_mut().zip(least).zip(draw) {
                        let more = draw.iter().map(|&(m, draw)| (room[m] - drawn[m]).max(0.0) / draw);
                        *most = most.min(least + more.fold(f64::INFINITY, f64::min));
                    }
                }
                part
            })
            .collect();
        Self { potential: Arc::new(parts.concat()), ..self.clone() }
    }

    /// The same options on `node` where others have taken `taken` GB/s from its memory; `None` at a stop.
    pub(super) fn with_less(
        &self,
        evaluator: &Evaluator<'_>,
        (node, taken): (NodeId, f64),
        monitor: &dyn Monitor,
    ) -> Option<Self> {
        let solver = evaluator.solver_with_less(node, taken);
        let cost = evaluator.problem.evaluation_cost();
        let solved = potential(self.apps, &self.counts, &solver, node, cost, monitor)?;
        let potential = lower(&self.potential, &solved, &alone(evaluator, node));
        let least = self.least.iter().zip(&potential).map(|(least, most)| least.min(*most)).collect();
        Some(Self { potential: Arc::new(potential), least, ..self.clone() })
    }

    /// The same where no more than `most` GB/s of what an option asks of a watched memory count, one entry each.
    pub(super) fn counting(&self, most: &[f64]) -> Self {
        let asks = self.asks.iter().zip(most.iter().cycle());
        Self { reads: Arc::new(asks.map(|(asks, most)| asks.min(*most)).collect()), ..self.clone() }
    }

    /// Some of the listed options, in this order.
    pub(super) fn only(&self, options: &[usize]) -> Self {
        let counts = options.iter().flat_map(|&option| self.counts(option)).copied().collect();
        let potential = options.iter().flat_map(|&option| self.potential(option)).copied().collect();
        let reads = options.iter().flat_map(|&option| self.reads(option)).copied().collect();
        let asks = options.iter().flat_map(|&option| self.asks(option)).copied().collect();
        let least = options.iter().flat_map(|&option| self.least(option)).copied().collect();
        let others = options.iter().filter_map(|&option| self.others.get(option)).copied().collect();
        let (counts, potential) = (Arc::new(counts), Arc::new(potential));
        let (reads, asks) = (Arc::new(reads), Arc::new(asks));
        Self {
            apps: self.apps,
            counts,
            potential,
            least,
            others,
            asks,
            reads,
            watched: self.watched,
            corners: None,
        }
    }

    /// The corners of a looser, always small table: every application has its minimum, and nobody or one application
    /// has all other cores, too; all get all they want.
    ///
    /// Every real option lies below a mixture of corners, so that a bound over them holds for all options (the
    /// roofline bound: cores and demand only; the bandwidth of memories must then be priced by the caller).
    pub(super) fn corners(problem: &Problem, solver: &Solver, node: NodeId) -> Self {
        let none = Arc::new(Vec::new());
        Self {
            apps: problem.apps.len(),
            counts: Arc::new(Vec::new()),
            potential: Arc::clone(&none),
            least: Vec::new(),
            others: Vec::new(),
            asks: Arc::clone(&none),
            reads: none,
            watched: 0,
            corners: Some(Corners::new(problem, solver, node)),
        }
    }

    /// Number of options.
    pub(super) fn len(&self) -> usize {
        match &self.corners {
            Some(corners) => corners.per_thread.len() + 1,
            None => self.counts.len() / self.apps,
        }
    }

    /// The corners, where the options are not listed.
    #[inline]
    pub(super) fn as_corners(&self) -> Option<&Corners> {
        self.corners.as_ref()
    }

    /// GFLOPS and threads of each application, listed or not.
    pub(super) fn row(&self, option: usize) -> (Cow<'_, [f64]>, Cow<'_, [u32]>) {
        match &self.corners {
            Some(corners) => {
                let (potential, counts) = corners.row(option);
                (Cow::Owned(potential), Cow::Owned(counts))
            }
            None => (Cow::Borrowed(self.potential(option)), Cow::Borrowed(self.counts(option))),
        }
    }

    /// Threads of each application in a listed option.
    pub(super) fn counts(&self, option: usize) -> &[u32] {
        &self.counts[option * self.apps..(option + 1) * self.apps]
    }

    /// GB/s that a listed option asks of each watched memory over a link.
    fn asks(&self, option: usize) -> &[f64] {
        &self.asks[option * self.watched..(option + 1) * self.watched]
    }

    /// What counts of the GB/s that a listed option asks of each watched memory over a link; corners count none.
    pub(super) fn reads(&self, option: usize) -> &[f64] {
        &self.reads[option * self.watched..(option + 1) * self.watched]
    }

    /// Whether it is known what options get at least.
    pub(super) fn has_least(&self) -> bool {
        !self.least.is_empty()
    }

    /// Lower bound on the GFLOPS of each application on this node, in a listed option; empty where there is none.
    pub(super) fn least(&self, option: usize) -> &[f64] {
        self.least.get(option * self.apps..(option + 1) * self.apps).unwrap_or_default()
    }

    /// Upper bound on the GFLOPS of each application on this node, in a listed option.
    pub(super) fn potential(&self, option: usize) -> &[f64] {
        &self.potential[option * self.apps..(option + 1) * self.apps]
    }
}

/// GB/s of each resource that so many `gflops` of each application draw.
fn draw_of(gflops: &[f64], draw: &[Vec<(usize, f64)>], drawn: &mut [f64]) {
    drawn.fill(0.0);
    for (gflops, draw) in gflops.iter().zip(draw) {
        for &(m, draw) in draw {
            drawn[m] += gflops * draw;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restrictions::Restrictions;
    use crate::testing::{local_app, uniform_machine};
    use numasim_model::{App, Placement};

    fn problem(apps: usize, cores: u32, restrictions: Restrictions) -> Problem {
        let machine = uniform_machine(1, cores, 10.0, 32.0, 10.0);
        let apps = vec![App { min_threads: 0, ..local_app("a", 1.0) }; apps];
        Problem::new(&machine, &apps, crate::Objective::TotalGflops, restrictions)
            .expect("a possible question")
    }

    fn count(apps: usize, cores: u32, restrictions: Restrictions) -> usize {
        let problem = problem(apps, cores, restrictions);
        counts(&problem, None, NodeId(0), 1_000_000).unwrap().len() / apps
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
        assert!(counts(&problem(8, 64, Restrictions::default()), None, NodeId(0), 1000).is_none());
    }

    #[test]
    fn corners_give_all_free_cores_to_nobody_or_to_one() {
        // 4 cores, one thread each for 2 applications: 2 cores are free. 10 GFLOPS per core, intensity 1 and no ceiling.
        let machine = uniform_machine(1, 4, 10.0, 32.0, 10.0);
        let apps = vec![local_app("a", 1.0), local_app("b", 1.0)];
        let restrictions = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
        let objective = crate::Objective::TotalGflops;
        let problem = Problem::new(&machine, &apps, objective, restrictions).expect("a possible question");
        let solver = problem.solver(&[Placement::Local, Placement::Local]);
        let table = OptionTable::corners(&problem, &solver, NodeId(0));
        let rows: Vec<_> = (0..table.len()).map(|option| table.row(option).1.into_owned()).collect();
        assert_eq!(rows, [[1, 1], [3, 1], [1, 3]]);
        assert_eq!(*table.row(2).0, [10.0, 30.0]);
        let corners = table.as_corners().expect("not listed");
        // 2 x 10 + 3 x 30 GFLOPS at prices 2 and 3, and half a unit for each of 4 threads
        assert!((corners.earned(2, &[2.0, 3.0], &[0.5, 0.5]) - 112.0).abs() < 1e-12);
    }
}
