//! The outside world of a search: the time limit, Ctrl-C, and the progress bar.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use numasim_ask::Clock;
use numasim_ask::explored::WhyUnproven;
use numasim_draw::figures;
use numasim_sim::Objective;
use numasim_sim::pareto::{Stage, Stages};
use numasim_sim::search::over_models::Shared;
use numasim_sim::search::{Monitor, Progress};
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::shell::{Shell, stderr_columns};
use crate::threads;

/// A search that takes longer than this shows its progress.
pub(crate) const SHOW_AFTER: Duration = Duration::from_secs(1);
/// Interval between redraws; the elapsed time also advances while the search has nothing to report.
pub(crate) const REDRAW: Duration = Duration::from_millis(200);
/// Steps of the bar.
const FULL: u64 = 1000;

/// Set by the first Ctrl-C.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on the first Ctrl-C requests a stop, see [`interrupted`]; the second ends the program.
pub(crate) fn listen() {
    static HANDLER: OnceLock<()> = OnceLock::new();
    HANDLER.get_or_init(|| {
        let status = i32::from(crate::failure::INTERRUPTED);
        // The handler that ends the program comes first, because it checks the flag that the other one sets. Without a handler Ctrl-C
        // ends the program, as it does by default.
        let _ = flag::register_conditional_shutdown(SIGINT, status, stop_flag())
            .and_then(|_| flag::register(SIGINT, stop_flag()));
    });
}

/// Whether the user requested a stop.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The flag that the first Ctrl-C sets, for code that reads it directly.
pub(crate) fn stop_flag() -> Arc<AtomicBool> {
    Arc::clone(&INTERRUPTED)
}

/// A flag that is set from now on by the signals with which systems end programs: SIGTERM, and SIGHUP from a terminal that is closed.
///
/// # Errors
/// The system refuses.
#[cfg(target_os = "linux")]
pub(crate) fn told_to_end() -> std::io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// A progress bar for a count, shown after a while; absent if standard error is not a terminal.
pub(crate) struct Bar {
    start: Instant,
    template: &'static str,
    progress: Option<ProgressBar>,
    shown: OnceLock<()>,
}

impl Bar {
    /// A bar for `all` items, of which `done` already exist.
    pub(crate) fn new(template: &'static str, all: u64, done: u64, shell: &Shell) -> Self {
        let bar = shell.stderr_is_terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::hidden());
            bar.set_position(done);
            bar.reset_eta();
            bar
        });
        Self { start: Instant::now(), template, progress: bar, shown: OnceLock::new() }
    }

    /// An empty bar of the same kind.
    fn another(&self) -> Self {
        let bar = self
            .progress
            .as_ref()
            .map(|_| ProgressBar::with_draw_target(Some(FULL), ProgressDrawTarget::hidden()));
        Self { start: Instant::now(), template: self.template, progress: bar, shown: OnceLock::new() }
    }

    /// The visible bar, for updates of the progress.
    pub(crate) fn drawn(&self) -> Option<&ProgressBar> {
        let bar = self.progress.as_ref()?;
        if self.start.elapsed() >= SHOW_AFTER {
            self.shown.get_or_init(|| {
                if let Ok(style) = ProgressStyle::with_template(self.template) {
                    bar.set_style(style.progress_chars("=> "));
                }
                bar.set_draw_target(ProgressDrawTarget::stderr());
                threads::tick(bar, REDRAW);
            });
        }
        Some(bar)
    }

    /// Removes the bar from the screen.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.progress {
            bar.finish_and_clear();
        }
    }
}

/// Watches one search.
pub(crate) struct Watch {
    start: Instant,
    limit: Option<Duration>,
    /// The part of the limit that is reserved for work after the search.
    kept_back: Mutex<Duration>,
    /// Whether the clock was the first to request a stop.
    out_of_time: AtomicBool,
    bar: Bar,
    objective: Objective,
}

impl Watch {
    /// Starts the clock. From now on the first Ctrl-C stops the search and keeps the answer, the second ends the program.
    pub(crate) fn start(limit: Option<Duration>, objective: Objective, shell: &Shell) -> Self {
        listen();
        Self {
            start: Instant::now(),
            limit,
            kept_back: Mutex::default(),
            out_of_time: AtomicBool::new(false),
            bar: Bar::new("exploring {elapsed} [{bar:8}] {wide_msg}", FULL, 0, shell),
            objective,
        }
    }

    fn kept_back(&self) -> Duration {
        *self.kept_back.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Columns of the bar and its time next to the message: `exploring 59m [========] `.
const BESIDE: usize = 25;

/// The state of the best so far, in at most `columns` if possible: less important parts are left out first.
fn message(objective: Objective, progress: &Progress, columns: usize) -> String {
    let Some(best) = progress.best else { return "no placement found yet".to_owned() };
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
        let bar = self.bar.drawn();
        if interrupted() {
            if let Some(bar) = bar {
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
        let Some(bar) = self.bar.drawn() else { return };
        // Search budget or time, whichever is closer to its end; the bar never moves back.
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
            bar: self.bar.another(),
            objective: self.objective,
        })
    }

    /// Removes the bar from the screen.
    fn finish(&self) {
        self.bar.finish();
    }
}

/// Columns for the message.
fn room() -> usize {
    stderr_columns().saturating_sub(BESIDE)
}

// A search in three parts that share one time limit.

/// Watches the search for both ends of a front and for the points between them.
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

    /// Begin and end of the part, as fractions of the time limit.
    fn share(&self) -> (f64, f64) {
        match self.stage() {
            Stage::FirstEnd => (0.0, 0.3),
            Stage::SecondEnd => (0.3, 0.6),
            Stage::Between => (0.6, 1.0),
        }
    }

    fn show(&self, text: String, part: f64) {
        let Some(bar) = self.watch.bar.drawn() else { return };
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
        let name = format!("{}: ", objective.as_str());
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
