//! How long a course goes on at least, whoever decides: what need not be tried is left by it.

use numasim_graph::Dependencies;
use numasim_graph::values::{BlockHome, PagePlacement, TaskId};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};

use super::super::course::Course;
use crate::error::TasksError;
use crate::question::Question;

/// What tasks take at least.
pub(super) struct Ahead<'a> {
    machine: &'a Machine,
    workers: f64,
    all_gbs: f64,
    /// Per task: bytes that surely come from each memory.
    from_memory: Vec<Vec<f64>>,
    /// Per task: its seconds, and those of the longest chain of tasks that wait for it.
    own_s: Vec<f64>,
    after_s: Vec<f64>,
}

impl<'a> Ahead<'a> {
    pub(super) fn new(question: &Question<'a>) -> Result<Self, TasksError> {
        let (graph, machine) = (question.graph, question.machine);
        let dependencies = Dependencies::of(graph).ok_or(TasksError::TooManyEdges)?;
        let workers: u32 = machine.nodes().iter().map(|node| node.cores).sum();
        let mut ahead = Self {
            machine,
            workers: f64::from(workers),
            all_gbs: machine.nodes().iter().map(|node| node.bandwidth.value()).sum(),
            from_memory: Vec::new(),
            own_s: Vec::new(),
            after_s: vec![0.0; graph.task_count()],
        };
        for task in graph.tasks() {
            let (from_memory, open) = surely_moved(question, &dependencies, task);
            let on = |node| ahead.working_s(node, graph.gflop(task), &from_memory, &open);
            let least_s = machine.compute_nodes().map(on).fold(f64::INFINITY, f64::min);
            ahead.own_s.push(question.runtime.task.value() + least_s);
            ahead.from_memory.push(from_memory);
        }
        for task in graph.tasks().rev() {
            let children = dependencies.children(task).iter().map(|child| child.0 as usize);
            let chains = children.map(|child| ahead.own_s[child] + ahead.after_s[child]);
            ahead.after_s[task.0 as usize] = chains.fold(0.0, f64::max);
        }
        Ok(ahead)
    }

    /// Work on `node` is not faster than its core computes, than each memory or the link to it gives its bytes, than any memory gives those of
    /// one `open` block, and than all memories give all bytes.
    fn working_s(&self, node: NodeId, gflop: f64, from_memory: &[f64], open: &[f64]) -> f64 {
        let mut least_s = gflop / self.machine.node(node).gflops_per_core.value();
        for memory in self.machine.memory_nodes() {
            let bytes = from_memory[memory.0];
            let bandwidth = self.machine.node(memory).bandwidth.value();
            let link = self.machine.link(node, memory).map_or(f64::INFINITY, GigabytesPerSecond::value);
            least_s = least_s.max(bytes / 1e9 / bandwidth.min(link));
        }
        let most_gbs = self.machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
        least_s = open.iter().map(|bytes| bytes / 1e9 / most_gbs).fold(least_s, f64::max);
        least_s.max(from_memory.iter().chain(open).sum::<f64>() / 1e9 / self.all_gbs)
    }

    /// Seconds that `course` goes on at least: its longest chain of tasks, all work by turns on all workers, and all bytes of each memory.
    pub(super) fn least_s(&self, course: &Course) -> f64 {
        let (mut chain_s, mut work_s) = (0.0_f64, 0.0);
        let mut from_memory = vec![0.0; self.machine.node_count()];
        for id in course.not_taken() {
            let task = id.0 as usize;
            chain_s = chain_s.max(course.until_created_s(id) + self.own_s[task] + self.after_s[task]);
            work_s += self.own_s[task];
            from_memory.iter_mut().zip(&self.from_memory[task]).for_each(|(sum, bytes)| *sum += bytes);
        }
        for running in course.running() {
            let bytes: Vec<f64> = running.by_memory.iter().map(|bytes| bytes * running.rest).collect();
            let least_s = running.sure_s + self.working_s(running.node, 0.0, &bytes, &[]);
            chain_s = chain_s.max(least_s + self.after_s[running.task.0 as usize]);
            work_s += least_s;
            from_memory.iter_mut().zip(&bytes).for_each(|(sum, bytes)| *sum += bytes);
        }
        let memories = self.machine.memory_nodes();
        let memories_s =
            memories.map(|node| from_memory[node.0] / 1e9 / self.machine.node(node).bandwidth.value());
        memories_s.fold(chain_s.max(work_s / self.workers), f64::max)
    }
}

/// Bytes of a task that surely come from each memory, and those of each block that come from one that is not known yet. Not those of blocks that a
/// cache may have: it can hold them, and some other task can have accessed them before.
fn surely_moved(question: &Question, dependencies: &Dependencies, task: TaskId) -> (Vec<f64>, Vec<f64>) {
    let (graph, machine) = (question.graph, question.machine);
    let capacity = |node| machine.cache(node).map_or(0.0, |cache| cache.size.value() * 1e6);
    let largest = machine.compute_nodes().map(capacity).fold(0.0, f64::max);
    let later = all_after(dependencies, task);
    let is_first = |block| {
        let accesses = |other: &TaskId| graph.accesses(*other).any(|access| access.block == block);
        graph.tasks().filter(accesses).all(|other| other == task || later.contains(&other))
    };
    let nodes = machine.node_count();
    let (mut from_memory, mut open) = (vec![0.0; nodes], Vec::new());
    for access in graph.accesses(task) {
        let block = graph.blocks()[access.block.0 as usize];
        if largest > 0.0 && block.bytes <= largest && !is_first(access.block) {
            continue;
        }
        match (question.placement, block.home) {
            (PagePlacement::Interleave, _) | (PagePlacement::FirstTouch, BlockHome::Interleaved) => {
                for memory in machine.memory_nodes() {
                    from_memory[memory.0] += access.moved_bytes / machine.memory_count() as f64;
                }
            }
            (PagePlacement::FirstTouch, BlockHome::Node(home)) => from_memory[home.0] += access.moved_bytes,
            _ => open.push(access.moved_bytes),
        }
    }
    (from_memory, open)
}

/// The tasks that wait for `task`, for those, and so on.
fn all_after(dependencies: &Dependencies, task: TaskId) -> Vec<TaskId> {
    let mut after = dependencies.children(task).to_vec();
    let mut place = 0;
    while let Some(&next) = after.get(place) {
        for &child in dependencies.children(next) {
            if !after.contains(&child) {
                after.push(child);
            }
        }
        place += 1;
    }
    after
}
