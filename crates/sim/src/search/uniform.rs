//! Exact search if every node gets the same: one content describes the whole machine, so all of them are rated.

use numasim_model::{Allocation, NodeId, Placement};

use super::budget::Pace;
use super::local::Rates;
use crate::contents::{Contents, Sites};
use crate::monitor::Monitor;
use crate::parallel;
use crate::problem::{Candidate, Problem};

/// Maximum number of evaluations.
pub(super) const MOST: usize = 20_000_000;
/// Contents that are rated by one task.
const CHUNK: usize = 4096;
/// Tasks that are created at the same time.
const TASKS: usize = 64;

/// Stores the good candidates.
pub(super) trait Keeps: Clone + Send + Sync {
    /// A candidate must score more than this to be stored.
    fn cutoff(&self) -> f64;
    /// Stores a candidate if it is good enough.
    fn offer(&mut self, candidate: Candidate);
    /// Stores the candidates of `other`, a former copy of this one, that are good enough.
    fn join(&mut self, other: Self);
}

/// Whether there are at most `limit` contents; false if stopped.
pub(super) fn are_at_most(problem: &Problem, limit: usize, monitor: &dyn Monitor) -> bool {
    let mut contents = everywhere(problem);
    let mut pace = Pace::new(monitor);
    let mut count = 0;
    while contents.next().is_some() {
        count += 1;
        if count > limit || pace.stops_after(problem.apps.len() as u64) {
            return false;
        }
    }
    true
}

/// Rates every content for one set of placements; false if the monitor stopped it. `cost`: elementary operations of one evaluation by a
/// rater from `rater`.
pub(super) fn rate_all<R: Rates, K: Keeps>(
    problem: &Problem,
    placements: &[Placement],
    rater: impl Fn() -> R + Sync,
    cost: u64,
    kept: &mut K,
    monitor: &dyn Monitor,
) -> bool {
    let apps = problem.apps.len();
    let sites = Sites::new(problem);
    let rate = |contents: &[u32], mut kept: K| -> Option<K> {
        if monitor.stop() {
            return None;
        }
        let mut pace = Pace::new(monitor);
        let mut rater = rater();
        for content in contents.chunks_exact(apps) {
            if pace.stops_after(cost) {
                return None;
            }
            let mut allocation = Allocation::empty(apps, problem.machine.node_count());
            content.iter().enumerate().for_each(|(a, &threads)| sites.set(&mut allocation, a, 0, threads));
            if rater.rate(&allocation).0 > kept.cutoff() && problem.allows(&allocation, placements) {
                kept.offer(rater.candidate(allocation));
            }
        }
        Some(kept)
    };
    let start = kept.clone();
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
        let parts: Vec<Option<K>> =
            parallel::map(batch.chunks(apps * CHUNK), |chunk| rate(chunk, start.clone()));
        for part in parts {
            match part {
                Some(found) => kept.join(found),
                None => return false,
            }
        }
    }
}

/// The possible contents of every node with cores; each node holds those applications that may use it.
fn everywhere(problem: &Problem) -> Contents<'_> {
    let nodes: Vec<NodeId> = problem.machine.compute_nodes().collect();
    Contents::new(&problem.machine, &problem.apps, &problem.restrictions, &nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::problem::Evaluator;
    use crate::restrictions::Restrictions;
    use crate::testing::{local_app, uniform_machine};

    /// Two nodes with two cores and two applications: (0,0), (0,1), (0,2), (1,0), (1,1), (2,0) are the contents.
    fn problem() -> Problem {
        let machine = uniform_machine(2, 2, 10.0, 32.0, 10.0);
        let apps = [local_app("a", 0.5), local_app("b", 100.0)];
        let restrictions = Restrictions { same_on_every_node: true, ..Restrictions::default() };
        Problem::new(&machine, &apps, Objective::TotalGflops, restrictions).expect("a possible question")
    }

    /// The candidate with the largest score.
    #[derive(Clone)]
    struct Largest(Option<Candidate>);

    impl Keeps for Largest {
        fn cutoff(&self) -> f64 {
            self.0.as_ref().map_or(f64::NEG_INFINITY, |best| best.score)
        }

        fn offer(&mut self, candidate: Candidate) {
            if candidate.score > self.cutoff() {
                self.0 = Some(candidate);
            }
        }

        fn join(&mut self, other: Self) {
            other.0.into_iter().for_each(|candidate| self.offer(candidate));
        }
    }

    #[test]
    fn six_contents_are_within_a_limit_of_six() {
        let problem = problem();
        assert!(are_at_most(&problem, 6, &Unattended));
        assert!(!are_at_most(&problem, 5, &Unattended));
    }

    #[test]
    fn the_best_content_is_on_every_node() {
        // Each application needs a thread, so that (1, 1) is left: a gets 10 GFLOPS of its 20 GB/s, b 10.
        let problem = problem();
        let placements = [Placement::Local, Placement::Local];
        let rater = || Evaluator::new(&problem, placements.to_vec());
        let mut best = Largest(None);
        assert!(rate_all(&problem, &placements, rater, 1, &mut best, &Unattended));
        let best = best.0.expect("an answer");
        assert_eq!(best.allocation.as_slice(), [1, 1, 1, 1]);
        assert!((best.score - 40.0).abs() < 1e-9, "{}", best.score);
    }
}
