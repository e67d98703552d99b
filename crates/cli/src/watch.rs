//! The outside world of a search: the time limit, Ctrl-C, and the progress bar.

mod parts;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use numasim_ask::Clock;
use numasim_ask::explored::WhyUnproven;
use numasim_draw::figures;
use numasim_sim::Objective;
use numasim_sim::search::over_models::Shared;
use numasim_sim::search::{Monitor, Progress};
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::shell::{Shell, stderr_columns};
use crate::threads;
pub(crate) use parts::Parts;

/// A search that takes longer than this shows what it is doing.
pub(crate) const SHOW_AFTER: Duration = Duration::from_secs(1);
/// Time between two drawings: the seconds go on also while the search has nothing to report.
pub(crate) const REDRAW: Duration = Duration::from_millis(200);
/// Steps of the bar.
const FULL: u64 = 1000;

/// Set by the first Ctrl-C.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on the first Ctrl-C asks for an end, see [`interrupted`]; the second ends the program.
pub(crate) fn listen() {
    static HANDLER: OnceLock<()> = OnceLock::new();
    HANDLER.get_or_init(|| {
        let status = i32::from(crate::failure::INTERRUPTED);
        // The one that ends comes first: it looks at what the other one sets.
        // Without a handler Ctrl-C ends the program, as it does by default.
        let _ = flag::register_conditional_shutdown(SIGINT, status, stop_flag())
            .and_then(|_| flag::register(SIGINT, stop_flag()));
    });
}

/// Whether the person has asked for an end.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// What the first Ctrl-C sets, for those who look at it themselves.
pub(crate) fn stop_flag() -> Arc<AtomicBool> {
    Arc::clone(&INTERRUPTED)
}

/// Set from now on by the signals with which systems end programs: SIGTERM, and SIGHUP of a terminal that is closed.
///
/// # Errors
/// The system refuses it.
#[cfg(target_os = "linux")]
pub(crate) fn told_to_end() -> std::io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// Watches one search.
pub(crate) struct Watch {
    start: Instant,
    limit: Option<Duration>,
    /// The part of the limit that is left for what comes after the search.
    kept_back: Mutex<Duration>,
    /// Whether the clock was the first to ask for an end.
    out_of_time: AtomicBool,
    /// Hidden until [`SHOW_AFTER`]; none where standard error is not a terminal.
    bar: Option<ProgressBar>,
    shown: OnceLock<()>,
    objective: Objective,
}

impl Watch {
    /// Starts the clock. From now on the first Ctrl-C ends the search and keeps the answer, the second ends the
    /// program.
    pub(crate) fn start(limit: Option<Duration>, objective: Objective, shell: &Shell) -> Self {
        listen();
        Self {
            start: Instant::now(),
            limit,
            kept_back: Mutex::default(),
            out_of_time: AtomicBool::new(false),
            bar: shell.stderr_is_terminal.then(ProgressBar::hidden),
            shown: OnceLock::new(),
            objective,
        }
    }

