//! The search for the best allocation, and for the robust and the simplest one.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use numasim_ask::explored::{Rated, WhyUnproven};
use numasim_ask::placing::{Asked, OfApp};
use numasim_ask::sensitivity::Row;
use numasim_ask::{Explore, Explored, Input, caution, document, limits};
use numasim_model::ModelKind;
use numasim_sim::search::over_models::{ModelList, Models};
use numasim_sim::search::{self, WITHIN};
use numasim_sim::{Objective, Restrictions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::{Answer, Answered, shown};
use crate::columns::{self, Columns, plain};
use crate::error;
use crate::nearly::{Fewest, Simplest};
use crate::reading::{Reading, of_name};
use crate::scenario::ScenarioResult;
use crate::working::{Stop, work};

/// Searches for the best allocation. `models`: `all`, or names separated by commas. `nearly`: whether to search also for the simplest allocation and
/// the one with the fewest threads, and how much each may lose.
#[pyfunction]
#[pyo3(signature = (reading, objective_name, search, nearly, sensitivity, top, models=None))]
pub(crate) fn explore(
    py: Python<'_>,
    reading: &Reading,
    objective_name: &str,
    search: Search,
    nearly: (bool, bool, Option<f64>),
    sensitivity: bool,
    top: u64,
    models: Option<&str>,
) -> PyResult<Py<Exploration>> {
    let list = models.map(|text| model_list(py, text)).transpose()?;
    let models = list.as_ref();
    let (simple, fewest) = within(py, nearly)?;
    let (stop, workers) = (search.stop(py)?, search.workers(py)?);
    let wrong = |why: String| error::input(py, &why);
    let top = limits::alternatives(top).map_err(wrong)?;
    let restrictions = search.restrictions(py)?;
    let input = search.placed(py, reading, models)?;
    let question = Explore {
        objective: objective(py, objective_name)?,
        restrictions,
        top,
        seed: search.seed,
        models,
        simple,
        fewest,
        sensitivity,
        ..Explore::new(&input)
    };
    let found = work(py, &stop, || in_pool(workers, || numasim_ask::explore(&question, &stop)))?;
    let found = found.map_err(wrong)?.map_err(|refusal| error::without_placement(py, &refusal))?;
    found.warnings.iter().try_for_each(|warning| error::warn(py, warning))?;
    Exploration::new(py, found)
}

pub(crate) fn in_pool<T: Send>(
    threads: Option<usize>,
    search: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    let Some(threads) = threads else { return Ok(search()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(|pool| pool.install(search)).map_err(|error| format!("cannot start {threads} threads: {error}"))
}

// The search request from Python values, and the errors in it.

/// The arguments of every search, from a dict whose keys are the switches of the command line.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Search {
    same_on_every_node: bool,
    whole_nodes: bool,
    min_threads_per_node: u64,
    no_idle_cores: bool,
    whole_l3: bool,
    /// An entry without a name counts the worker threads of the search; in the lists below it applies to every application.
    threads: Vec<Figure>,
    threads_multiple: Vec<Figure>,
    max_nodes: Vec<Figure>,
    threads_per_l3: Vec<Figure>,
    max_l3: Vec<Figure>,
    exclusive: Vec<String>,
    model: Option<String>,
    time_limit: Option<f64>,
    pub(crate) seed: u64,
}

type Figure = (Option<String>, i64);

/// Parses an objective by name.
pub(crate) fn objective(py: Python<'_>, name: &str) -> PyResult<Objective> {
    error::named(py, "objective", name, &Objective::ALL, Objective::as_str)
}

impl Search {
    /// The clock of the search, with its time limit.
    pub(crate) fn stop(&self, py: Python<'_>) -> PyResult<Stop> {
        let limit = limits::time_limit(self.time_limit).map_err(|why| error::input(py, &why))?;
        Ok(Stop::after(limit))
    }

    /// The number of worker threads; None for one on each core of this host.
    pub(crate) fn workers(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        let given = self.threads.iter().rev().find(|(app, _)| app.is_none());
        // A negative number is as impossible as 0.
        let count = given.map(|(_, threads)| u64::try_from(*threads).unwrap_or(0));
        count.map(limits::workers).transpose().map_err(|why| error::input(py, &why))
    }

    pub(crate) fn restrictions(&self, py: Python<'_>) -> PyResult<Restrictions> {
        let fewest = self.min_threads_per_node;
        let min_threads_per_node = u32::try_from(fewest).map_err(|_| {
            error::input(
                py,
                &format!("min_threads_per_node is a number from 0 to {}, not {fewest}", u32::MAX),
            )
        })?;
        Ok(Restrictions {
            same_on_every_node: self.same_on_every_node,
            whole_nodes: self.whole_nodes,
            min_threads_per_node,
            no_idle_cores: self.no_idle_cores,
            whole_l3: self.whole_l3,
        })
    }

    /// The files under the model that is asked for, with the constraints on single applications. `models`: the first one is the model if no
    /// other is named.
    pub(crate) fn placed(
        &self,
        py: Python<'_>,
        reading: &Reading,
        models: Option<&ModelList>,
    ) -> PyResult<Input> {
        let of_apps = self.threads.iter().filter(|(app, _)| app.is_some());
        let asked = Asked {
            threads: figures(py, "threads", 0..=u32::MAX, of_apps)?,
            threads_multiple: figures(py, "threads_multiple", 1..=u32::MAX, &self.threads_multiple)?,
            max_nodes: figures(py, "max_nodes", 1..=u32::from(u16::MAX), &self.max_nodes)?,
            threads_per_l3: figures(py, "threads_per_l3", 1..=u32::MAX, &self.threads_per_l3)?,
            max_l3: figures(py, "max_l3", 1..=u32::from(u16::MAX), &self.max_l3)?,
            exclusive: self.exclusive.clone(),
        };
        let model = self.model.as_deref().map(|name| of_name(py, name)).transpose()?;
        let input = reading.under_model(py, Models::first(model, models))?;
        input.placed(&asked).map_err(|refusal| error::refused(py, &refusal))
    }
}

/// The models under which the robust answer must be good.
fn model_list(py: Python<'_>, text: &str) -> PyResult<ModelList> {
    text.parse().map_err(|why: String| error::input(py, &format!("models: {why}")))
}

/// The share that the simplest allocation and the one with the fewest threads may lose; `None` if not requested.
fn within(
    py: Python<'_>,
    (simple, fewest, share): (bool, bool, Option<f64>),
) -> PyResult<(Option<f64>, Option<f64>)> {
    if let Some(share) = share {
        search::within(share).map_err(|why| error::input(py, &format!("within: {share}: {why}")))?;
        if !simple && !fewest {
            let why =
                "within is what these may lose of the best: give it with simple=True or fewest_threads=True";
            return Err(error::input(py, why));
        }
    }
    Ok((simple.then(|| share.unwrap_or(WITHIN)), fewest.then(|| share.unwrap_or(0.0))))
}

/// Numbers within the range of their type.
fn figures<'f, T: FromStr>(
    py: Python<'_>,
    what: &str,
    range: RangeInclusive<u32>,
    figures: impl IntoIterator<Item = &'f Figure>,
) -> PyResult<Vec<OfApp<T>>> {
    let checked = figures.into_iter().map(|(app, figure)| {
        if let Ok(value) = figure.to_string().parse() {
            return Ok(OfApp { app: app.clone(), value });
        }
        let whose = app.as_ref().map_or_else(String::new, |app| format!(" of '{app}'"));
        let (least, most) = (range.start(), range.end());
        Err(error::input(py, &format!("{what}{whose} is a number from {least} to {most}, not {figure}")))
    });
    checked.collect()
}

// The answer of a search for Python.

/// The best allocation found, a bound on any better one, and the allocations to compare it with.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Exploration {
    answer: Arc<Explored>,
    best: Py<ScenarioResult>,
    alternatives: Vec<Py<ScenarioResult>>,
    baselines: Vec<Py<ScenarioResult>>,
    robust: Option<Py<Robust>>,
    simple: Option<Py<Simplest>>,
    fewest: Option<Py<Fewest>>,
}

