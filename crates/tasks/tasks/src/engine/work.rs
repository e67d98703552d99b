//! What a task has to do where it is taken: from where every byte comes, and what one thread then wants.

use numasim_graph::values::{BlockHome, BlockId, TaskGraph, TaskId};
use numasim_model::sharing::Network;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};

use crate::result::Traffic;
use crate::sockets::{Homes, interleave};

const BYTES_PER_GB: f64 = 1e9;

/// What there is to do, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// So many seconds, whatever others do.
    Seconds(f64),
    /// So many GB, at the rate that the sharing model gives to a thread that wants so many GB/s.
    Shared { gb: f64, want_gbs: f64 },
}

/// Finds out what tasks have to do; the fractions of the last one stay here.
#[derive(Clone, Debug)]
pub(super) struct Assay<'a> {
    graph: &'a TaskGraph,
    network: &'a Network,
    /// Per memory: bytes that come from it, then the part of all that do.
    memories: Vec<f64>,
}

impl<'a> Assay<'a> {
    pub(super) fn new(graph: &'a TaskGraph, network: &'a Network) -> Self {
        Self { graph, network, memories: vec![0.0; network.machine().node_count()] }
    }

    /// Per memory: the part of what the last task reads of memories, in the order of the nodes.
    pub(super) fn fractions(&self) -> &Vec<f64> {
        &self.memories
    }

    /// A worker of `node` takes `task`, which has `factor` times its work: open blocks get their home, `touch`, and the source of
    /// every byte is decided.
    pub(super) fn of(
        &mut self,
        task: TaskId,
        factor: f64,
        node: NodeId,
        touch: NodeId,
        homes: &mut Homes,
        caches: &Caches<'_>,
    ) -> (Traffic, Pace) {
        let traffic = self.source(task, node, touch, homes, caches);
        let (network, gflop) = (self.network, self.graph.gflop(task));
        let bytes: f64 = self.memories.iter().sum();
        if bytes > 0.0 {
            self.memories.iter_mut().for_each(|part| *part /= bytes);
        }
        let gb = bytes / BYTES_PER_GB;
        let cached_gb = traffic.llc_local / BYTES_PER_GB;
        let flop_per_byte = gflop / gb;
        let by_cache = core_bandwidth(network.machine(), node).filter(|_| cached_gb > 0.0);
        // So few bytes beside so much work that no number tells them from none count as none.
        if gb > 0.0 && flop_per_byte.is_finite() {
            let fraction = |memory: NodeId| self.memories.get(memory.0).copied().unwrap_or(0.0);
            let by_cache = by_cache.map(|gbs| gbs * gb / cached_gb);
            let want = network.want_gbs(node, flop_per_byte, fraction).into_iter().chain(by_cache);
            let want = want.fold(f64::INFINITY, f64::min);
            let want_gbs = if want.is_finite() { want } else { network.alone_gbs(node, fraction) };
            // The factor changes neither fractions nor want: equal tasks stay alike.
            return (traffic.times(factor), Pace::Shared { gb: gb * factor, want_gbs });
        }
        let peak = network.machine().node(node).gflops_per_core.value();
        let computing = if gflop > 0.0 { gflop / peak } else { 0.0 };
        let reading = by_cache.map_or(0.0, |gbs| cached_gb / gbs);
        (traffic.times(factor), Pace::Seconds(computing.max(reading) * factor))
    }

    /// Bytes by what serves them; leaves bytes by memory in `memories`.
    fn source(
        &mut self,
        task: TaskId,
        node: NodeId,
        touch: NodeId,
        homes: &mut Homes,
        caches: &Caches<'_>,
    ) -> Traffic {
        let (machine, memories) = (self.network.machine(), &mut self.memories);
        memories.fill(0.0);
        let mut traffic = Traffic::default();
        for access in self.graph.accesses(task) {
            let bytes = access.moved_bytes;
            let home = homes.touch(access.block, touch);
            match (caches.find(access.block, node), home) {
                (Found::Own, _) => traffic.llc_local += bytes,
                (Found::Other(holder), _) => {
                    traffic.llc_remote += bytes;
                    // The bytes of a cache beside no memory come by way of the nearest one.
                    let holder = machine.local_memory(holder);
                    memories.get_mut(holder.0).into_iter().for_each(|memory| *memory += bytes);
                }
                (Found::Nowhere, BlockHome::Interleaved) => {
                    let part = interleave(machine, bytes, memories);
                    let local = if machine.has_memory(node) { part } else { 0.0 };
                    traffic.dram_local += local;
                    traffic.dram_remote += bytes - local;
                }
                // A block that was touched is not open.
                (Found::Nowhere, BlockHome::Open) => {}
                (Found::Nowhere, BlockHome::Node(home)) => {
                    memories.get_mut(home.0).into_iter().for_each(|memory| *memory += bytes);
                    if home == node {
                        traffic.dram_local += bytes;
                    } else {
                        traffic.dram_remote += bytes;
                    }
                }
            }
        }
        traffic
    }
}

