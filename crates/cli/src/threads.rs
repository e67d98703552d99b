//! What this process asks of its system: worker threads, which it may have no room for, and that a signal does not end it without a word.

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

/// From now on a file that would become longer than `ulimit -f` allows is an error of the write, as a full disk is, and not the end of the
/// program. Programs that are started from here have their usual signals.
#[cfg(unix)]
pub(crate) fn survive_size_limits() {
    // A handler and not `SIG_IGN`, which programs that are started would inherit.
    let flag = std::sync::Arc::default();
    // Without a handler the signal ends the program, as it does by default.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag);
}

#[cfg(not(unix))]
pub(crate) fn survive_size_limits() {}
