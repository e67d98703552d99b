//! Tasks in the form for queues: two words without type information, for a task on the heap or on the stack of the waiting thread.

#![allow(unsafe_code, reason = "a task on a stack outlives no wait for it; every block says why it is sound")]

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::latch::Latch;

/// The payload of a panic.
pub(crate) type Payload = Box<dyn Any + Send>;

/// A task somewhere in memory, to be run exactly once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobRef {
    data: *const (),
    run: unsafe fn(*const ()),
}

// SAFETY: only `HeapJob::into_ref` and `StackJob::as_ref` make a `JobRef`, of closures that are `Send`.
unsafe impl Send for JobRef {}

impl JobRef {
    /// Runs the task.
    ///
    /// # Safety
    /// At most once for what [`HeapJob::into_ref`] or [`StackJob::as_ref`] returned, and while that task still exists.
    #[inline]
    pub(crate) unsafe fn run(self) {
        // SAFETY: `run` belongs to `data` by construction; the rest is the caller's promise.
        unsafe { (self.run)(self.data) }
    }

    /// Identity of the task. Its address is unique as long as the task exists.
    #[inline]
    pub(crate) fn id(self) -> *const () {
        self.data
    }
}

/// A task that owns itself: no particular thread waits for it.
pub(crate) struct HeapJob<F>(F);

impl<F: FnOnce() + Send> HeapJob<F> {
    /// Gives up ownership of the task. It leaks unless it is run. `function` must not panic; everything that it borrows must live until
    /// it has run, which is the caller's responsibility ([`crate::scope`] waits, others require `'static`).
    pub(crate) fn into_ref(function: F) -> JobRef {
        JobRef { data: Box::into_raw(Box::new(Self(function))).cast_const().cast(), run: Self::run }
    }

    /// # Safety
    /// `data` is from `into_ref` of the same type and was not run yet.
    unsafe fn run(data: *const ()) {
        // SAFETY: `into_ref` made it from a box of this type, and gave up the box; it is run once.
        let job = unsafe { Box::from_raw(data.cast_mut().cast::<Self>()) };
        (job.0)();
    }
}

/// Result of a task.
enum Outcome<R> {
    Open,
    Done(R),
    Panicked(Payload),
}

/// A task on the stack of the thread that waits for it, without an allocation. The latch is set when it is over.
pub(crate) struct StackJob<L, F, R> {
    pub(crate) latch: L,
    function: UnsafeCell<Option<F>>,
    outcome: UnsafeCell<Outcome<R>>,
}

impl<L: Latch, F: FnOnce() -> R + Send, R: Send> StackJob<L, F, R> {
    #[inline]
    pub(crate) fn new(function: F, latch: L) -> Self {
        Self { latch, function: UnsafeCell::new(Some(function)), outcome: UnsafeCell::new(Outcome::Open) }
    }

    /// A reference for a queue.
    ///
    /// # Safety
    /// The job stays where it is, and alive, until its latch is set or no other thread can have the `JobRef` any more.
    pub(crate) unsafe fn as_ref(&self) -> JobRef {
        JobRef { data: std::ptr::from_ref(self).cast(), run: Self::run }
    }

    /// # Safety
    /// `data` is from `as_ref` of the same type; the job is alive and was not run yet.
    unsafe fn run(data: *const ()) {
        // SAFETY: promised by the caller. The waiting thread touches neither cell before the latch is set.
        let job = unsafe { &*data.cast::<Self>() };
        // SAFETY: only the thread that runs the job comes here, once.
        let function = unsafe { (*job.function.get()).take() };
        if let Some(function) = function {
            let outcome = match catch_unwind(AssertUnwindSafe(function)) {
                Ok(value) => Outcome::Done(value),
                Err(payload) => Outcome::Panicked(payload),
            };
            // SAFETY: as above; the latch, set below, hands the cell over to the waiting thread.
            unsafe { *job.outcome.get() = outcome };
        }
        // SAFETY: the job is alive until here; nothing of it is used after this.
        unsafe { L::set(&raw const job.latch) };
    }

    /// Runs the function here and now, if no other thread has the `JobRef` (it was taken back from the queue).
    #[inline]
    pub(crate) fn run_here(&mut self) -> R {
        match self.function.get_mut().take() {
            Some(function) => function(),
            None => std::process::abort(), // only the thread that runs the job takes the function, and none did
        }
    }

    /// The result, once the latch is set. A panic resumes here.
    pub(crate) fn into_result(self) -> R {
        match self.outcome.into_inner() {
            Outcome::Done(value) => value,
            Outcome::Panicked(payload) => std::panic::resume_unwind(payload),
            Outcome::Open => std::process::abort(), // the latch is set after the outcome
        }
    }
}
