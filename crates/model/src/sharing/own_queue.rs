//! The memory of a node under `ecm`, for bounds: what its own threads and all others can draw of it together.
//!
//! # Where it holds
//! What nodes read is not limited. Threads of a node that read nothing but its own memory then have the rates 1 / (1/d + v w),
//! where w is how long bytes wait there: *one* number for all of them. Others draw what is left of the law of the queue, R = D(w) - own(w).
//! So whatever others do, the node's threads and R lie on one curve over w, from the wait that its threads have alone (R = 0) on.
//! A bound that lets each of them take what it likes of the capacity is up to 8 % higher where the corner is soft.
//!
//! Threads that read other memories, too, wherever they run, are others: they wait elsewhere as well, and draw no more here than they would after
//! the wait here alone.
//!
//! D depends on how many are in the queue: with more threads the same wait delivers less ([`super::ecm`], rule 1). Others who draw R while bytes wait w are
//! at least R x k(w) threads, as one of them draws no more than it would after that wait, or than its link has. So R is at most the solution of
//! R = D(w, own threads and R x k(w)) - own(w). It need not grow with w, but R x k(w) does: with fewer in the queue D would be larger after a longer wait.
//!
//! # The most that a point of the curve can be worth
//! With prices of what each gets, the worth is f(w) = sum j n r(w) + p D(w), j = worth of a GB/s less the price p of one. The terms with j > 0 are convex
//! in w and fall, all others are concave with D of a fixed number of others: that of the shorter wait, which is too small further on, and D too large.
//! Between two waits a chord is above the first part, and each tangent above the second.

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
    /// GFLOPS for each GB/s that they occupy.
    gflops_per_gbs: f64,
}

impl Taker {
    /// GB/s of one thread while bytes wait `wait`, and minus its slope.
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
    /// Threads of the node that read other memories, too.
    spread: Vec<Taker>,
    others: Vec<Other>,
    /// Others that are sure to be in the queue, whatever they draw.
    sure: Crowd,
}

/// Threads elsewhere that read the memory, or those of the node that read others, too.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Other {
    app: usize,
    /// As how many each counts in the queue.
    count: f64,
    /// ns per byte without a wait, and how much of a wait it feels.
    time: f64,
    waits: f64,
    /// ns per byte of its link.
    link: f64,
    penalty: f64,
}

/// How long bytes can wait at the memory beside certain threads of the node, ns per byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waits {
    /// Where nobody else reads it.
    pub least: f64,
    /// Where others draw all that they can.
    pub most: f64,
}

impl Waits {
    /// Those from `least` to `most` ns per byte; none where others would have to wait less than own threads alone.
    ///
    /// Others may be so many that bytes wait longer than those who draw most make them wait: then these have what they can draw.
    #[must_use]
    pub fn within(self, (least, most): (f64, f64)) -> Self {
        Self { least: self.least.max(least), most: self.most.max(least).min(most) }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.least > self.most * (1.0 + 1e-9)
    }
}

/// The most that a point of the curve can be worth, and where nearly as much is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// No point is worth more.
    pub most: f64,
    /// How long bytes wait there, ns per byte.
    pub wait: f64,
}

/// What GB/s are worth.
#[derive(Clone, Copy, Debug)]
pub struct Prices<'a> {
    /// Of each application: one GFLOPS, beside what it draws of this memory.
    pub gflops: &'a [f64],
    /// One GB/s that others draw.
    pub others: f64,
    /// Each ns that a byte waits costs that.
    pub wait: f64,
}

impl Solver {
    /// The memory of `node` as its own threads and others share it; `None` where that is not one curve: under other models,
    /// where what nodes read is limited or remote bytes need the controller for longer, where the corner is hard, and where copies of replicated data
    /// are written.
    pub fn own_queue(&self, node: NodeId) -> Option<OwnQueue> {
        if self.writes_open_copies() { None } else { OwnQueue::new(&self.compiled, node) }
    }

