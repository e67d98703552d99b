//! Tasks that are created and have not ended, of graphs whose master creates all tasks and of tree programs.

use numasim_graph::values::{TaskGraph, TaskId};
use numasim_graph::{Dependencies, Tracker};

use crate::error::TasksError;
use crate::schedulers::{HandOver, Scheduler, View};
use crate::sockets::WorkerId;

/// One of the two kinds of graphs.
#[derive(Clone, Debug)]
pub(crate) enum Living {
    /// Tasks are created in the order of their numbers, so edges can be found meanwhile.
    Listed(Alive),
    /// They are created in another order.
    Grown(Grown),
}

impl Living {
    /// No task of `graph` is created.
    ///
    /// # Errors
    /// [`TasksError::TooManyEdges`].
    pub(crate) fn new(graph: &TaskGraph) -> Result<Self, TasksError> {
        Ok(if graph.is_tree() { Self::Grown(Grown::new(graph)?) } else { Self::Listed(Alive::new(graph)) })
    }

    /// Number of tasks that are created and have not ended.
    pub(crate) const fn count(&self) -> u64 {
        match self {
            Self::Listed(alive) => alive.count(),
            Self::Grown(grown) => grown.count(),
        }
    }

    /// Whether some tasks are still to be created by tasks, although the master has created all its tasks.
    pub(crate) fn has_unborn(&self) -> bool {
        match self {
            Self::Listed(_) => false,
            Self::Grown(grown) => grown.has_unborn(),
        }
    }

    /// The lowest task that has not ended.
    pub(crate) fn lowest(&self) -> TaskId {
        match self {
            Self::Listed(alive) => alive.lowest(),
            Self::Grown(grown) => grown.lowest(),
        }
    }

    /// Whether all tasks before `task`, which the master has not created yet, have ended.
    pub(crate) fn have_ended_before(&self, task: TaskId) -> bool {
        match self {
            // All before it are created.
            Self::Listed(alive) => alive.count() == 0,
            Self::Grown(grown) => grown.lowest() >= task,
        }
    }

    /// `task` is created; returns whether it waits for no other task.
    pub(crate) fn created(&mut self, graph: &TaskGraph, task: TaskId) -> bool {
        match self {
            Self::Listed(alive) => alive.created(graph, task),
            Self::Grown(grown) => grown.created(task),
        }
    }

    /// `task` has ended; `ready` is called with the created ones that wait for no other task any more.
    pub(crate) fn ended(&mut self, task: TaskId, ready: impl FnMut(TaskId)) {
        match self {
            Self::Listed(alive) => alive.ended(task, ready),
            Self::Grown(grown) => grown.ended(task, ready),
        }
    }
}

// Tasks that are created and have not ended, and the tasks that wait for them.

/// No edge, or the end of a list.
const NONE: u32 = u32::MAX;
/// Mark of a task that has ended.
const ENDED: u32 = u32::MAX - 1;

/// A task that waits, in the list of tasks that wait for the same one.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    child: u32,
    next: u32,
}

/// A runtime's state of tasks: it finds edges when a task is created, if its parents are still alive. So memory grows with the edges
/// between tasks that are alive; in addition each task of the graph needs eight bytes.
#[derive(Clone, Debug)]
pub(crate) struct Alive {
    tracker: Tracker,
    /// Per created task: unfinished parents.
    waits: Vec<u32>,
    /// Per created task: the first that waits for it, or [`ENDED`].
    first: Vec<u32>,
    edges: Vec<Waiting>,
    /// Free edges for reuse, as a list.
    free: u32,
    count: u64,
}

impl Alive {
    /// No task of `graph` is created.
    pub(super) fn new(graph: &TaskGraph) -> Self {
        Self {
            tracker: Tracker::new(graph.blocks().len()),
            waits: Vec::with_capacity(graph.task_count()),
            first: Vec::with_capacity(graph.task_count()),
            edges: Vec::new(),
            free: NONE,
            count: 0,
        }
    }

    /// Number of tasks that are created and have not ended.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// The lowest task that has not ended: of those that are created, else the next one.
    pub(super) fn lowest(&self) -> TaskId {
        let lowest = self.first.iter().position(|&first| first != ENDED).unwrap_or(self.first.len());
        TaskId(u32::try_from(lowest).unwrap_or(NONE))
    }

