//! Homes of blocks, and all touched bytes as plain lists; the caches and memories that serve the bytes of a task.

use numasim_graph::values::{Access, BlockHome, BlockId, PagePlacement, SchedulerKind, TaskId};
use numasim_model::demand::Demand;
use numasim_model::sharing::Solver;
use numasim_model::units::FlopPerByte;
use numasim_model::{AppId, Machine, NodeId, Placement, Table};

use crate::question::Question;
use crate::random::Spread;
use crate::result::Traffic;

/// A task that touched the first bytes of a block.
#[derive(Clone, Copy, Debug)]
struct Touch {
    node: NodeId,
    bytes: f64,
    writes: bool,
    /// Bytes that its node had touched when it was taken.
    volume: f64,
}

/// Homes of blocks, and the tasks that touched them.
#[derive(Clone, Debug)]
pub(super) struct Data<'a> {
    question: &'a Question<'a>,
    /// Per block.
    homes: Vec<BlockHome>,
    /// Per block: all touches so far, the most recent last.
    touches: Vec<Vec<Touch>>,
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
            touches: vec![Vec::new(); question.graph.blocks().len()],
            spread: Spread::new(question.runtime),
        }
    }

    /// The present home of each block.
    pub(super) fn homes(&self) -> &[BlockHome] {
        &self.homes
    }

    /// Bytes that the cache of a node holds, if it has one.
    fn capacity(&self, node: NodeId) -> Option<f64> {
        Some(self.question.machine.cache(node)?.size.value() * 1e6).filter(|&bytes| bytes > 0.0)
    }

    fn size(&self, block: BlockId) -> f64 {
        self.question.graph.blocks()[block.0 as usize].bytes
    }

    /// A worker of `node` takes a task whose socket is `socket`; `volumes`: the bytes that each node has touched so far.
    pub(super) fn take(
        &mut self,
        task: TaskId,
        node: NodeId,
        socket: Option<NodeId>,
        volumes: &[f64],
    ) -> Sources {
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
            // The bytes that it touches depend on the task, and not on the random variation of its work.
            let touched = access.moved_bytes.min(self.size(access.block));
            let found = self.found(access.block, touched, node, volumes);
            if touched > 0.0 {
                let (writes, volume) = (access.mode.writes(), volumes[node.0]);
                self.touches[access.block.0 as usize].push(Touch { node, bytes: touched, writes, volume });
            }
            sources.touched += found.volume;
            sources.traffic.llc_local += bytes * found.own;
            if let Some(writer) = found.writer {
                sources.traffic.llc_remote += bytes * found.others;
                sources.by_memory[self.question.machine.local_memory(writer).0] += bytes * found.others;
            }
            self.add_from_memory(access.block, bytes * found.rest, node, &mut sources);
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

    /// The parts of the first `touched` bytes of a block by the cache or memory that serves them on `node`, byte by byte: all bytes
    /// between two ends of touches are alike.
    fn found(&self, block: BlockId, touched: f64, node: NodeId, volumes: &[f64]) -> Found {
        let touches = &self.touches[block.0 as usize];
        let wrote_last = touches.iter().rev().find(|touch| touch.writes).map(|touch| touch.node);
        let writer = wrote_last.filter(|&writer| writer != node);
        let mut found = Found { writer, ..Found::default() };
        let bounds = self.bounds(block, touched);
        for pair in bounds.windows(2) {
            let (from, bytes) = (pair[0], pair[1] - pair[0]);
            let distance = self.distance(block, from, node, volumes);
            let own = self.part(distance, node);
            let others =
                writer.map_or(0.0, |writer| self.part(self.distance(block, from, writer, volumes), writer));
            found.own += bytes * own;
            found.others += bytes * (1.0 - own) * others;
            found.rest += bytes * (1.0 - own) * (1.0 - others);
            if let Some(capacity) = self.capacity(node) {
                found.volume += bytes * if distance < capacity { distance / capacity } else { 1.0 };
            }
        }
        let all = found.own + found.others + found.rest;
        if all > 0.0 {
            for part in [&mut found.own, &mut found.others, &mut found.rest] {
                *part /= all;
            }
        } else {
            // Touches nothing, though it may move something.
            found.rest = 1.0;
        }
        found
    }

    /// 0, all ends of touches below `touched`, and `touched`.
    fn bounds(&self, block: BlockId, touched: f64) -> Vec<f64> {
        let ends = self.touches[block.0 as usize].iter().map(|touch| touch.bytes);
        let mut bounds: Vec<f64> = ends.filter(|&end| end < touched).chain([0.0, touched]).collect();
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        bounds
    }

    /// Bytes that `node` has touched since it last touched the byte at that place of a block; infinite if it never did, or if another node has
    /// written it since.
    fn distance(&self, block: BlockId, byte: f64, node: NodeId, volumes: &[f64]) -> f64 {
        for touch in self.touches[block.0 as usize].iter().rev().filter(|touch| byte < touch.bytes) {
            if touch.node == node {
                return volumes[node.0] - touch.volume;
            }
            if touch.writes {
                break;
            }
        }
        f64::INFINITY
    }

    /// The fraction of a byte at that distance that the cache of `node` serves.
    fn part(&self, distance: f64, node: NodeId) -> f64 {
        let Some(capacity) = self.capacity(node) else { return 0.0 };
        let line = 1.5 - distance / capacity;
        // Rounding alone loses nothing, and leaves nothing.
        if line >= 1.0 - ROUNDING / 2.0 {
            1.0
        } else if line <= 1.5 * ROUNDING {
            0.0
        } else {
            line
        }
    }

    /// For each block and node, the relevant part of the touches: pieces of bytes and their distances, as bits, and the last writer.
    pub(super) fn state(&self, volumes: &[f64]) -> Vec<u64> {
        let mut state = Vec::new();
        for number in 0..self.touches.len() {
            let block = BlockId(u32::try_from(number).unwrap_or(u32::MAX));
            let bounds = self.bounds(block, self.size(block));
            for node in self.question.machine.node_ids() {
                let Some(capacity) = self.capacity(node) else { continue };
                let mut before = None;
                for &from in bounds.iter().filter(|&&from| from < self.size(block)) {
                    let distance = self.distance(block, from, node, volumes);
                    let bits = if distance < 1.5 * capacity { distance.to_bits() } else { u64::MAX };
                    if before != Some(bits) {
                        state.extend([from.to_bits(), bits]);
                    }
                    before = Some(bits);
                }
            }
            let writer = self.touches[number].iter().rev().find(|touch| touch.writes);
            state.push(writer.map_or(u64::MAX, |touch| touch.node.0 as u64));
        }
        state
    }
}

