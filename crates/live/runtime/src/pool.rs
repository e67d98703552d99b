//! A pool of workers, and tasks that run detached.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};
use std::{fmt, io};

use crossbeam_deque::Worker as Deque;
use numasim_client::{Agent, Link};
use numasim_host::affinity::{AffinityError, bind_this_thread};
use numasim_model::ids::NodeId;
use numasim_protocol::Waiting;

use crate::barrier;

use crate::job::{HeapJob, JobRef};
use crate::layout::OrderError;
use crate::layout::{Layout, WorkerId};
use crate::shared::Shared;
use crate::sync::Ordering;
use crate::worker::Worker;
use numasim_model::order::Order;

/// Why a pool cannot start.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// A worker cannot be bound according to the layout.
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    /// The operating system creates no more threads.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] io::Error),
    /// The first order cannot be followed.
    #[error(transparent)]
    Order(#[from] OrderError),
}

/// Workers that run tasks.
///
/// Dropping it runs the spawned tasks, lifts the order, and shuts down all threads.
pub struct Pool {
    pub(crate) shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    link: Option<Link>,
    /// The process that made it: a child of fork has none of its threads.
    process: u32,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("layout", &self.shared.layout)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// The workers of a pool at one moment, per node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolStatus {
    /// Existing workers.
    pub threads: Vec<usize>,
    /// Inside a task and awake.
    pub running: Vec<usize>,
    /// Kept from running by an order.
    pub blocked: Vec<usize>,
    /// Tasks completed since the beginning, on all nodes; a task that ended a moment ago may be missing. The pieces of a [`Pool::join`]
    /// that no other worker took belong to the task that made them.
    pub tasks: usize,
    /// Tasks not begun, on all nodes, including those that a dispatcher reports ([`Pool::queued`]); tasks that move meanwhile may be
    /// missed or counted twice.
    pub queued: usize,
}

impl PoolStatus {
    /// Workers of each node that are neither running nor blocked.
    pub fn idle(&self) -> Vec<usize> {
        let taken = self.running.iter().zip(&self.blocked).map(|(running, blocked)| running + blocked);
        self.threads.iter().zip(taken).map(|(threads, taken)| threads.saturating_sub(taken)).collect()
    }
}

impl Pool {
    /// Starts the workers of a layout. All may run.
    ///
    /// # Errors
    /// [`PoolError::Affinity`], [`PoolError::Thread`].
    pub fn new(layout: Layout) -> Result<Self, PoolError> {
        Self::with_order(layout, None)
    }

