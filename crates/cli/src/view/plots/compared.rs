//! Prediction beside measurement.

use numasim_ask::compare::Compared;
use numasim_draw::Heading;
use numasim_draw::bars::{BarPlot, Pair};
use numasim_draw::scatter::{Point, ScatterPlot, Series};
use numasim_evidence::compare::{self as evidence, Errors};

use crate::view::machine_title;

/// The total of each scenario that was measured.
pub(crate) fn bars(compared: &Compared) -> BarPlot {
    let totals = compared.comparison.scenarios.iter().filter_map(|scenario| {
        let gflops = scenario.total.as_ref()?.gflops;
        let measured = gflops.measured;
        Some(Pair {
            name: scenario.name.clone(),
            model: gflops.predicted,
            measured: measured.median,
            model_interval: gflops.interval.map(|(low, high)| [low, high]),
            range: (measured.repetitions > 1).then_some([measured.min, measured.max]),
            error_percent: gflops.error.map(|error| 100.0 * error),
        })
    });
    BarPlot {
        heading: heading(compared, compared.comparison.totals.as_ref(), "scenarios"),
        label: "GFLOPS of all applications".to_owned(),
        pairs: totals.collect(),
    }
}

/// Totals and single applications.
pub(crate) fn scatter(compared: &Compared) -> ScatterPlot {
    let point = |name: String, compared: &evidence::Compared| Point {
        name,
        measured: compared.gflops.measured.median,
        predicted: compared.gflops.predicted,
        interval: compared.gflops.interval.map(|(low, high)| [low, high]),
    };
    let scenarios = || compared.comparison.scenarios.iter();
    let totals = scenarios()
        .filter_map(|scenario| Some(point(scenario.name.clone(), scenario.total.as_ref()?)))
        .collect();
    let apps = scenarios().flat_map(|scenario| {
        scenario.apps.iter().filter_map(|app| {
            Some(point(format!("{} in {}", app.name, scenario.name), app.compared.as_ref()?))
        })
    });
    let all = [
        Series { name: "whole scenarios".to_owned(), points: totals },
        Series { name: "single applications".to_owned(), points: apps.collect() },
    ];
    let series: Vec<Series> = all.into_iter().filter(|series| !series.points.is_empty()).collect();
    let apart = compared.comparison.apps.is_some();
    let (errors, what) = if apart {
        (compared.comparison.apps.as_ref(), "applications")
    } else {
        (compared.comparison.totals.as_ref(), "scenarios")
    };
    ScatterPlot { heading: heading(compared, errors, what), unit: "GFLOPS".to_owned(), series }
}

/// The machine; model, measurement and how far apart they are.
fn heading(compared: &Compared, errors: Option<&Errors>, what: &str) -> Heading {
    let errors = errors.map_or(String::new(), |errors| {
        format!(
            "absolute error of {} {what}: mean {:.1} %, worst {:.1} %; ",
            errors.count,
            100.0 * errors.mean,
            100.0 * errors.worst
        )
    });
    let lines = if compared.has_intervals() { "; lines: 95 % interval of the model" } else { "" };
    Heading {
        title: machine_title(&compared.study.machine),
        subtitle: format!("{errors}model {}, measured in {}{lines}", compared.model(), compared.measured),
    }
}
