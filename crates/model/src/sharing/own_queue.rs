//! The memory of a node under `ecm`, for bounds: the traffic that its own threads and all others can have on
//! it together.
//!
//! # Validity
//! The reads of nodes are not limited. Threads of a node that read only its own memory then have the rates 1
//! / (1/d + v w), where w is the waiting time of bytes there: *one* number for all of them. The traffic of
//! others is the remainder in the law of the queue, R = D(w) - own(w). So regardless of others, the node's
//! threads and R are on one curve over w, which starts at the wait of its threads alone (R = 0). A bound that
//! lets each of them take any part of the capacity is up to 8 % higher if the corner is soft.
//!
//! Threads that also read other memories, wherever they run, count as others: they also wait elsewhere, and
//! their traffic here is at most that after the wait here alone.
//!
//! D depends on the number of threads in the queue: with more threads the same wait delivers less
//! ([`super::ecm`], rule 1). Others with traffic R, while bytes wait w, are at least R x k(w) threads,
//! because one of them has no more traffic than after that wait, or than its link allows. So R is at most the
//! solution of R = D(w, own threads and R x k(w)) - own(w). It need not grow with w, but R x k(w) does: with
//! fewer threads in the queue, D would be larger after a longer wait.
//!
//! # Upper bound on the worth of a point of the curve
//! With prices for the bandwidth of each, the worth is f(w) = sum j n r(w) + p D(w), j = worth of a GB/s less
//! the price p of one. The terms with j > 0 are convex in w and fall. All others are concave if D has a fixed
//! number of others: that of the shorter wait, which is too small further on, so that D is too large. Between
//! two waits a chord is above the first part, and each tangent above the second.

use crate::ids::{AppId, NodeId};
use crate::sharing::compiled::{Compiled, Flow, Pool, PoolKind};
use crate::sharing::ecm::{Crowd, Queue};
use crate::sharing::solver::Solver;
use crate::sharing::waits::{Law, Readers, rates, wait_at};
use crate::sharing_model::ModelKind;

/// Threads of one application on one node that read one memory.
#[derive(Clone, Copy, Debug)]
struct Taker {
    app: usize,
    flow: Flow,
    /// ns per byte of a thread that does not wait.
    time: f64,
    /// GFLOPS per read-equivalent GB/s.
    gflops_per_gbs: f64,
}

impl Taker {
    /// GB/s of one thread while bytes wait `wait`, and minus the slope.
    fn rate(&self, wait: f64) -> (f64, f64) {
        let waits = self.flow.queueing.waits;
        let rate = 1.0 / (self.time + waits * wait);
        (rate, waits * rate * rate)
    }
}

/// The memory of one node, with the threads that run there and read it.
#[derive(Clone, Debug)]
pub struct OwnQueue {
    queue: Queue,
    capacity: f64,
    takers: Vec<Taker>,
    /// Threads of the node that also read other memories.
    spread: Vec<Taker>,
    others: Vec<Other>,
    /// Others that are certainly in the queue, regardless of their traffic.
    sure: Crowd,
}

/// Threads elsewhere that read the memory, or those of the node that also read other memories.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Other {
    app: usize,
    /// Count of each in the queue.
    count: f64,
    /// ns per byte without a wait, and the factor of a wait for it.
    time: f64,
    waits: f64,
    /// ns per byte of its link.
    link: f64,
    penalty: f64,
}

/// Range of possible waits of bytes at the memory with certain threads of the node, ns per byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waits {
    /// The wait if no other thread reads the memory.
    pub least: f64,
    /// The wait if others have their maximum traffic.
    pub most: f64,
}

impl Waits {
    /// The waits from `least` to `most` ns per byte; empty if others would have to wait less than the node's
    /// own threads alone.
    ///
    /// Others can be numerous enough that bytes wait longer than with the maximum traffic of others: others
    /// then have their possible traffic.
    #[must_use]
    pub fn within(self, (least, most): (f64, f64)) -> Self {
        Self { least: self.least.max(least), most: self.most.max(least).min(most) }
    }

