//! What must hold of any run, as functions on plain values: the simulation looks at its results in debug builds, property tests
//! always.

use numasim_course::{Course, Study};
use numasim_model::AppId;
use numasim_model::units::{Gflop, Seconds};

use crate::result::{AppRun, Run};

/// What does not hold of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// A finished application has done other work than it was given: GFLOP done and given.
    Work {
        /// Which one.
        app: AppId,
        /// GFLOP.
        done: f64,
        /// GFLOP.
        given: f64,
    },
    /// A finished application has not done all its iterations, or one that is not finished has.
    Iterations(AppId),
    /// It was finished before it arrived, or after the end of the run.
    Order(AppId),
    /// Its threads were computing, idle and blocked for longer than they were there; or it waited for longer.
    ThreadSeconds(AppId),
    /// All threads together computed for longer than all cores were there, though none of them shared a core.
    CoreSeconds,
    /// A channel had more items than it has room for.
    Items {
        /// Its number in the study.
        channel: usize,
    },
    /// The makespan is not the end of the last application.
    Makespan,
}

/// Relative error that rounding may make, and 1 ns for each event.
const ROUNDING: f64 = 1e-9;

/// Everything that does not hold of `run`, an answer for `study`.
pub fn violations(study: &Study, run: &Run) -> Vec<Violation> {
    let mut all = Vec::new();
    for (number, (app, course)) in run.apps.iter().zip(&study.dynamics.courses).enumerate() {
        of_app(AppId(number), app, course, run, &mut all);
    }
    let cores = study.machine.total_cores() as f64;
    let unshared = |app: &AppRun| (app.mean_threads * seconds_there(app, run) - app.shared.value()).max(0.0);
    if !at_most(run.apps.iter().map(unshared).sum(), cores * run.time.value(), run) {
        all.push(Violation::CoreSeconds);
    }
    for (channel, (items, given)) in run.channels.iter().zip(&study.dynamics.channels).enumerate() {
        let room = given.capacity.unwrap_or(u64::MAX);
        if items.max_items > room || items.mean_items > items.max_items as f64 * (1.0 + ROUNDING) {
            all.push(Violation::Items { channel });
        }
    }
    let finished: Option<Vec<f64>> = run.apps.iter().map(|app| app.finished.map(Seconds::value)).collect();
    let last = finished.map(|all| all.into_iter().fold(0.0, f64::max));
    if last != run.makespan.map(Seconds::value) {
        all.push(Violation::Makespan);
    }
    all
}

/// GFLOP, seconds or thread-seconds: whether `found` is not above `most` but for rounding.
fn at_most(found: f64, most: f64, run: &Run) -> bool {
    found <= most + ROUNDING * (most.abs() + run.events as f64 + 1.0)
}

fn seconds_there(app: &AppRun, run: &Run) -> f64 {
    app.arrived.map_or(0.0, |arrived| app.finished.unwrap_or(run.time).value() - arrived.value())
}

fn of_app(number: AppId, app: &AppRun, course: &Course, run: &Run, all: &mut Vec<Violation>) {
    let there_s = seconds_there(app, run);
    if there_s < 0.0 || app.finished.is_some_and(|finished| finished > run.time) {
        all.push(Violation::Order(number));
    }
    if app.finished.is_some() != (app.iterations == course.iterations) || app.iterations > course.iterations {
        all.push(Violation::Iterations(number));
    }
    let (done, given) = (app.work.value(), course.total_work().map_or(0.0, Gflop::value));
    // If the work of tasks is spread, only its mean is known. Jitter changes times, and no work.
    if course.task_spread == 0.0 {
        let is_all = (done - given).abs() <= ROUNDING * given;
        if (app.finished.is_some() && !is_all) || done > given * (1.0 + ROUNDING) {
            all.push(Violation::Work { app: number, done, given });
        }
    }
    let threads = f64::from(course.thread_count());
    let thread_seconds = app.mean_threads * there_s + app.idle.value() + app.blocked.value();
    let waited = app.waited_input.value() + app.waited_output.value() + app.waited_call.value();
    let shared = app.shared.value();
    if !at_most(thread_seconds, threads * there_s, run)
        || !at_most(waited, there_s, run)
        || !at_most(shared, app.mean_threads * there_s, run)
    {
        all.push(Violation::ThreadSeconds(number));
    }
}
