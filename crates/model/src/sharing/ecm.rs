//! The model `ecm`: every byte waits for the same time at a busy controller, which saturates softly.
//!
//! # Unit
//! Times are nanoseconds per byte; 1 / time is GB/s.
//!
//! # Rules
//! A thread that needs the time 1/d per byte alone needs 1/d + w if bytes wait w. On a controller with B GB/s
//! whose threads request W GB/s in total:
//! 1. *The law of a queue*: while bytes wait w, it delivers D(w) = (S^-8 + B^-8)^(-1/8) GB/s out of the sum S
//!    = w / f that this wait alone would give, f = (N - 1) p0 / B: each thread waits behind the others, w =
//!    (N - 1) u p0, with the utilisation u = S / B and p0 = `ecm_penalty` / B. w is such that the rates sum
//!    to D(w), which rises from 0 to B without a corner (`waits`).
//! 2. With `ecm_penalty` 0, and for a single thread, f is 0 and the corner is hard: no thread waits up to B,
//!    and from there on w is such that the rates sum to B. In either case a thread that is slow alone (much
//!    computation per byte) loses little, a fast one loses much. If no penalty was measured, it is 0.33
//!    transfer times for threads that only read the memory of their node, and 0.5 for those that write and
//!    for all bytes over a link (`ecm_write_penalty`). A queue with several penalties uses their mean.
//! 3. N counts threads. A thread that requests less than the baseline B / cores counts as that fraction of a
//!    thread, so a thread without traffic makes no other thread wait.
//! 4. A link is also such a queue, with its own capacity instead of B, its threads instead of N, and the same
//!    `ecm_penalty`. A remote thread waits at both, 1/d + w_link + w, and both waits are solved together: a
//!    thread that is limited by the controller queues less at the link.
//! 5. A link that shares a link with others has the bandwidth that these leave: what it would have if it
//!    requested everything, with the shared link filled evenly (max-min) up to its capacity. That is never
//!    less than its grant, and it changes without a step.
//! 6. w is the wait of a byte of the benchmark that measured the machine, with C lines outstanding on a core
//!    ([`crate::Machine::benchmark_lines`]). A thread with c outstanding lines (`outstanding_lines` of an
//!    application) waits w C / c: its latency grows by as much as that of the others, 64 C w ns for a line,
//!    and it has fewer lines to hide it.
//! 7. *Several memories*: the time per byte of a thread is the mean over its data, 1/d + the sum of fraction
//!    x (w_link + w), and each controller and link sees that fraction of its traffic. The total reads of a
//!    node (`read_gbs`) are one more queue for all bytes of its threads, and so are the reads of each of its
//!    L3 domains (`l3_read_gbs`), with the threads of the domain. All waits are solved together (`waits`).
//!
//! Bytes are counted in read-equivalent GB/s: bytes of a kernel with a dedicated bandwidth (`triad_gbs`) need
//! the controller for longer, the T_mem of the kernel.
//!
//! With a remote loss, a remote GB/s takes 1 + loss of the controller and waits as long.
//!
//! # Source, and what was checked
//! The Execution-Cache-Memory model of RRZE: P(n) = min(n P1, B), n_sat = T_ECM / T_mem (checked against
//! Kerncraft's source, which calls it a very simple approach). The soft knee follows Hofmann, Hager, Fey
//! (arXiv 1803.01618), T(n) = T + (n - 1) u(n - 1) p0, u(n) = n T_mem / T(n), whose text was not available.
//! Here u(n) replaces u(n - 1). The result is an equation for equal threads with the closed form T(n) = (T +
//! sqrt(T^2 + 4 n (n - 1) p0 T_mem)) / 2, which extends to unequal threads. Rules 1 (for unequal threads, and
//! its soft corner) and 3 to 5 are ours. Rule 4 was chosen with data of an Opteron, on which remote nodes
//! read one memory together with its own node, and tested on other loads and machines (`tools/published`).

use std::ops::Range;

use crate::machine::Node;
use crate::sharing::compiled::{Compiled, Flow, PoolKind, Shares};
use crate::sharing::ports::Remote;
use crate::sharing::ports::left_by;
use crate::sharing::waits::{Group, Law, Queues, Readers, Use, wait_at};

