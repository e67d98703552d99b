//! Results at every point of a grid of inputs, as columns.

use std::sync::Arc;

use numasim_ask::sweep::{Batch, Exploring, Simulating, Sweep, Work};
use numasim_ask::table::{Column, Kind};
use numasim_ask::{Clock as _, Refusal};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::Gathered;
use crate::error;
use crate::exploring::{Search, in_pool, objective};
use crate::reading::Reading;
use crate::simulating::{checked_until, policy};
use crate::working::work;

/// Maximum size of the values of all columns together: 4 GiB.
const MOST_CELLS: u64 = 1 << 29;

/// Evaluates scenarios, searches, or simulates, at every point of a grid. `settings`: `KEY=VALUES` as on the command line. `explore`: the
/// objective. `simulate`: the policies, and the end in seconds.
#[pyfunction]
#[pyo3(signature = (reading, settings, search, names, explore=None, simulate=None))]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    reading: &Reading,
    settings: Vec<String>,
    search: Search,
    names: Vec<String>,
    explore: Option<String>,
    simulate: Option<(Vec<String>, Option<f64>)>,
) -> PyResult<Bound<'py, PyDict>> {
    let refused = |refusal: Refusal| error::refused(py, &refusal);
    let wrong = |why: String| error::input(py, &why);
    let input = search.placed(py, reading, None)?;
    let (stop, workers) = (search.stop(py)?, search.workers(py)?);
    let asked = match (&explore, &simulate) {
        (Some(name), _) => Work::Explore(Exploring {
            objective: objective(py, name)?,
            restrictions: search.restrictions(py)?,
            seed: search.seed,
            time_limit: stop.limit(),
        }),
        (None, Some((policies, until_s))) => Work::Simulate(Simulating {
            policies: policies.iter().map(|name| policy(py, name)).collect::<PyResult<_>>()?,
            seed: search.seed,
            until_s: checked_until(py, *until_s)?,
        }),
        (None, None) => Work::evaluate(&input.study, &names).map_err(refused)?,
    };
    let study = Arc::unwrap_or_clone(input.study);
    let sweep = numasim_ask::sweep(study, &input.located, &settings, asked).map_err(refused)?;
    has_room(py, &sweep)?;
    sweep.warnings(&input.located).iter().try_for_each(|warning| error::warn(py, warning))?;
    let compute = || {
        let mut gathered = Gathered::new(sweep.columns(), nodes(&sweep));
        let add = |batch: Batch| {
            gathered.add(&batch.table);
            Ok::<_, Refusal>(true)
        };
        sweep.run(0..sweep.grid().points(), &|| stop.is_interrupted(), &|batch| batch, add)?;
        Ok(gathered)
    };
    let gathered = work(py, &stop, || in_pool(workers, compute))?;
    gathered.map_err(wrong)?.map_err(refused)?.finish(py)
}

fn nodes(sweep: &Sweep) -> usize {
    sweep.grid().study().machine.node_count()
}

fn has_room(py: Python<'_>, sweep: &Sweep) -> PyResult<()> {
    let width = |column: &Column| if column.kind == Kind::PerNode { nodes(sweep) as u64 } else { 1 };
    let of_row: u64 = sweep.columns().iter().map(width).sum();
    let points = sweep.grid().points();
    let cells = points.saturating_mul(sweep.rows_per_point() as u64).saturating_mul(of_row);
    if cells <= MOST_CELLS {
        return Ok(());
    }
    let message = format!(
        "{points} points have {cells} values, and memory is for {MOST_CELLS}: use larger steps, or `numasim sweep`, which writes while it computes"
    );
    Err(error::input(py, &message))
}
