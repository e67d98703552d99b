//! The best allocation at many points: one search for each worker at a time, rows in order.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use numasim_model::{NodeId, evaluate, evaluation::Warning};
use numasim_sim::search::{ExploreError, Monitor, Outcome, Progress, explore};
use numasim_sim::{Problem, Restrictions};

use super::plan::{Plan, Question};
use super::rows::{Column, Rows};
use crate::failure::Failure;
use crate::threads;
use crate::view::caution;
use crate::watch;
use numasim_ask::Refusal;
use numasim_ask::refusal::impossible;

/// Ends the search of one point by its clock or by Ctrl-C.
struct Clock {
    start: Instant,
    limit: Option<Duration>,
}

impl Monitor for Clock {
    fn stop(&self) -> bool {
        watch::interrupted() || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    fn progress(&self, _: &Progress) {}
}

/// Computes the rows of `points` and hands them on in order.
///
/// Every worker searches with threads of its own, so that the clock of a point measures that point alone. Ends early
/// when the person asks for it, or when `done` wants no more.
pub(super) fn run(
    plan: &Plan,
    question: &Question,
    columns: &[Column],
    points: Range<u64>,
    done: impl FnMut(Rows, u64) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let all = rayon::current_num_threads().max(1);
    let count = usize::try_from(points.end - points.start).unwrap_or(usize::MAX);
    let workers = all.min(count).max(1);
    let pools = (0..workers)
        .map(|worker| {
            // Few points: each search gets several threads.
            let own = all / workers + usize::from(worker < all % workers);
            threads::pool(own)
        })
        .collect::<Result<Vec<_>, _>>()?;
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
                    let row = pool.install(|| row(plan, question, columns, point));
                    // An interrupted search has no answer of its own; nobody listens after a failed write.
                    if watch::interrupted() || send.send((point, row)).is_err() {
                        return;
                    }
                }
            };
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, searching) {
                started = Err(threads::refused(Some(workers), &error));
                break;
            }
        }
        drop(send);
        let handed_on = started.and_then(|()| hand_on(&receive, points.start, done));
        // The others need not begin another point.
        drop(receive);
        next.store(points.end, Ordering::Relaxed);
        handed_on
    })
}

/// Puts the rows of all workers into order.
fn hand_on(
    rows: &mpsc::Receiver<(u64, Result<Rows, Failure>)>,
    first: u64,
    mut done: impl FnMut(Rows, u64) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (mut expected, mut waiting) = (first, BTreeMap::new());
    for (point, row) in rows {
        waiting.insert(point, row);
        while let Some(row) = waiting.remove(&expected) {
            expected += 1;
            if !done(row?, 1)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn row(plan: &Plan, question: &Question, columns: &[Column], point: u64) -> Result<Rows, Failure> {
    let mut rows = Rows::default();
    rows.keys(&plan.sweep, &plan.sweep.indices(point));
    // All but the keys, status, reason and cautions.
    let empty = columns.len() - plan.sweep.axes().len() - 3;
    let mut without = |status: &str, reason: &str| {
        rows.text(status);
        rows.end_without(empty, reason, 1);
    };
    let problem = match plan.sweep.problem(point, question.objective, question.restrictions) {
        Ok(problem) => problem,
        Err(reason) => {
            without("infeasible", &reason);
            return Ok(rows);
        }
    };
    let clock = Clock { start: Instant::now(), limit: question.time_limit };
    match explore(&problem, &question.settings, &clock) {
        Ok(outcome) => write(&mut rows, &problem, columns, &outcome)?,
        Err(ExploreError::Infeasible(reason)) => without("infeasible", &reason.to_string()),
        Err(ExploreError::Fault(forbidden)) => return Err(Refusal::from(&forbidden).into()),
        Err(ExploreError::NothingFound) => without("not found", &nothing_found(question.restrictions)),
    }
    Ok(rows)
}

fn nothing_found(restrictions: Restrictions) -> String {
    let restricted =
        if restrictions == Restrictions::default() { "" } else { " that keeps to the restrictions" };
    format!("no allocation{restricted} was found within --time-limit")
}

fn write(rows: &mut Rows, problem: &Problem, columns: &[Column], outcome: &Outcome) -> Result<(), Failure> {
    let best = &outcome.best;
    let evaluation = evaluate(problem.machine(), problem.apps(), &best.placements, &best.allocation)
        .map_err(|error| impossible(&error))?;
    rows.text(outcome.status.word());
    for number in [outcome.value, outcome.bound, outcome.gap, evaluation.total.value()] {
        rows.number(number);
    }
    for app in &evaluation.apps {
        rows.number(app.gflops.value());
    }
    rows.threads(&best.allocation);
    rows.homes(columns, &best.placements);
    let node = |warning: &Warning| -> NodeId {
        let Warning::StarvedByRemote { node, .. } = warning;
        *node
    };
    let cautions = problem.cautions(&best.allocation, &evaluation);
    rows.end(evaluation.warnings.iter().map(node), Some(&caution::codes(&cautions)));
    Ok(())
}
