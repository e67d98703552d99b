//! Tests that measure on this host. They have a binary of their own, so that nothing else runs beside them, and take turns.

mod bench;
mod calibrate;
#[allow(dead_code, reason = "the tests of tests/main.rs use the rest")]
mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The processors, until it is dropped: two measurements at once would starve each other on a small host.
fn alone() -> MutexGuard<'static, ()> {
    static MEASURING: Mutex<()> = Mutex::new(());
    // A test that failed leaves nothing behind that another one could stumble over.
    MEASURING.lock().unwrap_or_else(PoisonError::into_inner)
}
