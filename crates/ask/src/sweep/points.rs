//! The points of a sweep, computed on all workers, with batches of rows in order.

use crate::data_words;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use numasim_course::Study;
use numasim_dynamic::{Ending, Job, JobError, Run, Silent, SimulateError};
use numasim_model::demand::with_smt;
use numasim_model::units::Seconds;
use numasim_model::{AppId, Placement, evaluate, evaluation::Warning};
use numasim_policy::PolicyName;
use numasim_sim::search::{ExploreError, Monitor, Outcome, Progress, Settings, explore};
use numasim_sim::sweep::Evaluator;
use numasim_sim::{Problem, Restrictions};
use rayon::prelude::*;

use super::rows::Row;
use super::{Exploring, Simulating, Sweep, Work};
use crate::refusal::{Refusal, impossible, unsound};
use crate::table::{Cell, Table};
use crate::{caution, over_time};

/// Maximum number of points that one worker evaluates at a time.
const LARGEST_BLOCK: u64 = 2048;
/// Nodes x nodes x applications x points of a block. The limit ensures that rows still arrive and Ctrl-C is still handled promptly on
/// large machines.
const BLOCK_EFFORT: u64 = 131_072;
/// Maximum number of batches in memory for each worker.
const AHEAD: u64 = 4;

/// One row in this number, and the first of a run, is evaluated in full and checked. A full evaluation takes up to 220 times as long as a
/// row (64 nodes, data local, only threads change), so the samples take less than 2 % of a sweep.
const SAMPLE: u64 = 16_384;

/// The rows of some consecutive points.
#[derive(Debug)]
pub struct Batch<'a> {
    /// The rows.
    pub table: Table<'a>,
    /// Number of points with rows in the batch.
    pub points: u64,
    /// Rows with starved nodes.
    pub starved: u64,
    /// Rows without a result.
    pub failed: u64,
}

impl<'a> Batch<'a> {
    fn push(&mut self, sweep: &Sweep, keys: &[Cell<'a>], row: &Row<'a>) {
        self.starved += u64::from(!row.starved_nodes.is_empty());
        self.failed += u64::from(row.reason.is_some());
        self.table.push(keys.iter().cloned().chain(sweep.cells(row)));
    }
}

/// Whether the user requested a stop.
type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

impl Sweep {
    /// Computes the rows of `points`. Workers convert each batch with `make` and pass the result to `done` in order.
    ///
    /// Stops early when the user requests it (`stop`), or when `done` needs no more batches.
    ///
    /// # Errors
    /// The errors of `done`, a fault of the program, or the system refuses to start threads.
    pub fn run<'a, T: Send, E: From<Refusal>>(
        &'a self,
        points: Range<u64>,
        stop: Stop<'_>,
        make: &(impl Fn(Batch<'a>) -> T + Sync),
        mut done: impl FnMut(T) -> Result<bool, E>,
    ) -> Result<(), E> {
        match &self.work {
            Work::Evaluate(scenarios) => {
                let study = self.grid.study();
                let (nodes, apps) = (study.machine.node_count() as u64, study.apps.len() as u64);
                let effort = nodes * nodes * apps.max(1) * scenarios.len().max(1) as u64;
                let size = (BLOCK_EFFORT / effort).clamp(1, LARGEST_BLOCK);
                let first = points.start;
                let rows = |block: Range<u64>| self.evaluated(scenarios, block, first).map(Some);
                Self::in_blocks(points, size, stop, &|block| Ok(rows(block)?.map(make)), done)
            }
            Work::Simulate(asked) => {
                let rows = |point: u64| Ok::<_, Refusal>(self.simulated(asked, point, stop));
                Self::in_blocks(points, 1, stop, &|block| Ok(rows(block.start)?.map(make)), done)
            }
            Work::Explore(asked) => {
                let row = |point| self.explored(asked, point, stop).map(make);
                search_all(points, stop, &row, &mut done)
            }
        }
    }

    /// Computes blocks of points on all workers. If the rows of one block are missing, those of all later blocks are missing as well.
    fn in_blocks<T: Send, E: From<Refusal>>(
        points: Range<u64>,
        size: u64,
        stop: Stop<'_>,
        make: &(impl Fn(Range<u64>) -> Result<Option<T>, Refusal> + Sync),
        mut done: impl FnMut(T) -> Result<bool, E>,
    ) -> Result<(), E> {
        let stride = size * AHEAD * rayon::current_num_threads() as u64;
        let mut next = points.start;
        while next < points.end && !stop() {
            let end = points.end.min(next + stride);
            let starts: Vec<u64> = (next..end).step_by(usize::try_from(size).unwrap_or(usize::MAX)).collect();
            let made: Vec<Option<T>> = starts
                .par_iter()
                .map(|&start| make(start..end.min(start + size)))
                .collect::<Result<_, Refusal>>()?;
            for made in made {
                let Some(made) = made else { return Ok(()) };
                if !done(made)? {
                    return Ok(());
                }
            }
            next = end;
        }
        Ok(())
    }

    fn batch(&self, points: u64) -> Batch<'_> {
        Batch { table: Table::new(&self.columns), points, starved: 0, failed: 0 }
    }

