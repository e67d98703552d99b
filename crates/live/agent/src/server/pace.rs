//! How often something is done that takes processor time: each period, unless that would take more than a part of a processor.

use std::time::Duration;

/// It takes at most this part of a processor, 2 %.
const PART: u32 = 50;
/// More than that at once is no reason to wait: what comes now and then is paid for later.
const AT_ONCE: Duration = Duration::from_millis(5);

/// See the module. Times are since the start of the agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    period: Duration,
    next: Duration,
    last: Duration,
    /// Processor time that was taken and is not paid for.
    debt: Duration,
}

impl Pace {
    /// For the first time after a period.
    pub(super) fn new(period: Duration) -> Self {
        Self { period, next: period, last: Duration::ZERO, debt: Duration::ZERO }
    }

    /// When it is done next.
    pub(super) fn next(&self) -> Duration {
        self.next
    }

    /// It was done now, and took so much processor time.
    pub(super) fn done(&mut self, now: Duration, took: Duration) {
        let paid = now.saturating_sub(self.last) / PART;
        self.debt = self.debt.saturating_sub(paid).saturating_add(took);
        self.last = now;
        let wait = self.debt.saturating_sub(AT_ONCE).saturating_mul(PART);
        self.next = now.saturating_add(self.period.max(wait));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// How often it is done within `seconds`, each time for `took`.
    fn times(period: Duration, took: Duration, seconds: u32) -> u32 {
        let mut pace = Pace::new(period);
        let mut times = 0;
        while pace.next() < seconds * Duration::from_secs(1) {
            pace.done(pace.next(), took);
            times += 1;
        }
        times
    }

    #[test]
    fn what_takes_little_is_done_each_period() {
        // 0.1 ms of each 10 ms is 1 %.
        assert_eq!(times(10 * MS, MS / 10, 10), 999);
    }

    #[test]
    fn what_takes_much_is_done_less_often() {
        // 2 % of 10 s is 200 ms, and 5 ms may be owed.
        assert!((200..=206).contains(&times(10 * MS, MS, 10)), "{}", times(10 * MS, MS, 10));
        assert!((10..=12).contains(&times(10 * MS, 20 * MS, 10)), "{}", times(10 * MS, 20 * MS, 10));
    }

    #[test]
    fn what_takes_much_now_and_then_does_not_wait() {
        let mut pace = Pace::new(10 * MS);
        for round in 0..100 {
            // 4 ms once a second, else 0.05 ms each 10 ms: 0.9 % of a processor.
            let took = if round % 100 == 0 { 4 * MS } else { MS / 20 };
            let now = pace.next();
            pace.done(now, took);
            assert_eq!(pace.next(), now + 10 * MS);
        }
    }
}
