//! Statuses: as often as the agent asks, and at once when something changes, but at most 50 a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numasim_protocol::{AppStatus, FromApp};

use super::wire::Sender;
use crate::shared::Shared;

/// Between two statuses.
const LEAST: Duration = Duration::from_millis(20);

/// Sends statuses until the connection is over.
pub(super) fn run(shared: &Shared, sender: &Sender<'_>, every: Duration, over: &AtomicBool) {
    let every = every.max(LEAST);
    while !over.load(Ordering::Acquire) {
        let status = now(shared);
        let (waiting, tasks) = (status.waiting, status.queued != Some(0));
        shared.said.told_tasks.store(tasks, Ordering::Relaxed);
        sender.send(&FromApp::Status(status));
        let sent = Instant::now();
        // Whatever changes meanwhile is in the next one.
        while !over.load(Ordering::Acquire) && sent.elapsed() < LEAST {
            shared.said.listen(sent + LEAST);
        }
        let changed = || shared.said.waiting() != waiting || shared.has_tasks() != tasks;
        while !over.load(Ordering::Acquire) && sent.elapsed() < every && !changed() {
            // A worker that takes the last task and stays with it rings no bell; one that finds none does.
            let look = if shared.gate.all_parked() { every } else { LEAST };
            shared.said.listen((sent + every).min(Instant::now() + look));
        }
    }
}

/// How the application is now.
fn now(shared: &Shared) -> AppStatus {
    let number = |count: &usize| u32::try_from(*count).unwrap_or(u32::MAX);
    let counts = shared.counts();
    let told = |value: usize| u64::try_from(value).unwrap_or(u64::MAX).min(numasim_protocol::LARGEST);
    AppStatus {
        running: counts.running.iter().map(number).collect(),
        blocked: counts.blocked.iter().map(number).collect(),
        progress: told(shared.said.progress.load(Ordering::Acquire)),
        waiting: shared.said.waiting(),
        queued: Some(told(shared.queued())),
        phase: told(shared.said.phase.load(Ordering::Acquire)),
        tasks: Some(told(shared.tasks_done())),
    }
}
