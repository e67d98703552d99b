//! The ports of a controller, filled evenly, and each split among its threads: steps 2 and 3 of the default.
//!
//! A controller has one port for the threads of its own node and one for each link. All are filled at the same pace until each
//! has what it asks for or the controller is used up (max-min among ports): a port that asks for more than its equal part
//! keeps at least that, B / (1 + nodes that read from outside).
//!
//! With a remote weight w links fill w times as fast as the local port; with a cost a GB/s over a link takes that many of the
//! controller.

use crate::sharing_model::Parameters;

/// Up to where the ports are filled, in GB/s of the local one: `own` and `links` are what the ports ask for. Infinite where
/// `controller` GB/s are enough for all.
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
        // Not a number: rounding has served everybody.
        if next.is_nan() || next <= level {
            break;
        }
        level = next;
    }
    level
}

/// [`level`] without corrections, where `controller` GB/s are not enough for all.
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
        // Not one more served than before, or, by rounding, all or one less: then and now in turn, without an end.
        if still >= hungry || still == 0 {
            return level;
        }
        (left, hungry) = (controller - served, still);
        level = left / hungry as f64;
    }
}

/// Up to where links that share `capacity` GB/s are filled, one `asks` for each: max-min among equals.
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

/// What `others`, that ask for so much of `capacity` GB/s, leave to one more link, however much it asks for: the level of all of them.
pub(super) fn left_by(capacity: f64, others: impl Iterator<Item = f64> + Clone) -> f64 {
    shared_level(capacity, &others.chain(std::iter::once(f64::INFINITY)))
}

/// Remote traffic beside local traffic, which costs 1 and weighs 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remote {
    /// GB/s of the controller that one GB/s over a link takes.
    pub(super) cost: f64,
    /// The right of remote traffic at a controller.
    pub(super) weight: f64,
}

impl Remote {
    /// Remote traffic as local traffic.
    pub(super) const PLAIN: Self = Self { cost: 1.0, weight: 1.0 };

    /// As the corrections have it.
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self { cost: 1.0 + parameters.remote_loss, weight: parameters.remote_weight }
    }
}

/// How one pool is split: computed once per pool, then asked for each flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    /// Pool / cores, GB/s per thread.
    pub(super) baseline: f64,
    /// What min(demand, baseline) of all threads adds up to, GB/s.
    pub(super) allocated_baseline: f64,
    /// What all threads still want after the baseline, GB/s.
    pub(super) still_required: f64,
    /// The part of what it still wants that each thread gets, 0 to 1.
    pub(super) ratio: f64,
}

impl Split {
    /// Splits `pool` GB/s of a node with 1/`inverse_cores` cores among flows of (threads, wants per thread).
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
        // A remainder of rounding below zero is nothing left.
        let ratio = if still_required > 0.0 { (remaining / still_required).clamp(0.0, 1.0) } else { 0.0 };
        Self { baseline, allocated_baseline, still_required, ratio }
    }

    /// What one thread that wants `wants` GB/s gets.
    #[inline]
    pub(super) fn granted(&self, demand_gbs: f64) -> f64 {
        let base = demand_gbs.min(self.baseline);
        // The minimum guards against rounding: nobody gets more than it wants.
        (base + self.ratio * (demand_gbs - base)).min(demand_gbs)
    }
}

#[cfg(test)]
mod split_tests {
    use super::*;

    #[test]
    fn remainder_goes_out_in_proportion_to_what_is_still_wanted() {
        // 32 GB/s, 8 cores: baseline 4. One thread wants 40, two want 6: 4 + 4 + 4 given, 20 left;
        // still wanted 36 + 2 + 2 = 40, so each gets half of it: 4 + 18 = 22, 4 + 1 = 5, 5.
        let split = Split::new(32.0, 1.0 / 8.0, [(1.0, 40.0), (2.0, 6.0)].into_iter());
        assert_eq!(split.granted(40.0), 22.0);
        assert_eq!(split.granted(6.0), 5.0);
    }

    #[test]
    fn everyone_is_satisfied_when_the_pool_is_large() {
        let split = Split::new(100.0, 1.0 / 4.0, [(1.0, 30.0), (3.0, 2.0)].into_iter());
        assert_eq!((split.granted(30.0), split.granted(2.0)), (30.0, 2.0));
    }

    #[test]
    fn an_empty_pool_grants_nothing() {
        let split = Split::new(0.0, 1.0 / 4.0, [(2.0, 5.0)].into_iter());
        assert_eq!(split.granted(5.0), 0.0);
    }

    #[test]
    fn with_all_cores_hungry_everyone_gets_the_baseline() {
        // 4 threads want 12 and 4 want 5 of 32 GB/s on 8 cores: 8 x 4 = 32, nothing left.
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
    fn one_more_link_has_what_the_others_do_not_ask_for_or_its_equal_part() {
        let left = |others: &[f64]| left_by(12.0, others.iter().copied());
        assert_eq!(left(&[]), 12.0);
        assert_eq!(left(&[3.0]), 9.0);
        assert_eq!(left(&[50.0]), 6.0);
        // One asks for less than a third: (12 - 2) / 2.
        assert_eq!(left(&[2.0, 50.0]), 5.0);
        // Who asks for more than the level of all has the level.
        assert_eq!(left(&[2.0, 50.0]), shared_level(12.0, &[2.0, 50.0, 7.0].into_iter()));
    }

    #[test]
    fn links_below_their_equal_part_leave_the_rest_to_the_node() {
        // The paper's node 0: 60 GB/s, three links of 10 (an equal part is 15), the node wants 140: it has 30.
        assert_eq!(level_with(None, 60.0, 140.0, &[10.0, 10.0, 10.0]), 30.0);
    }

    #[test]
    fn wide_links_leave_the_node_its_equal_part() {
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
    fn ports_that_rounding_serves_or_not_are_filled_once() {
        // (26 - 1.72) / 2 = 12.14 by rounding, and one of two that ask for that asks for the next number above.
        let above = 12.14_f64.next_up();
        for (own, links) in [(12.14, [above, 1.72]), (above, [1.72, 12.14]), (1.72, [12.14, above])] {
            let level = even_level(26.0, own, &links);
            assert!((level - 12.14).abs() < 1e-14, "{level}");
        }
    }

    #[test]
    fn a_loss_is_paid_by_the_links_share() {
        // One link of cost 2: level + 2 level = 60
        assert_eq!(level_with(Some((Parameter::RemoteLoss, 1.0)), 60.0, 100.0, &[100.0]), 20.0);
        // weight 2: level + 2 level = 60, the link has 40
        assert_eq!(level_with(Some((Parameter::RemoteWeight, 2.0)), 60.0, 100.0, &[100.0]), 20.0);
    }

    #[test]
    fn equals_share_evenly_what_small_ones_leave() {
        // 10 of 60 for the small one, 25 each for the others
        assert_eq!(shared_level(60.0, &[10.0, 100.0, 30.0].into_iter()), 25.0);
        assert_eq!(shared_level(60.0, &[10.0, 20.0].into_iter()), f64::INFINITY);
    }
}
