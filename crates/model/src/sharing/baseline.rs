//! The first round of the model `baseline-proportional`, memory by memory. It is the complete calculation if
//! every thread reads one memory and no limit is shared, as in most questions.
//!
//! [`super::rounds`] implements the further rounds.

use super::compiled::Compiled;
use super::compiled::Shares;
use super::ports;
use super::ports::Remote;
use super::ports::Split;

/// Steps 1 to 4 for every memory, without corrections and common limits. Returns whether any pool has less
/// than its threads request.
#[inline]
pub(super) fn first_round(compiled: &Compiled, threads: &[f64], shares: &mut Shares) -> bool {
    let mut hungry = false;
    for m in 0..compiled.memories.len() {
        hungry |= first_round_of(compiled, m, threads, shares);
    }
    hungry
}

/// The same for memory `m`.
#[inline]
pub(super) fn first_round_of(compiled: &Compiled, m: usize, threads: &[f64], shares: &mut Shares) -> bool {
    let memory = &compiled.memories[m];
    let mut asked = 0.0;
    for p in memory.links.clone() {
        let wanted = compiled.wanted(p, threads);
        let offered = wanted.min(compiled.pools[p].capacity);
        shares.wanted[p] = wanted;
        shares.offered[p] = offered;
        asked += offered;
    }
    let own = memory.own.map_or(0.0, |own| {
        let wanted = compiled.wanted(own, threads);
        shares.wanted[own] = wanted;
        shares.offered[own] = wanted;
        wanted
    });
    let level = if asked + own <= memory.bandwidth {
        f64::INFINITY
    } else {
        ports::even_level(memory.bandwidth, own, &shares.offered[memory.links.clone()])
    };
    let mut hungry = false;
    let mut taken = 0.0;
    for p in memory.links.clone() {
        let granted = shares.offered[p].min(level);
        shares.available[p] = granted;
        taken += granted;
        if shares.wanted[p] > granted {
            hungry = true;
            split_pool(compiled, p, granted, threads, shares);
        }
    }
    if let Some(p) = memory.own {
        if own > level {
            hungry = true;
            shares.available[p] = level;
            split_pool(compiled, p, level, threads, shares);
        } else {
            shares.available[p] = (memory.bandwidth - taken).max(own);
        }
    }
    hungry
}

/// Whether all threads certainly get what they request, without common limits. Every controller and link must
/// have a little more than that, so that another order of summation cannot change the answer by rounding.
pub(super) fn all_have_room(compiled: &Compiled, remote: Remote, threads: &[f64]) -> bool {
    const ROOM: f64 = 1.0 - 1e-9;
    !compiled.has_common_limits()
        && compiled.memories.iter().all(|memory| {
            let mut asked = memory.own.map_or(0.0, |own| compiled.wanted(own, threads));
            let links_have_room = memory.links.clone().all(|p| {
                let wanted = compiled.wanted(p, threads);
                asked += remote.cost * wanted;
                wanted <= ROOM * compiled.pools[p].capacity
            });
            links_have_room && asked <= ROOM * memory.bandwidth
        })
}

/// Whether no controller has bandwidth left after the first round; no thread could then have more.
#[inline]
pub(super) fn all_controllers_full(compiled: &Compiled, threads: &[f64], shares: &Shares) -> bool {
    let bandwidth = shares.bandwidth.as_slice();
    compiled.memories.iter().all(|memory| {
        let drawn: f64 = if let Some(flows) = memory.flows.clone() {
            compiled.drawn_by(flows, threads, bandwidth)
        } else {
            let pools = memory.links.clone().chain(memory.own);
            pools.map(|p| compiled.drawn(p, threads, bandwidth)).sum()
        };
        memory.bandwidth - drawn <= super::rounds::NOTHING * memory.bandwidth
    })
}

/// Steps 2 to 4 for memory `m`, with corrections, after pools have made their offers. The controller has
/// `controller` GB/s.
pub(super) fn fill(
    compiled: &Compiled,
    remote: Remote,
    m: usize,
    controller: f64,
    threads: &[f64],
    shares: &mut Shares,
) {
    let memory = &compiled.memories[m];
    let own = memory.own.map_or(0.0, |own| shares.offered[own]);
    let level = ports::level(controller, own, &shares.offered[memory.links.clone()], remote);
    let mut taken = 0.0;
    for p in memory.links.clone() {
        let granted = shares.offered[p].min(level * remote.weight);
        shares.available[p] = granted;
        taken += remote.cost * granted;
        share_pool(compiled, p, threads, shares);
    }
    if let Some(p) = memory.own {
        // The bandwidth that the links leave, without the rounding error of a difference if it is the level.
        shares.available[p] = if own > level { level } else { (controller - taken).max(own) };
        share_pool(compiled, p, threads, shares);
    }
}

/// Step 3 for a pool whose threads request more than it has: each group keeps its scarcest memory (step 4).
#[inline]
fn split_pool(compiled: &Compiled, pool: usize, available: f64, threads: &[f64], shares: &mut Shares) {
    let flows = &compiled.flows[compiled.pools[pool].flows.clone()];
    let bandwidth = shares.bandwidth.as_mut_slice();
    if let [flow] = flows {
        // The same arithmetic without loops: most links have one flow.
        let group = flow.group as usize;
        let taker = std::iter::once((threads[group], flow.demand_gbs));
        let split = Split::new(available, compiled.pools[pool].inverse_cores, taker);
        bandwidth[group] = bandwidth[group].min(split.granted(flow.demand_gbs) * flow.inverse_cost);
        return;
    }
    let takers = flows.iter().map(|flow| (threads[flow.group as usize], flow.demand_gbs));
    let split = Split::new(available, compiled.pools[pool].inverse_cores, takers);
    for flow in flows {
        let group = flow.group as usize;
        bandwidth[group] = bandwidth[group].min(split.granted(flow.demand_gbs) * flow.inverse_cost);
    }
}

/// Step 3 for models that record the grant of each flow: splits the pool's bandwidth among its flows. Step 4:
/// keeps each group's scarcest memory.
#[inline]
pub(super) fn share_pool(compiled: &Compiled, pool: usize, threads: &[f64], shares: &mut Shares) {
    let range = compiled.pools[pool].flows.clone();
    let (flows, granted) = (&compiled.flows[range.clone()], &mut shares.granted[range]);
    if shares.wanted[pool] <= shares.available[pool] {
        for (flow, granted) in flows.iter().zip(granted) {
            *granted = flow.demand_gbs;
        }
        return;
    }
    let takers = flows.iter().map(|flow| (threads[flow.group as usize], flow.demand_gbs));
    let split = Split::new(shares.available[pool], compiled.pools[pool].inverse_cores, takers);
    for (flow, granted) in flows.iter().zip(granted) {
        *granted = split.granted(flow.demand_gbs);
        let bandwidth = &mut shares.bandwidth[flow.group as usize];
        *bandwidth = bandwidth.min(*granted * flow.inverse_cost);
    }
}