/// Effect of a controller or a link on a waiting byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Queue {
    /// Its maximum bandwidth, GB/s.
    capacity: f64,
    /// GB/s from which a thread counts as a whole one in N, and 1 / that value.
    whole_thread: f64,
    per_gbs: f64,
}

impl Queue {
    /// The queue of the controller of `node`.
    pub(super) fn of_controller(node: &Node) -> Self {
        Self::new(node.bandwidth.value(), 1.0 / f64::from(node.cores.max(1)))
    }

    /// The queue of a resource with `capacity` GB/s for the threads of 1 / `inverse_cores` cores.
    pub(super) fn new(capacity: f64, inverse_cores: f64) -> Self {
        let whole_thread = capacity * inverse_cores;
        Self { capacity, whole_thread, per_gbs: 1.0 / whole_thread }
    }

    /// GB/s from which a thread counts as a whole one.
    pub(super) fn whole_thread(&self) -> f64 {
        self.whole_thread
    }
}

/// Sums that differ by less than this fraction may be equal.
const ROUNDING: f64 = 1e-9;

/// Working memory of one evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// Readers of one memory, with the contribution of each flow to its queue.
    readers: Vec<Readers>,
    /// Per pool: GB/s of its link, or the bandwidth that shared links on the path leave it.
    capacities: Vec<f64>,
    /// If threads need several queues: all queues together, in the layout since the last change of flows.
    together: Queues,
    is_laid_out: bool,
    /// The kinds of these queues, in their order. Per memory: the start of its own queues, and after the last
    /// one the end.
    kinds: Vec<Kind>,
    firsts: Vec<usize>,
    /// Per group: its waiting time relative to others.
    waits: Vec<f64>,
    /// Whether an answer starts from the waits of the previous one.
    begins_near: bool,
}

/// The kind of a queue.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The reads of a node or an L3 domain, by its number among these limits.
    Reads(usize),
    /// The link of a pool.
    Link(usize),
    /// The controller of a memory.
    Controller(usize),
}

impl Notes {
    /// Makes room for the queues, with the capacities of the links themselves.
    pub(super) fn make_room(&mut self, compiled: &Compiled) {
        self.is_laid_out = false;
        self.capacities.clear();
        self.capacities.extend(compiled.pools.iter().map(|pool| pool.capacity));
    }

    /// From now on, starts each answer from the waits of the previous one, in the same [`Shares`].
    pub(super) fn begin_near(&mut self) {
        self.begins_near = true;
    }

    /// Computes the bandwidth that shared links leave each link if all links request `asks`.
    pub(super) fn leave(&mut self, compiled: &Compiled, asks: &[f64]) {
        for (capacity, pool) in self.capacities.iter_mut().zip(&compiled.pools) {
            *capacity = pool.capacity;
        }
        for common in &compiled.shared {
            let users = || common.users.iter().map(|&p| p as usize);
            let all: f64 = users().map(|p| asks[p]).sum();
            for p in users() {
                // In most cases all have room together, and a link has its own bandwidth.
                if common.capacity - (all - asks[p]) > (1.0 + ROUNDING) * self.capacities[p] {
                    continue;
                }
                let others = users().filter(|&other| other != p).map(|other| asks[other]);
                self.capacities[p] = self.capacities[p].min(left_by(common.capacity, others));
            }
        }
    }

