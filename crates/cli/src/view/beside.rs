//! A simulation compared with a run on a host: end times, contents of channels, and the differences.

use numasim_ask::simulate::{ComparedFigure, ComparedRun};
use numasim_ask::table::{Of, grid};
use numasim_course::Study;
use numasim_model::AppId;
use numasim_model::units::Seconds;
use serde::Deserialize;

use crate::view::simulated::Simulated;
use crate::view::{Style, figures};

/// Explanation of the last columns, in a line above a table.
pub(crate) const TITLE: &str =
    "Error: simulated / measured - 1. Estimate without a simulation: work / peak of all cores";
/// Maximum number of applications and channels in the rows of a picture.
const MOST_DRAWN: usize = 7;

/// `result.json` of a run, with the compared keys.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Measured {
    pub(crate) command: String,
    pub(crate) machine: String,
    pub(crate) policy: String,
    pub(crate) ended: String,
    pub(crate) makespan_s: Option<f64>,
    /// Its end.
    pub(crate) time_s: f64,
    pub(crate) apps: Vec<MeasuredApp>,
    pub(crate) channels: Vec<MeasuredChannel>,
    /// Start time of its agent: before the applications, so negative.
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
    /// Thread-seconds without a task, and of threads that were not allowed to run.
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
    /// Mean number of threads in a task from its arrival to its end, as a simulation counts them: those of `threads` that were neither
    /// idle nor blocked. `mean_cores` of a result is a different value: the CPU time that they actually got.
    fn mean_running(&self, threads: f64, end_s: f64) -> Option<f64> {
        let there_s = self.finished_s.unwrap_or(end_s) - self.arrived_s?;
        let at_rest_s = self.idle_s? + self.blocked_s?;
        (there_s > 0.0).then(|| (threads - at_rest_s / there_s).max(0.0))
    }
}

impl Measured {
    /// The outcome.
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

/// For people; `folder` is the folder of the run.
pub(crate) fn table(
    study: &Study,
    simulated: &Simulated,
    measured: &Measured,
    folder: &str,
    style: &Style,
) -> String {
    let grid = grid(&columns(Figure::key), &compared(study, simulated, measured)).named_by(2);
    let ended = if measured.ended == "finished" { String::new() } else { format!(" ({})", measured.ended) };
    format!(
        "Beside the run in {folder}{ended}: machine {}, policy {}\n{TITLE}\n\n{}",
        measured.machine,
        measured.policy,
        grid.render(style)
    )
}

/// The same for a picture, with the titles of its columns as the first row; only the first ones of many applications and channels.
pub(crate) fn rows(study: &Study, simulated: &Simulated, measured: &Measured) -> Vec<Vec<String>> {
    let drawn = |one: &Compared| one.figure.words().is_some() && one.number < MOST_DRAWN;
    let all: Vec<Compared> = compared(study, simulated, measured).into_iter().filter(drawn).collect();
    let columns = columns(|figure| figure.words().unwrap_or_default());
    let titles = columns.iter().map(|of| of.column().key()).collect();
    std::iter::once(titles).chain(grid(&columns, &all).into_rows()).collect()
}

// Every value that a simulation and a run both contain, and the estimate without a simulation.

/// The compared quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Finished,
    Gflop,
    MeanThreads,
    MaxItems,
    MeanItems,
}

impl Figure {
    /// Its key in the documents of both.
    const fn key(self) -> &'static str {
        match self {
            Self::Finished => "finished_s",
            Self::Gflop => "gflop",
            Self::MeanThreads => "mean_threads",
            Self::MaxItems => "max_items",
            Self::MeanItems => "mean_items",
        }
    }

    /// Its label in a picture; the work is the same in both, so it has none.
    const fn words(self) -> Option<&'static str> {
        match self {
            Self::Finished => Some("finished (s)"),
            Self::Gflop => None,
            Self::MeanThreads => Some("threads in a task, mean"),
            Self::MaxItems => Some("items, most"),
            Self::MeanItems => Some("items, mean"),
        }
    }

    /// Both documents contain the other values under `runs` and in `result.json`.
    const fn is_in_json(self) -> bool {
        !matches!(self, Self::MeanThreads)
    }
}

/// One compared value.
struct Compared {
    of: String,
    figure: Figure,
    /// The application or the channel, in the order of the files.
    number: usize,
    simulated: Option<f64>,
    measured: Option<f64>,
    /// Estimate in which all cores work at their peak, and applications wait only for their arrival.
    peak: Option<f64>,
}

