//! Last-level caches by reuse distance, byte by byte.
//!
//! An access that moves m bytes of a block *touches* its first min(m, size) bytes, regardless of the real ones. Each node with a cache of
//! L bytes has a *turnover*, the bytes that its tasks have touched; repeatedly touched bytes count once. The *distance* of a byte is the
//! turnover since the last task of the node that touches it was taken; it is infinite if there was none, or if a task on another node has
//! written the byte since. The fraction of a byte's traffic that the cache serves is [`hit`] of that distance.
//!
//! # Approach
//! Accesses touch prefixes, so the bytes of a block that a node has touched are a few pieces, the most recent first ([`Piece`]). A touch
//! cuts off the beginning of the older pieces of its node, a write that of the pieces of all nodes. A piece that is further away than 1.5
//! L has no effect and is dropped. An access costs time for the pieces of its block, one or two for each node that has touched it
//! recently.

use numasim_engine::SimTime;
use numasim_graph::values::Access;
use numasim_model::{Machine, NodeId};

use crate::sockets::{Sockets, WorkerId};

const NONE: u32 = u32::MAX;
const BYTES_PER_MB: f64 = 1e6;
/// Sizes and distances that differ only by this fraction are equal, independent of the rounding of their sums.
const ROUNDING: f64 = 1e-9;
/// Up to this fraction of its size a cache keeps everything that was touched, and from [`LOSES_ALL`] on nothing.
const KEEPS_ALL: f64 = 0.5;
const LOSES_ALL: f64 = 1.5;

/// The fraction of a byte's traffic that a cache serves if the byte's distance is `parts` of its size: 1 up to one half, 0 from one and a
/// half on, and linear in between. Under a stream without reuse, the cache contains as many bytes as its size.
fn hit(parts: f64) -> f64 {
    if parts <= KEEPS_ALL * (1.0 + ROUNDING) {
        1.0
    } else if parts >= LOSES_ALL * (1.0 - ROUNDING) {
        0.0
    } else {
        LOSES_ALL - parts
    }
}

/// The fractions of the bytes that a task moves of a block, by the cache or memory that serves them; they add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shares {
    pub(super) own: f64,
    pub(super) memory: f64,
    /// Another cache, and its node.
    pub(super) other: f64,
    pub(super) holder: NodeId,
}

impl Shares {
    /// No cache contains any of them.
    pub(super) const MEMORY: Self = Self { own: 0.0, memory: 1.0, other: 0.0, holder: NodeId(0) };
    /// The local cache contains all of them.
    pub(super) const OWN: Self = Self { own: 1.0, memory: 0.0, ..Self::MEMORY };
}

/// Bytes of a block that a node has touched, those from `from` up to `end`.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: f64,
    end: f64,
    /// The turnover of the node when the last task that touches them was taken.
    taken: f64,
    node: u32,
    /// The next piece of the block; pieces of a node come in order. In an unused place, the next unused place.
    next: u32,
}

/// The caches of all nodes.
#[derive(Clone, Debug)]
pub(super) struct Caches {
    /// Per node: bytes of its cache; 0 without one.
    sizes: Vec<f64>,
    /// Per block: its first piece, and the node that last wrote it. Without any cache, no entries.
    blocks: Vec<(u32, u32)>,
    pieces: Vec<Piece>,
    free: u32,
}

impl Caches {
    /// Empty caches.
    pub(super) fn new(machine: &Machine, blocks: usize) -> Self {
        let size = |node| machine.cache(node).map_or(0.0, |cache| cache.size.value() * BYTES_PER_MB);
        let sizes: Vec<f64> = machine.node_ids().map(size).collect();
        let any = sizes.iter().any(|&size| size > 0.0);
        Self {
            sizes,
            blocks: vec![(NONE, NONE); if any { blocks } else { 0 }],
            pieces: Vec::new(),
            free: NONE,
        }
    }

