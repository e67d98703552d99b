//! One simulation after the other, or several at a time.

use numasim_ask::Simulated;
use numasim_dynamic::{Job, JobError};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::progress::Progress;
use crate::watch;

/// All simulations, in their order; of those that Ctrl-C came before there is none.
pub(super) fn all(jobs: &[Job], progress: &Progress) -> Vec<Option<Result<Simulated, JobError>>> {
    let run = |(number, job): (usize, &Job)| {
        (!watch::interrupted()).then(|| Simulated::run(job, &mut progress.of(number), &watch::interrupted))
    };
    jobs.par_iter().enumerate().map(run).collect()
}
