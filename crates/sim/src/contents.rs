//! Enumerates what a node may hold: the threads of each application, one combination after the other.

use crate::problem::Problem;
use crate::restrictions::{Restrictions, may_hold};
use numasim_model::{Allocation, App, AppId, Machine, NodeId};
use std::collections::BTreeMap;

/// The threads of each application that a node, or each of several nodes, may hold, in lexicographic order. Only constraints on a single
/// node are applied.
///
/// Nodes that may hold threads of the same applications fill up in the same way: they form one *bin*, with the cores of the smallest of
/// them.
pub(crate) struct Contents<'a> {
    apps: &'a [App],
    restrictions: &'a Restrictions,
    /// Cores of each bin.
    cores: Vec<u32>,
    /// Per application: the bins that may hold its threads; an empty list means none. `None`: the single bin.
    bins_of: Option<Vec<Vec<usize>>>,
    /// `room_after[app * bins + bin]`: the most threads that the later applications may have together in a bin.
    room_after: Vec<u32>,
    current: Vec<u32>,
    /// `free[app * bins + bin]`: the cores left in a bin for the application and those after it.
    free: Vec<u32>,
    /// Whether any application needs exclusive nodes.
    any_exclusive: bool,
    begun: bool,
}

/// The bins of an application on a machine with one bin that holds every application.
const ONLY: &[usize] = &[0];

impl<'a> Contents<'a> {
    /// The contents of `nodes` if all of them hold the same. An application that may not use a node has no threads there. Nodes without
    /// cores are left out.
    pub(crate) fn new(
        machine: &Machine,
        apps: &'a [App],
        restrictions: &'a Restrictions,
        nodes: &[NodeId],
    ) -> Self {
        let limited: Vec<&App> = apps.iter().filter(|app| app.nodes.is_some()).collect();
        let mut bins: BTreeMap<Vec<bool>, (NodeId, u32)> = BTreeMap::new();
        for &node in nodes.iter().filter(|node| machine.node(**node).cores > 0) {
            let cores = machine.node(node).cores;
            let pattern = limited.iter().map(|app| may_hold(app, node)).collect();
            let bin = bins.entry(pattern).or_insert((node, cores));
            bin.1 = bin.1.min(cores);
        }
        let (members, cores): (Vec<NodeId>, Vec<u32>) = bins.into_values().unzip();
        let bins_of = (!limited.is_empty()).then(|| {
            let of = |app: &App| (0..members.len()).filter(|&bin| may_hold(app, members[bin])).collect();
            apps.iter().map(of).collect()
        });
        Self::in_bins(cores, bins_of, apps, restrictions)
    }

    fn in_bins(
        cores: Vec<u32>,
        bins_of: Option<Vec<Vec<usize>>>,
        apps: &'a [App],
        restrictions: &'a Restrictions,
    ) -> Self {
        let bins = cores.len();
        let mut room_after = vec![0_u32; apps.len() * bins];
        for a in (1..apps.len()).rev() {
            for bin in 0..bins {
                let holds = bins_of.as_ref().is_none_or(|of| of[a].contains(&bin));
                let own = if holds { apps[a].max_threads.unwrap_or(u32::MAX) } else { 0 };
                room_after[(a - 1) * bins + bin] = own.saturating_add(room_after[a * bins + bin]);
            }
        }
        let mut free = vec![0; (apps.len() + 1) * bins];
        free[..bins].copy_from_slice(&cores);
        let current = Vec::with_capacity(apps.len());
        let any_exclusive = apps.iter().any(|app| app.placing.exclusive);
        Self { apps, restrictions, cores, bins_of, room_after, current, free, any_exclusive, begun: false }
    }

    fn bins_of(&self, app: usize) -> &[usize] {
        match &self.bins_of {
            Some(of) => &of[app],
            None if self.cores.is_empty() => &[],
            None => ONLY,
        }
    }

    /// Fewest and most threads of application `app`, given those before it; `None` if no number is possible.
    fn range(&self, app: usize) -> Option<(u32, u32)> {
        let bins = self.bins_of(app);
        if bins.is_empty() {
            return Some((0, 0));
        }
        let mut most = self.apps[app].max_threads.unwrap_or(u32::MAX);
        let mut least = self.restrictions.least_on_node(&self.apps[app]);
        for &bin in bins {
            let at = app * self.cores.len() + bin;
            let free = self.free[at];
            let begun = free < self.cores[bin];
            let owned = begun && (self.restrictions.whole_nodes || self.is_owned(app, bin));
            let taken = owned || (begun && self.apps[app].placing.exclusive);
            most = most.min(if taken { 0 } else { free });
            if self.restrictions.no_idle_cores {
                // The later applications must be able to take the rest. None of them can if another application owns the bin.
                let room = if owned { 0 } else { self.room_after[at] };
                least = least.max(free.saturating_sub(room));
            }
        }
        let least = self.apps[app].placing.next(least)?;
        (least <= most).then_some((least, most))
    }

