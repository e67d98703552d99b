//! Graphs of tasks under schedulers.

use std::sync::Arc;

use numasim_ask::{Input, Refusal, Tasked, TasksAnswer, document};
use numasim_course::Study;
use numasim_graph::csv;
use numasim_graph::values::{GraphSource, PagePlacement, SchedulerKind, TaskGraph, TaskScenario};
use numasim_model::NodeId;
use numasim_plan::{Fault, File, GraphPlan, Lines, guide};
use numasim_study::SourceFile;
use numasim_tasks::{Asked, IdleReason, Job, Observer, Silent, TaskRecord, Traffic};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::answer::{Answer, Answered};
use crate::columns::{self, Columns, plain};
use crate::error;
use crate::reading::Reading;
use crate::simulating::{checked_runs, found};
use crate::working::{Stop, work};

/// Two files of a folder: the name for messages, and the text of each.
pub(crate) type Folder = (String, [(String, String); 2]);

/// Simulations of one graph: one for each scheduler, or scenario, and seed.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Tasks(Arc<Done>);

#[derive(Debug)]
struct Done {
    answer: TasksAnswer,
    /// Trace of each run, if requested.
    traces: Vec<Option<Records>>,
}

/// One simulation of a graph.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct TasksRun {
    done: Arc<Done>,
    number: usize,
}

/// Simulates the graph of the files, or that of a folder, under schedulers or scenarios.
#[pyfunction]
#[pyo3(signature = (
    reading, schedulers, placement, scenarios, steal, seed, runs, metg=None, model=None, graph=None, plan=None, trace=false
))]
pub(crate) fn tasks(
    py: Python<'_>,
    reading: &Reading,
    schedulers: Vec<String>,
    placement: &str,
    scenarios: Vec<String>,
    steal: bool,
    seed: Option<u64>,
    runs: u64,
    metg: Option<f64>,
    model: Option<&str>,
    graph: Option<Folder>,
    plan: Option<Folder>,
    trace: bool,
) -> PyResult<Py<Tasks>> {
    let refused = |refusal: Refusal| error::refused(py, &refusal);
    let input = reading.under(py, model)?;
    let scheduler =
        |name: &String| error::named(py, "scheduler", name, &SchedulerKind::ALL, SchedulerKind::as_str);
    let scenario =
        |name: &String| error::named(py, "scenario", name, &TaskScenario::ALL, TaskScenario::as_str);
    let runs = checked_runs(py, runs)?;
    let asked = Asked {
        schedulers: schedulers.iter().map(scheduler).collect::<PyResult<_>>()?,
        placement: error::named(py, "placement", placement, &PagePlacement::ALL, PagePlacement::as_str)?,
        scenarios: scenarios.iter().map(scenario).collect::<PyResult<_>>()?,
        steal,
        seed,
        runs,
        metg,
    };
    if let Some(share) = metg.filter(|share| !(*share > 0.0 && *share < 1.0)) {
        return Err(error::input(
            py,
            &format!("metg is a share above 0 and below 1, such as 0.5, not {share}"),
        ));
    }
    let graph = graph_of(py, &input, graph)?;
    let question = py.detach(|| numasim_ask::Tasks::of(&input, graph, &asked)).map_err(refused)?;
    let plan = match plan {
        Some(_) if !question.goes_by_plan() => {
            let message = "no scheduler goes by the plan (give scheduler=\"plan\")";
            return Err(error::input(py, message));
        }
        plan => {
            plan.map(|folder| plan_of(py, &input.study, &question.program().graph, &folder)).transpose()?
        }
    };
    let question = question.by(plan).map_err(refused)?;
    let jobs = question.jobs();
    let stop = Stop::after(None);
    let results = work(py, &stop, || {
        let one = |job: &Job<'_>| {
            let mut records = trace.then(Recorder::default);
            let mut silent = Silent;
            let observer: &mut dyn Observer = match &mut records {
                Some(records) => records,
                None => &mut silent,
            };
            let result = Tasked::run(job, observer, &|| stop.is_interrupted());
            (result, records.map(|records| records.finish(&job.program.graph)))
        };
        let batches = jobs.chunks(question.at_a_time);
        batches.flat_map(|batch| batch.par_iter().map(one).collect::<Vec<_>>()).collect::<Vec<_>>()
    })?;
    let (results, traces): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    let answer = question.answer(results).map_err(refused)?;
    let done = Arc::new(Done { answer, traces });
    Py::new(py, (Tasks(Arc::clone(&done)), Answer(done)))
}

