//! Handing over: what becomes of the tasks that the end of a task makes ready.

use numasim_graph::values::{Submit, TaskGraph, TaskId};

/// What becomes of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schedulers) enum Way {
    /// The worker runs it next: what the task returned.
    Returned,
    /// The worker runs it after that: the lowest of those that waited for the task alone.
    Successor,
    /// It is spawned, or enqueued.
    Submitted,
}

/// The ways of `children`, in the order in which they are handed over, and then of the `others` that became ready, by number, when `ended`
/// has ended. `stays`: whether the worker may go on with a task; what it may not is submitted, and counts neither as returned nor as
/// successor.
pub(in crate::schedulers) fn ways<'t, S: Fn(TaskId) -> bool>(
    graph: &TaskGraph,
    ended: TaskId,
    children: &'t [TaskId],
    others: &'t [TaskId],
    stays: S,
) -> impl Iterator<Item = (TaskId, Way)> + use<'t, S> {
    let returned = children.last().copied().filter(|&child| graph.returns(ended) && stays(child));
    // What the master creates, a worker does not go on with.
    let follows =
        |task| graph.submit(task) == Submit::Spawn && graph.created_by(task).is_some() && stays(task);
    let successor = others.iter().copied().find(|&task| follows(task));
    let successor = successor.filter(|_| returned.is_none());
    children.iter().chain(others).map(move |&task| {
        let way = match Some(task) {
            next if next == returned => Way::Returned,
            next if next == successor => Way::Successor,
            _ => Way::Submitted,
        };
        (task, way)
    })
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{NewTask, TaskGraphBuilder, TreeTask};

    use super::Way::{Returned, Submitted, Successor};
    use super::*;

    /// Task 0 creates 1 and 2; 3 is the master's; 4 creates 5, 6 and 7. 1 and 5 are enqueued.
    fn graph(returns: bool) -> TaskGraph {
        let mut graph = TaskGraphBuilder::new("ways");
        let kind = graph.kind("work");
        for (task, creator) in
            [None, Some(0), Some(0), None, None, Some(4), Some(4), Some(4)].iter().enumerate()
        {
            let new = NewTask { kind, gflop: 0.0, accesses: &[], socket: None, taskwait: false, name: None };
            let submit = if [1, 5].contains(&task) { Submit::Enqueue } else { Submit::Spawn };
            let returns = returns && task == 0;
            let tree = TreeTask { created_by: creator.map(TaskId), submit, returns, ..TreeTask::default() };
            graph.tree_task(new, tree).expect("a task");
        }
        graph.finish()
    }

    fn of(graph: &TaskGraph, children: &[u32], others: &[u32]) -> Vec<(u32, Way)> {
        let tasks = |numbers: &[u32]| numbers.iter().copied().map(TaskId).collect::<Vec<_>>();
        let (children, others) = (tasks(children), tasks(others));
        ways(graph, TaskId(0), &children, &others, |_| true).map(|(task, way)| (task.0, way)).collect()
    }

    #[test]
    fn the_last_child_is_returned_whatever_its_submission_and_then_there_is_no_successor() {
        let expected = [(2, Submitted), (1, Returned), (5, Submitted), (6, Submitted), (7, Submitted)];
        assert_eq!(of(&graph(true), &[2, 1], &[5, 6, 7]), expected);
    }

    #[test]
    fn the_lowest_that_is_spawned_is_the_successor() {
        let expected = [(2, Submitted), (1, Submitted), (5, Submitted), (6, Successor), (7, Submitted)];
        assert_eq!(of(&graph(false), &[2, 1], &[5, 6, 7]), expected);
    }

    #[test]
    fn without_ready_children_nothing_is_returned() {
        assert_eq!(of(&graph(true), &[], &[6]), [(6, Successor)]);
    }

    #[test]
    fn what_the_master_creates_is_no_successor() {
        assert_eq!(of(&graph(false), &[], &[3, 7]), [(3, Submitted), (7, Successor)]);
    }

    #[test]
    fn what_does_not_stay_is_neither_returned_nor_successor() {
        let tasks = [2, 1, 6, 7].map(TaskId);
        let (children, others) = tasks.split_at(2);
        let leaves = [1, 6].map(TaskId);
        let graph = graph(true);
        let ways = ways(&graph, TaskId(0), children, others, |task| !leaves.contains(&task));
        let ways: Vec<Way> = ways.map(|(_, way)| way).collect();
        assert_eq!(ways, [Submitted, Submitted, Submitted, Successor]);
    }
}
