//! Signals that end a program without a word.

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
