//! A fit: pure functions from its result to a table, JSON and CSV.

mod csv;
mod json;
mod table;
#[cfg(test)]
mod tests;

use numasim_evidence::fit::{Blind, Estimate, Fit, Residual};
use numasim_model::Study;

pub(crate) use csv::csv;
pub(crate) use json::json;
pub(crate) use table::table;

/// A fit with what went into it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// The files.
    pub(crate) study: &'a Study,
    /// Name of the model.
    pub(crate) model: &'a str,
    /// Name of the measured file.
    pub(crate) measured: &'a str,
    /// The fit.
    pub(crate) fit: &'a Fit,
    /// Measured scenarios that it did not use, predicted on its machine.
    pub(crate) others: &'a [Residual],
}

impl View<'_> {
    fn scenario(&self, residual: &Residual) -> &str {
        self.study.scenarios.get(residual.observed.scenario).map_or("", |scenario| scenario.name.as_str())
    }

    /// The name of the application; `None` for a whole scenario.
    fn app(&self, residual: &Residual) -> Option<&str> {
        residual.observed.app.and_then(|app| self.study.apps.get(app.0)).map(|app| app.name.as_str())
    }
}

/// The word for programs.
const fn status(estimate: &Estimate) -> &'static str {
    match estimate {
        Estimate::Determined { .. } => "determined",
        Estimate::NoInfluence => "no-influence",
        Estimate::AtLeast(_) => "at-least",
        Estimate::AtMost(_) => "at-most",
        Estimate::AtEnd(_) => "at-end-of-range",
        Estimate::Inseparable(_) => "inseparable",
    }
}

/// Smallest and largest value.
type Range = (f64, f64);

/// Value, interval and range of leaving out: a value also where only a bound is known, which the status says.
fn numbers(estimate: &Estimate) -> (Option<f64>, Option<Range>, Option<Range>) {
    match *estimate {
        Estimate::Determined { value, interval, left_out } => (Some(value), interval, left_out),
        Estimate::AtLeast(value) | Estimate::AtMost(value) | Estimate::AtEnd(value) => {
            (Some(value), None, None)
        }
        Estimate::NoInfluence | Estimate::Inseparable(_) => (None, None, None),
    }
}

/// GFLOPS of a blind prediction.
fn blind(residual: &Residual) -> Option<f64> {
    match residual.blind {
        Some(Blind::Predicted(gflops)) => Some(gflops),
        _ => None,
    }
}