    /// Lays out all queues: the reads of nodes and L3 domains, then links and controllers. Memories that do
    /// not depend on each other get separate ranges.
    fn lay_out(&mut self, compiled: &Compiled, remote: Remote) {
        let Self { together, kinds, firsts, waits, .. } = self;
        let groups = compiled.demand_gbs.as_slice().len();
        let mut uses: Vec<Use> = Vec::new();
        let mut penalties = vec![0.0; groups];
        waits.resize(groups, 1.0);
        for flow in compiled.pools.iter().flat_map(|pool| &compiled.flows[pool.flows.clone()]) {
            penalties[flow.group as usize] += flow.cost * flow.queueing.penalty;
            waits[flow.group as usize] = flow.queueing.waits;
        }
        kinds.clear();
        firsts.clear();
        let number = |kinds: &[Kind]| u32::try_from(kinds.len()).unwrap_or(u32::MAX);
        for (r, common) in compiled.reads.iter().enumerate() {
            uses.extend(common.users.iter().map(|&group| {
                // A thread counts once, regardless of the number of memories that it reads.
                let taken = compiled.occupied.as_slice()[group as usize];
                Use {
                    queue: number(kinds),
                    group,
                    taken,
                    counted: taken,
                    penalty: penalties[group as usize] / taken,
                }
            }));
            kinds.push(Kind::Reads(r));
        }
        let of_memory = |m: usize| {
            let links = compiled.memories[m].links.clone().map(Kind::Link);
            links.chain([Kind::Controller(m)])
        };
        if depends(compiled) {
            // The links of a node are contiguous and the controllers come last: few equations then have more
            // unknowns.
            let mut links: Vec<usize> = compiled.memories.iter().flat_map(|m| m.links.clone()).collect();
            links.sort_by_key(|&p| compiled.pools[p].from);
            kinds.extend(links.into_iter().map(Kind::Link));
            kinds.extend((0..compiled.memories.len()).map(Kind::Controller));
        } else {
            for m in 0..compiled.memories.len() {
                firsts.push(kinds.len());
                kinds.extend(of_memory(m));
            }
        }
        for (queue, kind) in (0..).zip(&*kinds) {
            let mut add = |p: usize, cost: f64| {
                let flows = compiled.flows[compiled.pools[p].flows.clone()].iter();
                uses.extend(flows.map(|flow| Use {
                    queue,
                    group: flow.group,
                    taken: cost * flow.cost,
                    counted: flow.cost,
                    penalty: flow.queueing.penalty,
                }));
            };
            match *kind {
                Kind::Reads(_) => {}
                Kind::Link(p) => add(p, 1.0),
                Kind::Controller(m) => {
                    for (_, p, kind) in compiled.pools_of(m) {
                        add(p, if kind == PoolKind::Link { remote.cost } else { 1.0 });
                    }
                }
            }
        }
        firsts.push(kinds.len());
        together.layout.lay_out(uses.into_iter(), kinds.len(), groups);
        together.make_room(groups, kinds.len());
        self.is_laid_out = true;
    }
}

/// The threads in a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crowd {
    /// A thread with little demand counts as a fraction of a thread.
    pub(super) count: f64,
    pub(super) penalties: f64,
}

impl Crowd {
    /// Adds `threads` threads with a demand of `demand_gbs` each.
    #[inline]
    fn add(&mut self, queue: &Queue, threads: f64, demand_gbs: f64, penalty: f64) {
        let threads = threads * (demand_gbs * queue.per_gbs).min(1.0);
        self.count += threads;
        self.penalties += threads * penalty;
    }

    /// Adds the threads of a flow.
    #[inline]
    pub(super) fn add_flow(&mut self, queue: &Queue, flow: &Flow, threads: f64) {
        self.add(queue, threads, flow.demand_gbs, flow.queueing.penalty);
    }

    /// This crowd together with others.
    pub(super) fn and(self, count: f64, penalties: f64) -> Self {
        Self { count: self.count + count, penalties: self.penalties + penalties }
    }

    /// The factor from rates to the wait, (N - 1) p0 / B, with the mean of the penalties of all threads.
    #[inline]
    pub(super) fn factor(self, queue: &Queue) -> f64 {
        let Self { count, penalties } = self;
        if count > 1.0 { (count - 1.0) / count * penalties / (queue.capacity * queue.capacity) } else { 0.0 }
    }
}

/// Whether memories depend on each other: a thread reads several memories, or the reads of a node are
/// limited.
pub(super) fn depends(compiled: &Compiled) -> bool {
    !compiled.reads.is_empty() || !compiled.reads_one_memory()
}

/// Shares all memories at once if they depend on each other ([`depends`], rule 7).
pub(super) fn share_together(
    compiled: &Compiled,
    remote: Remote,
    controllers: &[Queue],
    threads: &[f64],
    shares: &mut Shares,
    notes: &mut Notes,
) {
    if !notes.is_laid_out {
        notes.lay_out(compiled, remote);
    }
    let Queues { active, layout, .. } = &mut notes.together;
    active.clear();
    active.extend(layout.groups().filter(|&group| threads[group as usize] > 0.0));
    solve(compiled, remote, controllers, 0..compiled.memories.len(), threads, shares, notes);
}

