//! One of several searches that share a time limit one after the other.

use crate::monitor::{Monitor, Progress, Unattended};

/// Watches several searches that share a time limit.
pub trait Shared: Monitor {
    /// Whether this part of the time, 0 to 1, is over; whoever asks ends the search then.
    fn is_over(&self, part: f64) -> bool;
}

impl Shared for Unattended {
    fn is_over(&self, _: f64) -> bool {
        false
    }
}

/// Watches a search that ends when a part of the time limit is over; what it leaves belongs to those after it.
#[derive(Clone, Copy)]
pub struct Share<'w> {
    pub(super) watch: &'w dyn Shared,
    /// The part of the limit that may be over when it ends, 0 to 1.
    pub(super) end: f64,
}

impl<'w> Share<'w> {
    /// `end`: the part of the limit that may be over when it ends, 0 to 1.
    pub(crate) fn until(watch: &'w dyn Shared, end: f64) -> Self {
        Self { watch, end }
    }
}

impl Monitor for Share<'_> {
    fn stop(&self) -> bool {
        self.watch.stop() || self.watch.is_over(self.end)
    }

    fn progress(&self, progress: &Progress) {
        self.watch.progress(progress);
    }
}
