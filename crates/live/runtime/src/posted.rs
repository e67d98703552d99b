//! Work that certain workers must do themselves: it cannot be stolen.

use std::collections::VecDeque;

use crossbeam_utils::CachePadded;

use crate::job::JobRef;
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};

/// For one worker, on a separate cache line.
#[derive(Default)]
struct Letters {
    /// Their number, which can be read without the lock.
    count: AtomicUsize,
    jobs: Mutex<VecDeque<JobRef>>,
}

/// For each worker, first in first out.
pub(crate) struct Posted(Vec<CachePadded<Letters>>);

impl Posted {
    pub(crate) fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| CachePadded::default()).collect())
    }

    /// The caller must then wake the worker ([`crate::gate::Gate::rouse`]).
    pub(crate) fn put(&self, worker: usize, job: JobRef) {
        self.change(worker, |jobs| jobs.push_back(job));
    }

    #[inline]
    pub(crate) fn any(&self, worker: usize) -> bool {
        self.0[worker].count.load(Ordering::Acquire) > 0
    }

    /// The next one, for the worker itself.
    #[inline]
    pub(crate) fn take(&self, worker: usize) -> Option<JobRef> {
        if self.any(worker) { self.change(worker, VecDeque::pop_front) } else { None }
    }

    /// This one, if the worker has not taken it.
    pub(crate) fn take_back(&self, worker: usize, job: JobRef) -> Option<JobRef> {
        self.change(worker, |jobs| {
            let place = jobs.iter().position(|other| other.id() == job.id())?;
            jobs.remove(place)
        })
    }

    fn change<R>(&self, worker: usize, change: impl FnOnce(&mut VecDeque<JobRef>) -> R) -> R {
        let own = &self.0[worker];
        let mut jobs = lock(&own.jobs);
        let result = change(&mut jobs);
        own.count.store(jobs.len(), Ordering::Release);
        result
    }
}
