//! `tbb` and `tbb-numa`, with plain lists only. A task that a worker takes leaves all lists at once, so that there are no void copies.

use numasim_graph::values::{BlockHome, ReplayId, SchedulerKind, Submit, TaskId, Ties};
use numasim_model::NodeId;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::question::Question;
use crate::random::{Stream, generator};
use crate::reference::course::ReadyBy;
use crate::reference::course::master::Heard;
use crate::reference::deciding::{Decides, nodes_of_workers, who_hands_over};
use crate::schedulers::{Round, Source, Start};

/// A library.
#[derive(Clone, Debug)]
pub(super) struct Library<'a> {
    question: &'a Question<'a>,
    /// Per worker: its node, and the program that it is dealt to.
    nodes: Vec<NodeId>,
    programs: Vec<usize>,
    /// Per worker: whether it is in the simulated program, and the mailbox to which it is connected.
    is_there: Vec<bool>,
    connected: Vec<Option<usize>>,
    /// Per worker: the task that its last task returned, its successor, its tasks (the oldest first).
    returned: Vec<Option<TaskId>>,
    successors: Vec<Option<TaskId>>,
    own: Vec<Vec<TaskId>>,
    /// By worker (`tbb`) or node (`tbb-numa`): tasks, the oldest first.
    mailboxes: Vec<Vec<TaskId>>,
    /// By node, and one more for no affinity.
    shared: Vec<Vec<TaskId>>,
    /// The place where each piece of work ran last, and the places to which tasks were sent for this reason.
    recorded: Vec<(ReplayId, usize)>,
    sent: Vec<(TaskId, usize)>,
    /// The nodes where tasks ran.
    ran: Vec<(TaskId, NodeId)>,
    /// Programs in the first phase.
    dealt: Option<Vec<Vec<u32>>>,
    victims: ChaCha8Rng,
    dealing: ChaCha8Rng,
    joining: ChaCha8Rng,
}

