//! A scheduler that is written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use numasim_ask::Tasks;
use numasim_graph::values::{
    BlockHome, BlockId, PagePlacement, RuntimeSettings, SchedulerSettings, TaskGraph, TaskId,
};
use numasim_model::Machine;
use numasim_tasks::bound::{LowerBound, lower_bound};
use numasim_tasks::{
    Asked, Observer, Question, Run, Scheduler, Sockets, TaskRecord, TasksError, View, WorkerId,
    simulate_under,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::plain;
use crate::error;
use crate::reading::Reading;
use crate::tasking::{Folder, Recorder, Records, bytes, graph_of};
use crate::working::{Stop, work};

/// A block, the access mode (`in`, `out`, `inout`), the declared bytes, and the bytes moved.
type OneAccess = (u32, &'static str, f64, f64);

/// The tasks, blocks and workers that a scheduler can inspect, by number.
#[pyclass(frozen, module = "numasim._core")]
pub(crate) struct TaskProgram {
    question: Arc<Tasks>,
    nodes: Vec<usize>,
    workers: Vec<usize>,
}

impl TaskProgram {
    fn new(question: &Arc<Tasks>, machine: &Machine) -> Self {
        let sockets = Sockets::new(machine);
        let nodes = sockets.all().map(|socket| sockets.node(socket).0).collect();
        let workers = sockets.all().flat_map(|socket| {
            let node = sockets.node(socket).0;
            sockets.workers(socket).map(move |_| node)
        });
        Self { question: Arc::clone(question), nodes, workers: workers.collect() }
    }

    fn graph(&self) -> &TaskGraph {
        &self.question.program().graph
    }
}

#[pymethods]
impl TaskProgram {
    /// The number of tasks, which are numbered from 0.
    #[getter]
    fn tasks(&self) -> usize {
        self.graph().task_count()
    }

    /// Size of each block in bytes, by number.
    #[getter]
    fn blocks(&self) -> Vec<f64> {
        self.graph().blocks().iter().map(|block| block.bytes).collect()
    }

    /// The nodes with cores, ascending.
    #[getter]
    fn nodes(&self) -> Vec<usize> {
        self.nodes.clone()
    }

    /// The node of each worker, by number: one worker for each core.
    #[getter]
    fn workers(&self) -> Vec<usize> {
        self.workers.clone()
    }

    /// The accesses of a task: block, mode (`in`, `out`, `inout`), declared bytes, bytes moved.
    fn accesses(&self, task: u32) -> Vec<OneAccess> {
        let accesses = self.graph().accesses(TaskId(task));
        accesses.map(|one| (one.block.0, one.mode.as_str(), one.declared_bytes, one.moved_bytes)).collect()
    }

    /// Work of a task in GFLOP (10^9 FLOP).
    fn gflop(&self, task: u32) -> f64 {
        self.graph().gflop(TaskId(task))
    }

    /// Type of a task.
    fn kind(&self, task: u32) -> &str {
        self.graph().type_name(TaskId(task))
    }

    /// The priority of a task, higher first; 0 by default.
    fn priority(&self, task: u32) -> f64 {
        self.graph().priority(TaskId(task))
    }

    /// The node in the annotation of a task (`socket` of the file); None without one.
    fn annotation(&self, task: u32) -> Option<usize> {
        self.graph().socket(TaskId(task)).map(|node| node.0)
    }

    /// The node on which the file places a block; None if its node is open or it spans all nodes.
    fn home(&self, block: u32) -> Option<usize> {
        match self.graph().blocks().get(BlockId(block).0 as usize)?.home {
            BlockHome::Node(node) => Some(node.0),
            BlockHome::Open | BlockHome::Interleaved => None,
        }
    }
}

/// The first error of the scheduler; it stops the simulation.
type Fault = Arc<Mutex<Option<PyErr>>>;

/// The Python object that the engine calls.
struct Given {
    object: Py<PyAny>,
    /// Whether it receives created and finished tasks, and whether its workers steal.
    hears_created: bool,
    hears_finished: bool,
    steals: bool,
    /// For each task: whether it is ready and not taken.
    open: Vec<bool>,
    fault: Fault,
}

fn lock(fault: &Fault) -> std::sync::MutexGuard<'_, Option<PyErr>> {
    fault.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Given {
    /// Calls the object unless an earlier call failed.
    fn call<R>(&self, ask: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<R>) -> Option<R> {
        if lock(&self.fault).is_some() {
            return None;
        }
        Python::attach(|py| match ask(py, self.object.bind(py)) {
            Ok(answer) => Some(answer),
            Err(error) => {
                *lock(&self.fault) = Some(error);
                None
            }
        })
    }

    /// The task that a worker takes, if it is available.
    fn taken(&mut self, worker: WorkerId, steals: bool) -> Option<TaskId> {
        let task: Option<u32> = self.call(|py, object| {
            let name = if steals { intern!(py, "steal") } else { intern!(py, "take") };
            object.call_method1(name, (worker.0,))?.extract()
        })?;
        let task = task?;
        if let Some(open @ true) = self.open.get_mut(task as usize) {
            *open = false;
            return Some(TaskId(task));
        }
        let message = format!(
            "the scheduler gave task {task} to worker {}, but that task is not ready, or was taken before",
            worker.0
        );
        *lock(&self.fault) = Some(Python::attach(|py| error::input(py, &message)));
        None
    }
}

impl Scheduler for Given {
    fn created(&mut self, _: &View<'_>, task: TaskId) -> Option<numasim_tasks::Partitioning> {
        if self.hears_created {
            self.call(|py, object| object.call_method1(intern!(py, "created"), (task.0,)).map(|_| ()));
        }
        None
    }

    fn ready(&mut self, _: &View<'_>, task: TaskId, by: Option<WorkerId>) {
        self.open.get_mut(task.0 as usize).into_iter().for_each(|open| *open = true);
        let worker = by.map(|worker| worker.0);
        self.call(|py, object| object.call_method1(intern!(py, "ready"), (task.0, worker)).map(|_| ()));
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.taken(worker, false)
    }

    fn steal(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.taken(worker, true)
    }

    fn steals(&self) -> bool {
        self.steals
    }

    fn finished(&mut self, _: &View<'_>, task: TaskId, worker: WorkerId) {
        if self.hears_finished {
            self.call(|py, object| {
                object.call_method1(intern!(py, "finished"), (task.0, worker.0)).map(|_| ())
            });
        }
    }
}

/// Keeps tasks if requested, and stops the simulation if the scheduler fails.
struct Looker<'a> {
    records: Option<Recorder>,
    fault: &'a Fault,
    stop: &'a Stop,
}

impl Observer for Looker<'_> {
    fn ended(&mut self, record: &TaskRecord) {
        if let Some(records) = &mut self.records {
            records.ended(record);
        }
    }

    fn stops(&self) -> bool {
        self.stop.is_interrupted() || lock(self.fault).is_some()
    }
}

