//! Machines, graphs and runs that are short to write.

use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, PagePlacement, RuntimeSettings, SchedulerKind,
    SchedulerSettings, TaskGraph, TaskGraphBuilder, TaskId, Ties, TreeTask,
};
use numasim_model::NodeId;
use numasim_model::machine::{LastLevelCache, Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond, Megabytes, Seconds};
use numasim_tasks::{Observer, Question, Run, TaskRecord, TasksError, simulate};

pub(crate) use AccessMode::{In, Inout, Out};

pub(crate) const MB: f64 = 1e6;
pub(crate) const GB: f64 = 1e9;

/// A node with this number of cores of 10 GFLOPS and 20 GB/s.
pub(crate) fn node(cores: u32) -> Node {
    Node {
        cores,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(20.0),
        ..Node::default()
    }
}

/// Machine M2 of the hand tests: 2 nodes x 2 cores, 10 GFLOPS, 20 GB/s, links 5 GB/s, no cache.
pub(crate) fn m2() -> Machine {
    nodes(2, 2)
}

pub(crate) fn nodes(count: usize, cores: u32) -> Machine {
    Machine::uniform("hand", count, node(cores), GigabytesPerSecond::new(5.0)).expect("a machine")
}

pub(crate) fn with_llc(machine: Machine, mb: f64, core_gbs: Option<f64>) -> Machine {
    let cache =
        LastLevelCache { size: Megabytes::new(mb), core_bandwidth: core_gbs.map(GigabytesPerSecond::new) };
    let caches = vec![Some(cache); machine.node_count()];
    machine.with_caches(caches).expect("a cache for each node")
}

/// A graph during construction.
#[derive(Default)]
pub(crate) struct Graph(TaskGraphBuilder);

/// One access that declares and moves a whole block of this number of bytes.
pub(crate) fn all(block: BlockId, mode: AccessMode, bytes: f64) -> Access {
    Access { block, mode, declared_bytes: bytes, moved_bytes: bytes }
}

impl Graph {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn block(&mut self, bytes: f64, home: Option<usize>) -> BlockId {
        let home = home.map_or(BlockHome::Open, |node| BlockHome::Node(NodeId(node)));
        self.0.block(Block { bytes, home }, None).expect("a block")
    }

    pub(crate) fn interleaved(&mut self, bytes: f64) -> BlockId {
        self.0.block(Block { bytes, home: BlockHome::Interleaved }, None).expect("a block")
    }

    pub(crate) fn task(&mut self, gflop: f64, accesses: &[Access]) -> TaskId {
        self.add(gflop, accesses, None, false)
    }

    pub(crate) fn on(&mut self, socket: usize, gflop: f64, accesses: &[Access]) -> TaskId {
        self.add(gflop, accesses, Some(socket), false)
    }

    pub(crate) fn after_all(&mut self, gflop: f64, accesses: &[Access]) -> TaskId {
        self.add(gflop, accesses, None, true)
    }

    pub(crate) fn add(
        &mut self,
        gflop: f64,
        accesses: &[Access],
        socket: Option<usize>,
        taskwait: bool,
    ) -> TaskId {
        let kind = self.0.kind("work");
        let socket = socket.map(NodeId);
        self.0.task(NewTask { kind, gflop, accesses, socket, taskwait, name: None }).expect("a task")
    }

    /// A task with tree attributes.
    pub(crate) fn tree(&mut self, gflop: f64, accesses: &[Access], says: TreeTask<'_>) -> TaskId {
        let kind = self.0.kind("work");
        let task = NewTask { kind, gflop, accesses, socket: None, taskwait: false, name: None };
        self.0.tree_task(task, says).expect("a task")
    }

    /// One that `creator` creates.
    pub(crate) fn child(&mut self, creator: TaskId, gflop: f64, accesses: &[Access]) -> TaskId {
        self.tree(gflop, accesses, TreeTask { created_by: Some(creator), ..TreeTask::default() })
    }

    pub(crate) fn hint(&mut self, block: BlockId, node: usize) {
        self.0.block_hint(block, NodeId(node)).expect("a block");
    }

    pub(crate) fn prioritise(&mut self, task: TaskId, priority: f64) {
        self.0.prioritise(task, priority);
    }

    pub(crate) fn done(self) -> TaskGraph {
        self.0.finish()
    }
}

/// The settings of a run: nothing costs anything, and the lowest number comes first.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) scheduler: SchedulerSettings,
    pub(crate) runtime: RuntimeSettings,
    pub(crate) placement: PagePlacement,
    pub(crate) steal: bool,
}

pub(crate) fn under(kind: SchedulerKind) -> Setting {
    let free = Seconds::new(0.0);
    let runtime = RuntimeSettings {
        creation: free,
        task: free,
        steal: free,
        ties: Ties::Order,
        ..RuntimeSettings::default()
    };
    Setting {
        scheduler: SchedulerSettings { kind, ..SchedulerSettings::default() },
        runtime,
        placement: PagePlacement::FirstTouch,
        steal: false,
    }
}

/// Stores the observed records.
#[derive(Default)]
pub(crate) struct Seen(pub(crate) Vec<TaskRecord>);

impl Observer for Seen {
    fn ended(&mut self, record: &TaskRecord) {
        self.0.push(*record);
    }
}

impl Setting {
    /// The answer, and a record of each task in creation order.
    pub(crate) fn try_run(
        &self,
        machine: &Machine,
        graph: &TaskGraph,
    ) -> Result<(Run, Vec<TaskRecord>), TasksError> {
        let question = Question {
            placement: self.placement,
            steal: self.steal,
            ..Question::new(machine, graph, &self.scheduler, &self.runtime)
        };
        let mut seen = Seen::default();
        let run = simulate(&question, &mut seen)?;
        seen.0.sort_by_key(|record| record.task);
        assert_eq!(seen.0.len(), graph.task_count());
        Ok((run, seen.0))
    }

    pub(crate) fn run(&self, machine: &Machine, graph: &TaskGraph) -> (Run, Vec<TaskRecord>) {
        self.try_run(machine, graph).expect("an answer")
    }
}

/// Equal except for rounding.
#[track_caller]
pub(crate) fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{value} is not {expected}");
}

/// The assigned nodes of tasks.
pub(crate) fn sockets(records: &[TaskRecord]) -> Vec<usize> {
    records.iter().map(|record| record.socket.expect("a socket").0).collect()
}

/// The nodes on which tasks ran.
pub(crate) fn ran_on(records: &[TaskRecord]) -> Vec<usize> {
    records.iter().map(|record| record.node.0).collect()
}
