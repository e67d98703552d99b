//! The slow simulation of schedulers that have plain queues: `fifo`, `static`, `random-steal`, `taskloop-affinity`, `arena-per-node`, `hint` and `plan`.

use numasim_graph::values::{BlockHome, SchedulerKind, Submit, TaskGraph, TaskId, Ties};
use numasim_model::NodeId;
use numasim_plan::GraphPlan;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::error::TasksError;
use crate::question::Question;
use crate::random::{Stream, generator};
use crate::reference::course::ReadyBy;
use crate::reference::course::master::Heard;
use crate::reference::deciding::{Decides, nodes_of_workers, who_hands_over};
use crate::schedulers::{Fallbacks, Round, Source, Start};

// `fifo`: one queue.

#[derive(Clone, Debug)]
pub(super) struct Fifo<'a> {
    graph: &'a TaskGraph,
    has_successors: bool,
    /// Ready tasks, the oldest first.
    queue: Vec<TaskId>,
    /// Workers with the task that each runs next.
    successors: Vec<(usize, TaskId)>,
}

impl<'a> Fifo<'a> {
    pub(super) fn new(question: &Question<'a>) -> Self {
        let has_successors = question.scheduler.immediate_successor;
        Self { graph: question.graph, has_successors, queue: Vec::new(), successors: Vec::new() }
    }
}

impl Decides for Fifo<'_> {
    fn hear(&mut self, _: &Heard) -> Option<f64> {
        None
    }

    fn ready(&mut self, task: TaskId, by: ReadyBy, _: &[BlockHome]) {
        let free = |worker| self.successors.iter().all(|&(other, _)| other != worker);
        match by {
            ReadyBy::Parent(worker) if self.has_successors && free(worker) => {
                self.successors.push((worker, task));
            }
            _ => self.queue.push(task),
        }
    }

    fn has_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        if round != Round::Own {
            return None;
        }
        let own = self.successors.iter().position(|&(other, _)| other == worker);
        let task = match own {
            Some(place) => self.successors.remove(place).1,
            None if self.queue.is_empty() => return None,
            None => self.queue.remove(most_urgent(self.graph, &self.queue)),
        };
        Some(Start::new(task, Source::Own))
    }
}

/// The place of the oldest task of the highest priority, of tasks by age.
pub(super) fn most_urgent(graph: &TaskGraph, queue: &[TaskId]) -> usize {
    let mut first = 0;
    for (place, &task) in queue.iter().enumerate() {
        if graph.priority(task) > graph.priority(queue[first]) {
            first = place;
        }
    }
    first
}

// `static`: every loop is distributed over all workers in contiguous parts before it begins.

#[derive(Clone, Debug)]
pub(super) struct StaticLoops {
    /// Per worker: its node, and its ready tasks, the oldest first.
    nodes: Vec<NodeId>,
    queues: Vec<Vec<TaskId>>,
    /// Per task: its worker.
    workers: Vec<usize>,
}

impl StaticLoops {
    pub(super) fn new(question: &Question) -> Self {
        let nodes = nodes_of_workers(question.machine);
        let workers = question.graph.tasks().map(|task| worker_of(question, task, nodes.len())).collect();
        Self { queues: vec![Vec::new(); nodes.len()], nodes, workers }
    }
}

/// The worker of a task, out of `workers`: iteration number i of the n iterations of its loop goes to worker floor(i W / n). A task that
/// creates iterations goes with the first iteration below it.
fn worker_of(question: &Question, task: TaskId, workers: usize) -> usize {
    let graph = question.graph;
    let is_iteration = |task: &TaskId| graph.children(*task).is_empty();
    // A task is below itself.
    let is_below = |below: TaskId, above: TaskId| ancestors(question, below).contains(&above);
    let Some(first) = graph.tasks().filter(is_iteration).find(|&below| is_below(below, task)) else {
        return 0;
    };
    let own = loop_of(question, first);
    let all: Vec<TaskId> =
        graph.tasks().filter(is_iteration).filter(|&other| loop_of(question, other) == own).collect();
    let place = all.iter().position(|&other| other == first).unwrap_or(0);
    place * workers / all.len()
}

