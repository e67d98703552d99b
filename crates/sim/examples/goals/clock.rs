//! The time limit of a question: wall-clock time or CPU time.

use std::time::{Duration, Instant};

use numasim_sim::search::{Monitor, Progress};
use rustix::time::{ClockId, clock_gettime};

/// The kind of time that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The time that a person waits.
    Wall,
    /// All threads of this process together.
    Cpu,
}

/// Stops a search when its time is over.
pub(crate) struct Limit {
    clock: Clock,
    seconds: f64,
    began: Instant,
    cpu_before: Duration,
}

impl Limit {
    /// Starts the clock.
    pub(crate) fn new(clock: Clock, seconds: f64) -> Self {
        Self { clock, seconds, began: Instant::now(), cpu_before: cpu() }
    }

    /// Wall-clock seconds and CPU seconds since the start.
    pub(crate) fn spent(&self) -> (f64, f64) {
        (self.began.elapsed().as_secs_f64(), cpu().saturating_sub(self.cpu_before).as_secs_f64())
    }
}

impl Monitor for Limit {
    fn stop(&self) -> bool {
        let (wall_s, cpu_s) = self.spent();
        self.seconds <= if self.clock == Clock::Wall { wall_s } else { cpu_s }
    }
    fn progress(&self, _: &Progress) {}
}

/// CPU time that this process has used so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}
