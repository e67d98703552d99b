//! Latches: each is set once, by the thread that ends a task; another thread waits for that.

#![allow(
    unsafe_code,
    reason = "who waits may be gone as soon as a latch is set; every block says why it is sound"
)]

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::gate::Gate;
use crate::sync::{AtomicUsize, Ordering};

/// A flag that is set once.
pub(crate) trait Latch {
    /// Sets it.
    ///
    /// # Safety
    /// `this` points to a latch that is alive until it is set; the waiting thread may free it at that very moment.
    unsafe fn set(this: *const Self);
}

const UNSET: usize = 0;
/// Unset, and the waiting thread is about to park, or parked.
const SLEEPING: usize = 1;
const SET: usize = 2;

/// A latch for which a worker waits, while it runs other tasks.
pub(crate) struct WorkerLatch<'a> {
    state: AtomicUsize,
    gate: &'a Gate,
    owner: usize,
}

impl<'a> WorkerLatch<'a> {
    #[inline]
    pub(crate) fn new(gate: &'a Gate, owner: usize) -> Self {
        Self { state: AtomicUsize::new(UNSET), gate, owner }
    }

    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.state.load(Ordering::Acquire) == SET
    }

    /// Sets it while it stays alive: the caller borrows it.
    pub(crate) fn set_here(&self) {
        // SAFETY: borrowed, so alive until this returns.
        unsafe { Latch::set(std::ptr::from_ref(self)) }
    }

    /// The owner is about to park: a thread that sets the latch from now on must resume it.
    pub(crate) fn before_parking(&self) {
        let _ = self.state.compare_exchange(UNSET, SLEEPING, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The owner is awake.
    pub(crate) fn after_parking(&self) {
        let _ = self.state.compare_exchange(SLEEPING, UNSET, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Latch for WorkerLatch<'_> {
    unsafe fn set(this: *const Self) {
        // SAFETY: alive until it is set. The gate outlives the latch: it belongs to the pool, whose worker runs this.
        let (gate, owner, state) = unsafe { ((*this).gate, (*this).owner, &(*this).state) };
        if state.swap(SET, Ordering::AcqRel) == SLEEPING {
            gate.resume(owner);
        }
    }
}

/// A latch for which any thread waits, without running tasks.
#[derive(Debug, Default)]
pub(crate) struct LockLatch {
    set: Mutex<bool>,
    changed: Condvar,
}

impl LockLatch {
    pub(crate) fn wait(&self) {
        let set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(set, |set| !*set).unwrap_or_else(PoisonError::into_inner));
    }
}

/// Shared, because the waiting thread may be gone before the setting thread has left the lock.
impl Latch for Arc<LockLatch> {
    unsafe fn set(this: *const Self) {
        // SAFETY: alive until it is set, which is below.
        let latch = unsafe { (*this).clone() };
        *latch.set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        latch.changed.notify_all();
    }
}