/// A task, its creator, the creator of that, and so on.
fn ancestors(question: &Question, task: TaskId) -> Vec<TaskId> {
    std::iter::successors(Some(task), |&task| question.graph.created_by(task)).collect()
}

/// The loop of an iteration, identified by its first task of the master: the one above the iteration. If the master creates the iteration
/// itself: the first of a series of such iterations of the same kind, without a `taskwait` between them.
fn loop_of(question: &Question, iteration: TaskId) -> TaskId {
    let graph = question.graph;
    if graph.created_by(iteration).is_some() {
        return ancestors(question, iteration).last().copied().unwrap_or(iteration);
    }
    let mut first = iteration;
    let of_master = graph.tasks().filter(|&task| graph.created_by(task).is_none());
    for before in of_master.take_while(|&task| task < iteration).collect::<Vec<_>>().into_iter().rev() {
        let is_alike = graph.type_name(before) == graph.type_name(iteration);
        if graph.taskwait(first) || !is_alike || !graph.children(before).is_empty() {
            break;
        }
        first = before;
    }
    first
}

impl Decides for StaticLoops {
    fn hear(&mut self, _: &Heard) -> Option<f64> {
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, _: &[BlockHome]) {
        self.queues[self.workers[task.0 as usize]].push(task);
    }

    fn has_queued(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        let queue = &mut self.queues[worker];
        if round != Round::Own || queue.is_empty() {
            return None;
        }
        Some(Start::new(queue.remove(0), Source::Own))
    }

    fn socket(&self, task: TaskId) -> Option<NodeId> {
        Some(self.nodes[self.workers[task.0 as usize]])
    }

    fn gives_sockets(&self) -> bool {
        true
    }
}

// `random-steal`: a queue for each worker.

/// Ready tasks of each worker, the oldest first.
#[derive(Clone, Debug)]
pub(super) struct OwnQueues {
    queues: Vec<Vec<TaskId>>,
    /// Workers that have any. A worker that gets a task is appended; if one has none left, the last one takes its place.
    filled: Vec<usize>,
    /// Number of tasks so far that were not made ready by a task: they go to the workers in turn.
    turn: usize,
    victims: ChaCha8Rng,
}

impl OwnQueues {
    pub(super) fn new(question: &Question) -> Self {
        Self {
            queues: vec![Vec::new(); nodes_of_workers(question.machine).len()],
            filled: Vec::new(),
            turn: 0,
            victims: generator(question.runtime.seed, Stream::Scheduler),
        }
    }

    /// A task is ready. `by`: the worker whose task was the last one that it waited for, or that created it.
    fn put(&mut self, task: TaskId, by: Option<usize>) {
        let in_turn = self.turn % self.queues.len();
        self.turn += usize::from(by.is_none());
        let worker = by.unwrap_or(in_turn);
        self.queues[worker].push(task);
        if !self.filled.contains(&worker) {
            self.filled.push(worker);
        }
    }

    /// The newest task of a worker.
    fn newest(&mut self, worker: usize) -> Option<TaskId> {
        let task = self.queues[worker].pop();
        self.look_at(worker);
        task
    }

    /// The oldest task of a random worker among those that have any. A single worker uses no random number.
    fn stolen(&mut self) -> Option<TaskId> {
        let place = if self.filled.len() > 1 { self.victims.random_range(0..self.filled.len()) } else { 0 };
        let worker = *self.filled.get(place)?;
        let task = self.queues[worker].remove(0);
        self.look_at(worker);
        Some(task)
    }

    fn look_at(&mut self, worker: usize) {
        if self.queues[worker].is_empty()
            && let Some(place) = self.filled.iter().position(|&other| other == worker)
        {
            self.filled.swap_remove(place);
        }
    }
}

