//! The tasks into which a tree is cut.

use super::tree::Tree;

/// A choice for the first nodes.
pub(super) struct Task {
    pub(super) first: usize,
    pub(super) second: Option<usize>,
    pub(super) bound: f64,
}

/// The choices for the first node, or for the first two where at least one more follows, best first for each choice
/// of the first. There may be billions: they are made when they are asked for.
pub(super) struct Tasks<'t> {
    tree: &'t Tree<'t>,
    first: usize,
    /// The next choice for the second node; not used where the first one alone is a task.
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

    /// The largest bound of all tasks that are left; -infinity if none is.
    pub(super) fn largest_bound(&self) -> f64 {
        let mut next = Self { ..*self };
        let here = next.peek().map_or(f64::NEG_INFINITY, |task| task.bound);
        next.next_row();
        next.peek().map_or(here, |task| here.max(task.bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::search::testing::{LOCAL, question, relaxation};

    #[test]
    fn tasks_of_a_row_come_best_first_and_those_below_the_cutoff_not_at_all() {
        let problem = question(3, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let (prices, ranges) = (relaxation.start().prices, relaxation.everything());
        let tree =
            Tree::new(&problem, &relaxation, &LOCAL, &prices, &ranges, 0.0, &Unattended).expect("no stop");
        let mut tasks = Tasks::new(&tree);
        // 20 GFLOPS on each of three nodes is the best that any task can hope for.
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
