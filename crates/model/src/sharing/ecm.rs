//! The model `ecm`: every byte waits the same time at a busy controller, which saturates softly.
//!
//! # Unit
//! Times are nanoseconds per byte; 1 / time is GB/s.
//!
//! # Rules
//! A thread that alone needs the time 1/d per byte needs 1/d + w where bytes wait w. On a controller with B GB/s whose
//! threads want W GB/s in all:
//! 1. *Saturated*: w is such that the rates sum to B. A thread that alone is slow (much computation per byte) loses
//!    little, one that is fast loses much.
//! 2. *Below saturation* each thread waits behind the others: w = (N - 1) u p0 with the utilisation u = rates / B and
//!    p0 = `ecm_penalty` / B. The larger one of both waits counts, so that the curve is continuous.
//! 3. N counts threads; one that wants less than the baseline B / cores counts as that part of one, so that a thread
//!    without traffic makes nobody wait.
//! 4. A link is such a queue, too, with its own capacity in place of B, its threads in place of N, and the same `ecm_penalty`. A remote
//!    thread waits at both, 1/d + w_link + w, and both waits are solved together: who is held back by the controller queues less at
//!    the link.
//! 5. A link that shares a link with others has what these leave: what it would have if it asked for everything, the shared one
//!    filled evenly (max-min) up to its capacity. That is never less than what it is given, and changes without a step.
//! 6. A thread's bandwidth is the smallest granted / cost over the memories it reads.
//!
//! Bytes are counted in GB/s of reads: those of a kernel with a figure of its own (`triad_gbs`) need the controller for longer, the
//! T_mem of the kernel.
//!
//! With a remote weight r remote bytes wait w / r; with a remote loss a remote GB/s takes 1 + loss of the controller.
//!
//! # Source, and what was checked
//! The Execution-Cache-Memory model of RRZE: P(n) = min(n P1, B), n_sat = T_ECM / T_mem (checked against Kerncraft's source,
//! which calls it a very simple approach). The soft knee follows Hofmann, Hager, Fey (arXiv 1803.01618),
//! T(n) = T + (n - 1) u(n - 1) p0, u(n) = n T_mem / T(n), whose text was not at hand; here u(n) stands for
//! u(n - 1), which makes it an equation for equal threads with the closed form
//! T(n) = (T + sqrt(T^2 + 4 n (n - 1) p0 T_mem)) / 2 and extends to unequal ones. Rules 1 (for unequal threads) and 3 to 5 are
//! ours. Rule 4 was chosen by an Opteron's nodes that read one memory together with its own node, and tested on other loads and
//! machines (`tools/published`).

use std::ops::Range;

use super::compiled::{Compiled, Pool};
use super::ports::left_by;
use super::remote::Remote;
use super::shares::Shares;
use crate::machine::Node;

mod wait;

use wait::{Bounds, Readers, joint_wait, wait_at};

/// What a controller or a link does to a waiting byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    /// p0 / B, so that the wait is this times (N - 1) times the rates: ns per byte and GB/s.
    penalty: f64,
    /// GB/s above which a thread counts as a whole one in N.
    whole_thread: f64,
}

impl Queue {
    /// The queue of the controller of `node` with p0 = `penalty` transfer times.
    pub(super) fn of_controller(node: &Node, penalty: f64) -> Self {
        Self::new(node.bandwidth.value(), 1.0 / f64::from(node.cores.max(1)), penalty)
    }

    /// The queue of something with `capacity` GB/s for the threads of 1 / `inverse_cores` cores.
    fn new(capacity: f64, inverse_cores: f64, penalty: f64) -> Self {
        Self { penalty: penalty / (capacity * capacity), whole_thread: capacity * inverse_cores }
    }

    /// What the rates are multiplied by to give the wait: N - 1 threads, of which one that wants little is a part of one.
    fn factor(&self, compiled: &Compiled, flows: impl Iterator<Item = usize>, threads: &[f64]) -> f64 {
        if self.penalty == 0.0 {
            return 0.0;
        }
        let count = flows.map(|f| {
            let flow = &compiled.flows[f];
            threads[flow.group as usize] * (flow.demand_gbs / self.whole_thread).min(1.0)
        });
        (count.sum::<f64>() - 1.0).max(0.0) * self.penalty
    }
}

/// Working memory of one evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// Nanoseconds per byte of one thread of each flow.
    times: Vec<f64>,
    /// Per pool: GB/s that its link has, or what shared ones on the way leave it.
    capacities: Vec<f64>,
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