/// The most that a core of `node` reads of its last-level cache, where that is limited.
fn core_bandwidth(machine: &Machine, node: NodeId) -> Option<f64> {
    machine.cache(node)?.core_bandwidth.map(GigabytesPerSecond::value)
}

// Last-level caches that hold whole blocks; the least recent leave.

const NONE: u32 = u32::MAX;
const BYTES_PER_MB: f64 = 1e6;
/// A cache holds by this part more than its size: equal parts of it fill it, however their sum is rounded.
const ROUNDING: f64 = 1e-9;

/// A block in the cache of a node.
#[derive(Clone, Copy, Debug)]
struct Copied {
    block: u32,
    node: u32,
    /// Another copy of the block; of a place that is not used, the next such place.
    other: u32,
    /// In the cache: the copies used just after and just before it.
    newer: u32,
    older: u32,
}

/// The cache of a node.
#[derive(Clone, Copy, Debug)]
struct Cache {
    capacity: f64,
    held: f64,
    newest: u32,
    oldest: u32,
}

impl Cache {
    /// Whether so many bytes fit.
    fn holds(&self, bytes: f64) -> bool {
        bytes <= self.capacity * (1.0 + ROUNDING)
    }
}

/// Where a block is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// In the cache of the node that asks.
    Own,
    /// In that of another node, the nearest one.
    Other(NodeId),
    /// In none.
    Nowhere,
}

/// The caches of all nodes.
#[derive(Clone, Debug)]
pub(super) struct Caches<'a> {
    machine: &'a Machine,
    of_node: Vec<Cache>,
    /// Per block: one of its copies. Without any cache, no entries.
    first: Vec<u32>,
    copies: Vec<Copied>,
    free: u32,
}

impl<'a> Caches<'a> {
    /// Empty ones.
    pub(super) fn new(machine: &'a Machine, blocks: usize) -> Self {
        let capacity = |node| machine.cache(node).map_or(0.0, |cache| cache.size.value() * BYTES_PER_MB);
        let empty = |node| Cache { capacity: capacity(node), held: 0.0, newest: NONE, oldest: NONE };
        let of_node: Vec<Cache> = machine.node_ids().map(empty).collect();
        let any = of_node.iter().any(|cache| cache.capacity > 0.0);
        Self {
            machine,
            of_node,
            first: vec![NONE; if any { blocks } else { 0 }],
            copies: Vec::new(),
            free: NONE,
        }
    }

    /// Where a task on `node` finds a block.
    pub(super) fn find(&self, block: BlockId, node: NodeId) -> Found {
        let mut nearest: Option<(f64, NodeId)> = None;
        for copy in self.copies_of(block) {
            let holder = NodeId(copy.node as usize);
            if holder == node {
                return Found::Own;
            }
            let distance = self.machine.distance(node, holder).unwrap_or(0.0);
            if nearest
                .is_none_or(|(least, lowest)| distance < least || (distance == least && holder < lowest))
            {
                nearest = Some((distance, holder));
            }
        }
        nearest.map_or(Found::Nowhere, |(_, holder)| Found::Other(holder))
    }

    /// `task` has ended on `node`, with all that it accessed.
    pub(super) fn ended(&mut self, graph: &TaskGraph, task: TaskId, node: NodeId) {
        if self.first.is_empty() {
            return;
        }
        for access in graph.accesses(task) {
            if access.mode.writes() {
                self.drop_others(graph, access.block, node);
            }
            self.used(graph, access.block, node);
        }
    }

    /// Puts a block into the cache of `node`; whether it fits there.
    pub(super) fn warm(&mut self, graph: &TaskGraph, block: BlockId, node: NodeId) -> bool {
        self.used(graph, block, node);
        self.find(block, node) == Found::Own
    }

    /// Takes a block out of all caches.
    pub(super) fn cool(&mut self, graph: &TaskGraph, block: BlockId) {
        while let Some(&place) = self.first.get(block.0 as usize).filter(|&&place| place != NONE) {
            self.remove(graph, place);
        }
    }

