//! The model `remote-first`: the literal rule of the paper's section III-A.
//!
//! # Rules
//! 1. Each link n -> m grants min(demand of its flows, link). If all links together would get more than the
//!    controller has, each is scaled by the same factor.
//! 2. Inside a link the flows share by baseline plus proportional.
//! 3. The rest is for the threads that run on m, shared by the same rule.
//! 4. A thread's bandwidth is the smallest granted / cost over its memories. There is one round: unused
//!    grants stay unused.
//!
//! # Source
//! Dokulil and Benkner, "NUMA-aware CPU core allocation in cooperating dynamic applications", section III-A.
//! It was the default here before. It leaves local threads nothing if links are as fast as controllers; an
//! application that is interleaved over all nodes of such a machine then gets nothing even alone.

use super::baseline::share_pool;
use super::compiled::Compiled;
use super::compiled::Shares;
use super::ports::Remote;

/// Shares memory `m` after pools have made their offers. The controller has `controller` GB/s.
pub(super) fn share(
    compiled: &Compiled,
    remote: Remote,
    m: usize,
    controller: f64,
    threads: &[f64],
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
