//! What the threads of one application share while they are measured: the kernel, how far each part is, and where they wait for each other.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::thread;

use numasim_kernels::kernel::Kernel;

use super::gate::{Gate, Lines};

/// Looks at the others before a waiting thread offers its processor to somebody else: about 10 us.
const LOOKS: u32 = 500;

/// The threads of an application, one for each part of its kernel.
pub(super) struct Crew<'m> {
    /// The name of the application.
    pub(super) app: &'m str,
    /// What they compute.
    pub(super) kernel: Box<dyn Kernel + 'm>,
    /// Where all wait for each other.
    pub(super) meeting: Meeting,
    /// Steps that each part has taken, written when it has ended.
    steps: Vec<AtomicU64>,
    /// When the last one of a finite problem had done its part, by the clock.
    end_ns: AtomicU64,
}

impl<'m> Crew<'m> {
    pub(super) fn new(app: &'m str, kernel: Box<dyn Kernel + 'm>) -> Self {
        let steps: Vec<AtomicU64> = (0..kernel.parts()).map(|_| AtomicU64::new(0)).collect();
        let threads = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        Self { app, kernel, meeting: Meeting::new(threads), steps, end_ns: AtomicU64::new(0) }
    }

    /// Notes the end of a part, and waits until all have ended: how many steps each has taken. `None` if the measurement was given up.
    pub(super) fn end(&self, gate: &Gate, part: usize, steps: u64) -> Option<Vec<u64>> {
        if let Some(own) = self.steps.get(part) {
            own.store(steps, Relaxed);
        }
        self.meeting.wait(gate, || false)?;
        Some(self.steps.iter().map(|steps| steps.load(Relaxed)).collect())
    }

    /// Notes when a part of a finite problem was done.
    pub(super) fn done_at(&self, ns: u64) {
        self.end_ns.fetch_max(ns, AcqRel);
    }

    /// When the last part was done, once all have noted it.
    pub(super) fn last_done(&self) -> u64 {
        self.end_ns.load(Acquire)
    }
}

/// Where some threads wait until all of them have come, again and again.
///
/// Who waits looks for a while, and then lets others work between the looks, so that more threads than processors get on; it never waits
/// longer than until the measurement is given up.
#[derive(Debug)]
pub(super) struct Meeting {
    threads: u32,
    /// Threads that have come.
    arrived: Lines<AtomicU32>,
    /// Twice how often all had come, and one more if the last time was said to be the last.
    turn: Lines<AtomicU64>,
}

impl Meeting {
    pub(super) fn new(threads: u32) -> Self {
        Self { threads, arrived: Lines(AtomicU32::new(0)), turn: Lines(AtomicU64::new(0)) }
    }

    /// Waits for all. The last one to come says with `over` whether it was the last time, and all are told the same. `None` if the measurement
    /// was given up.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_told_the_same_end_whoever_comes_last() {
        let (meeting, gate, looks) = (Meeting::new(4), Gate::default(), AtomicU64::new(0));
        let turns: Vec<u64> = thread::scope(|scope| {
            let threads = [(); 4].map(|()| {
                scope.spawn(|| {
                    let mut turns = 1;
                    // One look for all at each turn: the hundredth says that it is over.
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
    fn nobody_waits_for_those_who_gave_up() {
        let (meeting, gate) = (Meeting::new(2), Gate::default());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| meeting.wait(&gate, || false));
            gate.abort();
            assert_eq!(waiting.join().expect("no panic"), None);
        });
    }
}
