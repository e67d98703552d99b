//! Progress of simulations, for users at a terminal.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use numasim_draw::figures;
use numasim_dynamic::{Observer, SoFar};
use numasim_policy::PolicyName;

use crate::shell::{Shell, stderr_columns};
use crate::threads;
use crate::watch::{self, REDRAW, SHOW_AFTER};

/// Columns of the time before the message: `simulating 59m `.
const BESIDE: usize = 16;

/// A line with the progress of several simulations; absent if standard error is not a terminal.
pub(super) struct Progress {
    figures: Option<Arc<Figures>>,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Progress of this number of simulations, the same number for each policy; with `hidden` there is no line.
    pub(super) fn new(
        policies: &[PolicyName],
        all: usize,
        until_s: Option<f64>,
        hidden: bool,
        shell: &Shell,
    ) -> Self {
        let figures = || Arc::new(Figures::of(policies, all, until_s));
        let figures = (shell.stderr_is_terminal && !hidden).then(figures);
        Self { figures, bar: OnceLock::new() }
    }

    /// The observer of simulation `number`.
    pub(super) fn of(&self, number: usize) -> One<'_> {
        let seen = self.figures.as_deref().and_then(|figures| Some((figures, figures.courses.get(number)?)));
        One { progress: self, seen }
    }

    /// Removes the line from the screen.
    pub(super) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    /// Shows the line on the screen; it then redraws itself.
    fn show(&self) {
        let Some(figures) = &self.figures else { return };
        self.bar.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            bar.set_elapsed(figures.start.elapsed());
            let figures = Arc::clone(figures);
            let so_far = move |_: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
                let room = stderr_columns().saturating_sub(BESIDE);
                // There is no message if a line does not fit in memory.
                let _ = out.write_str(&figures.message(figures.start.elapsed().as_secs_f64(), room));
            };
            if let Ok(style) = ProgressStyle::with_template("simulating {elapsed} {so_far}") {
                bar.set_style(style.with_key("so_far", so_far));
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
            threads::tick(&bar, REDRAW);
            bar
        });
    }
}

/// Observes one simulation: it stores values that other threads read.
pub(super) struct One<'a> {
    progress: &'a Progress,
    seen: Option<(&'a Figures, &'a Course)>,
}

impl Observer for One<'_> {
    fn so_far(&mut self, so_far: SoFar) {
        let Some((figures, course)) = self.seen else { return };
        course.has_begun.store(true, Ordering::Relaxed);
        course.time_bits.store(so_far.time.value().to_bits(), Ordering::Relaxed);
        course.events.store(so_far.events, Ordering::Relaxed);
        // The clock is read only in the first second.
        if self.progress.bar.get().is_none() && figures.start.elapsed() >= SHOW_AFTER {
            self.progress.show();
        }
    }
}

impl Drop for One<'_> {
    fn drop(&mut self) {
        if let Some((_, course)) = self.seen {
            course.is_over.store(true, Ordering::Relaxed);
        }
    }
}

/// Progress of one simulation.
#[derive(Debug, Default)]
struct Course {
    has_begun: AtomicBool,
    is_over: AtomicBool,
    /// Simulated seconds.
    time_bits: AtomicU64,
    events: AtomicU64,
}

/// Progress of all simulations.
#[derive(Debug)]
struct Figures {
    start: Instant,
    /// The policies, in the order of the simulations, and the number of simulations of each.
    policies: Vec<String>,
    runs: usize,
    until_s: Option<f64>,
    courses: Vec<Course>,
}

impl Figures {
    fn of(policies: &[PolicyName], all: usize, until_s: Option<f64>) -> Self {
        Self {
            start: Instant::now(),
            policies: policies.iter().map(ToString::to_string).collect(),
            runs: all / policies.len().max(1),
            until_s,
            courses: (0..all).map(|_| Course::default()).collect(),
        }
    }

