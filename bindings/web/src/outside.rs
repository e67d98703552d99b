//! The outside world of a search, as the page has it.

use std::sync::atomic::{AtomicBool, Ordering};

use numasim_model::AppId;
use numasim_sim::Candidate;
use numasim_sim::search::{Monitor, Progress};
use serde_json::{Value, json};

/// Milliseconds between two reports.
const REPORT_MS: f64 = 100.0;

/// What a page gives to a search, and hears of it.
pub trait Outside: Sync {
    /// Milliseconds since any fixed moment.
    fn now_ms(&self) -> f64;
    /// How far the search has come, as JSON.
    fn tell(&self, progress: &str);
}

/// Watches one search.
pub(crate) struct Watch<'a> {
    outside: &'a dyn Outside,
    start_ms: f64,
    limit_ms: Option<f64>,
    out_of_time: AtomicBool,
    /// When the last report was made, as bits of milliseconds.
    told: std::sync::atomic::AtomicU64,
}

impl<'a> Watch<'a> {
    pub(crate) fn start(outside: &'a dyn Outside, limit_s: Option<f64>) -> Self {
        Self {
            outside,
            start_ms: outside.now_ms(),
            limit_ms: limit_s.map(|seconds| seconds * 1000.0),
            out_of_time: AtomicBool::new(false),
            told: std::sync::atomic::AtomicU64::new(f64::NEG_INFINITY.to_bits()),
        }
    }

    fn elapsed_ms(&self) -> f64 {
        self.outside.now_ms() - self.start_ms
    }

    pub(crate) fn elapsed_s(&self) -> f64 {
        self.elapsed_ms() / 1000.0
    }

    pub(crate) fn is_out_of_time(&self) -> bool {
        self.out_of_time.load(Ordering::Relaxed)
    }
}

impl Monitor for Watch<'_> {
    fn stop(&self) -> bool {
        let over = self.limit_ms.is_some_and(|limit| self.elapsed_ms() >= limit);
        if over {
            self.out_of_time.store(true, Ordering::Relaxed);
        }
        over
    }

    fn progress(&self, progress: &Progress) {
        let now = self.elapsed_ms();
        if now - f64::from_bits(self.told.load(Ordering::Relaxed)) < REPORT_MS {
            return;
        }
        self.told.store(now.to_bits(), Ordering::Relaxed);
        let report = json!({
            "elapsed_s": now / 1000.0,
            "best": progress.best,
            "bound": progress.bound.is_finite().then_some(progress.bound),
            "effort_spent": progress.effort_spent,
            "found": progress.found.map(placed),
        });
        self.outside.tell(&report.to_string());
    }
}

/// Threads and homes of an allocation.
pub(crate) fn placed(candidate: &Candidate) -> Value {
    let homes = candidate.placements.iter().map(|placement| placement.home().map(|home| home.0));
    let rows = (0..candidate.placements.len()).map(|app| candidate.allocation.row(AppId(app)));
    json!({ "threads": rows.collect::<Vec<_>>(), "homes": homes.collect::<Vec<_>>() })
}