    fn evaluated(&self, scenarios: &[usize], points: Range<u64>, first: u64) -> Result<Batch<'_>, Refusal> {
        let study = self.grid.study();
        let mut evaluator = Evaluator::new(&self.grid, scenarios);
        let mut batch = self.batch(points.end - points.start);
        let of_point = scenarios.len() as u64;
        for point in points {
            evaluator.go_to(point);
            let keys = self.keys(evaluator.indices());
            for (i, &scenario) in scenarios.iter().enumerate() {
                let name = study.scenarios[scenario].name.as_str();
                let mut row = Row { scenario: Some(name), status: "infeasible", ..Row::default() };
                match evaluator.gflops(i) {
                    Ok(gflops) => {
                        row.status = "ok";
                        let flop = gflops.iter().zip(&study.apps).filter(|(_, app)| app.rate_unit.is_none());
                        row.total_gflops = Some(flop.map(|(gflops, _)| gflops).sum());
                        row.gflops = gflops.to_vec();
                    }
                    Err(reason) => row.reason = Some(reason),
                }
                if row.reason.is_none() {
                    row.starved_nodes = evaluator.starved(i).map(number).collect();
                    let number = point * of_point + i as u64;
                    if number == first * of_point || number.is_multiple_of(SAMPLE) {
                        evaluator.check(i).map_err(|error| {
                            unsound(&format!("point {point} of the sweep, scenario {name}"), &error)
                        })?;
                    }
                }
                batch.push(self, &keys, &row);
            }
        }
        Ok(batch)
    }

    fn explored(&self, asked: &Exploring, point: u64, stop: Stop<'_>) -> Result<Batch<'_>, Refusal> {
        let without = |status, reason: String| Row { status, reason: Some(reason), ..Row::default() };
        let row = match self.grid.problem(point, asked.objective, asked.restrictions) {
            Err(reason) => without("infeasible", reason),
            Ok(problem) => {
                let clock = Clock { start: Instant::now(), limit: asked.time_limit, stop };
                let settings = Settings { top: 0, seed: asked.seed, ..Settings::default() };
                match explore(&problem, &settings, &clock) {
                    Ok(outcome) => found(&problem, &outcome)?,
                    Err(ExploreError::Infeasible(reason)) => without("infeasible", reason.to_string()),
                    Err(ExploreError::Fault(forbidden)) => return Err(Refusal::from(&forbidden)),
                    Err(ExploreError::NothingFound) => {
                        without("not found", nothing_found(asked.restrictions))
                    }
                }
            }
        };
        let mut batch = self.batch(1);
        batch.push(self, &self.keys(&self.grid.indices(point)), &row);
        Ok(batch)
    }

    /// The rows of a point; `None` if Ctrl-C interrupted it.
    fn simulated(&self, asked: &Simulating, point: u64, stop: Stop<'_>) -> Option<Batch<'_>> {
        let study = self.grid.study_at(point);
        let keys = self.keys(&self.grid.indices(point));
        let mut batch = self.batch(1);
        let named = asked.policies.iter().map(Some);
        for name in named.chain(asked.policies.is_empty().then_some(None)) {
            if stop() {
                return None;
            }
            let (policy, result) = match &study {
                Ok(study) => {
                    let policy = self.policy(study, name);
                    let result = simulated(asked, study, &policy, stop);
                    (policy, result)
                }
                Err(reason) => {
                    (name.cloned().unwrap_or(PolicyName::None), Err(("infeasible", reason.clone())))
                }
            };
            let row = match result {
                Ok(run) if run.ending == Ending::Stopped => return None,
                Ok(run) => ran(&run),
                Err((status, reason)) => Row { status, reason: Some(reason), ..Row::default() },
            };
            batch.push(self, &keys, &Row { policy: Some(policy.to_string()), ..row });
        }
        Some(batch)
    }

    /// The policy at a point.
    fn policy(&self, study: &Study, asked: Option<&PolicyName>) -> PolicyName {
        // It was already read successfully at the first point.
        let of_files = || study.dynamics.policy.name.as_deref().and_then(|name| name.parse().ok());
        match asked {
            None => of_files().unwrap_or(PolicyName::None),
            Some(PolicyName::Lead(lead)) if self.sweeps_lead() => {
                of_files().unwrap_or(PolicyName::Lead(*lead))
            }
            Some(policy) => policy.clone(),
        }
    }
}

/// Searches at every point. Every worker searches with separate threads, so that the clock of a point measures only that point.
fn search_all<T: Send, E: From<Refusal>>(
    points: Range<u64>,
    stop: Stop<'_>,
    make: &(impl Fn(u64) -> Result<T, Refusal> + Sync),
    done: &mut impl FnMut(T) -> Result<bool, E>,
) -> Result<(), E> {
    let all = rayon::current_num_threads().max(1);
    let count = usize::try_from(points.end - points.start).unwrap_or(usize::MAX);
    let workers = all.min(count).max(1);
    let pool = |worker| {
        // With few points, each search gets several threads.
        let own = all / workers + usize::from(worker < all % workers);
        let built = rayon::ThreadPoolBuilder::new().num_threads(own).build();
        built.map_err(|error| no_threads(own, &error))
    };
    let pools = (0..workers).map(pool).collect::<Result<Vec<_>, _>>()?;
    let next = AtomicU64::new(points.start);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        let mut started = Ok(());
        for pool in &pools {
            let (next, send, end) = (&next, send.clone(), points.end);
            let searching = move || {
                loop {
                    let point = next.fetch_add(1, Ordering::Relaxed);
                    if point >= end {
                        return;
                    }
                    let made = pool.install(|| make(point));
                    // An interrupted search has no valid answer; after a failed write, the receiver is gone.
                    if stop() || send.send((point, made)).is_err() {
                        return;
                    }
                }
            };
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, searching) {
                started = Err(no_threads(workers, &error).into());
                break;
            }
        }
        drop(send);
        let handed_on = started.and_then(|()| in_order(&receive, points.start, done));
        // The other workers need not begin another point.
        drop(receive);
        next.store(points.end, Ordering::Relaxed);
        handed_on
    })
}