    /// Whether equal threads of one node get no more beside others than alone, wherever their data lie: under `ecm` as its document promises nothing
    /// that grows with load.
    ///
    /// If they had more, each of their queues would deliver more, with no fewer in it, and so bytes would wait longer in all of them.
    pub fn equal_threads_have_most_alone(&self) -> bool {
        let compiled = &self.compiled;
        compiled.model.kind == ModelKind::Ecm
            && compiled.model.one_controller_never_helps()
            && compiled.rows_per_app == 1
            && !self.writes_open_copies()
    }

    /// The most GFLOPS of so many threads of `app` on `node` where a GB of it waits at least `wait` ns at all controllers together: each memory counts as
    /// the threads occupy it. Where memories are shared along curves ([`Self::own_queue`]).
    ///
    /// At links it waits at least as long as beside nobody else there: that only grows with what is drawn.
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

    /// Whether memories are shared along curves ([`Self::own_queue`]), those of nodes with cores and memory.
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
    /// The link from `from` to `memory` with those who use it; `None` where memories are not shared along curves, or nobody does.
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
    /// The most GFLOPS of each application on the node that reads that memory, while bytes wait at least `wait` there.
    ///
    /// How long they wait at the link is left out: where that is long, the link and not the memory says what they get.
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

/// Most stretches of one curve: one for all of it, and twelve with which what is worth most is found to about a tenth of a per cent.
pub const MOST_STRETCHES: usize = 13;
/// Steps to the longest wait, which may be a little too long.
const BISECTIONS: u32 = 6;
/// Most steps to what others draw, which may be too much by this part of the capacity; a handful is enough.
const STEPS_TO_OTHERS: u32 = 48;
const TOO_MUCH: f64 = 1e-9;
/// Steps to the rate of equal threads, which may be a little too high.
const BISECTIONS_OF_RATE: u32 = 40;
/// No byte waits longer, ns.
const LONGEST: f64 = 1e9;
/// The part of a controller up to which others are followed: they come near what there is, but never to it.
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

    /// The same queue where so many threads of applications are somewhere, all of which read this memory and others, from each node.
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

    /// The most that threads of the node which read other memories, too, draw of this one, GB/s: they are others here.
    pub fn spread_gbs(&self, threads: &[u32]) -> f64 {
        self.spread.iter().map(|taker| f64::from(threads[taker.app]) * taker.flow.demand_gbs).sum()
    }

    /// Whether threads of application `app` on the node read its memory, and no other.
    pub fn has(&self, app: usize) -> bool {
        self.takers.iter().any(|taker| taker.app == app)
    }

    /// How long bytes can wait beside so many threads of each application on the node, where others draw at most `others_gbs`
    /// ([`Self::spread_gbs`] is a part of that).
    pub fn waits(&self, threads: &[u32], others_gbs: f64) -> Waits {
        let crowd = self.crowd(threads);
        let law = self.law_with(crowd, 0.0, Crowd::default());
        let least = wait_at(|| readers(&self.takers, threads), law);
        let others = others_gbs.min(FOLLOWED * self.capacity);
        // What is left falls below `others` where they would have to draw less for the sum to be what is delivered.
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

    /// The curve between these waits, in as many stretches as `stretches` has room for: the first is the whole of it.
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

    /// The most that a point of the curve can be worth where others draw at most `others_gbs`.
    ///
    /// `stretches`: of [`Self::lay_out`] with the same threads.
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
            // Where bytes have to wait longer than makes others draw all that they can, what they draw may first fall and then rise again.
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

    /// No point of the curve is worth more than this, which is quicker to know: all of it is one stretch.
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

    /// The most GFLOPS of each application on the node that reads its memory, while bytes wait at least `wait`.
    pub fn gflops_at_most(&self, threads: &[u32], wait: f64) -> impl Iterator<Item = (usize, f64)> {
        gflops(&self.takers, threads, wait).chain(gflops(&self.spread, threads, wait))
    }

    /// GFLOPS of each application on the node that reads nothing but its memory, while bytes wait `wait`.
    pub fn gflops(&self, threads: &[u32], wait: f64) -> impl Iterator<Item = (usize, f64)> {
        gflops(&self.takers, threads, wait)
    }

    /// The most that others draw while bytes wait `wait`, GB/s.
    pub fn others_gbs(&self, threads: &[u32], wait: f64) -> f64 {
        let (own, _) = rates(readers(&self.takers, threads), wait);
        self.left_by(self.crowd(threads), own, wait, self.more(wait), f64::INFINITY)
    }

    /// The same where the node's threads are this crowd and draw `own` GB/s, and others are `more` for each GB/s; it is near `guess`.
    ///
    /// With x that others draw more there is at least x less left of what is delivered: so Newton's step from where that is too little is no
    /// further than the excess.
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

    /// By how much what is delivered and not yet drawn falls with each GB/s that others draw more; at least 1.
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
        // Of S = wait / factor the part that is delivered, to the power of what the corner is sharp by: 1 / (1 + (S / capacity)^8).
        let part = delivered / alone;
        let soft = part * part;
        let soft = soft * soft;
        let soft = soft * soft;
        let rises = (more.count * all.penalties / (all.count * all.count)
            + (all.count - 1.0) / all.count * more.penalties)
            / (self.capacity * self.capacity);
        1.0 + delivered * soft / law.factor * rises
    }

