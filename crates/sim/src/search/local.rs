//! Finds good answers quickly: hill climbing from several starts. It proves nothing; the bounds do.

use numasim_model::{Allocation, AppId, NodeId, Placing};
use rand::{Rng, RngExt as _};

use crate::ascent::Ascent;
use crate::contents::Sites;
use crate::monitor::Monitor;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::restrictions::Restrictions;
use crate::search::budget::Pace;

mod random;

pub(crate) use random::generator;

// Starting allocations.

/// A random allocation that satisfies the constraints, or `None` if a few tries find none.
pub(in crate::search) fn random_start(problem: &Problem, random: &mut impl Rng) -> Option<Allocation> {
    (0..20).find_map(|_| {
        let allocation = fill(problem, |apps| random.random_range(0..apps));
        problem.restrictions.allow(&problem.machine, &problem.apps, &allocation).then_some(allocation)
    })
}

/// An allocation that satisfies the constraints if a simple round robin can, else `None`.
pub(in crate::search) fn round_robin_start(problem: &Problem) -> Option<Allocation> {
    let mut next = 0;
    let allocation = fill(problem, |apps| {
        next += 1;
        (next - 1) % apps
    });
    problem.restrictions.allow(&problem.machine, &problem.apps, &allocation).then_some(allocation)
}

/// Fills the sites: first the minimum of each application per node, then the rest of `min_threads`, then the remainder by `choose` (a
/// number below the number of applications), never above `max_threads`.
fn fill(problem: &Problem, mut choose: impl FnMut(usize) -> usize) -> Allocation {
    let apps = problem.apps.len();
    let restrictions = &problem.restrictions;
    let mut filling = Filling::new(problem);
    for site in 0..filling.sites.len() {
        for app in 0..apps {
            let threads = filling.granted(app, site, restrictions.least_on_node(&problem.apps[app]));
            filling.add(app, site, threads);
        }
    }
    for app in 0..apps {
        // With whole nodes, the node with the most room comes first, so that few nodes are used.
        let mut order: Vec<usize> = (0..filling.sites.len()).collect();
        order.sort_by_key(|&site| std::cmp::Reverse(filling.room_for(app, site)));
        let turn = choose(filling.sites.len());
        let whole = restrictions.whole_nodes || problem.apps[app].placing.exclusive;
        if !whole && problem.apps[app].placing.max_nodes.is_none() {
            order.rotate_left(turn);
        }
        for site in order {
            let missing = u64::from(problem.apps[app].min_threads).saturating_sub(filling.totals[app]);
            let missing = u32::try_from(missing).unwrap_or(u32::MAX);
            let per_node = missing.div_ceil(filling.width(app, site));
            let threads = filling.granted(app, site, per_node);
            filling.add(app, site, threads);
        }
    }
    for site in 0..filling.sites.len() {
        let mut refused = 0;
        while filling.is_open(site) && refused < 2 * apps {
            let app = match filling.owner(site) {
                Some(owner) if restrictions.whole_nodes => owner,
                _ => choose(apps),
            };
            let most = if restrictions.whole_nodes { u32::MAX } else { 1 };
            let threads = filling.granted(app, site, most);
            filling.add(app, site, threads);
            refused = if threads == 0 { refused + 1 } else { 0 };
        }
    }
    filling.allocation
}

/// An allocation that is being filled, with the remaining room.
struct Filling<'a> {
    problem: &'a Problem,
    sites: Sites<'a>,
    allocation: Allocation,
    /// Per node: cores without a thread.
    free: Vec<u32>,
    /// Per node: the first application on it.
    owners: Vec<Option<usize>>,
    /// Per application: its threads on the whole machine.
    totals: Vec<u64>,
}

