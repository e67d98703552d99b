//! `fifo`, `static`, `random-steal` and `taskloop-affinity`: queues that ignore nodes, or from which any worker may steal.

use std::collections::VecDeque;

use numasim_graph::values::{Access, BlockHome, TaskGraph, TaskId};

use crate::question::Question;
use crate::schedulers::ready_queue::ReadyQueue;
use crate::schedulers::{Draw, HandOver, MASTER, Scheduler, View, who_hands_over};
use crate::sockets::{SocketId, Sockets, WorkerId};

// `fifo`: one queue, in the order in which tasks become ready, higher priorities first; it ignores data.

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Fifo {
    queue: ReadyQueue,
    /// Per worker: the task that it runs next, because its last task was the last missing parent; no entries without that option.
    successors: Vec<Option<TaskId>>,
}

impl Fifo {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let workers = if question.scheduler.immediate_successor { sockets.worker_count() } else { 0 };
        Self { queue: ReadyQueue::default(), successors: vec![None; workers] }
    }
}

impl Scheduler for Fifo {
    fn ready(&mut self, view: &View<'_>, task: TaskId, by: Option<WorkerId>) {
        // Tasks come by number: the first that a worker has made ready is the lowest.
        match by.and_then(|worker| self.successors.get_mut(worker.0 as usize)) {
            Some(successor @ None) => *successor = Some(task),
            _ => self.queue.push(task, view.graph.priority(task)),
        }
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        let successor = self.successors.get_mut(worker.0 as usize).and_then(Option::take);
        successor.or_else(|| self.queue.pop())
    }
}

// `static`: loops are distributed as by OpenMP's `schedule(static)`: each worker has a contiguous part of the iterations, about as many
// as every other one, and no worker takes over iterations of another (OpenMP API 5.2, section 11.5.3, without a chunk size).
//
// Iterations are tasks that create nothing. Those of one loop are the ones below the same task of the master. Tasks that the master
// creates itself form a loop if they are consecutive, have the same type and are between two `taskwait`. Of n iterations in the order of
// their numbers, number i goes to worker floor(i W / n). A task that creates others goes to the worker of the first iteration below it. A
// worker takes its tasks in the order in which they become ready.

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct StaticLoops {
    /// Per task: its worker, and per worker its node.
    worker: Vec<u32>,
    node: Vec<SocketId>,
    /// Per worker: ready tasks, the oldest first.
    queues: Vec<VecDeque<TaskId>>,
}

impl StaticLoops {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let workers = u32::try_from(sockets.worker_count()).unwrap_or(u32::MAX);
        Self {
            worker: dealt(question.graph, workers),
            node: (0..workers).map(|worker| sockets.of_worker(WorkerId(worker))).collect(),
            queues: vec![VecDeque::new(); sockets.worker_count()],
        }
    }
}

/// Per task: its worker.
fn dealt(graph: &TaskGraph, workers: u32) -> Vec<u32> {
    // Per task: its loop, identified by the first task of the master in it.
    let mut loops: Vec<u32> = Vec::with_capacity(graph.task_count());
    // The loop of the last task that the master created, if that task creates nothing.
    let mut open: Option<(TaskId, u32)> = None;
    for task in graph.tasks() {
        let number = match graph.created_by(task) {
            Some(TaskId(creator)) => loops.get(creator as usize).copied().unwrap_or(task.0),
            None if !graph.children(task).is_empty() => {
                open = None;
                task.0
            }
            None => {
                let goes_on = |&(last, _): &(TaskId, u32)| {
                    graph.kind(last) == graph.kind(task) && !graph.taskwait(task)
                };
                let number = open.filter(goes_on).map_or(task.0, |(_, number)| number);
                open = Some((task, number));
                number
            }
        };
        loops.push(number);
    }
    // Iterations by loop, and the number of them that were assigned.
    let mut count = vec![(0_u64, 0_u64); graph.task_count()];
    let is_iteration = |task: TaskId| graph.children(task).is_empty();
    for (task, &number) in graph.tasks().zip(&loops) {
        if let Some(count) = count.get_mut(number as usize) {
            count.0 += u64::from(is_iteration(task));
        }
    }
    let mut worker = vec![u32::MAX; graph.task_count()];
    for (task, &number) in graph.tasks().zip(&loops) {
        let Some((all, dealt)) = count.get_mut(number as usize) else { continue };
        if is_iteration(task) {
            let own = (*dealt * u64::from(workers)).checked_div(*all).unwrap_or(0);
            *dealt += 1;
            worker.get_mut(task.0 as usize).into_iter().for_each(|worker| {
                *worker = u32::try_from(own).unwrap_or(0);
            });
        }
    }
    // A creator is earlier than its children: when the loop reaches a task, all tasks below it are complete.
    for task in graph.tasks().rev() {
        if let (Some(TaskId(creator)), Some(&own)) = (graph.created_by(task), worker.get(task.0 as usize))
            && let Some(first) = worker.get_mut(creator as usize)
        {
            *first = own.min(*first);
        }
    }
    worker
}

