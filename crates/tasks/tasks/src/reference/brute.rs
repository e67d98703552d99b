//! The least makespan of all schedules of a few tasks, found by trying them all.

use std::collections::{BTreeMap, HashMap};

use numasim_graph::Dependencies;
use numasim_graph::values::{BlockHome, PagePlacement, TaskId};
use numasim_model::units::{GigabytesPerSecond, Seconds};
use numasim_model::{Machine, NodeId};

use crate::error;
use crate::error::TasksError;
use crate::question::Question;
use crate::reference::course::Course;
use crate::result::IdleReason;
use crate::schedulers::{Source, Start};

/// The least makespan of every schedule in which a worker begins a task when something happens, or waits until something else does:
/// schedulers in simulated time do nothing else. The question's scheduler and `steal` are ignored; there is no stealing. Not supported:
/// the placement `numa`, because a task has no socket except the one that runs it, and varied work of tasks.
///
/// Schedules that cannot be better than the best one so far are skipped, and if several ways lead to the same state, its future is
/// examined once. The time still grows with the factorial of the tasks; 8 on 2 nodes are suitable for tests.
///
/// `None`: more than `most_states` states would have to be remembered. Most questions have thousands, a few of them millions.
///
/// # Errors
/// As [`super::simulate`].
pub fn least_makespan(question: &Question, most_states: usize) -> Result<Option<Seconds>, TasksError> {
    error::check(question)?;
    let mut course = Course::new(question)?;
    let mut search = Search {
        least_s: f64::INFINITY,
        ahead: Ahead::new(question)?,
        seen: HashMap::new(),
        reached: 0,
        open: BTreeMap::new(),
    };
    if course.go_to_next_instant(IdleReason::Creation) {
        search.reach(course, Vec::new());
    }
    while let Some((_, (course, ready))) = search.open.pop_first() {
        search.decide(course, ready);
        if search.seen.len() > most_states {
            return Ok(None);
        }
    }
    Ok(Some(Seconds::new(search.least_s)))
}

struct Search<'a> {
    /// The least makespan so far.
    least_s: f64,
    ahead: Ahead<'a>,
    /// Per state that was reached: its earliest time.
    seen: HashMap<Vec<u64>, f64>,
    reached: usize,
    /// Courses and their ready tasks at points that need a decision. They are ordered by the bits of a lower bound on their time, which
    /// have the order of times, then by the number of tasks left (fewest first), then by age (oldest first).
    open: BTreeMap<(u64, usize, usize), (Course<'a>, Vec<TaskId>)>,
}

impl<'a> Search<'a> {
    /// Takes the steps that need no decision, until nothing more of this kind happens.
    fn reach(&mut self, mut course: Course<'a>, mut ready: Vec<TaskId>) {
        while !course.end_tasks(&mut |_| None).is_empty() | course.create(&mut |_| None) {
            ready.extend(course.newly_ready().into_iter().map(|(task, _)| task));
        }
        if course.unfinished().is_none() {
            self.least_s = self.least_s.min(course.now_s);
            return;
        }
        let at_least_s = course.now_s + self.ahead.least_s(&course);
        if at_least_s < self.least_s && self.is_new(&course) {
            let key = (at_least_s.to_bits(), course.not_taken().count(), self.reached);
            self.reached += 1;
            self.open.insert(key, (course, ready));
        }
    }

    /// Every decision.
    fn decide(&mut self, mut course: Course<'a>, ready: Vec<TaskId>) {
        if course.now_s + self.ahead.least_s(&course) >= self.least_s {
            return;
        }
        let workers = one_of_each_node(&course);
        for place in 0..ready.len() {
            for &worker in &workers {
                let mut taken = course.clone();
                let mut left = ready.clone();
                taken.take(worker, Start::new(left.remove(place), Source::Own), None);
                self.reach(taken, left);
            }
        }
        // No worker takes another task now. A scheduler leaves no task ready while no worker runs one: in that case an existing task
        // waits for one that the master has not created.
        if ready.is_empty() && course.forces() {
            return self.reach(course, ready);
        }
        course.set_rates();
        if course.go_to_next_instant(IdleReason::Parents) {
            self.reach(course, ready);
        }
    }

    /// Whether this state was not reached before, or only at a later time.
    fn is_new(&mut self, course: &Course) -> bool {
        let earliest_s = self.seen.entry(course.state()).or_insert(f64::INFINITY);
        let is_new = course.now_s < *earliest_s;
        *earliest_s = earliest_s.min(course.now_s);
        is_new
    }
}

/// An idle worker of each node that has one: workers of a node are interchangeable.
fn one_of_each_node(course: &Course) -> Vec<usize> {
    let mut nodes: Vec<NodeId> = Vec::new();
    let mut workers = course.idle_workers();
    workers.retain(|&worker| {
        let node = course.node_of(worker);
        let is_first = !nodes.contains(&node);
        nodes.push(node);
        is_first
    });
    workers
}

#[cfg(test)]
mod tests;

// A lower bound on the remaining time of a course, for every scheduler: it excludes courses that need not be tried.

/// The shortest possible times of tasks.
struct Ahead<'a> {
    machine: &'a Machine,
    workers: f64,
    all_gbs: f64,
    /// Per task: bytes that certainly come from each memory.
    from_memory: Vec<Vec<f64>>,
    /// Per task: its seconds, and those of the longest chain of tasks that wait for it.
    own_s: Vec<f64>,
    after_s: Vec<f64>,
}

impl<'a> Ahead<'a> {
    fn new(question: &Question<'a>) -> Result<Self, TasksError> {
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

    /// Work on `node` is limited by the speed of its core, by the bandwidth of each memory and of the link to it for its bytes, by that
    /// of any memory for those of one `open` block, and by that of all memories for all bytes.
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

    /// Lower bound in seconds on the rest of `course`: its longest chain of tasks, all work distributed over all workers, and all bytes
    /// of each memory.
    fn least_s(&self, course: &Course) -> f64 {
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

/// Bytes of a task that certainly come from each memory, and those of each block that come from one that is not known yet. Excludes those
/// of blocks that a cache may contain: if there is a cache, and some other task may have accessed them before.
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
        if largest > 0.0 && !is_first(access.block) {
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

/// The tasks that wait for `task`, those that wait for these, and so on.
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