/// A simulation of a graph under a Python scheduler.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct ScheduledRun {
    run: Run,
    bound: LowerBound,
    records: Option<Records>,
}

#[pymethods]
impl ScheduledRun {
    /// When the last task ended, in seconds.
    #[getter]
    fn makespan_s(&self) -> f64 {
        plain(self.run.makespan.value())
    }

    /// No schedule has a shorter makespan than this, in seconds.
    #[getter]
    fn bound_s(&self) -> f64 {
        plain(self.bound.makespan.value())
    }

    /// Fraction of all worker-seconds without a task.
    #[getter]
    fn idle(&self) -> f64 {
        plain(self.run.idle)
    }

    /// Bytes that tasks moved: `llc_local`, `llc_remote`, `dram_local`, `dram_remote`.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        bytes(py, &self.run.traffic)
    }

    /// Number of stolen tasks.
    #[getter]
    fn steals(&self) -> u64 {
        self.run.steals
    }

    /// Time and place of each task, in the order of completion; None without `trace`.
    #[getter]
    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.records.as_ref().map(|records| records.columns(py)).transpose()
    }

    fn __repr__(&self) -> String {
        format!("<ScheduledRun: makespan {} s>", plain(self.run.makespan.value()))
    }
}

/// Simulates the graph of the files, or that of a folder, under an object with `start`, `ready` and `take`. `hears`: whether it also has `created`,
/// `finished` and `steal`.
#[pyfunction]
#[pyo3(signature = (reading, scheduler, hears, seed=None, model=None, graph=None, trace=false))]
pub(crate) fn schedule(
    py: Python<'_>,
    reading: &Reading,
    scheduler: Py<PyAny>,
    hears: (bool, bool, bool),
    seed: Option<u64>,
    model: Option<&str>,
    graph: Option<Folder>,
    trace: bool,
) -> PyResult<ScheduledRun> {
    let input = reading.under(py, model)?;
    let graph = graph_of(py, &input, graph)?;
    let asked = Asked { runs: 1, ..Asked::default() };
    let question =
        py.detach(|| Tasks::of(&input, graph, &asked)).map_err(|refusal| error::refused(py, &refusal))?;
    let question = Arc::new(question);
    let machine = &input.study.machine;
    let program = Py::new(py, TaskProgram::new(&question, machine))?;
    scheduler.bind(py).call_method1(intern!(py, "start"), (program,))?;
    let fault = Fault::default();
    let given = Given {
        object: scheduler,
        hears_created: hears.0,
        hears_finished: hears.1,
        steals: hears.2,
        open: vec![false; question.program().graph.task_count()],
        fault: Arc::clone(&fault),
    };
    let settings = SchedulerSettings::default();
    let of_files = input.tasks.runtime.clone();
    let runtime = RuntimeSettings { seed: seed.unwrap_or(of_files.seed), ..of_files };
    let stop = Stop::after(None);
    let done = work(py, &stop, || {
        let program = question.program();
        let asked = Question {
            placement: PagePlacement::FirstTouch,
            ..Question::new(machine, &program.graph, &settings, &runtime)
        };
        let mut looker = Looker { records: trace.then(Recorder::default), fault: &fault, stop: &stop };
        let run = simulate_under(&asked, Box::new(given), &mut looker);
        let bound = lower_bound(&asked, &program.dependencies);
        (run, bound, looker.records.map(|records| records.finish(&program.graph)))
    })?;
    if let Some(error) = lock(&fault).take() {
        return Err(error);
    }
    let (run, bound, records) = done;
    let run = run.map_err(|error| match error {
        TasksError::NeverEnds(TaskId(task)) => error::input(
            py,
            &format!(
                "no worker takes task {task}, the lowest that has not ended: `take` returned None for all"
            ),
        ),
        error => error::input(py, &error.to_string()),
    })?;
    Ok(ScheduledRun { run, bound, records })
}
