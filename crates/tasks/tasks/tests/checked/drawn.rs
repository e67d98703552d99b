//! Random questions, drawn from small sets of values, so that many events happen at the same time.

use numasim_graph::partition::is_built;
use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, PagePlacement, Partitioner, RuntimeSettings,
    SchedulerKind, SchedulerSettings, Submit, TaskGraph, TaskGraphBuilder, TaskId, Ties, TreeTask,
    VertexWeight,
};
use numasim_model::machine::{LastLevelCache, Machine, Node, SharedLink};
use numasim_model::sharing::Parameter;
use numasim_model::units::{Gflops, Gibibytes, GigabytesPerSecond, Megabytes, Seconds};
use numasim_model::{Model, ModelKind, NodeId};
use proptest::prelude::*;

use crate::common::Asked;

/// Choices that were drawn before: fewer and smaller ones make a simpler question.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    drawn: Vec<u16>,
    used: usize,
}

impl Choices {
    /// 0 to `count` - 1; 0 when all choices are used.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let choice = self.drawn.get(self.used).copied().unwrap_or(0);
        self.used += 1;
        usize::from(choice) % count
    }

    pub(crate) fn of<T: Clone>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())].clone()
    }

    /// Yes in one of `cases` cases.
    pub(crate) fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == cases - 1
    }
}

pub(crate) fn choices() -> impl Strategy<Value = Choices> {
    prop::collection::vec(any::<u16>(), 0..1500).prop_map(|drawn| Choices { drawn, used: 0 })
}

fn gbs(value: f64) -> GigabytesPerSecond {
    GigabytesPerSecond::new(value)
}

fn drawn_machine(choices: &mut Choices) -> Machine {
    let count = 1 + choices.below(4);
    // Limits that several tasks share: two of the models support all of them.
    let is_limited = choices.one_in(5);
    let nodes: Vec<Node> = (0..count)
        .map(|n| {
            let memory_only = n + 1 < count && choices.one_in(6);
            Node {
                cores: if memory_only { 0 } else { choices.of(&[2, 1, 3, 4]) },
                gflops_per_core: Gflops::new(if memory_only { 0.0 } else { choices.of(&[10.0, 5.0]) }),
                bandwidth: gbs(choices.of(&[32.0, 8.0, 20.0])),
                core_bandwidth: choices.one_in(5).then_some(gbs(12.0)),
                read_bandwidth: (is_limited && !memory_only).then_some(gbs(15.0)),
                memory: (n > 0 && !memory_only && choices.one_in(5)).then_some(Gibibytes::new(0.0)),
                ..Node::default()
            }
        })
        .collect();
    let links = (0..count * count).map(|_| gbs(choices.of(&[10.0, 3.0]))).collect();
    let kinds = [ModelKind::BaselineProportional, ModelKind::MaxMin];
    let mut model = Model::from(if is_limited { choices.of(&kinds) } else { choices.of(&ModelKind::ALL) });
    if choices.one_in(3) {
        let parameter = choices.of(&Parameter::ALL);
        let value = match parameter {
            Parameter::CoreLocal | Parameter::CoreRemote | Parameter::OutstandingLines => 9.0,
            _ => 0.5,
        };
        model = model.with(parameter, value).expect("in range");
    }
    let pairs = |near: f64, far: f64| {
        (0..count * count).map(move |pair| if pair / count == pair % count { near } else { far })
    };
    let mut machine = Machine::new("M", nodes, links).expect("a machine").with_sharing(model);
    machine = machine.with_latencies_ns(pairs(80.0, 140.0).collect()).expect("latencies");
    if choices.one_in(2) {
        let distances = pairs(10.0, 0.0).map(|d| if d > 0.0 { d } else { choices.of(&[20.0, 40.0]) });
        machine = machine.with_distances(distances.collect()).expect("distances");
    }
    if choices.one_in(2) {
        let cache = |choices: &mut Choices| LastLevelCache {
            size: Megabytes::new(choices.of(&[10.0, 3.0, 20.0])),
            core_bandwidth: choices.one_in(3).then_some(gbs(25.0)),
        };
        let caches = (0..count).map(|_| (!choices.one_in(5)).then(|| cache(choices))).collect();
        machine = machine.with_caches(caches).expect("caches");
    }
    if !is_limited || count < 3 {
        return machine;
    }
    let link = SharedLink {
        name: "shared".to_owned(),
        bandwidth: gbs(8.0),
        from: vec![NodeId(0)],
        to: vec![NodeId(1), NodeId(2)],
        both_ways: choices.one_in(2),
    };
    machine.with_shared_links(vec![link]).expect("a shared link")
}

