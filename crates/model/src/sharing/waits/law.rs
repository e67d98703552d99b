//! The bandwidth that a queue delivers at a given wait.

/// A queue with a smaller penalty x (N - 1) has a hard corner: its bytes would wait less than this fraction of a transfer time. The margin also counts
/// fractions of threads that add up to one thread as one.
const HARD: f64 = 1e-9;
/// The smallest fraction of a capacity whose power is computed.
pub(super) const LEAST: f64 = 1e-25;

/// The power of the soft corner, for all machines. It was chosen on the training half of the published curves
/// (`results/published-data/CHOICES.md`).
const SHARPNESS: i32 = 8;

/// The power [`SHARPNESS`] of a number.
#[inline]
fn power(number: f64) -> f64 {
    let square = number * number;
    let fourth = square * square;
    fourth * fourth
}

/// The power 1 / [`SHARPNESS`] of a number.
fn root(number: f64) -> f64 {
    number.sqrt().sqrt().sqrt()
}

/// A queue delivers (S^-8 + capacity^-8)^(-1/8) GB/s at the wait w, with S = w / `factor`: at most `capacity`, and about S far below it.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sharing) struct Law {
    pub(in crate::sharing) capacity: f64,
    /// The wait per GB/s at a light load, ns per byte; above 0.
    pub(in crate::sharing) factor: f64,
    /// 1 / capacity, and 1 / (capacity x factor).
    pub(super) per_gbs: f64,
    per_wait: f64,
}

impl Law {
    pub(in crate::sharing) fn new(capacity: f64, factor: f64) -> Self {
        Self { capacity, factor, per_gbs: 1.0 / capacity, per_wait: 1.0 / (capacity * factor) }
    }

    /// Whether the corner is hard: bytes do not wait until the whole capacity is drawn.
    #[inline]
    pub(in crate::sharing) fn is_hard(self) -> bool {
        self.factor * self.capacity * self.capacity <= HARD
    }

    /// The bandwidth delivered at `wait`, above 0, in GB/s, and its derivative with respect to the wait.
    pub(in crate::sharing) fn delivered(self, wait: f64) -> (f64, f64) {
        let alone = wait / self.factor;
        let above = alone / self.capacity;
        // Of the two equal forms, the one that does not overflow.
        if above < 1.0 {
            let soft = 1.0 + above.powi(SHARPNESS);
            let delivered = alone / root(soft);
            (delivered, delivered / (soft * wait))
        } else {
            let little = above.powi(-SHARPNESS);
            let soft = 1.0 + little;
            let delivered = self.capacity / root(soft);
            (delivered, delivered * little / (soft * wait))
        }
    }

    /// The wait at which the queue delivers `drawn` GB/s; infinite if that exceeds the capacity.
    pub(in crate::sharing) fn wait_of(self, drawn: f64) -> f64 {
        let left = 1.0 - power(drawn * self.per_gbs);
        match left {
            left if left <= 0.0 && drawn > self.capacity => f64::INFINITY,
            _ if self.is_hard() => 0.0,
            left => self.factor * drawn / root(left.max(0.0)),
        }
    }

    /// The terms of Newton's method on 1 / D - 1 / drawn at `wait`: the relative excess drawn / D - 1, and the rate at which drawn x excess falls per ns per
    /// byte because D rises. The step is the excess divided by this rate plus the rate at which the drawn bandwidth falls.
    #[inline]
    pub(super) fn excess(self, drawn: f64, wait: f64) -> (f64, f64) {
        if self.is_hard() {
            return (drawn * self.per_gbs - 1.0, 0.0);
        }
        let alone = power((wait * self.per_wait).clamp(LEAST, 1.0 / LEAST));
        let rest = 1.0 / (1.0 + alone);
        let (part, asked) = (alone * rest, power(drawn * self.per_gbs));
        let apart = asked - part;
        let above = if apart > -0.999 * part && apart < 8.0 * part {
            // (1 + 9/16 t) / (1 + 7/16 t) approximates the eighth root of 1 + t and is exact in the limit. Far from the solution it makes shorter steps.
            0.125 * apart / (part + 0.4375 * apart)
        } else {
            root((asked / part).min(1.0 / LEAST)) - 1.0
        };
        (above, (1.0 + above) * rest * drawn / wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_is_zero_at_the_delivered_bandwidth() {
        let law = Law::new(40.0, 0.002);
        for wait in [1e-6, 0.01, 0.08, 0.1, 0.2] {
            let (delivered, slope) = law.delivered(wait);
            let (above, rises) = law.excess(delivered, wait);
            assert!(above.abs() < 1e-13 && (rises / slope - 1.0).abs() < 1e-9, "{wait}");
            // 0.1 % more, and ten times and a tenth of it: near and far.
            for times in [1.001, 10.0, 0.1] {
                let (above, _) = law.excess(times * delivered, wait);
                assert!(((above + 1.0) / times - 1.0).abs() < 1e-8, "{wait} {times}");
            }
        }
    }
}
