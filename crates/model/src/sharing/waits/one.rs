//! The wait in a single queue.

use super::law::{LEAST, Law};

/// The largest number of Newton steps for one queue; usually fewer than ten suffice.
const STEPS: usize = 64;
/// A step below this fraction of the wait is the last one: Newton's method leaves its square.
const LAST_STEP: f64 = 1e-8;

/// Equal threads that draw from a queue: the number of threads times the GB/s of the queue for each GB/s that one moves, the ns per byte of one thread
/// without waiting, and the factor by which its bytes wait longer than those of others.
#[derive(Clone, Copy, Debug)]
pub(in crate::sharing) struct Readers {
    pub(in crate::sharing) amount: f64,
    pub(in crate::sharing) time: f64,
    pub(in crate::sharing) wait: f64,
}

/// The bandwidth that the readers draw at `wait`, GB/s, and the rate at which it falls with the wait.
#[inline]
pub(in crate::sharing) fn rates(readers: impl Iterator<Item = Readers>, wait: f64) -> (f64, f64) {
    readers.fold((0.0, 0.0), |(sum, slope), reader| {
        let rate = 1.0 / (reader.time + wait * reader.wait);
        let all = reader.amount * rate;
        (sum + all, slope + all * reader.wait * rate)
    })
}

/// The wait at which the queue delivers the bandwidth that the readers draw.
#[inline]
pub(in crate::sharing) fn wait_at<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, law: Law) -> f64 {
    wait_near(readers, law, 0.0)
}

/// The same, starting near `guess`.
#[inline]
pub(super) fn wait_near<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, law: Law, guess: f64) -> f64 {
    let (asked, slope) = rates(readers(), 0.0);
    let may_wait = if law.is_hard() { asked > law.capacity } else { asked > LEAST * law.capacity };
    if !may_wait || slope <= 0.0 {
        return 0.0;
    }
    let least = first_wait(law, asked, slope);
    let mut wait = guess.max(least);
    for _ in 0..STEPS {
        let (sum, slope) = rates(readers(), wait);
        let (above, rises) = law.excess(sum, wait);
        let step = sum * above / (slope + rises);
        wait = (wait + step).max(least);
        if step.abs() <= LAST_STEP * wait {
            break;
        }
    }
    wait
}

/// A lower bound on the wait of readers that draw `asked` GB/s without waiting. That bandwidth falls by `slope` per ns per byte at first.
///
/// By Jensen's inequality the readers draw at least as much as one thread with their mean time.
#[inline]
pub(super) fn first_wait(law: Law, asked: f64, slope: f64) -> f64 {
    let mean = slope / asked;
    let to_fit = (asked * law.per_gbs - 1.0) / mean;
    let behind = 2.0 * asked * law.factor / (1.0 + (1.0 + 4.0 * mean * asked * law.factor).sqrt());
    to_fit.max(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(count: f64, demand_gbs: f64) -> impl Fn() -> std::iter::Once<Readers> {
        move || std::iter::once(Readers { amount: count, time: 1.0 / demand_gbs, wait: 1.0 })
    }

    #[test]
    fn equal_threads_share_a_full_queue_equally() {
        // 5 threads of 20 GB/s on 32: 6.4 each, 1/6.4 - 1/20 = 0.10625 ns per byte of waiting
        assert!((wait_at(equal(5.0, 20.0), queue(32.0, 0.0)) - 0.10625).abs() < 1e-12);
    }

    fn queue(capacity: f64, factor: f64) -> Law {
        Law::new(capacity, factor)
    }

    #[test]
    fn far_below_the_corner_equal_threads_follow_the_closed_form() {
        // n = 4, d = 2, B = 32, p0 = 0.5 / B: T = 0.5, T_mem = 1/32: T(4) = (0.5 + sqrt(0.25 + 4 x 12 x (0.5/32) / 32)) / 2.
        // A quarter of B is drawn, and 4^-8 = 1.5e-5.
        let factor = 3.0 * 0.5 / (32.0 * 32.0);
        let expected = f64::midpoint(0.5, (0.25 + 4.0 * 12.0 * (0.5 / 32.0) / 32.0_f64).sqrt());
        let wait = wait_at(equal(4.0, 2.0), queue(32.0, factor));
        assert!((wait / (expected - 0.5) - 1.0).abs() < 1e-5, "{wait}");
    }

    #[test]
    fn the_soft_corner_delivers_the_eighth_root_of_one_half() {
        // 4 threads on 32 GB/s, p0 = 0.5 / B: S = B at w = 3 x 0.5 / 32 = 0.046875. 32 x 2^(-1/8) = 29.344 are delivered, 7.336 each:
        // 0.136312 ns per byte, so that each alone has 1 / (0.136312 - 0.046875) = 11.1810 GB/s.
        let factor = 3.0 * 0.5 / (32.0 * 32.0);
        let each = 32.0 * 0.5_f64.powf(0.125) / 4.0;
        let alone = 1.0 / (1.0 / each - 0.046_875);
        assert!((alone - 11.1810).abs() < 1e-3, "{alone}");
        let wait = wait_at(equal(4.0, alone), queue(32.0, factor));
        assert!((wait - 0.046_875).abs() < 1e-12, "{wait}");
    }

    #[test]
    fn far_above_the_corner_the_queue_delivers_its_capacity() {
        // 1000 GB/s each: T is nearly all wait, w = 4 / 32 = 0.125, 2.67 times that of S = B: 0.05 % are missing (2.67^-8 / 8 = 4.9e-5).
        let factor = 3.0 * 0.5 / (32.0 * 32.0);
        let wait = wait_at(equal(4.0, 1000.0), queue(32.0, factor));
        let drawn = 4.0 / (1e-3 + wait);
        assert!(drawn < 32.0 && drawn > 32.0 * (1.0 - 1e-4), "{drawn}");
    }
}
