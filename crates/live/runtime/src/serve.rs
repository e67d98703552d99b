//! The loop of every worker: pass the gate, fetch a task, run it, or park.

use crate::gate::Gate;

/// The source of a worker's tasks, and the condition for its end.
pub(crate) trait Source {
    /// Takes a task and runs it; false if there is none.
    fn work(&self) -> bool;
    /// Is there a task for any worker?
    fn any(&self) -> bool;
    /// Is the purpose for which the worker serves fulfilled? Once true, always true.
    fn over(&self) -> bool;
    /// A worker that was woken for a task, or found one while it fell asleep, does something else: another worker must be woken for it.
    fn pass_on(&self);
    /// From now on a thread that makes [`Source::over`] true must resume the worker.
    fn before_parking(&self) {}
    /// The worker is awake again.
    fn after_parking(&self) {}
}

/// Runs tasks until the source is over.
pub(crate) fn serve(gate: &Gate, worker: usize, source: &impl Source) {
    let mut patience = Patience::new();
    let mut slept = false;
    while !source.over() {
        if !gate.open(worker) {
            source.before_parking();
            gate.block(worker, || source.over(), || source.pass_on());
            source.after_parking();
        } else if source.work() {
            patience = Patience::new();
        } else if !patience.lasts() {
            source.before_parking();
            gate.sleep(worker, || source.over(), || source.any(), || source.pass_on());
            source.after_parking();
            slept = true;
            patience = Patience::new();
        }
    }
    if slept {
        // It may have been woken for a task, and not for the end.
        source.pass_on();
    }
}

#[cfg(not(loom))]
use patience::Patience;

#[cfg(not(loom))]
mod patience {
    //! How long a worker looks for tasks before it parks.

    use std::time::{Duration, Instant};

    /// See the module: never beyond [`Patience::LIMIT`].
    pub(super) struct Patience {
        rounds: u32,
        since: Option<Instant>,
    }

    impl Patience {
        /// Parking and waking cost about as much; the documented limit is 50 µs.
        const LIMIT: Duration = Duration::from_micros(30);
        /// Rounds without reading the clock.
        const BLIND: u32 = 8;

        pub(super) fn new() -> Self {
            Self { rounds: 0, since: None }
        }

        pub(super) fn lasts(&mut self) -> bool {
            self.rounds += 1;
            if self.rounds <= Self::BLIND {
                for _ in 0..1 << self.rounds.min(4) {
                    std::hint::spin_loop();
                }
                return true;
            }
            std::thread::yield_now();
            self.since.get_or_insert_with(Instant::now).elapsed() < Self::LIMIT
        }
    }
}

/// With loom a worker does not look twice: that would add interleavings, but no new behaviour.
#[cfg(loom)]
struct Patience;

#[cfg(loom)]
impl Patience {
    fn new() -> Self {
        Self
    }

    fn lasts(&mut self) -> bool {
        false
    }
}

#[cfg(all(test, loom))]
#[path = "serve/interleavings.rs"]
mod interleavings;
