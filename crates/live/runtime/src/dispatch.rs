//! Dispatching: a scheduler outside of the pool decides which worker runs which task.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use crate::latch::WorkerLatch;
use crate::layout::WorkerId;
use crate::pool::Pool;
use crate::scope::Scope;
use crate::serve::{Source, serve};
use crate::shared::Shared;
use crate::worker::Worker;

/// Decides which worker runs which task, in [`Pool::dispatch`]. A task that it has for one worker is run by no other.
///
/// A worker asks for its next task whenever it has passed the gate. A surplus worker parks between two tasks and does not ask until it is
/// wanted again. A worker without a task also parks; a thread that has a task for it later calls [`Pool::wake`]. Several threads call all
/// functions at once.
pub trait Dispatcher: Sync {
    /// The type of tasks.
    type Task;

    /// The task that the calling worker begins now; `None` if there is none for it.
    fn next(&self, worker: WorkerId) -> Option<Self::Task>;

    /// Is there any task for which the worker should ask? It is about to park, and calls of [`Pool::wake`] from now on wake it. So a task
    /// that was set aside before is seen here, and a task that comes later wakes it.
    fn is_waiting(&self, worker: WorkerId) -> bool;

    /// Runs a task to its end, on the worker that it was assigned to.
    fn run(&self, worker: WorkerId, task: Self::Task);

    /// An order parks this worker, which was between two tasks. Tasks that were set aside for it belong to others until it asks again.
    /// Workers that were parked already are not reported; [`Pool::wake`] is false for them.
    fn blocked(&self, worker: WorkerId) {
        let _ = worker;
    }

    /// One of these functions has panicked. [`Pool::dispatch`] resumes the panic once its `lead` has returned; `lead` may have to be
    /// informed for that. Until then workers ask as before.
    fn panicked(&self) {}
}

impl Pool {
    /// Calls `lead` on this thread while all workers of the pool ask `dispatcher` for tasks and run them. Returns when `lead` has
    /// returned and no task runs any more. Meanwhile workers do nothing else, and other tasks wait. Orders remain in force.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use numasim_runtime::{Dispatcher, Layout, Pool, WorkerId};
    ///
    /// /// A number for each worker, and a channel for the results.
    /// struct Numbers(Vec<Mutex<Option<u32>>>, std::sync::mpsc::SyncSender<(usize, u32)>);
    ///
    /// impl Dispatcher for Numbers {
    ///     type Task = u32;
    ///     fn next(&self, worker: WorkerId) -> Option<u32> {
    ///         self.0[worker.0].lock().unwrap().take()
    ///     }
    ///     fn is_waiting(&self, worker: WorkerId) -> bool {
    ///         self.0[worker.0].lock().unwrap().is_some()
    ///     }
    ///     fn run(&self, worker: WorkerId, number: u32) {
    ///         self.1.send((worker.0, number * number)).unwrap();
    ///     }
    /// }
    ///
    /// let pool = Pool::new(Layout::unbound(2)?)?;
    /// let (say, hear) = std::sync::mpsc::sync_channel(2);
    /// let numbers = Numbers(vec![Mutex::default(), Mutex::default()], say);
    /// let heard = pool.dispatch(&numbers, || {
    ///     *numbers.0[1].lock().unwrap() = Some(7); // for the second worker, even if others are idle
    ///     pool.wake(WorkerId(1));
    ///     hear.recv()
    /// });
    /// assert_eq!(heard, Ok((1, 49)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A worker that runs another task joins when that task is over, or waits. Tasks may use the pool, but not dispatch.
    ///
    /// # Panics
    /// With the panic of `lead`, or else with the first one of `dispatcher`, once no task runs any more.
    pub fn dispatch<D: Dispatcher, R>(&self, dispatcher: &D, lead: impl FnOnce() -> R) -> R {
        let shared = &self.shared;
        let latch = |worker| WorkerLatch::new(&shared.gate, worker);
        let ends: Vec<WorkerLatch<'_>> = (0..shared.places.len()).map(latch).collect();
        self.scope(|scope| {
            let post = |(number, end)| {
                let job = scope.post(number, move |scope| ask(shared, number, end, scope, dispatcher));
                (number, job)
            };
            let posted: Vec<_> = ends.iter().enumerate().map(post).collect();
            let led = catch_unwind(AssertUnwindSafe(lead));
            for end in &ends {
                end.set_here();
            }
            // Workers that an order kept from coming need not come.
            for (number, job) in posted {
                scope.run_posted(number, job);
            }
            led.unwrap_or_else(|payload| resume_unwind(payload))
        })
    }
}

/// The work of a worker during a dispatch.
fn ask<D: Dispatcher>(
    shared: &Arc<Shared>,
    number: usize,
    end: &WorkerLatch<'_>,
    scope: &Scope<'_>,
    dispatcher: &D,
) {
    let is_its_worker = |worker: &&Worker| worker.number == number && Arc::ptr_eq(&worker.shared, shared);
    Worker::with_this(|worker| {
        // The thread that ends the dispatch runs the jobs that no worker has begun.
        if let Some(worker) = worker.filter(is_its_worker) {
            serve(&shared.gate, number, &Asking { worker, end, scope, dispatcher });
        }
    });
}

/// The tasks of a dispatcher, until `end` is set.
struct Asking<'a, 'scope, D> {
    worker: &'a Worker,
    end: &'a WorkerLatch<'a>,
    scope: &'a Scope<'scope>,
    dispatcher: &'a D,
}

impl<D: Dispatcher> Asking<'_, '_, D> {
    fn id(&self) -> WorkerId {
        WorkerId(self.worker.number)
    }

    /// No panic unwinds through the loop of a worker: the information whether it is parked would be lost.
    fn caught<R>(&self, function: impl FnOnce() -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(function)) {
            Ok(result) => Some(result),
            Err(payload) => {
                self.scope.keep(payload);
                let _ = catch_unwind(AssertUnwindSafe(|| self.dispatcher.panicked())); // only the first panic is kept
                None
            }
        }
    }
}

impl<D: Dispatcher> Source for Asking<'_, '_, D> {
    fn work(&self) -> bool {
        let Some(task) = self.caught(|| self.dispatcher.next(self.id())).flatten() else { return false };
        self.worker.count(|| {
            self.caught(|| self.dispatcher.run(self.id(), task));
        });
        true
    }
    fn any(&self) -> bool {
        self.caught(|| self.dispatcher.is_waiting(self.id())).unwrap_or(false)
    }
    fn over(&self) -> bool {
        self.end.is_set()
    }
    fn pass_on(&self) {
        // The search for other tasks continues when the dispatch is over.
        if !self.over() {
            self.caught(|| self.dispatcher.blocked(self.id()));
        }
    }
    fn before_parking(&self) {
        self.worker.before_parking();
        self.end.before_parking();
    }
    fn after_parking(&self) {
        self.end.after_parking();
    }
}