/// Up to `most` tasks, each annotated with a node of `machine` that has cores; `is_tree`: most of them created by tasks.
pub(crate) fn drawn_graph(choices: &mut Choices, machine: &Machine, most: usize, is_tree: bool) -> TaskGraph {
    let sockets: Vec<NodeId> = machine.compute_nodes().collect();
    let mut graph = TaskGraphBuilder::new("drawn");
    let kind = graph.kind("work");
    let blocks = 1 + choices.below(most);
    let sizes: Vec<f64> = (0..blocks).map(|_| choices.of(&[4e6, 1e6, 2e6, 0.0, 12e6])).collect();
    for &bytes in &sizes {
        let home = match choices.below(6) {
            4 => BlockHome::Interleaved,
            5 => BlockHome::Node(machine.local_memory(NodeId(choices.below(machine.node_count())))),
            _ => BlockHome::Open,
        };
        let block = graph.block(Block { bytes, home }, None).expect("a block");
        if is_tree && choices.one_in(2) {
            let hint = machine.local_memory(NodeId(choices.below(machine.node_count())));
            graph.block_hint(block, hint).expect("a block");
        }
    }
    // Whether places are given: then all tasks of a creator are in reverse order.
    let turned = is_tree && choices.one_in(2);
    let creators = drawn_creators(choices, most, is_tree);
    for (number, &creator) in creators.iter().enumerate() {
        let later = creators.iter().skip(number + 1).filter(|&&other| other == creator).count();
        let tree = TreeTask {
            created_by: creator,
            seq: creator.filter(|_| turned).and_then(|_| u32::try_from(later).ok()),
            affinity: (is_tree && choices.one_in(2)).then(|| choices.of(&sockets)),
            ..TreeTask::default()
        };
        let mut accesses: Vec<Access> = Vec::new();
        for _ in 0..choices.below(4) {
            let block = choices.below(blocks);
            let declared_bytes = sizes[block];
            let moved_bytes = declared_bytes * choices.of(&[1.0, 1.0, 2.0, 0.25]);
            let block = BlockId(u32::try_from(block).expect("few"));
            if accesses.iter().all(|access| access.block != block) {
                let mode = choices.of(&AccessMode::ALL);
                accesses.push(Access { block, mode, declared_bytes, moved_bytes });
            }
        }
        let task = NewTask {
            kind,
            gflop: choices.of(&[0.01, 0.0, 0.001, 0.002, 0.05]),
            accesses: &accesses,
            socket: Some(choices.of(&sockets)),
            taskwait: choices.one_in(12) && creator.is_none(),
            name: None,
        };
        graph.tree_task(task, tree).expect("a task");
    }
    if choices.one_in(3) {
        for task in graph.graph().tasks() {
            graph.prioritise(task, choices.of(&[0.0, 2.0, -1.0, 0.5]));
        }
    }
    graph.try_finish().expect("places are all there")
}

/// The creator of each task: an earlier one, more often one of the last few, so that trees are deep.
fn drawn_creators(choices: &mut Choices, most: usize, is_tree: bool) -> Vec<Option<TaskId>> {
    let count = 1 + choices.below(most);
    let creator = |number: usize| {
        let back = if choices.one_in(2) { choices.below(number.max(1)) } else { choices.below(3) };
        let is_masters = !is_tree || number == 0 || choices.one_in(4);
        u32::try_from(number.saturating_sub(1 + back)).ok().filter(|_| !is_masters).map(TaskId)
    };
    (0..count).map(creator).collect()
}

