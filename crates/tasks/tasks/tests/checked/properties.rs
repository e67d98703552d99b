//! Guaranteed properties of every run.

use std::collections::BTreeMap;

use numasim_graph::partition::NS_PER_VERTEX_EDGE;
use numasim_graph::values::{
    Access, AccessMode, BlockHome, BlockId, NewTask, TaskGraph, TaskGraphBuilder, Ties,
};
use numasim_model::ModelKind;
use numasim_model::machine::{LastLevelCache, Node, SharedLink};
use numasim_model::units::GigabytesPerSecond;
use numasim_tasks::bound::lower_bound;
use numasim_tasks::{IdleReason, Run, TaskRecord, TasksError, Traffic, invariants};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::agreement::{differences, fast, slow};
use crate::common::{Asked, Tasks, m2_with_caches};
use crate::drawn::{anything, choices};
use crate::random::questions;

/// The run and its tasks; `None` if they never end: under `remote-first` tasks with data on several nodes can starve each other.
fn answer(asked: &Asked) -> Option<(Run, Vec<TaskRecord>)> {
    let starves = asked.machine.sharing().kind == ModelKind::RemoteFirst;
    match fast(asked) {
        Err(TasksError::NeverEnds(_)) if starves => None,
        Err(error) => panic!("{error} in {}", asked.in_short()),
        Ok(answer) => Some(answer),
    }
}

proptest! {
    #![proptest_config(questions(500))]

    #[test]
    fn what_must_hold_of_any_run_holds_of_the_slow_simulation(mut choices in choices()) {
        let asked = anything(&mut choices, 30);
        let question = asked.question();
        let dependencies = asked.dependencies();
        let Ok((run, records)) = slow(&asked) else { return Ok(()) };
        let bound = lower_bound(&question, &dependencies);
        let mut violations = invariants::of_run(&question, &run, Some(&bound));
        violations.extend(invariants::of_tasks(&question, &dependencies, &run, &records));
        prop_assert_eq!(violations, []);
    }
}

/// The same with blocks in another order: block b becomes number (b x step + shift) mod count.
fn with_blocks_moved(graph: &TaskGraph, step: usize, shift: usize) -> TaskGraph {
    let count = graph.blocks().len();
    let place = |block: usize| (block * step + shift) % count;
    let mut blocks = graph.blocks().to_vec();
    for (number, &block) in graph.blocks().iter().enumerate() {
        blocks[place(number)] = block;
    }
    let mut moved = TaskGraphBuilder::new("moved");
    let kind = moved.kind("work");
    for block in blocks {
        moved.block(block, None).expect("a block");
    }
    for task in graph.tasks() {
        let number = |block: BlockId| BlockId(u32::try_from(place(block.0 as usize)).expect("few"));
        let accesses: Vec<Access> =
            graph.accesses(task).map(|access| Access { block: number(access.block), ..access }).collect();
        let new = NewTask {
            kind,
            gflop: graph.gflop(task),
            accesses: &accesses,
            socket: graph.socket(task),
            taskwait: graph.taskwait(task),
            name: None,
        };
        let id = moved.task(new).expect("a task");
        moved.prioritise(id, graph.priority(task));
    }
    moved.finish()
}

