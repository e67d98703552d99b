//! Of allocations that are as good, the answer has the fewest threads.

use super::*;

/// The fewest threads of all allocations whose score ties with the best, by trying all.
fn fewest_by_brute_force(problem: &Problem, best: f64) -> Option<u64> {
    let mut fewest: Option<u64> = None;
    for homes in every_set_of_homes(problem) {
        let mut evaluator = Evaluator::new(problem, problem.placements(&homes));
        let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
        every_allocation(problem, &mut allocation, 0, &mut |allocation| {
            let threads: u64 = allocation.as_slice().iter().map(|&threads| u64::from(threads)).sum();
            if fewest.is_none_or(|fewest| threads < fewest)
                && problem.allows(allocation, &evaluator.placements)
            {
                let (score, _) = evaluator.rate(allocation.as_slice());
                if score >= best - margin(best) {
                    fewest = Some(threads);
                }
            }
        });
    }
    fewest
}

#[test]
fn two_threads_that_fill_a_memory_are_as_good_as_eight() {
    // Two threads of 20 GB/s want 40 of 32 GB/s: 16 GFLOPS, as 3 to 8 threads have; one has 10.
    let machine = uniform_machine(1, 8, 10.0, 32.0, 10.0);
    for objective in OBJECTIVES {
        let problem = Problem::new(&machine, &[local_app("a", 0.5)], objective, Restrictions::default())
            .expect("possible");
        let found = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
        assert_eq!(found.best.allocation.as_slice(), [2], "{objective:?}");
        assert_eq!(found.status, Status::Optimal);
    }
}

proptest! {
    #![proptest_config(crate::random::questions(300))]

    #[test]
    fn no_allocation_that_is_as_good_has_fewer_threads((machine, apps, objective, restrictions) in question()) {
        prop_assume!(objective != Objective::Fair);
        let Ok(problem) = Problem::new(&machine, &apps, objective, restrictions) else { return Ok(()) };
        let Ok(found) = explore(&problem, &Settings::default(), &Unattended) else { return Ok(()) };
        // Where all are as bad as each other, as nobody finds memory beside the others, nothing is decided by threads.
        prop_assume!(!problem.goal.is_hopeless() && found.best.score.is_finite());
        let fewest = fewest_by_brute_force(&problem, found.best.score).expect("the best");
        prop_assert_eq!(problem.threads_of(&found.best), fewest, "{:?}", found.best);
    }
}
