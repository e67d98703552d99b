//! The best allocation, searched for, and beside it the robust and the simplest one.

mod asking;
mod exploration;
mod robust;
mod simplest;

use numasim_ask::{Explore, limits};
use numasim_sim::search::over_models::Models;
use pyo3::prelude::*;

use crate::error;
use crate::reading::{Reading, of_name};
use crate::working::{Stop, work};
use asking::{OfApps, model_list, to_asked, within};
pub(crate) use asking::{objective, time_limit, to_restrictions};
pub(crate) use exploration::Exploration;
pub(crate) use robust::Robust;
pub(crate) use simplest::Simplest;

/// Searches for the best allocation. `models`: `all`, or names with commas between them. `simple`: whether the simplest is wanted,
/// too, and what it may lose.
#[pyfunction]
#[pyo3(signature = (
    reading, objective_name, restrictions, of_apps, simple, top, seed,
    model=None, models=None, time_limit_s=None, threads=None,
))]
pub(crate) fn explore(
    py: Python<'_>,
    reading: &Reading,
    objective_name: &str,
    restrictions: (bool, bool, u64, bool),
    of_apps: OfApps,
    simple: (bool, f64),
    top: u64,
    seed: u64,
    model: Option<&str>,
    models: Option<&str>,
    time_limit_s: Option<f64>,
    threads: Option<u64>,
) -> PyResult<Exploration> {
    let list = models.map(|text| model_list(py, text)).transpose()?;
    let within = within(py, simple)?;
    let asked = to_asked(py, of_apps)?;
    let limit = time_limit(py, time_limit_s)?;
    let wrong = |why: String| error::input(py, &why);
    let top = limits::alternatives(top).map_err(wrong)?;
    let threads = threads.map(limits::workers).transpose().map_err(wrong)?;
    let restrictions = to_restrictions(py, restrictions)?;
    let model = model.map(|name| of_name(py, name)).transpose()?;
    let input = reading.under_model(py, Models::first(model, list.as_ref()))?;
    let input = input.placed(&asked).map_err(|refusal| error::refused(py, &refusal))?;
    let objective = objective(py, objective_name)?;
    let models = list.as_ref();
    let question = Explore { objective, restrictions, top, seed, models, within, ..Explore::new(&input) };
    let stop = Stop::after(limit);
    let found = work(py, &stop, || in_pool(threads, || numasim_ask::explore(&question, &stop)))?;
    let found = found.map_err(|why| error::input(py, &why))?;
    let found = found.map_err(|refusal| error::without_placement(py, &refusal))?;
    found.warnings.iter().try_for_each(|warning| error::warn(py, warning))?;
    Exploration::new(py, found)
}

fn in_pool<T: Send>(threads: Option<usize>, search: impl FnOnce() -> T + Send) -> Result<T, String> {
    let Some(threads) = threads else { return Ok(search()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(|pool| pool.install(search)).map_err(|error| format!("cannot start {threads} threads: {error}"))
}
