//! Open choices between one and both hardware threads of a core, against trying everything.

use super::*;
use numasim_model::Smt;

/// The best score over every choice, every allocation of cores and every set of homes.
fn best_of_all(problem: &Problem) -> Option<f64> {
    let sets = if problem.has_open_smt() { problem.choices.clone() } else { vec![Vec::new()] };
    sets.iter().filter_map(|smt| brute_force(&problem.with_smt(smt))).reduce(f64::max)
}

/// Threads of each application as people count them.
fn threads_are_allowed(problem: &Problem, candidate: &Candidate) -> bool {
    problem.asked().iter().enumerate().all(|(a, app)| {
        let smt = candidate.smt.get(a).copied().unwrap_or(app.smt);
        let row = smt.threads(candidate.allocation.row(numasim_model::AppId(a)));
        let total: u32 = row.iter().sum();
        smt != Smt::Any
            && total >= app.min_threads
            && app.max_threads.is_none_or(|max| total <= max)
            && row.iter().all(|&threads| app.placing.takes(threads))
    })
}

proptest! {
    #![proptest_config(crate::random::questions(300))]

    #[test]
    fn explore_with_open_smt_equals_brute_force(
        (machine, mut apps, objective, restrictions) in question(),
        choices in prop::collection::vec((prop::sample::select(&Smt::ALL[..]), 1.0..2.0_f64), 3),
    ) {
        for (app, (smt, speedup)) in apps.iter_mut().zip(choices) {
            app.smt = smt;
            app.smt_speedup = Some(speedup);
        }
        let machine = machine.with_smt(true);
        let Ok(problem) = Problem::new(&machine, &apps, objective, restrictions) else { return Ok(()) };
        let truth = best_of_all(&problem);
        let outcome = match explore(&problem, &Settings::default(), &Unattended) {
            Ok(outcome) => outcome,
            Err(error) => {
                let nothing = truth.is_none_or(|truth| truth == f64::NEG_INFINITY || truth <= 0.0);
                prop_assert!(nothing, "{error}, but {truth:?} is possible");
                return Ok(());
            }
        };
        let truth = truth.expect("an answer exists");
        prop_assert!(same_score(outcome.best.score, truth), "{} is not {truth}", outcome.best.score);
        prop_assert!(threads_are_allowed(&problem, &outcome.best));
        prop_assert!(outcome.alternatives.iter().all(|other| threads_are_allowed(&problem, other)));
        if problem.proofs_apply(&outcome.best.placements) {
            prop_assert_eq!(outcome.status, Status::Optimal);
        }
    }
}

#[test]
fn an_odd_number_of_threads_uses_one_per_core() {
    let machine = uniform_machine(1, 8, 10.0, 100.0, 10.0).with_smt(true);
    let odd = App {
        min_threads: 3,
        max_threads: Some(3),
        smt: Smt::Any,
        smt_speedup: Some(1.25),
        ..local_app("odd", 10.0)
    };
    let asked = |app: &App| {
        Problem::new(&machine, std::slice::from_ref(app), Objective::TotalGflops, Restrictions::default())
    };
    let best = explore(&asked(&odd).expect("one"), &Settings::default(), &Unattended).expect("3 cores").best;
    assert_eq!((best.smt.as_slice(), best.allocation.as_slice()), (&[Smt::One][..], &[3][..]));
    let refused = asked(&App { smt: Smt::Both, ..odd }).expect_err("no whole core").to_string();
    assert!(refused.contains("odd has two hardware threads on each core"), "{refused}");
}