impl<'a> Filling<'a> {
    fn new(problem: &'a Problem) -> Self {
        Self {
            problem,
            allocation: Allocation::empty(problem.apps.len(), problem.machine.node_count()),
            free: problem.machine.nodes().iter().map(|node| node.cores).collect(),
            owners: vec![None; problem.machine.node_count()],
            totals: vec![0; problem.apps.len()],
            sites: Sites::new(problem),
        }
    }

    /// Nodes of a site that may hold threads of an application, at least 1.
    fn width(&self, app: usize, site: usize) -> u32 {
        u32::try_from(self.sites.nodes_of(app, site).count()).unwrap_or(u32::MAX).max(1)
    }

    /// Whether a core of the site is free.
    fn is_open(&self, site: usize) -> bool {
        self.sites.nodes(site).iter().any(|node| self.free[node.0] > 0)
    }

    /// The application that was first on every node of the site.
    fn owner(&self, site: usize) -> Option<usize> {
        let mut owners = self.sites.nodes(site).iter().map(|node| self.owners[node.0]);
        let first = owners.next().flatten()?;
        owners.all(|owner| owner == Some(first)).then_some(first)
    }

    /// The most threads that an application may still get on each node of a site.
    fn room_for(&self, app: usize, site: usize) -> u32 {
        let total = u32::try_from(self.totals[app]).unwrap_or(u32::MAX);
        let below_max = self.problem.apps[app]
            .max_threads
            .map_or(u32::MAX, |max| max.saturating_sub(total) / self.width(app, site));
        let apps = &self.problem.apps;
        let alone = |app: usize| self.problem.restrictions.whole_nodes || apps[app].placing.exclusive;
        let on_node = |node: NodeId| {
            let other = self.owners[node.0].filter(|&owner| owner != app);
            let free_for_app = !other.is_some_and(|owner| alone(app) || alone(owner));
            if free_for_app { self.free[node.0] } else { 0 }
        };
        if self.is_full(app, site) {
            return 0;
        }
        self.sites.nodes_of(app, site).map(on_node).min().unwrap_or(0).min(below_max)
    }

    /// Whether an application already uses its maximum number of nodes, without this site.
    fn is_full(&self, app: usize, site: usize) -> bool {
        let Some(most) = self.problem.apps[app].placing.max_nodes else { return false };
        let nodes = 0..self.allocation.nodes();
        let used = nodes.filter(|&node| self.allocation.get(AppId(app), NodeId(node)) > 0).count();
        self.sites.threads(&self.allocation, app, site) == 0
            && used + self.sites.nodes_of(app, site).count() > most
    }

    /// The number of `wanted` threads that an application gets on each node of a site: more or fewer if the node accepts only certain
    /// numbers.
    fn granted(&self, app: usize, site: usize, wanted: u32) -> u32 {
        let room = self.room_for(app, site);
        if wanted == 0 || room == 0 {
            return 0;
        }
        let placing = &self.problem.apps[app].placing;
        let now = self.sites.threads(&self.allocation, app, site);
        let full = now.saturating_add(room);
        let up = placing.next(now.saturating_add(wanted)).filter(|&threads| threads <= full);
        up.unwrap_or_else(|| placing.previous(full)).saturating_sub(now)
    }

    fn add(&mut self, app: usize, site: usize, threads: u32) {
        if threads == 0 {
            return;
        }
        for node in self.sites.nodes_of(app, site) {
            let now = self.allocation.get(AppId(app), node);
            self.allocation.set(AppId(app), node, now + threads);
            self.free[node.0] -= threads;
            self.totals[app] += u64::from(threads);
            self.owners[node.0].get_or_insert(app);
        }
    }
}

// Hill climbing: moves of one thread or a few on one or two sites.

/// Elementary operations for each pair of applications whose threads may be exchanged.
const OPERATIONS_PER_PAIR: u64 = 8;

/// A change of a few thread counts: (application, site, new threads).
type Change = [(usize, usize, u32)];

