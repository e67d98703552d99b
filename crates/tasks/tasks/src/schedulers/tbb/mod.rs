//! `tbb` and `tbb-numa`: Intel TBB and the library of paper 003 (Majo, Gross, PPoPP 2015, Figures 5 and 7).
//!
//! An idle worker looks for its next task in this order: (1) the task that its last task returned, (2) the successor of the last task,
//! (3) the youngest task of its deque, (4) the oldest of its mailbox, (5) the oldest of the shared queue, (6) the oldest of another
//! worker's deque. Under `tbb-numa` mailboxes and shared queues belong to nodes, and the queues of other nodes follow after all idle
//! workers have looked in the places so far.
//!
//! A task with an affinity is spawned into a deque and a mailbox; the first worker that takes it from either gets it. Under `tbb` only
//! the affinity partitioner sets affinities: the mailbox of the worker that last ran the piece of work. Under `tbb-numa` the programmer
//! sets them.

use numasim_graph::values::{SchedulerKind, Submit, TaskGraph, TaskId};

use crate::question::Question;
use crate::schedulers::placed::{Given, Numbers};
use crate::schedulers::tbb::crew::{Crew, Dealing, Management};
use crate::schedulers::tbb::queues::{Deques, Mailboxes, SharedQueues};
use crate::schedulers::{Draw, HandOver, MASTER, Round, Scheduler, Source, Start, View, who_hands_over};
use crate::sockets::{SocketId, Sockets, WorkerId};

mod crew;
mod queues;

/// A mailbox: of a worker under `tbb`, of a node under `tbb-numa`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MailboxId(u32);

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Tbb {
    library: Library,
    /// Per worker: the task that its last task returned, and that task's successor.
    returned: Vec<Option<TaskId>>,
    successors: Vec<Option<TaskId>>,
    deques: Deques,
    mailboxes: Mailboxes,
    shared: SharedQueues,
    crew: Crew,
    management: Management,
    /// Draws victims.
    draw: Draw,
    /// Children in the order in which they are handed over.
    children: Vec<TaskId>,
}

