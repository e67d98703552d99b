//! Simulations at many points: a row for each policy, on all workers, written in order.

use std::ops::Range;

use numasim_dynamic::{Ending, Job, JobError, Run, Silent, SimulateError};
use numasim_model::Study;
use numasim_model::units::Seconds;
use numasim_policy::PolicyName;
use rayon::prelude::*;

use super::plan::{Plan, Simulating};
use super::rows::{Column, Rows, quoted};
use crate::commands::simulate::in_words;
use crate::failure::Failure;
use crate::watch;

/// Points that are computed before any of their rows is handed on, for each worker.
const AHEAD: u64 = 4;

/// Computes the rows of `points` and hands them on in order.
///
/// Ends early when the person asks for it, or when `done` wants no more.
pub(super) fn run(
    plan: &Plan,
    simulating: &Simulating,
    columns: &[Column],
    points: Range<u64>,
    mut done: impl FnMut(Rows, u64) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let stride = AHEAD * rayon::current_num_threads() as u64;
    let mut next = points.start;
    while next < points.end {
        let end = points.end.min(next + stride);
        let all: Vec<u64> = (next..end).collect();
        let rows: Vec<Option<Rows>> =
            all.par_iter().map(|&point| at_point(plan, simulating, columns, point)).collect();
        for rows in rows {
            // Ctrl-C: what was being simulated has no result.
            let Some(rows) = rows else { return Ok(()) };
            if !done(rows, 1)? {
                return Ok(());
            }
        }
        next = end;
    }
    Ok(())
}

/// The rows of a point; `None` where Ctrl-C came before their end.
fn at_point(plan: &Plan, simulating: &Simulating, columns: &[Column], point: u64) -> Option<Rows> {
    let study = plan.sweep.study_at(point);
    let indices = plan.sweep.indices(point);
    let mut rows = Rows::default();
    let empty = columns.len() - plan.sweep.axes().len() - 3;
    let asked = simulating.policies.iter().map(Some).chain(simulating.policies.is_empty().then_some(None));
    for asked in asked {
        if watch::interrupted() {
            return None;
        }
        rows.keys(&plan.sweep, &indices);
        let policy = match &study {
            Ok(study) => policy(simulating, study, asked),
            Err(_) => asked.cloned().unwrap_or(PolicyName::None),
        };
        rows.text(&quoted(&policy.to_string()));
        let result = match &study {
            Ok(study) => simulated(simulating, study, &policy),
            Err(reason) => Err(("infeasible", reason.clone())),
        };
        match result {
            Ok(run) if run.ending == Ending::Stopped => return None,
            Ok(run) => write(&mut rows, &run),
            Err((status, reason)) => {
                rows.text(status);
                rows.end_without(empty, &reason, 0);
            }
        }
    }
    Some(rows)
}

/// Who decides at a point.
fn policy(simulating: &Simulating, study: &Study, asked: Option<&PolicyName>) -> PolicyName {
    // It was read once before, at the first point.
    let of_files = || study.dynamics.policy.name.as_deref().and_then(|name| name.parse().ok());
    match asked {
        None => of_files().unwrap_or(PolicyName::None),
        Some(PolicyName::Lead(lead)) if simulating.sweeps_lead => {
            of_files().unwrap_or(PolicyName::Lead(*lead))
        }
        Some(policy) => policy.clone(),
    }
}

fn simulated(
    simulating: &Simulating,
    study: &Study,
    policy: &PolicyName,
) -> Result<Run, (&'static str, String)> {
    let job = Job { study, policy, seed: simulating.seed, until_s: simulating.until_s };
    job.run(&mut Silent, &watch::interrupted).map_err(|ended| {
        let is_deadlock = matches!(ended, JobError::Failed(SimulateError::Deadlock(_)));
        (if is_deadlock { "deadlock" } else { "infeasible" }, in_words(study, &ended))
    })
}

fn write(rows: &mut Rows, run: &Run) {
    let time = |rows: &mut Rows, time: Option<Seconds>| match time {
        Some(time) => rows.number(time.value()),
        None => rows.empty(1),
    };
    rows.text(if run.ending == Ending::Finished { "ok" } else { "until" });
    time(rows, run.makespan);
    for app in &run.apps {
        time(rows, app.finished);
    }
    let counts = run.channels.iter().map(|channel| channel.max_items);
    for count in counts.chain([run.commands, run.core_moves]) {
        rows.text(&count.to_string());
    }
    rows.end_with_all();
}
