//! `rip-dep`, `rip-sp`, `rip-mw`: windows of the graph are partitioned while tasks are created (paper 001, section 2.3).
//!
//! A window is complete when it has its full number of tasks, at a `taskwait`, at the end of creation, or when the throttle stops the
//! master; a window without a new task does not count. The master then partitions it and creates nothing meanwhile. A task that is ready
//! before it has a socket waits in a temporary queue. The three differ in the handling of tasks after the first window ([`Later`]).

use std::ops::Range;

use numasim_graph::partition;
use numasim_graph::partition::{NS_PER_VERTEX_EDGE, Parent, PartitionError, WindowGraph, Writers};
use numasim_graph::values::{Partitioner, SchedulerKind, SchedulerSettings, TaskId, Ties, VertexWeight};
use numasim_model::units::Seconds;

use crate::error::TasksError;
use crate::question::Question;
use crate::schedulers::placed::{DepTable, Given, Place, Weights};
use crate::schedulers::{Estimate, Partitioning, View};
use crate::sockets::{SocketId, Sockets};

/// Handling of tasks after the first window.
enum Later {
    /// `rip-dep`: data that the first window writes belongs to the sockets of its partition; later tasks follow this data, as under
    /// `dep`.
    Table(DepTable),
    /// `rip-sp`: they go to the socket from whose tasks they read most (paper 001, Algorithm 2.3). That may differ from the one under
    /// `rip-dep`: data is on the node that wrote it first, not on the one that wrote it last.
    Parents(Weights),
    /// `rip-mw`: every window is partitioned; its newest tasks stay in the next one, where they are.
    Windows,
}

/// The part of the three schedulers that determines sockets.
pub(super) struct Rip<'a> {
    later: Later,
    window: Window,
    writers: Writers,
    /// Times of tasks, if these are their weights.
    times: Option<Estimate<'a>>,
    /// Whether the first window has been partitioned.
    placed: bool,
    price_ns: f64,
    partitioner: Partitioner,
    targets: partition::Sockets,
    ties: Ties,
    seed: u64,
}

impl<'a> Rip<'a> {
    /// # Errors
    /// [`TasksError::Intersection`], [`TasksError::Partition`].
    pub(super) fn new(question: &Question<'a>, sockets: &Sockets) -> Result<Self, TasksError> {
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
        let later = match settings.kind {
            SchedulerKind::RipSp => Later::Parents(Weights::new(question, sockets)),
            SchedulerKind::RipMw => Later::Windows,
            _ => Later::Table(DepTable::new(question, sockets)),
        };
        Ok(Self {
            later,
            window: Window::new(settings),
            writers: Writers::new(question.graph.blocks().len()),
            times: (settings.vertex_weight == VertexWeight::Time).then(|| Estimate::new(question, sockets)),
            placed: false,
            price_ns: settings.partition_ns_per_vertex_edge.unwrap_or(NS_PER_VERTEX_EDGE),
            partitioner: settings.partitioner,
            targets: partition::Sockets::of(question.machine),
            ties: question.runtime.ties,
            seed: question.runtime.seed,
        })
    }

    /// The master partitions the present window.
    fn begin(&self) -> Partitioning {
        let (tasks, edges) = self.window.size();
        Partitioning { tasks, duration: Seconds::new((tasks + edges) as f64 * self.price_ns * 1e-9) }
    }
}

impl Place for Rip<'_> {
    fn created(&mut self, view: &View<'_>, task: TaskId, given: &mut Given) -> Option<Partitioning> {
        let parents = self.writers.add(view.graph, task);
        let socket = match &mut self.later {
            Later::Table(table) if self.placed => Some(table.place(view, task)),
            Later::Parents(weights) if self.placed => {
                Some(weights.choose(parents.iter().map(|parent| (given.of(parent.task), parent.bytes))))
            }
            _ => None,
        };
        if let Some(socket) = socket {
            given.set(task, socket);
            return None;
        }
        self.window.add(task, parents);
        if let Some(times) = &mut self.times {
            self.window.seconds.push(times.mean_seconds(task));
        }
        self.window.is_full().then(|| self.begin())
    }

    fn pauses(&mut self) -> Option<Partitioning> {
        self.window.has_new().then(|| self.begin())
    }

    fn partitioned(&mut self, view: &View<'_>, given: &mut Given) -> Result<(), PartitionError> {
        let parts = self.window.partition(&self.targets, self.partitioner, self.ties, self.seed, given)?;
        for (task, socket) in self.window.new_tasks().map(TaskId).zip(parts) {
            given.set(task, SocketId(socket));
            if let Later::Table(table) = &mut self.later {
                table.enter(view.graph, task, SocketId(socket));
            }
        }
        self.window.slide();
        self.placed = true;
        Ok(())
    }
}
// The tasks and edges of a window, and its partition.

/// Tasks that were created consecutively.
#[derive(Clone, Debug)]
struct Window {
    /// The first task, the first one without a socket, and the one after the last one.
    first: u32,
    new: u32,
    end: u32,
    /// Between tasks of the window, with bytes.
    edges: Vec<(u32, u32, f64)>,
    /// Per task of the window its time; empty if all weigh the same.
    seconds: Vec<f64>,
    /// Whether the second-last writer is also a parent.
    old: bool,
    /// Tasks of this window when it is full, and of all later ones.
    full: u64,
    later_full: u64,
    /// Number of newest tasks that stay.
    stay: u32,
    number: u64,
}