    /// The same with an order that is in force before the first task.
    ///
    /// # Errors
    /// Every variant of [`PoolError`].
    pub fn with_order<'o>(layout: Layout, order: impl Into<Option<&'o Order>>) -> Result<Self, PoolError> {
        Self::start(layout, order.into(), None)
    }

    /// The same with an agent that determines how many workers may run, as soon as there is one (see [`Agent`]); without an order all may
    /// run. [`Agent::of_environment`] determines the agent.
    ///
    /// # Errors
    /// [`PoolError::Affinity`], [`PoolError::Thread`].
    pub fn with_agent(layout: Layout, agent: Option<Agent>) -> Result<Self, PoolError> {
        Self::start(layout, None, agent)
    }

    #[cfg(target_os = "linux")]
    fn connect(&mut self, agent: Option<Agent>) -> io::Result<()> {
        let link = |agent| Link::start(agent, self.shared.clone());
        self.link = agent.map(link).transpose()?;
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn connect(&mut self, _: Option<Agent>) -> io::Result<()> {
        Ok(())
    }

    fn start(layout: Layout, order: Option<&Order>, agent: Option<Agent>) -> Result<Self, PoolError> {
        barrier::prepare();
        let deques: Vec<Deque<JobRef>> = layout.places().iter().map(|_| Deque::new_lifo()).collect();
        let stealers = deques.iter().map(Deque::stealer).collect();
        let shared = Arc::new(Shared::new(layout, stealers, order)?);
        let mut pool = Self { shared, threads: Vec::new(), link: None, process: std::process::id() };
        pool.connect(agent)?;
        let (say, hear) = mpsc::channel();
        for (number, deque) in deques.into_iter().enumerate() {
            let (shared, say) = (pool.shared.clone(), say.clone());
            let life = move || {
                let cpus = shared.layout.cpus(shared.places[number]);
                let bound = cpus.map_or(Ok(()), |cpus| bind_this_thread(&cpus));
                let fails = bound.is_err();
                let _ = say.send(bound); // a pool that has failed to start does not listen
                drop(say); // the pool listens until all workers have reported
                if !fails {
                    Worker::new(number, shared, deque).run();
                }
            };
            pool.threads.push(Builder::new().name(format!("worker {number}")).spawn(life)?);
        }
        drop(say);
        hear.into_iter().collect::<Result<Vec<()>, _>>()?;
        Ok(pool)
    }

    /// The layout of the workers.
    pub fn layout(&self) -> &Layout {
        &self.shared.layout
    }

    /// Puts an order in force, or with `None` lets all workers run. When this returns, no worker that was between two tasks and is not wanted begins another
    /// one; workers inside a task finish it first.
    ///
    /// # Errors
    /// Every variant of [`OrderError`]; the last order stays in force.
    pub fn order<'o>(&self, order: impl Into<Option<&'o Order>>) -> Result<(), OrderError> {
        self.shared.order(order.into())
    }

    /// The present states of the workers.
    pub fn status(&self) -> PoolStatus {
        let counts = self.shared.counts();
        PoolStatus {
            threads: self.shared.layout.workers(),
            running: counts.running,
            blocked: counts.blocked,
            tasks: self.shared.tasks_done(),
            queued: self.shared.queued(),
        }
    }

    /// Runs a task on any worker. The pool does not report its end; a panic ends only this task (the panic hook reports it as usual).
    pub fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.submit(detached(task), None);
    }

    /// The same on a worker of this node. If none of them is free, the task may be stolen, first by the nearest nodes. A node that does
    /// not exist means any.
    pub fn spawn_on(&self, node: NodeId, task: impl FnOnce() + Send + 'static) {
        self.submit(detached(task), Some(node));
    }

    /// Wakes a worker for which a [`Dispatcher`](crate::Dispatcher) has a task now. Returns false if an order keeps it from running, or
    /// there is no such worker: tasks that were set aside for it belong to others.
    pub fn wake(&self, worker: WorkerId) -> bool {
        worker.0 < self.shared.places.len() && self.shared.gate.rouse(worker.0)
    }

    /// Reports to the agent, and in [`Pool::status`], how many tasks of a [`Dispatcher`](crate::Dispatcher) no worker has begun.
    pub fn queued(&self, tasks: usize) {
        self.shared.said.set_queued(tasks);
    }

    /// Reports to the agent, immediately, the number of completed iterations.
    pub fn progress(&self, iterations: usize) {
        self.shared.said.set_progress(iterations);
    }

    /// Reports to the agent the phase of its iteration that the program is in, from 0.
    pub fn phase(&self, phase: usize) {
        self.shared.said.phase.store(phase, Ordering::Release);
    }

    /// Reports to the agent, immediately, the reason why the program waits.
    pub fn waiting(&self, waiting: Waiting) {
        self.shared.said.set_waiting(waiting);
    }

    /// Calls `function` with the calling thread's worker of this pool, if it is one.
    pub(crate) fn with_member<R>(&self, function: impl FnOnce(Option<&Worker>) -> R) -> R {
        Worker::with_this(|worker| {
            function(worker.filter(|worker| Arc::ptr_eq(&worker.shared, &self.shared)))
        })
    }

    pub(crate) fn submit(&self, job: JobRef, node: Option<NodeId>) {
        self.with_member(|worker| match worker {
            Some(worker) if node.is_none_or(|node| node.0 == worker.node()) => worker.push(job),
            _ => self.shared.inject(job, node.map(|node| node.0)),
        });
    }
}

/// A task whose panic has no effect on others.
fn detached(task: impl FnOnce() + Send + 'static) -> JobRef {
    HeapJob::into_ref(move || {
        let _ = catch_unwind(AssertUnwindSafe(task)); // the panic hook has reported it
    })
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // There are no threads to wait for, and locks may be held by threads that do not exist here.
            self.threads.drain(..).for_each(std::mem::forget);
            if let Some(link) = self.link.take() {
                forget(link);
            }
            return;
        }
        drop(self.link.take());
        self.shared.stop.store(true, Ordering::Release);
        self.shared.gate.release();
        // A task may hold the last reference to its pool: its thread then exits by itself.
        let this = std::thread::current().id();
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != this) {
            let _ = thread.join(); // a worker does not panic
        }
    }
}

#[cfg(target_os = "linux")]
fn forget(link: Link) {
    link.forget();
}

#[cfg(not(target_os = "linux"))]
fn forget(link: Link) {
    match link {}
}
