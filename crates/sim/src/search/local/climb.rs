//! Hill climbing: moves of one thread or a few on one or two sites.

use crate::ascent::Ascent;
use crate::contents::Sites;
use crate::monitor::Monitor;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::restrictions::Restrictions;
use crate::search::budget::Pace;
use numasim_model::{Allocation, AppId, NodeId, Placing};
use rand::{Rng, RngExt as _};

/// Elementary operations for each pair of applications whose threads may be exchanged.
const OPERATIONS_PER_PAIR: u64 = 8;

/// A change of a few thread counts: (application, site, new threads).
type Change = [(usize, usize, u32)];

/// Climbs from `start` until no move improves it. The homes stay as they are. As long as data does not fit, a move
/// that leaves less too much improves it.
pub(in crate::search) fn climb<R: Rates>(
    problem: &Problem,
    evaluator: &mut R,
    start: Allocation,
    monitor: &dyn Monitor,
) -> Candidate {
    let sites = Sites::new(problem);
    let changed = start.clone();
    let pace = Pace::new(monitor);
    let ascent = Ascent::new(evaluator.candidate(start));
    let mut climber = Climber { problem, evaluator, sites, ascent, changed, pace };
    while !monitor.stop() && climber.sweep(monitor) {}
    climber.ascent.into_best()
}

struct Climber<'c, 'p, 'm, R> {
    problem: &'p Problem,
    evaluator: &'c mut R,
    sites: Sites<'p>,
    ascent: Ascent,
    /// The allocation of the best, or a change of it that is being judged.
    changed: Allocation,
    pace: Pace<'m>,
}

