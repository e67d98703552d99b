//! `arena-per-node`: what belongs to another node is enqueued there; within a node the rules of `tbb` hold, without mailboxes.

use numasim_graph::values::{BlockHome, Submit, TaskId, Ties};
use numasim_model::NodeId;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::question::Question;
use crate::random::{Stream, generator};
use crate::reference::course::{Heard, ReadyBy};
use crate::reference::decides::{Decides, nodes_of_workers, who_hands_over};
use crate::schedulers::{Round, Source, Start};

/// Of one worker: its node, what its task returned, the successor of its task, and its deque, the oldest first.
#[derive(Clone, Debug)]
struct Worker {
    node: NodeId,
    returned: Option<TaskId>,
    successor: Option<TaskId>,
    deque: Vec<TaskId>,
}

#[derive(Clone, Debug)]
pub(super) struct Arenas<'a> {
    question: &'a Question<'a>,
    workers: Vec<Worker>,
    /// Per node: enqueued tasks, the oldest first.
    queues: Vec<Vec<TaskId>>,
    victims: ChaCha8Rng,
}

impl<'a> Arenas<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let worker = |node| Worker { node, returned: None, successor: None, deque: Vec::new() };
        Self {
            question,
            workers: nodes_of_workers(question.machine).into_iter().map(worker).collect(),
            queues: vec![Vec::new(); question.machine.node_count()],
            victims: generator(question.runtime.seed, Stream::Scheduler),
        }
    }

    /// Whether a task has to leave the arena of a worker.
    fn leaves(&self, worker: usize, task: TaskId) -> bool {
        self.question.graph.affinity(task).is_some_and(|node| node != self.workers[worker].node)
    }

    /// A task has ended on a worker: what it creates comes first, then what waited for it.
    fn ends(&mut self, ended: TaskId, worker: usize, children: &[TaskId], others: &[TaskId]) {
        let graph = self.question.graph;
        for (place, &child) in children.iter().enumerate() {
            let is_last = place + 1 == children.len();
            if is_last && graph.returns(ended) && !self.leaves(worker, child) {
                self.workers[worker].returned = Some(child);
            } else {
                self.submit(worker, child);
            }
        }
        for &task in others {
            let hands = who_hands_over(graph, task, worker);
            let may_follow = graph.created_by(task).is_some()
                && graph.submit(task) == Submit::Spawn
                && !self.leaves(hands, task);
            let goes_on = &self.workers[worker];
            if may_follow && goes_on.returned.is_none() && goes_on.successor.is_none() {
                self.workers[worker].successor = Some(task);
            } else {
                self.submit(hands, task);
            }
        }
    }

    fn submit(&mut self, worker: usize, task: TaskId) {
        let graph = self.question.graph;
        let own = self.workers[worker].node;
        if self.leaves(worker, task) || graph.submit(task) == Submit::Enqueue {
            self.queues[graph.affinity(task).unwrap_or(own).0].push(task);
        } else {
            self.workers[worker].deque.push(task);
        }
    }

    fn own(&mut self, worker: usize) -> Option<Start> {
        let Worker { node, returned, successor, deque } = &mut self.workers[worker];
        if let Some(task) = returned.take() {
            return Some(Start::new(task, Source::Returned));
        }
        if let Some(task) = successor.take() {
            return Some(Start::new(task, Source::Successor));
        }
        if let Some(task) = deque.pop() {
            return Some(Start::new(task, Source::Own));
        }
        let queue = &mut self.queues[node.0];
        if queue.is_empty() { None } else { Some(Start::new(queue.remove(0), Source::Shared)) }
    }

    /// The oldest task of one of the others of the node.
    fn stolen(&mut self, thief: usize) -> Option<Start> {
        let count = self.workers.len();
        let mut victims: Vec<usize> = (1..count).map(|step| (thief + step) % count).collect();
        victims.retain(|&victim| {
            self.workers[victim].node == self.workers[thief].node && !self.workers[victim].deque.is_empty()
        });
        let draws = victims.len() > 1 && self.question.runtime.ties == Ties::Random;
        let place = if draws { self.victims.random_range(0..victims.len()) } else { 0 };
        let task = self.workers[*victims.get(place)?].deque.remove(0);
        Some(Start::new(task, Source::Steal))
    }
}

impl Decides for Arenas<'_> {
    fn hands_over(&self) -> bool {
        true
    }

    fn hear(&mut self, heard: &Heard) -> Option<f64> {
        if let Heard::HandsOver { task, worker, children, others, .. } = heard {
            self.ends(*task, *worker, children, others);
        }
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, _: &[BlockHome]) {
        self.submit(0, task);
    }

    fn has_queued(&self) -> bool {
        let goes_on = |worker: &Worker| {
            worker.returned.is_some() || worker.successor.is_some() || !worker.deque.is_empty()
        };
        self.workers.iter().any(goes_on) || self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        match round {
            Round::Own => self.own(worker),
            Round::OtherNodes => None,
            Round::Steal => self.stolen(worker),
        }
    }
}