/// The graph of the files, or that of `blocks.csv` and `tasks.csv`.
pub(crate) fn graph_of(py: Python<'_>, input: &Input, folder: Option<Folder>) -> PyResult<TaskGraph> {
    let Some((name, files)) = folder else {
        return py
            .detach(|| numasim_ask::tasks::graph(input))
            .map_err(|refusal| error::refused(py, &refusal));
    };
    if !matches!(input.tasks.source, GraphSource::None) {
        let message = format!(
            "there are two graphs: that of the folder {name} and that of the files (leave out one of them)"
        );
        return Err(error::input(py, &message));
    }
    let cores: Vec<u32> = input.study.machine.nodes().iter().map(|node| node.cores).collect();
    let sources = files.map(|(name, text)| SourceFile { name, text });
    let [blocks, tasks] = &sources;
    py.detach(|| csv::read_on(&name, &blocks.text, &tasks.text, Some(&cores)))
        .map_err(|problems| error::located(py, &problems, &sources))
}

/// The plan for a graph in `plan-tree.csv` and `plan-dbs.csv`.
fn plan_of(py: Python<'_>, study: &Study, graph: &TaskGraph, (_, files): &Folder) -> PyResult<GraphPlan> {
    let nodes: Vec<NodeId> = study.machine.compute_nodes().collect();
    let [tree, blocks] = files;
    let of = |file: File| if file == File::PlanTree { tree } else { blocks };
    let read = py.detach(|| {
        guide::<Fault>(nodes.len(), |file, each: Lines<'_>| {
            let mut numbered = (1..).zip(of(file).1.lines());
            numbered.try_for_each(|(line, text)| each(line, text))
        })
    });
    let guide = read.map_err(|fault| {
        let hint = fault.hint.as_ref().map_or(String::new(), |hint| format!("\nhint: {hint}"));
        error::input(py, &format!("{}:{}: {}{hint}", of(fault.file).0, fault.line, fault.message))
    })?;
    Ok(GraphPlan::of(&guide, graph, &nodes))
}

/// Bytes by their source.
pub(crate) fn bytes<'py>(py: Python<'py>, traffic: &Traffic) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, value) in [
        ("llc_local", traffic.llc_local),
        ("llc_remote", traffic.llc_remote),
        ("dram_local", traffic.dram_local),
        ("dram_remote", traffic.dram_remote),
    ] {
        all.set_item(name, plain(value))?;
    }
    Ok(all)
}

impl Answered for Done {
    fn json(&self) -> String {
        document::text(&self.answer)
    }

    /// A row for each run, with the columns of `--format csv`.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        columns::of(py, &self.answer.columns(), &self.answer.runs)
    }
}

#[pymethods]
impl Tasks {
    /// The simulations, in the order of the schedulers or scenarios, then of the seeds.
    #[getter]
    fn runs(&self) -> Vec<TasksRun> {
        (0..self.0.answer.runs.len()).map(|number| TasksRun { done: Arc::clone(&self.0), number }).collect()
    }

