//! Good answers fast: hill climbing from several starts. It proves nothing; the bounds do.

use numasim_model::{Allocation, AppId, NodeId};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Monitor;
use crate::problem::{Candidate, Evaluator, Problem};

/// Nodes whose threads change together: one node, or all of them under "the same on every node".
pub(super) type Site = Vec<NodeId>;

/// The sites of a problem.
pub(super) fn sites(problem: &Problem) -> Vec<Site> {
    let nodes: Vec<NodeId> = problem.machine.compute_nodes().collect();
    if problem.restrictions.same_on_every_node {
        vec![nodes]
    } else {
        nodes.into_iter().map(|node| vec![node]).collect()
    }
}

/// A change of a few thread counts: (application, site, new threads).
type Change = [(usize, usize, u32)];

/// Climbs from `start` until no move improves it. The homes stay as they are.
pub(super) fn climb<'p>(
    problem: &'p Problem,
    evaluator: &mut Evaluator<'p>,
    start: Allocation,
    monitor: &dyn Monitor,
) -> Candidate {
    let sites = sites(problem);
    let changed = start.clone();
    let mut climber = Climber { problem, best: evaluator.candidate(start), evaluator, sites, changed };
    while !monitor.stop() && climber.sweep(monitor) {}
    climber.best
}

struct Climber<'c, 'p> {
    problem: &'p Problem,
    evaluator: &'c mut Evaluator<'p>,
    sites: Vec<Site>,
    best: Candidate,
    /// The allocation of `best`, or a change of it that is being judged.
    changed: Allocation,
}

