//! The model `request-fraction`: shares in proportion to the fraction of a controller that a thread would use
//! alone.
//!
//! # Rules
//! - b1: bandwidth of one thread alone; b_s: bandwidth of the saturated controller; f = b1 / b_s, at most 1,
//!   is the thread's request fraction.
//! - If the fractions of all threads sum to at most 1, each gets b1. Otherwise thread i gets f_i / sum f of
//!   b_s.
//!
//! # Source, and what was checked
//! Afzal, Hager, Wellein: "Analytic performance model for parallel overlapping memory-bound kernels", CCPE
//! 2022, e6816 (arXiv 2011.00243), for two kernels in one ccNUMA domain: share alpha_k = n_k f_k / sum n_j
//! f_j of the saturated bandwidth. According to the abstract, the single-thread request fraction, "directly
//! related to the single-thread memory bandwidth", and the saturated bandwidth are the only inputs, and the
//! error is below 8 %. The closed form of the share, the thread-weighted mean of different saturated
//! bandwidths and the behaviour below saturation could not be checked against the full text, which was not
//! available.
//!
//! Additions of this implementation:
//! - one b_s for all applications of a controller, so the thread-weighted mean is not needed. With different
//!   ones the closed form jumps at the start of saturation and may grant more than the demand;
//! - kernels with a dedicated bandwidth (`triad_gbs`) have that as b_s, as in the source: both are counted in
//!   read-equivalent GB/s;
//! - below saturation every thread gets b1;
//! - links and remote readers: a link shares by the same rule with its bandwidth as b_s, and the traffic that
//!   it lets through counts as the demand of its threads at the controller.
//!
//! It differs from `proportional` if a thread requests more than the whole controller: that counts as 1, not
//! more.

use super::compiled::Compiled;
use super::compiled::Shares;
use super::ports::Remote;
use super::proportional::parts;

/// Shares memory `m`, whose controller has `controller` GB/s for its requests. `by_link` has room for a note
/// on each pool.
pub(super) fn share(
    compiled: &Compiled,
    remote: Remote,
    m: usize,
    controller: f64,
    threads: &[f64],
    shares: &mut Shares,
    by_link: &mut [f64],
) {
    let memory = &compiled.memories[m];
    let mut asked = 0.0;
    for p in memory.links.clone() {
        let capacity = compiled.pools[p].capacity;
        let claimed = claimed(compiled, p, capacity.min(memory.bandwidth), threads);
        let offered = claimed.min(capacity);
        shares.offered[p] = offered;
        by_link[p] = if claimed > offered { offered / claimed } else { 1.0 };
        asked += remote.cost * offered;
    }
    let own = memory.own.map_or(0.0, |p| claimed(compiled, p, memory.bandwidth, threads));
    let (own_part, remote_part) = parts(controller, own, asked, remote.weight);
    for p in memory.links.clone() {
        let alone = compiled.pools[p].capacity.min(memory.bandwidth);
        shares.available[p] = shares.offered[p] * remote_part;
        grant(compiled, p, alone, by_link[p] * remote_part, shares);
    }
    if let Some(p) = memory.own {
        shares.available[p] = own * own_part;
        grant(compiled, p, memory.bandwidth, own_part, shares);
    }
}

/// The sum of b1 = min(demand, `alone`) over the threads of a pool, GB/s.
fn claimed(compiled: &Compiled, pool: usize, alone: f64, threads: &[f64]) -> f64 {
    let flows = &compiled.flows[compiled.pools[pool].flows.clone()];
    flows.iter().map(|flow| threads[flow.group as usize] * flow.demand_gbs.min(alone)).sum()
}

fn grant(compiled: &Compiled, pool: usize, alone: f64, part: f64, shares: &mut Shares) {
    for f in compiled.pools[pool].flows.clone() {
        shares.grant(compiled, f, compiled.flows[f].demand_gbs.min(alone) * part);
    }
}