impl<'a> Library<'a> {
    /// The library that a question asks for.
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let machine = question.machine;
        let nodes = nodes_of_workers(machine);
        let count = nodes.len();
        let seed = question.runtime.seed;
        Self {
            question,
            programs: vec![0; count],
            is_there: vec![true; count],
            connected: (0..count).map(Some).collect(),
            returned: vec![None; count],
            successors: vec![None; count],
            own: vec![Vec::new(); count],
            mailboxes: vec![Vec::new(); count.max(machine.node_count())],
            shared: vec![Vec::new(); machine.node_count() + 1],
            recorded: Vec::new(),
            sent: Vec::new(),
            ran: Vec::new(),
            dealt: None,
            nodes,
            victims: generator(seed, Stream::Scheduler),
            dealing: generator(seed, Stream::Dealing),
            joining: generator(seed, Stream::Joining),
        }
    }

    fn is(&self, kind: SchedulerKind) -> bool {
        self.question.scheduler.kind == kind
    }

    /// The mailbox of a task.
    fn mailbox_of(&self, task: TaskId) -> Option<usize> {
        match self.question.scheduler.kind {
            SchedulerKind::TbbNuma => self.question.graph.affinity(task).map(|node| node.0),
            _ => self.sent.iter().find(|&&(sent, _)| sent == task).map(|&(_, mailbox)| mailbox),
        }
    }

    /// The mailbox that a worker checks.
    fn mailbox_for(&self, worker: usize) -> Option<usize> {
        if self.is(SchedulerKind::TbbNuma) { Some(self.nodes[worker].0) } else { self.connected[worker] }
    }

    /// A task has ended on a worker, which hands over these children, by `seq`, and others, by number.
    fn hand_over(&mut self, ended: TaskId, worker: usize, children: &[TaskId], others: &[TaskId]) {
        let graph = self.question.graph;
        self.ran.push((ended, self.nodes[worker]));
        let mut children = children.to_vec();
        if self.is(SchedulerKind::TbbNuma) && self.question.scheduler.reflection {
            // The sort is stable.
            children.sort_by_key(|&child| self.concerns(child, self.nodes[worker]));
        }
        self.returned[worker] = if graph.returns(ended) { children.pop() } else { None };
        for child in children {
            self.submit(worker, child);
        }
        for &task in others {
            let may_follow = graph.created_by(task).is_some() && graph.submit(task) == Submit::Spawn;
            if may_follow && self.returned[worker].is_none() && self.successors[worker].is_none() {
                self.successors[worker] = Some(task);
            } else {
                self.submit(who_hands_over(graph, task, worker), task);
            }
        }
    }

    /// Whether a task, or one below it, has affinity for a node.
    fn concerns(&self, task: TaskId, node: NodeId) -> bool {
        let graph = self.question.graph;
        graph.affinity(task) == Some(node)
            || graph.children(task).iter().any(|&child| self.concerns(child, node))
    }

    fn submit(&mut self, worker: usize, task: TaskId) {
        let graph = self.question.graph;
        let affinity = graph.affinity(task).filter(|_| self.is(SchedulerKind::TbbNuma));
        let creator = graph.created_by(task);
        let ran = |creator| self.ran.iter().find(|&&(task, _)| task == creator).map(|&(_, node)| node);
        let creator = creator.and_then(ran).unwrap_or(self.nodes[0]);
        let is_enqueued = match graph.submit(task) {
            Submit::Spawn => false,
            Submit::Enqueue => true,
            Submit::Detach => affinity.is_some_and(|node| node != creator),
        };
        if is_enqueued {
            let queue = affinity.map_or(self.shared.len() - 1, |node| node.0);
            self.shared[queue].push(task);
            return;
        }
        if self.question.scheduler.affinity_partitioner
            && self.is(SchedulerKind::Tbb)
            && let Some(key) = graph.replay(task)
            && let Some(&(_, mailbox)) = self.recorded.iter().find(|&&(known, _)| known == key)
        {
            self.sent.push((task, mailbox));
        }
        self.own[worker].push(task);
        if let Some(mailbox) = self.mailbox_of(task) {
            self.mailboxes[mailbox].push(task);
        }
    }

    /// Rules 1 to 3.
    fn own(&mut self, worker: usize) -> Option<Start> {
        if let Some(task) = self.returned[worker].take() {
            return Some(Start::new(task, Source::Returned));
        }
        if let Some(task) = self.successors[worker].take() {
            return Some(Start::new(task, Source::Successor));
        }
        let &task = self.own[worker].last()?;
        let mailbox = self.mailbox_of(task);
        let revoked = mailbox.is_some() && mailbox != self.mailbox_for(worker);
        Some(Start { task, source: Source::Own, revoked })
    }

    /// Rules 4 and 5 on the local node.
    fn sent_to(&self, worker: usize) -> Option<Start> {
        if !self.is_dealt(worker) {
            return None;
        }
        if let Some(&task) = self.mailbox_for(worker).and_then(|mailbox| self.mailboxes[mailbox].first()) {
            return Some(Start::new(task, Source::Mailbox));
        }
        let none = self.shared.len() - 1;
        let task = self.shared[self.nodes[worker].0].first().or_else(|| self.shared[none].first())?;
        Some(Start::new(*task, Source::Shared))
    }

    /// Rule 5 on other nodes.
    fn of_other_nodes(&self, worker: usize) -> Option<Start> {
        if !self.is(SchedulerKind::TbbNuma) || !self.is_dealt(worker) {
            return None;
        }
        let count = self.shared.len() - 1;
        let mut others = (1..count).map(|step| (self.nodes[worker].0 + step) % count);
        let task = others.find_map(|node| self.shared[node].first())?;
        Some(Start::new(*task, Source::Shared))
    }

    /// Rule 6.
    fn stolen(&mut self, thief: usize) -> Option<Start> {
        if !self.is_dealt(thief) {
            return None;
        }
        let count = self.nodes.len();
        let others = (1..count).map(|step| (thief + step) % count);
        let mut victims: Vec<usize> = others.filter(|&victim| !self.own[victim].is_empty()).collect();
        while !victims.is_empty() {
            let place = one_of(victims.len(), self.question.runtime.ties, &mut self.victims);
            let victim = victims.remove(place);
            let may = |task: &&TaskId| self.mailbox_of(**task).is_none_or(|mailbox| !self.is_idle(mailbox));
            if let Some(&task) = self.own[victim].iter().find(may) {
                return Some(Start::new(task, Source::Steal));
            }
        }
        None
    }
}

