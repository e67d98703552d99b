//! Results at every point of a grid of inputs, as columns.

use std::sync::Arc;

use numasim_ask::Refusal;
use numasim_ask::sweep::{Batch, Exploring, Sweep, Work};
use numasim_ask::table::{Column, Kind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::Gathered;
use crate::error;
use crate::exploring::{objective, time_limit, to_restrictions};
use crate::reading::Reading;
use crate::working::{Stop, work};

/// Maximum size of the values of all columns together: 4 GiB.
const MOST_CELLS: u64 = 1 << 29;

/// Evaluates scenarios, or searches, at every point of a grid. `settings`: `KEY=VALUES` as on the command line.
#[pyfunction]
#[pyo3(signature = (reading, settings, names=None, model=None, explore=None, seed=0, time_limit_s=None))]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    reading: &Reading,
    settings: Vec<String>,
    names: Option<Vec<String>>,
    model: Option<&str>,
    explore: Option<(String, (bool, bool, u64, bool))>,
    seed: u64,
    time_limit_s: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let refused = |refusal: Refusal| error::refused(py, &refusal);
    let input = reading.under(py, model)?;
    let asked = match &explore {
        None => Work::evaluate(&input.study, &names.unwrap_or_default()).map_err(refused)?,
        Some((name, restrictions)) => Work::Explore(Exploring {
            objective: objective(py, name)?,
            restrictions: to_restrictions(py, *restrictions)?,
            seed,
            time_limit: time_limit(py, time_limit_s)?,
        }),
    };
    let study = Arc::unwrap_or_clone(input.study);
    let sweep = numasim_ask::sweep(study, &input.located, &settings, asked).map_err(refused)?;
    has_room(py, &sweep)?;
    let stop = Stop::after(None);
    let gathered = work(py, &stop, || {
        let mut gathered = Gathered::new(sweep.columns(), nodes(&sweep));
        let add = |batch: Batch| {
            gathered.add(&batch.table);
            Ok::<_, Refusal>(true)
        };
        sweep.run(0..sweep.grid().points(), &|| stop.is_interrupted(), &|batch| batch, add)?;
        Ok(gathered)
    })?;
    gathered.map_err(refused)?.finish(py)
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
