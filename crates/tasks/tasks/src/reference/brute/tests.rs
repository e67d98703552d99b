//! The search compared with an exhaustive one.

use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, PagePlacement, RuntimeSettings,
    SchedulerSettings, TaskGraph, TaskGraphBuilder, Ties,
};
use numasim_model::machine::{LastLevelCache, Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond, Megabytes};
use numasim_model::{Model, ModelKind};
use proptest::prelude::*;

use self::random::questions;
use super::*;

#[path = "../../../../../../tests/random.rs"]
mod random;

/// Two nodes with a core each: 10 GFLOPS, 20 GB/s, links of 5 GB/s, perhaps caches of 3 MB.
fn machine(has_caches: bool) -> Machine {
    let node = Node {
        cores: 1,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(20.0),
        ..Node::default()
    };
    let machine = Machine::uniform("small", 2, node, GigabytesPerSecond::new(5.0)).expect("a machine");
    let cache = LastLevelCache { size: Megabytes::new(3.0), core_bandwidth: None };
    let caches = vec![has_caches.then_some(cache); 2];
    machine.with_sharing(Model::from(ModelKind::MaxMin)).with_caches(caches).expect("caches")
}

/// Three blocks of 1, 2 and 4 MB; tasks of the given hundredths of a GFLOP that access one of them or none.
fn graph(tasks: &[(u8, Option<(u32, AccessMode)>)]) -> TaskGraph {
    let mut graph = TaskGraphBuilder::new("few");
    for bytes in [1e6, 2e6, 4e6] {
        graph.block(Block { bytes, home: BlockHome::Open }, None).expect("a block");
    }
    let kind = graph.kind("work");
    for &(hundredths, access) in tasks {
        let access = access.map(|(block, mode)| {
            let bytes = graph.graph().blocks()[block as usize].bytes;
            Access { block: BlockId(block), mode, declared_bytes: bytes, moved_bytes: bytes }
        });
        let accesses: Vec<Access> = access.into_iter().collect();
        let gflop = f64::from(hundredths) / 100.0;
        let task = NewTask { kind, gflop, accesses: &accesses, socket: None, taskwait: false, name: None };
        graph.task(task).expect("a task");
    }
    graph.finish()
}

/// Every decision at every point, regardless of known states and of time.
fn exhaustive_s(mut course: Course, mut ready: Vec<TaskId>) -> f64 {
    while !course.end_tasks(&mut |_| None).is_empty() | course.create(&mut |_| None) {
        ready.extend(course.newly_ready().into_iter().map(|(task, _)| task));
    }
    if course.unfinished().is_none() {
        return course.now_s;
    }
    let mut least_s = f64::INFINITY;
    for place in 0..ready.len() {
        for worker in course.idle_workers() {
            let mut taken = course.clone();
            let mut left = ready.clone();
            taken.take(worker, Start::new(left.remove(place), Source::Own), None);
            least_s = least_s.min(exhaustive_s(taken, left));
        }
    }
    course.set_rates();
    if course.go_to_next_instant(IdleReason::Parents) {
        least_s.min(exhaustive_s(course, ready))
    } else {
        least_s
    }
}

proptest! {
    #![proptest_config(questions(40))]

    #[test]
    fn nothing_that_is_left_out_would_have_been_better(
        tasks in prop::collection::vec(
            (0_u8..4, prop::option::of((0_u32..3, prop::sample::select(AccessMode::ALL.to_vec())))),
            1..=4,
        ),
        has_caches: bool,
        creation_us in prop::sample::select(vec![0.0, 100.0]),
        task_us in prop::sample::select(vec![0.0, 20.0]),
        placement in prop::sample::select(vec![PagePlacement::FirstTouch, PagePlacement::Interleave]),
    ) {
        let (machine, graph) = (machine(has_caches), graph(&tasks));
        let runtime = RuntimeSettings {
            creation: Seconds::new(creation_us * 1e-6),
            task: Seconds::new(task_us * 1e-6),
            ties: Ties::Order,
            ..RuntimeSettings::default()
        };
        let scheduler = SchedulerSettings::default();
        let question = Question {
            machine: &machine,
            graph: &graph,
            scheduler: &scheduler,
            runtime: &runtime,
            placement,
            steal: false,
            contender: None,
            plan: None,
        };
        let mut course = Course::new(&question).expect("a course");
        prop_assert!(course.go_to_next_instant(IdleReason::Parents));
        let all_s = exhaustive_s(course, Vec::new());
        let found_s = least_makespan(&question, usize::MAX).expect("an answer").expect("no limit").value();
        prop_assert!((found_s - all_s).abs() <= 1e-12 * all_s, "{found_s} instead of {all_s}");
    }
}
