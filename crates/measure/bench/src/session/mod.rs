//! A whole run: every scenario of a plan, repeated and interleaved, each measurement stored immediately.
//!
//! [`run`] asks a [`Runner`] for measurements, turns each into rows and passes them to a [`Sink`] before the next one starts. So if the run
//! ends early (Ctrl-C, a full disk, a killed job), at most the current measurement is lost. A measurement with misplaced threads or data is
//! stored as such and repeated once. If it fails again, the run continues, and its outcome records it. Measurements from an earlier part of
//! the same run are skipped.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, Hasher as _};

use numasim_evidence::measured::{Row, Status};

use crate::doubt::{Doubt, Repeated, codes, of_apps};
use crate::plan::{Plan, PlannedApp, PlannedScenario};
use crate::result_file::{FileError, ResultFile};
use crate::rows::{of_measurement, problems};
use crate::runner::{MeasuredApp, Measurement, RunError, Runner, Settings};

/// A destination for rows.
pub trait Sink {
    /// Stores the rows of one measurement; when this returns they are safe.
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
    /// Whether the user asked to stop; called between measurements.
    fn stop(&self) -> bool;
    /// A measurement starts; `again`: because threads or data were misplaced.
    fn begins(&mut self, job: Job, again: bool);
    /// A measurement was stored.
    fn kept(&mut self, job: Job);
}

/// The input of a run.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// The scenarios.
    pub plan: &'a Plan,
    /// The common settings of all measurements.
    pub settings: &'a Settings,
    /// Number of measurements of each scenario.
    pub repetitions: u32,
    /// The id of the run.
    pub run: &'a str,
    /// Warnings that apply to the whole run.
    pub doubts: &'a [Doubt],
}

/// The reason why a run could not continue.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A scenario cannot be measured.
    #[error("scenario '{scenario}' cannot be measured (repetition {repetition})")]
    Run {
        /// The scenario.
        scenario: String,
        /// The repetition, from 1.
        repetition: u32,
        /// The reason.
        source: RunError,
    },
    /// The runner measured other applications or threads than planned.
    #[error("scenario '{0}': the measurement has other threads than the plan")]
    OtherThreads(String),
    /// Rows cannot be stored.
    #[error(transparent)]
    Sink(#[from] FileError),
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// Everything was measured.
    Complete,
    /// The user asked to stop.
    Interrupted,
    /// It could not continue.
    Failed(SessionError),
}

/// A measurement that failed because threads or data were misplaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplacement {
    /// The scenario.
    pub scenario: String,
    /// The repetition, from 1.
    pub repetition: u32,
    /// The misplaced pages and threads of each application.
    pub problems: Vec<String>,
    /// Whether everything was in place in the second attempt.
    pub mended: bool,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// All rows: those of earlier parts of the run, then those of this one.
    pub rows: Vec<Row>,
    /// Measurements that were misplaced in this part of the run.
    pub misplaced: Vec<Misplacement>,
    /// A summary of the repetitions of each application, for [`crate::doubt::after`].
    pub repeated: Vec<Repeated>,
}

impl Outcome {
    /// Scenarios and repetitions without a valid measurement after all attempts.
    pub fn lost(&self) -> impl Iterator<Item = &Misplacement> {
        self.misplaced.iter().filter(|one| !one.mended)
    }
}

/// A new id of a run: 16 unpredictable hexadecimal digits.
pub fn new_run_id() -> String {
    // Keys of the standard library's hash maps come from the random numbers of the operating system.
    let random = std::hash::RandomState::new().build_hasher().finish();
    format!("{random:016x}")
}

/// The measurements that `rows` already contain: complete, with everything in place.
pub fn done(plan: &Plan, rows: &[Row]) -> BTreeSet<Job> {
    let valid = rows.iter().filter(|row| row.status == Status::Ok);
    let job = |row: &Row| {
        let scenario = plan.scenarios.iter().position(|scenario| scenario.name == row.scenario)?;
        Some(Job { repetition: row.repetition, scenario })
    };
    valid.filter_map(job).collect()
}

