//! What the threads of a measurement share: the common start, who is ready, who has finished, and whether to give up.
//!
//! The same for threads of one process and of several: plain atomics, which may lie in shared memory.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, SystemTime};

use numasim_host::os::clock::now_ns;
use numasim_host::os::shared::Shareable;

use super::{RunError, Settings};

/// From the order to start until the start: every thread looks for it more often.
const NOTICE: Duration = Duration::from_millis(5);
/// How often a waiting thread looks for the start.
const LOOK_FOR_START: Duration = Duration::from_micros(200);
/// How often the conductor wakes during a measurement: seldom, it may need a processor that is measured.
const WATCH: Duration = Duration::from_millis(50);
/// How often it looks before and after.
const LOOK: Duration = Duration::from_millis(1);

/// A value with cache lines of its own (adjacent ones are fetched in pairs): who writes it disturbs nobody else.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub(super) struct Lines<T>(pub(super) T);

/// The shared state; all zeros at the beginning.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Gate {
    /// Threads whose data is in place.
    ready: Lines<AtomicU32>,
    /// The common start by [`now_ns`]; 0 before it is known.
    start_ns: Lines<AtomicU64>,
    /// Threads that have finished counting.
    finished: Lines<AtomicU32>,
    /// Not 0: everybody ends. Read in the window, written never or once.
    abort: Lines<AtomicU32>,
}

// SAFETY: repr(C), atomics only.
#[allow(unsafe_code, reason = "the promise that other processes may map it")]
unsafe impl Shareable for Gate {}

impl Gate {
    /// Tells everybody to end.
    pub(crate) fn abort(&self) {
        self.abort.0.store(1, SeqCst);
    }

    /// Somebody told everybody to end.
    pub(crate) fn aborted(&self) -> bool {
        self.abort.0.load(SeqCst) != 0
    }

    /// Says that the calling thread is ready, and waits for the start; its time, or `None` to end.
    pub(super) fn wait_for_start(&self) -> Option<u64> {
        self.ready.0.fetch_add(1, SeqCst);
        loop {
            if self.aborted() {
                return None;
            }
            match self.start_ns.0.load(SeqCst) {
                0 => thread::sleep(LOOK_FOR_START),
                start => return Some(start),
            }
        }
    }

    /// Sets the common start, a time by [`now_ns`] that is not 0.
    pub(super) fn start_at(&self, ns: u64) {
        self.start_ns.0.store(ns, SeqCst);
    }

    /// Says that the calling thread has finished counting.
    pub(super) fn finish(&self) {
        self.finished.0.fetch_add(1, SeqCst);
    }

    /// All `threads` have finished counting.
    pub(super) fn all_finished(&self, threads: u32) -> bool {
        self.finished.0.load(SeqCst) >= threads
    }
}

/// What the measured threads are doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Putting threads and data in place.
    Preparing,
    /// Between the start and the end of counting.
    Measuring,
}

/// Starts `threads` threads together when all are ready, and waits until all have counted. `watch` is called
/// now and then and may give up.
///
/// The time of the start; `None` if a thread gave up, which then says why itself.
///
/// # Errors
/// What `watch` says; all threads are told to end.
pub(super) fn conduct(
    gate: &Gate,
    threads: u32,
    settings: &Settings,
    mut watch: impl FnMut(Phase) -> Result<(), RunError>,
) -> Result<Option<SystemTime>, RunError> {
    let mut wait = |phase, until: &dyn Fn() -> Option<Duration>| -> Result<bool, RunError> {
        while let Some(pause) = until() {
            if gate.aborted() {
                return Ok(false);
            }
            watch(phase).inspect_err(|_| gate.abort())?;
            thread::sleep(pause);
        }
        Ok(true)
    };
    if !wait(Phase::Preparing, &|| (gate.ready.0.load(SeqCst) < threads).then_some(LOOK))? {
        return Ok(None);
    }
    let start = now_ns() + nanoseconds(NOTICE);
    let started = SystemTime::now() + NOTICE;
    gate.start_at(start);
    let end = start + nanoseconds(settings.warm_up) + nanoseconds(settings.window);
    let left = || Duration::from_nanos(end.saturating_sub(now_ns()));
    // Work that has an end may be done before the window is over.
    let pause = || (!gate.all_finished(threads)).then(|| left().clamp(LOOK, WATCH));
    let measured = wait(Phase::Measuring, &pause)?;
    Ok(measured.then_some(started))
}

/// In nanoseconds; five centuries at most.
pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 4).min(u64::MAX / 4)
}
