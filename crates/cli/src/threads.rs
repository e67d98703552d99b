//! Requests of this process to the operating system: worker threads, which may not be available, and a signal handler that prevents a
//! silent end.

use std::time::Duration;

use indicatif::ProgressBar;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// Starts the workers of this process: `threads` of them, or as many as there are logical CPUs. If they are already running, nothing
/// happens.
///
/// # Errors
/// The system refuses to start one.
pub(crate) fn start(threads: Option<u16>) -> Result<(), Failure> {
    // 0: as many as there are logical CPUs.
    let built = ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from)).build_global();
    match built {
        // The only other error is that they are already running.
        Err(error) if std::error::Error::source(&error).is_some() => {
            Err(refused(threads.map(usize::from), &error))
        }
        _ => Ok(()),
    }
}

/// A separate pool of workers.
///
/// # Errors
/// As [`start`].
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| refused(Some(threads), &error))
}

/// The message about threads that cannot be started.
pub(crate) fn refused(threads: Option<usize>, error: &dyn std::error::Error) -> Failure {
    let message = match threads {
        Some(threads) => format!("cannot start {threads} threads"),
        None => "cannot start a thread for each processor".to_owned(),
    };
    Failure::input(message).caused_by(error.source().unwrap_or(error)).hint(
        "raise the limit of processes or memory (ulimit -u, ulimit -v), or take fewer: RAYON_NUM_THREADS=1",
    )
}

/// Redraws the bar periodically, if the system has a thread for it.
pub(crate) fn tick(bar: &ProgressBar, every: Duration) {
    // The bar would abort the program if it could not start its thread.
    let started = std::thread::Builder::new().spawn(|| ());
    if started.is_ok_and(|thread| thread.join().is_ok()) {
        bar.enable_steady_tick(every);
    }
}

/// Turns the limit of `ulimit -f` into a write error, like a full disk, instead of a signal that kills the program. Child processes keep
/// the default signals.
#[cfg(unix)]
pub(crate) fn survive_size_limits() {
    // A handler instead of `SIG_IGN`, which child processes would inherit.
    let flag = std::sync::Arc::default();
    // Without a handler the signal ends the program, as it does by default.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag);
}

#[cfg(not(unix))]
pub(crate) fn survive_size_limits() {}
