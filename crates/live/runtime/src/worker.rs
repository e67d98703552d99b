//! A worker: its queue, and the ways in which it finds tasks, waits and sleeps.

#![allow(
    unsafe_code,
    reason = "tasks without types, and the worker of a thread; every block says why it is sound"
)]

use std::cell::Cell;
use std::ptr;
use std::sync::Arc;

use crossbeam_deque::Worker as Deque;
use crossbeam_utils::CachePadded;

use crate::job::JobRef;
use crate::latch::WorkerLatch;
use crate::serve::{Source, serve};
use crate::shared::{Figures, Shared};
use crate::sync::Ordering;

thread_local! {
    /// The worker of this thread; null in other threads.
    static THIS: Cell<*const Worker> = const { Cell::new(ptr::null()) };
}

/// See the module. It never leaves its thread.
pub(crate) struct Worker {
    pub(crate) number: usize,
    pub(crate) shared: Arc<Shared>,
    deque: Deque<JobRef>,
    /// Those of `shared` for this worker.
    figures: Arc<CachePadded<Figures>>,
    /// State of a xorshift generator: determines where stealing begins.
    random: Cell<u32>,
}

impl Worker {
    pub(crate) fn new(number: usize, shared: Arc<Shared>, deque: Deque<JobRef>) -> Self {
        let seed = u32::try_from(number).unwrap_or(0).wrapping_mul(0x9E37_79B9) | 1;
        let figures = shared.figures[number].clone();
        Self { number, shared, deque, figures, random: Cell::new(seed) }
    }

    /// Calls `function` with the worker of this thread.
    #[inline]
    pub(crate) fn with_this<R>(function: impl FnOnce(Option<&Worker>) -> R) -> R {
        let this = THIS.with(Cell::get);
        // SAFETY: set in `run` only, to a worker that lives until `run` takes it back; it never leaves this thread, and
        // the reference ends with this call, which `run` encloses.
        function(unsafe { this.as_ref() })
    }

    /// The worker's life: runs tasks, until the pool shuts down and no task is left.
    pub(crate) fn run(&self) {
        THIS.with(|this| this.set(self));
        self.shared.gate.enter(self.number);
        serve(&self.shared.gate, self.number, &Life(self));
        THIS.with(|this| this.set(ptr::null()));
    }

    /// Offers a task: to this worker first, last in first out, and to the others.
    #[inline]
    pub(crate) fn push(&self, job: JobRef) {
        self.deque.push(job);
        if self.shared.gate.must_tell() {
            self.shared.tell(self.node());
        }
    }

    /// The task that was pushed last, unless it was taken.
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
            self.shared.steal(self.number, x as usize, &self.deque)
        })
    }

    /// Runs a task that came out of a queue.
    pub(crate) fn execute(&self, job: JobRef) {
        // SAFETY: a queue returns each task once, and the thread that queued a task on a stack waits for it.
        self.count(|| unsafe { job.run() });
    }

    /// Runs a task, which does not panic, and counts it.
    #[inline]
    pub(crate) fn count(&self, task: impl FnOnce()) {
        // Only this thread writes here: no read-modify-write is needed.
        let Figures { busy, tasks } = &**self.figures;
        let outside = busy.load(Ordering::Relaxed); // true if another task waits for this one
        busy.store(true, Ordering::Relaxed);
        task();
        tasks.store(tasks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        busy.store(outside, Ordering::Relaxed);
    }

    /// Waits inside a task, and runs others as long as the gate is open.
    #[inline(never)]
    pub(crate) fn wait(&self, latch: &WorkerLatch<'_>) {
        serve(&self.shared.gate, self.number, &Wait(self, latch));
    }

    fn work(&self) -> bool {
        if let Some(job) = self.shared.posted.take(self.number) {
            // SAFETY: returned once, and the thread that posted it waits for it. It is no task, and counts those that it runs.
            unsafe { job.run() };
            return true;
        }
        match self.find() {
            Some(job) => {
                self.execute(job);
                true
            }
            None => false,
        }
    }

    /// Is there any task that this worker would run?
    fn any(&self) -> bool {
        self.shared.posted.any(self.number) || self.shared.any_task()
    }

    pub(crate) fn before_parking(&self) {
        self.shared.said.tasks_are_there(self.shared.has_tasks());
    }
}

/// All tasks, until the pool ends and none is left.
struct Life<'a>(&'a Worker);

impl Source for Life<'_> {
    fn work(&self) -> bool {
        self.0.work()
    }
    fn any(&self) -> bool {
        self.0.any()
    }
    fn over(&self) -> bool {
        self.0.shared.stop.load(Ordering::Acquire) && !self.0.shared.any_task()
    }
    fn pass_on(&self) {
        self.0.shared.pass_on(self.0.number);
    }
    fn before_parking(&self) {
        self.0.before_parking();
    }
}

/// All tasks, until a latch is set.
struct Wait<'a>(&'a Worker, &'a WorkerLatch<'a>);

impl Source for Wait<'_> {
    fn work(&self) -> bool {
        self.0.work()
    }
    fn any(&self) -> bool {
        self.0.any()
    }
    fn over(&self) -> bool {
        self.1.is_set()
    }
    fn pass_on(&self) {
        self.0.shared.pass_on(self.0.number);
    }
    fn before_parking(&self) {
        self.0.before_parking();
        self.1.before_parking();
    }
    fn after_parking(&self) {
        self.1.after_parking();
    }
}
