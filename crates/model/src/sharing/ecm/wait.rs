//! How long bytes wait in a queue, and in two that depend on each other.

/// Rates below or above a capacity by this part are there.
const TOLERANCE: f64 = 1e-13;
/// Newton's steps; a handful is enough.
const STEPS: usize = 64;
/// Four for each of as many as halving would need.
const STEPS_TO_A_ROOT: usize = 240;

/// Some equal threads: how many GB/s of a resource each GB/s takes times the threads, ns per byte of one of them, and the
/// part of the wait that they feel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readers {
    pub(super) amount: f64,
    pub(super) time: f64,
    pub(super) wait: f64,
}

/// All rates when bytes wait `wait`, and minus their slope.
pub(super) fn rates(readers: impl Iterator<Item = Readers>, wait: f64) -> (f64, f64) {
    readers.fold((0.0, 0.0), |(sum, slope), reader| {
        let rate = 1.0 / (reader.time + wait * reader.wait);
        (sum + reader.amount * rate, slope + reader.amount * reader.wait * rate * rate)
    })
}

/// The wait at which the rates sum to `capacity`, if they sum to more after `least`.
///
/// Newton's method on 1 / rates, which is concave in the wait: it comes from below and is exact at once for equal readers.
fn wait_to_fit<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, capacity: f64, least: f64) -> f64 {
    let mut wait = least;
    for _ in 0..STEPS {
        let (sum, slope) = rates(readers(), wait);
        if sum <= capacity * (1.0 + TOLERANCE) || slope <= 0.0 {
            break;
        }
        wait += sum / slope * (sum / capacity - 1.0);
    }
    wait
}

/// The wait that is `factor` times the rates, if it is below `most`.
///
/// Newton's method on wait - factor x rates, which is concave and rising: it comes from below.
fn wait_behind<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, factor: f64, most: f64) -> f64 {
    let mut wait = 0.0;
    for _ in 0..STEPS {
        let (sum, slope) = rates(readers(), wait);
        let step = (factor * sum - wait) / (1.0 + factor * slope);
        if step <= TOLERANCE * wait {
            break;
        }
        wait = (wait + step).min(most);
    }
    wait
}

/// What holds of a queue: rates sum to `capacity` at most, and bytes wait `factor` times the rates at least, both in the same unit as the
/// readers' amounts. `asked` is what the readers would draw without any wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) capacity: f64,
    pub(super) factor: f64,
    pub(super) asked: f64,
}

impl Bounds {
    /// The wait behind rates that use all of it.
    fn at_capacity(&self) -> f64 {
        self.factor * self.capacity
    }
}

/// The smallest wait that keeps the bounds.
pub(super) fn wait_at<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, bounds: Bounds) -> f64 {
    let Bounds { capacity, factor, asked } = bounds;
    let most = bounds.at_capacity();
    if asked > capacity && (most == 0.0 || rates(readers(), most).0 > capacity) {
        wait_to_fit(readers, capacity, most)
    } else if factor > 0.0 {
        wait_behind(readers, factor, most)
    } else {
        0.0
    }
}

/// The smallest wait that keeps the bounds where `total` has all rates after a wait: falling, without a slope that is known. They are at
/// most `amount` / wait.
pub(super) fn joint_wait(total: impl Fn(f64) -> f64, bounds: Bounds, amount: f64) -> f64 {
    let Bounds { capacity, factor, asked } = bounds;
    let most = bounds.at_capacity();
    if asked > capacity && total(most) > capacity {
        root(|wait| total(wait) / capacity - 1.0, most, most.max(amount / capacity))
    } else if factor > 0.0 {
        root(|wait| total(wait) / capacity - wait / most, 0.0, most)
    } else {
        0.0
    }
}

