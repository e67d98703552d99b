//! The model `ecm`: every byte waits the same time at a busy controller, which saturates softly.
//!
//! # Unit
//! Times are nanoseconds per byte; 1 / time is GB/s.
//!
//! # Rules
//! A thread that alone needs the time 1/d per byte needs 1/d + w where bytes wait w. On a controller with B GB/s whose
//! threads want W GB/s in all:
//! 1. *The law of a queue*: while bytes wait w, it delivers D(w) = (S^-8 + B^-8)^(-1/8) GB/s of the sum S = w / f that this wait alone
//!    would give, f = (N - 1) p0 / B: each thread waits behind the others, w = (N - 1) u p0, with the utilisation u = S / B and
//!    p0 = `ecm_penalty` / B. w is such that the rates sum to D(w), which rises from nothing to B without a corner (`waits`).
//! 2. With `ecm_penalty` 0, and for a single thread, f is 0 and the corner hard: nobody waits up to B, and from there on w is such that
//!    the rates sum to B. Either way a thread that alone is slow (much computation per byte) loses little, one that is fast much.
//!    Where none was measured it is 0.33 transfer times for threads that only read the memory of their own node, and 0.5 for those
//!    that write and for all bytes over a link (`ecm_write_penalty`); of several in a queue the mean.
//! 3. N counts threads; one that wants less than the baseline B / cores counts as that part of one, so that a thread
//!    without traffic makes nobody wait.
//! 4. A link is such a queue, too, with its own capacity in place of B, its threads in place of N, and the same `ecm_penalty`. A remote
//!    thread waits at both, 1/d + w_link + w, and both waits are solved together: who is held back by the controller queues less at
//!    the link.
//! 5. A link that shares a link with others has what these leave: what it would have if it asked for everything, the shared one
//!    filled evenly (max-min) up to its capacity. That is never less than what it is given, and changes without a step.
//! 6. w is the wait of a byte of the benchmark that measured the machine, with C lines under way on a core
//!    ([`crate::Machine::benchmark_lines`]). A thread with c lines under way (`outstanding_lines` of an application) waits w C / c: its latency
//!    grows by as much as that of the others, 64 C w ns for a line, and it has fewer lines to hide it.
//! 7. *Several memories*: the time per byte of a thread is the mean over its data, 1/d + the sum of fraction x (w_link + w), and each controller and
//!    link sees that fraction of what it moves. What a node reads in all (`read_gbs`) is one more queue for all bytes of its threads, and so is what
//!    each of its L3 domains reads (`l3_read_gbs`), with the threads of the domain. All waits are solved together (`waits`).
//!
//! Bytes are counted in GB/s of reads: those of a kernel with a figure of its own (`triad_gbs`) need the controller for longer, the
//! T_mem of the kernel.
//!
//! With a remote loss a remote GB/s takes 1 + loss of the controller and waits as long.
//!
//! # Source, and what was checked
//! The Execution-Cache-Memory model of RRZE: P(n) = min(n P1, B), n_sat = T_ECM / T_mem (checked against Kerncraft's source,
//! which calls it a very simple approach). The soft knee follows Hofmann, Hager, Fey (arXiv 1803.01618),
//! T(n) = T + (n - 1) u(n - 1) p0, u(n) = n T_mem / T(n), whose text was not at hand; here u(n) stands for
//! u(n - 1), which makes it an equation for equal threads with the closed form
//! T(n) = (T + sqrt(T^2 + 4 n (n - 1) p0 T_mem)) / 2 and extends to unequal ones. Rules 1 (for unequal threads, and its soft corner) and 3 to 5
//! are ours. Rule 4 was chosen by an Opteron's nodes that read one memory together with its own node, and tested on other loads and
//! machines (`tools/published`).

use std::ops::Range;

use crate::machine::Node;
use crate::sharing::compiled::{Compiled, Flow, Pool, PoolKind, Shares};
use crate::sharing::ports::Remote;
use crate::sharing::ports::left_by;
use crate::sharing::waits::{Group, Law, Queues, Readers, Use, wait_at};

/// What a controller or a link does to a waiting byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    /// GB/s that it has at most.
    capacity: f64,
    /// GB/s above which a thread counts as a whole one in N.
    whole_thread: f64,
}

impl Queue {
    /// The queue of the controller of `node`.
    pub(super) fn of_controller(node: &Node) -> Self {
        Self::new(node.bandwidth.value(), 1.0 / f64::from(node.cores.max(1)))
    }

    /// The queue of something with `capacity` GB/s for the threads of 1 / `inverse_cores` cores.
    pub(super) fn new(capacity: f64, inverse_cores: f64) -> Self {
        Self { capacity, whole_thread: capacity * inverse_cores }
    }

    /// GB/s above which a thread counts as a whole one.
    pub(super) fn whole_thread(&self) -> f64 {
        self.whole_thread
    }