/// Shares memory `m`.
pub(super) fn share(
    compiled: &Compiled,
    remote: Remote,
    queue: &Queue,
    m: usize,
    threads: &[f64],
    shares: &mut Shares,
    notes: &mut Notes,
) {
    let Notes { times, capacities } = notes;
    let memory = &compiled.memories[m];
    let pools = || memory.links.clone().chain(memory.own);
    // A node without memory has no queue.
    if pools().next().is_none() {
        return;
    }
    for f in pools().flat_map(|p| compiled.pools[p].flows.clone()) {
        times[f] = 1.0 / compiled.flows[f].demand_gbs;
    }
    let at = Controller { compiled, remote, threads, times };
    let link = |pool: usize, shares: &Shares| link(compiled, pool, capacities[pool], threads, shares);
    let factor = queue.factor(compiled, pools().flat_map(|p| compiled.pools[p].flows.clone()), threads);
    let offered: f64 = shares.offered[memory.links.clone()].iter().sum();
    let asked = remote.cost * offered + memory.own.map_or(0.0, |own| shares.wanted[own]);
    let bounds = Bounds { capacity: shares.controllers[m], factor, asked };
    let any_queues = memory.links.clone().any(|p| link(p, shares).is_some());
    let wait = if any_queues {
        let total = |wait: f64| {
            let of_link = |p: usize| {
                let bounds = link(p, shares);
                let at_link = bounds.map_or(0.0, |bounds| at.wait_at_link(p, bounds, wait));
                at.rates_of(p, remote.felt(), wait, at_link)
            };
            let links: f64 = memory.links.clone().map(of_link).sum();
            remote.cost * links + memory.own.map_or(0.0, |own| at.rates_of(own, 1.0, wait, 0.0))
        };
        // However long bytes wait: no more than amount / wait.
        let amount: f64 = at.readers(memory.links.clone(), memory.own).map(|one| one.amount / one.wait).sum();
        joint_wait(total, bounds, amount)
    } else {
        wait_at(|| at.readers(memory.links.clone(), memory.own), bounds)
    };
    for p in pools() {
        let is_own = memory.own == Some(p);
        let bounds = if is_own { None } else { link(p, shares) };
        let at_link = bounds.map_or(0.0, |bounds| at.wait_at_link(p, bounds, wait));
        let felt = if is_own { 1.0 } else { remote.felt() };
        let mut taken = 0.0;
        for f in compiled.pools[p].flows.clone() {
            let demand_gbs = compiled.flows[f].demand_gbs;
            let waits = wait * felt + at_link;
            let granted =
                if waits > 0.0 { (1.0 / (at.times[f] + waits)).min(demand_gbs) } else { demand_gbs };
            shares.grant(compiled, f, granted);
            taken += threads[compiled.flows[f].group as usize] * granted;
        }
        shares.available[p] = taken;
    }
}

/// What holds of a link with `capacity` GB/s; `None` where nobody waits at it.
fn link(compiled: &Compiled, pool: usize, capacity: f64, threads: &[f64], shares: &Shares) -> Option<Bounds> {
    let (wanted, offered) = (shares.wanted[pool], shares.offered[pool]);
    let penalty = compiled.model.parameters.ecm_penalty;
    let Pool { inverse_cores, ref flows, .. } = compiled.pools[pool];
    (wanted > offered || (penalty > 0.0 && wanted > 0.0)).then(|| {
        let queue = Queue::new(capacity, inverse_cores, penalty);
        Bounds { capacity, factor: queue.factor(compiled, flows.clone(), threads), asked: wanted }
    })
}

/// A controller, and how long the threads that read it need alone.
struct Controller<'a> {
    compiled: &'a Compiled,
    remote: Remote,
    threads: &'a [f64],
    times: &'a [f64],
}

impl Controller<'_> {
    /// Those of a pool, of whose GB/s each takes `cost` and who feel the part `felt` of the wait.
    fn of_pool(&self, pool: usize, cost: f64, felt: f64) -> impl Iterator<Item = Readers> {
        self.compiled.pools[pool].flows.clone().map(move |f| {
            let count = self.threads[self.compiled.flows[f].group as usize];
            Readers { amount: cost * count, time: self.times[f], wait: felt }
        })
    }

    /// All, as the controller sees them.
    fn readers(&self, links: Range<usize>, own: Option<usize>) -> impl Iterator<Item = Readers> {
        let (cost, felt) = (self.remote.cost, self.remote.felt());
        let links = links.flat_map(move |p| self.of_pool(p, cost, felt));
        links.chain(own.into_iter().flat_map(|p| self.of_pool(p, 1.0, 1.0)))
    }

    /// How long bytes wait at a link while they wait `wait` at the controller.
    fn wait_at_link(&self, pool: usize, bounds: Bounds, wait: f64) -> f64 {
        let held_back = wait * self.remote.felt();
        wait_at(
            || self.of_pool(pool, 1.0, 1.0).map(|one| Readers { time: one.time + held_back, ..one }),
            bounds,
        )
    }

    /// What the threads of a pool draw together.
    fn rates_of(&self, pool: usize, felt: f64, wait: f64, at_link: f64) -> f64 {
        let waits = wait * felt + at_link;
        self.of_pool(pool, 1.0, 1.0).map(|one| one.amount / (one.time + waits)).sum()
    }
}
