//! Where blocks are: homes and caches as plain lists, and what serves the bytes of a task.

use numasim_graph::values::{Access, BlockHome, BlockId, PagePlacement, SchedulerKind, TaskId};
use numasim_model::demand::Demand;
use numasim_model::sharing::Solver;
use numasim_model::units::FlopPerByte;
use numasim_model::{AppId, Machine, NodeId, Placement, Table};

use crate::question::Question;
use crate::random::Spread;
use crate::result::Traffic;

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
        decide(self.question.machine, node, gflop, &mut sources);
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

// How fast tasks are: what one wants, in the words of the rule, and what all get, from a new solver.

/// Bytes of a cache line; bytes per nanosecond are GB/s.
const LINE_BYTES: f64 = 64.0;

/// What a task of `gflop` on `node` wants; or how long it takes, where it has no bytes but from its own cache.
pub(super) fn decide(machine: &Machine, node: NodeId, gflop: f64, sources: &mut Sources) {
    let core = machine.node(node);
    let peak = core.gflops_per_core.value();
    let from_cache = sources.traffic.llc_local;
    let cache_gbs = machine.cache(node).and_then(|cache| cache.core_bandwidth);
    let bytes = sources.bytes();
    if bytes <= 0.0 {
        let cached_s = cache_gbs.map_or(0.0, |gbs| from_cache / 1e9 / gbs.value());
        sources.fixed_s = Some((gflop / peak).max(cached_s));
        return;
    }
    let mut limits = Vec::new();
    if gflop > 0.0 {
        limits.push(peak * (bytes / 1e9) / gflop);
    }
    if let Some(most) = core.core_bandwidth {
        limits.push(most.value());
    }
    if let Some(gbs) = cache_gbs.filter(|_| from_cache > 0.0) {
        limits.push(gbs.value() * bytes / from_cache);
    }
    let seconds_per_gb = waiting(machine, node, sources);
    if seconds_per_gb > 0.0 {
        limits.push(1.0 / seconds_per_gb);
    }
    if limits.is_empty() {
        for memory in machine.node_ids().filter(|memory| sources.by_memory[memory.0] > 0.0) {
            let bandwidth = machine.node(memory).bandwidth.value();
            let efficiency = machine.sharing().parameters.link_efficiency;
            let link = machine.link(node, memory).map(|link| link.value() * efficiency);
            let alone = link.map_or(bandwidth, |link| link.min(bandwidth));
            limits.push(alone / (sources.by_memory[memory.0] / bytes));
        }
    }
    sources.want_gbs = limits.into_iter().fold(f64::INFINITY, f64::min);
}

/// Seconds that a thread waits for a GB because it cannot ask for more at a time: the mean over its data; 0 where nothing limits it.
fn waiting(machine: &Machine, node: NodeId, sources: &Sources) -> f64 {
    let parameters = machine.sharing().parameters;
    let mut mean = 0.0;
    for memory in machine.node_ids() {
        let lines = parameters.outstanding_lines.zip(machine.latency_ns(node, memory));
        let by_lines = lines.map(|(lines, latency_ns)| lines * LINE_BYTES / latency_ns);
        let given = if memory == node { parameters.core_local_gbs } else { parameters.core_remote_gbs };
        let most = by_lines.unwrap_or(f64::INFINITY).min(given.unwrap_or(f64::INFINITY));
        mean += sources.by_memory[memory.0] / sources.bytes() / most;
    }
    mean
}

/// The part of its work that each of the tasks, on their nodes, does per second when all of them work.
pub(super) fn parts_per_second(machine: &Machine, working: &[(NodeId, &Sources)]) -> Vec<f64> {
    let demand = |&(node, sources): &(NodeId, &Sources)| {
        // A core that digests no more than the task wants.
        let peak = machine.node(node).gflops_per_core.value();
        let bytes = sources.bytes();
        Demand::new(
            FlopPerByte::new(peak / sources.want_gbs),
            numasim_model::Access::Read,
            Placement::Fractions(sources.by_memory.iter().map(|part| part / bytes).collect()),
        )
    };
    let demands: Vec<Demand> = working.iter().map(demand).collect();
    let solver = Solver::new(machine, &demands);
    let mut workspace = solver.workspace();
    let mut threads: Table<u32> = Table::filled(working.len(), machine.node_count(), 0);
    for (app, &(node, _)) in working.iter().enumerate() {
        threads[(AppId(app), node)] = 1;
    }
    solver.solve(threads.as_slice(), &mut workspace);
    let gbs = workspace.bandwidth_per_thread();
    let rate = |(app, &(node, sources)): (usize, &(NodeId, &Sources))| {
        gbs[(AppId(app), node)] * 1e9 / sources.bytes()
    };
    working.iter().enumerate().map(rate).collect()
}

// What serves the bytes of a task.

/// What serves the bytes of a task, decided when it was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub(super) traffic: Traffic,
    /// Bytes that come from the memory of each node, or as if they did.
    pub(super) by_memory: Vec<f64>,
    /// What a thread of this work wants, GB/s; of no use where nothing comes from a memory.
    pub(super) want_gbs: f64,
    /// How long it takes where nothing comes from a memory.
    pub(super) fixed_s: Option<f64>,
}

impl Sources {
    /// Bytes that the own cache does not serve.
    pub(super) fn bytes(&self) -> f64 {
        self.by_memory.iter().sum()
    }
}
