//! Scopes: tasks that borrow from who waits for all of them.

#![allow(unsafe_code, reason = "tasks that borrow from a stack; every block says why it is sound")]

use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use numasim_model::ids::NodeId;

use crate::job::{HeapJob, JobRef, Payload};
use crate::latch::{Latch, LockLatch, WorkerLatch};
use crate::pool::Pool;
use crate::sync::{AtomicUsize, Ordering};

/// Who waits at the end of a scope: a worker, or any thread.
enum End<'a> {
    Worker(WorkerLatch<'a>),
    Other(Arc<LockLatch>),
}

impl Latch for End<'_> {
    unsafe fn set(this: *const Self) {
        // SAFETY: alive until one of the two is set, which is the last thing here.
        unsafe {
            match &*this {
                Self::Worker(latch) => Latch::set(std::ptr::from_ref(latch)),
                Self::Other(latch) => Latch::set(std::ptr::from_ref(latch)),
            }
        }
    }
}

/// Where tasks are spawned that may borrow whatever outlives the call of [`Pool::scope`].
pub struct Scope<'scope> {
    pool: &'scope Pool,
    /// Tasks that are not over, and the body.
    open: AtomicUsize,
    end: End<'scope>,
    panic: Mutex<Option<Payload>>,
    /// Neither a longer nor a shorter life will do.
    exactly: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("open", &self.open.load(Ordering::Relaxed)).finish_non_exhaustive()
    }
}

/// The way of a task to its scope.
struct Home<'scope>(*const Scope<'scope>);

// SAFETY: a scope may be used by several threads: its fields are atomics, locks, and a pool, which is for all threads.
unsafe impl Send for Home<'_> {}

impl<'scope> Home<'scope> {
    /// # Safety
    /// The task has not ended yet: its scope waits for it.
    unsafe fn scope(&self) -> &Scope<'scope> {
        // SAFETY: the caller's promise.
        unsafe { &*self.0 }
    }
}

impl<'scope> Scope<'scope> {
    /// Has a task run by whichever worker comes first; it may spawn others.
    pub fn spawn(&self, task: impl FnOnce(&Scope<'scope>) + Send + 'scope) {
        self.submit(task, None);
    }

    /// The same on a node, as [`Pool::spawn_on`].
    pub fn spawn_on(&self, node: NodeId, task: impl FnOnce(&Scope<'scope>) + Send + 'scope) {
        self.submit(task, Some(node));
    }

    /// Has a worker run something itself, and wakes it for that. It is not counted as a task.
    pub(crate) fn post(&self, worker: usize, task: impl FnOnce(&Scope<'scope>) + Send + 'scope) -> JobRef {
        let job = self.job(task);
        self.pool.shared.posted.put(worker, job);
        self.pool.shared.gate.rouse(worker); // a blocked one looks when it is wanted again
        job
    }

    /// Runs here what was posted, if the worker has not begun it.
    pub(crate) fn run_posted(&self, worker: usize, job: JobRef) {
        if let Some(job) = self.pool.shared.posted.take_back(worker, job) {
            // SAFETY: nobody else has it any more, and this scope waits for it.
            unsafe { job.run() }
        }
    }

    fn submit(&self, task: impl FnOnce(&Scope<'scope>) + Send + 'scope, node: Option<NodeId>) {
        self.pool.submit(self.job(task), node);
    }

    /// A task that keeps the scope open.
    fn job(&self, task: impl FnOnce(&Scope<'scope>) + Send + 'scope) -> JobRef {
        self.open.fetch_add(1, Ordering::Relaxed);
        let home = Home(self);
        HeapJob::into_ref(move || {
            let home = home;
            {
                // SAFETY: this task has not ended.
                let scope = unsafe { home.scope() };
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| task(scope))) {
                    scope.keep(payload);
                }
            }
            // SAFETY: as above; this is the end.
            unsafe { Self::leave(home.0) };
        })
    }

    /// The first panic is the one that goes on.
    pub(crate) fn keep(&self, payload: Payload) {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
    }

    /// # Safety
    /// Once for the body and for each task. `this` may be gone afterwards.
    unsafe fn leave(this: *const Self) {
        // SAFETY: alive until the last one left, and the latch that this one then sets is alive until it is set.
        unsafe {
            if (*this).open.fetch_sub(1, Ordering::AcqRel) == 1 {
                Latch::set(&raw const (*this).end);
            }
        }
    }
}

impl Pool {
    /// Calls `body`, on this thread, with a scope, and waits until all tasks spawned in it are over. A worker of the pool
    /// does tasks meanwhile.
    ///
    /// ```
    /// # use numasim_runtime::{Layout, Pool};
    /// let pool = Pool::new(Layout::unbound(2)?)?;
    /// let mut halves = [1, 2];
    /// let (left, right) = halves.split_at_mut(1);
    /// pool.scope(|scope| {
    ///     scope.spawn(move |_| left[0] *= 10);
    ///     scope.spawn(move |_| right[0] *= 10);
    /// });
    /// assert_eq!(halves, [10, 20]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// With the first panic of a task or of `body`, once all tasks are over.
    pub fn scope<'scope, R>(&'scope self, body: impl FnOnce(&Scope<'scope>) -> R) -> R {
        self.with_member(|worker| {
            let end = match worker {
                Some(worker) => End::Worker(WorkerLatch::new(&self.shared.gate, worker.number)),
                None => End::Other(Arc::default()),
            };
            let (open, panic) = (AtomicUsize::new(1), Mutex::new(None));
            let scope = Scope { pool: self, open, end, panic, exactly: PhantomData };
            let result = catch_unwind(AssertUnwindSafe(|| body(&scope)));
            // SAFETY: for the body. The scope stays here until the latch is set.
            unsafe { Scope::leave(&raw const scope) };
            match (&scope.end, worker) {
                (End::Worker(latch), Some(worker)) => worker.wait(latch),
                (End::Other(latch), _) => latch.wait(),
                (End::Worker(_), None) => std::process::abort(), // made for a worker, above
            }
            let panic = scope.panic.into_inner().unwrap_or_else(PoisonError::into_inner);
            match (result, panic) {
                (Ok(result), None) => result,
                (Err(payload), _) | (Ok(_), Some(payload)) => resume_unwind(payload),
            }
        })
    }
}
