//! `taskloop-affinity`: a ready task goes to a worker near the largest of its data, and whoever has nothing steals from anybody.

use numasim_graph::values::{BlockHome, TaskId, Ties};
use numasim_model::NodeId;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::question::Question;
use crate::random::{Stream, generator};
use crate::reference::course::{Heard, ReadyBy};
use crate::reference::decides::{Decides, nodes_of_workers, who_hands_over};
use crate::schedulers::{Round, Source, Start};

#[derive(Clone, Debug)]
pub(super) struct Nearest<'a> {
    question: &'a Question<'a>,
    /// Per worker: its node, and its tasks, the oldest first.
    nodes: Vec<NodeId>,
    queues: Vec<Vec<TaskId>>,
    /// Nodes to which tasks were sent from elsewhere, one entry for each.
    sent: Vec<NodeId>,
    victims: ChaCha8Rng,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let nodes = nodes_of_workers(question.machine);
        Self {
            question,
            queues: vec![Vec::new(); nodes.len()],
            nodes,
            sent: Vec::new(),
            victims: generator(question.runtime.seed, Stream::Scheduler),
        }
    }

    fn hand_over(&mut self, worker: usize, task: TaskId, homes: &[BlockHome]) {
        let mut queue = worker;
        if let Some(node) = self.data(task, homes).filter(|&node| node != self.nodes[worker]) {
            let there: Vec<usize> =
                (0..self.nodes.len()).filter(|&other| self.nodes[other] == node).collect();
            let before = self.sent.iter().filter(|&&sent| sent == node).count();
            queue = there[before % there.len()];
            self.sent.push(node);
        }
        self.queues[queue].push(task);
    }

    /// The node with cores where the largest block of a task lies.
    fn data(&self, task: TaskId, homes: &[BlockHome]) -> Option<NodeId> {
        let mut accesses = self.question.graph.accesses(task);
        let mut largest = accesses.next()?;
        for access in accesses {
            if access.declared_bytes > largest.declared_bytes {
                largest = access;
            }
        }
        match homes[largest.block.0 as usize] {
            BlockHome::Node(node) if self.nodes.contains(&node) => Some(node),
            _ => None,
        }
    }

    /// The oldest task of anybody else.
    fn stolen(&mut self, thief: usize) -> Option<TaskId> {
        let count = self.nodes.len();
        let mut victims: Vec<usize> = (1..count).map(|step| (thief + step) % count).collect();
        victims.retain(|&victim| !self.queues[victim].is_empty());
        let draws = victims.len() > 1 && self.question.runtime.ties == Ties::Random;
        let place = if draws { self.victims.random_range(0..victims.len()) } else { 0 };
        Some(self.queues[*victims.get(place)?].remove(0))
    }
}

impl Decides for Nearest<'_> {
    fn hands_over(&self) -> bool {
        true
    }

    fn hear(&mut self, heard: &Heard) -> Option<f64> {
        if let Heard::HandsOver { worker, children, others, homes, .. } = heard {
            for &task in children.iter().chain(others) {
                self.hand_over(who_hands_over(self.question.graph, task, *worker), task, homes);
            }
        }
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, homes: &[BlockHome]) {
        self.hand_over(0, task, homes);
    }

    fn has_queued(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        match round {
            Round::Own => self.queues[worker].pop().map(|task| Start::new(task, Source::Own)),
            Round::OtherNodes => None,
            Round::Steal => self.stolen(worker).map(|task| Start::new(task, Source::Steal)),
        }
    }
}
