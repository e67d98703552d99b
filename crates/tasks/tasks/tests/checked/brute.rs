//! All schedules of a few tasks on two nodes.

use std::cell::Cell;

use numasim_graph::values::AccessMode::Inout;
use numasim_graph::values::BlockHome::Open;
use numasim_graph::values::{PagePlacement, SchedulerKind, TaskGraph};
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond, Seconds};
use numasim_tasks::bound::{lower_bound, rounding};
use numasim_tasks::{Silent, reference, simulate};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::{Asked, Tasks, m2, m2_with_caches};
use crate::drawn::{Choices, choices, drawn_graph};
use crate::random::questions;

/// Two nodes with one core each, the second half as fast as the first, or those of M2.
pub(crate) fn small_machine(choices: &mut Choices) -> Machine {
    let machine = if choices.one_in(2) { m2_with_caches(choices.of(&[10.0, 3.0])) } else { m2() };
    if choices.one_in(3) {
        return machine;
    }
    let slower = [1.0, choices.of(&[1.0, 0.5])];
    let nodes = machine.nodes().iter().zip(slower).map(|(node, factor)| Node {
        cores: 1,
        gflops_per_core: Gflops::new(node.gflops_per_core.value() * factor),
        ..*node
    });
    let nodes = nodes.collect();
    machine.retuned(nodes, vec![GigabytesPerSecond::new(5.0); 4]).expect("a machine")
}

/// Limit on the states of a search; about one in several hundred random questions has more, and would take minutes.
const MOST_STATES: usize = 100_000;

/// The least makespan, if the search has few enough states.
pub(crate) fn least_s(asked: &Asked) -> Option<f64> {
    reference::least_makespan(&asked.question(), MOST_STATES).expect("an answer").map(Seconds::value)
}

/// Calls `test` with random choices, as `proptest!` does; `test` returns whether there was an answer to compare with, which is the case
/// for nearly all questions. `source`: the file of the test, next to which failures are stored, and its name.
pub(crate) fn of_most_questions(
    cases: u32,
    source: (&'static str, &'static str),
    test: impl Fn(Choices) -> Result<bool, TestCaseError>,
) {
    let mut config = questions(cases);
    (config.source_file, config.test_name) = (Some(source.0), Some(source.1));
    let (asked, skipped) = (Cell::new(0_u32), Cell::new(0_u32));
    let result = TestRunner::new(config).run(&choices(), |choices| {
        asked.set(asked.get() + 1);
        skipped.set(skipped.get() + u32::from(!test(choices)?));
        Ok(())
    });
    if let Err(why) = result {
        panic!("{why}");
    }
    // 4 % and one.
    assert!(skipped.get() * 25 <= asked.get() + 25, "{} of {} skipped", skipped.get(), asked.get());
}

#[test]
fn the_best_of_all_schedules_is_known_by_hand() {
    // 3 + 3 + 2 + 2 + 2 tenths of a second on two workers: 6 and 6. In creation order a worker would have 3 + 2 + 2 = 7.
    let mut tasks = Tasks::new();
    for gflop in [3.0, 3.0, 2.0, 2.0, 2.0] {
        tasks.task(gflop, &[]);
    }
    let graph = |tasks: Tasks| -> TaskGraph { tasks.0.finish() };
    let mut nodes = m2().nodes().to_vec();
    for node in &mut nodes {
        node.cores = 1;
    }
    let links = vec![GigabytesPerSecond::new(5.0); 4];
    let machine = m2().retuned(nodes, links).expect("a machine");
    let asked = Asked::free(machine, graph(tasks));
    let least_s = least_s(&asked).expect("few states");
    assert!((least_s - 0.6).abs() < 1e-12, "{least_s}");
    let fifo = reference::simulate(&asked.question(), &mut Silent).expect("an answer").makespan.value();
    assert!((fifo - 0.7).abs() < 1e-12, "{fifo}");
}

#[test]
fn eight_tasks_are_not_too_many() {
    // 8 x 0.1 s on 4 workers: 0.2 s; 10 MB each from the local memory take less.
    let mut tasks = Tasks::new();
    for _ in 0..8 {
        let x = tasks.block(10e6, Open);
        tasks.task(1.0, &[(x, Inout)]);
    }
    let mut asked = Asked::free(m2(), tasks.0.finish());
    let least_s = |asked: &Asked| least_s(asked).expect("few states");
    assert!((least_s(&asked) - 0.2).abs() < 1e-12);
    // 8 + 7 + ... + 1 = 36 tenths: 1.8 s on each of two workers, as 8 + 7 + 2 + 1 and 6 + 5 + 4 + 3.
    let mut tasks = Tasks::new();
    for gflop in 1..=8 {
        tasks.task(f64::from(gflop), &[]);
    }
    asked.graph = tasks.0.finish();
    let mut nodes = m2().nodes().to_vec();
    for node in &mut nodes {
        node.cores = 1;
    }
    asked.machine = m2().retuned(nodes, vec![GigabytesPerSecond::new(5.0); 4]).expect("a machine");
    assert!((least_s(&asked) - 1.8).abs() < 1e-12);
}

/// The bound is not above the best of all schedules, and no scheduler is below it.
#[test]
fn nobody_beats_the_best_of_all_schedules_and_the_bound_is_not_above_it() {
    let name =
        concat!(module_path!(), "::nobody_beats_the_best_of_all_schedules_and_the_bound_is_not_above_it");
    of_most_questions(150, (file!(), name), |mut choices| {
        let machine = small_machine(&mut choices);
        let graph = drawn_graph(&mut choices, &machine, 8, false);
        let mut asked = Asked::free(machine, graph);
        asked.runtime.creation = Seconds::new(choices.of(&[0.0, 0.1e-3]));
        asked.runtime.task = Seconds::new(choices.of(&[0.0, 20e-6]));
        // Otherwise a partition would end at a time without any other event.
        asked.scheduler.partition_ns_per_vertex_edge = Some(0.0);
        asked.runtime.throttle = choices.of(&[None, None, Some(2)]);
        asked.placement =
            choices.of(&[PagePlacement::FirstTouch, PagePlacement::Interleave, PagePlacement::Master]);
        let Some(least_s) = least_s(&asked) else { return Ok(false) };
        let slack = rounding(asked.graph.task_count());
        let bound = lower_bound(&asked.question(), &asked.dependencies());
        prop_assert!(bound.makespan.value() <= least_s * (1.0 + slack), "{bound:?} above {least_s}");
        for kind in SchedulerKind::ALL {
            // It needs a plan.
            if kind == SchedulerKind::Plan {
                continue;
            }
            for steal in [false, true] {
                (asked.scheduler.kind, asked.steal) = (kind, steal);
                let run = simulate(&asked.question(), &mut Silent).expect("an answer");
                let makespan_s = run.makespan.value();
                prop_assert!(makespan_s >= least_s * (1.0 - slack), "{kind:?}: {makespan_s} below {least_s}");
            }
        }
        Ok(true)
    });
}
