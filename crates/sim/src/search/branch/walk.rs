//! One depth-first walk below a task.

use numasim_model::table::Table;
use numasim_model::{Allocation, AppId};

use super::tasks::Task;
use super::tree::{Ranked, Tree};
use crate::monitor::Monitor;
use crate::problem::Evaluator;
use crate::search::pace::Pace;
use crate::search::pool::{Canonical, Pool};

/// Elementary operations of one step for each application.
const OPERATIONS_PER_APP: u64 = 16;
/// Steps in the time that it takes to begin a task.
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
    /// `reads[step * watched + memory]`: GB/s asked of watched memories by the nodes before this step.
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

    /// Walks the options `from..to` of a step; `earned` is the constant plus what the nodes before earn.
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
