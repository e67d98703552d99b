//! Every figure that a simulation and a run both have, and what would be said without a simulation.

use numasim_model::units::Seconds;
use numasim_model::{AppId, Study};

use super::super::figures;
use super::super::simulated::Simulated;
use super::Measured;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    Finished,
    Gflop,
    MeanThreads,
    MaxItems,
    MeanItems,
}

impl Figure {
    /// Its key in the documents of both.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Finished => "finished_s",
            Self::Gflop => "gflop",
            Self::MeanThreads => "mean_threads",
            Self::MaxItems => "max_items",
            Self::MeanItems => "mean_items",
        }
    }

    /// What a picture calls it; the work is the same in both, and says nothing there.
    pub(super) const fn words(self) -> Option<&'static str> {
        match self {
            Self::Finished => Some("finished (s)"),
            Self::Gflop => None,
            Self::MeanThreads => Some("threads in a task, mean"),
            Self::MaxItems => Some("items, most"),
            Self::MeanItems => Some("items, mean"),
        }
    }

    /// Both documents have the others, too, under `runs` and in `result.json`.
    pub(super) const fn is_in_json(self) -> bool {
        !matches!(self, Self::MeanThreads)
    }
}

/// One figure.
pub(super) struct Compared {
    pub(super) of: String,
    pub(super) figure: Figure,
    /// Of the application or the channel, in the order of the files.
    pub(super) number: usize,
    pub(super) simulated: Option<f64>,
    pub(super) measured: Option<f64>,
    /// As if all cores worked at their peak, and nobody waited for anything but its arrival.
    peak: Option<f64>,
}

impl Compared {
    /// By how much the simulation is above the measurement, as a fraction of that.
    pub(super) fn error(&self) -> Option<f64> {
        error(self.simulated, self.measured)
    }

    /// A row of a table.
    pub(super) fn cells(&self, figure: &str) -> Vec<String> {
        let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), figures::rounded);
        let percent = |error: Option<f64>| {
            // A zero has no sign of its own.
            let tenths = |error: f64| (error * 1000.0).round() / 10.0 + 0.0;
            error.map_or_else(|| "-".to_owned(), |error| format!("{:+.1} %", tenths(error)))
        };
        vec![
            self.of.clone(),
            figure.to_owned(),
            cell(self.simulated),
            cell(self.measured),
            percent(self.error()),
            cell(self.peak),
            percent(error(self.peak, self.measured)),
        ]
    }
}

fn error(said: Option<f64>, measured: Option<f64>) -> Option<f64> {
    let (said, measured) = said.zip(measured)?;
    (measured > 0.0).then(|| said / measured - 1.0)
}

/// All of them: of everything, of each application, of each channel.
pub(super) fn compared(study: &Study, simulated: &Simulated, measured: &Measured) -> Vec<Compared> {
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

/// What all cores compute together, in GFLOPS.
fn peak(study: &Study) -> f64 {
    study.machine.nodes().iter().map(|node| node.gflops_per_core.value() * f64::from(node.cores)).sum()
}

fn gflop(study: &Study, app: AppId) -> Option<f64> {
    study.dynamics.courses.get(app.0)?.total_work().map(numasim_model::units::Gflop::value)
}

/// The work of all over the peak.
fn makespan_at_peak(study: &Study) -> Option<f64> {
    let all: Option<Vec<f64>> = (0..study.apps.len()).map(|app| gflop(study, AppId(app))).collect();
    Some(all?.iter().sum::<f64>() / peak(study)).filter(|seconds| seconds.is_finite())
}

/// The work of one over the peak, behind its arrival.
fn end_at_peak(study: &Study, app: AppId) -> Option<f64> {
    let arrives = study.dynamics.courses.get(app.0)?.arrives.value();
    Some(arrives + gflop(study, app)? / peak(study)).filter(|seconds| seconds.is_finite())
}
