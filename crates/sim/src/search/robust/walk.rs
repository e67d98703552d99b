//! Exact search for fixed placements: one node after the other, the option that earns most first. A branch is cut off if neither the joint
//! bound nor the limits of each model alone can beat the best.

use numasim_model::{Allocation, AppId, NodeId, Placement};

use super::bound::{Joint, Part};
use super::{Best, Panel, Rater};
use crate::monitor::Monitor;
use crate::parallel;
use crate::search::budget::{Budget, Pace};
use crate::search::local::Rates;
use crate::search::uniform::Keeps;

/// First choices that are walked at the same time, from the same cutoff.
const BATCH: usize = 32;
/// Elementary operations of an evaluation in the time of one step.
const OPERATIONS_PER_STEP: u64 = 4;

/// A node to fill.
struct Step {
    node: NodeId,
    class: usize,
    /// Nodes of this class that are not filled yet, including this one.
    left_in_class: usize,
    /// The maximum earnings of all nodes of later classes.
    later: f64,
    same_as_before: bool,
}

/// The order of the nodes, and the options of each, best first.
pub(super) struct Tree<'t, 'a> {
    panel: &'t Panel<'a>,
    joint: &'t Joint<'a>,
    placements: &'t [Placement],
    part: &'t Part,
    constant: f64,
    steps: Vec<Step>,
    /// Per class: the earnings of an option, and its index.
    ranked: Vec<Vec<(f64, usize)>>,
    /// `reach[model][step * apps + app]`: the most GFLOPS on the nodes from this step on.
    reach: Vec<Vec<f64>>,
    /// `most[step * apps + app]`: the most threads there.
    most: Vec<u32>,
}

impl<'t, 'a> Tree<'t, 'a> {
    pub(super) fn new(
        panel: &'t Panel<'a>,
        joint: &'t Joint<'a>,
        placements: &'t [Placement],
        part: &'t Part,
        cutoff: f64,
    ) -> Self {
        let constant = joint.constant(&part.prices, &part.ranges);
        let classes = joint.classes();
        let mut ranked: Vec<Vec<(f64, usize)>> = (0..classes.len())
            .map(|c| {
                let earnings = joint.earnings(c, &part.prices, &part.ranges);
                let options = 0..classes[c].table.len();
                let mut ranked: Vec<_> = options.map(|o| (joint.earned(c, o, &earnings), o)).collect();
                ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                ranked
            })
            .collect();
        let top: Vec<f64> = ranked.iter().map(|r| r.first().map_or(f64::NEG_INFINITY, |r| r.0)).collect();
        let all = |c: usize| classes[c].nodes.len() as f64 * top[c];
        let root = constant + (0..classes.len()).map(all).sum::<f64>();
        for (ranked, top) in ranked.iter_mut().zip(&top) {
            ranked.retain(|(earns, _)| root - top + earns > cutoff);
        }
        let mut steps = Vec::new();
        for (class, of) in classes.iter().enumerate() {
            let later = (class + 1..classes.len()).map(all).sum();
            for (k, &node) in of.nodes.iter().enumerate() {
                let left_in_class = of.nodes.len() - k;
                steps.push(Step { node, class, left_in_class, later, same_as_before: k > 0 });
            }
        }
        let mut tree = Self {
            panel,
            joint,
            placements,
            part,
            constant,
            steps,
            ranked,
            reach: Vec::new(),
            most: Vec::new(),
        };
        tree.look_ahead();
        tree
    }

    fn look_ahead(&mut self) {
        let (apps, last) = (self.joint.apps(), self.steps.len());
        let models = self.joint.relaxations.len();
        let mut reach = vec![vec![0.0; (last + 1) * apps]; models];
        let mut most = vec![0; (last + 1) * apps];
        let options = |class: usize| self.ranked[class].iter().map(|ranked| ranked.1);
        let of_class: Vec<Vec<(Vec<f64>, u32)>> = (0..self.ranked.len())
            .map(|class| {
                let table = |model: usize| &self.joint.relaxations[model].classes[class].table;
                let gflops = |model: usize, a: usize| {
                    options(class).map(|o| table(model).potential(o)[a]).fold(0.0, f64::max)
                };
                let threads = |a: usize| options(class).map(|o| table(0).counts(o)[a]).max().unwrap_or(0);
                (0..apps).map(|a| ((0..models).map(|m| gflops(m, a)).collect(), threads(a))).collect()
            })
            .collect();
        for (s, step) in self.steps.iter().enumerate().rev() {
            for (a, (gflops, threads)) in of_class[step.class].iter().enumerate() {
                for (reach, gflops) in reach.iter_mut().zip(gflops) {
                    reach[s * apps + a] = reach[(s + 1) * apps + a] + gflops;
                }
                most[s * apps + a] = most[(s + 1) * apps + a] + threads;
            }
        }
        (self.reach, self.most) = (reach, most);
    }

    /// Walks everything above the cutoff of `best`, as far as `budget` and `monitor` allow; false if something remained open.
    pub(super) fn search(&self, best: &mut Best, budget: &mut Budget, monitor: &dyn Monitor) -> bool {
        let Some(first) = self.steps.first() else { return true };
        let choices = self.ranked[first.class].len();
        let mut next = 0;
        while next < choices {
            let bound =
                self.constant + self.ranked[first.class][next].0 * first.left_in_class as f64 + first.later;
            if bound <= best.cutoff() {
                return true;
            }
            if budget.is_spent() || monitor.stop() {
                return false;
            }
            let batch: Vec<usize> = (next..(next + BATCH).min(choices)).collect();
            next += batch.len();
            let limit = budget.left() / batch.len() as u64 + 1;
            let walked: Vec<(Best, u64, bool)> = parallel::map(batch, |choice| {
                let mut walk = Walk::new(self, best.clone(), limit, monitor);
                walk.step(0, choice, choice + 1, self.constant);
                (walk.best, walk.work, walk.cut_short)
            });
            let mut complete = true;
            for (found, work, cut_short) in walked {
                best.offer(found.candidate);
                budget.spend(work);
                complete &= !cut_short;
            }
            if !complete {
                return false;
            }
        }
        true
    }