    /// Whether any node has a cache and there is a block.
    pub(super) fn are_there(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Whether a block of this size fits into the cache of a node.
    pub(super) fn fits(&self, node: NodeId, bytes: f64) -> bool {
        let size = self.size(node);
        size > 0.0 && bytes <= size * (1.0 + ROUNDING)
    }

    /// A task on `node` is taken that accesses a block of `size` bytes. Returns the fractions of the bytes by the cache or memory that
    /// serves them, and the bytes that it will have added to the turnover of its node when it ends. `turnover`: that of a node now.
    pub(super) fn take(
        &mut self,
        access: &Access,
        size: f64,
        node: NodeId,
        turnover: impl Fn(NodeId) -> f64,
    ) -> (Shares, f64) {
        let touched = access.moved_bytes.min(size);
        let Some(&(first, writer)) = self.blocks.get(access.block.0 as usize).filter(|_| touched > 0.0)
        else {
            return (Shares::MEMORY, 0.0);
        };
        // There are at most MAX_NODES.
        let number = u32::try_from(node.0).unwrap_or(NONE);
        let own_size = self.size(node);
        let now = if own_size > 0.0 { turnover(node) } else { 0.0 };
        let found = if first == NONE {
            (Shares::MEMORY, touched)
        } else {
            let own = Holder { node: number, size: own_size, now };
            let holder = NodeId(writer as usize);
            let other_size = if writer == number { 0.0 } else { self.size(holder) };
            let other =
                (other_size > 0.0).then(|| Holder { node: writer, size: other_size, now: turnover(holder) });
            self.shares(first, touched, &own, other.as_ref())
        };
        self.touch(access, touched, &Holder { node: number, size: own_size, now });
        if own_size > 0.0 { found } else { (found.0, 0.0) }
    }

    fn size(&self, node: NodeId) -> f64 {
        self.sizes.get(node.0).copied().unwrap_or(0.0)
    }

    /// The shares of the first `touched` bytes of the block with these pieces, and the bytes that they add to the turnover.
    fn shares(&self, first: u32, touched: f64, own: &Holder, other: Option<&Holder>) -> (Shares, f64) {
        let (mut hits, mut others, mut memory, mut added) = (0.0, 0.0, 0.0, 0.0);
        let mut from = 0.0;
        while from < touched {
            let (parts, until) = self.distance(first, from, own);
            let (parts_there, until_there) =
                other.map_or((f64::INFINITY, f64::INFINITY), |other| self.distance(first, from, other));
            let until = until.min(until_there).min(touched);
            let bytes = until - from;
            let (here, there) = (hit(parts), hit(parts_there));
            hits += bytes * here;
            others += bytes * (1.0 - here) * there;
            memory += bytes * (1.0 - here) * (1.0 - there);
            added += bytes * parts.min(1.0);
            from = until;
        }
        // Divided by their computed sum, so that a single source has exactly 1.
        let sum = hits + others + memory;
        let holder = other.map_or(NodeId(0), |other| NodeId(other.node as usize));
        (Shares { own: hits / sum, memory: memory / sum, other: others / sum, holder }, added)
    }

    /// The distance of the byte at `from` on a node, in multiples of its cache, and the end of the bytes after it with the same distance.
    fn distance(&self, first: u32, from: f64, on: &Holder) -> (f64, f64) {
        let of_node = |piece: &&Piece| piece.node == on.node && piece.end > from;
        match self.pieces_from(first).find(of_node) {
            None => (f64::INFINITY, f64::INFINITY),
            Some(piece) if piece.from > from => (f64::INFINITY, piece.from),
            Some(piece) => ((on.now - piece.taken).max(0.0) / on.size, piece.end),
        }
    }

    fn pieces_from(&self, first: u32) -> impl Iterator<Item = &Piece> {
        let at = |place: u32| self.pieces.get(place as usize);
        std::iter::successors(at(first), move |piece| at(piece.next))
    }

    /// A task on a node touches, and perhaps writes, the first bytes of a block.
    fn touch(&mut self, access: &Access, touched: f64, on: &Holder) {
        let Self { blocks, pieces, free, .. } = self;
        let Some((first, writer)) = blocks.get_mut(access.block.0 as usize) else { return };
        let writes = access.mode.writes();
        if writes {
            *writer = on.node;
        }
        let too_old = on.now - LOSES_ALL * on.size;
        let (mut place, mut before) = (*first, NONE);
        while let Some(piece) = pieces.get_mut(place as usize) {
            let next = piece.next;
            let is_own = piece.node == on.node;
            if is_own || writes {
                piece.from = piece.from.max(touched);
            }
            if piece.from < piece.end && !(is_own && piece.taken <= too_old) {
                before = place;
            } else {
                piece.next = std::mem::replace(free, place);
                match pieces.get_mut(before as usize) {
                    Some(before) => before.next = next,
                    None => *first = next,
                }
            }
            place = next;
        }
        if on.size <= 0.0 {
            return;
        }
        let new = Piece { from: 0.0, end: touched, taken: on.now, node: on.node, next: *first };
        if let Some(unused) = pieces.get_mut(*free as usize) {
            *first = std::mem::replace(free, unused.next);
            *unused = new;
        } else {
            // No more than twice the accesses of a graph.
            *first = u32::try_from(pieces.len()).unwrap_or(NONE);
            pieces.push(new);
        }
    }
}

/// A node whose cache is examined: its size, and its present turnover.
struct Holder {
    node: u32,
    size: f64,
    now: f64,
}

// The turnover of each node.

/// Progress of a task.
#[derive(Clone, Copy, Debug)]
enum Progress {
    /// It has not begun, or ends as soon as it begins.
    None,
    /// When it began, and its duration in seconds, which does not depend on other tasks.
    Timed(SimTime, f64),
    /// Its progress follows from the sharing model.
    Shared,
}

/// Bytes that tasks of each node have touched: those of tasks that have ended, and of the others in proportion to the completed part.
#[derive(Clone, Debug)]
pub(super) struct Turnover {
    /// Per node.
    ended: Vec<f64>,
    /// Per worker: the bytes that its task will have added when it ends, and its progress.
    running: Vec<(f64, Progress)>,
}

impl Turnover {
    /// No byte has been touched.
    pub(super) fn new(nodes: usize, workers: usize) -> Self {
        Self { ended: vec![0.0; nodes], running: vec![(0.0, Progress::None); workers] }
    }