impl Climber<'_, '_> {
    fn threads(&self, app: usize, site: usize) -> u32 {
        self.sites[site].first().map_or(0, |&node| self.best.allocation.get(AppId(app), node))
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
                improved |= self.accept_more(a, site, step);
                let own = self.threads(a, site);
                improved |= own >= step && self.accept(&[(a, site, own - step)]);
            }
            for b in (0..apps).filter(|&b| b != a) {
                let whole = self.threads(b, site);
                for moved in [1, 2, 5, whole] {
                    let (to, from) = (self.threads(a, site), self.threads(b, site));
                    improved |= moved > 0
                        && moved <= from
                        && self.accept(&[(a, site, to + moved), (b, site, from - moved)]);
                }
            }
        }
        improved
    }

    fn accept_more(&mut self, app: usize, site: usize, step: u32) -> bool {
        let threads = self.threads(app, site);
        self.accept(&[(app, site, threads + step)])
    }

    /// Two sites: exchange threads of two applications, or everything.
    fn sweep_pair(&mut self, left: usize, right: usize) -> bool {
        let apps = self.problem.apps.len();
        let mut improved = false;
        for a in 0..apps {
            for (to, from) in [(left, right), (right, left)] {
                let (there, here) = (self.threads(a, to), self.threads(a, from));
                improved |= here > 0 && self.accept(&[(a, to, there + 1), (a, from, here - 1)]);
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
        self.apply(change);
        let better = self.allowed(change) && {
            let (score, tie_break) = self.evaluator.rate(self.changed.as_slice());
            self.best.is_beaten_by(score, tie_break)
        };
        if better {
            self.best = self.evaluator.candidate(self.changed.clone());
        } else {
            for &(app, site, _) in change {
                for &node in &self.sites[site] {
                    self.changed.set(AppId(app), node, self.best.allocation.get(AppId(app), node));
                }
            }
        }
        better
    }

    fn apply(&mut self, change: &Change) {
        for &(app, site, threads) in change {
            for &node in &self.sites[site] {
                self.changed.set(AppId(app), node, threads);
            }
        }
    }

    /// Whether the changed allocation keeps to the restrictions, given that the one before did.
    fn allowed(&self, change: &Change) -> bool {
        let Problem { machine, apps, restrictions, .. } = self.problem;
        let on_node = |node: NodeId| {
            let counts = || (0..apps.len()).map(|a| self.changed.get(AppId(a), node));
            let (used, cores) = (self.changed.on_node(node), u64::from(machine.node(node).cores));
            used <= cores
                && (!restrictions.no_idle_cores || used == cores)
                && (!restrictions.whole_nodes || counts().filter(|&threads| threads > 0).count() <= 1)
        };
        let allowed = change.iter().all(|&(app, site, threads)| {
            let total = self.changed.total(AppId(app));
            threads >= restrictions.min_threads_per_node
                && total >= u64::from(apps[app].min_threads)
                && apps[app].max_threads.is_none_or(|max| total <= u64::from(max))
                && self.sites[site].iter().all(|&node| on_node(node))
        });
        debug_assert_eq!(allowed, restrictions.allow(machine, apps, &self.changed));
        allowed
    }
}

/// Iterated local search: `kicks` times a few random changes to the best so far, then climbing again. The homes stay.
pub(super) fn iterate(
    problem: &Problem,
    start: &Candidate,
    kicks: usize,
    random: &mut impl Rng,
    monitor: &dyn Monitor,
) -> Candidate {
    let sites = sites(problem);
    let mut evaluator = Evaluator::new(problem, start.placements.clone());
    let mut best = start.clone();
    for _ in 0..kicks {
        if monitor.stop() {
            break;
        }
        if let Some(kicked) = kicked(problem, &sites, &best.allocation, random) {
            let climbed = climb(problem, &mut evaluator, kicked, monitor);
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
    sites: &[Site],
    allocation: &Allocation,
    random: &mut impl Rng,
) -> Option<Allocation> {
    let apps = problem.apps.len();
    (0..20).find_map(|_| {
        let mut changed = allocation.clone();
        for _ in 0..random.random_range(1..=3) {
            let (a, b) = (random.random_range(0..apps), random.random_range(0..apps));
            let (to, from) = (random.random_range(0..sites.len()), random.random_range(0..sites.len()));
            let threads =
                |x: usize, site: usize| sites[site].first().map_or(0, |&n| allocation.get(AppId(x), n));
            let most = if a == b { 0 } else { threads(b, to) };
            let moved = random.random_range(0..=most.min(if to == from { most } else { threads(a, from) }));
            let mut shift = |x: usize, site: usize, by: i64| {
                for &node in &sites[site] {
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

/// A random allocation that keeps to the restrictions, or `None` if a few tries find none.
pub(super) fn random_start(problem: &Problem, random: &mut impl Rng) -> Option<Allocation> {
    (0..20).find_map(|_| {
        let allocation = fill(problem, |apps| random.random_range(0..apps));
        problem.restrictions.allow(&problem.machine, &problem.apps, &allocation).then_some(allocation)
    })
}

/// The generator of a restart: the same numbers on every platform for the same seed and restart.
pub(crate) fn generator(seed: u64, restart: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(restart);
    random
}

/// An allocation that keeps to the restrictions if a simple round robin can, else `None`.
pub(super) fn round_robin_start(problem: &Problem) -> Option<Allocation> {
    let mut next = 0;
    let allocation = fill(problem, |apps| {
        next += 1;
        (next - 1) % apps
    });
    problem.restrictions.allow(&problem.machine, &problem.apps, &allocation).then_some(allocation)
}

/// Fills the sites: first the minimum of each application per node, then what `min_threads` still wants, then the
/// rest by `choose` (a number below the number of applications), never above `max_threads`.
fn fill(problem: &Problem, mut choose: impl FnMut(usize) -> usize) -> Allocation {
    let apps = problem.apps.len();
    let sites = sites(problem);
    let restrictions = &problem.restrictions;
    let mut allocation = Allocation::empty(apps, problem.machine.node_count());
    let room = |allocation: &Allocation, site: &Site| -> u32 {
        let free = site.iter().map(|&node| {
            let used = u32::try_from(allocation.on_node(node)).unwrap_or(u32::MAX);
            problem.machine.node(node).cores.saturating_sub(used)
        });
        free.min().unwrap_or(0)
    };
    let owner = |allocation: &Allocation, site: &Site| -> Option<usize> {
        let first = *site.first()?;
        (0..apps).find(|&a| allocation.get(AppId(a), first) > 0)
    };
    let allowed = |allocation: &Allocation, app: usize, site: &Site| -> u32 {
        let width = u32::try_from(site.len()).unwrap_or(u32::MAX).max(1);
        let total = u32::try_from(allocation.total(AppId(app))).unwrap_or(u32::MAX);
        let below_max =
            problem.apps[app].max_threads.map_or(u32::MAX, |max| max.saturating_sub(total) / width);
        let free_for_app = !restrictions.whole_nodes || owner(allocation, site).is_none_or(|o| o == app);
        if free_for_app { room(allocation, site).min(below_max) } else { 0 }
    };
    let add = |allocation: &mut Allocation, app: usize, site: &Site, threads: u32| {
        for &node in site {
            let now = allocation.get(AppId(app), node);
            allocation.set(AppId(app), node, now + threads);
        }
    };
    for site in &sites {
        for app in 0..apps {
            let threads = allowed(&allocation, app, site).min(restrictions.min_threads_per_node);
            add(&mut allocation, app, site, threads);
        }
    }
    for app in 0..apps {
        // With whole nodes the emptiest largest node first, so that few nodes are taken.
        let mut order: Vec<usize> = (0..sites.len()).collect();
        order.sort_by_key(|&s| std::cmp::Reverse(allowed(&allocation, app, &sites[s])));
        let turn = choose(sites.len());
        if !restrictions.whole_nodes {
            order.rotate_left(turn);
        }
        for s in order {
            let missing =
                u64::from(problem.apps[app].min_threads).saturating_sub(allocation.total(AppId(app)));
            let missing = u32::try_from(missing).unwrap_or(u32::MAX);
            let per_node = missing.div_ceil(u32::try_from(sites[s].len()).unwrap_or(1).max(1));
            let threads = allowed(&allocation, app, &sites[s]).min(per_node);
            add(&mut allocation, app, &sites[s], threads);
        }
    }
    for site in &sites {
        let mut refused = 0;
        while room(&allocation, site) > 0 && refused < 2 * apps {
            let app = match owner(&allocation, site) {
                Some(owner) if restrictions.whole_nodes => owner,
                _ => choose(apps),
            };
            let most = allowed(&allocation, app, site);
            let threads = if restrictions.whole_nodes { most } else { most.min(1) };
            add(&mut allocation, app, site, threads);
            refused = if threads == 0 { refused + 1 } else { 0 };
        }
    }
    allocation
}