impl Tbb {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let Question { graph, scheduler, runtime, .. } = *question;
        let is_numa = scheduler.kind == SchedulerKind::TbbNuma;
        let library = if is_numa {
            let detaches = graph.tasks().any(|task| graph.submit(task) == Submit::Detach);
            Library::Numa {
                reflection: scheduler.reflection.then(|| Reflection::new(graph, sockets)),
                ran: detaches.then(Given::default),
            }
        } else {
            Library::Standard(scheduler.affinity_partitioner.then(Partitioner::default))
        };
        let workers = sockets.worker_count();
        Self {
            library,
            returned: vec![None; workers],
            successors: vec![None; workers],
            deques: Deques::new(workers, graph.task_count()),
            mailboxes: Mailboxes::new(if is_numa { sockets.count() } else { workers }),
            shared: SharedQueues::new(if is_numa { sockets.count() } else { 0 }),
            crew: if is_numa { Crew::per_node(sockets) } else { Crew::per_worker(sockets) },
            management: Management::new(if is_numa { Dealing::EvenPerNode } else { Dealing::Even }, runtime),
            draw: Draw::new(runtime),
            children: Vec::new(),
        }
    }

    /// Children in the order in which a worker hands them over: with reflection those of its local node come last.
    fn ordered(&mut self, children: &[TaskId], node: SocketId) -> Vec<TaskId> {
        let mut ordered = std::mem::take(&mut self.children);
        ordered.clear();
        match &self.library {
            Library::Numa { reflection: Some(reflection), .. } => {
                let is_own = |task: &&TaskId| reflection.occurs(**task, node);
                ordered.extend(children.iter().filter(|task| !is_own(task)));
                ordered.extend(children.iter().filter(is_own));
            }
            _ => ordered.extend(children),
        }
        ordered
    }

    /// Spawns a task, or enqueues it.
    fn submit(&mut self, view: &View<'_>, worker: WorkerId, task: TaskId) {
        let affinity = self.library.affinity(view, task);
        let is_enqueued = match (view.graph.submit(task), &self.library) {
            (Submit::Spawn, _) | (Submit::Detach, Library::Standard(_)) => false,
            (Submit::Enqueue, _) => true,
            (Submit::Detach, Library::Numa { ran, .. }) => {
                let creator = view.graph.created_by(task);
                let creator = creator.zip(ran.as_ref()).and_then(|(creator, ran)| ran.of(creator));
                // Worker 0 hands over for the master.
                let creator = creator.unwrap_or_else(|| view.sockets.of_worker(MASTER));
                affinity.is_some_and(|node| node != creator)
            }
        };
        if is_enqueued {
            self.shared.push(affinity, task);
            return;
        }
        if let Library::Standard(Some(Partitioner { ran, sent })) = &mut self.library
            && let Some(mailbox) = view.graph.replay(task).and_then(|piece| ran.of(piece.0))
        {
            sent.set(task.0, mailbox);
        }
        self.deques.push(worker, task);
        let mailbox = self.library.mailbox(view, task);
        if let Some(mailbox) = mailbox {
            self.mailboxes.push(mailbox, task);
        }
    }

    /// Rules 1 to 3: the worker's deque and the results of its last task.
    fn own(&mut self, view: &View<'_>, worker: WorkerId) -> Option<Start> {
        let take = |of_workers: &mut Vec<Option<TaskId>>| of_workers.get_mut(worker.0 as usize)?.take();
        if let Some(task) = take(&mut self.returned) {
            return Some(Start::new(task, Source::Returned));
        }
        if let Some(task) = take(&mut self.successors) {
            return Some(Start::new(task, Source::Successor));
        }
        let task = self.deques.youngest(worker)?;
        let mailbox = self.library.mailbox(view, task);
        let own = self.crew.mailbox(worker, view.sockets.of_worker(worker));
        Some(Start { task, source: Source::Own, revoked: mailbox.is_some() && mailbox != own })
    }

    /// Rules 4 and 5, except for the queues of other nodes.
    fn sent(&mut self, view: &View<'_>, worker: WorkerId) -> Option<Start> {
        let node = view.sockets.of_worker(worker);
        let deques = &self.deques;
        let mailbox = self.crew.mailbox(worker, node);
        let task = mailbox.and_then(|mailbox| self.mailboxes.oldest(mailbox, |task| deques.waits(task)));
        if let Some(task) = task {
            self.deques.taken(task);
            return Some(Start::new(task, Source::Mailbox));
        }
        self.shared.near(node).map(|task| Start::new(task, Source::Shared))
    }

    /// Rule 6.
    fn stolen(&mut self, view: &View<'_>, worker: WorkerId) -> Option<Start> {
        let Self { library, crew, deques, draw, .. } = self;
        let may = |task| library.mailbox(view, task).is_none_or(|mailbox| !crew.is_idle(mailbox));
        deques.steal(worker, draw, may).map(|task| Start::new(task, Source::Steal))
    }
}

impl Scheduler for Tbb {
    fn ready(&mut self, view: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        self.submit(view, MASTER, task);
    }

    fn hands_over(&self) -> bool {
        true
    }

    fn hand_over(&mut self, view: &View<'_>, handed: &HandOver<'_>) {
        let HandOver { task, worker, children, others } = *handed;
        let graph = view.graph;
        let children = self.ordered(children, view.sockets.of_worker(worker));
        for (task, way) in ways(graph, task, &children, others, |_| true) {
            match way {
                Way::Returned => put(&mut self.returned, worker, task),
                Way::Successor => put(&mut self.successors, worker, task),
                Way::Submitted => self.submit(view, who_hands_over(graph, task, worker), task),
            }
        }
        // Returned to reuse its allocation.
        self.children = children;
    }

    fn rounds(&self) -> &'static [Round] {
        match self.library {
            Library::Standard(_) => &[Round::Own, Round::Steal],
            Library::Numa { .. } => &[Round::Own, Round::OtherNodes, Round::Steal],
        }
    }

    fn take(&mut self, view: &View<'_>, worker: WorkerId, round: Round) -> Option<Start> {
        let is_dealt = self.management.is_dealt(worker);
        let start = match round {
            Round::Own => {
                self.own(view, worker).or_else(|| if is_dealt { self.sent(view, worker) } else { None })
            }
            _ if !is_dealt => None,
            Round::OtherNodes => {
                let task = self.shared.far(view.sockets.of_worker(worker));
                task.map(|task| Start::new(task, Source::Shared))
            }
            Round::Steal => self.stolen(view, worker),
        };
        if let (Library::Standard(Some(partitioner)), Some(start)) = (&mut self.library, start)
            && let Some(piece) = view.graph.replay(start.task)
            && let Some(mailbox) = self.crew.mailbox(worker, view.sockets.of_worker(worker))
        {
            partitioner.ran.set(piece.0, mailbox.0);
        }
        start
    }

    fn finished(&mut self, view: &View<'_>, task: TaskId, worker: WorkerId) {
        if let Library::Numa { ran: Some(ran), .. } = &mut self.library {
            ran.set(task, view.sockets.of_worker(worker));
        }
    }

    fn shares(&mut self, view: &View<'_>, programs: u32) {
        self.management.deal(view.sockets, programs);
        self.crew.deal(view.sockets, |worker| self.management.is_dealt(worker));
    }

    fn is_dealt(&self, worker: WorkerId) -> bool {
        self.management.is_dealt(worker)
    }

    fn leaves(&mut self, view: &View<'_>, worker: WorkerId) {
        self.crew.leave(worker, view.sockets.of_worker(worker));
    }

    fn joins(&mut self, view: &View<'_>, worker: WorkerId) {
        self.crew.join(worker, view.sockets.of_worker(worker), self.management.joining());
    }

    fn dealt(&self) -> Option<Vec<Vec<u32>>> {
        self.management.first_phase()
    }
}

