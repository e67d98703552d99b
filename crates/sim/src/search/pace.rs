//! How often long work asks whether it should stop.

use crate::monitor::Monitor;

/// Elementary operations (about a nanosecond each) between two questions to the monitor.
pub(super) const BETWEEN_QUESTIONS: u64 = 200_000;

/// Counts the operations of one thread, and asks the monitor once in a while.
#[derive(Clone)]
pub(crate) struct Pace<'m> {
    monitor: &'m dyn Monitor,
    since: u64,
    stopped: bool,
}

impl<'m> Pace<'m> {
    pub(crate) fn new(monitor: &'m dyn Monitor) -> Self {
        Self { monitor, since: 0, stopped: false }
    }

    /// Whether to stop, `operations` after the last call. Once true, it stays true.
    #[inline]
    pub(crate) fn stops_after(&mut self, operations: u64) -> bool {
        self.since = self.since.saturating_add(operations);
        if self.since >= BETWEEN_QUESTIONS && !self.stopped {
            self.since = 0;
            self.stopped = self.monitor.stop();
        }
        self.stopped
    }

    /// Whether it said so.
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::monitor::Progress;

    /// Stops at the second question.
    #[derive(Default)]
    struct Twice(AtomicU64);

    impl Monitor for Twice {
        fn stop(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= 1
        }
        fn progress(&self, _: &Progress) {}
    }

    #[test]
    fn the_monitor_is_asked_once_in_so_many_operations() {
        let monitor = Twice::default();
        let mut pace = Pace::new(&monitor);
        let half = BETWEEN_QUESTIONS / 2;
        assert!(!pace.stops_after(half) && !pace.stops_after(half) && !pace.stops_after(half));
        assert_eq!(monitor.0.load(Ordering::Relaxed), 1);
        assert!(pace.stops_after(half));
        assert!(pace.stops_after(0) && pace.stopped(), "a stop is for good");
        assert_eq!(monitor.0.load(Ordering::Relaxed), 2);
    }
}
