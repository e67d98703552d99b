//! Quantities as types: the name is the unit, the number is private.
//!
//! Prefixes are decimal, 1 GB = 10^9 bytes, 1 GFLOPS = 10^9 floating-point operations per second. Memory
//! sizes are the exception: 1 GiB = 2^30 bytes.

/// Bytes of a cache line; bytes per nanosecond are GB/s.
pub(crate) const LINE_BYTES: f64 = 64.0;

use std::fmt;
use std::ops::{Add, Div, Mul, Sub};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $suffix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("`value` in ", $suffix, ".")]
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            #[doc = concat!("The number of ", $suffix, ".")]
            pub const fn value(self) -> f64 {
                self.0
            }

            /// The smaller of the two.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
        }

        impl fmt::Display for $name {
            /// Uses the precision of the format string: `{:.1}` prints one decimal and the unit.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)?;
                write!(f, " {}", $suffix)
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, right: Self) -> Self {
                Self(self.0 + right.0)
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, right: Self) -> Self {
                Self(self.0 - right.0)
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(quantities: I) -> Self {
                // `sum` of an empty iterator is -0.0, which people would see.
                Self(quantities.map(Self::value).fold(0.0, |sum, value| sum + value))
            }
        }
    };
}

quantity!(
    /// A rate of memory traffic, 10^9 bytes per second.
    GigabytesPerSecond, "GB/s"
);
quantity!(
    /// A rate of computation, 10^9 floating-point operations per second.
    Gflops, "GFLOPS"
);
quantity!(
    /// Arithmetic intensity: floating-point operations per byte moved to or from memory.
    FlopPerByte, "FLOP/byte"
);
quantity!(
    /// An amount of computation, 10^9 floating-point operations.
    Gflop, "GFLOP"
);
quantity!(
    /// An amount of memory, 2^30 bytes, the unit of operating systems and memory modules.
    Gibibytes, "GiB"
);
quantity!(
    /// An amount of data, 10^6 bytes.
    Megabytes, "MB"
);
quantity!(
    /// A duration.
    Seconds, "s"
);

/// Roofline, slanted part: bandwidth x arithmetic intensity = performance.
impl Mul<FlopPerByte> for GigabytesPerSecond {
    type Output = Gflops;
    fn mul(self, intensity: FlopPerByte) -> Gflops {
        Gflops(self.0 * intensity.0)
    }
}

/// The bandwidth that feeds this performance: performance / arithmetic intensity.
impl Div<FlopPerByte> for Gflops {
    type Output = GigabytesPerSecond;
    fn div(self, intensity: FlopPerByte) -> GigabytesPerSecond {
        GigabytesPerSecond(self.0 / intensity.0)
    }
}

/// The time of an amount of work at a constant rate.
impl Div<Gflops> for Gflop {
    type Output = Seconds;
    fn div(self, rate: Gflops) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidth_times_intensity_is_performance() {
        // 9 GB/s x 0.5 FLOP/byte = 4.5 GFLOPS (paper, Table I, GFLOPS per thread)
        assert_eq!(GigabytesPerSecond::new(9.0) * FlopPerByte::new(0.5), Gflops::new(4.5));
    }

    #[test]
    fn performance_over_intensity_is_bandwidth() {
        // 10 GFLOPS / 0.5 FLOP/byte = 20 GB/s (paper, Table I, peak memory bandwidth per thread)
        assert_eq!(Gflops::new(10.0) / FlopPerByte::new(0.5), GigabytesPerSecond::new(20.0));
    }

    #[test]
    fn work_over_performance_is_time() {
        assert_eq!(Gflop::new(1000.0) / Gflops::new(250.0), Seconds::new(4.0));
    }

    #[test]
    fn display_uses_the_precision_and_appends_the_unit() {
        assert_eq!(format!("{:.1}", GigabytesPerSecond::new(31.96)), "32.0 GB/s");
    }
}