    /// Whether the range is empty.
    pub fn is_empty(self) -> bool {
        self.least > self.most * (1.0 + 1e-9)
    }
}

/// An upper bound on the worth of the points of the curve, and the wait at which it is nearly reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// No point is worth more.
    pub most: f64,
    /// The wait of bytes at that place, ns per byte.
    pub wait: f64,
}

/// The worth of bandwidth and GFLOPS.
#[derive(Clone, Copy, Debug)]
pub struct Prices<'a> {
    /// Per application: worth of one GFLOPS, in addition to its traffic on this memory.
    pub gflops: &'a [f64],
    /// Worth of one GB/s of others.
    pub others: f64,
    /// Cost of each ns that a byte waits.
    pub wait: f64,
}

impl Solver {
    /// The memory of `node`, shared by its own threads and others. `None` if that is not one curve: under
    /// other models, if the reads of nodes are limited or remote bytes need the controller for longer, if the
    /// corner is hard, or if copies of replicated data are written.
    pub fn own_queue(&self, node: NodeId) -> Option<OwnQueue> {
        if self.writes_open_copies() { None } else { OwnQueue::new(&self.compiled, node) }
    }

    /// Whether equal threads of one node get no more with others than alone, for any data placement: under
    /// `ecm`, if no correction makes bandwidth grow with load.
    ///
    /// If they got more, each of their queues would deliver more with no fewer threads in it, so bytes would
    /// wait longer in all of them.
    pub fn equal_threads_have_most_alone(&self) -> bool {
        let compiled = &self.compiled;
        compiled.model.kind == ModelKind::Ecm
            && compiled.model.one_controller_never_helps()
            && compiled.rows_per_app == 1
            && !self.writes_open_copies()
    }

    /// Maximum GFLOPS of this number of threads of `app` on `node` if a GB of it waits at least `wait` ns at
    /// all controllers together; each memory counts with the threads' read-equivalent traffic. Valid if
    /// memories are shared along curves ([`Self::own_queue`]).
    ///
    /// At links it waits at least as long as without others: that wait only grows with traffic.
    pub fn gflops_after(&self, app: AppId, node: NodeId, threads: u32, wait: f64) -> f64 {
        let compiled = &self.compiled;
        let group = compiled.demand_gbs.cell(app, node);
        let count = f64::from(threads);
        let mut waits = 1.0;
        let mut links = Vec::new();
        for m in 0..compiled.memories.len() {
            for (_, p, kind) in compiled.pools_of(m).filter(|&(_, p, _)| compiled.pools[p].from == node) {
                let pool = &compiled.pools[p];
                let flows = &compiled.flows[pool.flows.clone()];
                let Some(flow) = flows.iter().find(|flow| flow.group as usize == group) else { continue };
                waits = flow.queueing.waits;
                if kind == PoolKind::Link {
                    let queue = Queue::new(pool.capacity, pool.inverse_cores);
                    let mut crowd = Crowd::default();
                    crowd.add_flow(&queue, flow, count);
                    links.push((Law::new(pool.capacity, crowd.factor(&queue)), flow.cost));
                }
            }
        }
        let time = 1.0 / compiled.demand_gbs.as_slice()[group] + waits * wait;
        let is_too_much = |rate: f64| {
            let at_links = links.iter().map(|&(law, cost)| cost * law.wait_of(count * cost * rate));
            rate * (time + waits * at_links.sum::<f64>()) > 1.0
        };
        let (mut low, mut rate) = (0.0, time.recip());
        if is_too_much(rate) {
            for _ in 0..BISECTIONS_OF_RATE {
                let middle = f64::midpoint(low, rate);
                if is_too_much(middle) {
                    rate = middle;
                } else {
                    low = middle;
                }
            }
        }
        count * rate * compiled.intensity[app.0]
    }

    /// Whether memories of nodes with cores and memory are shared along curves ([`Self::own_queue`]).
    pub fn shares_along_curves(&self) -> bool {
        !self.writes_open_copies() && shares_along_curves(&self.compiled)
    }
}

