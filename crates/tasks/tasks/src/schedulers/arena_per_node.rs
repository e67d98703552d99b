//! `arena-per-node`: oneTBB as it is used on NUMA machines today, with one `task_arena` per node, pinned to it by
//! `constraints::set_numa_id`, and no slots reserved (oneTBB Developer Guide and API Reference, "Guiding Task Scheduler Execution" and
//! "task_arena").
//!
//! A task with affinity for another node is enqueued into the arena of that node, whatever its `submit`, as a program does with
//! `task_arena::enqueue`: it is neither returned nor a successor. All else stays in the arena, whose workers go by the rules of `tbb` without
//! mailboxes: what the task returned, its successor (the lowest of those that stay), the youngest of the own deque, the oldest of the
//! arena's queue, the oldest of another worker of the arena. Nobody leaves an arena.

use std::collections::VecDeque;

use numasim_graph::values::{Submit, TaskId};

use super::draw::Draw;
use super::scheduler::{Partitioning, Scheduler, View};
use super::start::{Round, Source, Start};
use super::tbb::{Way, ways};
use super::tree::{HandOver, MASTER, who_hands_over};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct ArenaPerNode {
    /// Per worker: what it goes on with, in order.
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

    /// The oldest task of a worker of the same arena: the neighbour first, cyclically, or in drawn order.
    fn stolen(&mut self, sockets: &Sockets, thief: WorkerId) -> Option<Start> {
        let workers = sockets.workers(sockets.of_worker(thief));
        let after = (thief.0 + 1..workers.end).chain(workers.start..thief.0);
        let has = |worker: &u32| self.deques.get(*worker as usize).is_some_and(|deque| !deque.is_empty());
        let filled = after.filter(has);
        let victim = filled.clone().nth(self.draw.of_equals(filled.count()))?;
        let task = self.deques.get_mut(victim as usize)?.pop_front()?;
        Some(Start::new(task, Source::Steal))
    }
}

/// The arena where a task has to be; `None`: where it is handed over.
fn arena(view: &View<'_>, task: TaskId) -> Option<SocketId> {
    view.graph.affinity(task).and_then(|node| view.sockets.of_node(node))
}

impl Scheduler for ArenaPerNode {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

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

    fn socket(&self, _: TaskId) -> Option<SocketId> {
        None
    }

    fn gives_sockets(&self) -> bool {
        false
    }
}
