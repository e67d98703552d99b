//! The best different answers met so far.

use numasim_model::{AppId, NodeId};

use crate::contents::Sites;
use crate::objective::margin;
use crate::open_data::parts_on;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::Search;
use crate::search::budget::Pace;
use crate::symmetry::{app_classes, node_classes};

/// Renames nodes and instances so that answers that differ by an exchange of equals become the same.
#[derive(Clone, Debug)]
pub(super) struct Canonical {
    apps: usize,
    nodes: usize,
    /// Possible orders of the applications: exchanges of equal instances.
    app_orders: Vec<Vec<usize>>,
    /// Classes of nodes that can be exchanged when no open data is decided yet.
    node_groups: Vec<Vec<usize>>,
}

/// Above this number of orders of equal instances, only the given order is tried.
const MAX_ORDERS: usize = 720;

impl Canonical {
    pub(super) fn new(problem: &Problem) -> Self {
        let nodes = problem.machine.node_count();
        let fixed: Vec<_> = problem.apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        let of_node = node_classes(&problem.machine, &problem.apps, &fixed, fixed.len() < problem.apps.len());
        let of_app = app_classes(&problem.machine, &problem.apps);
        let group = |of: &[usize], r: usize| (0..of.len()).filter(|&i| of[i] == r).collect::<Vec<_>>();
        let node_groups = (0..nodes).filter(|&n| of_node[n] == n).map(|n| group(&of_node, n)).collect();
        let mut app_orders = vec![(0..problem.apps.len()).collect::<Vec<_>>()];
        for members in (0..of_app.len()).filter(|&a| of_app[a] == a).map(|a| group(&of_app, a)) {
            let permutations = permutations(&members, MAX_ORDERS / app_orders.len().max(1));
            app_orders = app_orders
                .iter()
                .flat_map(|order| {
                    permutations.iter().map(|permutation| {
                        let mut next = order.clone();
                        members.iter().zip(permutation).for_each(|(&slot, &app)| next[slot] = app);
                        next
                    })
                })
                .collect();
        }
        Self { apps: problem.apps.len(), nodes, app_orders, node_groups }
    }

    /// Whether two answers differ at most by exchanges of equals.
    pub(super) fn are_same(&self, a: &Candidate, b: &Candidate) -> bool {
        self.key(a) == self.key(b)
    }

    /// The smallest description of `candidate` under exchanges of equals.
    fn key(&self, candidate: &Candidate) -> Vec<u32> {
        let own = candidate.allocation.own_domains();
        let domains = |order: &[usize], node: usize| -> Vec<u32> {
            let Some(own) = own else { return Vec::new() };
            let domains = own.first().map_or(0, |nodes| nodes[node].len());
            let content = |domain| order.iter().map(|&a| own[a][node][domain]).collect::<Vec<u32>>();
            let mut contents: Vec<Vec<u32>> = (0..domains).map(content).collect();
            contents.sort_unstable();
            contents.concat()
        };
        let column = |order: &[usize], node: usize| -> Vec<u32> {
            let threads = order.iter().map(|&a| candidate.allocation.get(AppId(a), NodeId(node)));
            let homes = order.iter().map(|&a| parts_on(&candidate.placements[a], NodeId(node)));
            threads.chain(homes).chain(domains(order, node)).collect()
        };
        let describe = |order: &Vec<usize>| {
            let mut key = Vec::with_capacity(self.nodes * self.apps * 2);
            for group in &self.node_groups {
                let mut columns: Vec<_> = group.iter().map(|&node| column(order, node)).collect();
                columns.sort_unstable();
                key.extend(columns.into_iter().flatten());
            }
            key
        };
        self.app_orders.iter().map(describe).min().unwrap_or_default()
    }
}