fn shares_along_curves(compiled: &Compiled) -> bool {
    let model = &compiled.model;
    let is_plain = model.parameters.remote_loss == 0.0 && model.one_controller_never_helps();
    model.has_soft_corners() && is_plain && compiled.reads.is_empty()
}

/// Threads of one node that read the memory of another one over a link.
#[derive(Clone, Debug)]
pub struct LinkReaders {
    takers: Vec<Taker>,
}

impl Solver {
    /// The link from `from` to `memory` with its users; `None` if memories are not shared along curves, or
    /// the link has no users.
    pub fn link_readers(&self, from: NodeId, memory: NodeId) -> Option<LinkReaders> {
        let compiled = &self.compiled;
        if !self.shares_along_curves() {
            return None;
        }
        let mut links = compiled.memories[memory.0].links.clone();
        let pool = &compiled.pools[links.find(|&p| compiled.pools[p].from == from)?];
        Some(LinkReaders { takers: takers(compiled, pool) })
    }
}

impl LinkReaders {
    /// Maximum GFLOPS of each application on the node that reads that memory, while bytes wait at least
    /// `wait` there.
    ///
    /// The wait at the link is left out: if it is long, the link and not the memory determines their rates.
    pub fn gflops(&self, threads: &[u32], wait: f64) -> impl Iterator<Item = (usize, f64)> {
        gflops(&self.takers, threads, wait)
    }
}

/// GFLOPS of each application while its bytes wait `wait`.
fn gflops(takers: &[Taker], threads: &[u32], wait: f64) -> impl Iterator<Item = (usize, f64)> {
    takers.iter().map(move |taker| {
        let all = f64::from(threads[taker.app]) * taker.rate(wait).0;
        (taker.app, all * taker.gflops_per_gbs)
    })
}

fn takers(compiled: &Compiled, pool: &Pool) -> Vec<Taker> {
    let taker = |flow: &Flow| {
        let app = compiled.app_of(flow);
        let gflops_per_gbs = compiled.intensity[app] * flow.inverse_cost;
        Taker { app, flow: *flow, time: 1.0 / flow.demand_gbs, gflops_per_gbs }
    };
    compiled.flows[pool.flows.clone()].iter().map(taker).collect()
}

fn readers(takers: &[Taker], threads: &[u32]) -> impl Iterator<Item = Readers> {
    let of = |taker: &Taker| Readers {
        amount: f64::from(threads[taker.app]),
        time: taker.time,
        wait: taker.flow.queueing.waits,
    };
    takers.iter().map(of).filter(|readers| readers.amount > 0.0)
}

/// Maximum number of stretches of one curve: one for the whole curve, and twelve, with which the point of the
/// highest worth is found to about 0.1 %.
pub const MOST_STRETCHES: usize = 13;
/// Steps to the longest wait, which may be slightly too long.
const BISECTIONS: u32 = 6;
/// Maximum number of steps to the traffic of others, which may be too high by this fraction of the capacity;
/// a handful is enough.
const STEPS_TO_OTHERS: u32 = 48;
const TOO_MUCH: f64 = 1e-9;
/// Steps to the rate of equal threads, which may be slightly too high.
const BISECTIONS_OF_RATE: u32 = 40;
/// Longest wait of a byte, ns.
const LONGEST: f64 = 1e9;
/// The fraction of a controller up to which others are followed: they approach its capacity, but never reach
/// it.
const FOLLOWED: f64 = 0.999;