/// The same machine and runtime, with all times multiplied by `factor`.
fn slowed(asked: &mut Asked, factor: f64) {
    let machine = &asked.machine;
    let gbs = |value: GigabytesPerSecond| value * (1.0 / factor);
    let nodes = machine.nodes().iter().map(|node| Node {
        gflops_per_core: node.gflops_per_core * (1.0 / factor),
        bandwidth: gbs(node.bandwidth),
        core_bandwidth: node.core_bandwidth.map(gbs),
        read_bandwidth: node.read_bandwidth.map(gbs),
        ..*node
    });
    let pairs = || machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let links = pairs().map(|(from, to)| machine.link(from, to).map_or(GigabytesPerSecond::default(), gbs));
    let latencies = pairs().map(|(from, to)| machine.latency_ns(from, to).unwrap_or(1.0) * factor);
    let caches = machine.node_ids().map(|node| {
        machine
            .cache(node)
            .map(|cache| LastLevelCache { core_bandwidth: cache.core_bandwidth.map(gbs), ..*cache })
    });
    let mut model = *machine.sharing();
    for ceiling in [&mut model.parameters.core_local_gbs, &mut model.parameters.core_remote_gbs] {
        *ceiling = ceiling.map(|ceiling| ceiling / factor);
    }
    let shared = machine
        .shared_links()
        .iter()
        .map(|link| SharedLink { bandwidth: gbs(link.bandwidth), ..link.clone() });
    let changed = machine.retuned(nodes.collect(), links.collect()).expect("a machine");
    let changed = changed.with_latencies_ns(latencies.collect()).expect("latencies");
    let changed = changed.with_caches(caches.collect()).expect("caches");
    let changed = changed.with_shared_links(shared.collect()).expect("shared links");
    asked.machine = changed.with_sharing(model);
    let price_ns = asked.scheduler.partition_ns_per_vertex_edge.unwrap_or(NS_PER_VERTEX_EDGE);
    asked.scheduler.partition_ns_per_vertex_edge = Some(price_ns * factor);
    let runtime = &mut asked.runtime;
    for time in [&mut runtime.creation, &mut runtime.task, &mut runtime.steal] {
        *time = *time * factor;
    }
}

proptest! {
    #![proptest_config(questions(300))]

    #[test]
    fn what_must_hold_of_any_run_holds_of_the_simulation(mut choices in choices()) {
        let asked = anything(&mut choices, 60);
        let question = asked.question();
        let dependencies = asked.dependencies();
        let Some((run, records)) = answer(&asked) else { return Ok(()) };
        let bound = lower_bound(&question, &dependencies);
        let mut violations = invariants::of_run(&question, &run, Some(&bound));
        violations.extend(invariants::of_tasks(&question, &dependencies, &run, &records));
        prop_assert_eq!(violations, []);
    }

    #[test]
    fn the_numbers_of_blocks_do_not_matter(mut choices in choices(), shift in 0_usize..40) {
        let mut asked = anything(&mut choices, 40);
        let before = answer(&asked);
        let count = asked.graph.blocks().len();
        let step = [7, 5, 3, 2, 1].into_iter().find(|step| !count.is_multiple_of(*step)).unwrap_or(1);
        asked.graph = with_blocks_moved(&asked.graph, step, shift);
        let after = answer(&asked);
        prop_assert_eq!(before.is_some(), after.is_some());
        let differences = before.zip(after).map(|(before, after)| differences(&before, &after));
        prop_assert!(differences.iter().flatten().next().is_none(), "{differences:#?} in {}", asked.in_short());
    }

    #[test]
    fn where_everything_takes_twice_as_long_it_takes_twice_as_long(mut choices in choices()) {
        let mut asked = anything(&mut choices, 40);
        let Some((mut run, mut records)) = answer(&asked) else { return Ok(()) };
        run.makespan = run.makespan * 2.0;
        run.partition = run.partition * 2.0;
        for node in &mut run.nodes {
            node.busy = node.busy * 2.0;
            node.idle += node.idle;
        }
        for record in &mut records {
            record.start_s *= 2.0;
            record.end_s *= 2.0;
        }
        slowed(&mut asked, 2.0);
        let slow = answer(&asked).expect("an end as before");
        let differences = differences(&(run, records), &slow);
        prop_assert!(differences.is_empty(), "{differences:#?} in {}", asked.in_short());
    }

    #[test]
    fn a_question_has_one_answer(mut choices in choices()) {
        let asked = anything(&mut choices, 40);
        prop_assert_eq!(fast(&asked), fast(&asked));
    }
}