    fn kept_back(&self) -> Duration {
        *self.kept_back.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the bar on the screen once the search has taken long enough.
    fn show(&self) {
        let Some(bar) = &self.bar else { return };
        if self.start.elapsed() < SHOW_AFTER {
            return;
        }
        self.shown.get_or_init(|| {
            bar.set_length(FULL);
            if let Ok(style) = ProgressStyle::with_template("exploring {elapsed} [{bar:8}] {wide_msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
            threads::tick(bar, REDRAW);
        });
    }
}

/// Columns that the bar and its time take beside the message: `exploring 59m [========] `.
const BESIDE: usize = 25;

/// What is known of the best so far, in at most `columns` where that can be: what matters less is left out first.
fn message(objective: Objective, progress: &Progress, columns: usize) -> String {
    let Some(best) = progress.best else { return "no allocation found yet".to_owned() };
    let unit = match objective.unit() {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let limit = if objective == Objective::Makespan { "at least" } else { "at most" };
    let gap = ((progress.bound - best) / progress.bound).abs() * 100.0;
    let bound = if progress.bound.is_finite() {
        format!(", {limit} {}", figures::single(progress.bound))
    } else {
        String::new()
    };
    let gap = if gap.is_finite() { format!(", gap {gap:.2} %") } else { String::new() };
    let best = format!("best {}{bound}{unit}", figures::single(best));
    let (gap, keeps) = (format!("{best}{gap}"), "; Ctrl-C stops and keeps it");
    let longest_first =
        [format!("{gap}{keeps}"), format!("{best}{keeps}"), format!("{best}; Ctrl-C keeps it"), best];
    let fits = longest_first.iter().find(|text| text.chars().count() <= columns);
    fits.or(longest_first.last()).cloned().unwrap_or_default()
}

impl Monitor for Watch {
    fn stop(&self) -> bool {
        self.show();
        if interrupted() {
            if let Some(bar) = &self.bar {
                bar.set_message("stopping with the best so far; Ctrl-C again quits without an answer");
            }
            return true;
        }
        let out_of_time = self.limit.is_some_and(|limit| self.start.elapsed() + self.kept_back() >= limit);
        if out_of_time {
            self.out_of_time.store(true, Ordering::Relaxed);
        }
        out_of_time
    }

    fn progress(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        // Effort or time, whichever is closer to its end; the bar never goes back.
        let timed = self.limit.map_or(0.0, |limit| self.start.elapsed().as_secs_f64() / limit.as_secs_f64());
        let part = progress.effort_spent.max(timed).clamp(0.0, 1.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to FULL")]
        bar.set_position(bar.position().max((part * FULL as f64) as u64));
        bar.set_message(message(self.objective, progress, room()));
    }
}

impl Shared for Watch {
    fn is_over(&self, part: f64) -> bool {
        let over = self.limit.is_some_and(|limit| {
            self.start.elapsed() >= limit.saturating_sub(self.kept_back()).mul_f64(part)
        });
        if over {
            self.out_of_time.store(true, Ordering::Relaxed);
        }
        over
    }
}

impl Clock for Watch {
    fn elapsed_s(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn limit(&self) -> Option<Duration> {
        self.limit
    }

    fn ended_by(&self) -> Option<WhyUnproven> {
        if interrupted() {
            Some(WhyUnproven::Interrupted)
        } else {
            self.out_of_time.load(Ordering::Relaxed).then_some(WhyUnproven::TimeLimit)
        }
    }

    fn keep_back(&self, time: Duration) {
        let kept = self.limit.map_or(Duration::ZERO, |limit| time.min(limit / 2));
        *self.kept_back.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    fn another(&self, limit: Option<Duration>) -> Box<dyn Clock + '_> {
        Box::new(Self {
            start: Instant::now(),
            limit,
            kept_back: Mutex::default(),
            out_of_time: AtomicBool::new(false),
            bar: self.bar.is_some().then(ProgressBar::hidden),
            shown: OnceLock::new(),
            objective: self.objective,
        })
    }

    /// Takes the bar off the screen.
    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Columns for the message.
fn room() -> usize {
    stderr_columns().saturating_sub(BESIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(columns: usize) -> String {
        let progress = Progress { found: None, best: Some(1234.5), bound: 1300.0, effort_spent: 0.1 };
        message(Objective::TotalGflops, &progress, columns)
    }

    #[test]
    fn a_search_ends_early_where_time_is_kept_back_but_has_half_of_the_limit() {
        let hour = Duration::from_secs(3600);
        let mut watch =
            Watch::start(Some(2 * hour), Objective::Fair, &Shell::new(crate::args::ColorWhen::Never));
        assert!(!watch.stop());
        watch.keep_back(3 * hour);
        assert_eq!(watch.kept_back(), hour);
        watch.start -= hour;
        assert!(watch.stop());
        watch.limit = None;
        watch.keep_back(hour);
        assert_eq!(watch.kept_back(), Duration::ZERO, "without a limit there is nothing to keep back from");
    }

    #[test]
    fn the_progress_line_keeps_to_the_terminal_and_says_what_ctrl_c_does() {
        // Gap: (1300 - 1234.5) / 1300 = 5.04 %.
        assert_eq!(shown(120), "best 1234.5, at most 1300.0 GFLOPS, gap 5.04 %; Ctrl-C stops and keeps it");
        assert_eq!(shown(80 - BESIDE), "best 1234.5, at most 1300.0 GFLOPS; Ctrl-C keeps it");
        assert_eq!(shown(10), "best 1234.5, at most 1300.0 GFLOPS");
    }
}
