//! Windows of tasks that are partitioned, for `rip-dep`, `rip-sp` and `rip-mw`.

use numasim_graph::partition::{self, NS_PER_VERTEX_EDGE, WindowGraph};
use numasim_graph::values::{BlockId, SchedulerKind, TaskId};
use numasim_model::NodeId;

use crate::error::TasksError;
use crate::question::Question;

/// The window under way.
#[derive(Clone, Debug)]
pub(super) struct Windows<'a> {
    question: &'a Question<'a>,
    /// Tasks of the window in creation order; the first ones stayed from the window before.
    tasks: Vec<TaskId>,
    stayed: usize,
    /// Windows that were partitioned.
    done: u64,
}

impl<'a> Windows<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Result<Self, TasksError> {
        let settings = question.scheduler;
        if settings.kind == SchedulerKind::RipMw && settings.intersection >= settings.window {
            return Err(TasksError::Intersection {
                scheduler: settings.kind,
                intersection: settings.intersection,
                window: settings.window,
            });
        }
        Ok(Self { question, tasks: Vec::new(), stayed: 0, done: 0 })
    }

    /// Whether a task that is created now belongs to a window: of `rip-mw` all do, else those before the first partition.
    pub(super) fn takes_tasks(&self) -> bool {
        self.done == 0 || self.question.scheduler.kind == SchedulerKind::RipMw
    }

    /// A task is created. For how long the window is partitioned if that makes it full.
    pub(super) fn add(&mut self, task: TaskId) -> Option<f64> {
        self.tasks.push(task);
        let settings = self.question.scheduler;
        let extra = if self.done == 0 { settings.initial_extra } else { 0 };
        let full = settings.window as usize + extra as usize;
        if self.tasks.len() >= full { self.close() } else { None }
    }

    /// The master creates nothing for now. For how long the window is partitioned, if it has a task that was in none.
    pub(super) fn close(&self) -> Option<f64> {
        let each_ns = self.question.scheduler.partition_ns_per_vertex_edge.unwrap_or(NS_PER_VERTEX_EDGE);
        let size = self.tasks.len() + self.edges().len();
        (self.tasks.len() > self.stayed).then_some(size as f64 * each_ns * 1e-9)
    }

    /// Of tasks of the window, by place: who reads how many bytes from whom.
    fn edges(&self) -> Vec<(u32, u32, f64)> {
        let mut edges = Vec::new();
        for (to, &reader) in (0..).zip(&self.tasks) {
            for (from, &writer) in (0..to).zip(&self.tasks) {
                let (new, old) = self.bytes_from(writer, reader);
                let bytes = new + if self.question.scheduler.old_dependencies { old } else { 0.0 };
                if bytes > 0.0 {
                    edges.push((from, to, bytes));
                }
            }
        }
        edges
    }

    /// What a task declares of the blocks it reads that another one was the last to write, and of those where it was the last but one.
    pub(super) fn bytes_from(&self, writer: TaskId, reader: TaskId) -> (f64, f64) {
        let graph = self.question.graph;
        let mut bytes = (0.0, 0.0);
        for access in graph.accesses(reader).filter(|access| access.mode.reads()) {
            let earlier = graph.tasks().take(reader.0 as usize).rev();
            let writers: Vec<TaskId> = earlier.filter(|&task| self.writes(task, access.block)).collect();
            if writers.first() == Some(&writer) {
                bytes.0 += access.declared_bytes;
            } else if writers.get(1) == Some(&writer) {
                bytes.1 += access.declared_bytes;
            }
        }
        bytes
    }

    fn writes(&self, task: TaskId, block: BlockId) -> bool {
        self.question.graph.accesses(task).any(|access| access.block == block && access.mode.writes())
    }

    /// The window is partitioned: the nodes of its tasks that had none. `sockets`: the nodes with cores; `given`: those of tasks.
    pub(super) fn partition(
        &mut self,
        sockets: &[NodeId],
        given: &[Option<NodeId>],
    ) -> Result<Vec<(TaskId, NodeId)>, TasksError> {
        let question = self.question;
        let place = |node: NodeId| sockets.iter().position(|&socket| socket == node);
        let of_task = |task: &TaskId| given[task.0 as usize].and_then(place);
        let fixed: Vec<Option<u32>> = self.tasks[..self.stayed]
            .iter()
            .map(|task| of_task(task).and_then(|place| u32::try_from(place).ok()))
            .collect();
        let graph = WindowGraph::new(self.tasks.len(), &self.edges());
        let window = partition::Window {
            graph: &graph,
            sockets: &partition::Sockets::of(question.machine),
            fixed: &fixed,
            ties: question.runtime.ties,
            seed: question.runtime.seed,
            number: self.done,
        };
        let parts =
            partition::partition(&window, question.scheduler.partitioner).map_err(TasksError::Partition)?;
        let new = self.tasks.iter().zip(parts).skip(self.stayed);
        let new = new.map(|(&task, part)| (task, sockets[part as usize])).collect();
        let stay = question.scheduler.intersection as usize;
        self.tasks.drain(..self.tasks.len().saturating_sub(stay));
        self.stayed = self.tasks.len();
        self.done += 1;
        Ok(new)
    }
}
