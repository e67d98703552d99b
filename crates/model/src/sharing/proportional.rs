//! The model `proportional`: shares in proportion to demand.
//!
//! # Rules
//! 1. Each link n -> m grants every thread on it the same fraction of its demand: min(1, link / total
//!    demand).
//! 2. Each controller does the same with the demand of its own threads and the traffic that the links let
//!    through: fraction = min(1, B / (own + remote)).
//! 3. A thread's bandwidth is the smallest granted / cost over the memories that it reads.
//!
//! With a remote weight w the fractions are min(1, k) for local and min(1, w k) for remote traffic, with k
//! such that the controller is full.
//!
//! # Source
//! The simplest work-conserving rule; a queue served in order of arrival with all requests of a thread
//! outstanding at once comes to it. Threads with little demand lose the same fraction as others: in the first
//! scenario of the tests they get 3.7 of 6 GB/s, while max-min gives them their whole demand.

use super::compiled::Compiled;
use super::compiled::Shares;
use super::ports::Remote;

/// Shares memory `m`, whose controller has `controller` GB/s for its requests.
pub(super) fn share(compiled: &Compiled, remote: Remote, m: usize, controller: f64, shares: &mut Shares) {
    let memory = &compiled.memories[m];
    let own = memory.own.map_or(0.0, |own| shares.wanted[own]);
    let asked = remote.cost * shares.offered[memory.links.clone()].iter().sum::<f64>();
    let (own_part, remote_part) = parts(controller, own, asked, remote.weight);
    for p in memory.links.clone() {
        let (wanted, offered) = (shares.wanted[p], shares.offered[p]);
        let by_link = if wanted > offered { offered / wanted } else { 1.0 };
        shares.available[p] = offered * remote_part;
        shares.grant_part(compiled, p, by_link * remote_part);
    }
    if let Some(p) = memory.own {
        shares.available[p] = own * own_part;
        shares.grant_part(compiled, p, own_part);
    }
}

/// The fractions of local and of remote demand that a controller serves.
#[inline]
pub(super) fn parts(controller: f64, own: f64, remote: f64, weight: f64) -> (f64, f64) {
    if own + remote <= controller {
        return (1.0, 1.0);
    }
    // All are reduced as long as k is below 1 (local) and below 1 / weight (remote).
    let k = controller / (own + weight * remote);
    if k <= 1.0 && weight * k <= 1.0 {
        return (k, weight * k);
    }
    if weight > 1.0 {
        // Remote traffic is served in full, local traffic gets the rest.
        return (((controller - remote) / own).clamp(0.0, 1.0), 1.0);
    }
    (1.0, ((controller - own) / remote).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_give_equal_fractions() {
        // 20 + 60 = 80 GB/s requested of 32: each gets 0.4 of its request.
        assert_eq!(parts(32.0, 20.0, 60.0, 1.0), (0.4, 0.4));
        assert_eq!(parts(100.0, 20.0, 60.0, 1.0), (1.0, 1.0));
    }

    #[test]
    fn a_weight_favours_remote_traffic_up_to_its_demand() {
        // k = 32 / (20 + 2 x 60) = 0.2286: 4.57 + 27.43 = 32
        let (own, remote) = parts(32.0, 20.0, 60.0, 2.0);
        assert!((own * 20.0 + remote * 60.0 - 32.0).abs() < 1e-12 && (remote / own - 2.0).abs() < 1e-12);
        // weight 100: remote gets its 20 in full, 12 of 60 are left
        assert_eq!(parts(32.0, 60.0, 20.0, 100.0), (0.2, 1.0));
        // weight 0.01: local gets its 20 in full
        assert_eq!(parts(32.0, 20.0, 60.0, 0.01), (1.0, 0.2));
    }
}
