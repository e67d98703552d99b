//! The model `baseline-proportional`: plain, on the path that most people's questions take, and with corrections.

use super::compiled::Compiled;
use super::remote::Remote;
use super::shares::Shares;
use super::split::Split;

/// Steps 1 to 5 for every memory.
#[inline]
pub(super) fn remote_first(compiled: &Compiled, threads: &[u32], shares: &mut Shares) {
    for (m, memory) in compiled.memories.iter().enumerate() {
        let mut remote = 0.0;
        for p in memory.links.clone() {
            let wanted = compiled.wanted(p, threads);
            let offered = wanted.min(compiled.pools[p].capacity);
            shares.wanted[p] = wanted;
            shares.offered[p] = offered;
            remote += offered;
        }
        let scale = if remote > memory.bandwidth { memory.bandwidth / remote } else { 1.0 };
        shares.scale[m] = scale;
        for p in memory.links.clone() {
            shares.available[p] = shares.offered[p] * scale;
            share_pool(compiled, p, threads, shares);
        }
        if let Some(own) = memory.own {
            let wanted = compiled.wanted(own, threads);
            shares.wanted[own] = wanted;
            shares.offered[own] = wanted;
            shares.available[own] = (memory.bandwidth - remote).max(0.0);
            share_pool(compiled, own, threads, shares);
        }
    }
}

/// The same for memory `m` with corrections, where pools have made their offers and the controller has `controller` GB/s.
pub(super) fn remote_first_corrected(
    compiled: &Compiled,
    remote: Remote,
    m: usize,
    controller: f64,
    threads: &[u32],
    shares: &mut Shares,
) {
    let memory = &compiled.memories[m];
    let taken = remote.cost * shares.offered[memory.links.clone()].iter().sum::<f64>();
    let scale = if taken > controller { controller / taken } else { 1.0 };
    shares.scale[m] = scale;
    for p in memory.links.clone() {
        shares.available[p] = shares.offered[p] * scale;
        share_pool(compiled, p, threads, shares);
    }
    if let Some(own) = memory.own {
        shares.available[own] = (controller - taken).max(0.0);
        share_pool(compiled, own, threads, shares);
    }
}

/// Steps 2 and 4: splits what the pool has among its flows; step 5: keeps each group's scarcest memory.
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
