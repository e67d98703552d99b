//! Random tree programs: both simulations agree, and the invariants of all runs hold.

use numasim_graph::values::PagePlacement;
use numasim_model::ModelKind;
use numasim_model::units::Seconds;
use numasim_tasks::bound::{lower_bound, rounding};
use numasim_tasks::{TasksError, invariants};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::agreement::{differences, fast, slow};
use crate::brute::{least_s, of_most_questions, small_machine};
use crate::common::Asked;
use crate::drawn::{any_tree, choices, drawn_graph};
use crate::random::questions;

proptest! {
    #![proptest_config(questions(500))]

    #[test]
    fn both_simulations_give_the_same_answer_of_trees(mut choices in choices()) {
        let asked = any_tree(&mut choices, 50);
        match (fast(&asked), slow(&asked)) {
            (Ok(fast), Ok(slow)) => {
                let differences = differences(&fast, &slow);
                prop_assert!(differences.is_empty(), "{differences:#?} in {}", asked.in_short());
            }
            (fast, slow) => prop_assert_eq!(fast.err(), slow.err()),
        }
    }

    #[test]
    fn what_must_hold_of_any_run_holds_of_trees(mut choices in choices()) {
        let asked = any_tree(&mut choices, 50);
        let question = asked.question();
        let dependencies = asked.dependencies();
        let (run, records) = match fast(&asked) {
            // Tasks with data on several nodes can starve each other.
            Err(TasksError::NeverEnds(_)) if asked.machine.sharing().kind == ModelKind::RemoteFirst => {
                return Ok(());
            }
            answer => answer.expect("an answer"),
        };
        let bound = lower_bound(&question, &dependencies);
        let mut violations = invariants::of_run(&question, &run, Some(&bound));
        violations.extend(invariants::of_tasks(&question, &dependencies, &run, &records));
        prop_assert_eq!(violations, [], "{}", asked.in_short());
    }
}

/// The bound is not above the best of all schedules of a tree.
#[test]
fn the_bound_of_a_tree_is_not_above_the_best_of_all_schedules() {
    let name = concat!(module_path!(), "::the_bound_of_a_tree_is_not_above_the_best_of_all_schedules");
    of_most_questions(40, (file!(), name), |mut choices| {
        let machine = small_machine(&mut choices);
        let graph = drawn_graph(&mut choices, &machine, 7, true);
        let mut asked = Asked::free(machine, graph);
        asked.runtime.creation = Seconds::new(choices.of(&[0.0, 0.1e-3]));
        asked.runtime.task = Seconds::new(choices.of(&[0.0, 20e-6]));
        asked.runtime.throttle = choices.of(&[None, None, Some(2)]);
        asked.placement =
            choices.of(&[PagePlacement::FirstTouch, PagePlacement::Nadd, PagePlacement::Master]);
        let Some(least_s) = least_s(&asked) else { return Ok(false) };
        let bound = lower_bound(&asked.question(), &asked.dependencies());
        let slack = rounding(asked.graph.task_count());
        prop_assert!(bound.makespan.value() <= least_s * (1.0 + slack), "{bound:?} above {least_s}");
        Ok(true)
    });
}

/// Coverage of random trees: all these features occur in many of them.
#[test]
fn random_trees_are_about_everything() {
    let mut runner = TestRunner::new(questions(1));
    let mut met = [0_u32; 8];
    // The rarest feature occurs in 14 to 30 of 300, depending on the seed.
    for _ in 0..600 {
        let mut choices = choices().new_tree(&mut runner).expect("choices").current();
        let asked = any_tree(&mut choices, 50);
        let Ok((run, records)) = fast(&asked) else { continue };
        let graph = &asked.graph;
        // A task may not exist yet when all tasks that it waits for have ended.
        let by_number = records.windows(2).all(|pair| pair[0].start_s <= pair[1].start_s);
        let most = asked.runtime.throttle.unwrap_or(u64::MAX);
        let widest = graph.tasks().map(|task| graph.children(task).len()).max().unwrap_or(0);
        let happens = [
            graph.is_tree(),
            run.remote_tasks > 0,
            run.migration.value() > 0.0,
            !by_number,
            widest as u64 > most,
            graph.tasks().any(|task| graph.taskwait(task)),
            graph.tasks().any(|task| graph.gives_seq(task)),
            asked.dependencies().edge_count() > 10,
        ];
        met.iter_mut().zip(happens).for_each(|(met, happens)| *met += u32::from(happens));
    }
    assert!(met.iter().all(|&met| met >= 15), "{met:?} of 600");
}