/// A block is read alternately with streams of new bytes of at least one and a half times the size of the cache.
fn streamed(cache_mb: f64, parts: &[f64], rounds: usize) -> TaskGraph {
    let mut tasks = Tasks::new();
    let x = tasks.block(2e6, BlockHome::Open);
    let order = tasks.block(0.0, BlockHome::Open);
    let whole: f64 = parts.iter().sum();
    for _ in 0..rounds {
        tasks.task(0.001, &[(x, AccessMode::In), (order, AccessMode::Inout)]);
        for part in parts {
            let fresh = tasks.block(1.5e6 * cache_mb * part / whole * (1.0 + 1e-9), BlockHome::Open);
            tasks.task(0.0, &[(fresh, AccessMode::Out), (order, AccessMode::Inout)]);
        }
    }
    tasks.0.finish()
}

proptest! {
    #![proptest_config(questions(100))]

    #[test]
    fn nothing_hits_behind_a_stream_of_one_and_a_half_caches(
        cache_mb in 0.5_f64..50.0,
        parts in prop::collection::vec(0.1_f64..1.0, 1..6),
    ) {
        let asked = Asked::free(m2_with_caches(cache_mb), streamed(cache_mb, &parts, 4));
        let (run, _) = fast(&asked).expect("an answer");
        // If an idle worker of the other node took a task, on that node: no hits there either.
        prop_assert_eq!(run.traffic.llc_local, 0.0);
    }

    #[test]
    fn without_caches_every_byte_comes_from_a_memory(mut choices in choices()) {
        let mut asked = anything(&mut choices, 40);
        let count = asked.machine.node_count();
        asked.machine = asked.machine.with_caches(vec![None; count]).expect("no caches");
        let Some((run, _)) = answer(&asked) else { return Ok(()) };
        prop_assert_eq!((run.traffic.llc_local, run.traffic.llc_remote), (0.0, 0.0));
    }
}

/// Coverage of random questions: all these features occur in many of them.
#[test]
fn random_questions_are_about_everything() {
    let mut runner = TestRunner::new(questions(1));
    let mut met = [0_u32; 12];
    let mut under = BTreeMap::new();
    let mut reasons = [0_u32; IdleReason::ALL.len()];
    for _ in 0..400 {
        let mut choices = choices().new_tree(&mut runner).expect("choices").current();
        let asked = anything(&mut choices, 40);
        let Some((run, records)) = answer(&asked) else { continue };
        *under.entry(asked.scheduler.kind.as_str()).or_insert(0_u32) += 1;
        let remote = |traffic: &Traffic| traffic.llc_remote > 0.0;
        let waits = records.iter().any(|record| record.start_s > 0.0);
        let happens = [
            run.steals > 0,
            run.partition.value() > 0.0,
            run.traffic.llc_local > 0.0,
            remote(&run.traffic),
            run.traffic.dram_remote > 0.0,
            run.cut.is_some_and(|cut| cut.edges > 0),
            asked.dependencies().edge_count() > 10,
            asked.machine.compute_nodes().count() < asked.machine.node_count(),
            !asked.machine.shared_links().is_empty(),
            asked.runtime.ties == Ties::Random && waits,
            asked.runtime.throttle.is_some() && waits,
            asked.graph.tasks().any(|task| asked.graph.taskwait(task)),
        ];
        met.iter_mut().zip(happens).for_each(|(met, happens)| *met += u32::from(happens));
        let held = IdleReason::ALL.map(|reason| run.idle_because(reason) > 0.0);
        reasons.iter_mut().zip(held).for_each(|(met, held)| *met += u32::from(held));
    }
    assert!(reasons.iter().all(|&met| met >= 20), "{reasons:?} of 400");
    assert!(met.iter().all(|&met| met >= 20), "{met:?} of 400");
    // Nine schedulers.
    assert!(under.len() == 9 && under.values().all(|&times| times >= 20), "{under:?}");
}
