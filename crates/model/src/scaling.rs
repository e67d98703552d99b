//! Speed of several threads of an application together, relative to one.

/// Speed of n threads of an application together, relative to one thread: the speedup S(n).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Scaling {
    /// S(n) = n.
    #[default]
    Linear,
    /// S(n) = 1 / (s + (1 - s) / n): Amdahl's law with a serial share s of the work.
    Serial {
        /// s, 0 to 1.
        fraction: f64,
    },
    /// Points (threads, speedup), ordered by threads; the first is (1, 1). S(n) is linear between them and
    /// constant beyond the last one.
    Table(Vec<(u32, f64)>),
}

impl Scaling {
    /// S(n); 0 for n = 0.
    pub fn speedup(&self, threads: u32) -> f64 {
        let n = f64::from(threads);
        if threads == 0 {
            return 0.0;
        }
        match self {
            Self::Linear => n,
            Self::Serial { fraction } => 1.0 / (fraction + (1.0 - fraction) / n),
            Self::Table(points) => {
                let after = points.partition_point(|&(at, _)| at <= threads);
                match (after.checked_sub(1).and_then(|before| points.get(before)), points.get(after)) {
                    (Some(&(left, low)), Some(&(right, high))) => {
                        low + (high - low) * (n - f64::from(left)) / (f64::from(right) - f64::from(left))
                    }
                    (Some(&(_, last)), None) => last,
                    (None, _) => n,
                }
            }
        }
    }

    /// S(n) / n: the relative speed of each of n threads; 1 for n = 0.
    pub fn efficiency(&self, threads: u32) -> f64 {
        match self {
            Self::Serial { .. } | Self::Table(_) if threads > 0 => self.speedup(threads) / f64::from(threads),
            // Not n / n, which could round.
            Self::Linear | Self::Serial { .. } | Self::Table(_) => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amdahl_speedups_of_one_tenth_serial() {
        // 1 / (0.1 + 0.9 / n): n = 2 1 / 0.55 = 1.8182, n = 4 1 / 0.325 = 3.0769, n = 6 1 / 0.25 = 4
        let scaling = Scaling::Serial { fraction: 0.1 };
        for (threads, speedup) in [(1, 1.0), (2, 1.8182), (4, 3.0769), (6, 4.0)] {
            assert!((scaling.speedup(threads) - speedup).abs() < 5e-5, "{threads}");
        }
    }

    #[test]
    fn tables_are_linear_between_points_and_constant_after_the_last() {
        // (1, 1) to (4, 3.1): at 2 threads 1 + 2.1 / 3 = 1.7
        let scaling = Scaling::Table(vec![(1, 1.0), (4, 3.1)]);
        assert!((scaling.speedup(2) - 1.7).abs() < 1e-12);
        assert_eq!(scaling.speedup(1), 1.0);
        assert_eq!(scaling.speedup(9), 3.1);
    }
}