    /// `task` is created, after all before it; returns whether it waits for no other task.
    pub(super) fn created(&mut self, graph: &TaskGraph, task: TaskId) -> bool {
        let Self { tracker, first, edges, free, .. } = self;
        let mut waits = 0;
        for edge in tracker.add(graph, task) {
            let Some(head) = first.get_mut(edge.from.0 as usize).filter(|head| **head != ENDED) else {
                continue;
            };
            let new = Waiting { child: task.0, next: *head };
            if let Some(unused) = edges.get_mut(*free as usize) {
                *head = *free;
                *free = unused.next;
                *unused = new;
            } else {
                // There are at most MAX_ACCESSES accesses, and memory is exhausted long before 2^32 edges.
                *head = u32::try_from(edges.len()).unwrap_or(NONE);
                edges.push(new);
            }
            waits += 1;
        }
        self.waits.push(waits);
        self.first.push(NONE);
        self.count += 1;
        waits == 0
    }

    /// `task` has ended; `ready` is called with those that wait for no other task any more.
    pub(super) fn ended(&mut self, task: TaskId, mut ready: impl FnMut(TaskId)) {
        let Some(head) = self.first.get_mut(task.0 as usize) else { return };
        let mut place = std::mem::replace(head, ENDED);
        self.count = self.count.saturating_sub(1);
        while let Some(edge) = self.edges.get_mut(place as usize) {
            let Waiting { child, next } = *edge;
            edge.next = self.free;
            self.free = place;
            place = next;
            if let Some(waits) = self.waits.get_mut(child as usize) {
                *waits = waits.saturating_sub(1);
                if *waits == 0 {
                    ready(TaskId(child));
                }
            }
        }
    }
}

// Tasks of tree programs: their creation order differs from that of their numbers, which determines the waiting.

/// State of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unborn,
    Created,
    Ended,
}

/// State of all tasks: all edges of the graph, and nine bytes per task.
#[derive(Clone, Debug)]
pub(crate) struct Grown {
    edges: Dependencies,
    /// Per task: unfinished parents, created or not.
    waits: Vec<u32>,
    states: Vec<State>,
    /// All tasks below this one have ended.
    lowest: usize,
    created: u64,
    ended: u64,
}

impl Grown {
    /// No task of `graph` is created.
    ///
    /// # Errors
    /// [`TasksError::TooManyEdges`].
    pub(super) fn new(graph: &TaskGraph) -> Result<Self, TasksError> {
        let edges = Dependencies::of(graph).ok_or(TasksError::TooManyEdges)?;
        let waits = graph.tasks().map(|task| edges.parent_count(task)).collect();
        let states = vec![State::Unborn; graph.task_count()];
        Ok(Self { edges, waits, states, lowest: 0, created: 0, ended: 0 })
    }

    /// Number of tasks that are created and have not ended.
    pub(super) const fn count(&self) -> u64 {
        self.created - self.ended
    }

    /// Whether some task is not created.
    pub(super) fn has_unborn(&self) -> bool {
        self.created < self.states.len() as u64
    }

    /// The lowest task that has not ended, created or not.
    pub(super) fn lowest(&self) -> TaskId {
        TaskId(u32::try_from(self.lowest).unwrap_or(u32::MAX))
    }

    /// `task` is created; returns whether it waits for no other task.
    pub(super) fn created(&mut self, task: TaskId) -> bool {
        let task = task.0 as usize;
        self.states.get_mut(task).into_iter().for_each(|state| *state = State::Created);
        self.created += 1;
        self.waits.get(task) == Some(&0)
    }

    /// `task` has ended; `ready` is called with the created ones that wait for no other task any more, by number.
    pub(super) fn ended(&mut self, task: TaskId, mut ready: impl FnMut(TaskId)) {
        self.states.get_mut(task.0 as usize).into_iter().for_each(|state| *state = State::Ended);
        self.ended += 1;
        while self.states.get(self.lowest) == Some(&State::Ended) {
            self.lowest += 1;
        }
        for &child in self.edges.children(task) {
            let index = child.0 as usize;
            if let Some(waits) = self.waits.get_mut(index) {
                *waits = waits.saturating_sub(1);
                if *waits == 0 && self.states.get(index) == Some(&State::Created) {
                    ready(child);
                }
            }
        }
    }
}

