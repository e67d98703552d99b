//! The outside world of a search: the time limit, Ctrl-C, and the progress bar.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use numasim_sim::Objective;
use numasim_sim::search::{Monitor, Progress};

use crate::shell::Shell;

/// A search that takes longer than this shows what it is doing.
const SHOW_AFTER: Duration = Duration::from_secs(1);

/// Set by the first Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Watches one search.
pub(crate) struct Watch {
    start: Instant,
    limit: Option<Duration>,
    /// Whether the clock was the first to ask for an end.
    out_of_time: AtomicBool,
    bar: Option<Mutex<ProgressBar>>,
    unit: &'static str,
}

/// Who ended a search early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndedBy {
    /// The person.
    Interrupt,
    /// `--time-limit`.
    TimeLimit,
}

impl Watch {
    /// Starts the clock. From now on the first Ctrl-C ends the search and keeps the answer, the second ends the
    /// program.
    pub(crate) fn start(limit: Option<Duration>, objective: Objective, shell: &Shell) -> Self {
        static HANDLER: OnceLock<()> = OnceLock::new();
        HANDLER.get_or_init(|| {
            // Without a handler Ctrl-C ends the program, as it does by default.
            let _ = ctrlc::set_handler(|| {
                if INTERRUPTED.swap(true, Ordering::Relaxed) {
                    std::process::exit(130); // 128 + SIGINT, what shells expect
                }
            });
        });
        Self {
            start: Instant::now(),
            limit,
            out_of_time: AtomicBool::new(false),
            bar: shell.stderr_is_terminal.then(|| Mutex::new(ProgressBar::hidden())),
            unit: objective.unit(),
        }
    }

    /// Seconds since the start.
    pub(crate) fn elapsed_s(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Who asked the search to end, if anybody did.
    pub(crate) fn ended_by(&self) -> Option<EndedBy> {
        if INTERRUPTED.load(Ordering::Relaxed) {
            Some(EndedBy::Interrupt)
        } else {
            self.out_of_time.load(Ordering::Relaxed).then_some(EndedBy::TimeLimit)
        }
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.lock().unwrap_or_else(PoisonError::into_inner).finish_and_clear();
        }
    }

    fn message(&self, progress: &Progress) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let Some(best) = progress.best else { return "no allocation found yet".to_owned() };
        let gap = ((progress.bound - best) / progress.bound).abs() * 100.0;
        let gap = if gap.is_finite() { format!(", gap {gap:.2} %") } else { String::new() };
        format!("best {best:.4}{unit}, bound {:.4}{unit}{gap}", progress.bound)
    }
}

impl Monitor for Watch {
    fn stop(&self) -> bool {
        if self.limit.is_some_and(|limit| self.start.elapsed() >= limit) {
            self.out_of_time.store(true, Ordering::Relaxed);
            return true;
        }
        INTERRUPTED.load(Ordering::Relaxed)
    }

    fn progress(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        if self.start.elapsed() < SHOW_AFTER {
            return;
        }
        let bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        if bar.length().is_none_or(|length| length != 1000) {
            bar.set_length(1000);
            bar.set_draw_target(ProgressDrawTarget::stderr());
            let template = "exploring {elapsed} [{bar:24}] {msg} (Ctrl-C takes the best so far)";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
        }
        // Effort or time, whichever is closer to its end.
        let timed = self.limit.map_or(0.0, |limit| self.start.elapsed().as_secs_f64() / limit.as_secs_f64());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        bar.set_position((progress.effort_spent.max(timed).clamp(0.0, 1.0) * 1000.0) as u64);
        bar.set_message(self.message(progress));
    }
}
