//! Statuses: as often as the agent asks, and at once when something changes, but at most 50 in any second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numasim_protocol::{AppStatus, FromApp};

use super::wire::Sender;
use crate::shared::Shared;

/// Between two statuses that nothing asks for but the time, and between two looks at what rings no bell.
const LEAST: Duration = Duration::from_millis(20);

/// Sends statuses until the connection is over.
pub(super) fn run(shared: &Shared, sender: &Sender<'_>, every: Duration, over: &AtomicBool) {
    let every = every.max(LEAST);
    let mut allowance = Allowance::new(Instant::now());
    while !over.load(Ordering::Acquire) {
        shared.said.heard();
        let status = now(shared);
        let (waiting, progress, tasks) = (status.waiting, status.progress, status.queued != Some(0));
        shared.said.told_tasks.store(tasks, Ordering::Relaxed);
        sender.send(&FromApp::Status(status));
        let sent = Instant::now();
        let next = allowance.take(sent);
        // Whatever changes meanwhile is in the next one.
        while !over.load(Ordering::Acquire) && Instant::now() < next {
            shared.said.listen(next);
        }
        let changed = || {
            shared.said.heard();
            let said = (shared.said.waiting(), told(shared.said.progress()), shared.has_tasks());
            said != (waiting, progress, tasks)
        };
        while !over.load(Ordering::Acquire) && sent.elapsed() < every && !changed() {
            // A worker that takes the last task and stays with it rings no bell; one that finds none does.
            let look = if shared.gate.all_parked() { every } else { LEAST };
            shared.said.listen((sent + every).min(Instant::now() + look));
        }
    }
}

/// How many statuses may be sent: a few in a row, as the end of an iteration and what comes after it are several
/// changes within a millisecond, and a policy that heard of them later would leave cores idle meanwhile.
struct Allowance {
    left: u32,
    since: Instant,
}

impl Allowance {
    /// In a row, and with those that come again within a second 50.
    const ROW: u32 = 10;
    /// In this time one comes again: 40 a second.
    const AGAIN: Duration = Duration::from_millis(25);

    fn new(now: Instant) -> Self {
        Self { left: Self::ROW, since: now }
    }

    /// One was sent; when the next one may be.
    fn take(&mut self, now: Instant) -> Instant {
        while self.left < Self::ROW && now.saturating_duration_since(self.since) >= Self::AGAIN {
            self.left += 1;
            self.since += Self::AGAIN;
        }
        if self.left == Self::ROW {
            self.since = now;
        }
        self.left = self.left.saturating_sub(1);
        if self.left > 0 { now } else { self.since + Self::AGAIN }
    }
}

fn told(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX).min(numasim_protocol::LARGEST)
}

/// How the application is now.
fn now(shared: &Shared) -> AppStatus {
    let number = |count: &usize| u32::try_from(*count).unwrap_or(u32::MAX);
    let counts = shared.counts();
    AppStatus {
        running: counts.running.iter().map(number).collect(),
        blocked: counts.blocked.iter().map(number).collect(),
        progress: told(shared.said.progress()),
        waiting: shared.said.waiting(),
        queued: Some(told(shared.queued())),
        phase: told(shared.said.phase.load(Ordering::Acquire)),
        tasks: Some(told(shared.tasks_done())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_in_a_row_then_one_each_25_ms_are_fifty_in_the_fullest_second() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        let mut sent = vec![start];
        while sent.len() < 200 {
            let last = *sent.last().expect("one");
            sent.push(allowance.take(last));
        }
        let ms = |at: &Instant| (*at - start).as_millis();
        assert_eq!(
            sent.iter().take(13).map(ms).collect::<Vec<_>>(),
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 50, 75]
        );
        let fullest = sent.iter().map(|from| {
            let within = |at: &&Instant| **at >= *from && **at < *from + Duration::from_secs(1);
            sent.iter().filter(within).count()
        });
        // 10 at 0 ms, then at 25, 50, ... 975 ms.
        assert_eq!(fullest.max(), Some(49));
    }

    #[test]
    fn who_was_silent_for_a_second_has_all_again_and_no_more() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        (0..10).for_each(|_| {
            allowance.take(start);
        });
        let later = start + Duration::from_secs(1);
        let in_a_row = (0..20).take_while(|_| allowance.take(later) == later).count();
        // The tenth is sent, too; the eleventh has to wait.
        assert_eq!(in_a_row, 9);
    }
}
