//! Threads that run what they are told: one for each worker, bound to the processor of its core.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use numasim_host::affinity::bind_this_thread;
use numasim_model::cpus::CpuList;
use numasim_tasks::{Sockets, Start, WorkerId};

use crate::error::ExecuteError;

/// Processors of the operating system to run on: for each node of the machine one for each of its cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cores(pub Vec<Vec<u32>>);

impl Cores {
    /// The processor of each worker.
    ///
    /// # Errors
    /// [`ExecuteError::Cores`]: nodes with other numbers of cores.
    pub(crate) fn of_workers(&self, sockets: &Sockets) -> Result<Vec<u32>, ExecuteError> {
        let workers = |socket| sockets.workers(socket).len();
        let own = |socket| self.0.get(sockets.node(socket).0).map_or(&[][..], Vec::as_slice);
        let here: usize = self.0.iter().map(Vec::len).sum();
        let fits = sockets.all().all(|socket| own(socket).len() == workers(socket));
        if !fits || here != sockets.worker_count() {
            let joined =
                |numbers: Vec<usize>| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
            return Err(ExecuteError::Cores {
                machine: joined(sockets.all().map(workers).collect()),
                here: joined(self.0.iter().map(Vec::len).filter(|&cores| cores > 0).collect()),
            });
        }
        Ok(sockets.all().flat_map(own).copied().collect())
    }
}

/// Binds the calling thread to one processor, where the system can.
pub(crate) fn bind(cpu: u32) -> Result<(), ExecuteError> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    match CpuList::new(vec![cpu]) {
        Ok(list) => Ok(bind_this_thread(&list)?),
        // One number is always a list.
        Err(_) => Ok(()),
    }
}

/// The way to the workers.
#[derive(Debug)]
pub(crate) struct Crew(Vec<Sender<Start>>);

impl Crew {
    /// Tells a worker what to run. One that has ended hears nothing any more.
    pub(crate) fn tell(&self, worker: WorkerId, start: Start) {
        if let Some(sender) = self.0.get(worker.0 as usize) {
            // The receiver is gone only where its thread has ended with an error, which is then the result.
            let _ = sender.send(start);
        }
    }
}

/// Starts a thread for each of `cpus`, each of which does `work` on that processor with what it is told, until nobody can tell it anything any more; `lead` has the
/// way to them, and its result is returned when all have ended.
///
/// # Errors
/// No thread; one that panicked.
pub(crate) fn with_crew<R>(
    cpus: &[u32],
    work: impl Fn(WorkerId, u32, &Receiver<Start>) + Sync,
    lead: impl FnOnce(Crew) -> R,
) -> Result<R, ExecuteError> {
    let (senders, receivers): (Vec<_>, Vec<_>) = cpus.iter().map(|_| channel()).unzip();
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for ((worker, &cpu), receiver) in (0..).map(WorkerId).zip(cpus).zip(receivers) {
            let work = &work;
            let thread = thread::Builder::new().name(format!("worker {}", worker.0));
            threads.push(thread.spawn_scoped(scope, move || work(worker, cpu, &receiver))?);
        }
        let led = lead(Crew(senders));
        for thread in threads {
            thread.join().map_err(|_| ExecuteError::Lost)?;
        }
        Ok(led)
    })
}