impl Scheduler for StaticLoops {
    fn ready(&mut self, _: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        let worker = self.worker.get(task.0 as usize);
        if let Some(queue) = worker.and_then(|&worker| self.queues.get_mut(worker as usize)) {
            queue.push_back(task);
        }
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.queues.get_mut(worker.0 as usize)?.pop_front()
    }

    fn socket(&self, task: TaskId) -> Option<SocketId> {
        self.node.get(*self.worker.get(task.0 as usize)? as usize).copied()
    }

    fn gives_sockets(&self) -> bool {
        true
    }
}

// `random-steal`: a queue per worker, and idle workers steal from random others: the behaviour of a runtime without NUMA awareness (Cilk:
// Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work Stealing", 1999; Taskflow).
//
// A task goes to the queue of the worker whose task was the last one that it waited for, or that created it. Tasks that are ready when
// they are created go to the queues of all workers in turn, because the master has no queue. The owner takes the newest task, a thief the
// oldest of a random queue among those that have any.

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct RandomSteal {
    queues: Vec<VecDeque<TaskId>>,
    /// Workers with tasks in their queues, and per worker its index among them.
    filled: Vec<u32>,
    place: Vec<usize>,
    turn: usize,
    draw: Draw,
}

impl RandomSteal {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let workers = sockets.worker_count();
        Self {
            queues: vec![VecDeque::new(); workers],
            filled: Vec::with_capacity(workers),
            place: vec![0; workers],
            turn: 0,
            draw: Draw::new(question.runtime),
        }
    }

    /// The queue of `worker` has become empty.
    fn emptied(&mut self, worker: usize) {
        let Some(&place) = self.place.get(worker) else { return };
        if place < self.filled.len() {
            self.filled.swap_remove(place);
            if let Some(moved) = self.filled.get(place).and_then(|&moved| self.place.get_mut(moved as usize))
            {
                *moved = place;
            }
        }
    }

    fn take(
        &mut self,
        worker: usize,
        from: impl Fn(&mut VecDeque<TaskId>) -> Option<TaskId>,
    ) -> Option<TaskId> {
        let queue = self.queues.get_mut(worker)?;
        let task = from(queue)?;
        if queue.is_empty() {
            self.emptied(worker);
        }
        Some(task)
    }
}

impl Scheduler for RandomSteal {
    fn ready(&mut self, _: &View<'_>, task: TaskId, by: Option<WorkerId>) {
        let worker = by.unwrap_or_else(|| {
            let turn = self.turn % self.queues.len().max(1);
            self.turn = turn + 1;
            WorkerId(u32::try_from(turn).unwrap_or(0))
        });
        let index = worker.0 as usize;
        let Some(queue) = self.queues.get_mut(index) else { return };
        if queue.is_empty() {
            if let Some(place) = self.place.get_mut(index) {
                *place = self.filled.len();
            }
            self.filled.push(worker.0);
        }
        queue.push_back(task);
    }

    /// Placed where its creator ran, as a spawned task.
    fn created_ready(&mut self, view: &View<'_>, task: TaskId, creator: WorkerId) {
        self.ready(view, task, Some(creator));
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.take(worker.0 as usize, VecDeque::pop_back)
    }

    fn steal(&mut self, _: &View<'_>, _: WorkerId) -> Option<TaskId> {
        // The thief's own queue is empty.
        let victim = *self.filled.get(self.draw.any(self.filled.len()))?;
        self.take(victim as usize, VecDeque::pop_front)
    }

    fn steals(&self) -> bool {
        true
    }
}

// `taskloop-affinity`: OpenMP tasks with the clause `affinity`, as an experimental LLVM runtime implements it (Klinkenberg and others,
// "Assessing Task-to-Data Affinity in the LLVM OpenMP Runtime", IWOMP 2018). The released runtime reads the clause and ignores it
// (`__kmpc_omp_reg_task_with_affinity`, LLVM review D80240); `random-steal` is close to its behaviour.
//
// When a task is ready the runtime determines the location of its data: that of the block of which it declares the most, the first of
// equal ones. If that is a node with cores, the task goes to the youngest end of the queue of a worker there: to the worker that hands it
// over if it is on that node, or else to the node's workers in turn. Data that no task has touched, or that is interleaved or on a node
// without cores, determines nothing: the task goes to the queue of the worker that hands it over. A worker takes the youngest task of its
// queue, then steals the oldest of a random other worker among those that have any. OpenMP has neither returned tasks nor shared queues,
// so `returns` and `submit` have no effect.

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct TaskloopAffinity {
    /// Per worker: tasks, the youngest last.
    queues: Vec<VecDeque<TaskId>>,
    /// Per node: number of tasks that workers of other nodes have sent there.
    turns: Vec<u32>,
    draw: Draw,
}

