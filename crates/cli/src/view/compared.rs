//! Prediction beside measurement: pure functions from a comparison to a table and CSV.

mod bar;
mod beside;
mod coverage;
mod csv;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use numasim_ask::compare::View;
use numasim_evidence::compare::Comparison;

pub(super) use bar::judged;
pub(crate) use bar::{percent, scale, signed};
pub(crate) use beside::advantage;
pub(crate) use csv::csv;
pub(crate) use table::{parties, place, sentences, spread, table};

/// Whether any prediction has one.
pub(in crate::view) fn has_intervals(comparison: &Comparison) -> bool {
    comparison.coverage.as_ref().is_some_and(coverage::has_predicted)
}
