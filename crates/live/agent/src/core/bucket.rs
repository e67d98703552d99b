//! How many lines a connection may send.

use std::time::Duration;

/// A line takes so much of the time that the bucket holds: a hundred lines a second.
const LINE: Duration = Duration::from_millis(10);
/// Room for a hundred lines.
const ROOM: Duration = Duration::from_secs(1);

/// A bucket of permissions, full at first; each line takes one, and time fills it. Counted in time, which is exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    left: Duration,
    filled: Duration,
}

impl Bucket {
    pub(super) fn new(now: Duration) -> Self {
        Self { left: ROOM, filled: now }
    }

    /// Takes one; `false` where there is none.
    pub(super) fn take(&mut self, now: Duration) -> bool {
        let passed = now.saturating_sub(self.filled);
        self.filled = self.filled.max(now);
        self.left = self.left.saturating_add(passed).min(ROOM);
        match self.left.checked_sub(LINE) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bucket: &mut Bucket, at_ms: u64, tries: u32) -> usize {
        (0..tries).filter(|_| bucket.take(Duration::from_millis(at_ms))).count()
    }

    #[test]
    fn a_hundred_at_once_and_then_a_hundred_a_second() {
        let mut bucket = Bucket::new(Duration::ZERO);
        assert_eq!(taken(&mut bucket, 0, 300), 100);
        assert_eq!(taken(&mut bucket, 9, 300), 0, "0.9 of one");
        assert_eq!(taken(&mut bucket, 10, 300), 1);
        assert_eq!(taken(&mut bucket, 510, 300), 50);
        assert_eq!(taken(&mut bucket, 9_000, 300), 100, "never more than the bucket has room for");
    }

    #[test]
    fn time_that_goes_back_gives_nothing() {
        let mut bucket = Bucket::new(Duration::from_secs(5));
        assert_eq!(taken(&mut bucket, 0, 300), 100);
        assert_eq!(taken(&mut bucket, 5_000, 300), 0);
    }
}