    /// The turnover of a node at `now`; `shared`: the completed part of the task of a worker whose progress follows from the sharing
    /// model.
    pub(super) fn of(
        &self,
        node: NodeId,
        sockets: &Sockets,
        now: SimTime,
        shared: impl Fn(WorkerId) -> f64,
    ) -> f64 {
        let ended = self.ended.get(node.0).copied().unwrap_or(0.0);
        let workers = sockets.of_node(node).map_or(0..0, |socket| sockets.workers(socket));
        let (from, to) = (workers.start as usize, workers.end as usize);
        let running = self.running.get(from..to).unwrap_or_default();
        let done = workers.zip(running).map(|(worker, &(bytes, progress))| match progress {
            Progress::None => 0.0,
            Progress::Timed(since, seconds) => bytes * (now.since(since) / seconds).min(1.0),
            Progress::Shared => bytes * shared(WorkerId(worker)),
        });
        ended + done.sum::<f64>()
    }

    /// A worker has taken a task that adds `bytes`.
    pub(super) fn take(&mut self, worker: WorkerId, bytes: f64) {
        self.set(worker, bytes, Progress::None);
    }

    /// Its task begins to work, for `seconds`.
    pub(super) fn begin_timed(&mut self, worker: WorkerId, now: SimTime, seconds: f64) {
        self.proceed(worker, Progress::Timed(now, seconds));
    }

    /// Its task begins to work, at the rate of the sharing model.
    pub(super) fn begin_shared(&mut self, worker: WorkerId) {
        self.proceed(worker, Progress::Shared);
    }

    /// The task of a worker of `node` has ended.
    pub(super) fn end(&mut self, worker: WorkerId, node: NodeId) {
        let bytes = self.running.get(worker.0 as usize).map_or(0.0, |&(bytes, _)| bytes);
        self.ended.get_mut(node.0).into_iter().for_each(|ended| *ended += bytes);
        self.set(worker, 0.0, Progress::None);
    }

    fn proceed(&mut self, worker: WorkerId, progress: Progress) {
        if let Some((bytes, running)) = self.running.get_mut(worker.0 as usize)
            && *bytes > 0.0
        {
            *running = progress;
        }
    }

