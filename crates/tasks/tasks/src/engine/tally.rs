//! What a simulation has found so far.

use numasim_graph::Tracker;
use numasim_graph::values::TaskGraph;
use numasim_model::NodeId;
use numasim_model::units::Seconds;

use super::contenders::Contenders;
use crate::idle::IdleTimes;
use crate::observer::TaskRecord;
use crate::result::{ContenderRun, Cut, NodeRun, Run, Traffic};
use crate::schedulers::{Scheduler, Source};

/// Sums over tasks that have ended.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    nodes: Vec<NodeRun>,
    busy_s: Vec<f64>,
    makespan_s: f64,
    /// By [`Source`].
    sources: [u64; Source::ALL.len()],
    revokes: u64,
    remote_tasks: u64,
}

/// What else there is to say of a run, when it is over.
pub(super) struct Rest<'a> {
    pub(super) workers: usize,
    pub(super) partition: Seconds,
    pub(super) migration: Seconds,
    /// Per node.
    pub(super) idle: &'a [IdleTimes],
    pub(super) contenders: Option<&'a Contenders>,
}

impl Tally {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            nodes: vec![NodeRun::default(); nodes],
            busy_s: vec![0.0; nodes],
            makespan_s: 0.0,
            sources: [0; Source::ALL.len()],
            revokes: 0,
            remote_tasks: 0,
        }
    }

    /// A task has ended that has an affinity.
    pub(super) fn ended(&mut self, record: &TaskRecord, affinity: Option<NodeId>) {
        let NodeId(node) = record.node;
        if let Some(of_node) = self.nodes.get_mut(node) {
            of_node.tasks += 1;
            of_node.traffic += record.traffic;
        }
        if let Some(busy_s) = self.busy_s.get_mut(node) {
            *busy_s += record.end_s - record.start_s;
        }
        if let Some(found) = self.sources.get_mut(record.source as usize) {
            *found += 1;
        }
        self.revokes += u64::from(record.revoked);
        self.remote_tasks += u64::from(affinity.is_some_and(|affinity| affinity != record.node));
        self.makespan_s = self.makespan_s.max(record.end_s);
    }

    /// How many tasks have ended.
    pub(super) fn tasks(&self) -> u64 {
        self.nodes.iter().map(|node| node.tasks).sum()
    }

    /// The answer, after the last task.
    pub(super) fn finish(mut self, graph: &TaskGraph, scheduler: &dyn Scheduler, rest: &Rest<'_>) -> Run {
        let mut busy_s: f64 = self.busy_s.iter().sum();
        for ((node, &busy_s), &idle) in self.nodes.iter_mut().zip(&self.busy_s).zip(rest.idle) {
            node.busy = Seconds::new(busy_s);
            node.idle = idle;
        }
        if let Some(contenders) = rest.contenders {
            busy_s += contenders.busy_s().iter().sum::<f64>();
            for (node, &busy_s) in self.nodes.iter_mut().zip(contenders.busy_s()) {
                node.contender = Seconds::new(busy_s);
            }
        }
        let all_s = rest.workers as f64 * self.makespan_s;
        let mut traffic = Traffic::default();
        self.nodes.iter().for_each(|node| traffic += node.traffic);
        let sources = self.sources;
        let found = |source| sources.get(source as usize).copied().unwrap_or(0);
        Run {
            makespan: Seconds::new(self.makespan_s),
            traffic,
            nodes: self.nodes,
            // Rounding must not make it less than nothing.
            idle: if all_s > 0.0 { (1.0 - busy_s / all_s).clamp(0.0, 1.0) } else { 0.0 },
            steals: found(Source::Steal),
            cut: scheduler.gives_sockets().then(|| cut(graph, scheduler)),
            partition: rest.partition,
            migration: rest.migration,
            mailbox: found(Source::Mailbox),
            shared: found(Source::Shared),
            revokes: self.revokes,
            remote_tasks: self.remote_tasks,
            contender: rest
                .contenders
                .map(|contenders| ContenderRun { tasks: contenders.tasks(), dealt: scheduler.dealt() }),
            fallbacks: scheduler.fallbacks(),
        }
    }
}

/// Edges between tasks of different sockets.
fn cut(graph: &TaskGraph, scheduler: &dyn Scheduler) -> Cut {
    let mut tracker = Tracker::new(graph.blocks().len());
    let mut cut = Cut::default();
    for task in graph.tasks() {
        let socket = scheduler.socket(task);
        for edge in tracker.add(graph, task).filter(|edge| scheduler.socket(edge.from) != socket) {
            cut.edges += 1;
            cut.bytes += edge.bytes;
        }
    }
    cut
}