impl Exploration {
    /// Converts an answer for Python.
    pub(crate) fn new(py: Python<'_>, answer: Explored) -> PyResult<Py<Self>> {
        let answer = Arc::new(answer);
        let result = |rated: &Rated| ScenarioResult::new(py, &rated.scenario, Some(rated.value));
        let robust = answer
            .robust
            .as_ref()
            .map(|robust| Py::new(py, Robust { answer: robust.clone(), best: result(&robust.best)? }));
        let simple = answer.simple.as_ref().map(|simple| {
            let best = result(&simple.rated)?;
            Py::new(py, Simplest { answer: simple.clone(), best })
        });
        let fewest = answer.fewest.as_ref().map(|fewest| {
            let best = result(&fewest.rated)?;
            let words = fewest.verdict(answer.problem.threads_of(&answer.best.candidate));
            Py::new(py, Fewest { answer: fewest.clone(), best, words })
        });
        let own = Self {
            best: result(&answer.best)?,
            alternatives: answer.alternatives.iter().map(result).collect::<PyResult<_>>()?,
            baselines: answer.baselines.iter().map(|one| result(&one.rated)).collect::<PyResult<_>>()?,
            robust: robust.transpose()?,
            simple: simple.transpose()?,
            fewest: fewest.transpose()?,
            answer: Arc::clone(&answer),
        };
        Py::new(py, (own, Answer(answer)))
    }
}

