//! `tbb` and `tbb-numa`: Intel TBB and the library of paper 003 (Majo, Gross, PPoPP 2015, Figures 5 and 7).
//!
//! A worker that is idle looks for its next task in this order: (1) what its task returned, (2) its successor, (3) the youngest of its own
//! deque, (4) the oldest of its mailbox, (5) the oldest of the shared queue, (6) the oldest of another worker's deque. Under `tbb-numa`
//! mailboxes and shared queues belong to nodes, and the queues of other nodes come when all idle workers have looked so far.
//!
//! A task with an affinity is spawned into a deque and a mailbox; whoever takes it first has it. Under `tbb` only the affinity partitioner
//! gives affinities: the mailbox whose worker ran the piece of work last. Under `tbb-numa` they are the programmer's.

mod crew;
mod dealing;
mod deques;
mod handing;
mod library;
mod mailboxes;
mod management;
mod recorded;
mod reflection;
mod shared;
mod worker_set;

use numasim_graph::values::{SchedulerKind, Submit, TaskId};

use self::crew::Crew;
use self::dealing::Dealing;
use self::deques::Deques;
pub(super) use self::handing::{Way, ways};
use self::library::{Library, Partitioner};
use self::mailboxes::Mailboxes;
use self::management::Management;
use self::reflection::Reflection;
use self::shared::SharedQueues;
use super::draw::Draw;
use super::given::Given;
use super::scheduler::{Partitioning, Scheduler, View};
use super::start::{Round, Source, Start};
use super::tree::{HandOver, MASTER, who_hands_over};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Tbb {
    library: Library,
    /// Per worker: what its last task returned, and that task's successor.
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
                ran: detaches.then(Given::new),
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

    /// Children in the order in which a worker hands them over: by reflection those that concern its own node come last.
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

    /// Rules 1 to 3: what the worker has of its own.
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

    /// Rules 4 and 5, but for the queues of other nodes.
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
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

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
        // Given back for its room.
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
            partitioner.ran.set(piece.0, mailbox);
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

    fn socket(&self, _: TaskId) -> Option<SocketId> {
        None
    }

    fn gives_sockets(&self) -> bool {
        false
    }
}

/// `task` is what a worker runs next.
fn put(of_workers: &mut [Option<TaskId>], worker: WorkerId, task: TaskId) {
    of_workers.get_mut(worker.0 as usize).into_iter().for_each(|next| *next = Some(task));
}
