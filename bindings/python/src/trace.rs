//! When and where each task ran, as columns.

use numasim_graph::values::TaskGraph;
use numasim_tasks::{Observer, TaskRecord};
use pyo3::prelude::*;

use crate::columns::Columns;

/// Looks on at a simulation and keeps every task that ends.
#[derive(Default)]
pub(crate) struct Recorder(Vec<TaskRecord>);

/// The tasks of one simulation, each with its type.
#[derive(Debug)]
pub(crate) struct Records {
    all: Vec<(TaskRecord, u32)>,
    types: Vec<String>,
}

impl Observer for Recorder {
    fn ended(&mut self, record: &TaskRecord) {
        self.0.push(*record);
    }
}

impl Recorder {
    pub(crate) fn finish(self, graph: &TaskGraph) -> Records {
        let mut types: Vec<String> = Vec::new();
        let all = self.0.into_iter().map(|record| {
            let kind = graph.kind(record.task).0;
            let at = kind as usize;
            if types.len() <= at {
                types.resize(at + 1, String::new());
            }
            if types[at].is_empty() {
                graph.type_name(record.task).clone_into(&mut types[at]);
            }
            (record, kind)
        });
        Records { all: all.collect(), types }
    }
}

impl Records {
    /// With the columns of `--trace`, but those that are the same in all rows; `socket` is NaN where the scheduler gives none.
    pub(crate) fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = || self.all.iter().map(|(record, _)| record);
        let node = |record: &TaskRecord| u32::try_from(record.node.0).unwrap_or(u32::MAX);
        Columns::new(py)
            .plain("task", all().map(|record| record.task.0).collect())?
            .words("type", self.all.iter().map(|(_, kind)| self.types[*kind as usize].as_str()))?
            .figures("socket", all().map(|record| record.socket.map(|socket| socket.0 as f64)))?
            .plain("node", all().map(node).collect())?
            .plain("worker", all().map(|record| record.worker).collect())?
            .figures("start_s", all().map(|record| Some(record.start_s)))?
            .figures("end_s", all().map(|record| Some(record.end_s)))?
            .words("source", all().map(|record| record.source.as_str()))?
            .finish()
    }
}