impl Window {
    /// An empty window.
    fn new(settings: &SchedulerSettings) -> Self {
        // Readers of files reject 0.
        let full = u64::from(settings.window).max(1);
        Self {
            first: 0,
            new: 0,
            end: 0,
            edges: Vec::new(),
            seconds: Vec::new(),
            old: settings.old_dependencies,
            full: full + u64::from(settings.initial_extra),
            later_full: full,
            stay: settings.intersection,
            number: 0,
        }
    }

    /// One more task, which reads from `parents`.
    fn add(&mut self, task: TaskId, parents: &[Parent]) {
        if self.first == self.end {
            // Nothing stayed.
            (self.first, self.new) = (task.0, task.0);
        }
        self.end = task.0 + 1;
        for parent in parents.iter().filter(|parent| parent.task.0 >= self.first) {
            let bytes = parent.bytes + if self.old { parent.old_bytes } else { 0.0 };
            if bytes > 0.0 {
                self.edges.push((parent.task.0, task.0, bytes));
            }
        }
    }

    /// Whether it has its full number of tasks.
    fn is_full(&self) -> bool {
        u64::from(self.end - self.first) >= self.full
    }

    /// Whether any task waits for its socket.
    fn has_new(&self) -> bool {
        self.new < self.end
    }

    /// Tasks that wait for their sockets.
    fn new_tasks(&self) -> Range<u32> {
        self.new..self.end
    }

    /// Number of tasks and edges.
    fn size(&self) -> (usize, usize) {
        ((self.end - self.first) as usize, self.edges.len())
    }

    /// The index of its socket for each new task.
    ///
    /// # Errors
    /// [`PartitionError`].
    fn partition(
        &self,
        sockets: &partition::Sockets,
        partitioner: Partitioner,
        ties: Ties,
        seed: u64,
        given: &Given,
    ) -> Result<impl Iterator<Item = u32> + use<>, PartitionError> {
        let edges: Vec<(u32, u32, f64)> =
            self.edges.iter().map(|&(from, to, bytes)| (from - self.first, to - self.first, bytes)).collect();
        let graph = if self.seconds.is_empty() {
            WindowGraph::new(self.size().0, &edges)
        } else {
            WindowGraph::timed(&self.seconds, &edges)
        };
        let fixed: Vec<Option<u32>> =
            (self.first..self.new).map(|task| given.of(TaskId(task)).map(|socket| socket.0)).collect();
        let window =
            partition::Window { graph: &graph, sockets, fixed: &fixed, ties, seed, number: self.number };
        let parts = partition::partition(&window, partitioner)?;
        Ok(parts.into_iter().skip(fixed.len()))
    }

    /// All tasks have a socket: the newest stay for the next window.
    fn slide(&mut self) {
        let first = self.first.max(self.end.saturating_sub(self.stay));
        self.seconds.drain(..self.seconds.len().min((first - self.first) as usize));
        self.first = first;
        self.new = self.end;
        self.edges.retain(|&(from, ..)| from >= self.first);
        self.full = self.later_full;
        self.number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent(task: u32, bytes: f64, old_bytes: f64) -> Parent {
        Parent { task: TaskId(task), bytes, old_bytes }
    }

    fn settings() -> SchedulerSettings {
        SchedulerSettings { window: 3, initial_extra: 1, intersection: 2, ..SchedulerSettings::default() }
    }

    #[test]
    fn the_newest_tasks_stay_and_count_to_the_next_window() {
        let mut window = Window::new(&settings());
        for task in 0..4 {
            assert!(!window.is_full());
            window
                .add(TaskId(task), &[parent(task.saturating_sub(1), if task == 0 { 0.0 } else { 1.0 }, 0.0)]);
        }
        // 3 + 1 tasks, 3 edges.
        assert!(window.is_full());
        assert_eq!((window.size(), window.new_tasks()), ((4, 3), 0..4));
        window.slide();
        // 2 and 3 stay with the edge between them; one more makes three.
        assert_eq!((window.size(), window.has_new(), window.is_full()), ((2, 1), false, false));
        window.add(TaskId(4), &[parent(0, 1.0, 0.0), parent(2, 0.0, 7.0), parent(3, 1.0, 0.0)]);
        assert!(window.is_full());
        assert_eq!((window.size(), window.new_tasks()), ((3, 2), 4..5));
    }

    #[test]
    fn old_dependencies_are_edges_where_they_are_asked_for() {
        for (old_dependencies, edges) in [(false, 1), (true, 2)] {
            let mut window = Window::new(&SchedulerSettings { old_dependencies, ..settings() });
            window.add(TaskId(0), &[]);
            window.add(TaskId(1), &[]);
            window.add(TaskId(2), &[parent(0, 0.0, 3.0), parent(1, 3.0, 0.0)]);
            assert_eq!(window.size(), (3, edges));
        }
    }
}