    /// The factor of its law, by the threads of `flows`.
    fn factor(&self, compiled: &Compiled, flows: impl Iterator<Item = usize>, threads: &[f64]) -> f64 {
        let mut crowd = Crowd::default();
        for flow in flows.map(|f| &compiled.flows[f]) {
            crowd.add(self, flow, threads[flow.group as usize]);
        }
        crowd.factor(self)
    }
}

/// Working memory of one evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// Nanoseconds per byte of one thread of each flow.
    times: Vec<f64>,
    /// Per pool: GB/s that its link has, or what shared ones on the way leave it.
    capacities: Vec<f64>,
    /// Where threads need several memories, or what a node reads is limited: all queues together.
    together: Queues,
    /// Of these: how many threads there are in each, and their penalties.
    crowds: Vec<Crowd>,
    /// Per group: the sum of its penalties over what a GB/s of it occupies.
    penalties: Vec<f64>,
}

impl Notes {
    /// Makes room for them, with the capacities of the links themselves.
    pub(super) fn make_room(&mut self, compiled: &Compiled) {
        self.times.resize(compiled.flows.len(), 0.0);
        self.capacities.clear();
        self.capacities.extend(compiled.pools.iter().map(|pool| pool.capacity));
    }

    /// Learns what shared links leave each link where all ask for `asks`.
    pub(super) fn leave(&mut self, compiled: &Compiled, asks: &[f64]) {
        for (capacity, pool) in self.capacities.iter_mut().zip(&compiled.pools) {
            *capacity = pool.capacity;
        }
        for common in &compiled.shared {
            let users = || common.users.iter().map(|&p| p as usize);
            for p in users() {
                let others = users().filter(|&other| other != p).map(|other| asks[other]);
                self.capacities[p] = self.capacities[p].min(left_by(common.capacity, others));
            }
        }
    }
}

/// The threads in a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crowd {
    /// A thread that wants little is a part of one.
    pub(super) count: f64,
    pub(super) penalties: f64,
}

impl Crowd {
    /// `threads` more, which want `demand_gbs` each.
    pub(super) fn add(&mut self, queue: &Queue, flow: &Flow, threads: f64) {
        self.add_threads(queue, threads, flow.demand_gbs, flow.queueing.penalty);
    }

    fn add_threads(&mut self, queue: &Queue, threads: f64, demand_gbs: f64, penalty: f64) {
        let threads = threads * (demand_gbs / queue.whole_thread).min(1.0);
        self.count += threads;
        self.penalties += threads * penalty;
    }

    /// With others beside it.
    pub(super) fn and(self, count: f64, penalties: f64) -> Self {
        Self { count: self.count + count, penalties: self.penalties + penalties }
    }

    /// What the rates are multiplied by to give the wait, (N - 1) p0 / B, with the mean of the penalties of all.
    pub(super) fn factor(self, queue: &Queue) -> f64 {
        let Self { count, penalties } = self;
        if count > 1.0 { (count - 1.0) / count * penalties / (queue.capacity * queue.capacity) } else { 0.0 }
    }
}

/// Whether memories depend on each other: some thread reads several, or what a node reads is limited.
pub(super) fn depends(compiled: &Compiled) -> bool {
    let is_spread = |pool: &Pool| compiled.flows[pool.flows.clone()].iter().any(|flow| flow.spread);
    !compiled.reads.is_empty() || compiled.pools.iter().any(is_spread)
}

