//! One simulation of a graph after the other, or several at a time.

use numasim_ask::of_tasks;
use numasim_tasks::{Job, JobError, Observer, Silent};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::failure::Failure;
use crate::view::tasked::Tasked;
use crate::watch;

/// Why a simulation has no result.
pub(super) enum Ended {
    /// Ctrl-C.
    Interrupted,
    /// It cannot be simulated.
    Failed(Failure),
}

impl Ended {
    pub(super) fn of(job: &Job<'_>, error: &JobError) -> Self {
        match of_tasks::failed(job.study, job.program, error) {
            None => Self::Interrupted,
            Some(refusal) => Self::Failed(refusal.into()),
        }
    }
}

/// Simulates.
pub(super) fn one(job: &Job<'_>, observer: &mut dyn Observer) -> Result<Tasked, Ended> {
    let answer = job.run(observer, &watch::interrupted).map_err(|error| Ended::of(job, &error))?;
    Ok(Tasked::of(job.settings, answer))
}

/// All simulations in their order, up to the first that Ctrl-C stopped. `at_a_time`: for how many there is room.
///
/// # Errors
/// The first that cannot be simulated.
pub(super) fn all(jobs: &[Job<'_>], at_a_time: usize) -> Result<Vec<Tasked>, Failure> {
    let mut done = Vec::new();
    for some in jobs.chunks(at_a_time.max(1)) {
        let runs: Vec<Result<Tasked, Ended>> = some.par_iter().map(|job| one(job, &mut Silent)).collect();
        for run in runs {
            match run {
                Ok(run) => done.push(run),
                Err(Ended::Interrupted) => return Ok(done),
                Err(Ended::Failed(failure)) => return Err(failure),
            }
        }
    }
    Ok(done)
}
