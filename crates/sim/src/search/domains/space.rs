//! Threads by L3 domain in the search, their distance from a valid allocation, and the starts of climbs.

use std::num::NonZeroU32;

use numasim_model::{Allocation, AppId, Data, NodeId, OnNode, deal};
use rand::{Rng, RngExt as _};

use crate::objective::margin;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::restrictions::{Restrictions, may_hold};

/// A domain: its node, and its index on that node.
pub(super) type Place = (usize, usize);

/// The domains of a machine, and the table of threads of each application in each of them.
pub(super) struct Space<'a> {
    pub(super) problem: &'a Problem,
    pub(super) apps: usize,
    pub(super) nodes: usize,
    /// Maximum number of domains of a node.
    domains: usize,
    pub(super) places: Vec<Place>,
    /// Whether the evaluation has a row for each domain number.
    is_limited: bool,
    /// Whether the only constraints are numbers of threads on the machine.
    is_free: bool,
}

/// Threads of each application in each domain, in the layout of [`numasim_model::Machine::rows_per_app`].
pub(super) type Threads = Vec<u32>;

impl<'a> Space<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let machine = &problem.machine;
        let domains = |node: NodeId| machine.node(node).domains();
        let Problem { apps, restrictions, .. } = problem;
        let none = numasim_model::Placing::default();
        let is_free = *restrictions == Restrictions::default()
            && apps.iter().all(|app| app.placing == none && app.nodes.is_none());
        let places = machine.compute_nodes().flat_map(|n| (0..domains(n)).map(move |domain| (n.0, domain)));
        Self {
            problem,
            apps: problem.apps.len(),
            nodes: machine.node_count(),
            domains: machine.node_ids().map(domains).max().unwrap_or(1),
            places: places.collect(),
            is_limited: machine.has_limited_domains(),
            is_free,
        }
    }

    pub(super) fn at(&self, app: usize, (node, domain): Place) -> usize {
        (app * self.domains + domain) * self.nodes + node
    }

    pub(super) fn empty(&self) -> Threads {
        vec![0; self.apps * self.domains * self.nodes]
    }

    /// Cores of a domain.
    pub(super) fn cores(&self, place: Place) -> u32 {
        self.problem.machine.node(NodeId(place.0)).domain_cores()
    }

    /// Threads of all applications in a domain.
    pub(super) fn used(&self, threads: &[u32], place: Place) -> u32 {
        (0..self.apps).map(|app| threads[self.at(app, place)]).sum()
    }

    pub(super) fn free(&self, threads: &[u32], place: Place) -> u32 {
        self.cores(place).saturating_sub(self.used(threads, place))
    }

    /// One of each set of these domains of a node with equal contents, except `but`.
    pub(super) fn different(&self, threads: &[u32], of: &[Place], but: Option<Place>) -> Vec<Place> {
        let content = |place: Place| (0..self.apps).map(move |app| threads[self.at(app, place)]);
        let mut found: Vec<Place> = Vec::new();
        for &place in of.iter().filter(|&&place| Some(place) != but) {
            let mut before = found.iter().filter(|other| other.0 == place.0);
            if !before.any(|&other| content(other).eq(content(place))) {
                found.push(place);
            }
        }
        found
    }

    pub(super) fn of(&self, allocation: &Allocation) -> Threads {
        let per_l3 = allocation.per_l3(&self.problem.machine);
        let mut threads = self.empty();
        for app in 0..self.apps {
            for &place in &self.places {
                threads[self.at(app, place)] = per_l3[app][place.0].get(place.1).copied().unwrap_or(0);
            }
        }
        threads
    }

    /// The allocation, with equal domains of a node in a fixed order: those with most threads of the first application first.
    pub(super) fn allocation(&self, threads: &[u32]) -> Option<Allocation> {
        let machine = &self.problem.machine;
        let empty = || machine.nodes().iter().map(|node| vec![0; node.domains()]).collect();
        let mut per_l3: Vec<Vec<Vec<u32>>> = (0..self.apps).map(|_| empty()).collect();
        for node in machine.compute_nodes() {
            let mut contents: Vec<Vec<u32>> = (0..machine.node(node).domains())
                .map(|domain| (0..self.apps).map(|app| threads[self.at(app, (node.0, domain))]).collect())
                .collect();
            contents.sort_unstable_by(|a, b| b.cmp(a));
            for (domain, content) in contents.into_iter().enumerate() {
                for (app, threads) in content.into_iter().enumerate() {
                    per_l3[app][node.0][domain] = threads;
                }
            }
        }
        Allocation::from_domains(per_l3)
    }

    /// Threads of an application on a node.
    pub(super) fn on_node(&self, threads: &[u32], app: usize, node: usize) -> u32 {
        (0..self.domains).map(|domain| threads[self.at(app, (node, domain))]).sum()
    }

    /// Threads of each application on each node, for the rules of nodes and memory.
    pub(super) fn by_node(&self, threads: &[u32]) -> Vec<u32> {
        let apps = 0..self.apps;
        apps.flat_map(|app| (0..self.nodes).map(move |node| self.on_node(threads, app, node))).collect()
    }

    /// The approximate number of threads that are in forbidden places or missing from required ones: 0 is allowed.
    pub(super) fn broken(&self, threads: &[u32]) -> u64 {
        let Problem { machine, apps, restrictions, .. } = self.problem;
        let mut broken = 0;
        let of_app = threads.chunks_exact(self.domains * self.nodes);
        for (app, own) in apps.iter().zip(of_app) {
            let total: u32 = own.iter().sum();
            broken += app.min_threads.saturating_sub(total);
            broken += app.max_threads.map_or(0, |max| total.saturating_sub(max));
        }
        if self.is_free {
            return u64::from(broken);
        }
        for (a, app) in apps.iter().enumerate() {
            let (mut domains, mut nodes, mut first) = (0, 0, None);
            for node in machine.compute_nodes() {
                let here = self.on_node(threads, a, node.0);
                nodes += usize::from(here > 0);
                if !may_hold(app, node) {
                    broken += here;
                    continue;
                }
                broken += restrictions.min_threads_per_node.saturating_sub(here);
                if !app.placing.takes(here) {
                    let fewer = here - app.placing.previous(here);
                    broken += app.placing.next(here).map_or(fewer, |more| fewer.min(more - here));
                }
                if restrictions.same_on_every_node {
                    broken += first.get_or_insert(here).abs_diff(here);
                }
            }
            for &place in &self.places {
                let here = threads[self.at(a, place)];
                domains += usize::from(here > 0);
                broken += app.placing.per_l3.map_or(0, |each| here.min(here.abs_diff(each.get())));
            }
            let over = |used: usize, most: Option<usize>| {
                u32::try_from(most.map_or(0, |most| used.saturating_sub(most))).unwrap_or(u32::MAX)
            };
            broken += over(domains, app.placing.max_l3) + over(nodes, app.placing.max_nodes);
        }
        let strangers = |all: &mut dyn Iterator<Item = u32>| {
            let (sum, most) = all.fold((0, 0), |(sum, most), threads| (sum + threads, threads.max(most)));
            sum - most
        };
        if restrictions.whole_l3 || restrictions.no_idle_cores {
            for &place in &self.places {
                if restrictions.whole_l3 {
                    broken += strangers(&mut (0..self.apps).map(|app| threads[self.at(app, place)]));
                }
                if restrictions.no_idle_cores {
                    broken += self.free(threads, place);
                }
            }
        }
        let alone = restrictions.whole_nodes || apps.iter().any(|app| app.placing.exclusive);
        for node in machine.compute_nodes().filter(|_| alone) {
            let here = |app: usize| self.on_node(threads, app, node.0);
            let owned = (0..self.apps).any(|app| apps[app].placing.exclusive && here(app) > 0);
            if restrictions.whole_nodes || owned {
                broken += strangers(&mut (0..self.apps).map(here));
            }
        }
        u64::from(broken)
    }

    /// Rates threads.
    pub(super) fn rate(&self, evaluator: &mut Evaluator<'_>, threads: &[u32]) -> Rated {
        let broken = self.broken(threads);
        let by_node = (!self.is_limited || evaluator.limits.is_some()).then(|| self.by_node(threads));
        let excess = by_node.as_ref().map_or(0.0, |by_node| evaluator.excess(by_node));
        let rows = by_node.as_deref().filter(|_| !self.is_limited).unwrap_or(threads);
        let (score, tie_break) = evaluator.rate(rows);
        Rated { broken, excess, score, tie_break }
    }

    /// The answer, unless a constraint forbids it.
    pub(super) fn candidate(&self, evaluator: &mut Evaluator<'_>, threads: &[u32]) -> Option<Candidate> {
        let allocation = self.allocation(threads)?;
        let candidate = evaluator.candidate(allocation);
        self.problem.allows(&candidate.allocation, &candidate.placements).then_some(candidate)
    }

    // The starts of climbs.

    /// The threads of an allocation that counts by node, distributed over domains: evenly, packed, and according to the requirements on
    /// domains.
    pub(super) fn dealt(&self, allocation: &Allocation) -> Vec<Threads> {
        let machine = &self.problem.machine;
        let on_nodes = |app| allocation.row(AppId(app)).iter().copied().map(OnNode::Threads).collect();
        let rows: Vec<Vec<OnNode>> = (0..self.apps).map(on_nodes).collect();
        let dealt = [false, true].map(|pack| Allocation::from_domains(deal(machine, &rows, pack)));
        let mut found: Vec<Threads> = dealt.into_iter().flatten().map(|dealt| self.of(&dealt)).collect();
        if self.problem.restrictions.ask_of_domains(&self.problem.apps) {
            found.extend([false, true].map(|pack| self.fitted(allocation, pack)));
        }
        found
    }

    /// As [`Self::dealt`], within the requirements on domains: applications with most threads for each domain first.
    fn fitted(&self, allocation: &Allocation, pack: bool) -> Threads {
        let mut threads = self.empty();
        let mut order: Vec<usize> = (0..self.apps).collect();
        let each = |app: usize| self.problem.apps[app].placing.per_l3.map_or(0, NonZeroU32::get);
        order.sort_by_key(|&app| std::cmp::Reverse(each(app)));
        for app in order {
            for node in 0..self.nodes {
                self.put(&mut threads, app, node, allocation.get(AppId(app), NodeId(node)), pack);
            }
        }
        threads
    }

    /// Puts up to `wanted` more threads of an application on a node; returns the number placed.
    fn put(&self, threads: &mut Threads, app: usize, node: usize, wanted: u32, pack: bool) -> u32 {
        let each = self.problem.apps[app].placing.per_l3.map(NonZeroU32::get);
        let whole = self.problem.restrictions.whole_l3;
        let mut left = wanted;
        while left > 0 {
            let room = |place: Place| {
                let own = threads[self.at(app, place)];
                let stranger = whole && self.used(threads, place) > own;
                let more = each.map_or(u32::MAX, |each| each.saturating_sub(own));
                if stranger { 0 } else { self.free(threads, place).min(more) }
            };
            let least = each.unwrap_or(1).min(left);
            let open = self.places.iter().copied().filter(|&place| place.0 == node && room(place) >= least);
            let next = if pack {
                open.min_by_key(|&place| room(place))
            } else {
                open.min_by_key(|&place| self.used(threads, place))
            };
            let Some(place) = next else { break };
            let more = if pack || whole { room(place).min(left) } else { least };
            threads[self.at(app, place)] += more;
            left -= more;
        }
        wanted - left
    }

    /// Threads in random domains: first for `min_threads`, then for any application.
    pub(super) fn random(&self, random: &mut impl Rng) -> Threads {
        let mut threads = self.empty();
        let mut open: Vec<usize> = (0..self.apps).collect();
        let machine = &self.problem.machine;
        let nodes: Vec<NodeId> = machine.compute_nodes().collect();
        let most = |app: usize| self.problem.apps[app].max_threads.unwrap_or(u32::MAX);
        let mut totals = vec![0_u32; self.apps];
        for app in 0..self.apps {
            let first = random.random_range(0..nodes.len().max(1));
            let pack = random.random_bool(0.5);
            for turn in 0..nodes.len() {
                let node = nodes[(first + turn) % nodes.len()];
                let wanted = self.problem.apps[app].min_threads.saturating_sub(totals[app]);
                totals[app] += self.put(&mut threads, app, node.0, wanted, pack);
            }
        }
        while !open.is_empty() {
            let chosen = random.random_range(0..open.len());
            let app = open[chosen];
            let node = nodes[random.random_range(0..nodes.len())];
            let each = self.problem.apps[app].placing.per_l3.map_or(1, NonZeroU32::get);
            let wanted = random.random_range(1..=self.cores((node.0, 0)).max(1)).max(each);
            let wanted = wanted.min(most(app).saturating_sub(totals[app]));
            let put = self.put(&mut threads, app, node.0, wanted, random.random_bool(0.5));
            totals[app] += put;
            if put == 0 {
                open.swap_remove(chosen);
            }
        }
        threads
    }

    /// The possible places for the data of each application.
    pub(super) fn data(&self) -> Vec<Data> {
        self.problem.apps.iter().map(|app| app.data.clone()).collect()
    }
}

/// The values that a climb compares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rated {
    pub(super) broken: u64,
    pub(super) excess: f64,
    pub(super) score: f64,
    pub(super) tie_break: f64,
}

impl Rated {
    /// Whether this is better than `before`, and not below `top`, the best score so far: otherwise ties would cycle.
    pub(super) fn beats(&self, before: &Self, top: f64) -> bool {
        if self.broken != before.broken {
            return self.broken < before.broken;
        }
        if (self.excess - before.excess).abs() > 1e-9 * before.excess {
            return self.excess < before.excess;
        }
        let equal = margin(before.score);
        self.score > before.score + equal
            || (self.score >= top - margin(top)
                && self.tie_break > before.tie_break + margin(before.tie_break))
    }
}
