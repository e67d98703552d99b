//! Rounds in which all contenders run one after the other, and the statistics of their ratios.

/// Arguments of the command line.
pub(crate) struct Arguments {
    /// Rounds.
    pub(crate) pairs: usize,
    /// Another program to compare with.
    #[allow(dead_code, reason = "not every bench has one")]
    pub(crate) peer: Option<String>,
}

impl Arguments {
    /// Parses `--pairs N` and `--peer PROGRAM`; cargo adds further words.
    pub(crate) fn read(pairs: usize) -> Self {
        let mut arguments = Self { pairs, peer: None };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--pairs" => arguments.pairs = words.next().and_then(|n| n.parse().ok()).expect("a number"),
                "--peer" => arguments.peer = words.next(),
                _ => {}
            }
        }
        arguments
    }

    /// One warm-up round, then those that count.
    pub(crate) fn rounds<T>(&self, mut round: impl FnMut() -> T) -> Vec<T> {
        round();
        (0..self.pairs).map(|_| round()).collect()
    }
}

/// The median and its 95 % interval by order statistics: with n values, those of ranks (n -+ 1.96 sqrt n) / 2.
pub(crate) fn interval(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let half = 0.98 * (n as f64).sqrt();
    // A rank is a small number, limited at both ends.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let rank = |place: f64| values[(place.round().max(0.0) as usize).min(n - 1)];
    let centre = (n as f64 - 1.0) / 2.0;
    (rank((centre - half).floor()), rank(centre), rank((centre + half).ceil()))
}

/// CPU time of all threads of this process so far, in ns; on systems other than Linux the elapsed time.
#[cfg(target_os = "linux")]
pub(crate) fn cpu_ns() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one time.
    #[allow(unsafe_code)]
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "every Linux has this clock");
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn cpu_ns() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_nanos() as f64
}