/// Runs all measurements that the `earlier` rows of the same run do not contain.
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

    /// Runs one measurement and stores it. Returns whether everything was in place.
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
        let own = doubts(session.plan, scenario, &measured);
        let codes: Vec<String> = scenario
            .apps
            .iter()
            .map(|app| {
                // Only a scaled scenario can request more cores than it uses.
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

// The order of measurements: repetition after repetition, each time with another order of scenarios.
//
// Drift (heat, clock, other load) then affects every scenario alike. The orders are the rows of a Latin square that is balanced for
// residual effects (E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments", Australian
// Journal of Scientific Research 2, 1949). Over n repetitions of n scenarios each is once at every position and follows each other one
// equally often. For odd n that takes 2n repetitions, every second one in reverse. The order depends only on the numbers, so a resumed run
// continues as if it had not stopped.

/// One measurement to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Job {
    /// From 1.
    pub repetition: u32,
    /// Index of the scenario in the plan.
    pub scenario: usize,
}

/// All measurements of a run in their order.
pub fn order(scenarios: usize, repetitions: u32) -> impl Iterator<Item = Job> {
    (1..=repetitions).flat_map(move |repetition| {
        row(scenarios, repetition - 1).into_iter().map(move |scenario| Job { repetition, scenario })
    })
}

/// The order of repetition `r`, from 0.
fn row(scenarios: usize, r: u32) -> Vec<usize> {
    let r = r as usize;
    // 0, n-1, 1, n-2, …: neighbours have all differences.
    let zigzag =
        (0..scenarios).map(|place| if place % 2 == 0 { place / 2 } else { scenarios - place.div_ceil(2) });
    let odd = scenarios % 2 == 1;
    let shift = if odd { r / 2 } else { r };
    let mut row: Vec<usize> = zigzag.map(|scenario| (scenario + shift) % scenarios).collect();
    if odd && r % 2 == 1 {
        row.reverse();
    }
    row
}

/// The state of all valid measurements, by scenario and application.
#[derive(Debug, Default)]
struct Evidence(BTreeMap<(String, String), Seen>);

/// The values of one application.
#[derive(Clone, Copy, Debug)]
struct Seen {
    huge_pages: Option<f64>,
    pages_verified: bool,
    counting: Option<f64>,
    page_faults: Option<(u64, u64)>,
    waited: Option<f64>,
}

/// The deviation of page faults from the expected number.
fn off((counted, expected): (u64, u64)) -> u64 {
    counted.abs_diff(expected)
}

impl Seen {
    fn of(measured: &MeasuredApp) -> Self {
        let threads = || measured.threads.iter();
        Self {
            huge_pages: threads().filter_map(|thread| thread.huge_pages).min_by(f64::total_cmp),
            pages_verified: threads().all(|thread| thread.pages_unknown.is_none()),
            counting: threads().map(|thread| thread.clock_share).max_by(f64::total_cmp),
            page_faults: threads().try_fold((0, 0), |(counted, expected), thread| {
                Some((counted + thread.page_faults, expected + thread.expected_page_faults?))
            }),
            waited: threads().map(|thread| thread.waited_share).max_by(f64::total_cmp),
        }
    }

    fn and(self, other: Self) -> Self {
        let both = |pick: fn(f64, f64) -> f64, a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (one, None) | (None, one) => one,
        };
        Self {
            huge_pages: both(f64::min, self.huge_pages, other.huge_pages),
            pages_verified: self.pages_verified && other.pages_verified,
            counting: both(f64::max, self.counting, other.counting),
            page_faults: [self.page_faults, other.page_faults]
                .into_iter()
                .flatten()
                .max_by_key(|&of| off(of)),
            waited: both(f64::max, self.waited, other.waited),
        }
    }
}

impl Evidence {
    fn add(&mut self, scenario: &PlannedScenario, measured: &Measurement) {
        for (planned, measured) in scenario.apps.iter().zip(&measured.apps) {
            let seen = Seen::of(measured);
            let key = (scenario.name.clone(), planned.name.clone());
            self.0.entry(key).and_modify(|before| *before = before.and(seen)).or_insert(seen);
        }
    }

