//! `rip-dep`, `rip-sp`, `rip-mw`: windows of the graph are partitioned while tasks are created (paper 001, section 2.3).
//!
//! A window is complete with so many tasks, at a `taskwait`, at the end of creation, or when the throttle stops the master; one without a new
//! task is none. The master then partitions it and creates nothing meanwhile. A task that is ready before it has a socket waits in a
//! temporary queue. What becomes of tasks behind the first window is what the three differ in ([`Later`]): `dep`, `sp`, `mw`.

mod dep;
mod mw;
mod sp;
mod window;

use numasim_graph::partition::{self, NS_PER_VERTEX_EDGE, Parent, PartitionError, Writers};
use numasim_model::graph::{Partitioner, SchedulerKind, TaskId, Ties};
use numasim_model::units::Seconds;

use self::window::Window;
use super::draw::Draw;
use super::given::Given;
use super::queues::SocketQueues;
use super::scheduler::{Partitioning, Pause, Scheduler, View};
use crate::error::TasksError;
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// What becomes of tasks when the first window has been partitioned.
trait Later {
    /// A window has been partitioned; `tasks` have been given their sockets in it, in creation order.
    fn partitioned(&mut self, view: &View<'_>, tasks: std::ops::Range<u32>, given: &Given);

    /// The socket of a task behind the first window, from whose `parents` it reads; `None`: it waits for its window.
    fn place(
        &mut self,
        view: &View<'_>,
        task: TaskId,
        parents: &[Parent],
        given: &Given,
        draw: &mut Draw,
    ) -> Option<SocketId>;
}

/// Any of the three.
pub(super) struct Rip {
    later: Box<dyn Later>,
    window: Window,
    writers: Writers,
    /// Whether the first window has been partitioned.
    placed: bool,
    price_ns: f64,
    partitioner: Partitioner,
    targets: partition::Sockets,
    ties: Ties,
    seed: u64,
    draw: Draw,
    given: Given,
    /// Ready tasks without a socket, in the order in which they became ready.
    waiting: Vec<TaskId>,
    queues: SocketQueues,
    steals: bool,
}

impl Rip {
    /// # Errors
    /// [`TasksError::Intersection`], [`TasksError::Partition`].
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Result<Self, TasksError> {
        let settings = question.scheduler;
        if !partition::is_built(settings.partitioner) {
            return Err(TasksError::Partition(PartitionError::NotBuilt(settings.partitioner)));
        }
        let slides = settings.kind == SchedulerKind::RipMw;
        if slides && settings.intersection >= settings.window {
            return Err(TasksError::Intersection {
                scheduler: settings.kind,
                intersection: settings.intersection,
                window: settings.window,
            });
        }
        let later: Box<dyn Later> = match settings.kind {
            SchedulerKind::RipSp => Box::new(sp::Parents::new(sockets, settings.stride)),
            SchedulerKind::RipMw => Box::new(mw::Windows),
            _ => Box::new(dep::Table::new(question.graph, sockets, settings.stride)),
        };
        Ok(Self {
            later,
            window: Window::new(settings),
            writers: Writers::new(question.graph.blocks().len()),
            placed: false,
            price_ns: settings.partition_ns_per_vertex_edge.unwrap_or(NS_PER_VERTEX_EDGE),
            partitioner: settings.partitioner,
            targets: partition::Sockets::of(question.machine),
            ties: question.runtime.ties,
            seed: question.runtime.seed,
            draw: Draw::new(question.runtime),
            given: Given::new(),
            waiting: Vec::new(),
            queues: SocketQueues::new(sockets),
            steals: question.steal,
        })
    }

    /// The master partitions what there is.
    fn begin(&self) -> Partitioning {
        let (tasks, edges) = self.window.size();
        Partitioning { tasks, duration: Seconds::new((tasks + edges) as f64 * self.price_ns * 1e-9) }
    }
}

impl Scheduler for Rip {
    fn created(&mut self, view: &View<'_>, task: TaskId) -> Option<Partitioning> {
        let parents = self.writers.add(view.graph, task);
        let socket = if self.placed {
            self.later.place(view, task, parents, &self.given, &mut self.draw)
        } else {
            None
        };
        if let Some(socket) = socket {
            self.given.set(task, socket);
            return None;
        }
        self.window.add(task, parents);
        self.window.is_full().then(|| self.begin())
    }

    fn pauses(&mut self, _: &View<'_>, _: Pause) -> Option<Partitioning> {
        self.window.has_new().then(|| self.begin())
    }

    fn partitioned(&mut self, view: &View<'_>) {
        let parts = self.window.partition(&self.targets, self.partitioner, self.ties, self.seed, &self.given);
        for (task, socket) in self.window.new_tasks().map(TaskId).zip(parts) {
            self.given.set(task, SocketId(socket));
        }
        self.later.partitioned(view, self.window.new_tasks(), &self.given);
        self.window.slide();
        self.placed = true;
        for task in self.waiting.drain(..) {
            // The master has created nothing meanwhile, so that all have one.
            if let Some(socket) = self.given.of(task) {
                self.queues.push(socket, task);
            }
        }
    }

    fn ready(&mut self, _: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        match self.given.of(task) {
            Some(socket) => self.queues.push(socket, task),
            None => self.waiting.push(task),
        }
    }

    fn without_socket(&self) -> usize {
        self.waiting.len()
    }

    fn next(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.queues.pop(view.sockets.of_worker(worker))
    }

    fn steal(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.queues.steal(view.sockets, view.sockets.of_worker(worker))
    }

    fn steals(&self) -> bool {
        self.steals
    }

    fn socket(&self, task: TaskId) -> Option<SocketId> {
        self.given.of(task)
    }

    fn gives_sockets(&self) -> bool {
        true
    }
}