/// The worker runs `task` next.
fn put(of_workers: &mut [Option<TaskId>], worker: WorkerId, task: TaskId) {
    of_workers.get_mut(worker.0 as usize).into_iter().for_each(|next| *next = Some(task));
}

// Differences between TBB and TBB-NUMA, and the intended worker or node of a task.

/// The affinity partitioner of standard TBB.
#[derive(Clone, Debug, Default)]
struct Partitioner {
    /// Per piece of work: the mailbox of the worker that last ran it.
    ran: Numbers,
    /// Per task: the mailbox to which it was sent for this reason.
    sent: Numbers,
}

/// The library.
#[derive(Clone, Debug)]
enum Library {
    /// Standard TBB, optionally with an affinity partitioner.
    Standard(Option<Partitioner>),
    /// TBB-NUMA, optionally with submission by reflection; the nodes where tasks ran, if some may be detached.
    Numa { reflection: Option<Reflection>, ran: Option<Given> },
}

impl Library {
    /// The mailbox in which a spawned task also waits.
    fn mailbox(&self, view: &View<'_>, task: TaskId) -> Option<MailboxId> {
        match self {
            Self::Standard(partitioner) => partitioner.as_ref()?.sent.of(task.0).map(MailboxId),
            Self::Numa { .. } => self.affinity(view, task).map(|node| MailboxId(node.0)),
        }
    }

    /// The node for which a task has affinity.
    fn affinity(&self, view: &View<'_>, task: TaskId) -> Option<SocketId> {
        match self {
            Self::Standard(_) => None,
            Self::Numa { .. } => view.sockets.of_node(view.graph.affinity(task)?),
        }
    }
}

// Handing over the tasks that become ready through the end of a task.

/// The way of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schedulers) enum Way {
    /// The worker runs it next: the task returned it.
    Returned,
    /// The worker runs it after that: the lowest of those that waited for the task alone.
    Successor,
    /// It is spawned, or enqueued.
    Submitted,
}

/// The ways of `children`, in the order in which they are handed over, and then of the `others` that became ready, by number, when
/// `ended` has ended. `stays`: whether the worker may continue with a task. Other tasks are submitted, and count neither as returned nor
/// as successor.
pub(in crate::schedulers) fn ways<'t, S: Fn(TaskId) -> bool>(
    graph: &TaskGraph,
    ended: TaskId,
    children: &'t [TaskId],
    others: &'t [TaskId],
    stays: S,
) -> impl Iterator<Item = (TaskId, Way)> + use<'t, S> {
    let returned = children.last().copied().filter(|&child| graph.returns(ended) && stays(child));
    // A worker does not continue with tasks that the master creates.
    let follows =
        |task| graph.submit(task) == Submit::Spawn && graph.created_by(task).is_some() && stays(task);
    let successor = others.iter().copied().find(|&task| follows(task));
    let successor = successor.filter(|_| returned.is_none());
    children.iter().chain(others).map(move |&task| {
        let way = match Some(task) {
            next if next == returned => Way::Returned,
            next if next == successor => Way::Successor,
            _ => Way::Submitted,
        };
        (task, way)
    })
}

// Submission by reflection: a worker hands over the tasks of its local node last, so that the other nodes have time to fetch theirs
// (paper 003, section 4.4.3).

/// Per task: the nodes for which it, or a task below it, has affinity.
#[derive(Clone, Debug)]
struct Reflection {
    /// Words per task.
    width: usize,
    /// A bit for each node; no words if no task has an affinity.
    nodes: Vec<u64>,
}

