//! A small local search for changed inputs: from an answer that is nearly right to the next better ones.
//!
//! It proves nothing and is not [`crate::search`]: its results are a lower bound on the results of a new search. Its budget is counted in
//! evaluations, so that the result does not depend on the clock.

use crate::contents::Sites;
use crate::monitor::Monitor;
use crate::open_data;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::budget::Pace;
use numasim_model::{Data, Placement};

/// `candidate` with its score in `problem`.
pub(super) fn rated(problem: &Problem, candidate: &Candidate) -> Candidate {
    Evaluator::new(problem, candidate.placements.clone()).candidate(candidate.allocation.clone())
}

/// The cost of one evaluation, in flows.
pub(super) fn cost(problem: &Problem) -> u64 {
    let nodes = problem.machine.node_count() as u64;
    let flows = |app: &numasim_model::App| match &app.data {
        Data::Placed(Placement::Local | Placement::Home(_)) => nodes,
        Data::OpenHome { share } if *share >= 1.0 => nodes,
        Data::Placed(Placement::PartHome { .. }) | Data::OpenHome { .. } => 2 * nodes,
        Data::Placed(_) | Data::OpenFractions => nodes * nodes,
    };
    problem.apps.iter().map(|app| flows(app) + 2 * nodes).sum()
}

/// Approximate cost of a flow, ns.
pub(super) const OF_A_FLOW: u64 = 10;

/// Climbs from `start` with at most `evaluations`; returns every step, the best one last.
pub(super) fn climb(
    problem: &Problem,
    start: &Candidate,
    evaluations: u64,
    monitor: &dyn Monitor,
) -> Vec<Candidate> {
    let sites = Sites::new(problem);
    let mut evaluator = Evaluator::new(problem, start.placements.clone());
    let best = evaluator.candidate(start.allocation.clone());
    let (pace, cost) = (Pace::new(monitor), cost(problem).saturating_mul(OF_A_FLOW));
    let path = Vec::new();
    let mut climber = Climber { problem, evaluator, sites, best, path, left: evaluations, pace, cost };
    while !monitor.stop() && climber.left > 0 {
        let mut improved = false;
        for site in 0..climber.sites.len() {
            while climber.left > 0 && climber.within(site) {
                improved = true;
            }
        }
        if !improved && !climber.between() && !climber.homes() {
            break;
        }
    }
    let mut path = climber.path;
    path.push(climber.best);
    path
}

struct Climber<'p> {
    problem: &'p Problem,
    evaluator: Evaluator<'p>,
    sites: Sites<'p>,
    best: Candidate,
    path: Vec<Candidate>,
    left: u64,
    pace: Pace<'p>,
    /// Cost of one evaluation, in operations.
    cost: u64,
}

impl Climber<'_> {
    /// Whether one more evaluation is allowed; counts it.
    fn may_evaluate(&mut self) -> bool {
        if self.left == 0 || self.pace.stops_after(self.cost) {
            self.left = 0;
            return false;
        }
        self.left -= 1;
        true
    }

    fn threads(&self, app: usize, site: usize) -> u32 {
        self.sites.threads(&self.best.allocation, app, site)
    }

    /// Moves cores of a site from one application to another, to none, or from idle to an application.
    fn within(&mut self, site: usize) -> bool {
        let apps = self.problem.apps.len();
        let mut improved = false;
        for a in 0..apps {
            let own = self.threads(a, site);
            improved |= self.accept(&[(a, site, own + 1)]);
            let own = self.threads(a, site);
            improved |= own > 0 && self.accept(&[(a, site, own - 1)]);
            for b in (0..apps).filter(|&b| b != a) {
                for moved in [1, 2, 5, self.threads(b, site)] {
                    let (to, from) = (self.threads(a, site), self.threads(b, site));
                    improved |= moved > 0
                        && moved <= from
                        && self.accept(&[(a, site, to + moved), (b, site, from - moved)]);
                }
            }
        }
        improved
    }

    /// Moves a thread to another site, or exchanges two threads or all threads of two sites.
    fn between(&mut self) -> bool {
        let apps = self.problem.apps.len();
        let mut improved = false;
        for left in 0..self.sites.len() {
            for right in (0..self.sites.len()).filter(|&right| right != left) {
                if self.left == 0 {
                    return improved;
                }
                for a in 0..apps {
                    let (here, there) = (self.threads(a, left), self.threads(a, right));
                    if here == 0 || self.left == 0 {
                        continue;
                    }
                    improved |= self.accept(&[(a, left, here - 1), (a, right, there + 1)]);
                    for b in (0..apps).filter(|&b| b != a) {
                        let (a_left, a_right) = (self.threads(a, left), self.threads(a, right));
                        let (b_left, b_right) = (self.threads(b, left), self.threads(b, right));
                        improved |= a_left > 0
                            && b_right > 0
                            && self.accept(&[
                                (a, left, a_left - 1),
                                (a, right, a_right + 1),
                                (b, left, b_left + 1),
                                (b, right, b_right - 1),
                            ]);
                    }
                }
                if left < right {
                    let exchange: Vec<_> = (0..apps)
                        .flat_map(|a| [(a, left, self.threads(a, right)), (a, right, self.threads(a, left))])
                        .collect();
                    improved |= self.accept(&exchange);
                }
            }
        }
        improved
    }

    /// Moves open data to other nodes.
    fn homes(&mut self) -> bool {
        let mut improved = false;
        for app in self.problem.open_apps() {
            let data = &self.problem.apps[app].data;
            for other in open_data::others(data, &self.problem.machine, &self.best.placements[app]) {
                if !self.may_evaluate() {
                    continue;
                }
                let mut placements = self.best.placements.clone();
                placements[app] = other;
                let mut evaluator = Evaluator::new(self.problem, placements);
                let candidate = evaluator.candidate(self.best.allocation.clone());
                if candidate.beats(&self.best) {
                    self.evaluator = evaluator;
                    self.keep(candidate);
                    improved = true;
                }
            }
        }
        improved
    }

    /// Makes the change if it is allowed and better.
    fn accept(&mut self, change: &[(usize, usize, u32)]) -> bool {
        if !self.may_evaluate() {
            return false;
        }
        let mut changed = self.best.allocation.clone();
        for &(app, site, threads) in change {
            self.sites.set(&mut changed, app, site, threads);
        }
        let problem = self.problem;
        if !problem.restrictions.allow(&problem.machine, &problem.apps, &changed) {
            return false;
        }
        let candidate = self.evaluator.candidate(changed);
        let better = candidate.beats(&self.best);
        if better {
            self.keep(candidate);
        }
        better
    }

    fn keep(&mut self, better: Candidate) {
        self.path.push(std::mem::replace(&mut self.best, better));
    }
}