    /// The fewest that others who draw a GB/s can be, and the least that they add to the waits.
    fn more(&self, wait: f64) -> Crowd {
        let per_gbs = |other: &Other| other.count * (other.time + other.waits * wait).max(other.link);
        let least = |of: &dyn Fn(&Other) -> f64| self.others.iter().map(of).fold(f64::INFINITY, f64::min);
        if self.others.is_empty() {
            return Crowd::default();
        }
        Crowd { count: least(&per_gbs), penalties: least(&|other| other.penalty * per_gbs(other)) }
    }

    /// The law with this crowd of own threads and with others who draw so much and are `more` for each GB/s.
    fn law_with(&self, crowd: Crowd, others_gbs: f64, more: Crowd) -> Law {
        let Crowd { count, penalties } = self.beside(others_gbs, more);
        Law::new(self.capacity, crowd.and(count, penalties).factor(&self.queue))
    }

    /// How many others there are at least where they draw so much.
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

    /// What is delivered, and how much more with each ns per byte more.
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

/// A stretch of the curve: where it begins, with what others draw there, and what the queue delivers at its ends with so many others, each with its slope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    wait: f64,
    others_gbs: f64,
    first: (f64, f64),
    last: (f64, f64),
}

/// What own threads have while bytes wait: all, what of its worth is convex and falls, what is concave, and the slope of that.
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

    /// The most that is worth beyond the last point, where others draw nearly all that they can or all that there is: own threads have less there,
    /// and others no more than there is.
    fn beyond(&self, last: &OwnPart, stretch: &Stretch) -> f64 {
        let capacity = self.queue.capacity;
        if stretch.others_gbs < self.others_gbs.min((FOLLOWED - 1e-3) * capacity) {
            return f64::NEG_INFINITY;
        }
        let more = self.others_gbs.min(capacity) - stretch.others_gbs;
        self.worth_of(last, stretch.others_gbs) + self.prices.others * more.max(0.0)
    }

    /// No point between two is worth more, where the queue delivers that, each with its slope, at both ends.
    fn above(&self, low: &OwnPart, first: (f64, f64), high: &OwnPart, last: (f64, f64)) -> f64 {
        let price = self.prices.others;
        let width = high.wait - low.wait;
        let (rises, slope) = (low.rises + price * first.0, low.slope + price * first.1);
        let (rises_last, slope_last) = (high.rises + price * last.0, high.slope + price * last.1);
        let ends = (low.falls + rises).max(high.falls + rises_last);
        if width <= 0.0 {
            return ends;
        }
        // Where both tangents meet, from `low` on.
        let fall = (high.falls - low.falls) / width;
        let bent = slope - slope_last;
        let meet = if bent > 0.0 { (rises_last - rises - slope_last * width) / bent } else { 0.0 };
        let meet = meet.clamp(0.0, width);
        ends.max(low.falls + fall * meet + rises + slope * meet)
    }
}
