//! One evaluated allocation.

use std::sync::Arc;

use numasim_ask::tables::Placed;
use numasim_ask::thread_map::{MOST_MAPPED_NODES, thread_map};
use numasim_ask::{
    Evaluate, Evaluated, EvaluatedScenario, ScenarioView, caution, document, numbers, warning,
};
use numasim_model::evaluation::AppResult;
use numasim_model::{App, NodeId, Placement};
use numasim_sim::intervals::Interval;
use numasim_study::writing::study::Written;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::{Answer, Answered};
use crate::columns::plain;
use crate::reading::Reading;
use crate::working::{Stop, work};
use crate::{columns, error};

/// The result of one thread placement: GFLOPS, GB/s, and the bottleneck of each application.
///
/// In every array, rows are applications in the order of `apps`, and columns are nodes.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct ScenarioResult {
    scenario: Arc<EvaluatedScenario>,
    /// Value of the objective, in its unit; None without a search.
    #[pyo3(get)]
    value: Option<f64>,
}

impl Answered for EvaluatedScenario {
    fn json(&self) -> String {
        document::text(self)
    }

    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        placed(py, &[self.view()])
    }

    fn svg(&self) -> Option<String> {
        let is_small = self.study.machine.node_count() <= MOST_MAPPED_NODES;
        is_small.then(|| thread_map(&self.view()).svg())
    }
}

/// A row for each scenario, application and node.
fn placed<'py>(py: Python<'py>, views: &[ScenarioView<'_>]) -> PyResult<Bound<'py, PyAny>> {
    let apps = views.first().map_or(&[][..], |view| view.apps);
    columns::of(py, &Placed::columns(apps), views.iter().flat_map(Placed::all))
}

impl ScenarioResult {
    /// A scenario, with its value if it comes from a search.
    pub(crate) fn new(
        py: Python<'_>,
        scenario: &Arc<EvaluatedScenario>,
        value: Option<f64>,
    ) -> PyResult<Py<Self>> {
        let scenario = Arc::clone(scenario);
        Py::new(py, (Self { scenario: Arc::clone(&scenario), value }, Answer(scenario)))
    }

    /// One value for each application and node; 0 if it has no threads there.
    fn table<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&numasim_model::evaluation::GroupResult) -> f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let apps = &self.scenario.evaluation.apps;
        let cells = apps.iter().flat_map(|app| app.per_node.iter());
        let cells = cells.map(|group| plain(group.as_ref().map_or(0.0, &of))).collect();
        columns::two(py, apps.len(), self.scenario.study.machine.node_count(), cells)
    }

    fn of_nodes<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&numasim_model::evaluation::ControllerUse) -> f64,
    ) -> Bound<'py, PyArray1<f64>> {
        columns::one(py, self.scenario.evaluation.nodes.iter().map(|node| plain(of(node))).collect())
    }
}

fn ends(interval: &Interval) -> (f64, f64) {
    (plain(interval.low), plain(interval.high))
}

impl ScenarioResult {
    /// The speeds of the applications that count FLOP, or of those that have a rate.
    fn speeds<'py>(&self, py: Python<'py>, rates: bool) -> Bound<'py, PyArray1<f64>> {
        let apps = self.scenario.study.apps.iter().zip(&self.scenario.evaluation.apps);
        let speed = |(app, found): (&App, &AppResult)| {
            if app.rate_unit.is_some() == rates { plain(found.gflops.value()) } else { f64::NAN }
        };
        columns::one(py, apps.map(speed).collect())
    }
}

