//! Bandwidths in GB/s, converted from other units, and values that no machine reaches: a measurement beyond
//! them is an error of a tool or of a unit, and is rejected.
//!
//! These bounds are far above the plausibility limits of [`numasim_model`] for one node or one core, because
//! a run may use all of them, or caches.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use numasim_study::csv::{Row, shown};
use numasim_study::{Problem, ProblemKind};

/// GB/s of all memories and caches of a machine: 192 cores with 300 GB/s from their first cache total 58
/// TB/s.
pub(crate) const MOST_GBS: f64 = 100_000.0;
/// GFLOPS of all cores of a machine: 10,000 cores of 1 TFLOPS each.
pub(crate) const MOST_GFLOPS: f64 = 1e7;

/// The reason that this is not a bandwidth of a machine; `None` if it may be one.
pub(crate) fn too_fast(gbs: f64) -> Option<String> {
    (gbs > MOST_GBS).then(|| format!("{} GB/s are more than any machine moves", short(gbs)))
}

/// The reason that this is not a performance of a machine; `None` if it may be one.
pub(crate) fn too_much(gflops: f64) -> Option<String> {
    (gflops > MOST_GFLOPS).then(|| format!("{} GFLOPS are more than any machine computes", short(gflops)))
}

/// The hint for both.
pub(crate) const TOO_FAST_HINT: &str = "the tool or a unit slipped: measure again";

fn short(value: f64) -> String {
    format!("{value:.2e}")
}

/// A bandwidth above zero in GB/s, from a value in `unit` GB/s; no more than a machine can have.
///
/// # Errors
/// An invalid field, with its place.
pub(crate) fn bandwidth(row: &Row<'_>, column: usize, example: &str, unit: f64) -> Result<f64, Problem> {
    let value = row.amount(column, example)?;
    let name = row.header(column);
    let bad = |why: String| Err(row.problem(column, ProblemKind::BadValue, why));
    if value <= 0.0 {
        let why = format!("`{name}` is {}: nothing was measured", shown(row.text(Some(column))));
        return bad(why).map_err(|problem| problem.hint("leave this row out"));
    }
    let gbs = in_giga(value, unit);
    match too_fast(gbs) {
        Some(why) => bad(why).map_err(|problem| problem.hint(TOO_FAST_HINT)),
        None => Ok(gbs),
    }
}

/// Millions in thousands of millions, for [`in_giga`].
pub(crate) const MEGA: f64 = 1e-3;

/// A value in `unit` GB/s.
pub(crate) fn in_giga(value: f64, unit: f64) -> f64 {
    if unit.to_bits() == MEGA.to_bits() { mega_to_giga(value) } else { value * unit }
}

/// A value in millions as one in thousands of millions, without a new rounding: 99833.3 MB/s are 99.8333
/// GB/s.
pub(crate) fn mega_to_giga(mega: f64) -> f64 {
    format!("{mega:e}").split_once('e').map_or(mega / 1e3, |(digits, exponent)| {
        let exponent = exponent.parse::<i32>().unwrap_or(0) - 3;
        format!("{digits}e{exponent}").parse().unwrap_or(mega / 1e3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_of_a_large_machine_are_accepted_and_a_wrong_unit_is_rejected() {
        assert_eq!(too_fast(58_000.0), None);
        assert_eq!(too_fast(3.3e12).as_deref(), Some("3.30e12 GB/s are more than any machine moves"));
        assert_eq!(too_much(4_000.0), None);
        assert!(too_much(1e9).is_some());
    }
}
