//! With the events of the simulation in simulated time, schedulers take the same decisions.

mod absent;

use std::collections::BTreeMap;

use numasim_graph::Dependencies;
use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, PagePlacement, RuntimeSettings, SchedulerKind,
    SchedulerSettings, TaskGraph, TaskGraphBuilder, TaskId, Ties, TreeTask,
};
use numasim_model::NodeId;
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond, Seconds};

use super::*;
use crate::result::{Observer, TaskRecord};
use crate::schedulers::Source;
use crate::simulate;

/// Two nodes of two cores of 1 GFLOPS.
fn machine() -> Machine {
    let node = Node {
        cores: 2,
        gflops_per_core: Gflops::new(1.0),
        bandwidth: GigabytesPerSecond::new(10.0),
        ..Node::default()
    };
    Machine::uniform("two", 2, node, GigabytesPerSecond::new(5.0)).expect("a machine")
}

/// 60 tasks on 8 blocks that move nothing, no two of the same work; with `tree` each third one creates the next two.
fn graph(tree: bool) -> TaskGraph {
    let mut graph = TaskGraphBuilder::new("some");
    let kind = graph.kind("work");
    for _ in 0..8 {
        graph.block(Block { bytes: 64.0, home: BlockHome::Open }, None).expect("a block");
    }
    for number in 0..60_u32 {
        let access = |block: u32, mode| Access {
            block: BlockId(block % 8),
            mode,
            declared_bytes: f64::from(8 * (1 + number % 5)),
            moved_bytes: 0.0,
        };
        let accesses =
            [access(number * 5 + number / 7, AccessMode::Inout), access(number * 3 + 1, AccessMode::In)];
        let accesses = if accesses[0].block == accesses[1].block { &accesses[..1] } else { &accesses };
        // No two sums of some of them are equal.
        let gflop = 1.5 + f64::from(number * number + 1).sin();
        let task = NewTask {
            kind,
            gflop,
            accesses,
            socket: Some(NodeId(number as usize % 2)),
            taskwait: false,
            name: None,
        };
        let creator = (tree && number % 3 != 0).then(|| TaskId(number - number % 3));
        if let Some(creator) = creator {
            let tree = TreeTask { created_by: Some(creator), ..TreeTask::default() };
            graph.tree_task(task, tree).expect("a task");
        } else {
            graph.task(task).expect("a task");
        }
    }
    graph.finish()
}

#[derive(Default)]
struct Starts(BTreeMap<u32, (u32, f64, Source)>);

impl Observer for Starts {
    fn ended(&mut self, record: &TaskRecord) {
        self.0.insert(record.task.0, (record.worker, record.start_s, record.source));
    }
}

/// Reports the events to a scheduler; tasks take as long as their work at 1 GFLOPS.
fn played(question: &Question<'_>) -> BTreeMap<u32, (u32, f64, Source)> {
    let mut live = Live::new(question).expect("a scheduler");
    let (mut now, mut started, mut running) = (0.0, BTreeMap::new(), Vec::new());
    while !live.is_over() {
        loop {
            match live.create() {
                Creation::Created(_) => {}
                Creation::Window(_) => live.partition().expect("a partition"),
                Creation::Waits | Creation::Done => break,
            }
        }
        live.hand_out(|worker, start| {
            started.insert(start.task.0, (worker.0, now, start.source));
            running.push((now + question.graph.gflop(start.task), start.task, worker));
        });
        assert_eq!(live.is_stuck(), None);
        running.sort_by(|a: &(f64, TaskId, WorkerId), b| b.0.total_cmp(&a.0));
        let (end, task, worker) = running.pop().expect("a task runs");
        now = end;
        live.ended(task, worker);
    }
    started
}

fn agree(kind: SchedulerKind, graph: &TaskGraph, throttle: Option<u64>) {
    let machine = machine();
    let scheduler = SchedulerSettings {
        kind,
        window: 16,
        partition_ns_per_vertex_edge: Some(0.0),
        ..SchedulerSettings::default()
    };
    let runtime = RuntimeSettings {
        creation: Seconds::new(0.0),
        task: Seconds::new(0.0),
        steal: Seconds::new(0.0),
        throttle,
        ties: Ties::Order,
        ..RuntimeSettings::default()
    };
    let question = Question {
        machine: &machine,
        graph,
        scheduler: &scheduler,
        runtime: &runtime,
        placement: PagePlacement::FirstTouch,
        steal: true,
        contender: None,
        plan: None,
    };
    let mut simulated = Starts::default();
    simulate(&question, &mut simulated).expect("a run");
    let live = played(&question);
    assert_eq!(live.len(), graph.task_count());
    for (task, (worker, start_s, source)) in &live {
        let (other, other_s, other_source) = simulated.0[task];
        assert_eq!((*worker, *source), (other, other_source), "{kind:?}, task {task}");
        assert!((start_s - other_s).abs() < 1e-9, "{kind:?}, task {task}: {start_s} and {other_s}");
    }
    let edges = Dependencies::of(graph).expect("few edges");
    for task in graph.tasks() {
        let end_s = live[&task.0].1 + graph.gflop(task);
        assert!(edges.children(task).iter().all(|child| live[&child.0].1 >= end_s - 1e-9));
    }
}

#[test]
fn schedulers_decide_as_in_the_simulation() {
    use SchedulerKind::{Dep, Fifo, RandomSteal, RipDep, RipMw, RipSp, Sa, Tbb, TbbNuma, Tracked};
    let graph = graph(false);
    for kind in [Fifo, Sa, Dep, RipDep, RipSp, RipMw, Tracked, RandomSteal, Tbb, TbbNuma] {
        agree(kind, &graph, None);
    }
}

#[test]
fn a_throttled_master_waits_as_in_the_simulation() {
    agree(SchedulerKind::Fifo, &graph(false), Some(5));
    agree(SchedulerKind::Dep, &graph(false), Some(3));
}

#[test]
fn tasks_that_tasks_create_are_handed_over_as_in_the_simulation() {
    use SchedulerKind::{Dep, Fifo, Hint, Tbb, TbbNuma};
    for kind in [Fifo, Dep, Hint, Tbb, TbbNuma] {
        agree(kind, &graph(true), None);
    }
}
