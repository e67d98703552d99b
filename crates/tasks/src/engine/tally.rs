//! What a simulation has found so far.

use numasim_graph::Tracker;
use numasim_model::NodeId;
use numasim_model::graph::TaskGraph;
use numasim_model::units::Seconds;

use crate::idle::IdleTimes;
use crate::observer::TaskRecord;
use crate::result::{Cut, NodeRun, Run, Traffic};
use crate::schedulers::Scheduler;

/// Sums over tasks that have ended.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    nodes: Vec<NodeRun>,
    busy_s: Vec<f64>,
    makespan_s: f64,
    steals: u64,
}

impl Tally {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes: vec![NodeRun::default(); nodes], busy_s: vec![0.0; nodes], makespan_s: 0.0, steals: 0 }
    }

    /// A task has ended.
    pub(super) fn ended(&mut self, record: &TaskRecord) {
        let NodeId(node) = record.node;
        if let Some(of_node) = self.nodes.get_mut(node) {
            of_node.tasks += 1;
            of_node.traffic += record.traffic;
        }
        if let Some(busy_s) = self.busy_s.get_mut(node) {
            *busy_s += record.end_s - record.start_s;
        }
        self.steals += u64::from(record.stolen);
        self.makespan_s = self.makespan_s.max(record.end_s);
    }

    /// How many tasks have ended.
    pub(super) fn tasks(&self) -> u64 {
        self.nodes.iter().map(|node| node.tasks).sum()
    }

    /// The answer, after the last task.
    pub(super) fn finish(
        mut self,
        graph: &TaskGraph,
        scheduler: &dyn Scheduler,
        workers: usize,
        partition: Seconds,
        idle: &[IdleTimes],
    ) -> Run {
        let busy_s: f64 = self.busy_s.iter().sum();
        for ((node, &busy_s), &idle) in self.nodes.iter_mut().zip(&self.busy_s).zip(idle) {
            node.busy = Seconds::new(busy_s);
            node.idle = idle;
        }
        let all_s = workers as f64 * self.makespan_s;
        let mut traffic = Traffic::default();
        self.nodes.iter().for_each(|node| traffic += node.traffic);
        Run {
            makespan: Seconds::new(self.makespan_s),
            traffic,
            nodes: self.nodes,
            // Rounding must not make it less than nothing.
            idle: if all_s > 0.0 { (1.0 - busy_s / all_s).clamp(0.0, 1.0) } else { 0.0 },
            steals: self.steals,
            cut: scheduler.gives_sockets().then(|| cut(graph, scheduler)),
            partition,
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
