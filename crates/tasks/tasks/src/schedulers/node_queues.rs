//! `hint`, `plan` and `arena-per-node`: queues of nodes, from which workers of other nodes take no tasks.

use std::collections::VecDeque;

use numasim_graph::values::{BlockId, Submit, TaskId};
use numasim_model::NodeId;
use numasim_plan::{Fallbacks, GraphPlan};

use crate::error::TasksError;
use crate::question::Question;
use crate::schedulers::tbb::{Way, ways};
use crate::schedulers::{Draw, HandOver, MASTER, Round, Scheduler, Source, Start, View, who_hands_over};
use crate::sockets::{SocketId, Sockets, WorkerId};

// `hint` and `plan`: the runtime of paper 000. The programmer or a plan determines the node of a task; no task is stolen by another node.
//
// A worker hands over a task to its queue if the task has no node or the worker's node; a task of another node goes to the shared queue
// of that node. A worker takes the oldest task of its queue, then of its node's, then of the queues of the other workers of its node.

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Hint<'a> {
    queues: NodeQueues,
    /// For `plan`: the nodes of tasks and blocks, instead of the programmer's hints.
    plan: Option<&'a GraphPlan>,
}

impl<'a> Hint<'a> {
    /// `hint`.
    pub(super) fn of_programmer(sockets: &Sockets) -> Self {
        Self { queues: NodeQueues::new(sockets), plan: None }
    }

    /// `plan`.
    ///
    /// # Errors
    /// [`TasksError::NoPlan`].
    pub(super) fn of_plan(question: &Question<'a>, sockets: &Sockets) -> Result<Self, TasksError> {
        let plan = question.plan.ok_or(TasksError::NoPlan)?;
        Ok(Self { plan: Some(plan), ..Self::of_programmer(sockets) })
    }

    fn hand(&mut self, view: &View<'_>, worker: WorkerId, task: TaskId) {
        let node = match self.plan {
            Some(plan) => plan.task(task),
            None => view.graph.affinity(task),
        };
        let node = node.and_then(|node| view.sockets.of_node(node));
        self.queues.hand_over(view.sockets, worker, node, task);
    }
}

impl Scheduler for Hint<'_> {
    fn ready(&mut self, view: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        self.hand(view, MASTER, task);
    }

    fn hands_over(&self) -> bool {
        true
    }

    fn hand_over(&mut self, view: &View<'_>, handed: &HandOver<'_>) {
        for &task in handed.children.iter().chain(handed.others) {
            self.hand(view, who_hands_over(view.graph, task, handed.worker), task);
        }
    }

    fn take(&mut self, view: &View<'_>, worker: WorkerId, round: Round) -> Option<Start> {
        match round {
            Round::Own => self.queues.next(view.sockets, worker),
            Round::OtherNodes => None,
            Round::Steal => self.queues.steal(view.sockets, worker),
        }
    }

    fn steals(&self) -> bool {
        true
    }

    fn home(&mut self, view: &View<'_>, block: BlockId) -> Option<NodeId> {
        match self.plan {
            Some(plan) => plan.block(block),
            None => view.graph.hint(block),
        }
    }

    fn fallbacks(&self) -> Option<Fallbacks> {
        self.plan.map(GraphPlan::fallbacks)
    }
}

// Queues of the runtime of paper 000: each worker has a private one, each node a shared one. All are FIFO, and workers of other nodes
// take nothing from them.

/// Ready tasks by worker and by node, the oldest first.
#[derive(Clone, Debug)]
pub(in crate::schedulers) struct NodeQueues {
    of_worker: Vec<VecDeque<TaskId>>,
    of_node: Vec<VecDeque<TaskId>>,
    /// Per node: number of tasks in its queue and in those of its workers. Most searches find no task.
    waiting: Vec<usize>,
}

impl NodeQueues {
    /// Empty queues.
    pub(in crate::schedulers) fn new(sockets: &Sockets) -> Self {
        Self {
            of_worker: vec![VecDeque::new(); sockets.worker_count()],
            of_node: vec![VecDeque::new(); sockets.count()],
            waiting: vec![0; sockets.count()],
        }
    }

    /// A worker hands over a task with a node: to its queue if that is its node, or if the task has none.
    pub(in crate::schedulers) fn hand_over(
        &mut self,
        sockets: &Sockets,
        worker: WorkerId,
        node: Option<SocketId>,
        task: TaskId,
    ) {
        let other = node.filter(|&node| node != sockets.of_worker(worker));
        let queue = match other {
            Some(node) => self.of_node.get_mut(node.0 as usize),
            None => self.of_worker.get_mut(worker.0 as usize),
        };
        let node = other.unwrap_or_else(|| sockets.of_worker(worker));
        if let (Some(queue), Some(waiting)) = (queue, self.waiting.get_mut(node.0 as usize)) {
            queue.push_back(task);
            *waiting += 1;
        }
    }

    /// The oldest task of the worker's own queue, then of its node's.
    pub(in crate::schedulers) fn next(&mut self, sockets: &Sockets, worker: WorkerId) -> Option<Start> {
        let node = sockets.of_worker(worker);
        let waiting = self.waiting.get_mut(node.0 as usize).filter(|waiting| **waiting > 0)?;
        let own = self.of_worker.get_mut(worker.0 as usize).and_then(VecDeque::pop_front);
        let start = match own {
            Some(task) => Start::new(task, Source::Own),
            None => Start::new(self.of_node.get_mut(node.0 as usize)?.pop_front()?, Source::Shared),
        };
        *waiting -= 1;
        Some(start)
    }

