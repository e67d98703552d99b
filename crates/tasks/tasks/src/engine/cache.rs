//! Last-level caches that hold whole blocks; the least recent leave.

use numasim_graph::values::{BlockId, TaskGraph, TaskId};
use numasim_model::{Machine, NodeId};

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