#[pymethods]
impl ScenarioResult {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.scenario.name
    }

    /// Names of the application instances.
    #[getter]
    fn apps(&self) -> Vec<String> {
        self.scenario.study.apps.iter().map(|app| app.name.clone()).collect()
    }

    /// GFLOPS of all applications that count FLOP.
    #[getter]
    fn total_gflops(&self) -> f64 {
        plain(self.scenario.evaluation.total.value())
    }

    /// The total of all applications, with its unit: their rate if all count that, else GFLOPS of those that count FLOP.
    #[getter]
    fn total(&self) -> (f64, String) {
        let (total, unit) = self.scenario.view().total();
        (plain(total), unit.to_owned())
    }

    /// 95 % interval of `total_gflops` if values of the machine are uncertain; else None.
    #[getter]
    fn total_gflops_interval(&self) -> Option<(f64, f64)> {
        self.scenario.intervals.as_ref().map(|found| ends(&found.total_gflops))
    }

    /// GFLOPS of each application; NaN if it counts something else.
    #[getter]
    fn gflops<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.speeds(py, false)
    }

    /// The rate of each application that does not count FLOP, in its `rate_unit`; NaN for the others.
    #[getter]
    fn rate<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.speeds(py, true)
    }

    /// The unit of `rate` of each application; None if it counts FLOP.
    #[getter]
    fn rate_unit(&self) -> Vec<Option<String>> {
        self.scenario.study.apps.iter().map(|app| app.rate_unit.clone()).collect()
    }

    /// 95 % intervals of `gflops`: low and high of each application; None if no value is uncertain.
    #[getter]
    fn gflops_interval<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some(found) = &self.scenario.intervals else { return Ok(None) };
        let all = found.gflops.iter().flat_map(|one| [plain(one.low), plain(one.high)]).collect();
        columns::two(py, found.gflops.len(), 2, all).map(Some)
    }

    /// GB/s that each application draws from all memories.
    #[getter]
    fn bandwidth_gbs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        columns::one(
            py,
            self.scenario.evaluation.apps.iter().map(|app| plain(app.bandwidth.value())).collect(),
        )
    }

    /// Threads: applications x nodes.
    #[getter]
    fn threads<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let (view, allocation) = (self.scenario.view(), &self.scenario.allocation);
        let threads = view.app_ids().flat_map(|app| view.threads(app)).collect();
        columns::two(py, allocation.apps(), allocation.nodes(), threads)
    }

    /// GFLOPS: applications x nodes.
    #[getter]
    fn gflops_per_node<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.table(py, |group| group.gflops.value())
    }

    /// GB/s that the threads of an application on a node draw from all memories: applications x nodes.
    #[getter]
    fn bandwidth_per_node_gbs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.table(py, |group| group.bandwidth.value())
    }

    /// The node that holds all data of each application; None if there is no such node.
    #[getter]
    fn homes(&self) -> Vec<Option<usize>> {
        self.scenario.evaluation.apps.iter().map(|app| app.home.map(|home| home.0)).collect()
    }

    /// The fraction of the data of each application on each node; None if its data is not placed by fractions.
    #[getter]
    fn fractions(&self) -> Vec<Option<Vec<f64>>> {
        let of = |placement: &Placement| match placement {
            Placement::Fractions(fractions) => Some(fractions.clone()),
            _ => None,
        };
        self.scenario.placements.iter().map(of).collect()
    }

    /// The bottleneck of the threads of each application on each node, as a stable word; None if there is none.
    #[getter]
    fn bottlenecks(&self) -> Vec<Vec<Option<&'static str>>> {
        let word = |group: &Option<numasim_model::evaluation::GroupResult>| {
            group.as_ref().map(|group| group.bottleneck.kind())
        };
        self.scenario.evaluation.apps.iter().map(|app| app.per_node.iter().map(word).collect()).collect()
    }

    /// GB/s that the memory of each node provides.
    #[getter]
    fn node_capacity_gbs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.of_nodes(py, |node| node.capacity.value())
    }

    /// GB/s that are drawn from the memory of each node.
    #[getter]
    fn node_bandwidth_gbs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.of_nodes(py, |node| node.bandwidth.value())
    }

    /// The part of these GB/s that goes to other nodes.
    #[getter]
    fn node_remote_gbs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.of_nodes(py, |node| node.remote.value())
    }

    /// Latency of a line from the memory of each node for the cores of that node, under the traffic of all reads, in ns; NaN if the model or the
    /// machine does not define it.
    #[getter]
    fn loaded_latency_ns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.of_nodes(py, |node| node.loaded_latency_ns.unwrap_or(f64::NAN))
    }

    /// Links as columns: `from` (node of the cores), `to` (node of the memory), `capacity_gbs`, `bandwidth_gbs`.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let links = &self.scenario.evaluation.links;
        let ends = |of: fn(&numasim_model::evaluation::LinkUse) -> NodeId| -> Vec<u64> {
            links.iter().map(|link| of(link).0 as u64).collect()
        };
        let columns = PyDict::new(py);
        columns.set_item("from", columns::one(py, ends(|link| link.from)))?;
        columns.set_item("to", columns::one(py, ends(|link| link.to)))?;
        let capacities = links.iter().map(|link| plain(link.capacity.value())).collect();
        columns.set_item("capacity_gbs", columns::one::<f64>(py, capacities))?;
        let drawn = links.iter().map(|link| plain(link.bandwidth.value())).collect();
        columns.set_item("bandwidth_gbs", columns::one::<f64>(py, drawn))?;
        Ok(columns)
    }

    /// Cautions about the result, as sentences.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let study = &self.scenario.study;
        let of_machine = caution::beside_machine(&study.machine, &study.apps);
        warning::facts(&self.scenario.evaluation.warnings).into_iter().chain(of_machine).collect()
    }

    /// The nodes of the machine.
    #[getter]
    fn nodes(&self) -> Vec<usize> {
        let nodes: Vec<NodeId> = self.scenario.study.machine.node_ids().collect();
        numbers(&nodes)
    }

    /// The allocation as a `[[scenario]]` table for input files.
    #[pyo3(signature = (name=None))]
    fn to_toml(&self, name: Option<&str>) -> String {
        let smt = self.scenario.view().smt();
        Written {
            name: name.unwrap_or(&self.scenario.name),
            apps: &self.scenario.study.apps,
            allocation: &self.scenario.allocation,
            placements: &self.scenario.placements,
            smt: &smt,
            static_work: self.scenario.evaluation.static_work,
        }
        .toml()
    }

    fn __repr__(&self) -> String {
        let (total, unit) = self.total();
        format!("<ScenarioResult {:?}: {total} {unit}>", self.scenario.name)
    }
}

