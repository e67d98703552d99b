//! Machines and graphs of the tests.

use std::fmt::Write as _;

use numasim_graph::Dependencies;
use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, PagePlacement, RuntimeSettings,
    SchedulerSettings, TaskGraph, TaskGraphBuilder, Ties,
};
use numasim_model::machine::{LastLevelCache, Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond, Megabytes, Seconds};
use numasim_model::{Model, ModelKind, NodeId};
use numasim_plan::GraphPlan;
use numasim_tasks::{Observer, Question, TaskRecord};

/// 2 nodes x 2 cores of 10 GFLOPS, 20 GB/s, links of 5 GB/s; no caches, max-min.
pub(crate) fn m2() -> Machine {
    let node = Node {
        cores: 2,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(20.0),
        ..Node::default()
    };
    let machine = Machine::uniform("M2", 2, node, GigabytesPerSecond::new(5.0)).expect("a machine");
    machine.with_sharing(Model::from(ModelKind::MaxMin))
}

/// The same with a cache of `mb` on each node.
pub(crate) fn m2_with_caches(mb: f64) -> Machine {
    let cache = LastLevelCache { size: Megabytes::new(mb), core_bandwidth: None };
    m2().with_caches(vec![Some(cache); 2]).expect("caches")
}

/// A graph during construction.
pub(crate) struct Tasks(pub(crate) TaskGraphBuilder);

impl Tasks {
    pub(crate) fn new() -> Self {
        Self(TaskGraphBuilder::new("test"))
    }

    pub(crate) fn block(&mut self, bytes: f64, home: BlockHome) -> BlockId {
        self.0.block(Block { bytes, home }, None).expect("a block")
    }

    /// A task that moves the whole of each block.
    pub(crate) fn task(&mut self, gflop: f64, accesses: &[(BlockId, AccessMode)]) {
        self.task_on(gflop, accesses, None, false);
    }

    pub(crate) fn task_on(
        &mut self,
        gflop: f64,
        accesses: &[(BlockId, AccessMode)],
        socket: Option<usize>,
        taskwait: bool,
    ) {
        let access = |&(block, mode): &(BlockId, AccessMode)| {
            let bytes = self.0.graph().blocks()[block.0 as usize].bytes;
            Access { block, mode, declared_bytes: bytes, moved_bytes: bytes }
        };
        let accesses: Vec<Access> = accesses.iter().map(access).collect();
        let kind = self.0.kind("work");
        let socket = socket.map(NodeId);
        let task = NewTask { kind, gflop, accesses: &accesses, socket, taskwait, name: None };
        self.0.task(task).expect("a task");
    }
}

/// Stores the records of all tasks.
#[derive(Default)]
pub(crate) struct Records(pub(crate) Vec<TaskRecord>);

impl Observer for Records {
    fn ended(&mut self, record: &TaskRecord) {
        self.0.push(*record);
    }
}

impl Records {
    pub(crate) fn by_task(mut self) -> Vec<TaskRecord> {
        self.0.sort_by_key(|record| record.task);
        self.0
    }
}

/// All parts of a question, which can be changed before it is asked.
pub(crate) struct Asked {
    pub(crate) machine: Machine,
    pub(crate) graph: TaskGraph,
    pub(crate) scheduler: SchedulerSettings,
    pub(crate) runtime: RuntimeSettings,
    pub(crate) placement: PagePlacement,
    pub(crate) steal: bool,
    pub(crate) plan: Option<GraphPlan>,
}

impl Asked {
    /// `fifo` in fixed order, and only the work takes time.
    pub(crate) fn free(machine: Machine, graph: TaskGraph) -> Self {
        let free = Seconds::new(0.0);
        let runtime = RuntimeSettings {
            creation: free,
            task: free,
            steal: free,
            ties: Ties::Order,
            ..RuntimeSettings::default()
        };
        Self {
            machine,
            graph,
            scheduler: SchedulerSettings::default(),
            runtime,
            placement: PagePlacement::FirstTouch,
            steal: false,
            plan: None,
        }
    }

    pub(crate) fn question(&self) -> Question<'_> {
        Question {
            placement: self.placement,
            steal: self.steal,
            plan: self.plan.as_ref(),
            ..Question::new(&self.machine, &self.graph, &self.scheduler, &self.runtime)
        }
    }

    /// The question in short, for messages.
    pub(crate) fn in_short(&self) -> String {
        let Self { machine, graph, scheduler, runtime, placement, steal, plan } = self;
        let mut text = format!("{:?}\n{:?}\n", machine.nodes(), machine.sharing());
        let caches: Vec<_> = machine.node_ids().map(|node| machine.cache(node)).collect();
        _ = writeln!(text, "{caches:?}\n{scheduler:?}\n{runtime:?}\n{placement:?}, steal {steal}");
        for (number, block) in (0..).zip(graph.blocks()) {
            let hint =
                (graph.hint(BlockId(number)), plan.as_ref().and_then(|plan| plan.block(BlockId(number))));
            _ = writeln!(text, "block {number}: {} {:?}, hint and plan {hint:?}", block.bytes, block.home);
        }
        for task in graph.tasks() {
            let wait = if graph.taskwait(task) { ", taskwait" } else { "" };
            _ = write!(text, "task {}: {} GFLOP{wait}, {:?}", task.0, graph.gflop(task), graph.socket(task));
            if let Some(creator) = graph.created_by(task) {
                _ = write!(text, ", {} of {}", graph.seq(task).unwrap_or(0), creator.0);
            }
            if graph.says_more() {
                let plan = plan.as_ref().and_then(|plan| plan.task(task));
                let ways = (graph.affinity(task), plan, graph.submit(task), graph.returns(task));
                _ = write!(text, ", {} {ways:?}", graph.type_name(task));
            }
            for access in graph.accesses(task) {
                _ = write!(text, ", {} {} {}", access.mode.as_str(), access.block.0, access.moved_bytes);
            }
            text += "\n";
        }
        text
    }

    pub(crate) fn dependencies(&self) -> Dependencies {
        Dependencies::of(&self.graph).expect("few edges")
    }
}
