//! The clock of all measurements.

use std::hint::black_box;

/// Nanoseconds of `CLOCK_MONOTONIC`: the same for all threads and processes of the machine, unlike an `Instant`, which
/// cannot be handed to another process.
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that lives through the call. Linux always has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    // Both are positive: the clock counts from the start of the machine.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Nanoseconds of processor time that the calling thread has used.
pub fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that lives through the call. Linux always has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    // Both are positive: it counts from the start of the thread.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// What one look at the clock costs on this processor, in nanoseconds: the best of some rounds.
pub fn look_cost_ns() -> f64 {
    const LOOKS: u32 = 1000;
    let round = || {
        let start = now_ns();
        for _ in 0..LOOKS {
            black_box(now_ns());
        }
        (now_ns() - start) as f64 / f64::from(LOOKS)
    };
    (0..5).map(|_| round()).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_goes_on_and_a_look_costs_something() {
        let before = now_ns();
        let cost = look_cost_ns();
        assert!(now_ns() > before);
        assert!(cost > 0.0 && cost.is_finite(), "{cost}");
    }
}
