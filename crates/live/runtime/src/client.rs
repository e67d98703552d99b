//! A pool as a follower of an agent: what it reports, and how it obeys.

use std::sync::atomic::Ordering;

use numasim_client::{Bell, Follower};
use numasim_protocol::{AppStatus, Order};

use crate::shared::Shared;

impl Follower for Shared {
    fn threads(&self) -> Vec<u32> {
        self.layout.workers().iter().map(number).collect()
    }

    fn obey(&self, order: Option<&Order>, cores: &[u32]) -> Result<(), String> {
        let done = match order {
            // The agent counts the cores of its machine.
            Some(Order::Cores(wanted)) => {
                let cores: Vec<usize> = cores.iter().map(|&cores| cores as usize).collect();
                self.order_cores(&cores, wanted)
            }
            order => self.order(order),
        };
        done.map_err(|error| error.to_string())
    }

    fn status(&self) -> AppStatus {
        self.said.heard();
        let counts = self.counts();
        let status = AppStatus {
            running: counts.running.iter().map(number).collect(),
            blocked: counts.blocked.iter().map(number).collect(),
            progress: told(self.said.progress()),
            waiting: self.said.waiting(),
            queued: Some(told(self.queued())),
            phase: told(self.said.phase.load(Ordering::Acquire)),
            tasks: Some(told(self.tasks_done())),
        };
        self.said.told_tasks.store(status.queued != Some(0), Ordering::Relaxed);
        status
    }

    fn is_news(&self, last: &AppStatus) -> bool {
        self.said.heard();
        (self.said.waiting(), told(self.said.progress()), self.has_tasks())
            != (last.waiting, last.progress, last.queued != Some(0))
    }

    /// A worker that takes the last task and keeps running it rings no bell; a worker that finds none does.
    fn rings(&self) -> bool {
        self.gate.all_parked()
    }

    fn bell(&self) -> &Bell {
        &self.said.bell
    }
}

fn number(count: &usize) -> u32 {
    u32::try_from(*count).unwrap_or(u32::MAX)
}

fn told(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX).min(numasim_protocol::LARGEST)
}