    /// The oldest task of a worker of the same node, cyclically after the thief.
    pub(in crate::schedulers) fn steal(&mut self, sockets: &Sockets, thief: WorkerId) -> Option<Start> {
        let node = sockets.of_worker(thief);
        let waiting = self.waiting.get_mut(node.0 as usize).filter(|waiting| **waiting > 0)?;
        let workers = sockets.workers(node);
        let after = (thief.0 + 1..workers.end).chain(workers.start..thief.0);
        let mut queues = after.map(|victim| victim as usize);
        let task = queues.find_map(|victim| self.of_worker.get_mut(victim)?.pop_front())?;
        *waiting -= 1;
        Some(Start::new(task, Source::Steal))
    }
}

// `arena-per-node`: oneTBB in its usual form on NUMA machines today, with one `task_arena` per node, pinned to it by
// `constraints::set_numa_id`, and no slots reserved (oneTBB Developer Guide and API Reference, "Guiding Task Scheduler Execution" and
// "task_arena").
//
// A task with affinity for another node is enqueued into the arena of that node, regardless of its `submit`, as a program does with
// `task_arena::enqueue`: it is neither returned nor a successor. All other tasks stay in the arena, whose workers follow the rules of
// `tbb` without mailboxes. They take the returned task, its successor (the lowest of those that stay), the youngest of the worker's
// deque, the oldest of the arena's queue, the oldest of another worker of the arena. No worker leaves an arena.

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct ArenaPerNode {
    /// Per worker: the tasks with which it continues, in order.
    next: Vec<[Option<Start>; 2]>,
    /// Per worker: spawned tasks, the youngest last.
    deques: Vec<VecDeque<TaskId>>,
    /// Per node: enqueued tasks, the oldest first.
    queues: Vec<VecDeque<TaskId>>,
    draw: Draw,
}

impl ArenaPerNode {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let workers = sockets.worker_count();
        Self {
            next: vec![[None; 2]; workers],
            deques: vec![VecDeque::new(); workers],
            queues: vec![VecDeque::new(); sockets.count()],
            draw: Draw::new(question.runtime),
        }
    }

    /// A worker of an arena hands over a task, which goes `way`.
    fn submit(&mut self, view: &View<'_>, worker: WorkerId, task: TaskId, way: Way) {
        let own = view.sockets.of_worker(worker);
        let node = arena(view, task).unwrap_or(own);
        let index = worker.0 as usize;
        let place = match way {
            Way::Returned => Some((0, Source::Returned)),
            Way::Successor => Some((1, Source::Successor)),
            Way::Submitted => None,
        };
        if node != own || (place.is_none() && view.graph.submit(task) == Submit::Enqueue) {
            self.queues.get_mut(node.0 as usize).into_iter().for_each(|queue| queue.push_back(task));
        } else if let Some((place, source)) = place {
            let slot = self.next.get_mut(index).and_then(|next| next.get_mut(place));
            if let Some(slot) = slot {
                *slot = Some(Start::new(task, source));
            }
        } else {
            self.deques.get_mut(index).into_iter().for_each(|deque| deque.push_back(task));
        }
    }

    fn own(&mut self, node: SocketId, worker: WorkerId) -> Option<Start> {
        let index = worker.0 as usize;
        if let Some(start) = self.next.get_mut(index)?.iter_mut().find_map(Option::take) {
            return Some(start);
        }
        if let Some(task) = self.deques.get_mut(index)?.pop_back() {
            return Some(Start::new(task, Source::Own));
        }
        let task = self.queues.get_mut(node.0 as usize)?.pop_front()?;
        Some(Start::new(task, Source::Shared))
    }

    /// The oldest task of a worker of the same arena: the neighbour first, cyclically, or in random order.
    fn stolen(&mut self, sockets: &Sockets, thief: WorkerId) -> Option<Start> {
        let workers = sockets.workers(sockets.of_worker(thief));
        let task = self.draw.oldest_of_others(&mut self.deques, thief, workers)?;
        Some(Start::new(task, Source::Steal))
    }
}

/// The arena in which a task must run; `None`: the one where it is handed over.
fn arena(view: &View<'_>, task: TaskId) -> Option<SocketId> {
    view.graph.affinity(task).and_then(|node| view.sockets.of_node(node))
}

impl Scheduler for ArenaPerNode {
    fn ready(&mut self, view: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        self.submit(view, MASTER, task, Way::Submitted);
    }

    fn hands_over(&self) -> bool {
        true
    }

    fn hand_over(&mut self, view: &View<'_>, handed: &HandOver<'_>) {
        let HandOver { task, worker, children, others } = *handed;
        let own = view.sockets.of_worker(worker);
        let stays = |task| arena(view, task).is_none_or(|node| node == own);
        for (task, way) in ways(view.graph, task, children, others, stays) {
            self.submit(view, who_hands_over(view.graph, task, worker), task, way);
        }
    }

    fn steals(&self) -> bool {
        true
    }

    fn take(&mut self, view: &View<'_>, worker: WorkerId, round: Round) -> Option<Start> {
        match round {
            Round::Own => self.own(view.sockets.of_worker(worker), worker),
            Round::OtherNodes => None,
            Round::Steal => self.stolen(view.sockets, worker),
        }
    }
}