/// Shares some memories at once: all where they depend on each other ([`depends`], rule 7), else one with its links. The queues are the controllers, then
/// the links of all pools, then what nodes read.
pub(super) fn share_together(
    compiled: &Compiled,
    remote: Remote,
    controllers: &[Queue],
    which: Range<usize>,
    threads: &[f64],
    shares: &mut Shares,
    notes: &mut Notes,
) {
    let Notes { capacities, together, crowds, penalties, .. } = notes;
    let memories = which.len();
    let of_these = || which.clone().flat_map(|m| compiled.pools_of(m));
    let first = of_these().map(|(_, p, _)| p).min().unwrap_or_default();
    let pools = of_these().map(|(_, p, _)| p + 1).max().unwrap_or_default() - first;
    together.make_room(threads.len(), memories + pools + compiled.reads.len());
    together.uses.clear();
    together.groups.fill(Group::default());
    crowds.clear();
    crowds.resize(together.laws.len(), Crowd::default());
    penalties.clear();
    penalties.resize(threads.len(), 0.0);
    let link = |p: usize| Queue::new(capacities[p], compiled.pools[p].inverse_cores);
    let reads = |r: usize| Queue::new(compiled.reads[r].capacity, compiled.reads[r].inverse_cores);
    for (m, p, kind) in of_these() {
        for flow in &compiled.flows[compiled.pools[p].flows.clone()] {
            let group = flow.group as usize;
            let alone = compiled.demand_gbs.as_slice()[group];
            together.groups[group] = Group { threads: threads[group], alone, waits: flow.queueing.waits };
            let mut needs = |queue: usize, of: &Queue, taken: f64| {
                let number = u32::try_from(queue).unwrap_or(u32::MAX);
                together.uses.push(Use { queue: number, group: flow.group, taken });
                crowds[queue].add(of, flow, threads[group]);
            };
            let cost = if kind == PoolKind::Link { remote.cost } else { 1.0 };
            needs(m - which.start, &controllers[m], cost * flow.cost);
            if kind == PoolKind::Link {
                needs(memories + p - first, &link(p), flow.cost);
            }
            penalties[group] += flow.cost * flow.queueing.penalty;
        }
    }
    for (r, common) in compiled.reads.iter().enumerate() {
        let (q, queue) = (memories + pools + r, reads(r));
        for &user in &common.users {
            let group = user as usize;
            let taken = compiled.occupied.as_slice()[group];
            let demand_gbs = compiled.demand_gbs.as_slice()[group] * taken;
            together.uses.push(Use { queue: u32::try_from(q).unwrap_or(u32::MAX), group: user, taken });
            crowds[q].add_threads(&queue, threads[group], demand_gbs, penalties[group] / taken);
        }
    }
    for (q, law) in together.laws.iter_mut().enumerate() {
        let (queue, capacity) = if q < memories {
            (controllers[which.start + q], shares.controllers[which.start + q])
        } else if q < memories + pools {
            let p = first + q - memories;
            (link(p), capacities[p])
        } else {
            let queue = reads(q - memories - pools);
            (queue, queue.capacity)
        };
        *law = Law { capacity, factor: crowds[q].factor(&queue) };
    }
    together.solve();
    shares.waits[which.clone()].copy_from_slice(&together.waits[..memories]);
    shares.link_waits[first..first + pools].copy_from_slice(&together.waits[memories..memories + pools]);
    shares.read_waits.copy_from_slice(&together.waits[memories + pools..]);
    for (_, p, _) in of_these() {
        let mut taken = 0.0;
        for f in compiled.pools[p].flows.clone() {
            let flow = &compiled.flows[f];
            let granted = (together.rates[flow.group as usize] * flow.cost).min(flow.demand_gbs);
            shares.grant(compiled, f, granted);
            taken += threads[flow.group as usize] * granted;
        }
        shares.available[p] = taken;
    }
}

/// Shares memory `m`.
pub(super) fn share(
    compiled: &Compiled,
    remote: Remote,
    controllers: &[Queue],
    m: usize,
    threads: &[f64],
    shares: &mut Shares,
    notes: &mut Notes,
) {
    let memory = &compiled.memories[m];
    let pools = || memory.links.clone().chain(memory.own);
    // A node without memory has no queue.
    if pools().next().is_none() {
        return;
    }
    if memory.links.clone().any(|p| queues(compiled, p, notes.capacities[p], threads, shares)) {
        share_together(compiled, remote, controllers, m..m + 1, threads, shares, notes);
        return;
    }
    let flows = || pools().flat_map(|p| compiled.pools[p].flows.clone());
    for f in flows() {
        notes.times[f] = 1.0 / compiled.flows[f].demand_gbs;
    }
    let times = &notes.times;
    let felt = |p: usize| if memory.own == Some(p) { 1.0 } else { remote.cost };
    let readers = || {
        pools().flat_map(|p| {
            compiled.pools[p].flows.clone().map(move |f| {
                let flow = &compiled.flows[f];
                let amount = felt(p) * threads[flow.group as usize];
                Readers { amount, time: times[f], wait: felt(p) * flow.queueing.waits }
            })
        })
    };
    let factor = controllers[m].factor(compiled, flows(), threads);
    let wait = wait_at(readers, Law { capacity: shares.controllers[m], factor });
    shares.waits[m] = wait;
    for p in pools() {
        shares.link_waits[p] = 0.0;
        let mut taken = 0.0;
        for f in compiled.pools[p].flows.clone() {
            let demand_gbs = compiled.flows[f].demand_gbs;
            let waits = compiled.flows[f].queueing.waits * (wait * felt(p));
            let granted = if waits > 0.0 { (1.0 / (times[f] + waits)).min(demand_gbs) } else { demand_gbs };
            shares.grant(compiled, f, granted);
            taken += threads[compiled.flows[f].group as usize] * granted;
        }
        shares.available[p] = taken;
    }
}

/// Whether bytes wait at a link with `capacity` GB/s.
fn queues(compiled: &Compiled, pool: usize, capacity: f64, threads: &[f64], shares: &Shares) -> bool {
    let Pool { inverse_cores, ref flows, .. } = compiled.pools[pool];
    let factor = Queue::new(capacity, inverse_cores).factor(compiled, flows.clone(), threads);
    shares.wanted[pool] > shares.offered[pool] || !Law { capacity, factor }.is_hard()
}