/// The refusal if the system does not start this number of threads.
fn no_threads(threads: usize, error: &dyn std::error::Error) -> Refusal {
    Refusal::said(format!("cannot start {threads} threads")).caused_by(error.source().unwrap_or(error)).hint(
        "raise the limit of processes or memory (ulimit -u, ulimit -v), or take fewer: RAYON_NUM_THREADS=1",
    )
}

/// Passes on the results of all workers in order.
fn in_order<T, E: From<Refusal>>(
    made: &mpsc::Receiver<(u64, Result<T, Refusal>)>,
    first: u64,
    done: &mut impl FnMut(T) -> Result<bool, E>,
) -> Result<(), E> {
    let (mut expected, mut waiting) = (first, BTreeMap::new());
    for (point, made) in made {
        waiting.insert(point, made);
        while let Some(made) = waiting.remove(&expected) {
            expected += 1;
            if !done(made?)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Stops the search of one point by its clock or by Ctrl-C.
struct Clock<'s> {
    start: Instant,
    limit: Option<Duration>,
    stop: Stop<'s>,
}

impl Monitor for Clock<'_> {
    fn stop(&self) -> bool {
        (self.stop)() || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    fn progress(&self, _: &Progress) {}
}

fn nothing_found(restrictions: Restrictions) -> String {
    let restricted =
        if restrictions == Restrictions::default() { "" } else { " that satisfies the constraints" };
    format!("no placement{restricted} was found within --time-limit")
}

/// The answer of a search.
fn found(problem: &Problem, outcome: &Outcome) -> Result<Row<'static>, Refusal> {
    let best = &outcome.best;
    let apps = with_smt(problem.asked(), &best.smt);
    let evaluation = evaluate(problem.machine(), &apps, &best.placements, &best.allocation)
        .map_err(|error| impossible(&error))?;
    let starved = |Warning::StarvedByRemote { node, .. }: &Warning| number(*node);
    Ok(Row {
        status: outcome.status.word(),
        value: Some(outcome.value),
        bound: Some(outcome.bound),
        gap: Some(outcome.gap),
        total_gflops: Some(evaluation.total.value()),
        gflops: evaluation.apps.iter().map(|app| app.gflops.value()).collect(),
        threads: (0..)
            .zip(&*apps)
            .map(|(number, app)| app.smt.threads(best.allocation.row(AppId(number))))
            .collect(),
        homes: best
            .placements
            .iter()
            .map(|placement| Placement::home(placement).map(|home| home.0))
            .collect(),
        fractions: best.placements.iter().map(data_words::fractions).collect(),
        starved_nodes: evaluation.warnings.iter().map(starved).collect(),
        cautions: problem
            .with_smt(&best.smt)
            .cautions(&best.allocation, &evaluation)
            .iter()
            .map(caution::code)
            .collect(),
        ..Row::default()
    })
}

fn simulated(
    asked: &Simulating,
    study: &Study,
    policy: &PolicyName,
    stop: Stop<'_>,
) -> Result<Run, (&'static str, String)> {
    let job = Job { study, policy, seed: asked.seed, until_s: asked.until_s };
    job.run(&mut Silent, &stop).map_err(|ended| {
        let is_deadlock = matches!(ended, JobError::Failed(SimulateError::Deadlock(_)));
        (if is_deadlock { "deadlock" } else { "infeasible" }, over_time::in_words(study, &ended))
    })
}

/// The result of a simulation.
fn ran(run: &Run) -> Row<'static> {
    Row {
        status: if run.ending == Ending::Finished { "ok" } else { "until" },
        makespan_s: run.makespan.map(Seconds::value),
        finished_s: run.apps.iter().map(|app| app.finished.map(Seconds::value)).collect(),
        max_items: run.channels.iter().map(|channel| channel.max_items).collect(),
        commands: Some(run.commands),
        core_moves: Some(run.core_moves),
        ..Row::default()
    }
}

/// The number of a node.
fn number(node: numasim_model::NodeId) -> u32 {
    u32::try_from(node.0).unwrap_or(u32::MAX)
}
