//! Exact search when every node gets the same: one option describes the whole machine, so that all are evaluated.

use crate::parallel::prelude::*;
use numasim_model::{Allocation, NodeId, Placement};

use super::budget::Pace;
use super::pool::{Canonical, Pool};
use crate::contents::Contents;
use crate::contents::Sites;
use crate::monitor::Monitor;
use crate::problem::{Evaluator, Problem};

/// Contents that are rated by one task.
const CHUNK: usize = 4096;
/// Tasks that are made at the same time.
const TASKS: usize = 64;

/// The contents that fit every node with cores.
pub(super) struct Uniform<'a> {
    problem: &'a Problem,
    monitor: &'a dyn Monitor,
}

impl<'a> Uniform<'a> {
    /// `None` if there are more than `limit` contents, or at a stop.
    pub(super) fn new(problem: &'a Problem, limit: usize, monitor: &'a dyn Monitor) -> Option<Self> {
        let mut contents = everywhere(problem);
        let mut pace = Pace::new(monitor);
        let mut count = 0;
        while contents.next().is_some() {
            count += 1;
            if count > limit || pace.stops_after(problem.apps.len() as u64) {
                return None;
            }
        }
        Some(Self { problem, monitor })
    }

    /// Rates every content for one set of placements; false if the monitor stopped it.
    pub(super) fn search(&self, placements: &[Placement], canonical: &Canonical, pool: &mut Pool) -> bool {
        let problem = self.problem;
        let apps = problem.apps.len();
        let start = pool.clone();
        let mut contents = everywhere(problem);
        loop {
            let mut batch: Vec<u32> = Vec::new();
            while batch.len() < TASKS * CHUNK * apps
                && let Some(content) = contents.next()
            {
                batch.extend_from_slice(content);
            }
            if batch.is_empty() {
                return true;
            }
            let parts: Vec<Option<Pool>> = batch
                .par_chunks(apps * CHUNK)
                .map(|chunk| self.rate(chunk, placements, canonical, start.clone()))
                .collect();
            let mut complete = true;
            for part in parts {
                match part {
                    Some(found) => pool.merge(canonical, found),
                    None => complete = false,
                }
            }
            if !complete {
                return false;
            }
        }
    }

    fn rate(
        &self,
        contents: &[u32],
        placements: &[Placement],
        canonical: &Canonical,
        mut found: Pool,
    ) -> Option<Pool> {
        let problem = self.problem;
        if self.monitor.stop() {
            return None;
        }
        let sites = Sites::new(problem);
        let mut pace = Pace::new(self.monitor);
        let mut evaluator = Evaluator::new(problem, placements.to_vec());
        for content in contents.chunks_exact(problem.apps.len()) {
            if pace.stops_after(problem.evaluation_cost()) {
                return None;
            }
            let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
            content.iter().enumerate().for_each(|(a, &threads)| sites.set(&mut allocation, a, 0, threads));
            if evaluator.rate(allocation.as_slice()).0 > found.cutoff() && evaluator.allows(&allocation) {
                let candidate = evaluator.candidate(allocation);
                found.add(canonical, candidate);
            }
        }
        Some(found)
    }
}

/// What every node with cores may hold, each those applications that may use it.
fn everywhere(problem: &Problem) -> Contents<'_> {
    let nodes: Vec<NodeId> = problem.machine.compute_nodes().collect();
    Contents::new(&problem.machine, &problem.apps, &problem.restrictions, &nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::testing::{local_app, uniform_machine};

    /// Two nodes with two cores and two applications: (0,0), (0,1), (0,2), (1,0), (1,1), (2,0) are the contents.
    fn problem() -> Problem {
        let machine = uniform_machine(2, 2, 10.0, 32.0, 10.0);
        let apps = [local_app("a", 0.5), local_app("b", 100.0)];
        let restrictions = Restrictions { same_on_every_node: true, ..Restrictions::default() };
        Problem::new(&machine, &apps, Objective::TotalGflops, restrictions).expect("a possible question")
    }

    #[test]
    fn six_contents_are_within_a_limit_of_six() {
        let problem = problem();
        assert!(Uniform::new(&problem, 6, &Unattended).is_some());
        assert!(Uniform::new(&problem, 5, &Unattended).is_none());
    }

    #[test]
    fn the_best_content_is_on_every_node() {
        // Each application needs a thread, so that (1, 1) is left: a gets 10 GFLOPS of its 20 GB/s, b 10.
        let problem = problem();
        let mut pool = Pool::new(1);
        let contents = Uniform::new(&problem, 6, &Unattended).expect("few contents");
        let placements = [Placement::Local, Placement::Local];
        assert!(contents.search(&placements, &Canonical::new(&problem), &mut pool));
        let best = pool.best().expect("an answer");
        assert_eq!(best.allocation.as_slice(), [1, 1, 1, 1]);
        assert!((best.score - 40.0).abs() < 1e-9, "{}", best.score);
    }
}