impl TaskloopAffinity {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        Self {
            queues: vec![VecDeque::new(); sockets.worker_count()],
            turns: vec![0; sockets.count()],
            draw: Draw::new(question.runtime),
        }
    }

    fn push(&mut self, view: &View<'_>, worker: WorkerId, task: TaskId) {
        let node = home(view, task).filter(|&node| node != view.sockets.of_worker(worker));
        let worker = node.map_or(worker, |node| self.in_turn(view.sockets, node));
        self.queues.get_mut(worker.0 as usize).into_iter().for_each(|queue| queue.push_back(task));
    }

    /// The next worker of a node.
    fn in_turn(&mut self, sockets: &Sockets, node: SocketId) -> WorkerId {
        let workers = sockets.workers(node);
        let Some(turn) = self.turns.get_mut(node.0 as usize) else { return MASTER };
        let place = turn.checked_rem(workers.end - workers.start).unwrap_or(0);
        *turn = place + 1;
        WorkerId(workers.start + place)
    }
}

/// The socket of a task's data.
fn home(view: &View<'_>, task: TaskId) -> Option<SocketId> {
    // The first of equal ones.
    let more = |a: Access, b: Access| if b.declared_bytes > a.declared_bytes { b } else { a };
    let largest = view.graph.accesses(task).reduce(more)?;
    match view.home(largest.block) {
        BlockHome::Node(node) => view.sockets.of_node(node),
        BlockHome::Open | BlockHome::Interleaved => None,
    }
}

impl Scheduler for TaskloopAffinity {
    fn ready(&mut self, view: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        self.push(view, MASTER, task);
    }

    fn hands_over(&self) -> bool {
        true
    }

    fn hand_over(&mut self, view: &View<'_>, handed: &HandOver<'_>) {
        for &task in handed.children.iter().chain(handed.others) {
            self.push(view, who_hands_over(view.graph, task, handed.worker), task);
        }
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.queues.get_mut(worker.0 as usize)?.pop_back()
    }

    fn steal(&mut self, _: &View<'_>, thief: WorkerId) -> Option<TaskId> {
        let workers = u32::try_from(self.queues.len()).unwrap_or(u32::MAX);
        self.draw.oldest_of_others(&mut self.queues, thief, 0..workers)
    }

    fn steals(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{NewTask, TaskGraphBuilder, TreeTask};

    use super::*;

    /// Tasks by creator and type; a type in capitals waits for all before.
    fn graph(tasks: &[(Option<u32>, &str)]) -> TaskGraph {
        let mut graph = TaskGraphBuilder::new("loops");
        for &(creator, kind) in tasks {
            let taskwait = kind == "WAIT";
            let kind = graph.kind(kind);
            let task = NewTask { kind, gflop: 0.0, accesses: &[], socket: None, taskwait, name: None };
            let tree = TreeTask { created_by: creator.map(TaskId), ..TreeTask::default() };
            graph.tree_task(task, tree).expect("a task");
        }
        graph.finish()
    }

    #[test]
    fn iterations_of_a_tree_are_dealt_in_equal_parts() {
        // Halves of four iterations, and six that one task creates, on two workers.
        let halves = [None, Some(0), Some(1), Some(1), Some(0), Some(4), Some(4)].map(|by| (by, "range"));
        assert_eq!(dealt(&graph(&halves), 2), [0, 0, 0, 0, 1, 1, 1]);
        let list = [None, Some(0), Some(0), Some(0), Some(0), Some(0), Some(0)].map(|by| (by, "list"));
        // floor(i x 4 / 6) of four workers: 0 0 1 2 2 3.
        assert_eq!(dealt(&graph(&list), 4), [0, 0, 0, 1, 2, 2, 3]);
    }

    #[test]
    fn tasks_of_the_master_are_a_loop_as_long_as_they_are_alike() {
        let tasks = [(None, "a"), (None, "a"), (None, "b"), (None, "b"), (None, "WAIT"), (None, "b")];
        assert_eq!(dealt(&graph(&tasks), 2), [0, 1, 0, 1, 0, 0]);
    }
}
