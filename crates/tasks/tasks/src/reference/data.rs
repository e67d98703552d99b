//! Where blocks are: homes and caches as plain lists, and what serves the bytes of a task.

use numasim_graph::values::{Access, BlockHome, BlockId, PagePlacement, SchedulerKind, TaskId};
use numasim_model::{Machine, NodeId};

use super::rates;
use super::sources::Sources;
use crate::question::Question;
use crate::spread::Spread;

/// Homes of blocks and contents of caches.
#[derive(Clone, Debug)]
pub(super) struct Data<'a> {
    question: &'a Question<'a>,
    /// Per block.
    homes: Vec<BlockHome>,
    /// Per node: the blocks in its cache, the most recent last.
    caches: Vec<Vec<BlockId>>,
    spread: Spread,
}

impl<'a> Data<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let machine = question.machine;
        let mut homes = Vec::new();
        let first = machine.compute_nodes().next();
        let first = first.map_or(BlockHome::Open, |node| BlockHome::Node(machine.local_memory(node)));
        for (number, block) in (0..).zip(question.graph.blocks()) {
            let hint = question.graph.hint(BlockId(number));
            let hint = hint.map(|node| BlockHome::Node(machine.local_memory(node)));
            homes.push(match question.placement {
                PagePlacement::FirstTouch | PagePlacement::Numa => block.home,
                PagePlacement::Interleave => BlockHome::Interleaved,
                PagePlacement::Master => first,
                PagePlacement::Nadd => hint.unwrap_or(first),
            });
        }
        Self {
            question,
            homes,
            caches: vec![Vec::new(); machine.node_count()],
            spread: Spread::new(question.runtime),
        }
    }

    /// Where each block lies now.
    pub(super) fn homes(&self) -> &[BlockHome] {
        &self.homes
    }

    /// The blocks in the cache of each node, the most recent last.
    pub(super) fn caches(&self) -> &[Vec<BlockId>] {
        &self.caches
    }

    /// Bytes that the cache of a node holds, if it has one. By rounding alone nothing is too large.
    fn capacity(&self, node: NodeId) -> Option<f64> {
        let bytes = self.question.machine.cache(node)?.size.value() * 1e6;
        (bytes > 0.0).then_some(bytes * (1.0 + 1e-9))
    }

    fn size(&self, block: BlockId) -> f64 {
        self.question.graph.blocks()[block.0 as usize].bytes
    }

    /// A worker of `node` takes a task for which `socket` was said.
    pub(super) fn take(&mut self, task: TaskId, node: NodeId, socket: Option<NodeId>) -> Sources {
        let accesses: Vec<Access> = self.question.graph.accesses(task).collect();
        for access in &accesses {
            let home = &mut self.homes[access.block.0 as usize];
            if *home == BlockHome::Open {
                let Question { graph, placement, plan, .. } = *self.question;
                let wanted = match self.question.scheduler.kind {
                    SchedulerKind::Hint => graph.hint(access.block),
                    SchedulerKind::Plan => plan.and_then(|plan| plan.block(access.block)),
                    _ => None,
                };
                let wanted = wanted.or(socket).filter(|_| placement == PagePlacement::Numa);
                let touched = wanted.unwrap_or(node);
                *home = BlockHome::Node(self.question.machine.local_memory(touched));
            }
        }
        let factor = self.spread.factor(task);
        let nodes = self.question.machine.node_count();
        let mut sources = Sources { by_memory: vec![0.0; nodes], ..Sources::default() };
        for access in &accesses {
            let bytes = factor * access.moved_bytes;
            if self.caches[node.0].contains(&access.block) {
                sources.traffic.llc_local += bytes;
            } else if let Some(holder) = self.nearest_holder(access.block, node) {
                sources.traffic.llc_remote += bytes;
                sources.by_memory[self.question.machine.local_memory(holder).0] += bytes;
            } else {
                self.add_from_memory(access.block, bytes, node, &mut sources);
            }
        }
        let gflop = factor * self.question.graph.gflop(task);
        rates::decide(self.question.machine, node, gflop, &mut sources);
        sources
    }

    fn add_from_memory(&self, block: BlockId, bytes: f64, node: NodeId, sources: &mut Sources) {
        let machine = self.question.machine;
        for memory in 0..machine.node_count() {
            let part = match self.homes[block.0 as usize] {
                BlockHome::Node(home) if home.0 == memory => bytes,
                BlockHome::Interleaved if machine.has_memory(NodeId(memory)) => {
                    bytes / machine.memory_count() as f64
                }
                BlockHome::Node(_) | BlockHome::Interleaved | BlockHome::Open => 0.0,
            };
            sources.by_memory[memory] += part;
            if memory == node.0 {
                sources.traffic.dram_local += part;
            } else {
                sources.traffic.dram_remote += part;
            }
        }
    }

    /// Of the other nodes whose caches have the block the nearest, of these the lowest.
    fn nearest_holder(&self, block: BlockId, node: NodeId) -> Option<NodeId> {
        let machine: &Machine = self.question.machine;
        let mut nearest: Option<NodeId> = None;
        for holder in machine.node_ids().filter(|&holder| self.caches[holder.0].contains(&block)) {
            let is_nearer = |than: NodeId| machine.distance(node, holder) < machine.distance(node, than);
            if nearest.is_none_or(is_nearer) {
                nearest = Some(holder);
            }
        }
        nearest
    }

    /// A task has ended on `node`.
    pub(super) fn after(&mut self, task: TaskId, node: NodeId) {
        for access in self.question.graph.accesses(task) {
            let block = access.block;
            if access.mode.writes() {
                for (other, cache) in self.caches.iter_mut().enumerate() {
                    cache.retain(|&held| held != block || other == node.0);
                }
            }
            let Some(capacity) = self.capacity(node).filter(|&most| self.size(block) <= most) else {
                continue;
            };
            self.caches[node.0].retain(|&held| held != block);
            self.caches[node.0].push(block);
            while self.caches[node.0].iter().map(|&held| self.size(held)).sum::<f64>() > capacity {
                self.caches[node.0].remove(0);
            }
        }
    }
}
