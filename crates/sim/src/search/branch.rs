//! Exact search for fixed placements: depth first, one node after the other, pruned by the dual bound.
//!
//! The options of a node are visited in descending order of their earnings at the prices of the bound. As soon as the sum of earnings
//! cannot exceed the best known score, the remaining options are skipped. Nodes that can be exchanged use options in non-descending
//! position, so that only one order of equal nodes is visited.
//!
//! The tree is cut into tasks (choices for the first one or two nodes). Tasks run in batches of fixed size. All tasks of a batch start from
//! the same cutoff and their results are merged in order, so that the answer does not depend on the number of threads.

use numasim_model::table::Table;
use numasim_model::{Allocation, AppId, NodeId, Placement};

use super::budget::Budget;
use super::pool::{Canonical, Pool};
use crate::monitor::Monitor;
use crate::parallel;
use crate::problem::{Evaluator, Problem};
use crate::search::budget::Pace;
use crate::search::dual::{Class, Earnings, Prices, Ranges, Relaxation};

/// The result of a finished or stopped tree search.
pub(super) struct TreeResult {
    /// An upper bound on the part that was not searched; -infinity if everything was.
    pub(super) open_bound: f64,
}

/// Tasks that start from the same cutoff.
const BATCH: usize = 128;

impl Tree<'_> {
    /// Searches the whole tree, or the part that `budget` and `monitor` allow, and adds its answers to `pool`.
    pub(super) fn search(
        &self,
        canonical: &Canonical,
        pool: &mut Pool,
        budget: &mut Budget,
        monitor: &dyn Monitor,
    ) -> TreeResult {
        let mut tasks = Tasks::new(self);
        loop {
            let cutoff = pool.cutoff();
            let mut batch = Vec::with_capacity(BATCH);
            while batch.len() < BATCH
                && let Some(task) = tasks.next_above(cutoff)
            {
                batch.push(task);
            }
            if batch.is_empty() {
                return TreeResult { open_bound: f64::NEG_INFINITY };
            }
            if budget.is_spent() || monitor.stop() {
                let open = batch.iter().map(|task| task.bound);
                return TreeResult { open_bound: open.fold(tasks.largest_bound(), f64::max) };
            }
            let share = budget.left() / batch.len() as u64 + 1;
            let searched: Vec<(Pool, u64, Option<f64>)> = parallel::map(batch, |task| {
                let mut walk = Walk::new(self, canonical, pool.clone(), share, monitor);
                walk.run(&task);
                (walk.pool, walk.work, walk.cut_short.then_some(task.bound))
            });
            let mut open_bound = f64::NEG_INFINITY;
            for (found, work, open) in searched {
                pool.merge(canonical, found);
                budget.spend(work);
                open_bound = open_bound.max(open.unwrap_or(f64::NEG_INFINITY));
            }
            if open_bound > pool.cutoff() {
                return TreeResult { open_bound: open_bound.max(tasks.largest_bound()) };
            }
            monitor.progress(&budget.progress(self.problem, pool.best(), tasks.largest_bound()));
        }
    }
}

// The tasks into which a tree is cut.

/// A choice for the first nodes.
pub(super) struct Task {
    pub(super) first: usize,
    pub(super) second: Option<usize>,
    pub(super) bound: f64,
}

/// The choices for the first node, or for the first two if at least one more follows, best first for each choice of the first. There may be
/// billions, so they are generated on demand.
pub(super) struct Tasks<'t> {
    tree: &'t Tree<'t>,
    first: usize,
    /// The next choice for the second node; unused if the first one alone is a task.
    second: usize,
    in_pairs: bool,
}