    /// Whether an application before `app` owns the bin.
    fn is_owned(&self, app: usize, bin: usize) -> bool {
        self.any_exclusive
            && (0..app).any(|other| {
                self.apps[other].placing.exclusive
                    && self.current[other] > 0
                    && self.bins_of(other).contains(&bin)
            })
    }

    /// Records the free cores after application `app`, which has `threads`.
    fn take(&mut self, app: usize, threads: u32) {
        let bins = self.cores.len();
        self.free.copy_within(app * bins..(app + 1) * bins, (app + 1) * bins);
        match &self.bins_of {
            Some(of) => of[app].iter().for_each(|bin| self.free[(app + 1) * bins + bin] -= threads),
            None if bins > 0 => self.free[app + 1] -= threads,
            None => {}
        }
    }

    /// Fills the applications after `current` with the fewest threads that they may have; false if an application has no possible number.
    fn fill(&mut self) -> bool {
        while self.current.len() < self.apps.len() {
            let app = self.current.len();
            let Some((least, _)) = self.range(app) else { return false };
            self.take(app, least);
            self.current.push(least);
        }
        true
    }

    /// The next content.
    pub(crate) fn next(&mut self) -> Option<&[u32]> {
        if !self.begun {
            self.begun = true;
            if self.fill() && self.is_full_enough() {
                return Some(&self.current);
            }
        }
        loop {
            // One more thread for the last application that may have it.
            let app = self.current.len().checked_sub(1)?;
            let most = self.range(app).map_or(0, |(_, most)| most);
            let more = self.apps[app].placing.next(self.current[app].saturating_add(1));
            if let Some(more) = more.filter(|&more| more <= most) {
                self.current[app] = more;
                self.take(app, more);
                if self.fill() && self.is_full_enough() {
                    return Some(&self.current);
                }
            } else {
                self.current.pop();
            }
        }
    }

    fn is_full_enough(&self) -> bool {
        let bins = self.cores.len();
        !self.restrictions.no_idle_cores || self.free[self.apps.len() * bins..].iter().all(|&free| free == 0)
    }
}

// The nodes that change together, and the applications that each of them may hold.

/// The nodes with cores, cut into sites: nodes whose threads change together, one node or, under "the same on every
/// node", all of them.
pub(crate) struct Sites<'p> {
    problem: &'p Problem,
    sites: Vec<Vec<NodeId>>,
}

impl<'p> Sites<'p> {
    pub(crate) fn new(problem: &'p Problem) -> Self {
        let nodes: Vec<NodeId> = problem.machine.compute_nodes().collect();
        let sites = if problem.restrictions.same_on_every_node {
            vec![nodes]
        } else {
            nodes.into_iter().map(|node| vec![node]).collect()
        };
        Self { problem, sites }
    }

    pub(crate) fn len(&self) -> usize {
        self.sites.len()
    }

    /// All nodes of a site.
    pub(crate) fn nodes(&self, site: usize) -> &[NodeId] {
        &self.sites[site]
    }

