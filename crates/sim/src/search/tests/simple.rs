//! The simplest allocation that is nearly as good as the best, against trying all, and on small machines by hand.

use super::*;

/// The simplest of all allocations that score at least `floor`, for any open homes.
fn brute(problem: &Problem, floor: f64) -> Option<Simplicity> {
    let nodes = problem.machine.node_count();
    let mut simplest: Option<Simplicity> = None;
    for homes in every_set_of_homes(problem) {
        let mut evaluator = Evaluator::new(problem, problem.placements(&homes));
        let mut allocation = Allocation::empty(problem.apps.len(), nodes);
        every_allocation(problem, &mut allocation, 0, &mut |allocation| {
            let simpler = simplest.is_none_or(|known| simplicity(allocation) < known);
            if simpler
                && problem.allows(allocation, &evaluator.placements)
                && evaluator.rate_of(allocation).0 >= floor
            {
                simplest = Some(simplicity(allocation));
            }
        });
    }
    simplest
}

proptest! {
    #![proptest_config(crate::random::questions(150))]

    #[test]
    fn the_simplest_equals_brute_force((machine, apps, objective, restrictions) in question(), within in 0.0..0.3_f64) {
        let Ok(problem) = Problem::new(&machine, &apps, objective, restrictions) else { return Ok(()) };
        let settings = Settings::default();
        let Ok(outcome) = explore(&problem, &settings, &Unattended) else { return Ok(()) };
        let best = &outcome.best;
        if problem.goal.is_hopeless() || !best.score.is_finite() {
            return Ok(());
        }
        let found = simplest(&problem, best, &outcome.alternatives, within, &settings, &Unattended);
        let found = found.expect("allowed");
        prop_assert!(found.loss <= within + 1e-8, "{} of {within}", found.loss);
        prop_assert_eq!(found.simplicity, simplicity(&found.candidate.allocation));
        let floor = problem.goal.least_score(best.score, within);
        let truth = brute(&problem, floor - 10.0 * margin(floor)).expect("the best itself");
        // Rounding decides if the loss equals the limit.
        let strict = brute(&problem, floor + 10.0 * margin(floor)).unwrap_or(found.simplicity);
        prop_assert!(found.proven);
        prop_assert!((truth..=strict).contains(&found.simplicity), "{found:?}, not {truth:?}");
        // With a small budget no wrong result is called proven.
        for effort in [0, 3_000, 100_000] {
            let lazy = Settings { effort, ..settings };
            let quick = simplest(&problem, best, &[], within, &lazy, &Unattended).expect("allowed");
            prop_assert!(quick.loss <= within + 1e-8);
            prop_assert!(!quick.proven || quick.simplicity <= strict, "{quick:?}, not {strict:?}");
        }
    }
}

#[test]
fn equal_numbers_replace_irregular_ones() {
    // The paper's machine: 1 thread of each `mem` and 5 of `compute` on every node are the best, and nothing is simpler.
    let (machine, apps) = paper();
    let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap();
    let outcome = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
    let found = simplest(&problem, &outcome.best, &[], 0.02, &Settings::default(), &Unattended).unwrap();
    assert_eq!(found.simplicity.numbers, 4, "{found:?}");
    assert!(found.loss <= 0.02 && found.proven, "{found:?}");
}

#[test]
fn whole_nodes_come_before_shared_ones() {
    // Two nodes with 2 cores and two applications that need no memory: 40 GFLOPS in any full allocation.
    let machine = uniform_machine(2, 2, 10.0, 32.0, 10.0);
    let apps = [local_app("a", 100.0), local_app("b", 100.0)];
    let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap();
    let outcome = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
    let found = simplest(&problem, &outcome.best, &[], 0.0, &Settings::default(), &Unattended).unwrap();
    assert_eq!((found.simplicity, found.proven), (Simplicity { numbers: 2, mixed: false }, true));
    let mut rows: Vec<&[u32]> = found.candidate.allocation.as_slice().chunks(2).collect();
    rows.sort_unstable();
    assert_eq!(rows, [[0, 2], [2, 0]]);
}

#[test]
fn a_best_value_of_0_allows_no_loss() {
    // One core for two applications: the smaller value of both is 0 in any allocation, and to do nothing is simplest.
    let machine = uniform_machine(1, 1, 10.0, 1.0, 1.0);
    let app = |name: &str| App { min_threads: 0, ..local_app(name, 0.5) };
    let problem =
        Problem::new(&machine, &[app("a"), app("b")], Objective::Fair, Restrictions::default()).unwrap();
    let outcome = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
    for effort in [0, 3_000, 100_000, Settings::default().effort] {
        let settings = Settings { effort, ..Settings::default() };
        let found = simplest(&problem, &outcome.best, &[], 0.1, &settings, &Unattended).unwrap();
        assert!(!found.proven || found.simplicity.numbers == 0, "{effort}: {found:?}");
        assert_eq!(found.loss, 0.0);
    }
}
