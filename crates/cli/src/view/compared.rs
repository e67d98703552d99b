//! Prediction beside measurement: pure functions from a comparison to a table, JSON and CSV.

mod bar;
mod beside;
mod coverage;
mod csv;
mod json;
mod reason;
mod table;
#[cfg(test)]
mod tests;

use numasim_evidence::compare::{Compared, Comparison, Pair};
use numasim_model::Study;

pub(super) use bar::judged;
pub(crate) use bar::{percent, scale, signed};
pub(crate) use beside::{advantage, sentence as sharing_sentence};
pub(crate) use csv::csv;
pub(crate) use json::json;
pub(crate) use reason::reason;
pub(crate) use table::{parties, place, sentences, spread, table};

/// A comparison with what went into it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// The files.
    pub(crate) study: &'a Study,
    /// Name of the model.
    pub(crate) model: &'a str,
    /// Name of the measured file.
    pub(crate) measured: &'a str,
    /// The comparison.
    pub(crate) comparison: &'a Comparison,
}

/// The figures of one row for programs: name of the key or column, and its value. Errors and spreads are fractions.
fn figures(compared: Option<&Compared>) -> Vec<(&'static str, Option<f64>)> {
    let gflops = compared.map(|compared| &compared.gflops);
    let bandwidth = compared.and_then(|compared| compared.bandwidth_gbs.as_ref());
    let interval = gflops.and_then(|pair| pair.measured.interval);
    let of = |pair: Option<&Pair>, figure: fn(&Pair) -> f64| pair.map(figure);
    vec![
        ("predicted_gflops", of(gflops, |pair| pair.predicted)),
        ("measured_gflops", of(gflops, |pair| pair.measured.median)),
        ("measured_gflops_min", of(gflops, |pair| pair.measured.min)),
        ("measured_gflops_max", of(gflops, |pair| pair.measured.max)),
        ("measured_gflops_ci95_low", interval.map(|(low, _)| low)),
        ("measured_gflops_ci95_high", interval.map(|(_, high)| high)),
        ("spread", gflops.and_then(|pair| pair.measured.relative)),
        ("error", gflops.and_then(|pair| pair.error)),
        ("predicted_bandwidth_gbs", compared.map(|compared| compared.predicted_bandwidth_gbs)),
        ("measured_bandwidth_gbs", of(bandwidth, |pair| pair.measured.median)),
        ("measured_bandwidth_gbs_min", of(bandwidth, |pair| pair.measured.min)),
        ("measured_bandwidth_gbs_max", of(bandwidth, |pair| pair.measured.max)),
        ("bandwidth_error", bandwidth.and_then(|pair| pair.error)),
    ]
}

/// The interval of the prediction, where figures of the machine are uncertain.
fn interval(compared: Option<&Compared>) -> [(&'static str, Option<f64>); 2] {
    let interval = compared.and_then(|compared| compared.gflops.interval);
    [
        ("predicted_gflops_ci95_low", interval.map(|(low, _)| low)),
        ("predicted_gflops_ci95_high", interval.map(|(_, high)| high)),
    ]
}

/// Whether any prediction has one.
pub(in crate::view) fn has_intervals(comparison: &Comparison) -> bool {
    comparison.coverage.as_ref().is_some_and(coverage::has_predicted)
}

/// How often it was measured.
fn repetitions(compared: Option<&Compared>) -> Option<usize> {
    compared.map(|compared| compared.gflops.measured.repetitions)
}