/// The same tasks, of two types and handed over in all ways.
pub(crate) fn with_ways(choices: &mut Choices, old: &TaskGraph) -> TaskGraph {
    let mut graph = TaskGraphBuilder::new("drawn");
    let kinds = [graph.kind("work"), graph.kind("more")];
    for (number, &block) in (0..).zip(old.blocks()) {
        let id = graph.block(block, None).expect("a block");
        if let Some(hint) = old.hint(BlockId(number)) {
            graph.block_hint(id, hint).expect("a block");
        }
    }
    for task in old.tasks() {
        let accesses: Vec<Access> = old.accesses(task).collect();
        let new = NewTask {
            kind: choices.of(&[kinds[0], kinds[0], kinds[1]]),
            gflop: old.gflop(task),
            accesses: &accesses,
            socket: None,
            taskwait: old.taskwait(task),
            name: None,
        };
        let tree = TreeTask {
            created_by: old.created_by(task),
            seq: old.seq(task).filter(|_| old.gives_seq(task)),
            affinity: old.affinity(task),
            submit: choices.of(&[Submit::Spawn, Submit::Spawn, Submit::Enqueue, Submit::Detach]),
            returns: choices.one_in(3),
            replay: choices.one_in(2).then(|| choices.of(&["a", "b", "c", "d", "e"])),
        };
        graph.tree_task(new, tree).expect("a task");
    }
    graph.try_finish().expect("places are all there")
}

fn drawn_runtime(choices: &mut Choices) -> RuntimeSettings {
    let mut seconds = |options: &[f64]| Seconds::new(choices.of(options));
    let creation = seconds(&[0.0, 0.5e-6, 0.1e-3]);
    let task = seconds(&[0.0, 1e-6, 20e-6]);
    let steal = seconds(&[0.0, 1e-6, 30e-6]);
    RuntimeSettings {
        creation,
        task,
        steal,
        page: Seconds::new(1e-6),
        throttle: choices.one_in(3).then(|| choices.of(&[1, 2, 3, 7])),
        seed: choices.below(1000) as u64,
        ties: choices.of(&[Ties::Order, Ties::Random]),
        task_spread: choices.of(&[0.0, 0.0, 0.5]),
    }
}

fn drawn_scheduler(choices: &mut Choices, is_tree: bool) -> SchedulerSettings {
    use SchedulerKind::{Dep, Fifo, Heft, RandomSteal, RipDep, RipMw, RipSp, Sa, Tracked};
    let kinds = [Fifo, Sa, Dep, RipDep, RipSp, RipMw, Heft, Tracked, RandomSteal];
    // Schedulers that partition reject trees.
    let of_trees = [Fifo, Sa, Dep, Heft, Tracked, RandomSteal];
    let kinds = if is_tree { &of_trees[..] } else { &kinds };
    let window = choices.of(&[5, 1, 9, 1000]);
    SchedulerSettings {
        kind: choices.of(kinds),
        stride: choices.of(&[2, 1, 3]),
        immediate_successor: choices.one_in(2),
        window,
        initial_extra: choices.of(&[0, 2]),
        intersection: choices.of(&[0, 1, 3]).min(window - 1),
        partition_ns_per_vertex_edge: choices.of(&[None, Some(0.0), Some(20_000.0)]),
        old_dependencies: choices.one_in(3),
        vertex_weight: choices.of(&VertexWeight::ALL),
        partitioner: if is_built(Partitioner::Metis) && choices.one_in(2) {
            Partitioner::Metis
        } else {
            Partitioner::Recursive
        },
        ..SchedulerSettings::default()
    }
}

/// A question with any feature, with up to `most` tasks.
pub(crate) fn anything(choices: &mut Choices, most: usize) -> Asked {
    asked(choices, most, false)
}

/// The same for tree programs.
pub(crate) fn any_tree(choices: &mut Choices, most: usize) -> Asked {
    asked(choices, most, true)
}

fn asked(choices: &mut Choices, most: usize, is_tree: bool) -> Asked {
    let machine = drawn_machine(choices);
    let scheduler = drawn_scheduler(choices, is_tree);
    let runtime = drawn_runtime(choices);
    let placement =
        if choices.one_in(2) { choices.of(&PagePlacement::ALL) } else { PagePlacement::FirstTouch };
    let steal = choices.one_in(2);
    let graph = drawn_graph(choices, &machine, most, is_tree);
    Asked { machine, graph, scheduler, runtime, placement, steal, plan: None }
}