impl Answered for Explored {
    fn json(&self) -> String {
        document::text(self)
    }

    /// A row for each allocation: the best, alternatives, the robust one, baselines, and the simplest and the one with the fewest threads if they
    /// differ from the best.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all: Vec<(&str, &Rated)> = self.all().collect();
        let scenarios = || all.iter().map(|(_, rated)| &rated.scenario);
        let mut baselines = self.baselines.iter();
        let breaks = all.iter().map(|(role, _)| match *role {
            "baseline" => baselines.next().and_then(|one| one.breaks.as_deref()).unwrap_or_default(),
            _ => "",
        });
        let mut table = Columns::new(py)
            .words("allocation", scenarios().map(|one| &one.name))?
            .words("role", all.iter().map(|(role, _)| role))?
            .figures("value", all.iter().map(|(_, rated)| Some(rated.value)))?
            .figures("total_gflops", scenarios().map(|one| Some(one.evaluation.total.value())))?
            .words("breaks", breaks)?;
        for (number, app) in self.study.apps.iter().enumerate() {
            let speed = if app.rate_unit.is_some() { "rate" } else { "gflops" };
            let speeds = scenarios().map(|one| Some(one.evaluation.apps[number].gflops.value()));
            table = table.figures(&format!("{speed}:{}", app.name), speeds)?;
        }
        table.finish()
    }

    fn svg(&self) -> Option<String> {
        self.best.scenario.svg()
    }
}

#[pymethods]
impl Exploration {
    /// Seed of the random restarts.
    #[getter]
    fn seed(&self) -> u64 {
        self.answer.seed
    }

    /// Duration of the search in seconds.
    #[getter]
    fn elapsed_s(&self) -> f64 {
        self.answer.elapsed_s
    }

    /// Whether the list of alternatives omits no better one.
    #[getter]
    fn alternatives_complete(&self) -> bool {
        self.answer.alternatives_complete
    }

    /// The objective, by name.
    #[getter]
    pub(crate) fn objective(&self) -> &'static str {
        self.answer.problem.goal().objective().as_str()
    }

    /// The unit of `value` and `bound`: GFLOPS, s, or empty for a fraction.
    #[getter]
    fn unit(&self) -> &'static str {
        self.answer.problem.goal().objective().unit()
    }

    /// `optimal`: no allocation is better by more than a relative 1e-9. `feasible`: the best found.
    #[getter]
    fn status(&self) -> &'static str {
        self.answer.status()
    }

    /// The reason why the best is not proven: `time-limit`, `too-large` or `model`; None if it is proven.
    #[getter]
    fn unproven(&self) -> Option<&'static str> {
        self.answer.unproven.map(WhyUnproven::as_str)
    }

    /// The best allocation.
    #[getter]
    fn best(&self, py: Python<'_>) -> Py<ScenarioResult> {
        self.best.clone_ref(py)
    }

    /// Value of the best, in `unit`.
    #[getter]
    fn value(&self) -> f64 {
        plain(self.answer.best.value)
    }

    /// 95 % interval of `value` if values of the machine are uncertain; else None.
    #[getter]
    fn value_interval(&self) -> Option<(f64, f64)> {
        self.answer.uncertainty.as_ref().map(|(_, interval)| (plain(interval.low), plain(interval.high)))
    }

    /// No allocation has a better value than this.
    #[getter]
    fn bound(&self) -> f64 {
        plain(self.answer.bound)
    }

    /// |bound - value| / |bound|.
    #[getter]
    fn gap(&self) -> f64 {
        plain(self.answer.gap)
    }

    /// Cautions about the best, as sentences.
    #[getter]
    fn cautions(&self) -> Vec<String> {
        caution::clauses(&self.answer.cautions, &self.answer.study.apps)
    }

    /// The quality of the best, the simplest and the robust placement, and how certain it is, as sentences.
    #[getter]
    fn words(&self) -> Vec<String> {
        self.answer.in_words()
    }

    /// The next best allocations.
    #[getter]
    fn alternatives(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.alternatives.iter().map(|one| one.clone_ref(py)).collect()
    }

    /// Baselines, as used without a search: `even`, `one app per node`, and the scenarios of the study.
    #[getter]
    fn baselines(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.baselines.iter().map(|one| one.clone_ref(py)).collect()
    }

    /// The constraint that each baseline breaks; None if it breaks none.
    #[getter]
    fn breaks(&self) -> Vec<Option<String>> {
        self.answer.baselines.iter().map(|one| one.breaks.clone()).collect()
    }

    /// The placement that is good whichever of several models is right; None if not requested.
    #[getter]
    fn robust(&self, py: Python<'_>) -> Option<Py<Robust>> {
        self.robust.as_ref().map(|one| one.clone_ref(py))
    }

    /// The simplest allocation that loses little compared with the best; None if not requested.
    #[getter]
    fn simple(&self, py: Python<'_>) -> Option<Py<Simplest>> {
        self.simple.as_ref().map(|one| one.clone_ref(py))
    }

    /// The allocation with the fewest threads that loses little compared with the best; None if not requested.
    #[getter]
    fn fewest(&self, py: Python<'_>) -> Option<Py<Fewest>> {
        self.fewest.as_ref().map(|one| one.clone_ref(py))
    }

    /// For the objective `fair`: each p in ascending order, with its applications and whether it is proven. Else empty.
    #[getter]
    fn levels(&self) -> Vec<(f64, Vec<String>, bool)> {
        let apps = &self.answer.study.apps;
        let names = |level: &search::Level| level.apps.iter().map(|app| apps[app.0].name.clone()).collect();
        self.answer.levels.iter().map(|level| (plain(level.p), names(level), level.proven)).collect()
    }

    /// The gain from more of each resource, and how wrong each value may be, as a table; None if not requested.
    #[getter]
    fn sensitivity<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.answer.sensitivity.as_ref();
        found.map(|found| columns::of(py, &Row::columns(&self.answer.problem), Row::all(found))).transpose()
    }

    fn __repr__(&self) -> String {
        let (objective, unit) = (self.objective(), self.unit());
        let space = if unit.is_empty() { "" } else { " " };
        format!(
            "<Exploration of {:?}: {objective} {}{space}{unit}, {}>",
            self.answer.study.machine.name(),
            self.value(),
            self.status()
        )
    }
}

