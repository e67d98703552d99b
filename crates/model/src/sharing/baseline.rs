//! The model `baseline-proportional` where every thread reads one memory and no limit is shared: one round, memory by memory.
//!
//! The path of most people's questions. [`super::rounds`] has the rest.

use super::compiled::Compiled;
use super::ports::level;
use super::remote::Remote;
use super::shares::Shares;
use super::split::Split;

/// Steps 1 to 5 for every memory.
#[inline]
pub(super) fn share(compiled: &Compiled, threads: &[u32], shares: &mut Shares) {
    for (m, memory) in compiled.memories.iter().enumerate() {
        for p in memory.links.clone() {
            let wanted = compiled.wanted(p, threads);
            shares.wanted[p] = wanted;
            shares.offered[p] = wanted.min(compiled.pools[p].capacity);
        }
        if let Some(own) = memory.own {
            let wanted = compiled.wanted(own, threads);
            shares.wanted[own] = wanted;
            shares.offered[own] = wanted;
        }
        fill(compiled, Remote::PLAIN, m, memory.bandwidth, threads, shares);
    }
}

/// Steps 2 to 5 for memory `m`, where pools have made their offers and the controller has `controller` GB/s.
#[inline]
pub(super) fn fill(
    compiled: &Compiled,
    remote: Remote,
    m: usize,
    controller: f64,
    threads: &[u32],
    shares: &mut Shares,
) {
    let memory = &compiled.memories[m];
    let own = memory.own.map_or(0.0, |own| shares.offered[own]);
    let level = level(controller, own, &shares.offered[memory.links.clone()], remote);
    let mut taken = 0.0;
    for p in memory.links.clone() {
        let granted = shares.offered[p].min(level * remote.weight);
        shares.available[p] = granted;
        taken += remote.cost * granted;
        share_pool(compiled, p, threads, shares);
    }
    if let Some(p) = memory.own {
        // What the links leave, without the rounding of a difference where that is the level.
        shares.available[p] = if own > level { level } else { (controller - taken).max(own) };
        share_pool(compiled, p, threads, shares);
    }
}

/// Step 3: splits what the pool has among its flows; step 4: keeps each group's scarcest memory.
#[inline]
pub(super) fn share_pool(compiled: &Compiled, pool: usize, threads: &[u32], shares: &mut Shares) {
    let range = compiled.pools[pool].flows.clone();
    let (flows, granted) = (&compiled.flows[range.clone()], &mut shares.granted[range]);
    if shares.wanted[pool] <= shares.available[pool] {
        for (flow, granted) in flows.iter().zip(granted) {
            *granted = flow.demand_gbs;
        }
        return;
    }
    let takers = flows.iter().map(|flow| (f64::from(threads[flow.group as usize]), flow.demand_gbs));
    let split = Split::new(shares.available[pool], compiled.pools[pool].inverse_cores, takers);
    for (flow, granted) in flows.iter().zip(granted) {
        *granted = split.granted(flow.demand_gbs);
        let bandwidth = &mut shares.bandwidth[flow.group as usize];
        *bandwidth = bandwidth.min(*granted * flow.inverse_fraction);
    }
}