impl<'t> Tasks<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> Self {
        let in_pairs = tree.steps.len() > 2;
        let second = if in_pairs { tree.start(1, 0) } else { 0 };
        Self { tree, first: 0, second, in_pairs }
    }

    /// The next task in the row of the first choice, or in the next row.
    fn peek(&self) -> Option<Task> {
        let (tree, first) = (self.tree, self.first);
        let exists = |step: usize, choice: usize| {
            tree.steps.get(step).is_some_and(|step| choice < tree.ranked[step.class].len())
        };
        let second = self.in_pairs.then_some(self.second);
        let possible = exists(0, first) && second.is_none_or(|second| exists(1, second));
        possible.then(|| Task { first, second, bound: tree.task_bound(first, second) })
    }

    fn next_row(&mut self) {
        self.first += 1;
        if self.in_pairs {
            self.second = self.tree.start(1, self.first);
        }
    }

    /// The next task that may beat `cutoff`; those before it are dropped.
    pub(super) fn next_above(&mut self, cutoff: f64) -> Option<Task> {
        loop {
            let at_start = !self.in_pairs || self.second == self.tree.start(1, self.first);
            match self.peek() {
                Some(task) if task.bound > cutoff => {
                    if self.in_pairs {
                        self.second += 1;
                    } else {
                        self.next_row();
                    }
                    return Some(task);
                }
                // Bounds fall along a row, and from the start of a row to that of the next.
                None | Some(_) if at_start => return None,
                None | Some(_) => self.next_row(),
            }
        }
    }

    /// The largest bound of the remaining tasks; -infinity if there are none.
    pub(super) fn largest_bound(&self) -> f64 {
        let mut next = Self { ..*self };
        let here = next.peek().map_or(f64::NEG_INFINITY, |task| task.bound);
        next.next_row();
        next.peek().map_or(here, |task| here.max(task.bound))
    }
}

// The prepared tree: the order of the nodes, and the options of each, best first.

/// One step of the search: which node is filled, and from which class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) class: usize,
    /// Nodes of this class that are not filled yet, including this one.
    pub(super) left_in_class: f64,
    /// The maximum earnings of all nodes of later classes.
    pub(super) later: f64,
    /// Whether the previous step filled a node of the same class.
    pub(super) same_as_before: bool,
}

/// An option that may be part of a better answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) earns: f64,
    pub(super) option: u32,
}

/// The prepared search tree.
pub(in crate::search) struct Tree<'a> {
    pub(super) problem: &'a Problem,
    pub(super) relaxation: &'a Relaxation<'a>,
    pub(super) placements: &'a [Placement],
    pub(super) ranges: &'a Ranges,
    pub(super) constant: f64,
    pub(super) steps: Vec<Step>,
    /// Per class, best first, without those that cannot improve on the cutoff.
    pub(super) ranked: Vec<Vec<Ranked>>,
    /// `reach[step * apps + app]`: the most GFLOPS an application can get on the nodes from this step on.
    pub(super) reach: Vec<f64>,
    /// `most_threads[step * apps + app]`: the most threads it can get there.
    pub(super) most_threads: Vec<u32>,
    /// No application reads another node's memory: potentials are exact.
    pub(super) decoupled: bool,
    /// Steps to rate an allocation, in addition to the step that leads to it.
    pub(super) steps_to_rate: u64,
}

/// Steps to rate an allocation, in addition to the step that leads to it. They are many if potentials are so weak that most allocations
/// have to be rated.
pub(in crate::search) fn steps_to_rate(relaxation: &Relaxation<'_>) -> u64 {
    /// Elementary operations of an evaluation in the time of one step.
    const OPERATIONS_PER_STEP: u64 = 4;
    if relaxation.exact { 0 } else { relaxation.problem.evaluation_cost() / OPERATIONS_PER_STEP }
}

impl<'a> Tree<'a> {
    /// Ranks the options at `prices`, without those that cannot lead above `cutoff`. `None` if stopped.
    pub(in crate::search) fn new(
        problem: &'a Problem,
        relaxation: &'a Relaxation<'a>,
        placements: &'a [Placement],
        prices: &Prices,
        ranges: &'a Ranges,
        cutoff: f64,
        monitor: &dyn Monitor,
    ) -> Option<Self> {
        let constant = relaxation.constant(prices, ranges);
        let earnings: Vec<Earnings> =
            (0..relaxation.classes.len()).map(|c| relaxation.earnings(c, prices, ranges)).collect();
        let all: Vec<Vec<Ranked>> = relaxation
            .classes
            .iter()
            .zip(&earnings)
            .map(|(class, earnings)| {
                if monitor.stop() {
                    return None;
                }
                let mut ranked: Vec<Ranked> = (0..class.table.len())
                    .map(|option| Ranked {
                        earns: earnings.of(&class.table, option),
                        option: u32::try_from(option).unwrap_or(u32::MAX),
                    })
                    .collect();
                parallel::sort_unstable_by(&mut ranked, |a, b| {
                    b.earns.total_cmp(&a.earns).then(a.option.cmp(&b.option))
                });
                Some(ranked)
            })
            .collect::<Option<_>>()?;
        let top = |c: usize| all[c].first().map_or(f64::NEG_INFINITY, |r| r.earns);
        let root: f64 =
            constant + (0..all.len()).map(|c| relaxation.classes[c].nodes.len() as f64 * top(c)).sum::<f64>();
        let ranked = all
            .iter()
            .enumerate()
            .map(|(c, ranked)| {
                ranked.iter().copied().take_while(|r| root - top(c) + r.earns > cutoff).collect()
            })
            .collect();
        let decoupled = relaxation.exact
            && problem
                .apps
                .iter()
                .zip(placements)
                .all(|(app, placement)| app.stays_at_home(placement, &problem.machine));
        let mut tree = Self {
            problem,
            relaxation,
            placements,
            ranges,
            constant,
            steps: Vec::new(),
            ranked,
            reach: Vec::new(),
            most_threads: Vec::new(),
            decoupled,
            steps_to_rate: steps_to_rate(relaxation),
        };
        tree.lay_out_steps();
        Some(tree)
    }

