//! Tasks that are created and have not ended, and who waits for them.

use numasim_graph::Tracker;
use numasim_graph::values::{TaskGraph, TaskId};

/// No edge, or the end of a list.
const NONE: u32 = u32::MAX;
/// Of a task that has ended.
const ENDED: u32 = u32::MAX - 1;

/// A task that waits, in the list of those that wait for the same one.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    child: u32,
    next: u32,
}

/// What a runtime knows of tasks: it finds edges when a task is created, as far as parents are still alive. So memory grows with the edges
/// between tasks that are alive; of a task of the graph eight bytes are kept.
#[derive(Clone, Debug)]
pub(crate) struct Alive {
    tracker: Tracker,
    /// Per created task: unfinished parents.
    waits: Vec<u32>,
    /// Per created task: the first that waits for it, or [`ENDED`].
    first: Vec<u32>,
    edges: Vec<Waiting>,
    /// Edges to be used again, as a list.
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

    /// How many tasks are created and have not ended.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// The lowest task that has not ended: of those that are created, else the next one.
    pub(super) fn lowest(&self) -> TaskId {
        let lowest = self.first.iter().position(|&first| first != ENDED).unwrap_or(self.first.len());
        TaskId(u32::try_from(lowest).unwrap_or(NONE))
    }

    /// `task` is created, after all before it; whether it waits for none.
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
                // There are at most MAX_ACCESSES accesses, and memory ends long before 2^32 edges.
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

    /// `task` has ended; `ready` hears of those that wait for no other one.
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