impl OwnQueue {
    fn new(compiled: &Compiled, node: NodeId) -> Option<Self> {
        if !shares_along_curves(compiled) {
            return None;
        }
        let memory = &compiled.memories[node.0];
        let own = &compiled.pools[memory.own?];
        let queue = Queue::new(memory.bandwidth, own.inverse_cores);
        let (spread, takers): (Vec<Taker>, Vec<Taker>) =
            takers(compiled, own).into_iter().partition(|taker| taker.flow.spread);
        let other = |flow: &Flow, link: f64| Other {
            app: compiled.app_of(flow),
            count: (flow.demand_gbs / queue.whole_thread()).min(1.0),
            time: 1.0 / flow.demand_gbs,
            waits: flow.queueing.waits,
            link,
            penalty: flow.queueing.penalty,
        };
        let mut others: Vec<Other> = spread.iter().map(|taker| other(&taker.flow, 0.0)).collect();
        for pool in memory.links.clone().map(|p| &compiled.pools[p]) {
            for flow in &compiled.flows[pool.flows.clone()] {
                let other = other(flow, 1.0 / pool.capacity);
                if !others.contains(&other) {
                    others.push(other);
                }
            }
        }
        let sure = Crowd::default();
        Some(Self { queue, capacity: memory.bandwidth, takers, spread, others, sure })
    }

    /// The same queue with at least these numbers of threads of applications on each node, all of which read
    /// this memory and others.
    #[must_use]
    pub fn with_at_least(&self, readers: impl Iterator<Item = (usize, u32)>) -> Self {
        let mut sure = Crowd::default();
        for (app, threads) in readers {
            let least = |of: &dyn Fn(&Other) -> f64| {
                let counts = self.others.iter().filter(|other| other.app == app).map(of);
                counts.reduce(f64::min).unwrap_or(0.0)
            };
            let threads = f64::from(threads);
            sure = sure.and(
                threads * least(&|other| other.count),
                threads * least(&|other| other.count * other.penalty),
            );
        }
        Self { sure, ..self.clone() }
    }

    /// Maximum traffic on this memory of threads of the node that also read other memories, GB/s: they count
    /// as others here.
    pub fn spread_gbs(&self, threads: &[u32]) -> f64 {
        self.spread.iter().map(|taker| f64::from(threads[taker.app]) * taker.flow.demand_gbs).sum()
    }

    /// Whether threads of application `app` on the node read only its memory.
    pub fn has(&self, app: usize) -> bool {
        self.takers.iter().any(|taker| taker.app == app)
    }

