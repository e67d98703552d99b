//! Tests that measure on this host. They have a separate binary, so that nothing else runs at the same time, and take
//! turns.

mod bench;
mod calibrate;
#[allow(dead_code, reason = "the tests of tests/main.rs use the rest")]
mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock on the processors, until it is dropped: two simultaneous measurements would starve each other on a small
/// host.
fn alone() -> MutexGuard<'static, ()> {
    static MEASURING: Mutex<()> = Mutex::new(());
    // A failed test leaves no state that could affect another.
    MEASURING.lock().unwrap_or_else(PoisonError::into_inner)
}
