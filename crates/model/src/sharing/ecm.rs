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
//! 4. Links saturate by rule 1 alone; what a link adds to the time comes on top of the wait at the controller.
//! 5. A thread's bandwidth is the smallest granted / cost over the memories it reads.
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
//! T(n) = (T + sqrt(T^2 + 4 n (n - 1) p0 T_mem)) / 2 and extends to unequal ones. Rules 1 (for unequal threads), 3 and 4 are
//! ours.

use super::compiled::Compiled;
use super::remote::Remote;
use super::shares::Shares;
use crate::machine::Node;

/// What a controller does to a waiting byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    /// p0 / B, so that the wait is this times (N - 1) times the rates: ns per byte and GB/s.
    penalty: f64,
    /// GB/s above which a thread counts as a whole one in N.
    whole_thread: f64,
}

impl Queue {
    /// The queue of the controller of `node` with p0 = `penalty` transfer times.
    pub(super) fn new(node: &Node, penalty: f64) -> Self {
        let bandwidth = node.bandwidth.value();
        Self {
            penalty: penalty / (bandwidth * bandwidth),
            whole_thread: bandwidth / f64::from(node.cores.max(1)),
        }
    }
}

/// Rates below or above a capacity by this part are there.
const TOLERANCE: f64 = 1e-13;
/// Newton's steps; a handful is enough.
const STEPS: usize = 64;

/// Some equal threads: how many GB/s of a resource each GB/s takes times the threads, ns per byte of one of them, and the
/// part of the wait that they feel.
#[derive(Clone, Copy, Debug)]
struct Readers {
    amount: f64,
    time: f64,
    wait: f64,
}

/// All rates when bytes wait `wait`, and minus their slope.
fn rates(readers: impl Iterator<Item = Readers>, wait: f64) -> (f64, f64) {
    readers.fold((0.0, 0.0), |(sum, slope), reader| {
        let rate = 1.0 / (reader.time + wait * reader.wait);
        (sum + reader.amount * rate, slope + reader.amount * reader.wait * rate * rate)
    })
}

/// The wait at which the rates sum to `capacity`, if they sum to more after `least`.
///
/// Newton's method on 1 / rates, which is concave in the wait: it comes from below and is exact at once for equal readers.
fn wait_to_fit<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, capacity: f64, least: f64) -> f64 {
    let mut wait = least;
    for _ in 0..STEPS {
        let (sum, slope) = rates(readers(), wait);
        if sum <= capacity * (1.0 + TOLERANCE) || slope <= 0.0 {
            break;
        }
        wait += sum / slope * (sum / capacity - 1.0);
    }
    wait
}

/// The wait that is `factor` times the rates, if it is below `most`.
///
/// Newton's method on wait - factor x rates, which is concave and rising: it comes from below.
fn wait_behind<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, factor: f64, most: f64) -> f64 {
    let mut wait = 0.0;
    for _ in 0..STEPS {
        let (sum, slope) = rates(readers(), wait);
        let step = (factor * sum - wait) / (1.0 + factor * slope);
        if step <= TOLERANCE * wait {
            break;
        }
        wait = (wait + step).min(most);
    }
    wait
}

/// Shares memory `m`.
pub(super) fn share(
    compiled: &Compiled,
    remote: Remote,
    queue: &Queue,
    m: usize,
    threads: &[f64],
    shares: &mut Shares,
    times: &mut [f64],
) {
    let memory = &compiled.memories[m];
    let controller = shares.controllers[m];
    for p in memory.links.clone() {
        let offered = shares.offered[p];
        let wait = if shares.wanted[p] > offered {
            let flows = || compiled.pools[p].flows.clone();
            let readers = || {
                flows().map(|f| reader(compiled, f, threads, 1.0 / compiled.flows[f].demand_gbs, 1.0, 1.0))
            };
            wait_to_fit(readers, offered, 0.0)
        } else {
            0.0
        };
        for f in compiled.pools[p].flows.clone() {
            times[f] = 1.0 / compiled.flows[f].demand_gbs + wait;
        }
    }
    if let Some(p) = memory.own {
        for f in compiled.pools[p].flows.clone() {
            times[f] = 1.0 / compiled.flows[f].demand_gbs;
        }
    }
    let wait = {
        let remote_wait = 1.0 / remote.weight;
        let readers = || {
            let links = memory.links.clone().flat_map(|p| compiled.pools[p].flows.clone());
            let links = links.map(|f| reader(compiled, f, threads, times[f], remote.cost, remote_wait));
            let own = memory.own.into_iter().flat_map(|p| compiled.pools[p].flows.clone());
            links.chain(own.map(|f| reader(compiled, f, threads, times[f], 1.0, 1.0)))
        };
        let offered: f64 = shares.offered[memory.links.clone()].iter().sum();
        let asked = remote.cost * offered + memory.own.map_or(0.0, |own| shares.wanted[own]);
        controller_wait(compiled, queue, m, controller, asked, threads, readers)
    };
    let pools = memory.links.clone().map(|p| (p, 1.0 / remote.weight));
    for (p, felt) in pools.chain(memory.own.map(|p| (p, 1.0))) {
        let by_link = shares.wanted[p] > shares.offered[p];
        let mut taken = 0.0;
        for f in compiled.pools[p].flows.clone() {
            let demand_gbs = compiled.flows[f].demand_gbs;
            let granted = if wait > 0.0 || by_link {
                (1.0 / (times[f] + wait * felt)).min(demand_gbs)
            } else {
                demand_gbs
            };
            shares.grant(compiled, f, granted);
            taken += threads[compiled.flows[f].group as usize] * granted;
        }
        shares.available[p] = taken;
    }
}

