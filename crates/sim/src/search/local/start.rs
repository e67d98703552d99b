//! Allocations to start from.

use numasim_model::{Allocation, AppId};
use rand::{Rng, RngExt as _};

use super::sites::{Site, sites};
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
