//! `static`: every loop is dealt to all workers in contiguous parts before it begins.

use numasim_graph::values::{BlockHome, TaskId};
use numasim_model::NodeId;

use crate::question::Question;
use crate::reference::course::{Heard, ReadyBy};
use crate::reference::decides::{Decides, nodes_of_workers};
use crate::schedulers::{Round, Source, Start};

#[derive(Clone, Debug)]
pub(super) struct StaticLoops {
    /// Per worker: its node, and its ready tasks, the oldest first.
    nodes: Vec<NodeId>,
    queues: Vec<Vec<TaskId>>,
    /// Per task: its worker.
    workers: Vec<usize>,
}

impl StaticLoops {
    pub(super) fn new(question: &Question) -> Self {
        let nodes = nodes_of_workers(question.machine);
        let workers = question.graph.tasks().map(|task| worker_of(question, task, nodes.len())).collect();
        Self { queues: vec![Vec::new(); nodes.len()], nodes, workers }
    }
}

/// The worker of a task, of so many: number i of the n iterations of its loop goes to worker floor(i W / n), and whatever creates iterations
/// goes with the first one below it.
fn worker_of(question: &Question, task: TaskId, workers: usize) -> usize {
    let graph = question.graph;
    let is_iteration = |task: &TaskId| graph.children(*task).is_empty();
    // A task is below itself.
    let is_below = |below: TaskId, above: TaskId| ancestors(question, below).contains(&above);
    let Some(first) = graph.tasks().filter(is_iteration).find(|&below| is_below(below, task)) else {
        return 0;
    };
    let own = loop_of(question, first);
    let all: Vec<TaskId> =
        graph.tasks().filter(is_iteration).filter(|&other| loop_of(question, other) == own).collect();
    let place = all.iter().position(|&other| other == first).unwrap_or(0);
    place * workers / all.len()
}

/// A task, who created it, who created that, and so on.
fn ancestors(question: &Question, task: TaskId) -> Vec<TaskId> {
    std::iter::successors(Some(task), |&task| question.graph.created_by(task)).collect()
}

/// The loop of an iteration, by its first task of the master: that above it; where the master creates the iteration itself, the first of
/// a run of such iterations that are alike, with no `taskwait` between.
fn loop_of(question: &Question, iteration: TaskId) -> TaskId {
    let graph = question.graph;
    if graph.created_by(iteration).is_some() {
        return ancestors(question, iteration).last().copied().unwrap_or(iteration);
    }
    let mut first = iteration;
    let of_master = graph.tasks().filter(|&task| graph.created_by(task).is_none());
    for before in of_master.take_while(|&task| task < iteration).collect::<Vec<_>>().into_iter().rev() {
        let is_alike = graph.type_name(before) == graph.type_name(iteration);
        if graph.taskwait(first) || !is_alike || !graph.children(before).is_empty() {
            break;
        }
        first = before;
    }
    first
}

impl Decides for StaticLoops {
    fn hear(&mut self, _: &Heard) -> Option<f64> {
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, _: &[BlockHome]) {
        self.queues[self.workers[task.0 as usize]].push(task);
    }

    fn has_queued(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        let queue = &mut self.queues[worker];
        if round != Round::Own || queue.is_empty() {
            return None;
        }
        Some(Start::new(queue.remove(0), Source::Own))
    }

    fn socket(&self, task: TaskId) -> Option<NodeId> {
        Some(self.nodes[self.workers[task.0 as usize]])
    }

    fn gives_sockets(&self) -> bool {
        true
    }
}