    /// The state after `elapsed_s` seconds, in at most `columns` if possible: less important parts are left out first.
    fn message(&self, elapsed_s: f64, columns: usize) -> String {
        if watch::interrupted() {
            return "stopping; Ctrl-C again quits without a result".to_owned();
        }
        let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let done = self.courses.iter().filter(|course| is(&course.is_over)).count();
        let under_way = self.courses.iter().position(|course| is(&course.has_begun) && !is(&course.is_over));
        let events: u64 = self.courses.iter().map(|course| course.events.load(Ordering::Relaxed)).sum();
        let time_s = under_way
            .and_then(|number| self.courses.get(number))
            .map_or(0.0, |course| f64::from_bits(course.time_bits.load(Ordering::Relaxed)));
        let until = self.until_s.map_or(String::new(), |until_s| format!(" of {}", figures::short(until_s)));
        let time = format!("{}{until} s simulated", figures::single(time_s));
        let which = match self.courses.len() {
            0 | 1 => time,
            all => {
                let policy = under_way.and_then(|number| self.policies.get(number / self.runs.max(1)));
                let policy = policy.map_or(String::new(), |policy| format!("; {policy}: {time}"));
                format!("{done} of {all} done{policy}")
            }
        };
        let count = format!("{which}, {} events", HumanCount(events));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate, rounded")]
        let rate = if elapsed_s > 0.0 { (events as f64 / elapsed_s) as u64 } else { 0 };
        let rate = format!("{count}, {}/s", HumanCount(rate));
        let longest_first = [
            format!("{rate}; Ctrl-C stops and keeps it"),
            format!("{rate}; Ctrl-C keeps it"),
            rate,
            count,
            which,
        ];
        let fits = longest_first.iter().find(|text| text.chars().count() <= columns);
        fits.or(longest_first.last()).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `done` simulations are finished and another one is running.
    fn figures(policies: &[&str], runs: usize, done: usize, until_s: Option<f64>) -> Figures {
        let figures = Figures {
            start: Instant::now(),
            policies: policies.iter().map(|&name| name.to_owned()).collect(),
            runs,
            until_s,
            courses: (0..policies.len() * runs).map(|_| Course::default()).collect(),
        };
        for (number, course) in figures.courses.iter().enumerate().take(done + 1) {
            course.has_begun.store(true, Ordering::Relaxed);
            course.is_over.store(number < done, Ordering::Relaxed);
            course.time_bits.store(37.25_f64.to_bits(), Ordering::Relaxed);
            course.events.store(1_000_000, Ordering::Relaxed);
        }
        figures
    }

    #[test]
    fn one_simulation_says_time_events_and_how_fast_it_is() {
        // 1,000,000 events in 4 s.
        let one = figures(&["none"], 1, 0, None);
        assert_eq!(
            one.message(4.0, 120),
            "37.25 s simulated, 1,000,000 events, 250,000/s; Ctrl-C stops and keeps it"
        );
        assert_eq!(one.message(4.0, 64), "37.25 s simulated, 1,000,000 events, 250,000/s; Ctrl-C keeps it");
        assert_eq!(one.message(4.0, 40), "37.25 s simulated, 1,000,000 events");
        assert_eq!(one.message(4.0, 3), "37.25 s simulated");
        let until = figures(&["none"], 1, 0, Some(100.0));
        assert_eq!(until.message(4.0, 50), "37.25 of 100 s simulated, 1,000,000 events");
    }

    #[test]
    fn of_several_simulations_it_says_how_many_are_done_and_whose_is_under_way() {
        // Four are finished, with two runs for each of two policies, so the fifth belongs to the third policy. 5,000,000 events in 2 s.
        let several = figures(&["none", "lead:2", "lend"], 2, 4, None);
        assert_eq!(
            several.message(2.0, 80),
            "4 of 6 done; lend: 37.25 s simulated, 5,000,000 events, 2,500,000/s"
        );
        // Between two simulations none is running.
        several.courses[4].is_over.store(true, Ordering::Relaxed);
        assert_eq!(several.message(2.0, 12), "5 of 6 done");
    }
}
