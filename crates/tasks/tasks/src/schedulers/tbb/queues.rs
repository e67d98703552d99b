//! Deques, mailboxes and shared queues of `tbb` and `tbb-numa`.

use std::collections::VecDeque;

use numasim_graph::values::TaskId;

use crate::schedulers::Draw;
use crate::schedulers::tbb::MailboxId;
use crate::schedulers::tbb::crew::WorkerSet;
use crate::sockets::{SocketId, WorkerId};

// Deques of all workers. A task with an affinity waits in a deque and in a mailbox: the first worker that takes it from either gets it,
// and the other copy is void.

/// Holder of a task that waits in no deque.
const NOWHERE: u32 = u32::MAX;
/// Number of void copies that may stay in the middle of a deque, in addition to the number of live ones.
const VOID: usize = 32;

/// Spawned tasks by worker, the youngest last. Void copies stay until a worker reaches them.
#[derive(Clone, Debug)]
pub(super) struct Deques {
    of_worker: Vec<VecDeque<TaskId>>,
    /// Per worker: number of tasks of its deque that no worker has taken.
    live: Vec<usize>,
    /// Workers with such tasks.
    filled: WorkerSet,
    /// Per task: the worker in whose deque it waits.
    holder: Vec<u32>,
    /// Victims that a thief has not tried.
    untried: Vec<u32>,
}

impl Deques {
    /// Empty deques.
    pub(super) fn new(workers: usize, tasks: usize) -> Self {
        Self {
            of_worker: vec![VecDeque::new(); workers],
            live: vec![0; workers],
            filled: WorkerSet::new(workers),
            holder: vec![NOWHERE; tasks],
            untried: Vec::new(),
        }
    }

    /// Puts a task at the young end of the deque of a worker.
    pub(super) fn push(&mut self, worker: WorkerId, task: TaskId) {
        let index = worker.0 as usize;
        if let (Some(deque), Some(live), Some(holder)) =
            (self.of_worker.get_mut(index), self.live.get_mut(index), self.holder.get_mut(task.0 as usize))
        {
            deque.push_back(task);
            *live += 1;
            *holder = worker.0;
            self.filled.insert(worker.0);
        }
    }

    /// Whether a task that was put in has not been taken.
    pub(super) fn waits(&self, task: TaskId) -> bool {
        self.holder.get(task.0 as usize).is_some_and(|&holder| holder != NOWHERE)
    }

    /// A waiting task was taken: its remaining copy is void.
    pub(super) fn taken(&mut self, task: TaskId) {
        let Some(holder) = self.holder.get_mut(task.0 as usize) else { return };
        let worker = std::mem::replace(holder, NOWHERE);
        let Some(live) = self.live.get_mut(worker as usize) else { return };
        *live -= 1;
        let live = *live;
        let Some(deque) = self.of_worker.get_mut(worker as usize) else { return };
        if live == 0 {
            deque.clear();
            self.filled.remove(worker);
        } else if deque.len() > 2 * live + VOID {
            let Self { of_worker, holder, .. } = self;
            if let Some(deque) = of_worker.get_mut(worker as usize) {
                deque.retain(|task| holder.get(task.0 as usize).is_some_and(|&holder| holder != NOWHERE));
            }
        }
    }

    /// Takes the youngest task of a worker's own deque.
    pub(super) fn youngest(&mut self, worker: WorkerId) -> Option<TaskId> {
        if !self.filled.contains(worker.0) {
            return None;
        }
        let task = loop {
            let task = self.of_worker.get_mut(worker.0 as usize)?.pop_back()?;
            if self.waits(task) {
                break task;
            }
        };
        self.taken(task);
        Some(task)
    }

    /// Takes the oldest task that a thief may have: victims from the thief's neighbour on cyclically, or in random order.
    pub(super) fn steal(
        &mut self,
        thief: WorkerId,
        draw: &mut Draw,
        may: impl Fn(TaskId) -> bool,
    ) -> Option<TaskId> {
        // Workers with tasks in their deques do not steal.
        let first = draw.of_equals(self.filled.len());
        let task = self.oldest(self.filled.nth_from(thief.0 + 1, first)?, &may).or_else(|| {
            let mut untried = std::mem::take(&mut self.untried);
            untried.clear();
            untried.extend(self.filled.all_from(thief.0 + 1));
            untried.remove(first);
            let mut task = None;
            while task.is_none() && !untried.is_empty() {
                task = self.oldest(untried.remove(draw.of_equals(untried.len())), &may);
            }
            self.untried = untried;
            task
        })?;
        self.taken(task);
        Some(task)
    }

