//! A whole run: every scenario of a plan, repeated and interleaved, each measurement kept as soon as it is made.
//!
//! [`run`] asks a [`Runner`] for measurements, turns each into rows and gives them to a [`Sink`] before the next one
//! begins, so that whatever ends the run early (Ctrl-C, a full disk, a killed job) costs at most the measurement that is
//! under way. A measurement whose threads or data were misplaced is kept as such and made once more; if it fails again
//! the run goes on, and its outcome says so. What is done already, from an earlier part of the same run, is left out.

mod evidence;
mod order;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _};

pub use order::{Job, order};

use crate::doubt::{Doubt, Repeated, codes};
use crate::plan::Plan;
use crate::result_file::{FileError, ResultFile};
use crate::rows::{of_measurement, problems};
use crate::runner::{RunError, Runner, Settings};
use evidence::Evidence;
use numasim_evidence::measured::{Row, Status};

/// Where rows go.
pub trait Sink {
    /// Keeps the rows of one measurement; when this returns they are safe.
    ///
    /// # Errors
    /// [`FileError::Lost`] if they are not.
    fn append(&mut self, rows: &[Row]) -> Result<(), FileError>;
}

impl Sink for ResultFile {
    fn append(&mut self, rows: &[Row]) -> Result<(), FileError> {
        Self::append(self, rows)
    }
}

/// Receives progress.
pub trait Observer {
    /// Whether the person has asked for an end; looked at between measurements.
    fn stop(&self) -> bool;
    /// A measurement begins; `again`: because threads or data were misplaced.
    fn begins(&mut self, job: Job, again: bool);
    /// A measurement was kept.
    fn kept(&mut self, job: Job);
}

/// What to run and how.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// The scenarios.
    pub plan: &'a Plan,
    /// The same for all measurements.
    pub settings: &'a Settings,
    /// How often each scenario is measured.
    pub repetitions: u32,
    /// The id of the run.
    pub run: &'a str,
    /// Doubts that hold for the whole run.
    pub doubts: &'a [Doubt],
}

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A scenario cannot be measured.
    #[error("scenario '{scenario}' cannot be measured (repetition {repetition})")]
    Run {
        /// The scenario.
        scenario: String,
        /// The repetition, from 1.
        repetition: u32,
        /// Why.
        source: RunError,
    },
    /// The runner measured other applications or threads than planned.
    #[error("scenario '{0}': the measurement has other threads than the plan")]
    OtherThreads(String),
    /// Rows cannot be kept.
    #[error(transparent)]
    Sink(#[from] FileError),
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// Everything was measured.
    Complete,
    /// The person asked for it.
    Interrupted,
    /// It could not go on.
    Failed(SessionError),
}

/// A measurement that failed because threads or data were not in their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplacement {
    /// The scenario.
    pub scenario: String,
    /// The repetition, from 1.
    pub repetition: u32,
    /// Which pages and threads of which application.
    pub problems: Vec<String>,
    /// It was made once more, and then everything was in place.
    pub mended: bool,
}

/// What became of a run.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// All rows: those of earlier parts of the run, then those of this one.
    pub rows: Vec<Row>,
    /// Measurements that were misplaced in this part of the run.
    pub misplaced: Vec<Misplacement>,
    /// What the repetitions of each application have in common, for [`crate::doubt::after`].
    pub repeated: Vec<Repeated>,
}

impl Outcome {
    /// Scenarios and repetitions that have no valid measurement although everything was tried.
    pub fn lost(&self) -> impl Iterator<Item = &Misplacement> {
        self.misplaced.iter().filter(|one| !one.mended)
    }
}

/// A new id of a run: 16 hexadecimal digits that nobody can foresee.
pub fn new_run_id() -> String {
    // Keys of the standard library's hash maps come from the random numbers of the operating system.
    let random = std::hash::RandomState::new().build_hasher().finish();
    format!("{random:016x}")
}

