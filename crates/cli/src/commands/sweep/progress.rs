//! How far a sweep has come, for people who wait in front of a terminal.

use std::cell::Cell;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::shell::Shell;
use crate::threads;
use crate::watch::{REDRAW, SHOW_AFTER};

/// A bar of points; none where standard error is not a terminal.
pub(super) struct Bar {
    start: Instant,
    drawn: Option<ProgressBar>,
    shown: Cell<bool>,
}

impl Bar {
    /// A bar for `all` points, some of which are there already.
    pub(super) fn new(all: u64, kept: u64, shell: &Shell) -> Self {
        let bar = shell.stderr_is_terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::hidden());
            bar.set_position(kept);
            bar.reset_eta();
            bar
        });
        Self { start: Instant::now(), drawn: bar, shown: Cell::new(false) }
    }

    /// More points are done. Appears once the sweep has taken a while.
    pub(super) fn advance(&self, points: u64) {
        let Some(bar) = &self.drawn else { return };
        bar.inc(points);
        if !self.shown.get() && self.start.elapsed() >= SHOW_AFTER {
            self.shown.set(true);
            let template = "sweeping {elapsed} [{bar:8}] {human_pos} of {human_len} points, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
            threads::tick(bar, REDRAW);
        }
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.drawn {
            bar.finish_and_clear();
        }
    }
}
