//! Answers that must never be returned: nodes with only one possible content, and the check before an answer is returned.

use numasim_study::{SourceFile, read_study};

use super::*;

fn problem(text: &str, objective: Objective) -> Problem {
    let file = SourceFile { name: "question.toml".to_owned(), text: text.to_owned() };
    let study = read_study(&[file]).expect("a valid file").study;
    let restrictions = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
    Problem::new(&study.machine, &study.apps, objective, restrictions).expect("a possible question")
}

fn assert_solved(problem: &Problem) {
    let truth = brute_force(problem).expect("an allocation is allowed");
    let outcome = explore(problem, &Settings::default(), &Unattended).expect("an answer");
    let best = &outcome.best;
    assert_eq!(problem.restrictions.violation(&problem.machine, &problem.apps, &best.allocation), None);
    assert!(same_score(best.score, truth), "found {} of {truth}", best.score);
    assert_eq!(outcome.status, Status::Optimal);
}

/// Two applications with a thread each fill node 0 with its two cores: (1, 1) is its only option.
#[test]
fn a_node_with_one_option_keeps_its_threads() {
    assert_solved(&problem(include_str!("min-threads-per-node.toml"), Objective::Fair));
}

/// The same with three more nodes that have a choice, enough for a complete search in halves.
#[test]
fn halves_include_nodes_without_a_choice() {
    let text = r#"
        [machine]
        name = "four nodes"
        bandwidth_matrix_gbs = [[6, 1, 2, 1], [1, 9, 1, 3], [2, 1, 7, 1], [1, 3, 1, 8]]
        [[machine.node]]
        cores = 2
        gflops_per_core = 4
        [[machine.node]]
        cores = 4
        gflops_per_core = 5
        [[machine.node]]
        cores = 4
        gflops_per_core = 6
        [[machine.node]]
        cores = 4
        gflops_per_core = 7
        [[app]]
        name = "a"
        arithmetic_intensity = 0.5
        work_gflop = 10
        [[app]]
        name = "b"
        arithmetic_intensity = 0.75
        work_gflop = 15
    "#;
    for objective in [Objective::Fair, Objective::Makespan] {
        assert_solved(&problem(text, objective));
    }
}

#[test]
fn a_forbidden_answer_is_a_fault_and_never_returned() {
    let machine = uniform_machine(1, 2, 10.0, 32.0, 10.0);
    let restrictions = Restrictions { no_idle_cores: true, ..Restrictions::default() };
    let problem = Problem::new(&machine, &[local_app("a", 1.0)], Objective::TotalGflops, restrictions)
        .expect("a possible question");
    let outcome = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
    assert_eq!(outcome.clone().checked(&problem), Ok(outcome.clone()));
    // One of two cores is idle, in the best or in an alternative.
    let idle = Allocation::from_rows(&[vec![1]]).expect("one row");
    let idle = Candidate { allocation: idle, ..outcome.best.clone() };
    let as_best = Outcome { best: idle.clone(), ..outcome.clone() };
    let as_alternative = Outcome { alternatives: vec![idle], ..outcome };
    for wrong in [as_best, as_alternative] {
        let error = wrong.checked(&problem).expect_err("a forbidden answer");
        assert!(matches!(&error, ExploreError::Fault(_)), "{error}");
        assert_eq!(error.to_string(), "the search found a forbidden answer: node 0 has idle cores");
    }
}

/// Without a thread the local data is absent: this is the only allocation that fits, and its geomean is 0.
#[test]
fn an_allocation_that_fits_without_threads_is_an_answer() {
    let machine = crate::testing::with_memory(&uniform_machine(1, 2, 10.0, 32.0, 10.0), &[Some(8.0)]);
    let memory = Some(Gibibytes::new(9.0));
    let app = App { min_threads: 0, memory, ..local_app("a", 1.0) };
    let problem =
        Problem::new(&machine, &[app], Objective::Geomean, Restrictions::default()).expect("possible");
    let outcome = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
    assert_eq!((outcome.best.allocation.as_slice(), outcome.value), (&[0][..], 0.0));
}
