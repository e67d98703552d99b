//! Applications over time.

use std::sync::Arc;

use numasim_ask::simulate::mb;
use numasim_ask::tables::Ran;
use numasim_ask::{Refusal, Simulate, Simulated, Simulations, document, over_time};
use numasim_course::Study;
use numasim_dynamic::{Changes, Job, Observer, Row, Silent, Snapshot};
use numasim_policy::{NameError, PolicyName};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::answer::{Answer, Answered};
use crate::columns::{self, Columns, plain};
use crate::error;
use crate::reading::Reading;
use crate::working::{Stop, work};

/// In the form of `--runs`.
const MOST_RUNS: u32 = 100_000;

/// Simulations of one study: one for each policy and seed.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Simulation(Arc<Done>);

#[derive(Debug)]
struct Done {
    answer: numasim_ask::Simulation,
    /// Timeline of each run, if requested.
    timelines: Vec<Option<Rows>>,
}

/// One simulation: the outcome of each application under a policy.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct SimulatedRun {
    done: Arc<Done>,
    number: usize,
}

/// Simulates applications over time under `policies`, or under the policy of the files.
#[pyfunction]
#[pyo3(signature = (reading, policies, until_s, seed, runs, model=None, timeline=false))]
pub(crate) fn simulate(
    py: Python<'_>,
    reading: &Reading,
    policies: Option<Vec<String>>,
    until_s: Option<f64>,
    seed: u64,
    runs: u64,
    model: Option<&str>,
    timeline: bool,
) -> PyResult<Py<Simulation>> {
    let input = reading.under(py, model)?;
    let named = policies.unwrap_or_default();
    let policies: Vec<PolicyName> = named.iter().map(|name| policy(py, name)).collect::<PyResult<_>>()?;
    let until_s = checked_until(py, until_s)?;
    let refused = |refusal: Refusal| error::refused(py, &refusal);
    let runs = checked_runs(py, runs)?;
    let question = Simulate { input: &input, policies: &policies, until_s, seed, runs };
    let simulations = Simulations::of(&question).map_err(refused)?;
    simulations.warnings.iter().try_for_each(|warning| error::warn(py, warning))?;
    let jobs = simulations.jobs();
    let stop = Stop::after(None);
    let interrupted = || stop.is_interrupted();
    let results = work(py, &stop, || {
        let one = |job: &Job<'_>| {
            let mut rows = timeline.then(|| Recorder::of(job.study));
            let mut silent = Silent;
            let observer: &mut dyn Observer = match &mut rows {
                Some(rows) => rows,
                None => &mut silent,
            };
            let result = (!interrupted()).then(|| Simulated::run(job, observer, &interrupted));
            (result, rows.map(Recorder::finish))
        };
        jobs.par_iter().map(one).collect::<Vec<_>>()
    })?;
    let (results, timelines): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    let answer = simulations.answer(results).map_err(refused)?;
    answer.warnings.iter().try_for_each(|warning| error::warn(py, warning))?;
    let done = Arc::new(Done { answer, timelines });
    Py::new(py, (Simulation(Arc::clone(&done)), Answer(done)))
}

pub(crate) fn policy(py: Python<'_>, name: &str) -> PyResult<PolicyName> {
    name.parse().map_err(|error: NameError| match over_time::did_you_mean(&error) {
        Some(near) => error::input(py, &format!("{error}; did you mean '{near}'?")),
        None => error::input(py, &error.to_string()),
    })
}

/// In the form of `--until`.
pub(crate) fn checked_until(py: Python<'_>, until_s: Option<f64>) -> PyResult<Option<f64>> {
    match until_s {
        Some(until_s) if !until_s.is_finite() || until_s < 0.0 => {
            let message = format!("until is a number of simulated seconds, 0 or more, not {until_s}");
            Err(error::input(py, &message))
        }
        until_s => Ok(until_s),
    }
}

/// In the form of `--runs`.
pub(crate) fn checked_runs(py: Python<'_>, runs: u64) -> PyResult<u32> {
    let wanted = u32::try_from(runs).ok().filter(|runs| (1..=MOST_RUNS).contains(runs));
    wanted.ok_or_else(|| error::input(py, &format!("runs is a number from 1 to {MOST_RUNS}, not {runs}")))
}

/// Finds a run by its index, or the first run with this name.
pub(crate) fn found<'n>(
    key: &Bound<'_, PyAny>,
    names: impl ExactSizeIterator<Item = &'n str>,
) -> PyResult<usize> {
    let length = names.len();
    if let Ok(name) = key.extract::<String>() {
        let mut names = names;
        return names.position(|known| known == name).ok_or_else(|| PyKeyError::new_err(name));
    }
    let number: isize = key.extract()?;
    let at = if number < 0 { length.checked_sub(number.unsigned_abs()) } else { Some(number.unsigned_abs()) };
    at.filter(|&at| at < length).ok_or_else(|| PyIndexError::new_err(format!("there are {length} runs")))
}

impl Answered for Done {
    fn json(&self) -> String {
        document::text(&self.answer)
    }