    /// Every application of the plan with its valid repetitions, including those of earlier parts of the run.
    fn repeated(&self, plan: &Plan, rows: &[Row]) -> Vec<Repeated> {
        let mut all = Vec::new();
        for scenario in &plan.scenarios {
            for app in &scenario.apps {
                let own = rows.iter().filter(|row| row.scenario == scenario.name && row.app == app.name);
                let mut gflops: BTreeMap<u32, f64> = BTreeMap::new();
                for row in own.filter(|row| row.status == Status::Ok) {
                    *gflops.entry(row.repetition).or_insert(0.0) += row.gflops;
                }
                let seen = self.0.get(&(scenario.name.clone(), app.name.clone()));
                let gflops: Vec<f64> = gflops.into_values().collect();
                if !gflops.is_empty() {
                    all.push(repeated(plan, scenario, app, gflops, seen.copied()));
                }
            }
        }
        all
    }
}

fn repeated(
    plan: &Plan,
    scenario: &PlannedScenario,
    app: &PlannedApp,
    gflops: Vec<f64>,
    seen: Option<Seen>,
) -> Repeated {
    let ran = app.kernel.arithmetic_intensity().value();
    let asked = plan.study.apps.iter().find(|other| other.name == app.name);
    Repeated {
        scenario: scenario.name.clone(),
        app: app.name.clone(),
        gflops,
        huge_pages: seen.and_then(|seen| seen.huge_pages),
        // Measured in an earlier part of the run: its rows contain it.
        pages_verified: seen.is_none_or(|seen| seen.pages_verified),
        counting: seen.and_then(|seen| seen.counting),
        page_faults: seen.and_then(|seen| seen.page_faults),
        waited: seen.and_then(|seen| seen.waited),
        // The count of a real kernel decides; a file with another value is rejected when it is read.
        asked_intensity: asked
            .filter(|app| app.problem.is_none())
            .map_or(ran, |app| app.arithmetic_intensity.value()),
        ran_intensity: ran,
    }
}

/// Warnings about a single measurement.
fn doubts(plan: &Plan, scenario: &PlannedScenario, measured: &Measurement) -> Vec<Doubt> {
    let apps = scenario.apps.iter().zip(&measured.apps);
    let alone: Vec<Repeated> = apps
        .map(|(app, measured)| repeated(plan, scenario, app, Vec::new(), Some(Seen::of(measured))))
        .collect();
    of_apps(&alone)
}

#[cfg(test)]
mod order_tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn orders_change_from_repetition_to_repetition() {
        let rows: Vec<Vec<usize>> = (0..4).map(|r| row(4, r)).collect();
        assert_eq!(rows, [[0, 3, 1, 2], [1, 0, 2, 3], [2, 1, 3, 0], [3, 2, 0, 1]]);
        assert_eq!((row(3, 0), row(3, 1), row(3, 2)), (vec![0, 2, 1], vec![1, 2, 0], vec![1, 0, 2]));
        assert_eq!((row(1, 0), row(1, 7), row(2, 1)), (vec![0], vec![0], vec![1, 0]));
        assert!(row(0, 3).is_empty());
    }

    #[test]
    fn every_scenario_has_every_position_and_predecessor_equally_often() {
        for n in 1..9_usize {
            let repetitions = if n % 2 == 0 { n } else { 2 * n };
            let times = repetitions / n;
            let (mut places, mut pairs) = (BTreeMap::new(), BTreeMap::new());
            for r in 0..repetitions {
                let row = row(n, u32::try_from(r).expect("few"));
                for (place, &scenario) in row.iter().enumerate() {
                    *places.entry((place, scenario)).or_insert(0) += 1;
                }
                for pair in row.windows(2) {
                    *pairs.entry((pair[0], pair[1])).or_insert(0) += 1;
                }
            }
            assert!(places.len() == n * n && places.values().all(|&count| count == times), "{n}: {places:?}");
            assert!(
                pairs.len() == n * (n - 1) && pairs.values().all(|&count| count == times),
                "{n}: {pairs:?}"
            );
        }
    }

    #[test]
    fn a_run_has_every_scenario_once_in_each_repetition() {
        let jobs: Vec<(u32, usize)> = order(2, 3).map(|job| (job.repetition, job.scenario)).collect();
        assert_eq!(jobs, [(1, 0), (1, 1), (2, 1), (2, 0), (3, 0), (3, 1)]);
    }
}