// Scenarios, evaluated.

/// Evaluated scenarios of one study.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Evaluation {
    machine: String,
    scenarios: Vec<Py<ScenarioResult>>,
}

impl Answered for Evaluated {
    fn json(&self) -> String {
        document::text(self)
    }

    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let views: Vec<ScenarioView<'_>> = self.scenarios.iter().map(|one| one.view()).collect();
        placed(py, &views)
    }
}

/// Evaluates scenarios: `names`, or every scenario. `model`: the rules of another bandwidth-sharing model. `static_work`: work is
/// divided statically in all of them.
#[pyfunction]
#[pyo3(signature = (reading, names=None, model=None, static_work=false))]
pub(crate) fn evaluate(
    py: Python<'_>,
    reading: &Reading,
    names: Option<Vec<String>>,
    model: Option<&str>,
    static_work: bool,
) -> PyResult<Py<Evaluation>> {
    let input = reading.under(py, model)?;
    let names = names.unwrap_or_default();
    let question = Evaluate { scenarios: &names, static_work, ..Evaluate::new(&input) };
    let stop = Stop::after(None);
    let answer = work(py, &stop, || numasim_ask::evaluate(&question, &stop))?;
    let answer = answer.map_err(|refusal| error::refused(py, &refusal))?;
    answer.warnings.iter().try_for_each(|warning| error::warn(py, warning))?;
    let scenarios = answer.scenarios.iter().map(|one| ScenarioResult::new(py, one, None));
    let own =
        Evaluation { machine: answer.head.machine.clone(), scenarios: scenarios.collect::<PyResult<_>>()? };
    Py::new(py, (own, Answer(Arc::new(answer))))
}

#[pymethods]
impl Evaluation {
    /// The scenarios, in the order of the files.
    #[getter]
    fn scenarios(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.scenarios.iter().map(|one| one.clone_ref(py)).collect()
    }

    fn __len__(&self) -> usize {
        self.scenarios.len()
    }

    /// A scenario by its name or index.
    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<ScenarioResult>> {
        if let Ok(name) = key.extract::<String>() {
            let found = self.scenarios.iter().find(|one| one.get().scenario.name == name);
            let Some(found) = found else {
                return Err(pyo3::exceptions::PyKeyError::new_err(name));
            };
            return Ok(found.clone_ref(py));
        }
        let number: isize = key.extract()?;
        let length = self.scenarios.len();
        let at =
            if number < 0 { length.checked_sub(number.unsigned_abs()) } else { Some(number.unsigned_abs()) };
        match at.and_then(|at| self.scenarios.get(at)) {
            Some(found) => Ok(found.clone_ref(py)),
            None => Err(pyo3::exceptions::PyIndexError::new_err(format!("there are {length} scenarios"))),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Evaluation of {:?}: {} scenarios>", self.machine, self.scenarios.len())
    }
}