impl Decides for OwnQueues {
    fn hear(&mut self, _: &Heard) -> Option<f64> {
        None
    }

    fn ready(&mut self, task: TaskId, by: ReadyBy, _: &[BlockHome]) {
        let worker = match by {
            ReadyBy::Parent(worker) | ReadyBy::Creator(worker) => Some(worker),
            ReadyBy::Master => None,
        };
        self.put(task, worker);
    }

    fn has_queued(&self) -> bool {
        !self.filled.is_empty()
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        match round {
            Round::Own => self.newest(worker).map(|task| Start::new(task, Source::Own)),
            Round::OtherNodes => None,
            Round::Steal => self.stolen().map(|task| Start::new(task, Source::Steal)),
        }
    }
}

// `taskloop-affinity`: a ready task goes to a worker near its largest block, and idle workers steal from any other.

#[derive(Clone, Debug)]
pub(super) struct Nearest<'a> {
    question: &'a Question<'a>,
    /// Per worker: its node, and its tasks, the oldest first.
    nodes: Vec<NodeId>,
    queues: Vec<Vec<TaskId>>,
    /// Nodes to which tasks were sent from elsewhere, one entry for each task.
    sent: Vec<NodeId>,
    victims: ChaCha8Rng,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let nodes = nodes_of_workers(question.machine);
        Self {
            question,
            queues: vec![Vec::new(); nodes.len()],
            nodes,
            sent: Vec::new(),
            victims: generator(question.runtime.seed, Stream::Scheduler),
        }
    }

    fn hand_over(&mut self, worker: usize, task: TaskId, homes: &[BlockHome]) {
        let mut queue = worker;
        if let Some(node) = self.data(task, homes).filter(|&node| node != self.nodes[worker]) {
            let there: Vec<usize> =
                (0..self.nodes.len()).filter(|&other| self.nodes[other] == node).collect();
            let before = self.sent.iter().filter(|&&sent| sent == node).count();
            queue = there[before % there.len()];
            self.sent.push(node);
        }
        self.queues[queue].push(task);
    }

    /// The node with cores where the largest block of a task is.
    fn data(&self, task: TaskId, homes: &[BlockHome]) -> Option<NodeId> {
        let mut accesses = self.question.graph.accesses(task);
        let mut largest = accesses.next()?;
        for access in accesses {
            if access.declared_bytes > largest.declared_bytes {
                largest = access;
            }
        }
        match homes[largest.block.0 as usize] {
            BlockHome::Node(node) if self.nodes.contains(&node) => Some(node),
            _ => None,
        }
    }

    /// The oldest task of any other worker.
    fn stolen(&mut self, thief: usize) -> Option<TaskId> {
        let count = self.nodes.len();
        let mut victims: Vec<usize> = (1..count).map(|step| (thief + step) % count).collect();
        victims.retain(|&victim| !self.queues[victim].is_empty());
        let draws = victims.len() > 1 && self.question.runtime.ties == Ties::Random;
        let place = if draws { self.victims.random_range(0..victims.len()) } else { 0 };
        Some(self.queues[*victims.get(place)?].remove(0))
    }
}

impl Decides for Nearest<'_> {
    fn hands_over(&self) -> bool {
        true
    }

    fn hear(&mut self, heard: &Heard) -> Option<f64> {
        if let Heard::HandsOver { worker, children, others, homes, .. } = heard {
            for &task in children.iter().chain(others) {
                self.hand_over(who_hands_over(self.question.graph, task, *worker), task, homes);
            }
        }
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, homes: &[BlockHome]) {
        self.hand_over(0, task, homes);
    }

    fn has_queued(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        match round {
            Round::Own => self.queues[worker].pop().map(|task| Start::new(task, Source::Own)),
            Round::OtherNodes => None,
            Round::Steal => self.stolen(worker).map(|task| Start::new(task, Source::Steal)),
        }
    }
}