/// All orders of `items`, or only the given one if there are more than `limit`.
fn permutations(items: &[usize], limit: usize) -> Vec<Vec<usize>> {
    let count = (1..=items.len()).try_fold(1_usize, usize::checked_mul).unwrap_or(usize::MAX);
    if count > limit.max(1) {
        return vec![items.to_vec()];
    }
    let mut found = vec![Vec::new()];
    for _ in items {
        found = found
            .into_iter()
            .flat_map(|partial: Vec<usize>| {
                items
                    .iter()
                    .filter(|item| !partial.contains(item))
                    .map(|&item| {
                        let mut longer = partial.clone();
                        longer.push(item);
                        longer
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    found
}

/// Up to `capacity` different answers, best first.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    capacity: usize,
    /// Only answers with a larger score are wanted; -infinity if all are.
    floor: f64,
    entries: Vec<(Candidate, Vec<u32>)>,
}

impl Pool {
    pub(super) fn new(capacity: usize) -> Self {
        Self::above(f64::NEG_INFINITY, capacity)
    }

    /// The same for answers that score more than `floor` only.
    pub(super) fn above(floor: f64, capacity: usize) -> Self {
        Self { capacity: capacity.max(1), floor, entries: Vec::new() }
    }

    /// An answer must score more than this to enter; the floor while there is room.
    pub(super) fn cutoff(&self) -> f64 {
        let last = self.entries.last().filter(|_| self.entries.len() >= self.capacity);
        last.map_or(self.floor, |(candidate, _)| candidate.score + margin(candidate.score))
    }

    /// Whether `candidate` itself is among them.
    pub(super) fn knows(&self, candidate: &Candidate) -> bool {
        self.entries.iter().any(|(known, _)| known == candidate)
    }

    /// Whether only the best answer is wanted.
    pub(super) fn is_for_one(&self) -> bool {
        self.capacity == 1
    }

    pub(super) fn best(&self) -> Option<&Candidate> {
        self.entries.first().map(|(candidate, _)| candidate)
    }

    /// Stores `candidate` if it is good enough, and different from all others or better in a tie. Never stores one with data that does not
    /// fit.
    pub(super) fn add(&mut self, canonical: &Canonical, candidate: Candidate) {
        if candidate.excess > 0.0 || (self.floor > f64::NEG_INFINITY && candidate.score <= self.floor) {
            return;
        }
        if let Some((last, _)) = self.entries.last()
            && self.entries.len() == self.capacity
            && !candidate.beats(last)
        {
            return;
        }
        let key = canonical.key(&candidate);
        if self.entries.iter().any(|(_, other)| *other == key) {
            return;
        }
        let position = self
            .entries
            .iter()
            .position(|(other, other_key)| {
                candidate.beats(other) || (!other.beats(&candidate) && key < *other_key)
            })
            .unwrap_or(self.entries.len());
        self.entries.insert(position, (candidate, key));
        self.entries.truncate(self.capacity);
    }

    pub(super) fn merge(&mut self, canonical: &Canonical, other: Self) {
        for (candidate, _) in other.entries {
            self.add(canonical, candidate);
        }
    }

    pub(super) fn into_candidates(self) -> Vec<Candidate> {
        self.entries.into_iter().map(|(candidate, _)| candidate).collect()
    }
}

// The next best, different answers.

/// Maximum number of steps for alternatives after the best is known.
const ALTERNATIVES_EFFORT: u64 = 1_000_000;
/// Maximum number of elementary operations for allocations that are one thread away from the best, some seconds: with thousands of
/// applications there are very many.
const NEIGHBOURS_OPERATIONS: u64 = 10_000_000_000;

impl Search<'_> {
    /// The next best answers, and whether they are complete.
    pub(super) fn alternatives(&self, best: &Candidate) -> (Vec<Candidate>, bool) {
        if self.settings.top == 0 {
            return (Vec::new(), true);
        }
        let mut pool = Pool::new(self.settings.top + 1);
        let complete = self.add_alternatives(Some(best), &mut pool);
        let mut found = pool.into_candidates();
        // The best stays the best, even against a tie that the climb would not move to.
        let position = found.iter().position(|candidate| candidate.allocation == best.allocation);
        found.remove(position.unwrap_or(0));
        found.truncate(self.settings.top);
        (found, complete)
    }

    /// Adds the best answers above the cutoff of `pool`, and returns whether they are complete. `best`: one of them; its neighbours are
    /// usually good.
    pub(super) fn add_alternatives(&self, best: Option<&Candidate>, pool: &mut Pool) -> bool {
        if let Some(best) = best {
            pool.add(&self.canonical, best.clone());
            self.add_neighbours(best, pool);
        }
        self.prove(pool, self.settings.effort.min(ALTERNATIVES_EFFORT)).complete
    }

    /// Adds the allocations one thread away: one more, one less, or one exchanged for another application's.
    fn add_neighbours(&self, best: &Candidate, pool: &mut Pool) {
        let problem = self.problem;
        let cells = (problem.apps.len() * problem.machine.node_count()) as u64;
        let cost = cells.saturating_add(problem.evaluation_cost());
        let mut left = NEIGHBOURS_OPERATIONS;
        let mut pace = Pace::new(self.monitor);
        let mut evaluator = Evaluator::new(problem, best.placements.clone());
        let mut changed = best.allocation.clone();
        let sites = Sites::new(problem);
        for site in 0..sites.len() {
            for a in (0..problem.apps.len()).map(AppId) {
                let more: &[(AppId, i64)] = &[(a, 1)];
                let less: &[(AppId, i64)] = &[(a, -1)];
                let others = (0..problem.apps.len()).map(AppId).filter(|&b| b != a);
                let exchanged: Vec<[(AppId, i64); 2]> = if sites.threads(&best.allocation, a.0, site) > 0 {
                    others.map(|b| [(a, -1), (b, 1)]).collect()
                } else {
                    Vec::new()
                };
                for change in [more, less].into_iter().chain(exchanged.iter().map(<[_; 2]>::as_slice)) {
                    if pace.stops_after(cost) || left < cost {
                        return;
                    }
                    left -= cost;
                    let mut possible = true;
                    for &(app, by) in change {
                        let now = sites.threads(&best.allocation, app.0, site);
                        let threads = u32::try_from(i64::from(now) + by);
                        possible &= threads.is_ok();
                        sites.set(&mut changed, app.0, site, threads.unwrap_or(0));
                    }
                    if possible && evaluator.allows(&changed) {
                        pool.add(&self.canonical, evaluator.candidate(changed.clone()));
                    }
                    for &(app, _) in change {
                        sites.take_back(&best.allocation, &mut changed, app.0, site);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::Allocation;

    use super::*;
    use crate::objective::Objective;
    use crate::problem::Evaluator;
    use crate::search::testing::{LOCAL, question};

    #[test]
    fn answers_that_differ_by_an_exchange_of_equal_nodes_are_one() {
        let problem = question(2, Objective::TotalGflops);
        let canonical = Canonical::new(&problem);
        let mut evaluator = Evaluator::new(&problem, LOCAL.to_vec());
        let mut pool = Pool::new(3);
        let mut add = |mem: [u32; 2], cpu: [u32; 2]| {
            let rows = [mem.to_vec(), cpu.to_vec()];
            let candidate = evaluator.candidate(Allocation::from_rows(&rows).expect("equal rows"));
            pool.add(&canonical, candidate);
        };
        add([1, 0], [1, 0]); // 20 GFLOPS
        add([0, 1], [0, 1]); // the same on the other node
        add([1, 0], [0, 2]); // 30
        add([2, 0], [0, 0]); // 16
        let scores: Vec<f64> = pool.into_candidates().iter().map(|found| found.score.round()).collect();
        assert_eq!(scores, [30.0, 20.0, 16.0]);
    }

    #[test]
    fn a_full_pool_keeps_the_best_and_reports_its_cutoff() {
        let problem = question(1, Objective::TotalGflops);
        let canonical = Canonical::new(&problem);
        let mut evaluator = Evaluator::new(&problem, LOCAL.to_vec());
        let mut pool = Pool::new(1);
        assert_eq!(pool.cutoff(), f64::NEG_INFINITY);
        for (mem, cpu) in [(2, 0), (1, 1), (1, 0)] {
            let rows = [vec![mem], vec![cpu]];
            pool.add(&canonical, evaluator.candidate(Allocation::from_rows(&rows).expect("equal rows")));
        }
        assert!((pool.cutoff() - 20.0).abs() < 1e-6, "{}", pool.cutoff());
    }
}
