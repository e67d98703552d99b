//! The cost of a search is counted and ends it: questions that took minutes.

use super::*;
use crate::search::testing::StopAt;

#[test]
fn a_question_without_a_finite_makespan_ends_quickly() {
    // `b` needs two whole nodes of the three, so one of the others gets nothing: every score is 0, which the first prices do not reflect.
    let machine = with_memory(&uniform_machine(3, 1, 10.0, 28.0, 25.0), &[Some(7.0); 3]);
    let b = App {
        min_threads: 2,
        max_threads: Some(3),
        memory: Some(Gibibytes::new(8.5)),
        ..local_app("b", 0.5)
    };
    let free = |name: &str| App { min_threads: 0, ..local_app(name, 8.7) };
    let restrictions = Restrictions { whole_nodes: true, ..Restrictions::default() };
    let problem =
        Problem::new(&machine, &[free("a"), b, free("c")], Objective::Makespan, restrictions).unwrap();
    let monitor = StopAt::new(20_000);
    let found = explore(&problem, &Settings::default(), &monitor);
    assert!(matches!(found, Err(ExploreError::Infeasible(_))), "{found:?}");
    assert!(monitor.asked() < 20_000);
}
