//! One simulation of a graph after the other, or several at a time.

use numasim_ask::Tasked;
use numasim_tasks::{Job, JobError, Observer, Silent};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::watch;

/// Simulates.
pub(super) fn one(job: &Job<'_>, observer: &mut dyn Observer) -> Result<Tasked, JobError> {
    Tasked::run(job, observer, &watch::interrupted)
}

/// All simulations in their order, up to those that began with the first one without a result. `at_a_time`: for how many there is room.
pub(super) fn all(jobs: &[Job<'_>], at_a_time: usize) -> Vec<Result<Tasked, JobError>> {
    let mut done = Vec::new();
    for batch in jobs.chunks(at_a_time.max(1)) {
        done.extend(batch.par_iter().map(|job| one(job, &mut Silent)).collect::<Vec<_>>());
        if done.iter().any(Result::is_err) {
            break;
        }
    }
    done
}