/// Parts of the bytes of a block by the cache or memory that serves them.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    own: f64,
    /// The cache of the node that last wrote the block, if that is another node.
    others: f64,
    writer: Option<NodeId>,
    rest: f64,
    /// Bytes that the task adds to the volume of the node when it ends.
    volume: f64,
}

/// Relative tolerance for rounding.
const ROUNDING: f64 = 1e-9;

// Rates of tasks: the demand of each, by the rule in the documentation, and the rates of all, from a new solver.

/// Bytes of a cache line; bytes per nanosecond are GB/s.
const LINE_BYTES: f64 = 64.0;

/// The demand of a task of `gflop` on `node`; or its duration, if it has no bytes except those from its local cache.
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

/// Seconds that a thread waits for a GB because it cannot request more at a time: the mean over its data; 0 if there is no such limit.
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

/// The fraction of its work that each of the tasks, on their nodes, completes per second when all of them work.
pub(super) fn parts_per_second(machine: &Machine, working: &[(NodeId, &Sources)]) -> Vec<f64> {
    let demand = |&(node, sources): &(NodeId, &Sources)| {
        // A core that processes no more than the task demands.
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

// The caches and memories that serve the bytes of a task.

/// The caches and memories that serve the bytes of a task, decided when it was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub(super) traffic: Traffic,
    /// Bytes that it adds to the volume of its node when it has ended; bytes that are touched repeatedly count once.
    pub(super) touched: f64,
    /// Bytes that come from the memory of each node, or that count as such.
    pub(super) by_memory: Vec<f64>,
    /// Demand of a thread of this work, GB/s; unused if no bytes come from a memory.
    pub(super) want_gbs: f64,
    /// Its duration if no bytes come from a memory.
    pub(super) fixed_s: Option<f64>,
}

impl Sources {
    /// Bytes that the local cache does not serve.
    pub(super) fn bytes(&self) -> f64 {
        self.by_memory.iter().sum()
    }
}
