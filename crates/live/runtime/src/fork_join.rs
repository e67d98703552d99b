//! Two pieces of work at once (`join`), and work inside the pool (`install`): without allocation.

#![allow(unsafe_code, reason = "tasks on the stack of who waits for them; every block says why it is sound")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use crate::job::{JobRef, StackJob};
use crate::latch::{LockLatch, WorkerLatch};
use crate::pool::Pool;
use crate::worker::Worker;

impl Pool {
    /// Runs both, at once if a worker is free, and returns both results. Called outside the pool, it moves inside first.
    ///
    /// # Panics
    /// With the panic of either, once neither runs any more; if both panic, with that of `a`.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        self.install(|| join(a, b))
    }

    /// Runs `function` on a worker and returns its result: at once, if this thread is one; else the thread waits.
    ///
    /// # Panics
    /// With the panic of `function`.
    pub fn install<R: Send>(&self, function: impl FnOnce() -> R + Send) -> R {
        if self.with_member(|worker| worker.is_some()) {
            return function();
        }
        let latch = Arc::new(LockLatch::default());
        let job = StackJob::new(function, latch.clone());
        // SAFETY: `job` stays here until the latch is set.
        self.shared.inject(unsafe { job.as_ref() }, None);
        latch.wait();
        job.into_result()
    }
}

/// Runs both, at once if another worker of the pool is free, and returns both results. Outside a pool: one after the
/// other.
///
/// # Panics
/// With the panic of either, once neither runs any more; if both panic, with that of `a`.
#[inline]
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    Worker::with_this(|worker| match worker {
        Some(worker) => join_on(worker, a, b),
        None => outside(a, b),
    })
}

/// Out of the way of the other case.
#[cold]
#[inline(never)]
fn outside<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Not inlined: what calls `join` then stays small enough to be inlined itself, and its small cases need no stack frame
/// of this size (fib(32): half of all calls).
#[inline(never)]
fn join_on<A: Send, B: Send>(
    worker: &Worker,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let mut job = StackJob::new(b, WorkerLatch::new(&worker.shared.gate, worker.number));
    // SAFETY: this function does not end before the latch is set or the `JobRef` was taken back; `a` is caught.
    let queued = unsafe { job.as_ref() };
    worker.push(queued);
    let a = match catch_unwind(AssertUnwindSafe(a)) {
        Ok(a) => a,
        Err(payload) => {
            give_up(worker, queued, &job.latch);
            resume_unwind(payload)
        }
    };
    while !job.latch.is_set() {
        match worker.pop() {
            // Nobody took it.
            Some(found) if found.id() == queued.id() => return (a, job.run_here()),
            // `a` spawned it.
            Some(other) => worker.execute(other),
            None => worker.wait(&job.latch),
        }
    }
    (a, job.into_result())
}

/// After the panic of the other half: waits for this one, or takes it back.
#[cold]
fn give_up(worker: &Worker, queued: JobRef, latch: &WorkerLatch<'_>) {
    while !latch.is_set() {
        match worker.pop() {
            Some(found) if found.id() == queued.id() => return,
            Some(other) => worker.execute(other),
            None => worker.wait(latch),
        }
    }
}
