//! A simulation beside a run on a host: what finished when, what lay in channels, and how far they are apart.

mod compared;

use numasim_ask::simulate::{ComparedFigure, ComparedRun};
use numasim_draw::grid::{Align, Grid};
use numasim_model::Study;
use serde::Deserialize;

use super::simulated::Simulated;
use super::{Style, figures};
use compared::{Compared, compared};

/// What the last columns are, in a line above a table.
pub(crate) const TITLE: &str =
    "Error: simulated / measured - 1. Beside it what needs no simulation: work / peak of all cores";
const HEADER: [&str; 7] = ["of", "figure", "simulated", "measured", "error", "work / peak", "its error"];
/// Rows of a picture are those of so many applications and channels.
const MOST_DRAWN: usize = 7;

/// `result.json` of a run, as far as it is compared.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Measured {
    pub(crate) command: String,
    pub(crate) machine: String,
    pub(crate) policy: String,
    pub(crate) ended: String,
    pub(crate) makespan_s: Option<f64>,
    /// When it ended.
    pub(crate) time_s: f64,
    pub(crate) apps: Vec<MeasuredApp>,
    pub(crate) channels: Vec<MeasuredChannel>,
    /// When its agent had started: before the applications, so less than 0.
    #[serde(default)]
    pub(crate) agent_started_s: Option<f64>,
}

/// One of its applications.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MeasuredApp {
    pub(crate) name: String,
    pub(crate) finished_s: Option<f64>,
    pub(crate) gflop: Option<f64>,
    #[serde(default)]
    pub(crate) arrived_s: Option<f64>,
    /// Thread-seconds without a task, and of threads that might not run.
    #[serde(default)]
    pub(crate) idle_s: Option<f64>,
    #[serde(default)]
    pub(crate) blocked_s: Option<f64>,
}

/// One of its channels.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MeasuredChannel {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) max_items: u64,
    pub(crate) mean_items: f64,
}

impl MeasuredApp {
    /// Threads in a task, on average while it was there, as a simulation counts them: of `threads` those that were neither idle nor
    /// blocked. `mean_threads` of a result is another figure, the processors that they really got.
    fn mean_running(&self, threads: f64, end_s: f64) -> Option<f64> {
        let there_s = self.finished_s.unwrap_or(end_s) - self.arrived_s?;
        let at_rest_s = self.idle_s? + self.blocked_s?;
        (there_s > 0.0).then(|| (threads - at_rest_s / there_s).max(0.0))
    }
}

impl Measured {
    /// What came of it.
    pub(crate) fn outcome(&self) -> String {
        let end = figures::rounded(self.time_s);
        match (self.makespan_s, self.ended.as_str()) {
            (Some(makespan), _) => format!("makespan {} s", figures::single(makespan)),
            (None, "interrupted" | "failed") => format!("{} after {end} s", self.ended),
            (None, _) => format!("not finished after {end} s"),
        }
    }
}

/// For programs.
pub(crate) fn json(study: &Study, simulated: &Simulated, measured: &Measured) -> ComparedRun {
    let plain = |value: Option<f64>| value.filter(|value| value.is_finite()).map(|value| value + 0.0);
    let figure = |one: &Compared| ComparedFigure {
        of: one.of.clone(),
        figure: one.figure.key(),
        simulated: plain(one.simulated),
        measured: plain(one.measured),
        error: plain(one.error()),
    };
    let figures = compared(study, simulated, measured);
    ComparedRun {
        machine: measured.machine.clone(),
        policy: measured.policy.clone(),
        ended: measured.ended.clone(),
        figures: figures.iter().filter(|one| one.figure.is_in_json()).map(figure).collect(),
    }
}

/// For people; `folder` is where the run is.
pub(crate) fn table(
    study: &Study,
    simulated: &Simulated,
    measured: &Measured,
    folder: &str,
    style: &Style,
) -> String {
    let align = |column: usize| if column < 2 { Align::Left } else { Align::Right };
    let columns: Vec<(&str, Align)> =
        HEADER.iter().enumerate().map(|(column, title)| (*title, align(column))).collect();
    let mut grid = Grid::new(&columns).named_by(2);
    for one in compared(study, simulated, measured) {
        grid.row(one.cells(one.figure.key()));
    }
    let ended = if measured.ended == "finished" { String::new() } else { format!(" ({})", measured.ended) };
    format!(
        "Beside the run in {folder}{ended}: machine {}, policy {}\n{TITLE}\n\n{}",
        measured.machine,
        measured.policy,
        grid.render(style)
    )
}

/// The same for a picture, with the titles of its columns as the first row; of many applications and channels the first.
pub(crate) fn rows(study: &Study, simulated: &Simulated, measured: &Measured) -> Vec<Vec<String>> {
    let drawn = |one: &&Compared| one.figure.words().is_some() && one.number < MOST_DRAWN;
    let all = compared(study, simulated, measured);
    let rows = all.iter().filter(drawn).map(|one| one.cells(one.figure.words().unwrap_or_default()));
    std::iter::once(HEADER.map(str::to_owned).to_vec()).chain(rows).collect()
}
