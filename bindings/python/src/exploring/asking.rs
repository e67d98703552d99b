//! What is asked of a search, from values of Python; and why it cannot be asked.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use numasim_ask::limits;
use numasim_ask::placing::{Asked, OfApp};
use numasim_sim::search::over_models::ModelList;
use numasim_sim::search::{self, WITHIN};
use numasim_sim::{Objective, Restrictions};
use pyo3::prelude::*;

use crate::error;

/// Threads of applications, then what the threads on a node are a multiple of, then most nodes, then who is alone on its nodes.
/// Without a name: of every application.
pub(crate) type OfApps = (Vec<Figure>, Vec<Figure>, Vec<Figure>, Vec<String>);

type Figure = (Option<String>, i64);

/// An objective by its name.
pub(crate) fn objective(py: Python<'_>, name: &str) -> PyResult<Objective> {
    error::named(py, "objective", name, &Objective::ALL, Objective::name)
}

/// A time limit in seconds.
pub(crate) fn time_limit(py: Python<'_>, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    limits::time_limit(seconds).map_err(|why| error::input(py, &why))
}

/// `same_on_every_node`, `whole_nodes`, `min_threads_per_node`, `no_idle_cores`.
pub(crate) fn to_restrictions(
    py: Python<'_>,
    (same, whole, fewest, no_idle): (bool, bool, u64, bool),
) -> PyResult<Restrictions> {
    let fewest = u32::try_from(fewest).map_err(|_| {
        error::input(py, &format!("min_threads_per_node is a number from 0 to {}, not {fewest}", u32::MAX))
    })?;
    Ok(Restrictions {
        same_on_every_node: same,
        whole_nodes: whole,
        min_threads_per_node: fewest,
        no_idle_cores: no_idle,
    })
}

/// The models that an answer is to be good under.
pub(super) fn model_list(py: Python<'_>, text: &str) -> PyResult<ModelList> {
    text.parse().map_err(|why: String| error::input(py, &format!("models: {why}")))
}

/// What the simplest may lose; `None` where nobody wants it.
pub(super) fn within(py: Python<'_>, (simple, share): (bool, f64)) -> PyResult<Option<f64>> {
    let share = search::within(share).map_err(|why| error::input(py, &format!("within: {share}: {why}")))?;
    if !simple && share.to_bits() != WITHIN.to_bits() {
        return Err(error::input(py, "within is what the simplest may lose: give it with simple=True"));
    }
    Ok(simple.then_some(share))
}

/// What is asked of single applications.
pub(super) fn to_asked(py: Python<'_>, (threads, multiple, nodes, exclusive): OfApps) -> PyResult<Asked> {
    Ok(Asked {
        threads: figures(py, "app_threads", 0..=u32::MAX, threads)?,
        threads_multiple: figures(py, "threads_multiple", 1..=u32::MAX, multiple)?,
        max_nodes: figures(py, "max_nodes", 1..=u32::from(u16::MAX), nodes)?,
        exclusive,
    })
}

/// Figures in a range, which is that of their type.
fn figures<T: FromStr>(
    py: Python<'_>,
    what: &str,
    range: RangeInclusive<u32>,
    figures: Vec<Figure>,
) -> PyResult<Vec<OfApp<T>>> {
    let checked = figures.into_iter().map(|(app, figure)| {
        if let Ok(value) = figure.to_string().parse() {
            return Ok(OfApp { app, value });
        }
        let whose = app.map_or_else(String::new, |app| format!(" of '{app}'"));
        let (least, most) = (range.start(), range.end());
        Err(error::input(py, &format!("{what}{whose} is a number from {least} to {most}, not {figure}")))
    });
    checked.collect()
}