    /// A row for each run and application, with the columns of `--format csv`.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        columns::of(
            py,
            &Ran::columns(&self.answer.study.apps),
            Ran::all(&self.answer.study.apps, &self.answer.runs),
        )
    }
}

#[pymethods]
impl Simulation {
    /// The simulations, in the order of the policies, then of the seeds.
    #[getter]
    fn runs(&self) -> Vec<SimulatedRun> {
        (0..self.0.answer.runs.len())
            .map(|number| SimulatedRun { done: Arc::clone(&self.0), number })
            .collect()
    }

    fn __len__(&self) -> usize {
        self.0.answer.runs.len()
    }

    /// A simulation by its index, or the first of a policy.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<SimulatedRun> {
        let number = found(key, self.0.answer.runs.iter().map(|one| one.policy.as_str()))?;
        Ok(SimulatedRun { done: Arc::clone(&self.0), number })
    }

    fn __repr__(&self) -> String {
        format!("<Simulation of {:?}: {} runs>", self.0.answer.study.machine.name(), self.0.answer.runs.len())
    }
}

impl SimulatedRun {
    fn one(&self) -> &Simulated {
        &self.done.answer.runs[self.number]
    }
}

#[pymethods]
impl SimulatedRun {
    /// The policy, in the form that `policy` accepts.
    #[getter]
    fn policy(&self) -> &str {
        &self.one().policy
    }

    /// Seed of the work of tasks.
    #[getter]
    fn seed(&self) -> u64 {
        self.one().seed
    }

    /// The time at which the last application finished, in seconds; None if any is unfinished.
    #[getter]
    fn makespan_s(&self) -> Option<f64> {
        self.one().makespan_s().map(plain)
    }

    /// Lower bound on the makespan of any policy; None if no bound is known.
    #[getter]
    fn lower_bound_s(&self) -> Option<f64> {
        self.one().lower_bound_s.map(plain)
    }

    /// The cause of the lower bound, as the rest of a sentence.
    #[getter]
    fn bound_by(&self) -> Option<&str> {
        self.one().bound_by.as_deref()
    }

    /// The end of the simulation, in seconds.
    #[getter]
    fn time_s(&self) -> f64 {
        plain(self.one().run.time.value())
    }

    /// Number of simulated events.
    #[getter]
    fn events(&self) -> u64 {
        self.one().run.events
    }

    /// Number of orders sent.
    #[getter]
    fn commands(&self) -> u64 {
        self.one().run.commands
    }

    /// Number of threads unblocked by orders.
    #[getter]
    fn core_moves(&self) -> u64 {
        self.one().run.core_moves
    }

    /// Delay from an order until its last thread blocks, in seconds: mean and maximum.
    #[getter]
    fn reaction_s(&self) -> (f64, f64) {
        let reaction = &self.one().run.reaction;
        (plain(reaction.mean.value()), plain(reaction.max.value()))
    }

    /// Makespan in seconds and speedup of the cluster that contains the machine as one node; None without a cluster.
    #[getter]
    fn cluster(&self) -> Option<(f64, f64)> {
        self.one().cluster.map(|cluster| (plain(cluster.makespan.value()), plain(cluster.speedup)))
    }

    /// The outcome of each application: one row each.
    #[getter]
    fn apps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let one = std::slice::from_ref(self.one());
        columns::of(
            py,
            &Ran::of_apps(&self.done.answer.study.apps),
            Ran::all(&self.done.answer.study.apps, one),
        )
    }

    /// The channels: one row each.
    #[getter]
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (study, run) = (&self.done.answer.study, &self.one().run);
        let each = || run.channels.iter().zip(&study.dynamics.channels);
        Columns::new(py)
            .words("from", each().map(|(run, _)| study.apps[run.from.0].name.as_str()))?
            .words("to", each().map(|(run, _)| study.apps[run.to.0].name.as_str()))?
            .plain("max_items", each().map(|(run, _)| run.max_items).collect())?
            .figures("mean_items", each().map(|(run, _)| Some(run.mean_items)))?
            .figures("max_mb", each().map(|(run, channel)| Some(mb(channel, run.max_items as f64))))?
            .figures("mean_mb", each().map(|(run, channel)| Some(mb(channel, run.mean_items))))?
            .finish()
    }

    /// The state of every application over time, the rows of `--timeline`; None if not requested.
    #[getter]
    fn timeline<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let rows = self.done.timelines[self.number].as_ref();
        rows.map(|rows| rows.columns(py, &self.done.answer.study)).transpose()
    }

    fn __repr__(&self) -> String {
        let one = self.one();
        match one.makespan_s() {
            Some(makespan) => {
                format!("<SimulatedRun {}, seed {}: makespan {} s>", one.policy, one.seed, plain(makespan))
            }
            None => format!("<SimulatedRun {}, seed {}: not finished>", one.policy, one.seed),
        }
    }
}

// The state of every application over time, as columns.

/// The rows of one simulation.
#[derive(Debug)]
pub(crate) struct Rows(Vec<Row>);

/// Observes a simulation and keeps a row for each change.
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
