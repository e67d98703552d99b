//! Random tree programs under `tbb`, `tbb-numa` and `hint`, with and without contenders: both simulations agree, and the invariants of
//! all runs hold.

use numasim_graph::values::{Contender, SchedulerKind};
use numasim_model::units::Seconds;
use numasim_tasks::{Question, Run, Source, TaskRecord, TasksError, reference, simulate};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::agreement::differences;
use crate::common::{Asked, Records};
use crate::drawn::{Choices, any_tree, choices, with_ways};
use crate::random::questions;

/// A tree program under one of the libraries, possibly with contenders.
fn any_question(choices: &mut Choices) -> (Asked, Option<Contender>) {
    let mut asked = any_tree(choices, 50);
    asked.graph = with_ways(choices, &asked.graph);
    let kinds = [SchedulerKind::TbbNuma, SchedulerKind::Tbb, SchedulerKind::Hint];
    asked.scheduler.kind = choices.of(&kinds);
    asked.scheduler.reflection = choices.one_in(2);
    asked.scheduler.affinity_partitioner = choices.one_in(2);
    let phase =
        |bounds: &[(f64, f64)]| bounds.iter().map(|&(a, b)| (Seconds::new(a), Seconds::new(b))).collect();
    let phases = match choices.below(3) {
        0 => None,
        1 => Some(phase(&[(0.0, 2e-3), (3e-3, 5e-3), (5e-3, 9e-3)])),
        _ => Some(phase(&[(1e-4, 2e-2)])),
    };
    let contender = Contender { gflop: choices.of(&[1e-3, 1e-2]), count: choices.of(&[1, 2]), phases };
    let contends = asked.scheduler.kind != SchedulerKind::Hint && choices.one_in(2);
    (asked, contends.then_some(contender))
}

type Answer = Result<(Run, Vec<TaskRecord>), TasksError>;

fn both(asked: &Asked, contender: Option<&Contender>) -> (Answer, Answer) {
    let question = Question { contender, ..asked.question() };
    let mut records = Records::default();
    let fast = simulate(&question, &mut records).map(|run| (run, records.by_task()));
    let mut records = Records::default();
    let slow = reference::simulate(&question, &mut records).map(|run| (run, records.by_task()));
    (fast, slow)
}

proptest! {
    #![proptest_config(questions(500))]

    #[test]
    fn both_simulations_give_the_same_answer_under_libraries(mut choices in choices()) {
        let (asked, contender) = any_question(&mut choices);
        match both(&asked, contender.as_ref()) {
            (Ok(fast), Ok(slow)) => {
                let differences = differences(&fast, &slow);
                prop_assert!(differences.is_empty(), "{differences:#?} in {} {contender:?}", asked.in_short());
                let sources = |answer: &(Run, Vec<TaskRecord>)| {
                    answer.1.iter().map(|record| (record.source, record.revoked)).collect::<Vec<_>>()
                };
                prop_assert_eq!(sources(&fast), sources(&slow), "{} {:?}", asked.in_short(), contender);
                prop_assert_eq!(&fast.0.contender, &slow.0.contender, "{} {:?}", asked.in_short(), contender);
                let counts =
                    |run: &Run| [run.mailbox, run.shared, run.revokes, run.remote_tasks, run.steals];
                prop_assert_eq!(counts(&fast.0), counts(&slow.0));
            }
            (fast, slow) => prop_assert_eq!(fast.err(), slow.err()),
        }
    }

    #[test]
    fn every_task_runs_once_and_where_its_library_allows(mut choices in choices()) {
        let (asked, contender) = any_question(&mut choices);
        let question = Question { contender: contender.as_ref(), ..asked.question() };
        let mut records = Records::default();
        let Ok(run) = simulate(&question, &mut records) else { return Ok(()) };
        let records = records.by_task();
        prop_assert!(records.iter().map(|record| record.task).eq(asked.graph.tasks()));
        let is_hint = asked.scheduler.kind == SchedulerKind::Hint;
        for record in &records {
            let creator = asked.graph.created_by(record.task);
            let creator = creator.map_or((0, 0.0), |task| {
                let record = records[task.0 as usize];
                (record.worker, record.end_s)
            });
            prop_assert!(record.start_s >= creator.1 * (1.0 - 1e-9), "{record:?} before its creator ended");
            if is_hint && asked.graph.affinity(record.task).is_some() {
                // The worker that hands it over puts it on its node, and no worker of another node takes it.
                prop_assert_eq!(Some(record.node), asked.graph.affinity(record.task), "{:?}", record);
            }
            if record.source == Source::Returned {
                // Only the worker of the creator continues with it.
                prop_assert_eq!(record.worker, creator.0, "{:?}", record);
            }
        }
        if is_hint {
            prop_assert_eq!((run.remote_tasks, run.mailbox, run.revokes), (0, 0, 0));
        }
    }
}

#[test]
fn the_questions_reach_every_source_revokes_and_contenders() {
    let mut runner = TestRunner::new(questions(1));
    let mut sources = std::collections::HashMap::new();
    let (mut revokes, mut lent, mut drawn) = (0, 0, 0);
    for _ in 0..200 {
        let mut choices = choices().new_tree(&mut runner).expect("choices").current();
        let (asked, contender) = any_question(&mut choices);
        if let (Ok((run, records)), _) = both(&asked, contender.as_ref()) {
            for record in &records {
                *sources.entry(record.source).or_insert(0) += 1;
            }
            revokes += run.revokes;
            lent += run.contender.map_or(0, |contender| contender.tasks);
            drawn += u64::from(asked.runtime.ties == numasim_graph::values::Ties::Random);
        }
    }
    for source in Source::ALL {
        assert!(sources.get(&source).is_some_and(|&count| count > 20), "{source:?} of {sources:?}");
    }
    assert!(revokes > 20 && lent > 20 && drawn > 20, "{revokes} {lent} {drawn}");
}
