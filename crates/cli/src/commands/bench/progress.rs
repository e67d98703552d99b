//! How far a run has come, for people who wait in front of a terminal.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use numasim_bench::plan::Plan;
use numasim_bench::session::{self, Job, Observer};
use numasim_evidence::measured::Row;

use crate::shell::Shell;
use crate::threads;
use crate::watch::{self, REDRAW, SHOW_AFTER};

/// A bar of measurements; none where standard error is not a terminal.
pub(super) struct Progress {
    start: Instant,
    names: Vec<String>,
    repetitions: u32,
    bar: Option<ProgressBar>,
    shown: bool,
}

impl Progress {
    /// A bar for a run of which `earlier` rows are there already.
    pub(super) fn new(plan: &Plan, repetitions: u32, earlier: &[Row], shell: &Shell) -> Self {
        let all = plan.scenarios.len() as u64 * u64::from(repetitions);
        let done =
            session::done(plan, earlier).iter().filter(|job| job.repetition <= repetitions).count() as u64;
        if done > 0 {
            shell.note(format!("{done} of {all} measurements exist already"));
        }
        let bar = shell.stderr_is_terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::hidden());
            bar.set_position(done);
            bar.reset_eta();
            bar
        });
        let names = plan.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
        Self { start: Instant::now(), names, repetitions, bar, shown: false }
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn stop(&self) -> bool {
        watch::interrupted()
    }

    fn begins(&mut self, job: Job, again: bool) {
        let Some(bar) = &self.bar else { return };
        if !self.shown && self.start.elapsed() >= SHOW_AFTER {
            self.shown = true;
            let template = "measuring {elapsed} [{bar:8}] {pos} of {len}, {eta} left: {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
            threads::tick(bar, REDRAW);
        }
        let name = self.names.get(job.scenario).map_or("", String::as_str);
        let again = if again { " (repeated: something was misplaced)" } else { "" };
        bar.set_message(format!("'{name}', repetition {} of {}{again}", job.repetition, self.repetitions));
    }

    fn kept(&mut self, _job: Job) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}