    /// Range of possible waits of bytes with these numbers of threads of each application on the node, if
    /// others have at most `others_gbs` of traffic ([`Self::spread_gbs`] is included in that).
    pub fn waits(&self, threads: &[u32], others_gbs: f64) -> Waits {
        let crowd = self.crowd(threads);
        let law = self.law_with(crowd, 0.0, Crowd::default());
        let least = wait_at(|| readers(&self.takers, threads), law);
        let others = others_gbs.min(FOLLOWED * self.capacity);
        // The remainder falls below `others` if they would have to reduce their traffic for the sum to equal
        // the delivered bandwidth.
        let leaves_less = |wait: f64| {
            let (own, _) = rates(readers(&self.takers, threads), wait);
            self.delivered(self.law_with(crowd, others, self.more(wait)), wait).0 < own + others
        };
        if others <= 0.0 || !leaves_less(least) {
            return Waits { least, most: least };
        }
        let (mut short, mut most) = (least, least.max(1.0 / self.capacity));
        while leaves_less(most) && most < LONGEST {
            (short, most) = (most, 2.0 * most);
        }
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(short, most);
            if leaves_less(middle) {
                short = middle;
            } else {
                most = middle;
            }
        }
        Waits { least, most }
    }

    /// Lays out the curve between these waits in as many stretches as `stretches` has room for; the first
    /// stretch is the whole curve.
    pub fn lay_out(&self, threads: &[u32], waits: Waits, stretches: &mut [Stretch]) {
        let Some((whole, stretches)) = stretches.split_first_mut() else { return };
        let crowd = self.crowd(threads);
        let count = stretches.len().saturating_sub(1).max(1);
        let transfer = self.capacity.recip();
        let longest = waits.most.max(waits.least);
        let ratio = ((longest + transfer) / (waits.least + transfer)).max(1.0);
        let step = libm::pow(ratio, 1.0 / count as f64);
        let (mut from, mut left) = (waits.least, f64::INFINITY);
        for (i, stretch) in stretches.iter_mut().enumerate() {
            let last = match i {
                i if i >= count => from,
                i if i + 1 == count => longest,
                _ => ((from + transfer) * step - transfer).min(longest),
            };
            let (own, _) = rates(readers(&self.takers, threads), from);
            let more = self.more(from);
            left = self.left_by(crowd, own, from, more, left);
            let law = self.law_with(crowd, left, more);
            let first = self.delivered(law, from);
            *stretch = Stretch { wait: from, others_gbs: left, first, last: self.delivered(law, last) };
            if i == 0 {
                *whole = Stretch { last: self.delivered(law, longest), ..*stretch };
            }
            from = last;
        }
    }

    /// An upper bound on the worth of the points of the curve if others have at most `others_gbs` of traffic.
    ///
    /// `stretches`: result of [`Self::lay_out`] with the same threads.
    pub fn worth(
        &self,
        threads: &[u32],
        prices: Prices<'_>,
        stretches: &[Stretch],
        others_gbs: f64,
    ) -> Worth {
        let curve = Curve { queue: self, threads, prices, others_gbs };
        let mut found = Worth { most: f64::NEG_INFINITY, wait: 0.0 };
        let Some((_, stretches)) = stretches.split_first() else { return found };
        let (Some(first), Some(last)) = (stretches.first(), stretches.last()) else { return found };
        if first.wait >= last.wait {
            // If bytes have to wait longer than with the maximum traffic of others, that traffic may first
            // fall and then rise again.
            let worth = curve.worth_of(&curve.own(first.wait), self.capacity);
            return Worth { most: worth, wait: first.wait };
        }
        let mut best = f64::NEG_INFINITY;
        let mut low = curve.own(first.wait);
        for (i, stretch) in stretches.iter().enumerate() {
            let worth = curve.worth_of(&low, stretch.others_gbs);
            if worth > best {
                (best, found.wait) = (worth, stretch.wait);
            }
            found.most = found.most.max(worth);
            if let Some(next) = stretches.get(i + 1) {
                let high = curve.own(next.wait);
                found.most = found.most.max(curve.above(&low, stretch.first, &high, stretch.last));
                low = high;
            } else {
                found.most = found.most.max(curve.beyond(&low, stretch));
            }
        }
        found
    }

    /// An upper bound on the worth of the points of the curve that is faster to compute: the whole curve is
    /// one stretch.
    pub fn worth_at_most(
        &self,
        threads: &[u32],
        prices: Prices<'_>,
        stretches: &[Stretch],
        others_gbs: f64,
    ) -> f64 {
        let curve = Curve { queue: self, threads, prices, others_gbs };
        let (Some(whole), Some(last)) = (stretches.first(), stretches.last()) else {
            return f64::NEG_INFINITY;
        };
        let low = curve.own(whole.wait);
        if whole.wait >= last.wait {
            return curve.worth_of(&low, self.capacity);
        }
        let high = curve.own(last.wait);
        let ends = curve.worth_of(&low, whole.others_gbs).max(curve.worth_of(&high, last.others_gbs));
        ends.max(curve.above(&low, whole.first, &high, whole.last)).max(curve.beyond(&high, last))
    }

    /// Maximum GFLOPS of each application on the node that reads its memory, while bytes wait at least
    /// `wait`.
    pub fn gflops_at_most(&self, threads: &[u32], wait: f64) -> impl Iterator<Item = (usize, f64)> {
        gflops(&self.takers, threads, wait).chain(gflops(&self.spread, threads, wait))
    }

    /// GFLOPS of each application on the node that reads only its memory, while bytes wait `wait`.
    pub fn gflops(&self, threads: &[u32], wait: f64) -> impl Iterator<Item = (usize, f64)> {
        gflops(&self.takers, threads, wait)
    }

    /// Maximum traffic of others while bytes wait `wait`, GB/s.
    pub fn others_gbs(&self, threads: &[u32], wait: f64) -> f64 {
        let (own, _) = rates(readers(&self.takers, threads), wait);
        self.left_by(self.crowd(threads), own, wait, self.more(wait), f64::INFINITY)
    }

    /// The same if the node's threads are `crowd` and have `own` GB/s of traffic, and others add `more` per
    /// GB/s; the result is near `guess`.
    ///
    /// With x more traffic of others, the remainder of the delivered bandwidth is at least x smaller. So a
    /// Newton step from a point with too small a remainder is no longer than the excess.
    fn left_by(&self, crowd: Crowd, own: f64, wait: f64, more: Crowd, guess: f64) -> f64 {
        let excess = |others: f64| {
            let law = self.law_with(crowd, others, more);
            let delivered = self.delivered(law, wait).0;
            (delivered - own - others, self.falls(crowd, others, more, law, delivered, wait))
        };
        let all = (self.delivered(self.law_with(crowd, 0.0, more), wait).0 - own).max(0.0);
        let (mut low, mut high) = (0.0, all);
        let mut others = guess.clamp(0.0, all);
        for _ in 0..STEPS_TO_OTHERS {
            let (above, falls) = excess(others);
            if above.abs() <= TOO_MUCH * self.capacity {
                return (others + above.max(0.0)).min(all);
            }
            if above > 0.0 {
                low = others;
            } else {
                high = others;
            }
            let next = others + above / falls;
            others = if next > low && next < high { next } else { f64::midpoint(low, high) };
        }
        high
    }

    /// Decrease of the delivered bandwidth that is not yet used, per additional GB/s of others; at least 1.
    fn falls(&self, crowd: Crowd, others: f64, more: Crowd, law: Law, delivered: f64, wait: f64) -> f64 {
        let Crowd { count, penalties } = self.beside(others, more);
        let all = crowd.and(count, penalties);
        let more = Crowd {
            count: if count > self.sure.count { more.count } else { 0.0 },
            penalties: if penalties > self.sure.penalties { more.penalties } else { 0.0 },
        };
        if law.is_hard() || all.count <= 1.0 || wait <= 0.0 {
            return 1.0;
        }
        let alone = wait / law.factor;
        // Of S = wait / factor, the fraction that is delivered, to the power of the sharpness of the corner:
        // 1 / (1 + (S / capacity)^8).
        let part = delivered / alone;
        let soft = part * part;
        let soft = soft * soft;
        let soft = soft * soft;
        let rises = (more.count * all.penalties / (all.count * all.count)
            + (all.count - 1.0) / all.count * more.penalties)
            / (self.capacity * self.capacity);
        1.0 + delivered * soft / law.factor * rises
    }

    /// The minimum number of others per GB/s of traffic, and their minimum contribution to the waits.
    fn more(&self, wait: f64) -> Crowd {
        let per_gbs = |other: &Other| other.count * (other.time + other.waits * wait).max(other.link);
        let least = |of: &dyn Fn(&Other) -> f64| self.others.iter().map(of).fold(f64::INFINITY, f64::min);
        if self.others.is_empty() {
            return Crowd::default();
        }
        Crowd { count: least(&per_gbs), penalties: least(&|other| other.penalty * per_gbs(other)) }
    }

    /// The law with this crowd of own threads and with others that have this traffic and add `more` per GB/s.
    fn law_with(&self, crowd: Crowd, others_gbs: f64, more: Crowd) -> Law {
        let Crowd { count, penalties } = self.beside(others_gbs, more);
        Law::new(self.capacity, crowd.and(count, penalties).factor(&self.queue))
    }

    /// The minimum number of others with this traffic.
    fn beside(&self, others_gbs: f64, more: Crowd) -> Crowd {
        Crowd {
            count: (others_gbs * more.count).max(self.sure.count),
            penalties: (others_gbs * more.penalties).max(self.sure.penalties),
        }
    }

    /// These threads in the queue.
    fn crowd(&self, threads: &[u32]) -> Crowd {
        let mut crowd = Crowd::default();
        for taker in &self.takers {
            crowd.add_flow(&self.queue, &taker.flow, f64::from(threads[taker.app]));
        }
        crowd
    }

    /// The delivered bandwidth, and its slope per additional ns per byte.
    fn delivered(&self, law: Law, wait: f64) -> (f64, f64) {
        match law {
            law if law.is_hard() => (self.capacity, 0.0),
            _ if wait <= 0.0 => (0.0, 1.0 / law.factor),
            _ => law.delivered(wait),
        }
    }
}

