//! Worker threads, started in one place: a system that has no room for them is told about, and is no fault.

use std::time::Duration;

use indicatif::ProgressBar;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// Starts the workers of this process: `threads` of them, or as many as there are processors. Where they run already
/// nothing happens.
///
/// # Errors
/// The system refuses to start one.
pub(crate) fn start(threads: Option<u16>) -> Result<(), Failure> {
    // 0: as many as there are processors.
    let built = ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from)).build_global();
    match built {
        // The only other error is that they run already.
        Err(error) if std::error::Error::source(&error).is_some() => {
            Err(refused(threads.map(usize::from), &error))
        }
        _ => Ok(()),
    }
}

/// Workers of their own.
///
/// # Errors
/// As [`start`].
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| refused(Some(threads), &error))
}

/// What is told about threads that cannot be started.
pub(crate) fn refused(threads: Option<usize>, error: &dyn std::error::Error) -> Failure {
    let message = match threads {
        Some(threads) => format!("cannot start {threads} threads"),
        None => "cannot start a thread for each processor".to_owned(),
    };
    Failure::input(message).caused_by(error.source().unwrap_or(error)).hint(
        "raise the limit of processes or memory (ulimit -u, ulimit -v), or take fewer: RAYON_NUM_THREADS=1",
    )
}

/// Draws the bar anew now and then, if the system has a thread for that.
pub(crate) fn tick(bar: &ProgressBar, every: Duration) {
    // The bar ends the program where it cannot start its thread.
    let started = std::thread::Builder::new().spawn(|| ());
    if started.is_ok_and(|thread| thread.join().is_ok()) {
        bar.enable_steady_tick(every);
    }
}
