//! Threads of one process: put in place, measured together with those of other processes, verified.

use std::panic;
use std::thread;

use numasim_host::Misplaced;
use numasim_host::affinity;
use numasim_host::memory::{Buffer, HugePages, Placement};

use super::count::{Counted, SystemClock, Worker};
use super::gate::Gate;
use super::{MeasuredThread, RunError, Settings};
use crate::kernel::PreparedKernel;
use crate::plan::PlannedThread;

/// One thread to measure.
pub(super) struct Job<'a> {
    /// The name of its application.
    pub(super) app: &'a str,
    /// Its number in the application, from 0.
    pub(super) number: usize,
    /// Where it has to be.
    pub(super) thread: &'a PlannedThread,
    /// What it computes.
    pub(super) kernel: PreparedKernel,
    /// Its data.
    pub(super) buffer: Buffer,
}

/// Why a thread has no result.
enum Ended {
    /// It found this.
    Failed(RunError),
    /// Somebody else gave up.
    Aborted,
}

impl<E: Into<RunError>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Measures all jobs together. `threads` counts the jobs of all processes; `conduct` runs on the calling thread
/// meanwhile, and its result is handed back beside what was measured and the buffers.
///
/// # Errors
/// What the first thread that failed says, else what `conduct` says; [`RunError::Interrupted`] if another process
/// ended the measurement.
pub(super) fn measure<T>(
    jobs: Vec<Job<'_>>,
    gate: &Gate,
    threads: u32,
    settings: &Settings,
    conduct: impl FnOnce() -> Result<T, RunError>,
) -> Result<(T, Vec<(MeasuredThread, Buffer)>), RunError> {
    let planned: Vec<&PlannedThread> = jobs.iter().map(|job| job.thread).collect();
    let (conducted, ended) = thread::scope(|scope| {
        let mut started = Vec::new();
        for job in jobs {
            let name = format!("numasim-{}", job.number);
            let body = move || {
                let failing = AbortOnDrop(gate);
                let done = one(job, gate, threads, settings);
                if done.is_ok() {
                    std::mem::forget(failing);
                }
                done
            };
            started.push(thread::Builder::new().name(name).spawn_scoped(scope, body).map_err(|source| {
                gate.abort();
                RunError::System { what: "cannot start a thread".into(), source }
            }));
        }
        let conducted = conduct().inspect_err(|_| gate.abort());
        let ended: Vec<_> = started
            .into_iter()
            .map(|handle| handle?.join().unwrap_or_else(|fault| panic::resume_unwind(fault)))
            .collect();
        (conducted, ended)
    });
    let mut measured = Vec::with_capacity(ended.len());
    let mut aborted = false;
    for end in ended {
        match end {
            Ok(done) => measured.push(done),
            Err(Ended::Failed(error)) => return Err(error),
            Err(Ended::Aborted) => aborted = true,
        }
    }
    let conducted = conducted?;
    if aborted {
        return Err(RunError::Interrupted);
    }
    let huge = HugePages::now();
    let result = |(thread, (counted, placement, buffer)): (&PlannedThread, (Counted, Placement, Buffer))| {
        let share = huge.as_ref().map(|pages| pages.share(&buffer.addresses()));
        (report(thread, counted, placement, share), buffer)
    };
    Ok((conducted, planned.into_iter().zip(measured).map(result).collect()))
}

/// The whole life of a measured thread.
fn one(
    mut job: Job<'_>,
    gate: &Gate,
    threads: u32,
    settings: &Settings,
) -> Result<(Counted, Placement, Buffer), Ended> {
    affinity::bind_this_thread(&job.thread.cpus)?;
    let data = job.buffer.data();
    // By its owner, after binding: also where the kernel does not bind memory, it is near.
    job.kernel.fill(data);
    let cursor = job.kernel.cursor(data.len());
    let mut worker = Worker { clock: SystemClock, work: &job.kernel, data, cursor };
    let counted = worker.count(gate, threads, settings).ok_or(Ended::Aborted)?;
    let (app, thread) = (job.app.to_owned(), job.number);
    if let Err(wrong) = worker.check() {
        return Err(RunError::WrongResult { app, thread, what: wrong.to_string() }.into());
    }
    if counted.chunks == 0 || counted.time_ns == 0 {
        return Err(RunError::NothingCounted { app, thread }.into());
    }
    let placement = job.buffer.placement();
    Ok((counted, placement, job.buffer))
}

fn report(
    thread: &PlannedThread,
    counted: Counted,
    placement: Placement,
    huge_pages: Option<f64>,
) -> MeasuredThread {
    let elsewhere = counted.cpus.iter().filter(|cpu| !thread.cpus.as_slice().contains(cpu));
    let mut misplaced: Vec<Misplaced> =
        elsewhere.map(|&seen| Misplaced::Thread { seen, wanted: thread.cpus.to_string() }).collect();
    misplaced.extend(placement.misplaced);
    MeasuredThread {
        node: thread.node,
        counted_s: counted.time_ns as f64 * 1e-9,
        bytes: counted.bytes,
        flop: counted.flop,
        chunks: counted.chunks,
        clock_share: counted.looks as f64 * counted.look_ns / counted.time_ns as f64,
        cpus: counted.cpus,
        pages: placement.pages,
        pages_unknown: placement.unknown,
        huge_pages,
        misplaced,
    }
}

/// A thread that fails, also by a panic, must not keep the others waiting for it.
struct AbortOnDrop<'a>(&'a Gate);

impl Drop for AbortOnDrop<'_> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
