//! Seconds since a run began.

use std::time::Instant;

/// Began when it was made; the same for all threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    /// Begins now.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since then.
    pub(crate) fn now_s(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