// `arena-per-node`: tasks of another node are enqueued there; within a node the rules of `tbb` apply, without mailboxes.

/// State of one worker: its node, the task that its last task returned, the successor of its task, and its deque, the oldest first.
#[derive(Clone, Debug)]
struct Worker {
    node: NodeId,
    returned: Option<TaskId>,
    successor: Option<TaskId>,
    deque: Vec<TaskId>,
}

#[derive(Clone, Debug)]
pub(super) struct Arenas<'a> {
    question: &'a Question<'a>,
    workers: Vec<Worker>,
    /// Per node: enqueued tasks, the oldest first.
    queues: Vec<Vec<TaskId>>,
    victims: ChaCha8Rng,
}

impl<'a> Arenas<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let worker = |node| Worker { node, returned: None, successor: None, deque: Vec::new() };
        Self {
            question,
            workers: nodes_of_workers(question.machine).into_iter().map(worker).collect(),
            queues: vec![Vec::new(); question.machine.node_count()],
            victims: generator(question.runtime.seed, Stream::Scheduler),
        }
    }

    /// Whether a task has to leave the arena of a worker.
    fn leaves(&self, worker: usize, task: TaskId) -> bool {
        self.question.graph.affinity(task).is_some_and(|node| node != self.workers[worker].node)
    }

    /// A task has ended on a worker: its children come first, then the tasks that waited for it.
    fn ends(&mut self, ended: TaskId, worker: usize, children: &[TaskId], others: &[TaskId]) {
        let graph = self.question.graph;
        for (place, &child) in children.iter().enumerate() {
            let is_last = place + 1 == children.len();
            if is_last && graph.returns(ended) && !self.leaves(worker, child) {
                self.workers[worker].returned = Some(child);
            } else {
                self.submit(worker, child);
            }
        }
        for &task in others {
            let hands = who_hands_over(graph, task, worker);
            let may_follow = graph.created_by(task).is_some()
                && graph.submit(task) == Submit::Spawn
                && !self.leaves(hands, task);
            let goes_on = &self.workers[worker];
            if may_follow && goes_on.returned.is_none() && goes_on.successor.is_none() {
                self.workers[worker].successor = Some(task);
            } else {
                self.submit(hands, task);
            }
        }
    }

    fn submit(&mut self, worker: usize, task: TaskId) {
        let graph = self.question.graph;
        let own = self.workers[worker].node;
        if self.leaves(worker, task) || graph.submit(task) == Submit::Enqueue {
            self.queues[graph.affinity(task).unwrap_or(own).0].push(task);
        } else {
            self.workers[worker].deque.push(task);
        }
    }

    fn own(&mut self, worker: usize) -> Option<Start> {
        let Worker { node, returned, successor, deque } = &mut self.workers[worker];
        if let Some(task) = returned.take() {
            return Some(Start::new(task, Source::Returned));
        }
        if let Some(task) = successor.take() {
            return Some(Start::new(task, Source::Successor));
        }
        if let Some(task) = deque.pop() {
            return Some(Start::new(task, Source::Own));
        }
        let queue = &mut self.queues[node.0];
        if queue.is_empty() { None } else { Some(Start::new(queue.remove(0), Source::Shared)) }
    }

    /// The oldest task of another worker of the node.
    fn stolen(&mut self, thief: usize) -> Option<Start> {
        let count = self.workers.len();
        let mut victims: Vec<usize> = (1..count).map(|step| (thief + step) % count).collect();
        victims.retain(|&victim| {
            self.workers[victim].node == self.workers[thief].node && !self.workers[victim].deque.is_empty()
        });
        let draws = victims.len() > 1 && self.question.runtime.ties == Ties::Random;
        let place = if draws { self.victims.random_range(0..victims.len()) } else { 0 };
        let task = self.workers[*victims.get(place)?].deque.remove(0);
        Some(Start::new(task, Source::Steal))
    }
}

