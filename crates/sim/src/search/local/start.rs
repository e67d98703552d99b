//! Allocations to start from.

use numasim_model::{Allocation, AppId, NodeId};
use rand::{Rng, RngExt as _};

use crate::contents::Sites;
use crate::problem::Problem;

/// A random allocation that keeps to the restrictions, or `None` if a few tries find none.
pub(in crate::search) fn random_start(problem: &Problem, random: &mut impl Rng) -> Option<Allocation> {
    (0..20).find_map(|_| {
        let allocation = fill(problem, |apps| random.random_range(0..apps));
        problem.restrictions.allow(&problem.machine, &problem.apps, &allocation).then_some(allocation)
    })
}

/// An allocation that keeps to the restrictions if a simple round robin can, else `None`.
pub(in crate::search) fn round_robin_start(problem: &Problem) -> Option<Allocation> {
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
    let restrictions = &problem.restrictions;
    let mut filling = Filling::new(problem);
    for site in 0..filling.sites.len() {
        for app in 0..apps {
            let threads = filling.granted(app, site, restrictions.min_threads_per_node);
            filling.add(app, site, threads);
        }
    }
    for app in 0..apps {
        // With whole nodes the emptiest largest node first, so that few nodes are taken.
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

/// An allocation that is being filled, with what is left.
struct Filling<'a> {
    problem: &'a Problem,
    sites: Sites<'a>,
    allocation: Allocation,
    /// Per node: cores without a thread.
    free: Vec<u32>,
    /// Per node: the first application that came there.
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

    /// The application that came first to every node of the site.
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

    /// Whether an application has threads on as many nodes as it may, and not on this site.
    fn is_full(&self, app: usize, site: usize) -> bool {
        let Some(most) = self.problem.apps[app].placing.max_nodes else { return false };
        let nodes = 0..self.allocation.nodes();
        let used = nodes.filter(|&node| self.allocation.get(AppId(app), NodeId(node)) > 0).count();
        self.sites.threads(&self.allocation, app, site) == 0
            && used + self.sites.nodes_of(app, site).count() > most
    }

    /// How many of `wanted` more threads an application gets on each node of a site: more or fewer where the node takes only
    /// certain numbers of them.
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
    fn a_round_robin_gives_every_core_to_somebody() {
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
    fn nobody_gets_more_than_max_threads() {
        let restrictions = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
        let allocation = start(restrictions, Some(2)).expect("a start");
        // One thread of `a` on each node is its minimum and its maximum; `b` has the other cores.
        assert_eq!(allocation.as_slice(), [1, 1, 3, 3]);
    }
}