    /// A block becomes the most recent of a cache, if it fits there at all.
    fn used(&mut self, graph: &TaskGraph, block: BlockId, node: NodeId) {
        let bytes = bytes_of(graph, block);
        let Some(cache) = self.of_node.get(node.0).copied() else { return };
        if cache.capacity <= 0.0 || !cache.holds(bytes) {
            return;
        }
        if let Some(place) = self.place(block, node) {
            if cache.newest != place {
                self.unlink(place);
                self.link_newest(place);
            }
            return;
        }
        while let Some(cache) = self.of_node.get(node.0)
            && !cache.holds(cache.held + bytes)
            && cache.oldest != NONE
        {
            self.remove(graph, cache.oldest);
        }
        let Some(first) = self.first.get_mut(block.0 as usize) else { return };
        // There are at most MAX_NODES nodes.
        let number = u32::try_from(node.0).unwrap_or(NONE);
        let new = Copied { block: block.0, node: number, other: *first, newer: NONE, older: NONE };
        let place = if let Some(unused) = self.copies.get_mut(self.free as usize) {
            let place = std::mem::replace(&mut self.free, unused.other);
            *unused = new;
            place
        } else {
            self.copies.push(new);
            u32::try_from(self.copies.len() - 1).unwrap_or(NONE)
        };
        *first = place;
        self.link_newest(place);
        if let Some(cache) = self.of_node.get_mut(node.0) {
            cache.held += bytes;
        }
    }

    /// Drops the copies of a block in all caches but that of `node`.
    fn drop_others(&mut self, graph: &TaskGraph, block: BlockId, node: NodeId) {
        while let Some(place) = self.other_place(block, node) {
            self.remove(graph, place);
        }
    }

    fn copies_of(&self, block: BlockId) -> impl Iterator<Item = &Copied> {
        let at = |place: u32| self.copies.get(place as usize);
        let first = self.first.get(block.0 as usize).and_then(|&first| at(first));
        std::iter::successors(first, move |copy| at(copy.other))
    }

    /// Where among all copies that of a block in the cache of a node is.
    fn place(&self, block: BlockId, node: NodeId) -> Option<u32> {
        self.places(block).find(|&place| self.is_on(place, node))
    }

    fn other_place(&self, block: BlockId, node: NodeId) -> Option<u32> {
        self.places(block).find(|&place| !self.is_on(place, node))
    }

    fn places(&self, block: BlockId) -> impl Iterator<Item = u32> {
        let first = self.first.get(block.0 as usize).copied().filter(|&first| first != NONE);
        let next = |&place: &u32| self.copies.get(place as usize).map(|copy| copy.other);
        std::iter::successors(first, move |place| next(place).filter(|&next| next != NONE))
    }

    fn is_on(&self, place: u32, node: NodeId) -> bool {
        self.copies.get(place as usize).is_some_and(|copy| copy.node as usize == node.0)
    }

    /// Takes a copy out of its cache and out of those of its block.
    fn remove(&mut self, graph: &TaskGraph, place: u32) {
        self.unlink(place);
        let Some(&Copied { block, node, other, .. }) = self.copies.get(place as usize) else { return };
        let before = self
            .places(BlockId(block))
            .find(|&before| self.copies.get(before as usize).is_some_and(|copy| copy.other == place));
        match before.and_then(|before| self.copies.get_mut(before as usize)) {
            Some(before) => before.other = other,
            None => {
                if let Some(first) = self.first.get_mut(block as usize) {
                    *first = other;
                }
            }
        }
        if let Some(cache) = self.of_node.get_mut(node as usize) {
            // An empty cache holds nothing, whatever rounding says.
            let left = cache.held - bytes_of(graph, BlockId(block));
            cache.held = if cache.newest == NONE { 0.0 } else { left };
        }
        if let Some(copy) = self.copies.get_mut(place as usize) {
            copy.other = std::mem::replace(&mut self.free, place);
        }
    }

    fn unlink(&mut self, place: u32) {
        let Some(&Copied { node, newer, older, .. }) = self.copies.get(place as usize) else { return };
        match self.copies.get_mut(newer as usize) {
            Some(copy) => copy.older = older,
            None => self.of_node.get_mut(node as usize).into_iter().for_each(|cache| cache.newest = older),
        }
        match self.copies.get_mut(older as usize) {
            Some(copy) => copy.newer = newer,
            None => self.of_node.get_mut(node as usize).into_iter().for_each(|cache| cache.oldest = newer),
        }
    }

    fn link_newest(&mut self, place: u32) {
        let Some(node) = self.copies.get(place as usize).map(|copy| copy.node) else { return };
        let Some(cache) = self.of_node.get_mut(node as usize) else { return };
        let before = std::mem::replace(&mut cache.newest, place);
        if before == NONE {
            cache.oldest = place;
        }
        if let Some(copy) = self.copies.get_mut(before as usize) {
            copy.newer = place;
        }
        if let Some(copy) = self.copies.get_mut(place as usize) {
            (copy.older, copy.newer) = (before, NONE);
        }
    }
}

fn bytes_of(graph: &TaskGraph, block: BlockId) -> f64 {
    graph.blocks().get(block.0 as usize).map_or(0.0, |block| block.bytes)
}
