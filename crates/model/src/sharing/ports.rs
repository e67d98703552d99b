//! The ports of a controller, filled evenly, and each split among its threads: steps 2 and 3 of the default.
//!
//! A controller has one port for the threads of its own node and one for each link. All are filled at the
//! same pace until each has its request or the controller is full (max-min among ports). A port that requests
//! more than its equal share keeps at least that share, B / (1 + nodes that read from outside).
//!
//! With a remote weight w, links fill w times as fast as the local port; with a cost, one GB/s over a link
//! takes that many GB/s of the controller.

use crate::sharing_model::Parameters;

/// The level to which the ports are filled, in GB/s of the local one: `own` and `links` are the requests of
/// the ports. Infinite if `controller` GB/s are enough for all.
pub(super) fn level(controller: f64, own: f64, links: &[f64], remote: Remote) -> f64 {
    let (cost, weight) = (remote.cost, remote.weight);
    let asked = own + cost * links.iter().sum::<f64>();
    if asked <= controller {
        return f64::INFINITY;
    }
    let mut level = 0.0;
    // Each round serves at least one more port in full, or is the last.
    for _ in 0..=links.len() + 1 {
        let (mut served, mut pace) = if own > level { (0.0, 1.0) } else { (own, 0.0) };
        for &link in links {
            if link > level * weight {
                pace += cost * weight;
            } else {
                served += cost * link;
            }
        }
        let next = (controller - served) / pace;
        // NaN: rounding has already served all ports.
        if next.is_nan() || next <= level {
            break;
        }
        level = next;
    }
    level
}

/// [`level`] without corrections, if `controller` GB/s are not enough for all.
#[inline]
pub(super) fn even_level(controller: f64, own: f64, links: &[f64]) -> f64 {
    let (mut left, mut hungry) = (controller, links.len() + 1);
    let mut level = left / hungry as f64;
    loop {
        let (mut served, mut still) = if own > level { (0.0, 1) } else { (own, 0) };
        for &link in links {
            if link > level {
                still += 1;
            } else {
                served += link;
            }
        }
        // No further port was served, or, by rounding, all or one less, which would alternate without end.
        if still >= hungry || still == 0 {
            return level;
        }
        (left, hungry) = (controller - served, still);
        level = left / hungry as f64;
    }
}

/// The level to which links that share `capacity` GB/s are filled, one `asks` for each: max-min among equals.
pub(super) fn shared_level(capacity: f64, asks: &(impl Iterator<Item = f64> + Clone)) -> f64 {
    if asks.clone().sum::<f64>() <= capacity {
        return f64::INFINITY;
    }
    let mut level = 0.0;
    loop {
        let (mut served, mut hungry) = (0.0, 0_u32);
        for ask in asks.clone() {
            if ask > level {
                hungry += 1;
            } else {
                served += ask;
            }
        }
        let next = (capacity - served) / f64::from(hungry);
        if next.is_nan() || next <= level {
            return level;
        }
        level = next;
    }
}

/// The bandwidth of `capacity` GB/s that `others`, with these requests, leave to one more link with any
/// request: the level of all of them.
pub(super) fn left_by(capacity: f64, others: impl Iterator<Item = f64> + Clone) -> f64 {
    shared_level(capacity, &others.chain(std::iter::once(f64::INFINITY)))
}

/// Treatment of remote traffic relative to local traffic, which has cost 1 and weight 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remote {
    /// GB/s of the controller that one GB/s over a link takes.
    pub(super) cost: f64,
    /// The weight of remote traffic at a controller.
    pub(super) weight: f64,
}

impl Remote {
    /// Remote traffic is treated like local traffic.
    pub(super) const PLAIN: Self = Self { cost: 1.0, weight: 1.0 };

    /// Remote traffic with the corrections of `parameters`.
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self { cost: 1.0 + parameters.remote_loss, weight: parameters.remote_weight }
    }
}

/// The split of one pool: computed once per pool, then applied to each flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    /// Pool / cores, GB/s per thread.
    pub(super) baseline: f64,
    /// Sum of min(demand, baseline) over all threads, GB/s.
    pub(super) allocated_baseline: f64,
    /// Remaining demand of all threads after the baseline, GB/s.
    pub(super) still_required: f64,
    /// The fraction of its remaining demand that each thread gets, 0 to 1.
    pub(super) ratio: f64,
}

impl Split {
    /// Splits `pool` GB/s of a node with 1/`inverse_cores` cores among flows of (threads, demand per thread).
    #[inline]
    pub(super) fn new(pool: f64, inverse_cores: f64, flows: impl Iterator<Item = (f64, f64)>) -> Self {
        let baseline = pool * inverse_cores;
        let (mut allocated_baseline, mut still_required) = (0.0, 0.0);
        for (threads, demand_gbs) in flows {
            let base = demand_gbs.min(baseline);
            allocated_baseline += threads * base;
            still_required += threads * (demand_gbs - base);
        }
        let remaining = pool - allocated_baseline;
        // A remainder below zero by rounding counts as zero.
        let ratio = if still_required > 0.0 { (remaining / still_required).clamp(0.0, 1.0) } else { 0.0 };
        Self { baseline, allocated_baseline, still_required, ratio }
    }

