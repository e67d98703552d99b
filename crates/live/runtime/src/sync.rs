//! Atomics, locks and parking: those of the standard library, or loom's for tests of all interleavings.

use std::sync::PoisonError;

#[cfg(loom)]
pub(crate) use loom::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
    },
    thread::{Thread, current, park},
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
    },
    thread::{Thread, current, park},
};

/// The value behind a lock, even if a thread panicked with it: this crate never leaves a value half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