    /// Nodes whose memory is read from other nodes come last: by then most of the remote reads are known.
    fn lay_out_steps(&mut self) {
        let classes = &self.relaxation.classes;
        let home = |c: usize| {
            self.placements.iter().any(|p| p.home().is_some_and(|h| classes[c].nodes.contains(&h)))
        };
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&c| (home(c), std::cmp::Reverse(classes[c].nodes.len()), c));
        let top = |c: usize| self.ranked[c].first().map_or(f64::NEG_INFINITY, |r| r.earns);
        let mut steps = Vec::new();
        for (i, &class) in order.iter().enumerate() {
            let later = order[i + 1..].iter().map(|&c| classes[c].nodes.len() as f64 * top(c)).sum();
            for (k, &node) in classes[class].nodes.iter().enumerate() {
                let left_in_class = (classes[class].nodes.len() - k) as f64;
                steps.push(Step { node, class, left_in_class, later, same_as_before: k > 0 });
            }
        }
        let apps = self.problem.apps.len();
        let mut reach = vec![0.0; (steps.len() + 1) * apps];
        let mut most_threads = vec![0; (steps.len() + 1) * apps];
        let most = |(class, ranked): (&Class, &Vec<Ranked>)| -> Vec<(f64, u32)> {
            let options = || ranked.iter().map(|r| r.option as usize);
            let of_app = |a: usize| {
                let potential = options().map(|o| class.table.potential(o)[a]).fold(0.0, f64::max);
                (potential, options().map(|o| class.table.counts(o)[a]).max().unwrap_or(0))
            };
            (0..apps).map(of_app).collect()
        };
        let most: Vec<Vec<(f64, u32)>> = classes.iter().zip(&self.ranked).map(most).collect();
        for (s, step) in steps.iter().enumerate().rev() {
            for (a, &(potential, threads)) in most[step.class].iter().enumerate() {
                reach[s * apps + a] = reach[(s + 1) * apps + a] + potential;
                most_threads[s * apps + a] = most_threads[(s + 1) * apps + a] + threads;
            }
        }
        self.steps = steps;
        self.reach = reach;
        self.most_threads = most_threads;
    }

    /// The options of a step that are visited after `before` was chosen in the previous step.
    pub(super) fn start(&self, step: usize, before: usize) -> usize {
        if self.steps[step].same_as_before { before } else { 0 }
    }

    pub(super) fn task_bound(&self, first: usize, second: Option<usize>) -> f64 {
        let earns = self.ranked[self.steps[0].class][first].earns;
        match second {
            None => {
                let step = &self.steps[0];
                self.constant + earns * step.left_in_class + step.later
            }
            Some(j) => {
                let step = &self.steps[1];
                self.constant + earns + self.ranked[step.class][j].earns * step.left_in_class + step.later
            }
        }
    }
}

// One depth-first walk below a task.

/// Elementary operations of one step for each application.
const OPERATIONS_PER_APP: u64 = 16;
/// Steps in the time that the start of a task takes.
const TASK_STEPS: u64 = 32;
/// One depth-first walk below a task.
pub(super) struct Walk<'t> {
    pub(super) tree: &'t Tree<'t>,
    pub(super) canonical: &'t Canonical,
    pub(super) evaluator: Evaluator<'t>,
    pub(super) pool: Pool,
    pub(super) cutoff: f64,
    pub(super) threads: Table<u32>,
    /// `potential[step * apps + app]`: GFLOPS bound on the nodes before this step.
    pub(super) potential: Vec<f64>,
    pub(super) given: Vec<u32>,
    /// Threads per counter of the ranges (the whole-machine counters unused).
    pub(super) given_on_class: Vec<u32>,
    /// `reads[step * watched + memory]`: demand on watched memories from the nodes before this step, GB/s.
    pub(super) reads: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    pub(super) work: u64,
    pub(super) limit: u64,
    pub(super) cut_short: bool,
    pace: Pace<'t>,
}

