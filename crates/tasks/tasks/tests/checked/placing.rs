//! Random trees, graphs and programs of loops under `plan`, `arena-per-node`, `taskloop-affinity` and `static`: both simulations agree,
//! and the invariants of all runs hold.

use numasim_graph::generate_program;
use numasim_graph::values::{
    ArrayId, LoopShape, PagePlacement, Program, ProgramArray, ProgramLoop, SchedulerKind, TaskGraph,
};
use numasim_model::{ModelKind, NodeId};
use numasim_tasks::{Run, Source, TaskRecord, TasksError, bound, invariants};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::agreement::{differences, fast, slow};
use crate::common::Asked;
use crate::drawn::{Choices, any_tree, anything, choices, with_ways};
use crate::plans::{drawn_plan, read};
use crate::random::questions;

/// `plan` twice: it has the most rules.
const KINDS: [SchedulerKind; 5] = [
    SchedulerKind::Plan,
    SchedulerKind::ArenaPerNode,
    SchedulerKind::TaskloopAffinity,
    SchedulerKind::Static,
    SchedulerKind::Plan,
];

/// A few loops over a few arrays.
fn drawn_loops(choices: &mut Choices, nodes: &[NodeId]) -> TaskGraph {
    let array = |(name, bytes): (&str, f64)| ProgramArray { name: name.to_owned(), bytes };
    let arrays: Vec<ProgramArray> = [("a", 8e6), ("b", 4e6), ("c", 0.0)].map(array).to_vec();
    let each = |choices: &mut Choices, name: &str| {
        let mut lists = [(); 4].map(|()| Vec::new());
        // An array is in at most one of them.
        for array in [0, 1, 2].map(ArrayId) {
            if let Some(list) = lists.get_mut(choices.below(5)) {
                list.push(array);
            }
        }
        let [inputs, whole, inout, out] = lists;
        let shape = choices.of(&LoopShape::ALL);
        ProgramLoop {
            name: name.to_owned(),
            gflop: choices.of(&[0.02, 0.0, 0.1]),
            inputs,
            whole,
            inout,
            out,
            shape,
        }
    };
    let names = ["first", "second", "third"];
    let loops = names[..=choices.below(3)].iter().map(|name| each(choices, name)).collect();
    let chunks = Some(1 + choices.below(9) as u64);
    let program = Program { chunks, repeat: 1 + choices.below(2) as u64, arrays, loops };
    generate_program(&program, "loops", nodes).expect("a graph")
}

fn any_question(choices: &mut Choices) -> Asked {
    let what = choices.below(4);
    let mut asked = if what == 2 { anything(choices, 50) } else { any_tree(choices, 50) };
    let nodes: Vec<NodeId> = asked.machine.compute_nodes().collect();
    asked.graph = if what == 3 { drawn_loops(choices, &nodes) } else { with_ways(choices, &asked.graph) };
    asked.scheduler.kind = choices.of(&KINDS);
    if choices.one_in(3) {
        asked.placement = PagePlacement::Numa;
    }
    if asked.scheduler.kind == SchedulerKind::Plan {
        let text = drawn_plan(choices, &asked.graph, nodes.len());
        asked.plan = Some(read(&text, &asked.graph, &nodes));
    }
    asked
}

proptest! {
    #![proptest_config(questions(1000))]

    #[test]
    fn both_simulations_give_the_same_answer_under_those_that_place(mut choices in choices()) {
        let asked = any_question(&mut choices);
        match (fast(&asked), slow(&asked)) {
            (Ok(fast), Ok(slow)) => {
                let differences = differences(&fast, &slow);
                prop_assert!(differences.is_empty(), "{differences:#?} in {}", asked.in_short());
                prop_assert_eq!(fast.0.fallbacks, slow.0.fallbacks);
                let of_plan = asked.plan.as_ref().map(numasim_plan::GraphPlan::fallbacks);
                prop_assert_eq!(fast.0.fallbacks, of_plan);
            }
            (fast, slow) => prop_assert_eq!(fast.err(), slow.err()),
        }
    }

    #[test]
    fn what_must_hold_of_any_run_holds_under_those_that_place(mut choices in choices()) {
        let asked = any_question(&mut choices);
        let question = asked.question();
        let dependencies = asked.dependencies();
        let (run, records) = match fast(&asked) {
            // Tasks with data on several nodes can starve each other.
            Err(TasksError::NeverEnds(_)) if asked.machine.sharing().kind == ModelKind::RemoteFirst => {
                return Ok(());
            }
            answer => answer.expect("an answer"),
        };
        let bound = bound::lower_bound(&question, &dependencies);
        let mut violations = invariants::of_run(&question, &run, Some(&bound));
        violations.extend(invariants::of_tasks(&question, &dependencies, &run, &records));
        prop_assert_eq!(violations, [], "{}", asked.in_short());
        prop_assert!(records.iter().map(|record| record.task).eq(asked.graph.tasks()));
        for record in &records {
            let wanted = match (asked.scheduler.kind, &asked.plan) {
                (SchedulerKind::Static, _) => record.socket,
                (SchedulerKind::ArenaPerNode, _) => asked.graph.affinity(record.task),
                (SchedulerKind::Plan, Some(plan)) => plan.task(record.task),
                _ => None,
            };
            // No worker takes a task of another node.
            prop_assert!(wanted.is_none_or(|node| node == record.node), "{record:?} in {}", asked.in_short());
        }
    }
}

#[test]
fn the_questions_reach_every_source_and_fallback() {
    let mut runner = TestRunner::new(questions(1));
    let mut sources = std::collections::HashMap::new();
    let mut met = [0_u64; 6];
    for _ in 0..800 {
        let mut choices = choices().new_tree(&mut runner).expect("choices").current();
        let asked = any_question(&mut choices);
        let Ok((run, records)): Result<(Run, Vec<TaskRecord>), _> = fast(&asked) else { continue };
        for record in &records {
            *sources.entry((asked.scheduler.kind.as_str(), record.source)).or_insert(0_u64) += 1;
        }
        let fallbacks = run.fallbacks.unwrap_or_default();
        let happens = [
            fallbacks.tasks > 0,
            fallbacks.blocks > 0,
            asked.plan.is_some() && fallbacks.tasks == 0 && records.len() > 10,
            asked.plan.is_some() && asked.placement == PagePlacement::Numa,
            asked.graph.type_name(asked.graph.tasks().next().expect("a task")) == "split",
            run.nodes.iter().filter(|node| node.tasks > 0).count() > 1,
        ];
        met.iter_mut().zip(happens).for_each(|(met, happens)| *met += u64::from(happens));
    }
    assert!(met.iter().all(|&met| met >= 15), "{met:?} of 800");
    for (kind, source) in [
        ("arena-per-node", Source::Returned),
        ("arena-per-node", Source::Successor),
        ("arena-per-node", Source::Own),
        ("arena-per-node", Source::Shared),
        ("arena-per-node", Source::Steal),
        ("plan", Source::Own),
        ("plan", Source::Shared),
        ("plan", Source::Steal),
        ("taskloop-affinity", Source::Own),
        ("taskloop-affinity", Source::Steal),
        ("static", Source::Own),
    ] {
        assert!(
            sources.get(&(kind, source)).is_some_and(|&count| count >= 20),
            "{kind} {source:?} of {sources:?}"
        );
    }
}