    /// The cost of rating an allocation, in steps.
    pub(super) fn steps_to_rate(panel: &Panel<'_>) -> u64 {
        panel.evaluation_cost() / OPERATIONS_PER_STEP
    }
}

struct Walk<'w, 't, 'a> {
    tree: &'w Tree<'t, 'a>,
    rater: Rater<'a>,
    best: Best,
    threads: Allocation,
    /// `potential[model][step * apps + app]`: GFLOPS bound on the nodes before this step.
    potential: Vec<Vec<f64>>,
    given: Vec<u32>,
    on_class: Vec<u32>,
    scratch: Vec<f64>,
    work: u64,
    limit: u64,
    cut_short: bool,
    pace: Pace<'w>,
}

impl<'w, 't, 'a> Walk<'w, 't, 'a> {
    fn new(tree: &'w Tree<'t, 'a>, best: Best, limit: u64, monitor: &'w dyn Monitor) -> Self {
        let apps = tree.joint.apps();
        Self {
            tree,
            rater: tree.panel.rater(tree.placements),
            best,
            threads: Allocation::empty(apps, tree.panel.question().machine.node_count()),
            potential: vec![vec![0.0; (tree.steps.len() + 1) * apps]; tree.joint.relaxations.len()],
            given: vec![0; apps],
            on_class: vec![0; apps * tree.joint.classes().len()],
            scratch: vec![0.0; apps],
            work: 1,
            limit,
            cut_short: false,
            pace: Pace::new(monitor),
        }
    }

    /// Visits the options `from..to` of a step; `earned` is the constant plus the earnings of the nodes before.
    fn step(&mut self, step: usize, from: usize, to: usize, earned: f64) {
        let tree = self.tree;
        let here = &tree.steps[step];
        let operations = 8 * (self.given.len() * tree.joint.relaxations.len()) as u64;
        for position in from..to.min(tree.ranked[here.class].len()) {
            let (earns, option) = tree.ranked[here.class][position];
            if earned + earns * here.left_in_class as f64 + here.later <= self.best.cutoff() {
                return;
            }
            self.work += self.potential.len() as u64;
            if self.work > self.limit || self.pace.stops_after(operations) {
                self.cut_short = true;
                return;
            }
            if self.place(step, option) {
                match tree.steps.get(step + 1) {
                    None => self.rate(),
                    Some(next) => {
                        let from = if next.same_as_before { position } else { 0 };
                        self.step(step + 1, from, usize::MAX, earned + earns);
                    }
                }
            }
            self.take_away(here, option);
            if self.cut_short {
                return;
            }
        }
    }

    /// Fills the node of `step`; returns whether that can still be part of a better answer.
    fn place(&mut self, step: usize, option: usize) -> bool {
        let tree = self.tree;
        let (apps, here) = (self.given.len(), &tree.steps[step]);
        let ranges = &tree.part.ranges;
        let counts = tree.joint.classes()[here.class].table.counts(option);
        let mut possible = true;
        for (a, &count) in counts.iter().enumerate() {
            self.threads.set(AppId(a), here.node, count);
            self.given[a] += count;
            possible &= self.given[a] + tree.most[(step + 1) * apps + a] >= ranges.lowest[a];
            possible &= self.given[a] <= ranges.highest[a];
            let on_class = &mut self.on_class[apps * here.class + a];
            *on_class += count;
            let counter = apps * (1 + here.class) + a;
            possible &= *on_class <= ranges.highest[counter];
            possible &= here.left_in_class > 1 || *on_class >= ranges.lowest[counter];
        }
        for (model, relaxation) in tree.joint.relaxations.iter().enumerate() {
            let potential = relaxation.classes[here.class].table.potential(option);
            for (a, own) in potential.iter().enumerate() {
                let sum = self.potential[model][step * apps + a] + own;
                self.potential[model][(step + 1) * apps + a] = sum;
                self.scratch[a] = sum + tree.reach[model][(step + 1) * apps + a];
            }
            let score = relaxation.problem.goal.score(&self.scratch);
            possible &= tree.joint.scales[model].merit(score) > self.best.cutoff();
        }
        possible
    }

    fn take_away(&mut self, here: &Step, option: usize) {
        let apps = self.given.len();
        let counts = self.tree.joint.classes()[here.class].table.counts(option);
        for (a, &count) in counts.iter().enumerate() {
            self.threads.set(AppId(a), here.node, 0);
            self.given[a] -= count;
            self.on_class[apps * here.class + a] -= count;
        }
    }

    fn rate(&mut self) {
        if self.rater.excess(self.threads.as_slice()) > 0.0 {
            return;
        }
        self.work += Tree::steps_to_rate(self.tree.panel);
        self.pace.stops_after(self.tree.panel.evaluation_cost());
        if self.rater.rate(&self.threads).0 > self.best.cutoff() {
            self.best.offer(self.rater.candidate(self.threads.clone()));
        }
    }
}