impl<'t> Walk<'t> {
    pub(super) fn new(
        tree: &'t Tree<'t>,
        canonical: &'t Canonical,
        pool: Pool,
        limit: u64,
        monitor: &'t dyn Monitor,
    ) -> Self {
        let apps = tree.problem.apps.len();
        Self {
            tree,
            canonical,
            evaluator: Evaluator::new(tree.problem, tree.placements.to_vec()),
            cutoff: pool.cutoff(),
            pool,
            threads: Table::filled(apps, tree.problem.machine.node_count(), 0),
            potential: vec![0.0; (tree.steps.len() + 1) * apps],
            given: vec![0; apps],
            given_on_class: vec![0; tree.ranges.lowest.len()],
            reads: vec![0.0; (tree.steps.len() + 1) * tree.relaxation.watched.len()],
            scratch: vec![0.0; apps],
            work: TASK_STEPS,
            limit: limit.max(2 * TASK_STEPS),
            cut_short: false,
            pace: Pace::new(monitor),
        }
    }

    pub(super) fn run(&mut self, task: &Task) {
        let first = self.tree.ranked[self.tree.steps[0].class][task.first];
        let earned = self.tree.constant + first.earns;
        let last = self.tree.steps.len() == 1;
        if self.place(0, first.option as usize, last) {
            let (from, to) = match task.second {
                Some(second) => (second, second + 1),
                None => (self.tree.start(1, task.first), usize::MAX),
            };
            self.step(1, from, to, earned);
        }
    }

    /// Visits the options `from..to` of a step; `earned` is the constant plus the earnings of the nodes before.
    fn step(&mut self, step: usize, from: usize, to: usize, earned: f64) {
        let tree = self.tree;
        let here = tree.steps[step];
        let last = step + 1 == tree.steps.len();
        for position in from..to.min(tree.ranked[here.class].len()) {
            let Ranked { earns, option } = tree.ranked[here.class][position];
            if earned + earns * here.left_in_class + here.later <= self.cutoff {
                return;
            }
            self.work += 1;
            if self.work > self.limit || self.pace.stops_after(OPERATIONS_PER_APP * self.given.len() as u64) {
                self.cut_short = true;
                return;
            }
            if self.place(step, option as usize, last) {
                self.step(step + 1, tree.start(step + 1, position), usize::MAX, earned + earns);
            }
            self.remove(step, option as usize);
            if self.cut_short {
                return;
            }
        }
    }

    /// Fills the node of `step`; true if deeper steps may still beat the cutoff. A complete allocation is rated.
    fn place(&mut self, step: usize, option: usize, last: bool) -> bool {
        let tree = self.tree;
        let apps = self.given.len();
        let here = tree.steps[step];
        let table = &tree.relaxation.classes[here.class].table;
        let (counts, potential) = (table.counts(option), table.potential(option));
        let mut possible = true;
        for a in 0..apps {
            self.threads[(AppId(a), here.node)] = counts[a];
            self.given[a] += counts[a];
            let sum = self.potential[step * apps + a] + potential[a];
            self.potential[(step + 1) * apps + a] = sum;
            self.scratch[a] = sum + tree.reach[(step + 1) * apps + a];
            possible &= self.given[a] + tree.most_threads[(step + 1) * apps + a] >= tree.ranges.lowest[a]
                && self.given[a] <= tree.ranges.highest[a];
            let on_class = apps * (1 + here.class) + a;
            self.given_on_class[on_class] += counts[a];
            possible &= self.given_on_class[on_class] <= tree.ranges.highest[on_class];
            let class_is_full = here.left_in_class < 1.5;
            possible &= !class_is_full || self.given_on_class[on_class] >= tree.ranges.lowest[on_class];
        }
        let watched = &tree.relaxation.watched;
        for (w, (watched, reads)) in watched.iter().zip(table.reads(option)).enumerate() {
            let sum = self.reads[step * tree.relaxation.watched.len() + w] + reads;
            self.reads[(step + 1) * tree.relaxation.watched.len() + w] = sum;
            possible &= sum <= watched.most + 1e-9 * watched.bandwidth;
        }
        if !possible || tree.problem.goal.score(&self.scratch) <= self.cutoff {
            return false;
        }
        if last {
            self.rate_complete();
        }
        !last
    }

