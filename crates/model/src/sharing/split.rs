//! Step 4 of the model: baseline plus proportional.

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
mod tests {
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
