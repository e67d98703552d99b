//! A worker: its own queue, and how it finds tasks, waits and sleeps.

#![allow(
    unsafe_code,
    reason = "tasks without types, and the worker of a thread; every block says why it is sound"
)]

use std::cell::Cell;
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_deque::Worker as Deque;

use crate::job::JobRef;
use crate::latch::WorkerLatch;
use crate::shared::Shared;
use crate::sync::Ordering;

thread_local! {
    /// The worker that this thread is; null in other threads.
    static THIS: Cell<*const Worker> = const { Cell::new(ptr::null()) };
}

/// See the module. It never leaves its thread.
pub(crate) struct Worker {
    pub(crate) number: usize,
    pub(crate) shared: Arc<Shared>,
    deque: Deque<JobRef>,
    /// Tasks that this worker is inside of.
    depth: Cell<usize>,
    /// State of a xorshift generator: where to begin stealing.
    random: Cell<u32>,
}

impl Worker {
    pub(crate) fn new(number: usize, shared: Arc<Shared>, deque: Deque<JobRef>) -> Self {
        let seed = u32::try_from(number).unwrap_or(0).wrapping_mul(0x9E37_79B9) | 1;
        Self { number, shared, deque, depth: Cell::new(0), random: Cell::new(seed) }
    }

    /// Calls `function` with the worker that this thread is.
    #[inline]
    pub(crate) fn with_this<R>(function: impl FnOnce(Option<&Worker>) -> R) -> R {
        let this = THIS.with(Cell::get);
        // SAFETY: set in `run` only, to a worker that lives until `run` takes it back; it never leaves this thread, and
        // the reference ends with this call, which `run` encloses.
        function(unsafe { this.as_ref() })
    }

    /// The worker's life: tasks, until the pool ends and no task is left.
    pub(crate) fn run(&self) {
        THIS.with(|this| this.set(self));
        let gate = &self.shared.gate;
        gate.enter(self.number);
        let mut patience = Patience::new();
        loop {
            if !gate.open(self.number) {
                gate.block(self.number, || false, || self.shared.pass_on(self.number));
            } else if let Some(job) = self.find() {
                self.execute(job);
                patience = Patience::new();
            } else if self.shared.stop.load(Ordering::Acquire) {
                break;
            } else if !patience.lasts() {
                gate.sleep(self.number, || {
                    self.shared.any_task() || self.shared.stop.load(Ordering::Acquire)
                });
                patience = Patience::new();
            }
        }
        THIS.with(|this| this.set(ptr::null()));
    }

    /// Offers a task: to this worker first, last in first out, and to the others.
    #[inline]
    pub(crate) fn push(&self, job: JobRef) {
        self.deque.push(job);
        self.shared.gate.wake(self.shared.near(self.node()));
    }

    /// The task that was pushed last, if nobody took it.
    #[inline]
    pub(crate) fn pop(&self) -> Option<JobRef> {
        self.deque.pop()
    }

    pub(crate) fn node(&self) -> usize {
        self.shared.places[self.number].node
    }

    fn find(&self) -> Option<JobRef> {
        self.pop().or_else(|| {
            let mut x = self.random.get();
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            self.random.set(x);
            self.shared.steal(self.number, x as usize)
        })
    }

    /// Runs a task that came out of a queue.
    #[inline]
    pub(crate) fn execute(&self, job: JobRef) {
        let figures = &self.shared.figures[self.number];
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        figures.busy.store(true, Ordering::Relaxed);
        // SAFETY: a queue gives each task out once, and who queued a task on a stack waits for it.
        unsafe { job.run() };
        // Only this thread writes here: no read-modify-write is needed.
        figures.tasks.store(figures.tasks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        figures.busy.store(depth > 0, Ordering::Relaxed);
        self.depth.set(depth);
    }

    /// Waits inside a task, doing others as far as the gate is open.
    pub(crate) fn wait(&self, latch: &WorkerLatch<'_>) {
        let gate = &self.shared.gate;
        let mut patience = Patience::new();
        let mut slept = false;
        while !latch.is_set() {
            if !gate.open(self.number) {
                latch.before_parking();
                gate.block(self.number, || latch.is_set(), || self.shared.pass_on(self.number));
                latch.after_parking();
            } else if let Some(job) = self.find() {
                self.execute(job);
                patience = Patience::new();
            } else if !patience.lasts() {
                latch.before_parking();
                gate.sleep(self.number, || latch.is_set() || self.shared.any_task());
                latch.after_parking();
                slept = true;
                patience = Patience::new();
            }
        }
        if slept {
            // It may have been woken for a task, not for the latch.
            self.shared.pass_on(self.number);
        }
    }
}

/// How long a worker looks for tasks before it parks: never beyond [`Patience::LIMIT`].
struct Patience {
    rounds: u32,
    since: Option<Instant>,
}

impl Patience {
    /// Parking and waking cost about as much; the promise is 50 µs.
    const LIMIT: Duration = Duration::from_micros(30);
    /// Rounds without a look at the clock.
    const BLIND: u32 = 8;

    fn new() -> Self {
        Self { rounds: 0, since: None }
    }

    fn lasts(&mut self) -> bool {
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