    /// The oldest task of a victim that a thief may have; it stays.
    fn oldest(&self, victim: u32, may: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        let deque = self.of_worker.get(victim as usize)?;
        deque.iter().copied().find(|&task| self.waits(task) && may(task))
    }
}

// Mailboxes: tasks with an affinity wait there for their worker, or for any worker of their node, in addition to the deque of the worker
// that spawned them.

/// Tasks by mailbox, the oldest first. Void copies stay until a worker reaches them.
#[derive(Clone, Debug)]
pub(super) struct Mailboxes(Vec<VecDeque<TaskId>>);

impl Mailboxes {
    /// Empty mailboxes.
    pub(super) fn new(count: usize) -> Self {
        Self(vec![VecDeque::new(); count])
    }

    /// Puts a task at the young end.
    pub(super) fn push(&mut self, mailbox: MailboxId, task: TaskId) {
        if let Some(tasks) = self.0.get_mut(mailbox.0 as usize) {
            tasks.push_back(task);
        }
    }

    /// Takes the oldest task of a mailbox that still `waits`.
    pub(super) fn oldest(&mut self, mailbox: MailboxId, waits: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        let tasks = self.0.get_mut(mailbox.0 as usize)?;
        while let Some(task) = tasks.pop_front() {
            if waits(task) {
                return Some(task);
            }
        }
        None
    }
}

// Shared queues of enqueued tasks: one per node and one for tasks without affinity (paper 003, Figure 7: rules 5', 5'' and 5''').

/// Enqueued tasks, the oldest first. Without nodes only the single queue of `tbb` exists.
#[derive(Clone, Debug)]
pub(super) struct SharedQueues {
    /// The queue of tasks without affinity.
    of_none: VecDeque<TaskId>,
    of_node: Vec<VecDeque<TaskId>>,
    /// Number of tasks in all of them.
    waiting: usize,
}

impl SharedQueues {
    /// Empty queues.
    pub(super) fn new(nodes: usize) -> Self {
        Self { of_none: VecDeque::new(), of_node: vec![VecDeque::new(); nodes], waiting: 0 }
    }

    /// Appends a task to the queue of a node, or to the one for tasks without affinity.
    pub(super) fn push(&mut self, node: Option<SocketId>, task: TaskId) {
        let own = node.and_then(|node| self.of_node.get_mut(node.0 as usize));
        own.unwrap_or(&mut self.of_none).push_back(task);
        self.waiting += 1;
    }

    /// Takes the oldest task for a worker of `node`: of the node's queue, then of those without affinity.
    pub(super) fn near(&mut self, node: SocketId) -> Option<TaskId> {
        if self.waiting == 0 {
            return None;
        }
        let own = self.of_node.get_mut(node.0 as usize).and_then(VecDeque::pop_front);
        let task = own.or_else(|| self.of_none.pop_front());
        self.waiting -= usize::from(task.is_some());
        task
    }

    /// Takes the oldest task of the first other node that has one, in cyclic order after `node`.
    pub(super) fn far(&mut self, node: SocketId) -> Option<TaskId> {
        if self.waiting == 0 {
            return None;
        }
        let (lower, from_own) = self.of_node.split_at_mut_checked(node.0 as usize)?;
        let mut others = from_own.iter_mut().skip(1).chain(lower);
        let task = others.find_map(VecDeque::pop_front);
        self.waiting -= usize::from(task.is_some());
        task
    }
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{RuntimeSettings, Ties};

    use super::*;

    const ALL: [TaskId; 6] = [TaskId(0), TaskId(1), TaskId(2), TaskId(3), TaskId(4), TaskId(5)];

    fn drawing(ties: Ties) -> Draw {
        Draw::new(&RuntimeSettings { ties, ..RuntimeSettings::default() })
    }

    fn deques(of: [&[u32]; 3]) -> Deques {
        let mut deques = Deques::new(3, 200);
        for (worker, tasks) in (0..).map(WorkerId).zip(of) {
            for &task in tasks {
                deques.push(worker, TaskId(task));
            }
        }
        deques
    }

    #[test]
    fn the_owner_takes_the_youngest_and_a_thief_the_oldest() {
        let mut deques = deques([&[0, 1, 2], &[], &[]]);
        assert_eq!(deques.youngest(WorkerId(0)), Some(ALL[2]));
        assert_eq!(deques.steal(WorkerId(1), &mut drawing(Ties::Order), |_| true), Some(ALL[0]));
        assert_eq!(deques.youngest(WorkerId(1)), None);
        assert_eq!(deques.youngest(WorkerId(0)), Some(ALL[1]));
        assert_eq!(deques.youngest(WorkerId(0)), None);
        assert_eq!(deques.steal(WorkerId(1), &mut drawing(Ties::Order), |_| true), None);
    }

