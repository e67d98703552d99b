//! Texts of files as a checked study.

use std::sync::Arc;

use numasim_model::input::{self, Place, Problem, ProblemKind, SourceFile};
use numasim_model::machine::doubts;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, ModelKind, NodeId, Scenario, Study};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::{array, error};

/// A study with the texts that it was read from.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) study: Arc<Study>,
    reading: input::Reading,
    sources: Vec<SourceFile>,
}

/// Machine, applications and scenarios of input files, read and checked together.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Reading(pub(crate) Arc<Read>);

#[pymethods]
impl Reading {
    /// Reads texts of TOML, each with the name that stands in messages.
    #[new]
    fn new(py: Python<'_>, sources: Vec<(String, String)>) -> PyResult<Self> {
        let sources: Vec<SourceFile> =
            sources.into_iter().map(|(name, text)| SourceFile { name, text }).collect();
        match py.detach(|| input::read_study(&sources)) {
            Ok(reading) => {
                Ok(Self(Arc::new(Read { study: Arc::new(reading.study.clone()), reading, sources })))
            }
            Err(problems) => Err(error::located(py, &problems, &sources)),
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
        array::one(py, self.0.study.machine.nodes().iter().map(|node| node.cores).collect())
    }

    /// GFLOPS of one core of each node.
    #[getter]
    fn gflops_per_core<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let nodes = self.0.study.machine.nodes().iter();
        array::one(py, nodes.map(|node| node.gflops_per_core.value()).collect())
    }

    /// GB/s of the memory controller of each node.
    #[getter]
    fn bandwidth_gbs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let nodes = self.0.study.machine.nodes().iter();
        array::one(py, nodes.map(|node| node.bandwidth.value()).collect())
    }

    /// GB/s from the node of the cores (row) to that of the memory (column); NaN where there is no link.
    #[getter]
    fn link_gbs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let machine = &self.0.study.machine;
        let nodes = machine.node_count();
        let link = |cell: usize| machine.link(NodeId(cell / nodes), NodeId(cell % nodes));
        let cells = (0..nodes * nodes).map(|cell| link(cell).map_or(f64::NAN, GigabytesPerSecond::value));
        array::two(py, nodes, nodes, cells.collect())
    }

    /// Names of the application instances, in the order of the files.
    #[getter]
    fn apps(&self) -> Vec<String> {
        self.0.study.apps.iter().map(|app| app.name.clone()).collect()
    }

    /// FLOP per byte of each application instance.
    #[getter]
    fn arithmetic_intensity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array::one(py, self.0.study.apps.iter().map(|app| app.arithmetic_intensity.value()).collect())
    }

    /// Names of the scenarios, in the order of the files.
    #[getter]
    fn scenarios(&self) -> Vec<String> {
        self.0.study.scenarios.iter().map(|scenario| scenario.name.clone()).collect()
    }

    /// Every value that no file gives, and what stands for it: table, name, key, value.
    #[getter]
    fn defaults(&self) -> Vec<(&str, &str, &str, &str)> {
        let defaults = self.0.reading.defaults.iter();
        defaults
            .map(|one| (one.table.as_str(), one.name.as_str(), one.key.as_str(), one.value.as_str()))
            .collect()
    }
}

impl Read {
    /// The study with the rules of a model; the corrections of its file stay. Warns of figures that no machine has.
    pub(crate) fn under(&self, py: Python<'_>, model: Option<&str>) -> PyResult<Arc<Study>> {
        let study = match model {
            None => Arc::clone(&self.study),
            Some(name) => {
                let kind = ModelKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
                    let known: Vec<&str> = ModelKind::ALL.into_iter().map(ModelKind::name).collect();
                    error::input(py, &format!("there is no model '{name}'; there is: {}", known.join(", ")))
                })?;
                let mut study = Study::clone(&self.study);
                let sharing = study.machine.sharing().with_kind(kind);
                study.machine = study.machine.with_sharing(sharing);
                Arc::new(study)
            }
        };
        let machine = &study.machine;
        if let Some(refusal) = machine.sharing_refusal() {
            return Err(error::input(py, &format!("machine '{}': {refusal}", machine.name())));
        }
        for doubt in doubts(machine) {
            error::warn(py, &format!("machine '{}': {doubt}", machine.name()))?;
        }
        Ok(study)
    }

    /// The numbers of the scenarios with these names, or of all, in the order of the files.
    pub(crate) fn wanted(&self, py: Python<'_>, names: Option<Vec<String>>) -> PyResult<Vec<usize>> {
        let scenarios = &self.study.scenarios;
        if scenarios.is_empty() {
            let message =
                "there is no scenario: nothing to evaluate (add a Scenario, or a [[scenario]] to the files)";
            return Err(error::input(py, message));
        }
        let Some(names) = names else { return Ok((0..scenarios.len()).collect()) };
        if let Some(name) = names.iter().find(|name| scenarios.iter().all(|one| one.name != **name)) {
            let known: Vec<&str> = scenarios.iter().map(|one| one.name.as_str()).collect();
            let message = format!("there is no scenario '{name}'; the scenarios are: {}", known.join(", "));
            return Err(error::input(py, &message));
        }
        Ok((0..scenarios.len()).filter(|&number| names.contains(&scenarios[number].name)).collect())
    }

    /// An application with threads whose home is open, shown where the files say so.
    pub(crate) fn open_home(&self, py: Python<'_>, number: usize, scenario: &Scenario, app: AppId) -> PyErr {
        let (name, group) = (&self.study.apps[app.0].name, &self.study.apps[app.0].group);
        let message = format!("the home of the data of `{group}` is open, and evaluate does not choose");
        let problem = Problem::new(ProblemKind::BadValue, message).hint(format!(
            "name the node in the scenario '{}', e.g. data={{'{group}': {{'home': 0}}}}, or let `explore` find the best home",
            scenario.name
        ));
        let of_scenario =
            self.reading.places.scenarios.get(number).and_then(|places| places.data_of(name, group));
        let position = self.reading.groups.iter().position(|one| one.name == *group);
        let of_app = position.and_then(|at| self.reading.places.apps.get(at)?.data.as_ref());
        let place: Option<&Place> = of_scenario.or(of_app);
        let problem = match place {
            Some(place) => problem.at(place.clone(), "any node"),
            None => problem,
        };
        error::located(py, &[problem], &self.sources)
    }
}