// From the end of a task to the tasks that become ready: the consequences, and the events for the scheduler. Used both in simulated time
// and on a real host.

/// How a task became ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    /// The master created it.
    Master,
    /// A task on this worker created it.
    Creator(WorkerId),
    /// A task on this worker was the last one that it waited for.
    Parent(WorkerId),
}

/// Ready tasks that no worker has taken.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    /// Tasks that were not reported to the scheduler yet.
    new: Vec<(TaskId, By)>,
    /// Tasks that a worker hands over: those that its task has created, and others.
    handed: (Vec<TaskId>, Vec<TaskId>),
    /// Number of tasks that were reported.
    waiting: usize,
}

impl Ready {
    /// Tasks that were reported to the scheduler and that no worker has taken.
    pub(crate) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// A worker takes one.
    pub(crate) const fn take(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// A worker gives back the one that it has taken.
    pub(crate) const fn give_back(&mut self) {
        self.waiting += 1;
    }

    /// The master has created a task that waits for none.
    pub(crate) fn created(&mut self, task: TaskId) {
        self.new.push((task, By::Master));
    }

    /// The consequences of the end of a task: others wait for one task fewer, and its children are created.
    pub(crate) fn follow(
        &mut self,
        (graph, view): (&TaskGraph, &View<'_>),
        scheduler: &mut dyn Scheduler,
        alive: &mut Living,
        (task, worker): (TaskId, WorkerId),
    ) {
        if !scheduler.hands_over() {
            alive.ended(task, |other| self.new.push((other, By::Parent(worker))));
            for &child in graph.children(task) {
                scheduler.created(view, child);
                if alive.created(graph, child) {
                    self.new.push((child, By::Creator(worker)));
                }
            }
            return;
        }
        let (children, others) = &mut self.handed;
        children.clear();
        others.clear();
        alive.ended(task, |other| others.push(other));
        others.sort_unstable();
        for &child in graph.children(task) {
            scheduler.created(view, child);
            if alive.created(graph, child) {
                children.push(child);
            }
        }
        self.waiting += children.len() + others.len();
        if !children.is_empty() || !others.is_empty() {
            scheduler.hand_over(view, &HandOver { task, worker, children, others });
        }
    }

    /// Reports tasks that became ready to the scheduler, by number.
    pub(crate) fn report(&mut self, view: &View<'_>, scheduler: &mut dyn Scheduler) {
        self.new.sort_unstable();
        self.waiting += self.new.len();
        for (task, by) in self.new.drain(..) {
            match by {
                By::Master => scheduler.ready(view, task, None),
                By::Parent(worker) => scheduler.ready(view, task, Some(worker)),
                By::Creator(worker) => scheduler.created_ready(view, task, worker),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::tree;

    #[test]
    fn a_task_is_ready_when_it_is_created_and_its_parents_have_ended() {
        // 0 creates 1 and 3; 1 creates 2. All write the same block, so that each waits for the one before it.
        let graph = tree(&[None, Some(0), Some(1), Some(0)]);
        let mut grown = Grown::new(&graph).expect("few edges");
        assert!(grown.created(TaskId(0)));
        assert_eq!((grown.count(), grown.lowest(), grown.has_unborn()), (1, TaskId(0), true));
        let mut ready = Vec::new();
        grown.ended(TaskId(0), |task| ready.push(task));
        // 1 waited only for it, but does not exist yet.
        assert_eq!((ready.len(), grown.lowest()), (0, TaskId(1)));
        assert!(grown.created(TaskId(1)));
        assert!(!grown.created(TaskId(3)));
        grown.ended(TaskId(1), |task| ready.push(task));
        assert!(grown.created(TaskId(2)));
        grown.ended(TaskId(2), |task| ready.push(task));
        assert_eq!((ready, grown.lowest(), grown.has_unborn()), (vec![TaskId(3)], TaskId(3), false));
    }
}