    fn set(&mut self, worker: WorkerId, bytes: f64, progress: Progress) {
        if let Some(running) = self.running.get_mut(worker.0 as usize) {
            *running = (bytes, progress);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numasim_graph::values::{AccessMode, BlockId};
    use numasim_model::machine::{LastLevelCache, Node};
    use numasim_model::units::{Gflops, GigabytesPerSecond, Megabytes};

    const MB: f64 = 1e6;

    fn caches(nodes: usize, mb: f64) -> Caches {
        let node = Node {
            cores: 1,
            gflops_per_core: Gflops::new(1.0),
            bandwidth: GigabytesPerSecond::new(1.0),
            ..Node::default()
        };
        let cache = LastLevelCache { size: Megabytes::new(mb), core_bandwidth: None };
        let machine =
            Machine::uniform("caches", nodes, node, GigabytesPerSecond::new(1.0)).expect("a machine");
        Caches::new(&machine.with_caches(vec![Some(cache); nodes]).expect("caches"), 4)
    }

    /// Local and other fraction of an access to the first `mb` of block 0, which has 8 MB, and the MB that it adds, after a turnover of
    /// `now`.
    fn take(caches: &mut Caches, node: usize, mode: AccessMode, mb: f64, now: f64) -> [f64; 3] {
        let access = Access { block: BlockId(0), mode, declared_bytes: 0.0, moved_bytes: mb * MB };
        let (shares, added) = caches.take(&access, 8.0 * MB, NodeId(node), |_| now * MB);
        assert!((shares.own + shares.other + shares.memory - 1.0).abs() < 1e-15);
        [shares.own, shares.other, added / MB]
    }

    #[test]
    fn a_cache_has_all_up_to_half_its_size_and_nothing_from_one_and_a_half_on() {
        assert_eq!([0.0, 0.5, 0.75, 1.0, 1.25, 1.5, 9.0].map(hit), [1.0, 1.0, 0.75, 0.5, 0.25, 0.0, 0.0]);
        assert_eq!(hit(f64::INFINITY), 0.0);
    }

    /// Block of 8 MB, cache of 8 MB: all at 0, then 2 MB at 4, then the whole at 10. Of the 8 MB 2 have a distance of 6 (3/4 of the cache: 3/4
    /// of them hit), 6 one of 10 (5/4: 1/4). That adds 2 x 3/4 + 6.
    #[test]
    fn each_byte_has_the_distance_of_the_last_touch_that_reached_it() {
        let mut caches = caches(1, 8.0);
        assert_eq!(take(&mut caches, 0, AccessMode::In, 8.0, 0.0), [0.0, 0.0, 8.0]);
        // At a distance of 4, half the cache, all of it hits.
        assert_eq!(take(&mut caches, 0, AccessMode::In, 2.0, 4.0), [1.0, 0.0, 1.0]);
        assert_eq!(take(&mut caches, 0, AccessMode::Inout, 16.0, 10.0), [(1.5 + 1.5) / 8.0, 0.0, 7.5]);
    }

    /// Node 0 reads 8 MB, node 1 writes the first 2 of them. Node 0 then has the 6 MB after them (distance 0), the others are in the
    /// cache of node 1, which wrote the block last: 3/4 and 1/4.
    #[test]
    fn a_write_takes_its_bytes_alone_out_of_other_caches() {
        let mut caches = caches(2, 8.0);
        take(&mut caches, 0, AccessMode::In, 8.0, 0.0);
        assert_eq!(take(&mut caches, 1, AccessMode::Out, 2.0, 0.0), [0.0, 0.0, 2.0]);
        assert_eq!(take(&mut caches, 0, AccessMode::In, 8.0, 0.0), [0.75, 0.25, 2.0]);
        // Now node 0 has the whole block; node 1 has the bytes that it wrote. The rest was not written by another node: memory.
        assert_eq!(take(&mut caches, 1, AccessMode::In, 8.0, 0.0), [0.25, 0.0, 6.0]);
    }

    #[test]
    fn pieces_that_no_distance_reaches_are_dropped_and_places_are_used_again() {
        let mut caches = caches(1, 8.0);
        for round in 0..100 {
            take(&mut caches, 0, AccessMode::In, 8.0, f64::from(round) * 20.0);
            take(&mut caches, 0, AccessMode::In, 1.0, f64::from(round) * 20.0 + 1.0);
        }
        assert!(caches.pieces.len() <= 3, "{}", caches.pieces.len());
    }
}