/// The measurements that `rows` have already: whole, and everything in its place.
pub fn done(plan: &Plan, rows: &[Row]) -> BTreeSet<Job> {
    let valid = rows.iter().filter(|row| row.status == Status::Ok);
    let job = |row: &Row| {
        let scenario = plan.scenarios.iter().position(|scenario| scenario.name == row.scenario)?;
        Some(Job { repetition: row.repetition, scenario })
    };
    valid.filter_map(job).collect()
}

/// Measures everything that `earlier` rows of the same run do not have yet.
pub fn run(
    session: &Session<'_>,
    earlier: Vec<Row>,
    runner: &mut dyn Runner,
    sink: &mut dyn Sink,
    observer: &mut dyn Observer,
) -> Outcome {
    let done = done(session.plan, &earlier);
    let mut state = State { rows: earlier, misplaced: Vec::new(), evidence: Evidence::default() };
    let ended = state.measure_all(session, &done, runner, sink, observer);
    let repeated = state.evidence.repeated(session.plan, &state.rows);
    Outcome { ended, rows: state.rows, misplaced: state.misplaced, repeated }
}

struct State {
    rows: Vec<Row>,
    misplaced: Vec<Misplacement>,
    evidence: Evidence,
}

impl State {
    fn measure_all(
        &mut self,
        session: &Session<'_>,
        done: &BTreeSet<Job>,
        runner: &mut dyn Runner,
        sink: &mut dyn Sink,
        observer: &mut dyn Observer,
    ) -> Ended {
        let jobs = order(session.plan.scenarios.len(), session.repetitions);
        for job in jobs.filter(|job| !done.contains(job)) {
            for again in [false, true] {
                if observer.stop() {
                    return Ended::Interrupted;
                }
                observer.begins(job, again);
                match self.measure(session, job, again, runner, sink) {
                    Ok(in_place) => {
                        observer.kept(job);
                        if in_place {
                            break;
                        }
                    }
                    Err(SessionError::Run { source: RunError::Interrupted, .. }) => {
                        return Ended::Interrupted;
                    }
                    Err(error) => return Ended::Failed(error),
                }
            }
        }
        Ended::Complete
    }

    /// Makes one measurement and keeps it. Returns whether everything was in its place.
    fn measure(
        &mut self,
        session: &Session<'_>,
        job: Job,
        again: bool,
        runner: &mut dyn Runner,
        sink: &mut dyn Sink,
    ) -> Result<bool, SessionError> {
        let Job { repetition, .. } = job;
        let scenario = &session.plan.scenarios[job.scenario];
        let measured = runner.measure(scenario, session.settings).map_err(|source| SessionError::Run {
            scenario: scenario.name.clone(),
            repetition,
            source,
        })?;
        let own = evidence::doubts(session.plan, scenario, &measured);
        let codes: Vec<String> = scenario
            .apps
            .iter()
            .map(|app| {
                // Only a scaled scenario can want more cores than it uses.
                let fewer = |doubt: &&Doubt| scenario.fitted || !matches!(doubt, Doubt::FewerCores { .. });
                let all = session.doubts.iter().filter(fewer).chain(&own);
                codes(all.filter(|doubt| doubt.holds_for(&scenario.name, &app.name))).join(" ")
            })
            .collect();
        let (isa, os_nodes) = (session.settings.isa, &session.plan.os_nodes);
        let rows = of_measurement(session.run, isa, os_nodes, scenario, repetition, &measured, &codes);
        if rows.is_empty() {
            return Err(SessionError::OtherThreads(scenario.name.clone()));
        }
        sink.append(&rows)?;
        self.rows.extend(rows);
        let problems = problems(scenario, &measured);
        if problems.is_empty() {
            self.evidence.add(scenario, &measured);
        }
        match self.misplaced.last_mut().filter(|_| again) {
            Some(last) => last.mended = problems.is_empty(),
            None if problems.is_empty() => {}
            None => {
                let scenario = scenario.name.clone();
                self.misplaced.push(Misplacement {
                    scenario,
                    repetition,
                    problems: problems.clone(),
                    mended: false,
                });
            }
        }
        Ok(problems.is_empty())
    }
}
