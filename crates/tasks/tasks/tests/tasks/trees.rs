//! Tree programs that are short to write, and runs of them with contenders.

use numasim_graph::values::{
    Access, Block, BlockHome, BlockId, Contender, NewTask, SchedulerKind, Submit, TaskGraph,
    TaskGraphBuilder, TaskId, TreeTask,
};
use numasim_model::units::Seconds;
use numasim_model::{Machine, NodeId};
use numasim_tasks::{Question, Run, Source, TaskRecord, simulate};

use crate::common::*;

/// A tree program during construction. A core does 10 GFLOPS: a task of `seconds` has ten times as much work.
#[derive(Default)]
pub(crate) struct Tree(TaskGraphBuilder);

/// Default attributes of a task: none.
pub(crate) const PLAIN: TreeTask<'static> = TreeTask {
    created_by: None,
    seq: None,
    affinity: None,
    submit: Submit::Spawn,
    returns: false,
    replay: None,
};

pub(crate) fn affine(node: usize) -> TreeTask<'static> {
    TreeTask { affinity: Some(NodeId(node)), ..PLAIN }
}

impl Tree {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn block(&mut self, bytes: f64, home: Option<usize>) -> BlockId {
        let home = home.map_or(BlockHome::Open, |node| BlockHome::Node(NodeId(node)));
        self.0.block(Block { bytes, home }, None).expect("a block")
    }

    /// A task of the master that computes.
    pub(crate) fn root(&mut self, seconds: f64, says: TreeTask<'_>) -> TaskId {
        self.add(seconds, &[], false, says)
    }

    /// A task that waits for all before it.
    pub(crate) fn after_all(&mut self, seconds: f64, says: TreeTask<'_>) -> TaskId {
        self.add(seconds, &[], true, says)
    }

    /// A task that another one creates.
    pub(crate) fn child(&mut self, creator: TaskId, seconds: f64, says: TreeTask<'_>) -> TaskId {
        self.add(seconds, &[], false, TreeTask { created_by: Some(creator), ..says })
    }

    pub(crate) fn add(
        &mut self,
        seconds: f64,
        accesses: &[Access],
        taskwait: bool,
        says: TreeTask<'_>,
    ) -> TaskId {
        let kind = self.0.kind("work");
        let task = NewTask { kind, gflop: 10.0 * seconds, accesses, socket: None, taskwait, name: None };
        self.0.tree_task(task, says).expect("a task")
    }

    pub(crate) fn done(self) -> TaskGraph {
        self.0.try_finish().expect("a graph")
    }
}

pub(crate) fn contender(count: u32, phases: &[(f64, f64)]) -> Contender {
    let phase = |&(from, to): &(f64, f64)| (Seconds::new(from), Seconds::new(to));
    let phases = (!phases.is_empty()).then(|| phases.iter().map(phase).collect());
    Contender { gflop: 1.0, count, phases }
}

/// The answer with contenders, and a record of each task.
pub(crate) fn against(
    contender: &Contender,
    setting: &Setting,
    machine: &Machine,
    graph: &TaskGraph,
) -> (Run, Vec<TaskRecord>) {
    let question = Question {
        placement: setting.placement,
        steal: setting.steal,
        contender: Some(contender),
        ..Question::new(machine, graph, &setting.scheduler, &setting.runtime)
    };
    let mut seen = Seen::default();
    let run = simulate(&question, &mut seen).expect("an answer");
    seen.0.sort_by_key(|record| record.task);
    (run, seen.0)
}

/// The places where workers found tasks, in the order in which they took them.
pub(crate) fn order(records: &[TaskRecord]) -> Vec<(u32, Source)> {
    let mut records = records.to_vec();
    records.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
    records.iter().map(|record| (record.task.0, record.source)).collect()
}

pub(crate) fn sources(records: &[TaskRecord]) -> Vec<Source> {
    records.iter().map(|record| record.source).collect()
}

pub(crate) fn workers(records: &[TaskRecord]) -> Vec<u32> {
    records.iter().map(|record| record.worker).collect()
}

/// `tbb` with the affinity partitioner.
pub(crate) fn partitioner() -> Setting {
    let mut setting = under(SchedulerKind::Tbb);
    setting.scheduler.affinity_partitioner = true;
    setting
}