impl<R: Rates> Climber<'_, '_, '_, R> {
    fn threads(&self, app: usize, site: usize) -> u32 {
        self.sites.threads(&self.ascent.best().allocation, app, site)
    }

    /// Tries every move once, keeping each that improves; true if one did.
    fn sweep(&mut self, monitor: &dyn Monitor) -> bool {
        let mut improved = false;
        for site in 0..self.sites.len() {
            if monitor.stop() {
                return false;
            }
            improved |= self.sweep_site(site);
        }
        for left in 0..self.sites.len() {
            for right in left + 1..self.sites.len() {
                if monitor.stop() {
                    return false;
                }
                improved |= self.sweep_pair(left, right);
            }
        }
        improved
    }

    /// One site: more threads of one application, taken from idle cores or from another.
    fn sweep_site(&mut self, site: usize) -> bool {
        let apps = self.problem.apps.len();
        let mut improved = false;
        for a in 0..apps {
            for step in [1, 4] {
                let more = self.more(a, self.threads(a, site) + step);
                improved |= more.is_some_and(|more| self.accept(&[(a, site, more)]));
                let own = self.threads(a, site);
                improved |= own >= step && self.accept(&[(a, site, self.fewer(a, own - step))]);
            }
            if self.pace.stops_after(OPERATIONS_PER_PAIR * apps as u64) {
                return improved;
            }
            for b in (0..apps).filter(|&b| b != a) {
                let whole = self.threads(b, site);
                for moved in [1, 2, 5, whole] {
                    let (to, from) = (self.threads(a, site), self.threads(b, site));
                    improved |= moved > 0 && moved <= from && {
                        let fewer = self.fewer(b, from - moved);
                        self.accept(&[(a, site, self.fewer(a, to + from - fewer)), (b, site, fewer)])
                    };
                }
            }
        }
        improved
    }

    /// The next number of threads from this one up that the application takes on a node.
    fn more(&self, app: usize, threads: u32) -> Option<u32> {
        self.problem.apps[app].placing.next(threads)
    }

    /// The next number of threads from this one down that the application takes on a node.
    fn fewer(&self, app: usize, threads: u32) -> u32 {
        self.problem.apps[app].placing.previous(threads)
    }

    /// Two sites: exchange threads of two applications, or everything.
    fn sweep_pair(&mut self, left: usize, right: usize) -> bool {
        let apps = self.problem.apps.len();
        let mut improved = false;
        for a in 0..apps {
            if self.pace.stops_after(OPERATIONS_PER_PAIR * apps as u64) {
                return improved;
            }
            for (to, from) in [(left, right), (right, left)] {
                let (there, here) = (self.threads(a, to), self.threads(a, from));
                improved |= here > 0 && {
                    let left = self.fewer(a, here - 1);
                    self.accept(&[(a, to, there + here - left), (a, from, left)])
                };
                // All of it: fewer nodes have it.
                let (there, here) = (self.threads(a, to), self.threads(a, from));
                let odd = self.problem.apps[a].placing != Placing::default();
                improved |= odd && here > 1 && there == 0 && self.accept(&[(a, to, here), (a, from, 0)]);
            }
            for b in (0..apps).filter(|&b| b != a) {
                improved |= self.trade(a, b, left, right, 1);
                let most = self.threads(a, left).min(self.threads(b, right));
                improved |= most > 1 && self.trade(a, b, left, right, most);
            }
        }
        let exchange: Vec<_> = (0..apps)
            .flat_map(|a| [(a, left, self.threads(a, right)), (a, right, self.threads(a, left))])
            .collect();
        improved | self.accept(&exchange)
    }

    /// `moved` threads of `a` from left to right against as many of `b` from right to left.
    fn trade(&mut self, a: usize, b: usize, left: usize, right: usize, moved: u32) -> bool {
        let (a_left, a_right) = (self.threads(a, left), self.threads(a, right));
        let (b_left, b_right) = (self.threads(b, left), self.threads(b, right));
        moved <= a_left.min(b_right)
            && self.accept(&[
                (a, left, a_left - moved),
                (a, right, a_right + moved),
                (b, left, b_left + moved),
                (b, right, b_right - moved),
            ])
    }

    /// Makes the change if it is allowed and better.
    fn accept(&mut self, change: &Change) -> bool {
        if self.pace.stopped() {
            return false;
        }
        self.apply(change);
        self.pace.stops_after(self.problem.apps.len() as u64);
        let better = self.allowed(change) && {
            self.pace.stops_after(self.problem.evaluation_cost());
            let excess = self.evaluator.excess(self.changed.as_slice());
            let (score, tie_break) = self.evaluator.rate(self.changed.as_slice());
            self.ascent.is_beaten_by(excess, score, tie_break)
        };
        if better {
            self.ascent.go_to(self.evaluator.candidate(self.changed.clone()));
        } else {
            for &(app, site, _) in change {
                self.sites.take_back(&self.ascent.best().allocation, &mut self.changed, app, site);
            }
        }
        better
    }

    fn apply(&mut self, change: &Change) {
        for &(app, site, threads) in change {
            self.sites.set(&mut self.changed, app, site, threads);
        }
    }

    /// Whether the changed allocation keeps to the restrictions, given that the one before did.
    fn allowed(&self, change: &Change) -> bool {
        let Problem { machine, apps, restrictions, .. } = self.problem;
        let on_node = |node: NodeId| {
            let threads = (0..apps.len()).map(|a| self.changed.get(AppId(a), node));
            restrictions.on_node(machine, apps, node, threads).is_ok()
        };
        let allowed = change.iter().all(|&(app, site, _)| {
            Restrictions::in_all(&apps[app], self.changed.total(AppId(app))).is_ok()
                && Restrictions::on_nodes(&apps[app], &self.changed, AppId(app)).is_ok()
                && self.sites.nodes(site).iter().all(|&node| on_node(node))
        });
        debug_assert_eq!(allowed, restrictions.allow(machine, apps, &self.changed));
        allowed
    }
}

// Iterated local search: random changes to a good answer, then climbing again.

/// Iterated local search: `kicks` times a few random changes to the best so far, then climbing again. The homes stay
/// where they are for `evaluator`.
pub(in crate::search) fn iterate(
    problem: &Problem,
    evaluator: &mut impl Rates,
    start: &Candidate,
    kicks: u64,
    random: &mut impl Rng,
    monitor: &dyn Monitor,
) -> Candidate {
    let sites = Sites::new(problem);
    let mut best = start.clone();
    for _ in 0..kicks {
        if monitor.stop() {
            break;
        }
        if let Some(kicked) = kicked(problem, &sites, &best.allocation, random) {
            let climbed = climb(problem, evaluator, kicked, monitor);
            if climbed.beats(&best) {
                best = climbed;
            }
        }
    }
    best
}

