//! A search in three parts that share one time limit.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use numasim_sim::Objective;
use numasim_sim::pareto::{Stage, Stages};
use numasim_sim::search::{Monitor, Progress};

use super::{FULL, Watch, message, room};

/// Watches the search for both ends of a front and for what lies between them.
pub(crate) struct Parts {
    /// The clock and the bar.
    pub(crate) watch: Watch,
    objectives: [Objective; 2],
    stage: Mutex<Stage>,
}

impl Parts {
    pub(crate) fn new(watch: Watch, objectives: [Objective; 2]) -> Self {
        Self { watch, objectives, stage: Mutex::new(Stage::FirstEnd) }
    }

    fn stage(&self) -> Stage {
        *self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Where the part begins and ends, as shares of the time limit.
    fn share(&self) -> (f64, f64) {
        match self.stage() {
            Stage::FirstEnd => (0.0, 0.3),
            Stage::SecondEnd => (0.3, 0.6),
            Stage::Between => (0.6, 1.0),
        }
    }

    fn show(&self, text: String, part: f64) {
        let Some(bar) = &self.watch.bar else { return };
        let (from, to) = self.share();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to FULL")]
        let at = ((from + (to - from) * part.clamp(0.0, 1.0)) * FULL as f64) as u64;
        bar.set_position(bar.position().max(at));
        bar.set_message(text);
    }
}

impl Monitor for Parts {
    fn stop(&self) -> bool {
        if self.watch.stop() {
            return true;
        }
        let (_, share) = self.share();
        let out_of_time =
            self.watch.limit.is_some_and(|limit| self.watch.start.elapsed() >= limit.mul_f64(share));
        if out_of_time {
            self.watch.out_of_time.store(true, Ordering::Relaxed);
        }
        out_of_time
    }

    fn progress(&self, progress: &Progress) {
        let objective = match self.stage() {
            Stage::FirstEnd => self.objectives[0],
            Stage::SecondEnd => self.objectives[1],
            Stage::Between => return, // a search that only looks for a start
        };
        let name = format!("{}: ", objective.name());
        let found = message(objective, progress, room().saturating_sub(name.len()));
        self.show(format!("{name}{found}"), progress.effort_spent);
    }
}

impl Stages for Parts {
    fn begin(&self, stage: Stage) {
        *self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = stage;
    }

    fn compared(&self, allocations: u64, part: f64) {
        self.show(format!("in between: {allocations} compared; Ctrl-C stops and keeps the front"), part);
    }
}
