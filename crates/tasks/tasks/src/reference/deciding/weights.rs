//! The node that most bytes speak for, for `dep`, `tracked` and `rip-*`.

use numasim_graph::values::{BlockHome, TaskId, Ties};
use numasim_model::NodeId;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::windows::Windows;
use crate::question::Question;
use crate::random::{Stream, generator};

#[derive(Clone, Debug)]
pub(super) struct Weights<'a> {
    question: &'a Question<'a>,
    /// Nodes with cores, ascending.
    sockets: Vec<NodeId>,
    /// Per block: the node of the table of `dep`.
    table: Vec<Option<NodeId>>,
    /// How many tasks of which nothing is known there were.
    turn: usize,
    ties: ChaCha8Rng,
}

impl<'a> Weights<'a> {
    pub(super) fn new(question: &'a Question<'a>, sockets: &[NodeId]) -> Self {
        let in_table = |home: BlockHome| match home {
            BlockHome::Node(node) => Some(node).filter(|node| sockets.contains(node)),
            BlockHome::Open | BlockHome::Interleaved => None,
        };
        Self {
            question,
            sockets: sockets.to_vec(),
            table: question.graph.blocks().iter().map(|block| in_table(block.home)).collect(),
            turn: 0,
            ties: generator(question.runtime.seed, Stream::Scheduler),
        }
    }

    /// Algorithm 2.1 of paper 001, as section 11 has it: the node that most declared bytes speak for; turn by turn where more of them are
    /// not allocated, or none speak.
    pub(super) fn by_table(&mut self, task: TaskId) -> NodeId {
        let mut weights = vec![0.0; self.question.machine.node_count()];
        let mut not_allocated = 0.0;
        for access in self.question.graph.accesses(task) {
            match self.table[access.block.0 as usize] {
                Some(node) => weights[node.0] += access.declared_bytes,
                None => not_allocated += access.declared_bytes,
            }
        }
        self.heaviest(&weights, not_allocated)
    }

    /// The same with the nodes where blocks lie.
    pub(super) fn by_homes(&mut self, task: TaskId, homes: &[BlockHome]) -> NodeId {
        let mut weights = vec![0.0; self.question.machine.node_count()];
        let mut not_allocated = 0.0;
        for access in self.question.graph.accesses(task) {
            match homes[access.block.0 as usize] {
                BlockHome::Node(node) if self.sockets.contains(&node) => {
                    weights[node.0] += access.declared_bytes;
                }
                _ => not_allocated += access.declared_bytes,
            }
        }
        self.heaviest(&weights, not_allocated)
    }

    /// Algorithm 2.3 of paper 001: the node from whose tasks most bytes come. `given`: the node of each task.
    pub(super) fn by_parents(&mut self, task: TaskId, windows: &Windows, given: &[Option<NodeId>]) -> NodeId {
        let mut weights = vec![0.0; self.question.machine.node_count()];
        for parent in self.question.graph.tasks().take(task.0 as usize) {
            if let Some(node) = given[parent.0 as usize] {
                weights[node.0] += windows.bytes_from(parent, task).0;
            }
        }
        self.heaviest(&weights, 0.0)
    }

    fn heaviest(&mut self, weights: &[f64], not_allocated: f64) -> NodeId {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 || not_allocated > largest {
            return self.in_turn();
        }
        let equal: Vec<NodeId> =
            self.sockets.iter().copied().filter(|node| weights[node.0] == largest).collect();
        let draws = equal.len() > 1 && self.question.runtime.ties == Ties::Random;
        equal[if draws { self.ties.random_range(0..equal.len()) } else { 0 }]
    }

    fn in_turn(&mut self) -> NodeId {
        let stride = (self.question.scheduler.stride as usize).max(1);
        let node = self.sockets[self.turn / stride % self.sockets.len()];
        self.turn += 1;
        node
    }

    /// Blocks that a task writes and that are not in the table get its node.
    pub(super) fn enter(&mut self, task: TaskId, node: NodeId) {
        for access in self.question.graph.accesses(task).filter(|access| access.mode.writes()) {
            self.table[access.block.0 as usize].get_or_insert(node);
        }
    }
}
