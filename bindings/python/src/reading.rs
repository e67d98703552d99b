//! Input texts as a checked study.

use numasim_ask::{Input, Refusal};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{ModelKind, NodeId};
use numasim_study::SourceFile;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::{columns, error};

/// Machine, applications and scenarios of input files, read and checked together.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Reading(pub(crate) Input);

#[pymethods]
impl Reading {
    /// Reads TOML texts, each with its name for messages. `of_values`: whether the texts are generated from Python
    /// values, so that a wrong type is an error of the caller.
    #[new]
    #[pyo3(signature = (sources, of_values=false))]
    fn new(py: Python<'_>, sources: Vec<(String, String)>, of_values: bool) -> PyResult<Self> {
        let sources: Vec<SourceFile> =
            sources.into_iter().map(|(name, text)| SourceFile { name, text }).collect();
        match py.detach(|| Input::of_sources(sources)) {
            Ok(input) => Ok(Self(input)),
            Err(Refusal::Located { problems, sources }) if of_values => {
                Err(error::of_values(py, &problems, &sources))
            }
            Err(refusal) => Err(error::refused(py, &refusal)),
        }
    }

    /// The name of the machine.
    #[getter]
    fn machine_name(&self) -> &str {
        self.0.study.machine.name()
    }

    /// The bandwidth-sharing model of the machine, by name.
    #[getter]
    fn model(&self) -> &str {
        self.0.study.machine.sharing().name()
    }

    /// Cores of each node.
    #[getter]
    fn cores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        columns::one(py, self.0.study.machine.nodes().iter().map(|node| node.cores).collect())
    }

    /// GFLOPS of one core of each node.
    #[getter]
    fn gflops_per_core<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let nodes = self.0.study.machine.nodes().iter();
        columns::one(py, nodes.map(|node| node.gflops_per_core.value()).collect())
    }

    /// GB/s of the memory controller of each node.
    #[getter]
    fn bandwidth_gbs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let nodes = self.0.study.machine.nodes().iter();
        columns::one(py, nodes.map(|node| node.bandwidth.value()).collect())
    }

    /// GB/s from the node of the cores (row) to that of the memory (column); NaN if there is no link.
    #[getter]
    fn link_gbs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let machine = &self.0.study.machine;
        let nodes = machine.node_count();
        let link = |cell: usize| machine.link(NodeId(cell / nodes), NodeId(cell % nodes));
        let cells = (0..nodes * nodes).map(|cell| link(cell).map_or(f64::NAN, GigabytesPerSecond::value));
        columns::two(py, nodes, nodes, cells.collect())
    }

    /// Names of the application instances, in the order of the files.
    #[getter]
    fn apps(&self) -> Vec<String> {
        self.0.study.apps.iter().map(|app| app.name.clone()).collect()
    }

    /// FLOP per byte of each application instance.
    #[getter]
    fn arithmetic_intensity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        columns::one(py, self.0.study.apps.iter().map(|app| app.arithmetic_intensity.value()).collect())
    }

    /// Names of the scenarios, in the order of the files.
    #[getter]
    fn scenarios(&self) -> Vec<String> {
        self.0.study.scenarios.iter().map(|scenario| scenario.name.clone()).collect()
    }

    /// Every value that no file gives, with its default: table, name, key, value.
    #[getter]
    fn defaults(&self) -> Vec<(&str, &str, &str, &str)> {
        let defaults = self.0.defaults.iter();
        defaults
            .map(|one| (one.table.as_str(), one.name.as_str(), one.key.as_str(), one.value.as_str()))
            .collect()
    }
}

/// Parses a model by name.
pub(crate) fn of_name(py: Python<'_>, name: &str) -> PyResult<ModelKind> {
    error::named(py, "model", name, &ModelKind::ALL, ModelKind::as_str)
}

impl Reading {
    /// The files with the rules of the named model. Warns about implausible machine values.
    pub(crate) fn under(&self, py: Python<'_>, model: Option<&str>) -> PyResult<Input> {
        self.under_model(py, model.map(|name| of_name(py, name)).transpose()?)
    }

    /// The files with the rules of a model; the corrections of its file are kept. Warns about implausible machine
    /// values.
    pub(crate) fn under_model(&self, py: Python<'_>, model: Option<ModelKind>) -> PyResult<Input> {
        let (input, warnings) =
            self.0.clone().under(model).map_err(|refusal| error::refused(py, &refusal))?;
        warnings.iter().try_for_each(|warning| error::warn(py, warning))?;
        Ok(input)
    }
}
