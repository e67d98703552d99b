//! A simulation beside a run on a host: what finished when, what lay in channels, and how far they are apart.

use numasim_draw::grid::{Align, Grid};
use numasim_model::Study;
use numasim_model::units::Seconds;
use serde::Deserialize;
use serde_json::{Value, json};

use super::json::number;
use super::simulated::Simulated;
use super::{Style, figures};

/// `result.json` of a run, as far as it is compared.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Measured {
    pub(crate) command: String,
    pub(crate) machine: String,
    pub(crate) policy: String,
    pub(crate) ended: String,
    pub(crate) makespan_s: Option<f64>,
    pub(crate) apps: Vec<MeasuredApp>,
    pub(crate) channels: Vec<MeasuredChannel>,
}

/// One of its applications.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MeasuredApp {
    pub(crate) name: String,
    pub(crate) finished_s: Option<f64>,
    pub(crate) gflop: Option<f64>,
}

/// One of its channels.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MeasuredChannel {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) max_items: u64,
    pub(crate) mean_items: f64,
}

/// Simulated and measured, and by how much the simulation is above the measurement, as a fraction of that.
struct Pair {
    simulated: Option<f64>,
    measured: Option<f64>,
}

impl Pair {
    fn error(&self) -> Option<f64> {
        let (simulated, measured) = self.simulated.zip(self.measured)?;
        (measured > 0.0).then(|| simulated / measured - 1.0)
    }

    fn json(&self) -> Value {
        let value = |value: Option<f64>| value.map_or(Value::Null, number);
        json!({ "simulated": value(self.simulated), "measured": value(self.measured), "error": value(self.error()) })
    }
}

/// Every figure that both have, by its name.
fn pairs(study: &Study, simulated: &Simulated, measured: &Measured) -> Vec<(String, &'static str, Pair)> {
    let seconds = |time: Option<Seconds>| time.map(Seconds::value);
    let mut found = vec![(
        "all".to_owned(),
        "finished_s",
        Pair { simulated: seconds(simulated.run.makespan), measured: measured.makespan_s },
    )];
    for (app, run) in study.apps.iter().zip(&simulated.run.apps) {
        let other = measured.apps.iter().find(|other| other.name == app.name);
        let finished = other.and_then(|other| other.finished_s);
        let gflop = other.and_then(|other| other.gflop);
        found.push((
            app.name.clone(),
            "finished_s",
            Pair { simulated: seconds(run.finished), measured: finished },
        ));
        found.push((app.name.clone(), "gflop", Pair { simulated: Some(run.work.value()), measured: gflop }));
    }
    for channel in &simulated.run.channels {
        let name = |app: numasim_model::AppId| study.apps.get(app.0).map_or("", |app| app.name.as_str());
        let (from, to) = (name(channel.from), name(channel.to));
        let other = measured.channels.iter().find(|other| other.from == from && other.to == to);
        let pair = |simulated: f64, measured: Option<f64>| Pair { simulated: Some(simulated), measured };
        let most = other.map(|other| other.max_items as f64);
        let mean = other.map(|other| other.mean_items);
        found.push((format!("{from} -> {to}"), "max_items", pair(channel.max_items as f64, most)));
        found.push((format!("{from} -> {to}"), "mean_items", pair(channel.mean_items, mean)));
    }
    found
}

/// For programs.
pub(crate) fn json(study: &Study, simulated: &Simulated, measured: &Measured) -> Value {
    let object = |(of, figure, pair): &(String, &'static str, Pair)| {
        let mut object = json!({ "of": of, "figure": figure });
        if let (Some(object), Value::Object(pair)) = (object.as_object_mut(), pair.json()) {
            object.extend(pair);
        }
        object
    };
    let figures = pairs(study, simulated, measured);
    json!({
        "machine": measured.machine,
        "policy": measured.policy,
        "ended": measured.ended,
        "figures": figures.iter().map(object).collect::<Vec<_>>(),
    })
}

/// For people; `folder` is where the run is.
pub(crate) fn table(
    study: &Study,
    simulated: &Simulated,
    measured: &Measured,
    folder: &str,
    style: &Style,
) -> String {
    let mut grid = Grid::new(&[
        ("of", Align::Left),
        ("figure", Align::Left),
        ("simulated", Align::Right),
        ("measured", Align::Right),
        ("error", Align::Right),
    ]);
    for (of, figure, pair) in pairs(study, simulated, measured) {
        let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), figures::short);
        let error = pair.error().map_or_else(|| "-".to_owned(), |error| format!("{:+.1} %", error * 100.0));
        grid.row(vec![of, figure.to_owned(), cell(pair.simulated), cell(pair.measured), error]);
    }
    let ended = if measured.ended == "finished" { String::new() } else { format!(" ({})", measured.ended) };
    format!(
        "Beside the run in {folder}{ended}: machine {}, policy {}; the error is simulated / measured - 1\n\n{}",
        measured.machine,
        measured.policy,
        grid.render(style)
    )
}