#[inline]
fn reader(compiled: &Compiled, flow: usize, threads: &[f64], time: f64, cost: f64, wait: f64) -> Readers {
    Readers { amount: cost * threads[compiled.flows[flow].group as usize], time, wait }
}

/// How long bytes wait at a controller that is asked for `asked` GB/s.
fn controller_wait<I: Iterator<Item = Readers>>(
    compiled: &Compiled,
    queue: &Queue,
    m: usize,
    controller: f64,
    asked: f64,
    threads: &[f64],
    readers: impl Fn() -> I,
) -> f64 {
    if queue.penalty == 0.0 {
        return if asked > controller { wait_to_fit(readers, controller, 0.0) } else { 0.0 };
    }
    let memory = &compiled.memories[m];
    let pools = memory.links.clone().chain(memory.own);
    let flows = pools.flat_map(|p| &compiled.flows[compiled.pools[p].flows.clone()]);
    let threads_that_count: f64 = flows
        .map(|flow| threads[flow.group as usize] * (flow.demand_gbs / queue.whole_thread).min(1.0))
        .sum();
    let factor = (threads_that_count - 1.0).max(0.0) * queue.penalty;
    let at_most = factor * controller;
    if asked > controller && rates(readers(), at_most).0 > controller {
        wait_to_fit(readers, controller, at_most)
    } else {
        wait_behind(readers, factor, at_most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(count: f64, demand_gbs: f64) -> impl Fn() -> std::iter::Once<Readers> {
        move || std::iter::once(Readers { amount: count, time: 1.0 / demand_gbs, wait: 1.0 })
    }

    #[test]
    fn equal_threads_that_want_too_much_share_equally() {
        // 5 threads of 20 GB/s on 32: 6.4 each, 1/6.4 - 1/20 = 0.10625 ns per byte of waiting
        assert!((wait_to_fit(equal(5.0, 20.0), 32.0, 0.0) - 0.10625).abs() < 1e-12);
    }

    #[test]
    fn equal_threads_follow_the_closed_form_below_saturation() {
        // n = 4, d = 5, B = 32, p0 = 0.5 / B: T = 0.2, T_mem = 1/32:
        // T(4) = (0.2 + sqrt(0.04 + 4 x 12 x (0.5/32) / 32)) / 2
        let factor = 3.0 * 0.5 / (32.0 * 32.0);
        let expected = f64::midpoint(0.2, (0.04 + 4.0 * 12.0 * (0.5 / 32.0) / 32.0_f64).sqrt());
        let wait = wait_behind(equal(4.0, 5.0), factor, factor * 32.0);
        assert!((0.2 + wait - expected).abs() < 1e-12, "{wait}");
    }

    #[test]
    fn the_closed_form_is_near_the_published_recursion() {
        // T(n) = T + (n - 1) u(n - 1) p0 step by step, against the form with u(n)
        let (d, b, kappa) = (10.0_f64, 100.0_f64, 0.5);
        let (t, t_mem, p0) = (1.0 / d, 1.0 / b, kappa / b);
        let mut u = t_mem / t;
        for n in 2..=12 {
            let count = f64::from(n);
            let recursion = t + (count - 1.0) * u * p0;
            u = (count * t_mem / recursion).min(1.0);
            let closed = f64::midpoint(t, (t * t + 4.0 * count * (count - 1.0) * p0 * t_mem).sqrt());
            assert!((closed / recursion - 1.0).abs() < 0.05, "{n}: {closed} {recursion}");
        }
    }
}