/// Shares some memories: all of them, or one on which no other depends. `notes` contains the groups with
/// threads.
fn solve(
    compiled: &Compiled,
    remote: Remote,
    controllers: &[Queue],
    memories: Range<usize>,
    threads: &[f64],
    shares: &mut Shares,
    notes: &mut Notes,
) {
    if !notes.is_laid_out {
        notes.lay_out(compiled, remote);
    }
    let Notes { capacities, together, kinds, firsts, waits, begins_near, .. } = notes;
    together.begins_near = *begins_near;
    let demand_gbs = compiled.demand_gbs.as_slice();
    together.groups.fill(Group::default());
    for g in together.active.iter().map(|&group| group as usize) {
        let alone = demand_gbs[g];
        together.groups[g] = Group { threads: threads[g], alone, time: 1.0 / alone, waits: waits[g] };
    }
    let queues = match memories.len() {
        1 if firsts.len() > 1 => firsts[memories.start]..firsts[memories.end],
        _ => 0..kinds.len(),
    };
    for q in queues.clone() {
        let (queue, capacity) = match kinds[q] {
            Kind::Reads(r) => {
                let queue = Queue::new(compiled.reads[r].capacity, compiled.reads[r].inverse_cores);
                (queue, queue.capacity)
            }
            Kind::Link(p) => (Queue::new(capacities[p], compiled.pools[p].inverse_cores), capacities[p]),
            Kind::Controller(m) => (controllers[m], shares.controllers[m]),
        };
        let mut crowd = Crowd::default();
        for one in together.layout.queue(q) {
            let group = one.group as usize;
            crowd.add(&queue, threads[group], one.counted * demand_gbs[group], one.penalty);
        }
        together.laws[q] = Law::new(capacity, crowd.factor(&queue));
        together.waits[q] = match kinds[q] {
            Kind::Reads(r) => shares.read_waits[r],
            Kind::Link(p) => shares.link_waits[p],
            Kind::Controller(m) => shares.waits[m],
        };
    }
    together.solve(queues.clone());
    for q in queues {
        let wait = together.waits[q];
        match kinds[q] {
            Kind::Reads(r) => shares.read_waits[r] = wait,
            Kind::Link(p) => shares.link_waits[p] = wait,
            Kind::Controller(m) => shares.waits[m] = wait,
        }
    }
    for (_, p, _) in memories.flat_map(|m| compiled.pools_of(m)) {
        let mut taken = 0.0;
        for f in compiled.pools[p].flows.clone() {
            let flow = &compiled.flows[f];
            let group = flow.group as usize;
            if threads[group] > 0.0 {
                let granted = (together.rates[group] * flow.cost).min(flow.demand_gbs);
                shares.grant(compiled, f, granted);
                taken += threads[group] * granted;
            }
        }
        shares.available[p] = taken;
    }
}

/// For each memory, an earlier memory that differs only in its threads, if any.
pub(super) fn twins(compiled: &Compiled, controllers: &[Queue]) -> Vec<Option<usize>> {
    let flows_of = |p: usize| compiled.flows[compiled.pools[p].flows.clone()].iter();
    let are_alike = |(p, q): (usize, usize)| {
        let (one, other) = (&compiled.pools[p], &compiled.pools[q]);
        let alike =
            |(a, b): (&Flow, &Flow)| (a.demand_gbs, a.cost, a.queueing) == (b.demand_gbs, b.cost, b.queueing);
        (one.capacity, one.inverse_cores, one.flows.len())
            == (other.capacity, other.inverse_cores, other.flows.len())
            && flows_of(p).zip(flows_of(q)).all(alike)
    };
    let equal = |m: usize, n: usize| {
        let (one, other) = (&compiled.memories[m], &compiled.memories[n]);
        controllers[m] == controllers[n]
            && (one.links.len(), one.own.is_some()) == (other.links.len(), other.own.is_some())
            && one.links.clone().chain(one.own).zip(other.links.clone().chain(other.own)).all(are_alike)
    };
    (0..compiled.memories.len()).map(|m| (0..m).rev().find(|&twin| equal(m, twin))).collect()
}

