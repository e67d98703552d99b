//! Limits on the names and numbers that front ends may request. Beyond them a command would not finish, or its output would not be
//! readable.

use std::time::Duration;

/// Maximum number of alternatives.
pub const MOST_ALTERNATIVES: u16 = 1000;
/// Maximum number of worker threads.
pub const MOST_WORKERS: u16 = 1024;

/// The requested number of alternatives.
///
/// # Errors
/// Too many, in words.
pub fn alternatives(top: u64) -> Result<usize, String> {
    let wanted = u16::try_from(top).ok().filter(|&top| top <= MOST_ALTERNATIVES);
    wanted.map(usize::from).ok_or_else(|| format!("top is a number from 0 to {MOST_ALTERNATIVES}, not {top}"))
}

/// The requested number of worker threads.
///
/// # Errors
/// Zero or too many, in words.
pub fn workers(threads: u64) -> Result<usize, String> {
    let wanted = u16::try_from(threads).ok().filter(|threads| (1..=MOST_WORKERS).contains(threads));
    wanted
        .map(usize::from)
        .ok_or_else(|| format!("threads is a number from 1 to {MOST_WORKERS}, not {threads}"))
}

/// A time limit in seconds.
///
/// # Errors
/// Not a valid time, in words.
pub fn time_limit(seconds: Option<f64>) -> Result<Option<Duration>, String> {
    match seconds {
        Some(seconds) if !(seconds.is_finite() && seconds >= 0.0) => {
            Err(format!("time_limit is a number of seconds, 0 or more, not {seconds}"))
        }
        // 30 years; a larger limit has the same effect.
        limit => Ok(limit.map(|seconds| Duration::from_secs_f64(seconds.min(1e9)))),
    }
}

/// A value by the name that the command line accepts.
///
/// # Errors
/// There is no value with that name, in words.
pub fn named<T: Copy>(what: &str, name: &str, all: &[T], of: fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|&one| of(one) == name).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|&one| of(one)).collect();
        format!("there is no {what} '{name}'; there is: {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_end_is_refused() {
        assert_eq!((alternatives(0), alternatives(1000)), (Ok(0), Ok(1000)));
        assert_eq!((workers(1), workers(1024)), (Ok(1), Ok(1024)));
        assert!(
            alternatives(1 << 31).is_err_and(|why| why == "top is a number from 0 to 1000, not 2147483648")
        );
        assert!(workers(0).is_err() && workers(1_000_000).is_err());
    }
}