    #[test]
    fn victims_come_from_the_neighbour_on() {
        // Thief 1: worker 2 first, then worker 0.
        let mut deques = deques([&[0], &[], &[1]]);
        let mut draw = drawing(Ties::Order);
        assert_eq!(deques.steal(WorkerId(1), &mut draw, |_| true), Some(ALL[1]));
        assert_eq!(deques.steal(WorkerId(1), &mut draw, |_| true), Some(ALL[0]));
    }

    #[test]
    fn drawn_victims_are_all_tried() {
        // Only task 5 may be stolen, at any place at which its holder is drawn.
        for seed in 0..20 {
            let mut draw = Draw::new(&RuntimeSettings { seed, ..RuntimeSettings::default() });
            let mut deques = deques([&[0, 5], &[1], &[]]);
            assert_eq!(deques.steal(WorkerId(2), &mut draw, |task| task == ALL[5]), Some(ALL[5]));
            assert_eq!(deques.steal(WorkerId(2), &mut draw, |task| task == ALL[5]), None);
        }
    }

    #[test]
    fn drawn_victims_are_not_always_the_neighbour() {
        let first = |seed| {
            let mut draw = Draw::new(&RuntimeSettings { seed, ..RuntimeSettings::default() });
            deques([&[0], &[1], &[]]).steal(WorkerId(2), &mut draw, |_| true)
        };
        let drawn: std::collections::BTreeSet<_> = (0..20).map(first).collect();
        assert_eq!(drawn, [Some(ALL[0]), Some(ALL[1])].into());
    }

    #[test]
    fn void_copies_are_passed_over() {
        let mut deques = deques([&[0, 1, 2, 3, 4], &[], &[]]);
        for task in [0, 1, 4] {
            deques.taken(TaskId(task));
        }
        assert!(!deques.waits(ALL[1]) && deques.waits(ALL[2]));
        assert_eq!(deques.steal(WorkerId(2), &mut drawing(Ties::Order), |_| true), Some(ALL[2]));
        assert_eq!(deques.youngest(WorkerId(0)), Some(ALL[3]));
        assert_eq!(deques.youngest(WorkerId(0)), None);
    }

    #[test]
    fn void_copies_do_not_pile_up() {
        let mut deques = Deques::new(1, 200);
        (0..200).for_each(|task| deques.push(WorkerId(0), TaskId(task)));
        (1..199).for_each(|task| deques.taken(TaskId(task)));
        assert!(deques.of_worker[0].len() <= VOID + 4, "{}", deques.of_worker[0].len());
        deques.taken(TaskId(199));
        deques.taken(TaskId(0));
        assert_eq!((deques.of_worker[0].len(), deques.filled.len()), (0, 0));
    }
}

#[cfg(test)]
mod mailboxes_tests {
    use super::*;

    #[test]
    fn the_oldest_that_waits_comes_first() {
        let mut mailboxes = Mailboxes::new(2);
        (0..4).for_each(|task| mailboxes.push(MailboxId(1), TaskId(task)));
        let odd = |task: TaskId| task.0 % 2 == 1;
        assert_eq!(mailboxes.oldest(MailboxId(0), odd), None);
        assert_eq!(mailboxes.oldest(MailboxId(1), odd), Some(TaskId(1)));
        assert_eq!(mailboxes.oldest(MailboxId(1), odd), Some(TaskId(3)));
        assert_eq!(mailboxes.oldest(MailboxId(1), odd), None);
    }
}

#[cfg(test)]
mod shared_tests {
    use super::*;

    #[test]
    fn the_own_queue_then_no_affinity_then_the_others_cyclically() {
        let mut queues = SharedQueues::new(3);
        for (task, node) in [None, Some(0), Some(1), Some(2), Some(1)].into_iter().enumerate() {
            queues.push(node.map(SocketId), TaskId(u32::try_from(task).expect("a small number")));
        }
        let mut taken = Vec::new();
        while let Some(task) = queues.near(SocketId(1)).or_else(|| queues.far(SocketId(1))) {
            taken.push(task.0);
        }
        // Node 1: tasks 2 and 4; none: 0; node 2: 3; node 0: 1.
        assert_eq!(taken, [2, 4, 0, 3, 1]);
    }

    #[test]
    fn far_queues_are_never_those_without_affinity() {
        let mut queues = SharedQueues::new(2);
        queues.push(None, TaskId(7));
        assert_eq!(queues.far(SocketId(0)), None);
        assert_eq!(queues.near(SocketId(0)), Some(TaskId(7)));
        assert_eq!(queues.near(SocketId(0)), None);
    }
}