/// Whether memory `m` has the same threads as its twin, which is already solved; if so, copies its answer.
fn is_as_twin(
    compiled: &Compiled,
    (m, twin): (usize, usize),
    threads: &[f64],
    shares: &mut Shares,
    capacities: &[f64],
) -> bool {
    let pools = |m: usize| {
        let memory = &compiled.memories[m];
        memory.links.clone().chain(memory.own)
    };
    let pairs = || pools(m).zip(pools(twin));
    let flows =
        || pairs().flat_map(|(p, q)| compiled.pools[p].flows.clone().zip(compiled.pools[q].flows.clone()));
    let group = |f: usize| compiled.flows[f].group as usize;
    let is_equal = shares.controllers[m] == shares.controllers[twin]
        && pairs().all(|(p, q)| capacities[p] == capacities[q])
        && flows().all(|(f, of_twin)| threads[group(f)] == threads[group(of_twin)]);
    if is_equal {
        shares.waits[m] = shares.waits[twin];
        for (p, q) in pairs() {
            shares.link_waits[p] = shares.link_waits[q];
            shares.available[p] = shares.available[q];
        }
        for (f, of_twin) in flows() {
            shares.granted[f] = shares.granted[of_twin];
            shares.bandwidth[group(f)] = shares.bandwidth[group(of_twin)];
        }
    }
    is_equal
}

/// Shares memory `m`, on which no other depends.
pub(super) fn share(
    compiled: &Compiled,
    remote: Remote,
    controllers: &[Queue],
    (m, twin): (usize, Option<usize>),
    threads: &[f64],
    shares: &mut Shares,
    notes: &mut Notes,
) {
    if twin.is_some_and(|twin| is_as_twin(compiled, (m, twin), threads, shares, &notes.capacities)) {
        return;
    }
    let memory = &compiled.memories[m];
    let pools = || memory.links.clone().chain(memory.own);
    let flows = |p: usize| compiled.flows[compiled.pools[p].flows.clone()].iter();
    if memory.links.clone().any(|p| queues(compiled, p, notes.capacities[p], threads, shares)) {
        let active = &mut notes.together.active;
        active.clear();
        // Each group reads only this memory.
        active.extend(pools().flat_map(flows).map(|flow| flow.group).filter(|g| threads[*g as usize] > 0.0));
        solve(compiled, remote, controllers, m..m + 1, threads, shares, notes);
        return;
    }
    let mut crowd = Crowd::default();
    notes.readers.clear();
    for p in pools() {
        let felt = if memory.own == Some(p) { 1.0 } else { remote.cost };
        for flow in flows(p).filter(|flow| threads[flow.group as usize] > 0.0) {
            let count = threads[flow.group as usize];
            crowd.add_flow(&controllers[m], flow, count);
            let (amount, wait) = (felt * count, felt * flow.queueing.waits);
            notes.readers.push(Readers { amount, time: 1.0 / flow.demand_gbs, wait });
        }
    }
    let law = Law::new(shares.controllers[m], crowd.factor(&controllers[m]));
    let wait = wait_at(|| notes.readers.iter().copied(), law);
    shares.waits[m] = wait;
    let mut readers = notes.readers.iter();
    for p in pools() {
        shares.link_waits[p] = 0.0;
        let mut taken = 0.0;
        for f in compiled.pools[p].flows.clone() {
            let (demand_gbs, count) =
                (compiled.flows[f].demand_gbs, threads[compiled.flows[f].group as usize]);
            if count > 0.0 {
                let waits = readers.next().map_or(0.0, |reader| wait * reader.wait);
                let granted = if waits > 0.0 { demand_gbs / (1.0 + demand_gbs * waits) } else { demand_gbs };
                shares.grant(compiled, f, granted);
                taken += count * granted;
            }
        }
        shares.available[p] = taken;
    }
}

/// Whether bytes wait at a link with `capacity` GB/s.
fn queues(compiled: &Compiled, pool: usize, capacity: f64, threads: &[f64], shares: &Shares) -> bool {
    let queue = Queue::new(capacity, compiled.pools[pool].inverse_cores);
    let mut crowd = Crowd::default();
    for flow in &compiled.flows[compiled.pools[pool].flows.clone()] {
        crowd.add_flow(&queue, flow, threads[flow.group as usize]);
    }
    shares.wanted[pool] > shares.offered[pool] || !Law::new(capacity, crowd.factor(&queue)).is_hard()
}
