//! Tasks that borrow: scopes, whose thread waits for all their tasks; two halves of a task; and loops over a range in blocks.
#![allow(
    unsafe_code,
    reason = "tasks that borrow from the stack of whoever waits for them; every block says why it is sound"
)]

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use numasim_model::ids::NodeId;

use crate::job::{HeapJob, JobRef, Payload, StackJob};
use crate::latch::{Latch, LockLatch, WorkerLatch};
use crate::pool::Pool;
use crate::sync::{AtomicUsize, Ordering};
use crate::worker::Worker;

/// The thread that waits at the end of a scope: a worker, or any thread.
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

/// A scope for tasks that may borrow everything that outlives the call of [`Pool::scope`].
pub struct Scope<'scope> {
    pool: &'scope Pool,
    /// Number of tasks that are not over, plus the body.
    open: AtomicUsize,
    end: End<'scope>,
    panic: Mutex<Option<Payload>>,
    /// Makes the lifetime invariant: neither longer nor shorter.
    exactly: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("open", &self.open.load(Ordering::Relaxed)).finish_non_exhaustive()
    }
}

/// The pointer from a task to its scope.
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
    /// Runs a task on any worker; it may spawn others.
    pub fn spawn(&self, task: impl FnOnce(&Scope<'scope>) + Send + 'scope) {
        self.submit(task, None);
    }

    /// The same on a node, as [`Pool::spawn_on`].
    pub fn spawn_on(&self, node: NodeId, task: impl FnOnce(&Scope<'scope>) + Send + 'scope) {
        self.submit(task, Some(node));
    }

    /// Makes a certain worker run a job itself, and wakes it for that. It is not counted as a task.
    pub(crate) fn post(&self, worker: usize, task: impl FnOnce(&Scope<'scope>) + Send + 'scope) -> JobRef {
        let job = self.job(task);
        self.pool.shared.posted.put(worker, job);
        self.pool.shared.gate.rouse(worker); // a blocked one checks when it is wanted again
        job
    }

    /// Runs the posted job here, if the worker has not begun it.
    pub(crate) fn run_posted(&self, worker: usize, job: JobRef) {
        if let Some(job) = self.pool.shared.posted.take_back(worker, job) {
            // SAFETY: no other thread has it any more, and this scope waits for it.
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

    /// Only the first panic is resumed.
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
    /// Calls `body`, on this thread, with a scope, and waits until all tasks spawned in it are over. A worker of the pool runs tasks
    /// meanwhile.
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

// Two pieces of work in parallel (`join`), and work inside the pool (`install`): without allocation.

impl Pool {
    /// Runs both, in parallel if a worker is free, and returns both results. If called outside the pool, it moves inside first.
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

    /// Runs `function` on a worker and returns its result: immediately, if this thread is one; otherwise the thread waits.
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

/// Runs both, in parallel if another worker of the pool is free, and returns both results. Outside a pool: one after the other.
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

/// A separate function, to keep the other case small.
#[cold]
#[inline(never)]
fn outside<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Not inlined: callers of `join` then stay small enough to be inlined themselves, and their small cases need no stack frame of this size
/// (fib(32): half of all calls).
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
            // No worker took it.
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

// Parallel loops: a range of numbers in blocks, distributed over the nodes by their workers.

impl Pool {
    /// Calls `body` for blocks of at most `grain` numbers that together are `range`; returns when all are done.
    ///
    /// Each node gets a part in proportion to its workers, the first node the first numbers, the same part each time: if one loop fills
    /// an array and the next reads it, most of the data is on the local node. A part is halved while it is longer than `grain` (0 counts
    /// as 1), and halves may be stolen.
    ///
    /// # Panics
    /// With the first panic of `body`, once no block runs any more.
    pub fn for_each(&self, range: Range<usize>, grain: usize, body: impl Fn(Range<usize>) + Sync) {
        let workers = self.layout().workers();
        let body = &body;
        self.scope(|scope| {
            for (node, part) in parts(range, &workers).into_iter().enumerate() {
                if !part.is_empty() {
                    scope.spawn_on(NodeId(node), move |_| halve(part, grain.max(1), body));
                }
            }
        });
    }
}

/// Cuts a range in proportion to `weights`, rounding each cut down.
fn parts(range: Range<usize>, weights: &[usize]) -> Vec<Range<usize>> {
    let (length, all) = (range.len() as u128, weights.iter().sum::<usize>().max(1) as u128);
    let mut sum = 0_u128;
    let mut start = range.start;
    let part = |&weight: &usize| {
        sum += weight as u128;
        // At most `length`, which was a usize.
        let end = range.start + usize::try_from(length * sum / all).unwrap_or(usize::MAX);
        let part = start..end;
        start = end;
        part
    };
    weights.iter().map(part).collect()
}

fn halve(range: Range<usize>, grain: usize, body: &(impl Fn(Range<usize>) + Sync)) {
    if range.len() <= grain {
        return body(range);
    }
    let middle = range.start + range.len() / 2;
    join(|| halve(range.start..middle, grain, body), || halve(middle..range.end, grain, body));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_proportion_and_leave_nothing_out() {
        // 10 x 1/4 = 2.5, x 1/4, x 4/4.
        assert_eq!(parts(5..15, &[1, 0, 3]), [5..7, 7..7, 7..15]);
        assert_eq!(parts(0..0, &[2, 1]), [0..0, 0..0]);
        assert_eq!(parts(0..usize::MAX, &[1, 1]), [0..usize::MAX / 2, usize::MAX / 2..usize::MAX]);
    }
}