/// The worth of waits, with certain threads at certain prices.
struct Curve<'a> {
    queue: &'a OwnQueue,
    threads: &'a [u32],
    prices: Prices<'a>,
    others_gbs: f64,
}

/// A stretch of the curve: its start, the traffic of others there, and the delivered bandwidth at both ends
/// with that number of others, each with its slope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    wait: f64,
    others_gbs: f64,
    first: (f64, f64),
    last: (f64, f64),
}

/// The node's own threads while bytes wait: total traffic, the part of its worth that is convex and falls,
/// the part that is concave, and the slope of the latter.
#[derive(Clone, Copy, Debug)]
struct OwnPart {
    wait: f64,
    gbs: f64,
    falls: f64,
    rises: f64,
    slope: f64,
}

impl Curve<'_> {
    fn own(&self, wait: f64) -> OwnPart {
        let Self { queue, threads, prices, .. } = *self;
        let mut own = OwnPart { wait, gbs: 0.0, falls: 0.0, rises: -prices.wait * wait, slope: -prices.wait };
        for taker in queue.takers.iter().filter(|taker| threads[taker.app] > 0) {
            let (rate, slower) = taker.rate(wait);
            let amount = f64::from(threads[taker.app]);
            own.gbs += amount * rate;
            let worth = prices.gflops[taker.app] * taker.gflops_per_gbs - prices.others;
            if worth > 0.0 {
                own.falls += worth * amount * rate;
            } else {
                own.rises += worth * amount * rate;
                own.slope -= worth * amount * slower;
            }
        }
        own
    }

    fn worth_of(&self, own: &OwnPart, others_gbs: f64) -> f64 {
        own.falls + own.rises + self.prices.others * (own.gbs + others_gbs.min(self.others_gbs))
    }

    /// Upper bound on the worth beyond the last point, where the traffic of others is close to its maximum or
    /// to the capacity: own threads have less there, and others no more than the capacity.
    fn beyond(&self, last: &OwnPart, stretch: &Stretch) -> f64 {
        let capacity = self.queue.capacity;
        if stretch.others_gbs < self.others_gbs.min((FOLLOWED - 1e-3) * capacity) {
            return f64::NEG_INFINITY;
        }
        let more = self.others_gbs.min(capacity) - stretch.others_gbs;
        self.worth_of(last, stretch.others_gbs) + self.prices.others * more.max(0.0)
    }

    /// Upper bound on the worth of all points between two, given the delivered bandwidth, with its slope, at
    /// both ends.
    fn above(&self, low: &OwnPart, first: (f64, f64), high: &OwnPart, last: (f64, f64)) -> f64 {
        let price = self.prices.others;
        let width = high.wait - low.wait;
        let (rises, slope) = (low.rises + price * first.0, low.slope + price * first.1);
        let (rises_last, slope_last) = (high.rises + price * last.0, high.slope + price * last.1);
        let ends = (low.falls + rises).max(high.falls + rises_last);
        if width <= 0.0 {
            return ends;
        }
        // Intersection of the two tangents, from `low` on.
        let fall = (high.falls - low.falls) / width;
        let bent = slope - slope_last;
        let meet = if bent > 0.0 { (rises_last - rises - slope_last * width) / bent } else { 0.0 };
        let meet = meet.clamp(0.0, width);
        ends.max(low.falls + fall * meet + rises + slope * meet)
    }
}
