//! What every application does over time, as columns.

use numasim_dynamic::{Changes, Observer, Row, Snapshot};
use numasim_model::Study;
use pyo3::prelude::*;

use crate::columns::Columns;

/// The rows of one simulation.
#[derive(Debug)]
pub(crate) struct Rows(Vec<Row>);

/// Looks on at a simulation and keeps a row for whatever changes.
pub(crate) struct Recorder {
    changes: Changes,
    rows: Vec<Row>,
}

impl Recorder {
    pub(crate) fn of(study: &Study) -> Self {
        Self { changes: Changes::of(study), rows: Vec::new() }
    }

    pub(crate) fn finish(self) -> Rows {
        Rows(self.rows)
    }
}

impl Observer for Recorder {
    fn looks(&self) -> bool {
        true
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        let rows = &mut self.rows;
        let kept: Result<(), std::convert::Infallible> = self.changes.each(snapshot, |row| {
            rows.push(*row);
            Ok(())
        });
        kept.unwrap_or_else(|never| match never {});
    }
}

impl Rows {
    /// With the columns of `--timeline`.
    pub(crate) fn columns<'py>(&self, py: Python<'py>, study: &Study) -> PyResult<Bound<'py, PyAny>> {
        let rows = || self.0.iter();
        let node = |row: &Row| u32::try_from(row.node).unwrap_or(u32::MAX);
        Columns::new(py)
            .figures("time_s", rows().map(|row| Some(row.time_s)))?
            .words("app", rows().map(|row| study.apps[row.app.0].name.as_str()))?
            .plain("node", rows().map(node).collect())?
            .plain("running", rows().map(|row| row.state.counts.running).collect())?
            .figures("busy", rows().map(|row| Some(row.state.counts.busy)))?
            .plain("idle", rows().map(|row| row.state.counts.idle).collect())?
            .plain("blocked", rows().map(|row| row.state.counts.blocked).collect())?
            .figures("gflops", rows().map(|row| Some(row.state.gflops)))?
            .figures("gbs", rows().map(|row| Some(row.state.gbs)))?
            .plain("items", rows().map(|row| row.state.items).collect())?
            .finish()
    }
}
