//! One of several searches that share a time limit one after the other.

use std::sync::atomic::Ordering;

use numasim_sim::search::{Monitor, Progress};

use super::Watch;

/// Watches a search that ends when a part of the time limit is over; what it leaves belongs to those after it.
pub(crate) struct Share<'w> {
    /// The clock and the bar.
    pub(crate) watch: &'w Watch,
    /// The part of the limit that may be over when it ends, 0 to 1.
    pub(crate) end: f64,
}

impl Monitor for Share<'_> {
    fn stop(&self) -> bool {
        let Watch { start, limit, kept_back, out_of_time, .. } = self.watch;
        if self.watch.stop() {
            return true;
        }
        let over =
            limit.is_some_and(|limit| start.elapsed() >= limit.saturating_sub(*kept_back).mul_f64(self.end));
        if over {
            out_of_time.store(true, Ordering::Relaxed);
        }
        over
    }

    fn progress(&self, progress: &Progress) {
        self.watch.progress(progress);
    }
}
