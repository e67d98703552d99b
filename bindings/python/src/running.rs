//! What runs on a host, and what to move there.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use numasim_ask::advise::{Advice as Moves, OBJECTIVES};
use numasim_ask::document;
use numasim_ask::snapshot::{Seen, Snapshot as Found};
use numasim_host::looking::{Look, LookError};
use numasim_sim::Objective;
use numasim_sim::search::Monitor as _;
use pyo3::prelude::*;

use crate::answer::{Answer, Answered};
use crate::columns;
use crate::error;
use crate::reading::Reading;
use crate::working::{Stop, work};

/// Time between two looks for Ctrl-C while nothing else is done.
const LOOK: Duration = Duration::from_millis(20);

/// The applications of a host, and its study.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Snapshot(Arc<Found>);

/// Moves on a host, or why none are advised.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Advice(Arc<Moves>);

impl Answered for Found {
    fn json(&self) -> String {
        document::text(self)
    }

    /// A row for each application.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        columns::of(py, &Self::columns(), self.apps.iter().cloned())
    }
}

impl Answered for Moves {
    fn json(&self) -> String {
        document::text(self)
    }

    /// A row for each move.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        columns::of(py, &Self::columns(), self.moves.iter().cloned())
    }
}

/// What runs on a host between two instants.
#[pyfunction]
#[pyo3(signature = (roots, select, seconds, machine=None))]
pub(crate) fn snapshot(
    py: Python<'_>,
    roots: Vec<PathBuf>,
    select: Vec<String>,
    seconds: f64,
    machine: Option<&Reading>,
) -> PyResult<Py<Snapshot>> {
    let stop = Stop::after(None);
    let look = asked(roots, select, machine);
    let found = work(py, &stop, || Ok(numasim_ask::snapshot::snapshot(seen(&look, seconds, &stop)?)))?;
    let found = Arc::new(in_python(py, found)?);
    Py::new(py, (Snapshot(Arc::clone(&found)), Answer(found)))
}

/// What to move there.
#[pyfunction]
#[pyo3(signature = (objective, roots, select, seconds, machine=None))]
pub(crate) fn advise(
    py: Python<'_>,
    objective: &str,
    roots: Vec<PathBuf>,
    select: Vec<String>,
    seconds: f64,
    machine: Option<&Reading>,
) -> PyResult<Py<Advice>> {
    let of = error::named(py, "objective", objective, &OBJECTIVES, Objective::as_str)?;
    let stop = Stop::after(None);
    let look = asked(roots, select, machine);
    let found = work(py, &stop, || {
        let found = numasim_ask::snapshot::snapshot(seen(&look, seconds, &stop)?);
        Ok(found.and_then(|found| numasim_ask::advise::advise(found, of, &stop)))
    })?;
    let found = Arc::new(in_python(py, found)?);
    Py::new(py, (Advice(Arc::clone(&found)), Answer(found)))
}

fn asked(roots: Vec<PathBuf>, select: Vec<String>, machine: Option<&Reading>) -> Look {
    Look { roots, select, machine: machine.map(|reading| reading.0.study.machine.clone()) }
}

/// Waits for the second instant, or for Ctrl-C.
fn seen(look: &Look, seconds: f64, stop: &Stop) -> Result<Seen, LookError> {
    look.look(|| {
        let (start, apart) = (Instant::now(), Duration::from_secs_f64(seconds));
        while start.elapsed() < apart && !stop.stop() {
            std::thread::sleep(LOOK.min(apart.saturating_sub(start.elapsed())));
        }
    })
}

/// An answer, or what is wrong, as an exception.
fn in_python<T>(py: Python<'_>, found: Result<Result<T, numasim_ask::Refusal>, LookError>) -> PyResult<T> {
    found
        .map_err(|error| error::input(py, &error.to_string()))?
        .map_err(|refusal| error::without_placement(py, &refusal))
}

#[pymethods]
impl Snapshot {
    /// Name of the machine.
    #[getter]
    fn machine_name(&self) -> &str {
        &self.0.machine
    }

    /// Seconds between the two instants; None for a single instant.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.0.seconds
    }

    /// Names of the applications, sorted by descending CPU time.
    #[getter]
    fn apps(&self) -> Vec<&str> {
        self.0.apps.iter().map(|app| app.name.as_str()).collect()
    }

    /// Everything that could not be seen, a sentence each.
    #[getter]
    fn unseen(&self) -> Vec<&str> {
        self.0.unseen.iter().map(String::as_str).collect()
    }

    /// Keys of the machine whose values are assumed, not measured.
    #[getter]
    fn assumed(&self) -> Vec<&str> {
        self.0.host.assumed.iter().map(String::as_str).collect()
    }

    /// The study as the text of an input file.
    fn to_toml(&self) -> &str {
        &self.0.study
    }
}

#[pymethods]
impl Advice {
    /// Whether moves are advised.
    #[getter]
    fn advised(&self) -> bool {
        self.0.advised
    }

    /// Why none are, a sentence each.
    #[getter]
    fn reasons(&self) -> Vec<&str> {
        self.0.reasons.iter().map(String::as_str).collect()
    }

    /// The gain of the host after the moves, in percent; None without a search.
    #[getter]
    fn gain_percent(&self) -> Option<f64> {
        self.0.gain_percent
    }

    /// 95 % interval of the gain; None without a search.
    #[getter]
    fn gain_interval_percent(&self) -> Option<(f64, f64)> {
        self.0.gain_interval_percent.map(Into::into)
    }

    /// The moves in words.
    #[getter]
    fn moves(&self) -> Vec<&str> {
        self.0.moves.iter().map(|one| one.text.as_str()).collect()
    }

    /// Cautions to consider before the moves, one sentence each.
    #[getter]
    fn cautions(&self) -> Vec<&str> {
        self.0.cautions.iter().map(String::as_str).collect()
    }
}