/// Climbs from `start` until no move improves it. The homes stay unchanged. As long as data does not fit, a move with less excess is an
/// improvement.
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
    /// The allocation of the best, or a change of it that is being rated.
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

    /// The next number of threads, from this one up, that the application accepts on a node.
    fn more(&self, app: usize, threads: u32) -> Option<u32> {
        self.problem.apps[app].placing.next(threads)
    }

    /// The next number of threads, from this one down, that the application accepts on a node.
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
                // Everything: fewer nodes have it.
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

    /// Exchanges `moved` threads of `a` on the left for the same number of `b` on the right.
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
            let (score, tie_break) = self.evaluator.rate(&self.changed);
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

    /// Whether the changed allocation satisfies the constraints, given that the one before did.
    fn allowed(&self, change: &Change) -> bool {
        let Problem { machine, apps, restrictions, .. } = self.problem;
        if restrictions.ask_of_domains(apps) {
            // The distribution over the domains of a node depends on all its threads.
            return restrictions.allow(machine, apps, &self.changed);
        }
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

/// Iterated local search: `kicks` times a few random changes to the best so far, then climbing again. The homes stay unchanged for
/// `evaluator`.
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

/// One to three times: some threads of one application move to a site and displace others, which take the vacated place if there is room.
/// `None` if a few tries break a constraint.
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

// The evaluation of allocations in a climb.

/// Rates allocations with fixed placements: for one model, or for several at once.
pub(in crate::search) trait Rates {
    /// GiB of data that do not fit.
    fn excess(&self, threads: &[u32]) -> f64;
    /// Score and tie-break; larger is better.
    fn rate(&mut self, allocation: &Allocation) -> (f64, f64);
    /// The allocation with all of these.
    fn candidate(&mut self, allocation: Allocation) -> Candidate;
}

impl Rates for Evaluator<'_> {
    #[inline]
    fn excess(&self, threads: &[u32]) -> f64 {
        Evaluator::excess(self, threads)
    }

    #[inline]
    fn rate(&mut self, allocation: &Allocation) -> (f64, f64) {
        self.rate_of(allocation)
    }

    fn candidate(&mut self, allocation: Allocation) -> Candidate {
        Evaluator::candidate(self, allocation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::testing::{local_app, uniform_machine};

    fn start(restrictions: Restrictions, max_threads: Option<u32>) -> Option<Allocation> {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
        let mut apps = vec![local_app("a", 1.0), local_app("b", 1.0)];
        apps[0].max_threads = max_threads;
        let problem = Problem::new(&machine, &apps, Objective::TotalGflops, restrictions).ok()?;
        round_robin_start(&problem)
    }

    #[test]
    fn round_robin_uses_every_core() {
        let allocation = start(Restrictions::default(), None).expect("a start");
        assert_eq!(allocation.as_slice().iter().sum::<u32>(), 8);
        assert!((0..2).all(|a| allocation.total(AppId(a)) >= 1));
    }

    #[test]
    fn whole_nodes_go_to_one_application_each() {
        let restrictions = Restrictions { whole_nodes: true, ..Restrictions::default() };
        let allocation = start(restrictions, None).expect("a start");
        let mut totals = [allocation.total(AppId(0)), allocation.total(AppId(1))];
        totals.sort_unstable();
        assert_eq!(totals, [4, 4]);
    }

    #[test]
    fn no_application_exceeds_max_threads() {
        let restrictions = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
        let allocation = start(restrictions, Some(2)).expect("a start");
        // One thread of `a` on each node is its minimum and its maximum; `b` has the other cores.
        assert_eq!(allocation.as_slice(), [1, 1, 3, 3]);
    }
}

#[cfg(test)]
mod climb_tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::problem::Evaluator;
    use crate::search::testing::{LOCAL, question};

    #[test]
    fn a_climb_from_one_thread_each_uses_every_core() {
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
    use crate::search::local::generator;
    use crate::search::testing::question;

    #[test]
    fn a_kick_changes_the_allocation_within_the_constraints() {
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