impl Reflection {
    /// For the trees of a graph.
    fn new(graph: &TaskGraph, sockets: &Sockets) -> Self {
        let width = sockets.count().div_ceil(64);
        let affinity = |task| graph.affinity(task).and_then(|node| sockets.of_node(node));
        if graph.tasks().all(|task| affinity(task).is_none()) {
            return Self { width, nodes: Vec::new() };
        }
        let mut nodes = vec![0_u64; width * graph.task_count()];
        // A creator is earlier than its children: when the loop reaches a task, all tasks below it are complete.
        for task in graph.tasks().rev() {
            let own = task.0 as usize * width;
            if let Some(SocketId(node)) = affinity(task)
                && let Some(word) = nodes.get_mut(own + node as usize / 64)
            {
                *word |= 1 << (node % 64);
            }
            let Some(TaskId(creator)) = graph.created_by(task) else { continue };
            for place in 0..width {
                let below = nodes.get(own + place).copied().unwrap_or(0);
                if let Some(word) = nodes.get_mut(creator as usize * width + place) {
                    *word |= below;
                }
            }
        }
        Self { width, nodes }
    }

    /// Whether `node` occurs in a task or below it.
    fn occurs(&self, task: TaskId, node: SocketId) -> bool {
        let word = self.nodes.get(task.0 as usize * self.width + node.0 as usize / 64);
        word.is_some_and(|word| word & 1 << (node.0 % 64) != 0)
    }
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{NewTask, TaskGraphBuilder, TreeTask};

    use super::Way::{Returned, Submitted, Successor};
    use super::*;

    /// Task 0 creates 1 and 2; 3 is the master's; 4 creates 5, 6 and 7. 1 and 5 are enqueued.
    fn graph(returns: bool) -> TaskGraph {
        let mut graph = TaskGraphBuilder::new("ways");
        let kind = graph.kind("work");
        for (task, creator) in
            [None, Some(0), Some(0), None, None, Some(4), Some(4), Some(4)].iter().enumerate()
        {
            let new = NewTask { kind, gflop: 0.0, accesses: &[], socket: None, taskwait: false, name: None };
            let submit = if [1, 5].contains(&task) { Submit::Enqueue } else { Submit::Spawn };
            let returns = returns && task == 0;
            let tree = TreeTask { created_by: creator.map(TaskId), submit, returns, ..TreeTask::default() };
            graph.tree_task(new, tree).expect("a task");
        }
        graph.finish()
    }

    fn of(graph: &TaskGraph, children: &[u32], others: &[u32]) -> Vec<(u32, Way)> {
        let tasks = |numbers: &[u32]| numbers.iter().copied().map(TaskId).collect::<Vec<_>>();
        let (children, others) = (tasks(children), tasks(others));
        ways(graph, TaskId(0), &children, &others, |_| true).map(|(task, way)| (task.0, way)).collect()
    }

    #[test]
    fn the_last_child_is_returned_whatever_its_submission_and_then_there_is_no_successor() {
        let expected = [(2, Submitted), (1, Returned), (5, Submitted), (6, Submitted), (7, Submitted)];
        assert_eq!(of(&graph(true), &[2, 1], &[5, 6, 7]), expected);
    }

    #[test]
    fn the_lowest_that_is_spawned_is_the_successor() {
        let expected = [(2, Submitted), (1, Submitted), (5, Submitted), (6, Successor), (7, Submitted)];
        assert_eq!(of(&graph(false), &[2, 1], &[5, 6, 7]), expected);
    }

    #[test]
    fn without_ready_children_nothing_is_returned() {
        assert_eq!(of(&graph(true), &[], &[6]), [(6, Successor)]);
    }

    #[test]
    fn what_the_master_creates_is_no_successor() {
        assert_eq!(of(&graph(false), &[], &[3, 7]), [(3, Submitted), (7, Successor)]);
    }

    #[test]
    fn what_does_not_stay_is_neither_returned_nor_successor() {
        let tasks = [2, 1, 6, 7].map(TaskId);
        let (children, others) = tasks.split_at(2);
        let leaves = [1, 6].map(TaskId);
        let graph = graph(true);
        let ways = ways(&graph, TaskId(0), children, others, |task| !leaves.contains(&task));
        let ways: Vec<Way> = ways.map(|(_, way)| way).collect();
        assert_eq!(ways, [Submitted, Submitted, Submitted, Successor]);
    }
}