    /// The nodes of a site that may hold threads of `app`.
    pub(crate) fn nodes_of(&self, app: usize, site: usize) -> impl Iterator<Item = NodeId> + use<'_> {
        let app = &self.problem.apps[app];
        self.sites[site].iter().copied().filter(move |&node| may_hold(app, node))
    }

    /// Threads of `app` on each node of the site that may hold them.
    pub(crate) fn threads(&self, allocation: &Allocation, app: usize, site: usize) -> u32 {
        self.nodes_of(app, site).next().map_or(0, |node| allocation.get(AppId(app), node))
    }

    /// Sets the number of threads of `app` on each node of the site that may hold them.
    pub(crate) fn set(&self, allocation: &mut Allocation, app: usize, site: usize, threads: u32) {
        self.nodes_of(app, site).for_each(|node| allocation.set(AppId(app), node, threads));
    }

    /// Restores `app` on the site from `before`.
    pub(crate) fn take_back(
        &self,
        before: &Allocation,
        allocation: &mut Allocation,
        app: usize,
        site: usize,
    ) {
        self.nodes_of(app, site)
            .for_each(|node| allocation.set(AppId(app), node, before.get(AppId(app), node)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};

    fn all(machine: &Machine, apps: &[App], restrictions: Restrictions, nodes: &[usize]) -> Vec<Vec<u32>> {
        let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
        let mut contents = Contents::new(machine, apps, &restrictions, &nodes);
        std::iter::from_fn(|| contents.next().map(<[u32]>::to_vec)).collect()
    }

    /// `a` on both nodes, `b` on node 0, `c` on node 1.
    fn apart() -> Vec<App> {
        let mut apps = vec![local_app("a", 1.0), local_app("b", 1.0), local_app("c", 1.0)];
        apps[1].nodes = Some(vec![NodeId(0)]);
        apps[2].nodes = Some(vec![NodeId(1)]);
        apps
    }

    #[test]
    fn an_exclusive_application_leaves_nodes_of_others_to_later_ones() {
        // Two cores, none idle, `b` alone on its nodes: a and c share in any way, or b has both.
        let mut apps = vec![local_app("a", 1.0), local_app("b", 1.0), local_app("c", 1.0)];
        apps[1].placing.exclusive = true;
        let restrictions = Restrictions { no_idle_cores: true, ..Restrictions::default() };
        let found = all(&uniform_machine(1, 2, 10.0, 32.0, 10.0), &apps, restrictions, &[0]);
        assert_eq!(found, [[0, 0, 2], [0, 2, 0], [1, 0, 1], [2, 0, 0]]);
    }

    #[test]
    fn a_node_holds_only_allowed_applications() {
        let machine = uniform_machine(2, 2, 10.0, 32.0, 10.0);
        let found = all(&machine, &apart(), Restrictions::default(), &[1]);
        assert_eq!(
            found,
            [[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 0, 0], [1, 0, 1], [2, 0, 0]],
            "two cores for `a` and `c`"
        );
        let minimum = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
        assert_eq!(all(&machine, &apart(), minimum, &[1]), [[1, 0, 1]]);
    }

    #[test]
    fn nodes_with_equal_contents_fill_up_independently() {
        // 2 cores on each node: `b` and `c` do not take room from each other, but `a` takes room from both.
        let machine = uniform_machine(2, 2, 10.0, 32.0, 10.0);
        let found = all(&machine, &apart(), Restrictions::default(), &[0, 1]);
        let expected: Vec<Vec<u32>> = (0..27_u32)
            .map(|number| vec![number / 9, number / 3 % 3, number % 3])
            .filter(|content| content[0] + content[1] <= 2 && content[0] + content[2] <= 2)
            .collect();
        assert_eq!(found, expected);
        let full = Restrictions { no_idle_cores: true, ..Restrictions::default() };
        assert_eq!(all(&machine, &apart(), full, &[0, 1]), [[0, 2, 2], [1, 1, 1], [2, 0, 0]]);
    }

    #[test]
    fn the_list_matches_the_rule_for_one_node() {
        let machine = uniform_machine(1, 4, 10.0, 32.0, 10.0);
        for forbidden in [false, true] {
            let mut apps = vec![local_app("a", 1.0); 3];
            apps[1].max_threads = Some(2);
            apps[2].nodes = forbidden.then(Vec::new);
            for flags in 0..8 {
                let restrictions = Restrictions {
                    same_on_every_node: false,
                    whole_nodes: flags & 1 > 0,
                    no_idle_cores: flags & 2 > 0,
                    min_threads_per_node: u32::from(flags & 4 > 0),
                    whole_l3: false,
                };
                let allowed = |content: &Vec<u32>| {
                    let threads = content.iter().copied();
                    restrictions.on_node(&machine, &apps, NodeId(0), threads).is_ok() && content[1] <= 2
                };
                let numbers = (0..5_u32.pow(3)).map(|n| vec![n / 25, n / 5 % 5, n % 5]);
                let expected: Vec<Vec<u32>> = numbers.filter(allowed).collect();
                assert_eq!(all(&machine, &apps, restrictions, &[0]), expected, "{restrictions:?}");
            }
        }
    }

    #[test]
    fn ten_thousand_applications_need_no_deep_recursion() {
        // One core: it is free, or one of them has it.
        let machine = uniform_machine(1, 1, 10.0, 32.0, 10.0);
        let apps = vec![local_app("a", 1.0); 2_000];
        let restrictions = Restrictions::default();
        let mut contents = Contents::new(&machine, &apps, &restrictions, &[NodeId(0)]);
        let mut count = 0;
        while contents.next().is_some() {
            count += 1;
        }
        assert_eq!(count, 2_001);
    }
}

#[cfg(test)]
mod tests_of_sites {
    use super::*;
    use crate::testing::{local_app, uniform_machine};
    use crate::{Objective, Restrictions};

    #[test]
    fn a_site_of_all_nodes_skips_forbidden_nodes() {
        let machine = uniform_machine(3, 2, 10.0, 32.0, 10.0);
        let mut apps = [local_app("a", 1.0), local_app("b", 1.0)];
        apps[1].nodes = Some(vec![NodeId(1), NodeId(2)]);
        let restrictions = Restrictions { same_on_every_node: true, ..Restrictions::default() };
        let problem = Problem::new(&machine, &apps, Objective::TotalGflops, restrictions).expect("possible");
        let sites = Sites::new(&problem);
        let mut allocation = Allocation::empty(2, 3);
        (0..2).for_each(|app| sites.set(&mut allocation, app, 0, 1));
        assert_eq!((sites.len(), allocation.as_slice()), (1, &[1, 1, 1, 0, 1, 1][..]));
        assert_eq!(sites.threads(&allocation, 1, 0), 1);
    }
}