    fn remove(&mut self, step: usize, option: usize) {
        let tree = self.tree;
        let here = tree.steps[step];
        let counts = tree.relaxation.classes[here.class].table.counts(option);
        for (a, &count) in counts.iter().enumerate() {
            self.threads[(AppId(a), here.node)] = 0;
            self.given[a] -= count;
            self.given_on_class[self.given.len() * (1 + here.class) + a] -= count;
        }
    }

    fn rate_complete(&mut self) {
        if !self.evaluator.fits(self.threads.as_slice()) {
            return;
        }
        if !self.tree.decoupled {
            self.work += self.tree.steps_to_rate;
            self.pace.stops_after(self.tree.problem.evaluation_cost());
            let gflops = self.evaluator.gflops(self.threads.as_slice());
            if self.tree.problem.goal.score(gflops) <= self.cutoff {
                return;
            }
        }
        self.pace.stops_after(self.tree.problem.evaluation_cost());
        let (apps, nodes) = (self.given.len(), self.tree.problem.machine.node_count());
        let mut allocation = Allocation::empty(apps, nodes);
        allocation.as_mut_slice().copy_from_slice(self.threads.as_slice());
        debug_assert!((0..apps).all(|a| allocation.total(AppId(a)) == u64::from(self.given[a])));
        let candidate = self.evaluator.candidate(allocation);
        self.pool.add(self.canonical, candidate);
        self.cutoff = self.pool.cutoff();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::search::testing::{LOCAL, pool_with, question, relaxation};

    #[test]
    fn the_walk_finds_the_best_and_leaves_nothing_open() {
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let (prices, ranges) = (relaxation.start().prices, relaxation.everything());
        let (canonical, mut pool) = pool_with(&problem, &[vec![1, 0], vec![0, 1]]); // 20 GFLOPS
        let tree = Tree::new(&problem, &relaxation, &LOCAL, &prices, &ranges, pool.cutoff(), &Unattended)
            .expect("no stop");
        let result = tree.search(&canonical, &mut pool, &mut Budget::new(10_000), &Unattended);
        assert_eq!(result.open_bound, f64::NEG_INFINITY);
        assert!(pool.best().is_some_and(|best| (best.score - 40.0).abs() < 1e-9), "{:?}", pool.best());
    }

    #[test]
    fn without_effort_everything_stays_open() {
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let (prices, ranges) = (relaxation.start().prices, relaxation.everything());
        let (canonical, mut pool) = pool_with(&problem, &[vec![1, 0], vec![0, 1]]);
        let tree = Tree::new(&problem, &relaxation, &LOCAL, &prices, &ranges, pool.cutoff(), &Unattended)
            .expect("no stop");
        let result = tree.search(&canonical, &mut pool, &mut Budget::new(0), &Unattended);
        assert!((result.open_bound - 40.0).abs() < 1e-9, "{}", result.open_bound);
    }
}

#[cfg(test)]
mod tests_of_tasks {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::search::testing::{LOCAL, question, relaxation};

    #[test]
    fn tasks_of_a_row_are_ordered_and_cut_off() {
        let problem = question(3, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let (prices, ranges) = (relaxation.start().prices, relaxation.everything());
        let tree =
            Tree::new(&problem, &relaxation, &LOCAL, &prices, &ranges, 0.0, &Unattended).expect("no stop");
        let mut tasks = Tasks::new(&tree);
        // 20 GFLOPS on each of three nodes is the best that any task can reach.
        assert!((tasks.largest_bound() - 60.0).abs() < 1e-9);
        let mut found = Vec::new();
        while let Some(task) = tasks.next_above(59.0) {
            found.push((task.first, task.second, task.bound));
        }
        // The options (0, 2) and (1, 1) have 20: pairs in order, each once.
        let pairs: Vec<_> = found.iter().map(|task| (task.0, task.1)).collect();
        assert_eq!(pairs, [(0, Some(0)), (0, Some(1)), (1, Some(1))]);
        assert!(found.iter().all(|task| task.2 > 59.0));
    }
}
