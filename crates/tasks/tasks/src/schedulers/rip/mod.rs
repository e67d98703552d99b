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
use numasim_graph::values::{Partitioner, SchedulerKind, TaskId, Ties};
use numasim_model::units::Seconds;

use self::window::Window;
use super::draw::Draw;
use super::given::Given;
use super::placed::Place;
use super::scheduler::{Partitioning, View};
use crate::error::TasksError;
use crate::question::Question;
use crate::sockets::{SocketId, Sockets};

/// What becomes of tasks when the first window has been partitioned.
trait Later: Send {
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

/// Who says which socket: any of the three.
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
        })
    }

    /// The master partitions what there is.
    fn begin(&self) -> Partitioning {
        let (tasks, edges) = self.window.size();
        Partitioning { tasks, duration: Seconds::new((tasks + edges) as f64 * self.price_ns * 1e-9) }
    }
}

impl Place for Rip {
    fn created(&mut self, view: &View<'_>, task: TaskId, given: &mut Given) -> Option<Partitioning> {
        let parents = self.writers.add(view.graph, task);
        let socket =
            if self.placed { self.later.place(view, task, parents, given, &mut self.draw) } else { None };
        if let Some(socket) = socket {
            given.set(task, socket);
            return None;
        }
        self.window.add(task, parents);
        self.window.is_full().then(|| self.begin())
    }

    fn pauses(&mut self) -> Option<Partitioning> {
        self.window.has_new().then(|| self.begin())
    }

    fn partitioned(&mut self, view: &View<'_>, given: &mut Given) -> Result<(), PartitionError> {
        let parts = self.window.partition(&self.targets, self.partitioner, self.ties, self.seed, given)?;
        for (task, socket) in self.window.new_tasks().map(TaskId).zip(parts) {
            given.set(task, SocketId(socket));
        }
        self.later.partitioned(view, self.window.new_tasks(), given);
        self.window.slide();
        self.placed = true;
        Ok(())
    }
}