/// Where a falling function has come down to 0, from the right: between `low`, where it is above, and `high`, where it is not.
///
/// Regula falsi with the rule of Illinois: the end that stays counts half, so that both close in. Every fourth step halves the interval,
/// whatever the function looks like.
fn root(above: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = ((low, above(low)), (high, above(high)));
    if low.1 <= 0.0 {
        return low.0;
    }
    if high.1 > -TOLERANCE {
        return high.0;
    }
    let mut last_was_above = None;
    for step in 0..STEPS_TO_A_ROOT {
        if high.0 - low.0 <= TOLERANCE * high.0 {
            break;
        }
        let straight = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        let inside = straight > low.0 && straight < high.0 && step % 4 != 3;
        let next = if inside { straight } else { f64::midpoint(low.0, high.0) };
        let at_next = above(next);
        if at_next > 0.0 {
            low = (next, at_next);
            if last_was_above == Some(true) {
                high.1 *= 0.5;
            }
        } else {
            high = (next, at_next);
            // Of the function itself: what is kept of an end may have been halved.
            if at_next > -TOLERANCE {
                break;
            }
            if last_was_above == Some(false) {
                low.1 *= 0.5;
            }
        }
        last_was_above = Some(at_next > 0.0);
    }
    high.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(count: f64, demand_gbs: f64) -> impl Fn() -> std::iter::Once<Readers> {
        move || std::iter::once(Readers { amount: count, time: 1.0 / demand_gbs, wait: 1.0 })
    }

    #[test]
    fn equal_threads_that_want_too_much_share_equally() {
        // 5 threads of 20 GB/s on 32: 6.4 each, 1/6.4 - 1/20 = 0.10625 ns per byte of waiting
        assert!((wait_to_fit(equal(5.0, 20.0), 32.0, 0.0) - 0.10625).abs() < 1e-12);
    }

    #[test]
    fn equal_threads_follow_the_closed_form_below_saturation() {
        // n = 4, d = 5, B = 32, p0 = 0.5 / B: T = 0.2, T_mem = 1/32:
        // T(4) = (0.2 + sqrt(0.04 + 4 x 12 x (0.5/32) / 32)) / 2
        let factor = 3.0 * 0.5 / (32.0 * 32.0);
        let expected = f64::midpoint(0.2, (0.04 + 4.0 * 12.0 * (0.5 / 32.0) / 32.0_f64).sqrt());
        let wait = wait_behind(equal(4.0, 5.0), factor, factor * 32.0);
        assert!((0.2 + wait - expected).abs() < 1e-12, "{wait}");
    }

    #[test]
    fn the_closed_form_is_near_the_published_recursion() {
        // T(n) = T + (n - 1) u(n - 1) p0 step by step, against the form with u(n)
        let (d, b, kappa) = (10.0_f64, 100.0_f64, 0.5);
        let (t, t_mem, p0) = (1.0 / d, 1.0 / b, kappa / b);
        let mut u = t_mem / t;
        for n in 2..=12 {
            let count = f64::from(n);
            let recursion = t + (count - 1.0) * u * p0;
            u = (count * t_mem / recursion).min(1.0);
            let closed = f64::midpoint(t, (t * t + 4.0 * count * (count - 1.0) * p0 * t_mem).sqrt());
            assert!((closed / recursion - 1.0).abs() < 0.05, "{n}: {closed} {recursion}");
        }
    }

    #[test]
    fn a_falling_function_with_a_kink_is_followed_to_its_root() {
        // flat at 1 up to 3, then 1 - (x - 3) / 2: 0 at 5
        let falling = |x: f64| if x < 3.0 { 1.0 } else { 1.0 - (x - 3.0) / 2.0 };
        assert!((root(falling, 0.0, 100.0) - 5.0).abs() < 1e-11);
        assert_eq!(root(falling, 6.0, 100.0), 6.0, "it is below from the start");
        // 100 / x - 1 above 1: 0 at 100, of an interval that begins at 1 and ends a billion times as far.
        assert!((root(|x| 100.0 / x - 1.0, 1.0, 1e9) - 100.0).abs() < 1e-9);
    }
}