    /// The grant of one thread with a demand of `demand_gbs` GB/s.
    #[inline]
    pub(super) fn granted(&self, demand_gbs: f64) -> f64 {
        let base = demand_gbs.min(self.baseline);
        // The minimum guards against rounding: no thread gets more than its demand.
        (base + self.ratio * (demand_gbs - base)).min(demand_gbs)
    }
}

#[cfg(test)]
mod split_tests {
    use super::*;

    #[test]
    fn the_remainder_is_split_in_proportion_to_the_remaining_demand() {
        // 32 GB/s, 8 cores: baseline 4. One thread requests 40, two request 6: 4 + 4 + 4 given, 20 left. The
        // remaining demand is 36 + 2 + 2 = 40, so each gets half of it: 4 + 18 = 22, 4 + 1 = 5, 5.
        let split = Split::new(32.0, 1.0 / 8.0, [(1.0, 40.0), (2.0, 6.0)].into_iter());
        assert_eq!(split.granted(40.0), 22.0);
        assert_eq!(split.granted(6.0), 5.0);
    }

    #[test]
    fn a_large_pool_meets_every_demand() {
        let split = Split::new(100.0, 1.0 / 4.0, [(1.0, 30.0), (3.0, 2.0)].into_iter());
        assert_eq!((split.granted(30.0), split.granted(2.0)), (30.0, 2.0));
    }

    #[test]
    fn an_empty_pool_grants_nothing() {
        let split = Split::new(0.0, 1.0 / 4.0, [(2.0, 5.0)].into_iter());
        assert_eq!(split.granted(5.0), 0.0);
    }

    #[test]
    fn if_all_cores_are_hungry_each_thread_gets_the_baseline() {
        // 4 threads request 12 and 4 request 5 of 32 GB/s on 8 cores: 8 x 4 = 32, nothing left.
        let split = Split::new(32.0, 1.0 / 8.0, [(4.0, 12.0), (4.0, 5.0)].into_iter());
        assert_eq!((split.granted(12.0), split.granted(5.0)), (4.0, 4.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharing_model::{Parameter, Parameters};

    fn level_with(parameter: Option<(Parameter, f64)>, controller: f64, own: f64, links: &[f64]) -> f64 {
        let mut parameters = Parameters::default();
        if let Some((parameter, value)) = parameter {
            parameters.set(parameter, value).expect("in range");
        }
        level(controller, own, links, Remote::new(&parameters))
    }

    #[test]
    fn an_additional_link_gets_what_the_others_leave_or_its_equal_share() {
        let left = |others: &[f64]| left_by(12.0, others.iter().copied());
        assert_eq!(left(&[]), 12.0);
        assert_eq!(left(&[3.0]), 9.0);
        assert_eq!(left(&[50.0]), 6.0);
        // One requests less than a third: (12 - 2) / 2.
        assert_eq!(left(&[2.0, 50.0]), 5.0);
        // A link that requests more than the level of all gets the level.
        assert_eq!(left(&[2.0, 50.0]), shared_level(12.0, &[2.0, 50.0, 7.0].into_iter()));
    }

    #[test]
    fn links_below_their_equal_share_leave_the_rest_to_the_node() {
        // The paper's node 0: 60 GB/s, three links of 10 (an equal share is 15), the node requests 140 and
        // gets 30.
        assert_eq!(level_with(None, 60.0, 140.0, &[10.0, 10.0, 10.0]), 30.0);
    }

    #[test]
    fn fast_links_leave_the_node_its_equal_share() {
        assert_eq!(level_with(None, 60.0, 140.0, &[100.0, 100.0, 5.0]), 55.0 / 3.0);
        assert_eq!(level_with(None, 60.0, 4.0, &[100.0, 100.0, 100.0]), 56.0 / 3.0);
    }

    #[test]
    fn without_corrections_the_level_is_the_same() {
        for links in [&[10.0, 10.0, 10.0][..], &[100.0, 100.0, 5.0], &[100.0], &[7.0, 25.0, 31.0, 90.0]] {
            for own in [4.0, 28.0, 140.0] {
                if own + links.iter().sum::<f64>() > 60.0 {
                    assert_eq!(
                        even_level(60.0, own, links),
                        level_with(None, 60.0, own, links),
                        "{own} {links:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn ports_at_the_level_by_rounding_are_filled_once() {
        // (26 - 1.72) / 2 = 12.14 by rounding, and one of two that request that value requests the next
        // number above.
        let above = 12.14_f64.next_up();
        for (own, links) in [(12.14, [above, 1.72]), (above, [1.72, 12.14]), (1.72, [12.14, above])] {
            let level = even_level(26.0, own, &links);
            assert!((level - 12.14).abs() < 1e-14, "{level}");
        }
    }

    #[test]
    fn the_share_of_the_links_pays_for_a_loss() {
        // One link of cost 2: level + 2 level = 60
        assert_eq!(level_with(Some((Parameter::RemoteLoss, 1.0)), 60.0, 100.0, &[100.0]), 20.0);
        // weight 2: level + 2 level = 60, the link has 40
        assert_eq!(level_with(Some((Parameter::RemoteWeight, 2.0)), 60.0, 100.0, &[100.0]), 20.0);
    }

    #[test]
    fn equal_links_share_evenly_what_small_ones_leave() {
        // 10 of 60 for the small one, 25 each for the others
        assert_eq!(shared_level(60.0, &[10.0, 100.0, 30.0].into_iter()), 25.0);
        assert_eq!(shared_level(60.0, &[10.0, 20.0].into_iter()), f64::INFINITY);
    }
}