// The robust placement for Python.

/// The placement with the smallest worst regret over several sharing models. The regret is the loss compared with the best
/// of each model, as a share.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Robust {
    answer: numasim_ask::explored::Robust,
    best: Py<ScenarioResult>,
}

impl Robust {
    fn by_model<'py>(&self, py: Python<'py>, regrets: &[f64]) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (kind, regret) in self.answer.over.kinds.iter().zip(regrets) {
            all.set_item(kind.as_str(), plain(*regret))?;
        }
        Ok(all)
    }
}

#[pymethods]
impl Robust {
    /// The placement, under the first model.
    #[getter]
    fn best(&self, py: Python<'_>) -> Py<ScenarioResult> {
        self.best.clone_ref(py)
    }

    /// The largest loss under any of the models, compared with the best found under that model: 0 to 1.
    #[getter]
    fn worst_regret(&self) -> f64 {
        plain(self.answer.over.found.worst_regret)
    }

    /// Lower bound: no placement has a smaller worst regret than this.
    #[getter]
    fn bound(&self) -> f64 {
        plain(self.answer.over.found.bound)
    }

    /// `optimal`: no placement has a smaller worst regret, and the best of every model is proven. `feasible`: the best found.
    #[getter]
    fn status(&self) -> &'static str {
        self.answer.over.found.status.word()
    }

    /// The largest loss if the unproven bests are as good as their bounds.
    #[getter]
    fn at_most(&self) -> f64 {
        plain(self.answer.over.found.at_most)
    }

    /// The loss under each model, by model name; the first is the model of the exploration.
    #[getter]
    fn regrets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_model(py, &self.answer.over.found.regrets)
    }

    /// The losses of the best of each model and of the baselines under each model, by their name (`best of ecm`, `even`), then by
    /// model name.
    #[getter]
    fn others<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, regrets) in &self.answer.over.others {
            all.set_item(name, self.by_model(py, regrets)?)?;
        }
        Ok(all)
    }

    /// The best of each model, by model name: `value`, `bound`, and whether it is `proven`.
    #[getter]
    fn models<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (kind, of) in self.answer.over.kinds.iter().zip(&self.answer.over.found.models) {
            let known = PyDict::new(py);
            known.set_item("value", plain(of.value))?;
            known.set_item("bound", plain(of.bound))?;
            known.set_item("proven", of.proven)?;
            all.set_item(kind.as_str(), known)?;
        }
        Ok(all)
    }

    /// Models that are left out: `model` and `reason` of each.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let of = |kind: ModelKind, reason: String| {
            let one = PyDict::new(py);
            one.set_item("model", kind.as_str())?;
            one.set_item("reason", reason)?;
            Ok(one)
        };
        self.answer.over.left_out.iter().map(|one| of(one.kind, one.reason.to_string())).collect()
    }

    /// The losses as a table: a row for the placement and each of `others`, a column for each model, and the `worst` of them.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "frame")
    }

    /// The loss, and how certain it is.
    #[getter]
    fn words(&self) -> String {
        self.answer.in_words()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "html")
    }

    fn __repr__(&self) -> String {
        let models = self.answer.over.kinds.len();
        format!("<Robust: loses at most {} under {models} models, {}>", self.worst_regret(), self.status())
    }
}