impl Decides for Library<'_> {
    fn hands_over(&self) -> bool {
        true
    }

    fn hear(&mut self, heard: &Heard) -> Option<f64> {
        match heard {
            Heard::HandsOver { task, worker, children, others, .. } => {
                self.hand_over(*task, *worker, children, others);
            }
            Heard::Shares(programs) => self.shares(*programs as usize),
            Heard::Leaves(worker) => self.leaves(*worker),
            Heard::Joins(worker) => self.joins(*worker),
            Heard::Created(_) | Heard::Taskwait | Heard::Throttle | Heard::End | Heard::Partitioned => {}
        }
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, _: &[BlockHome]) {
        self.submit(0, task);
    }

    fn has_queued(&self) -> bool {
        let next = self.returned.iter().chain(&self.successors).any(Option::is_some);
        next || self.own.iter().chain(&self.shared).any(|tasks| !tasks.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        let start = match round {
            Round::Own => self.own(worker).or_else(|| self.sent_to(worker)),
            Round::OtherNodes => self.of_other_nodes(worker),
            Round::Steal => self.stolen(worker),
        }?;
        for tasks in self.own.iter_mut().chain(&mut self.mailboxes).chain(&mut self.shared) {
            tasks.retain(|&task| task != start.task);
        }
        if let (Some(key), Some(mailbox)) = (self.question.graph.replay(start.task), self.connected[worker]) {
            self.recorded.retain(|&(known, _)| known != key);
            self.recorded.push((key, mailbox));
        }
        Some(start)
    }

    fn dealt(&self) -> Option<Vec<Vec<u32>>> {
        self.dealt.clone()
    }

    fn is_dealt(&self, worker: usize) -> bool {
        self.programs[worker] == 0
    }
}

/// One of `count` equal choices: the first, or a random one.
fn one_of(count: usize, ties: Ties, random: &mut ChaCha8Rng) -> usize {
    if count > 1 && ties == Ties::Random { random.random_range(0..count) } else { 0 }
}

// The workers in the program, and the mailbox that each of them checks.

impl Library<'_> {
    /// Whether no worker can be relied on to check a mailbox soon.
    fn is_idle(&self, mailbox: usize) -> bool {
        if !self.is(SchedulerKind::TbbNuma) {
            return self.connected.iter().all(|&connected| connected != Some(mailbox));
        }
        let of_node = || (0..self.nodes.len()).filter(|&worker| self.nodes[worker].0 == mailbox);
        let there = of_node().filter(|&worker| self.is_there[worker]).count();
        there < of_node().filter(|&worker| self.programs[worker] == 0).count()
    }

    /// From now on this number of programs share the workers.
    fn shares(&mut self, programs: usize) {
        let count = self.nodes.len();
        for worker in 0..count {
            self.programs[worker] = match self.question.scheduler.kind {
                SchedulerKind::TbbNuma => worker % programs,
                _ => worker * programs / count,
            };
        }
        if programs > 1 && self.is(SchedulerKind::Tbb) {
            for place in 1..count {
                let other = place + one_of(count - place, self.question.runtime.ties, &mut self.dealing);
                self.programs.swap(place, other);
            }
        }
        if programs > 1 && self.dealt.is_none() {
            let of = |program: usize, node: NodeId| {
                let mut workers = 0;
                for worker in 0..count {
                    workers += u32::from(self.programs[worker] == program && self.nodes[worker] == node);
                }
                workers
            };
            let nodes = || self.question.machine.compute_nodes();
            self.dealt =
                Some((0..programs).map(|program| nodes().map(|node| of(program, node)).collect()).collect());
        }
    }

    /// A worker leaves.
    fn leaves(&mut self, worker: usize) {
        self.is_there[worker] = false;
        self.connected[worker] = None;
    }

    /// A worker comes back.
    fn joins(&mut self, worker: usize) {
        self.is_there[worker] = true;
        let free = (0..self.nodes.len()).filter(|&mailbox| !self.connected.contains(&Some(mailbox)));
        let free: Vec<usize> = free.collect();
        self.connected[worker] =
            Some(free[one_of(free.len(), self.question.runtime.ties, &mut self.joining)]);
    }
}