/// One to three times: some threads of one application come to a site and displace others, which go where the first
/// came from if there is room. `None` if a few tries break a restriction.
fn kicked(
    problem: &Problem,
    sites: &Sites<'_>,
    allocation: &Allocation,
    random: &mut impl Rng,
) -> Option<Allocation> {
    let apps = problem.apps.len();
    (0..20).find_map(|_| {
        let mut changed = allocation.clone();
        for _ in 0..random.random_range(1..=3) {
            let (a, b) = (random.random_range(0..apps), random.random_range(0..apps));
            let (to, from) = (random.random_range(0..sites.len()), random.random_range(0..sites.len()));
            let threads = |x: usize, site: usize| sites.threads(allocation, x, site);
            let most = if a == b { 0 } else { threads(b, to) };
            let moved = random.random_range(0..=most.min(if to == from { most } else { threads(a, from) }));
            let mut shift = |x: usize, site: usize, by: i64| {
                for node in sites.nodes_of(x, site) {
                    let now = i64::from(changed.get(AppId(x), node)) + by;
                    changed.set(AppId(x), node, u32::try_from(now).unwrap_or(0));
                }
            };
            let moved = i64::from(moved);
            shift(a, to, moved);
            shift(b, to, -moved);
            if to != from {
                shift(a, from, -moved);
                shift(b, from, moved);
            }
        }
        let allowed = problem.restrictions.allow(&problem.machine, &problem.apps, &changed);
        (allowed && changed != *allocation).then_some(changed)
    })
}

// What a climb asks about an allocation.

/// Rates allocations with fixed placements: for one model, or for several at once.
pub(in crate::search) trait Rates {
    /// GiB of data that do not fit.
    fn excess(&self, threads: &[u32]) -> f64;
    /// Score and tie-break; larger is better.
    fn rate(&mut self, threads: &[u32]) -> (f64, f64);
    /// The allocation with all of these.
    fn candidate(&mut self, allocation: Allocation) -> Candidate;
}

impl Rates for Evaluator<'_> {
    #[inline]
    fn excess(&self, threads: &[u32]) -> f64 {
        Evaluator::excess(self, threads)
    }

    #[inline]
    fn rate(&mut self, threads: &[u32]) -> (f64, f64) {
        Evaluator::rate(self, threads)
    }

    fn candidate(&mut self, allocation: Allocation) -> Candidate {
        Evaluator::candidate(self, allocation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::problem::Evaluator;
    use crate::search::testing::{LOCAL, question};

    #[test]
    fn a_climb_from_one_thread_each_takes_every_core() {
        let problem = question(2, Objective::TotalGflops);
        let mut evaluator = Evaluator::new(&problem, LOCAL.to_vec());
        let start = Allocation::from_rows(&[vec![1, 0], vec![0, 1]]).expect("equal rows");
        let climbed = climb(&problem, &mut evaluator, start, &Unattended);
        // 10 GFLOPS on each of four cores
        assert!((climbed.score - 40.0).abs() < 1e-9, "{}", climbed.score);
        assert!(problem.restrictions.allow(&problem.machine, &problem.apps, &climbed.allocation));
    }
}

#[cfg(test)]
mod tests_of_kick {
    use super::*;
    use crate::objective::Objective;
    use crate::search::local::random::generator;
    use crate::search::testing::question;

    #[test]
    fn a_kick_changes_something_and_keeps_to_the_restrictions() {
        let problem = question(2, Objective::TotalGflops);
        let start = Allocation::from_rows(&[vec![1, 1], vec![1, 1]]).expect("equal rows");
        for stream in 0..20 {
            let mut random = generator(0, stream);
            if let Some(changed) = kicked(&problem, &Sites::new(&problem), &start, &mut random) {
                assert_ne!(changed, start);
                assert!(problem.restrictions.allow(&problem.machine, &problem.apps, &changed));
            }
        }
    }
}