impl Decides for Arenas<'_> {
    fn hands_over(&self) -> bool {
        true
    }

    fn hear(&mut self, heard: &Heard) -> Option<f64> {
        if let Heard::HandsOver { task, worker, children, others, .. } = heard {
            self.ends(*task, *worker, children, others);
        }
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, _: &[BlockHome]) {
        self.submit(0, task);
    }

    fn has_queued(&self) -> bool {
        let goes_on = |worker: &Worker| {
            worker.returned.is_some() || worker.successor.is_some() || !worker.deque.is_empty()
        };
        self.workers.iter().any(goes_on) || self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        match round {
            Round::Own => self.own(worker),
            Round::OtherNodes => None,
            Round::Steal => self.stolen(worker),
        }
    }
}

// `hint` and `plan`: the worker that hands a task over puts it into its queue, or into the queue of the task's node; only workers of one
// node steal from each other.

#[derive(Clone, Debug)]
pub(super) struct Hints<'a> {
    question: &'a Question<'a>,
    /// Of `plan`.
    plan: Option<&'a GraphPlan>,
    /// Per worker: its node, and its tasks, the oldest first.
    nodes: Vec<NodeId>,
    own: Vec<Vec<TaskId>>,
    /// Per node: tasks that others have sent, the oldest first.
    shared: Vec<Vec<TaskId>>,
}

impl<'a> Hints<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Result<Self, TasksError> {
        let nodes = nodes_of_workers(question.machine);
        let plan = match question.scheduler.kind {
            SchedulerKind::Plan => Some(question.plan.ok_or(TasksError::NoPlan)?),
            _ => None,
        };
        let own = vec![Vec::new(); nodes.len()];
        Ok(Self { question, plan, nodes, own, shared: vec![Vec::new(); question.machine.node_count()] })
    }

    fn hand_over(&mut self, worker: usize, task: TaskId) {
        let wanted = match self.plan {
            Some(plan) => plan.task(task),
            None => self.question.graph.affinity(task),
        };
        // A node without cores does not count.
        match wanted.filter(|node| self.nodes.contains(node)) {
            Some(node) if node != self.nodes[worker] => self.shared[node.0].push(task),
            _ => self.own[worker].push(task),
        }
    }
}

impl Decides for Hints<'_> {
    fn hands_over(&self) -> bool {
        true
    }

    fn hear(&mut self, heard: &Heard) -> Option<f64> {
        if let Heard::HandsOver { worker, children, others, .. } = heard {
            for &task in children.iter().chain(others) {
                self.hand_over(who_hands_over(self.question.graph, task, *worker), task);
            }
        }
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, _: &[BlockHome]) {
        self.hand_over(0, task);
    }

    fn has_queued(&self) -> bool {
        self.own.iter().chain(&self.shared).any(|tasks| !tasks.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        let node = self.nodes[worker];
        let workers = self.nodes.len();
        // The places where it looks, in order.
        let places = match round {
            Round::Own => {
                vec![(&mut self.own[worker], Source::Own), (&mut self.shared[node.0], Source::Shared)]
            }
            Round::OtherNodes => Vec::new(),
            Round::Steal => {
                let mut others: Vec<(usize, &mut Vec<TaskId>)> = self.own.iter_mut().enumerate().collect();
                others.retain(|&(other, _)| other != worker && self.nodes[other] == node);
                others.sort_by_key(|&(other, _)| (other + workers - worker) % workers);
                others.into_iter().map(|(_, queue)| (queue, Source::Steal)).collect()
            }
        };
        let (queue, source) = places.into_iter().find(|(queue, _)| !queue.is_empty())?;
        Some(Start::new(queue.remove(0), source))
    }

    fn fallbacks(&self) -> Option<Fallbacks> {
        self.plan.map(GraphPlan::fallbacks)
    }
}