impl Compared {
    /// Difference between simulation and measurement, as a fraction of the measurement.
    fn error(&self) -> Option<f64> {
        error(self.simulated, self.measured)
    }
}

/// The columns of a table; `name` is the name of a value.
fn columns(name: fn(Figure) -> &'static str) -> [Of<'static, Compared>; 7] {
    let value =
        |title, value: fn(&Compared) -> Option<f64>| Of::number(title, value).written(figures::rounded);
    let percent = |title, error: fn(&Compared) -> Option<f64>| {
        // A zero is printed without a sign.
        Of::number(title, error).written(|error| format!("{:+.1} %", (error * 1000.0).round() / 10.0 + 0.0))
    };
    [
        Of::text("of", |one: &Compared| one.of.clone()),
        Of::text("figure", move |one: &Compared| name(one.figure)),
        value("simulated", |one| one.simulated),
        value("measured", |one| one.measured),
        percent("error", Compared::error),
        value("work / peak", |one| one.peak),
        percent("its error", |one| error(one.peak, one.measured)),
    ]
}

fn error(said: Option<f64>, measured: Option<f64>) -> Option<f64> {
    let (said, measured) = said.zip(measured)?;
    (measured > 0.0).then(|| said / measured - 1.0)
}

/// All compared values: for the whole run, for each application, for each channel.
fn compared(study: &Study, simulated: &Simulated, measured: &Measured) -> Vec<Compared> {
    let seconds = |time: Option<Seconds>| time.map(Seconds::value);
    let mut found = vec![Compared {
        of: "all".to_owned(),
        figure: Figure::Finished,
        number: 0,
        simulated: seconds(simulated.run.makespan),
        measured: measured.makespan_s,
        peak: makespan_at_peak(study),
    }];
    for (number, (app, run)) in study.apps.iter().zip(&simulated.run.apps).enumerate() {
        let other = measured.apps.iter().find(|other| other.name == app.name);
        let mut add = |figure, simulated, measured, peak| {
            found.push(Compared { of: app.name.clone(), figure, number, simulated, measured, peak });
        };
        let finished = other.and_then(|other| other.finished_s);
        add(Figure::Finished, seconds(run.finished), finished, end_at_peak(study, AppId(number)));
        add(Figure::Gflop, Some(run.work.value()), other.and_then(|other| other.gflop), None);
        let all = study.dynamics.courses.get(number).map(|course| f64::from(course.thread_count()));
        let threads = other.zip(all).and_then(|(other, all)| other.mean_running(all, measured.time_s));
        add(Figure::MeanThreads, Some(run.mean_threads), threads, None);
    }
    for (number, channel) in simulated.run.channels.iter().enumerate() {
        let name = |app: AppId| study.apps.get(app.0).map_or("", |app| app.name.as_str());
        let (from, to) = (name(channel.from), name(channel.to));
        let other = measured.channels.iter().find(|other| other.from == from && other.to == to);
        let mut add = |figure, simulated, measured| {
            let of = format!("{from} -> {to}");
            found.push(Compared { of, figure, number, simulated: Some(simulated), measured, peak: None });
        };
        add(Figure::MaxItems, channel.max_items as f64, other.map(|other| other.max_items as f64));
        add(Figure::MeanItems, channel.mean_items, other.map(|other| other.mean_items));
    }
    found
}

/// Peak performance of all cores together, in GFLOPS.
fn peak(study: &Study) -> f64 {
    study.machine.nodes().iter().map(|node| node.gflops_per_core.value() * f64::from(node.cores)).sum()
}

fn gflop(study: &Study, app: AppId) -> Option<f64> {
    study.dynamics.courses.get(app.0)?.total_work().map(numasim_model::units::Gflop::value)
}

/// The work of all applications divided by the peak.
fn makespan_at_peak(study: &Study) -> Option<f64> {
    let all: Option<Vec<f64>> = (0..study.apps.len()).map(|app| gflop(study, AppId(app))).collect();
    Some(all?.iter().sum::<f64>() / peak(study)).filter(|seconds| seconds.is_finite())
}

/// The work of one application divided by the peak, after its arrival.
fn end_at_peak(study: &Study, app: AppId) -> Option<f64> {
    let arrives = study.dynamics.courses.get(app.0)?.arrives.value();
    Some(arrives + gflop(study, app)? / peak(study)).filter(|seconds| seconds.is_finite())
}
