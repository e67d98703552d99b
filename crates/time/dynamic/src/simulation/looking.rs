//! What an observer sees.

use numasim_model::AppId;
use numasim_model::units::Seconds;
use numasim_policy::Presence;

use super::Simulation;
use crate::observer::{Counts, Snapshot};

impl Snapshot for Simulation<'_, '_, '_, '_> {
    fn time(&self) -> Seconds {
        Seconds::new(self.now().seconds())
    }

    fn is_there(&self, app: AppId) -> bool {
        self.progress.presence(app.0) == Presence::There
    }

    fn counts(&self, app: AppId, node: usize) -> Counts {
        if !self.is_there(app) {
            return Counts::default();
        }
        let threads = &self.threads[app.0];
        let busy = self.rates.cores_used(app.0, node);
        let blocked = threads.blocked(node);
        if self.work[app.0].is_pool() {
            Counts { running: threads.idle(node), busy, idle: 0, blocked }
        } else {
            Counts { running: threads.in_task(node), busy, idle: threads.idle(node), blocked }
        }
    }

    fn gflops(&self, app: AppId, node: usize) -> f64 {
        self.rates.gflops(app.0, node)
    }

    fn bandwidth_gbs(&self, app: AppId, node: usize) -> f64 {
        self.rates.bandwidth(app.0, node)
    }

    fn items(&self, channel: usize) -> u64 {
        self.progress.items(channel)
    }

    fn channels_out_of(&self, app: AppId) -> &[usize] {
        self.progress.outputs_of(app.0)
    }
}
