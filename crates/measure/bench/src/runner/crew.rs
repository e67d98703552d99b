//! The shared state of the threads of one application during a measurement: the kernel, the progress of each part, and the place where they
//! wait for each other.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::thread;
use std::time::{Duration, SystemTime};

use numasim_host::os::shared::Shareable;
use numasim_host::os::thread::now_ns;
use numasim_kernels::kernel::Kernel;

use crate::runner::{RunError, Settings};

/// Checks of the others before a waiting thread yields its logical CPU: about 10 us.
const LOOKS: u32 = 500;

/// The threads of an application, one for each part of its kernel.
pub(super) struct Crew<'m> {
    /// The name of the application.
    pub(super) app: &'m str,
    /// Their work.
    pub(super) kernel: Box<dyn Kernel + 'm>,
    /// The place at which all wait for each other.
    pub(super) meeting: Meeting,
    /// Steps of each part, written when it has ended.
    steps: Vec<AtomicU64>,
    /// Time at which the last thread of a finite problem had done its part, by the clock.
    end_ns: AtomicU64,
}

impl<'m> Crew<'m> {
    pub(super) fn new(app: &'m str, kernel: Box<dyn Kernel + 'm>) -> Self {
        let steps: Vec<AtomicU64> = (0..kernel.parts()).map(|_| AtomicU64::new(0)).collect();
        let threads = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        Self { app, kernel, meeting: Meeting::new(threads), steps, end_ns: AtomicU64::new(0) }
    }

    /// Records the end of a part, and waits until all have ended; returns the steps of each. `None` if the measurement was aborted.
    pub(super) fn end(&self, gate: &Gate, part: usize, steps: u64) -> Option<Vec<u64>> {
        if let Some(own) = self.steps.get(part) {
            own.store(steps, Relaxed);
        }
        self.meeting.wait(gate, || false)?;
        Some(self.steps.iter().map(|steps| steps.load(Relaxed)).collect())
    }

    /// Records the time at which a part of a finite problem was done.
    pub(super) fn done_at(&self, ns: u64) {
        self.end_ns.fetch_max(ns, AcqRel);
    }

    /// The time at which the last part was done, once all have recorded it.
    pub(super) fn last_done(&self) -> u64 {
        self.end_ns.load(Acquire)
    }
}

/// A barrier that can be used repeatedly.
///
/// A waiting thread polls for a while, and then yields between the checks, so that more threads than logical CPUs can make progress. It
/// never waits beyond an abort of the measurement.
#[derive(Debug)]
pub(super) struct Meeting {
    threads: u32,
    /// Threads that have arrived.
    arrived: Lines<AtomicU32>,
    /// Twice the number of completed waits, plus one if the last one was declared final.
    turn: Lines<AtomicU64>,
}

impl Meeting {
    pub(super) fn new(threads: u32) -> Self {
        Self { threads, arrived: Lines(AtomicU32::new(0)), turn: Lines(AtomicU64::new(0)) }
    }

    /// Waits for all. The last one to arrive decides with `over` whether this was the last time, and all get the same result. `None` if the
    /// measurement was aborted.
    pub(super) fn wait(&self, gate: &Gate, over: impl FnOnce() -> bool) -> Option<bool> {
        let turn = self.turn.0.load(Acquire) >> 1;
        if self.arrived.0.fetch_add(1, AcqRel) + 1 == self.threads {
            let over = over();
            self.arrived.0.store(0, Relaxed);
            self.turn.0.store((turn + 1) << 1 | u64::from(over), Release);
            return Some(over);
        }
        let mut looks = 0_u32;
        loop {
            let now = self.turn.0.load(Acquire);
            if now >> 1 != turn {
                return Some(now & 1 == 1);
            }
            if gate.aborted() {
                return None;
            }
            looks += 1;
            if looks < LOOKS { std::hint::spin_loop() } else { thread::yield_now() }
        }
    }
}

// The shared state of the threads of a measurement: the common start, the ready and finished threads, and the abort flag.
//
// It is the same for threads of one process and of several: plain atomics, which may be in shared memory.

/// Time from setting the start to the start: every thread checks for it more often.
const NOTICE: Duration = Duration::from_millis(5);
/// Interval at which a waiting thread checks for the start.
const LOOK_FOR_START: Duration = Duration::from_micros(200);
/// Interval at which the conductor wakes during a measurement: rarely, because it may need a measured logical CPU.
const WATCH: Duration = Duration::from_millis(50);
/// Interval of its checks before and after.
const LOOK: Duration = Duration::from_millis(1);

/// A value on separate cache lines (adjacent ones are fetched in pairs), so that writes disturb no other thread.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub(super) struct Lines<T>(pub(super) T);

/// The shared state; all zeros at the start.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Gate {
    /// Threads whose data is in place.
    ready: Lines<AtomicU32>,
    /// The common start by [`now_ns`]; 0 before it is known.
    start_ns: Lines<AtomicU64>,
    /// Threads that have finished counting.
    finished: Lines<AtomicU32>,
    /// Not 0: all threads must stop. Read in the window, written at most once.
    abort: Lines<AtomicU32>,
}

// SAFETY: repr(C), atomics only.
#[allow(unsafe_code, reason = "the promise that other processes may map it")]
unsafe impl Shareable for Gate {}

impl Gate {
    /// Aborts the measurement for all threads.
    pub(crate) fn abort(&self) {
        self.abort.0.store(1, SeqCst);
    }

    /// Whether the measurement was aborted.
    pub(crate) fn aborted(&self) -> bool {
        self.abort.0.load(SeqCst) != 0
    }

    /// Reports that the calling thread is ready, and waits for the start; returns its time, or `None` after an abort.
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

    /// Reports that the calling thread has finished counting.
    pub(super) fn finish(&self) {
        self.finished.0.fetch_add(1, SeqCst);
    }

    /// Whether all `threads` have finished counting.
    pub(super) fn all_finished(&self, threads: u32) -> bool {
        self.finished.0.load(SeqCst) >= threads
    }
}

/// The stage of the measured threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Putting threads and data in place.
    Preparing,
    /// Between the start and the end of counting.
    Measuring,
}

/// Starts `threads` threads together when all are ready, and waits until all have counted. `watch` is called from time to time and may
/// abort.
///
/// Returns the time of the start; `None` if a thread aborted, which then reports the reason itself.
///
/// # Errors
/// The error of `watch`; all threads are then aborted.
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
    // Finite work may be done before the window is over.
    let pause = || (!gate.all_finished(threads)).then(|| left().clamp(LOOK, WATCH));
    let measured = wait(Phase::Measuring, &pause)?;
    Ok(measured.then_some(started))
}

/// In nanoseconds; five centuries at most.
pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 4).min(u64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_get_the_same_end_whichever_arrives_last() {
        let (meeting, gate, looks) = (Meeting::new(4), Gate::default(), AtomicU64::new(0));
        let turns: Vec<u64> = thread::scope(|scope| {
            let threads = [(); 4].map(|()| {
                scope.spawn(|| {
                    let mut turns = 1;
                    // One shared count per turn: the hundredth ends it.
                    while !meeting.wait(&gate, || looks.fetch_add(1, Relaxed) == 99).expect("nobody gives up")
                    {
                        turns += 1;
                    }
                    turns
                })
            });
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(turns, [100; 4]);
    }

    #[test]
    fn no_thread_waits_after_an_abort() {
        let (meeting, gate) = (Meeting::new(2), Gate::default());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| meeting.wait(&gate, || false));
            gate.abort();
            assert_eq!(waiting.join().expect("no panic"), None);
        });
    }
}
