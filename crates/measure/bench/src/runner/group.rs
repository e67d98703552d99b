//! Threads of one process: put in place, measured together with those of other processes, verified.

#[cfg(test)]
mod tests;

use std::{panic, thread};

use numasim_host::memory::{Buffer, HugePages, Placement, Stretch};
use numasim_host::{Misplaced, affinity};

use crate::plan::{PlannedApp, PlannedThread};
use crate::runner::arrays::{Arrays, Pool, placement};
use crate::runner::count::{Counted, Stopped, SystemClock, Worker};
use crate::runner::crew::{Crew, Gate};
use crate::runner::{MeasuredApp, MeasuredThread, RunError, Settings};

/// The common start of the threads.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) gate: &'a Gate,
    /// Threads of all processes.
    pub(super) all_threads: u32,
    /// Threads of the applications before the first one: their data takes the first turns.
    pub(super) threads_before: usize,
    pub(super) settings: &'a Settings,
}

/// One thread to measure.
struct Job<'a> {
    crew: &'a Crew<'a>,
    /// Its part of the kernel, which is its index in the application, from 0.
    part: usize,
    /// Its planned place.
    thread: &'a PlannedThread,
    /// Memory whose location it queries.
    stretches: Vec<Stretch>,
}

/// The reason why a thread has no result.
enum Ended {
    /// It found this error.
    Failed(RunError),
    /// Another thread aborted.
    Aborted,
}

impl<E: Into<RunError>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Measures applications, all in this process. Their memory comes from `pool` and returns to it. `conduct` runs on the calling thread in
/// the meantime, and its result is returned with the measurements.
///
/// # Errors
/// The error of the first thread that failed, else that of `conduct`; [`RunError::Interrupted`] if another process aborted the measurement.
pub(super) fn measure<T>(
    apps: &[PlannedApp],
    pool: &mut Pool,
    start: Start<'_>,
    conduct: impl FnOnce() -> Result<T, RunError>,
) -> Result<(T, Vec<MeasuredApp>), RunError> {
    let mut arrays = Vec::with_capacity(apps.len());
    let mut turn = start.threads_before;
    for app in apps {
        arrays.push(Arrays::of(app, start.settings, turn)?);
        turn += app.threads.len();
    }
    let wanted: Vec<_> = arrays.iter().flat_map(|arrays| &arrays.wanted).collect();
    let mut all = pool.take(&wanted)?.into_iter();
    let mut buffers: Vec<Vec<Buffer>> =
        arrays.iter().map(|arrays| all.by_ref().take(arrays.wanted.len()).collect()).collect();

    let mut stretches = Vec::new();
    for ((app, arrays), buffers) in apps.iter().zip(&arrays).zip(&buffers) {
        stretches.extend((0..app.threads.len()).map(|part| arrays.stretches(part, buffers)));
    }
    let mut crews = Vec::with_capacity(apps.len());
    for ((app, arrays), buffers) in apps.iter().zip(&arrays).zip(&mut buffers) {
        let memory = buffers.iter_mut().map(Buffer::data).collect();
        crews.push(Crew::new(
            &app.name,
            arrays.problem.on(&arrays.team, app.kernel.loops(start.settings.isa), memory)?,
        ));
    }
    let places = apps.iter().zip(&crews).flat_map(|(app, crew)| {
        app.threads.iter().enumerate().map(move |(part, thread)| (crew, part, thread))
    });
    let jobs = places
        .zip(stretches)
        .map(|((crew, part, thread), stretches)| Job { crew, part, thread, stretches })
        .collect();
    let (conducted, counted) = run(jobs, start, conduct)?;
    drop(crews);

    let huge = HugePages::now();
    let mut counted = counted.into_iter();
    let mut measured = Vec::with_capacity(apps.len());
    for ((app, arrays), buffers) in apps.iter().zip(arrays).zip(buffers) {
        let threads = app.threads.iter().enumerate().zip(counted.by_ref());
        let threads = threads.map(|((part, thread), (counted, placement))| {
            let of_huge = huge.as_ref().map(|huge| {
                (arrays.huge_share(part, &buffers, huge), arrays.first_touches(part, &buffers, huge))
            });
            report(thread, counted, placement, of_huge)
        });
        measured.push(MeasuredApp { threads: threads.collect() });
        pool.keep(arrays.wanted, buffers);
    }
    Ok((conducted, measured))
}

/// Runs all jobs, each on a separate thread.
fn run<T>(
    jobs: Vec<Job<'_>>,
    start: Start<'_>,
    conduct: impl FnOnce() -> Result<T, RunError>,
) -> Result<(T, Vec<(Counted, Placement)>), RunError> {
    let gate = start.gate;
    let (conducted, ended) = thread::scope(|scope| {
        let mut started = Vec::new();
        for job in jobs {
            let name = format!("numasim-{}", job.part);
            let body = move || {
                let failing = AbortOnDrop(gate);
                let done = one(&job, start);
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
    Ok((conducted, measured))
}

/// The whole life of a measured thread.
fn one(job: &Job<'_>, start: Start<'_>) -> Result<(Counted, Placement), Ended> {
    let Job { crew, part, .. } = *job;
    affinity::bind_this_thread(&job.thread.cpus)?;
    let overlap = |error| RunError::Steps { app: crew.app.to_owned(), thread: part, error };
    // By its thread, after binding: it is local even if the system does not bind memory.
    crew.kernel.prepare(part).map_err(overlap)?;
    crew.meeting.wait(start.gate, || false).ok_or(Ended::Aborted)?;
    let mut worker = Worker::new(SystemClock, crew, part, start.gate, start.all_threads);
    let counted = worker.count(start.settings).map_err(|stopped| match stopped {
        Stopped::Aborted => Ended::Aborted,
        Stopped::Access(error) => overlap(error).into(),
    })?;
    let steps = crew.end(start.gate, part, worker.step).ok_or(Ended::Aborted)?;
    let (app, thread) = (crew.app.to_owned(), part);
    if let Err(wrong) = crew.kernel.check_part(part, &steps) {
        return Err(RunError::WrongResult { app, thread, what: wrong.to_string() }.into());
    }
    if counted.steps == 0 || counted.time_ns == 0 {
        return Err(RunError::NothingCounted { app, thread }.into());
    }
    Ok((counted, placement(&job.stretches)))
}

/// `of_huge`: the fraction of its data in huge pages, and the page faults of memory that is new for it.
fn report(
    thread: &PlannedThread,
    counted: Counted,
    placement: Placement,
    of_huge: Option<(f64, u64)>,
) -> MeasuredThread {
    let elsewhere = counted.cpus.iter().filter(|cpu| !thread.cpus.as_slice().contains(cpu));
    let mut misplaced: Vec<Misplaced> =
        elsewhere.map(|&seen| Misplaced::Thread { seen, wanted: thread.cpus.to_string() }).collect();
    misplaced.extend(placement.misplaced);
    let time_ns = counted.time_ns as f64;
    MeasuredThread {
        node: thread.node,
        counted_s: time_ns * 1e-9,
        bytes: counted.work.bytes,
        flop: counted.work.flop,
        chunks: counted.steps,
        clock_share: counted.looks as f64 * counted.look_ns / time_ns,
        waited_share: counted.waited_ns as f64 / time_ns,
        page_faults: counted.page_faults,
        expected_page_faults: of_huge.map(|(_, faults)| faults),
        cpus: counted.cpus,
        pages: placement.pages,
        pages_unknown: placement.unknown,
        huge_pages: of_huge.map(|(share, _)| share),
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