    /// The graph: `name`, its number of `tasks`, `edges` and `blocks`, and the number of tasks on its longest path
    /// (`span`).
    #[getter]
    fn graph<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = &self.0.answer.graph;
        let graph = PyDict::new(py);
        graph.set_item("name", &facts.name)?;
        graph.set_item("tasks", facts.tasks)?;
        graph.set_item("edges", facts.edges)?;
        graph.set_item("blocks", facts.blocks)?;
        graph.set_item("span", facts.span)?;
        Ok(graph)
    }

    fn __len__(&self) -> usize {
        self.0.answer.runs.len()
    }

    /// A simulation by its index, or the first of a scheduler or scenario.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<TasksRun> {
        let number = found(key, self.0.answer.runs.iter().map(Tasked::label))?;
        Ok(TasksRun { done: Arc::clone(&self.0), number })
    }

    fn __repr__(&self) -> String {
        format!("<Tasks of {}: {} runs>", self.0.answer.graph.in_words(), self.0.answer.runs.len())
    }
}

impl TasksRun {
    fn one(&self) -> &Tasked {
        &self.done.answer.runs[self.number]
    }
}

#[pymethods]
impl TasksRun {
    /// The scheduler.
    #[getter]
    fn scheduler(&self) -> &'static str {
        self.one().scheduler.as_str()
    }

    /// The page placement of blocks.
    #[getter]
    fn placement(&self) -> &'static str {
        self.one().placement.as_str()
    }

    /// The scenario that selected both; None without a scenario.
    #[getter]
    fn scenario(&self) -> Option<&'static str> {
        self.one().scenario.map(TaskScenario::as_str)
    }

    /// Seed of all random draws.
    #[getter]
    fn seed(&self) -> u64 {
        self.one().seed
    }

    /// The end of the last task, in seconds.
    #[getter]
    fn makespan_s(&self) -> f64 {
        plain(self.one().makespan_s())
    }

    /// No schedule has a shorter makespan than this, in seconds.
    #[getter]
    fn bound_s(&self) -> f64 {
        plain(self.one().bound_s())
    }

    /// The cause of the lower bound.
    #[getter]
    fn bound_by(&self) -> &'static str {
        self.one().bound.because_of.as_str()
    }

    /// Fraction of all worker-seconds without a task.
    #[getter]
    fn idle(&self) -> f64 {
        plain(self.one().run.idle)
    }

    /// The same fraction by reason.
    #[getter]
    fn idle_reasons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let reasons = PyDict::new(py);
        for reason in IdleReason::ALL {
            reasons.set_item(reason.as_str(), plain(self.one().run.idle_because(reason)))?;
        }
        Ok(reasons)
    }

    /// Bytes that tasks moved: `llc_local`, `llc_remote`, `dram_local`, `dram_remote`.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        bytes(py, &self.one().run.traffic)
    }

    /// Number of stolen tasks.
    #[getter]
    fn steals(&self) -> u64 {
        self.one().run.steals
    }

    /// The nodes of the machine: one row each.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nodes = || self.one().run.nodes.iter();
        Columns::new(py)
            .plain("tasks", nodes().map(|node| node.tasks).collect())?
            .figures("busy_s", nodes().map(|node| Some(node.busy.value())))?
            .figures("idle_s", nodes().map(|node| Some(node.idle.total().value())))?
            .figures("llc_local_bytes", nodes().map(|node| Some(node.traffic.llc_local)))?
            .figures("llc_remote_bytes", nodes().map(|node| Some(node.traffic.llc_remote)))?
            .figures("dram_local_bytes", nodes().map(|node| Some(node.traffic.dram_local)))?
            .figures("dram_remote_bytes", nodes().map(|node| Some(node.traffic.dram_remote)))?
            .finish()
    }

    /// Time and place of each task, in the order of completion, with the columns of `--trace`; None if not requested.
    #[getter]
    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.done.traces[self.number].as_ref().map(|records| records.columns(py)).transpose()
    }

    fn __repr__(&self) -> String {
        let one = self.one();
        format!("<TasksRun {}, seed {}: makespan {} s>", one.label(), one.seed, plain(one.makespan_s()))
    }
}

// Time and place of each task, as columns.

/// Observes a simulation and keeps every completed task.
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
    /// The columns of `--trace` except those that are constant; `socket` is NaN if the scheduler assigns none.
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
