//! The search in halves on four small nodes, and its cost.

use super::*;
use crate::monitor::{Monitor, Unattended};
use crate::objective::Objective;
use crate::search::dual::Effort;
use crate::search::testing::{LOCAL, StopAt, pool_with, question, relaxation};

#[test]
fn four_nodes_are_searched_completely() {
    let problem = question(4, Objective::Fair);
    let relaxation = relaxation(&problem);
    let everything = relaxation.everything();
    // One thread each: `cpu` has 10 of 80 GFLOPS.
    let (canonical, mut pool) = pool_with(&problem, &[vec![1, 0, 0, 0], vec![0, 1, 0, 0]]);
    let root =
        relaxation.improve(&relaxation.start(), &everything, pool.cutoff(), Effort { steps: 50, cuts: 50 });
    let halves = Halves {
        problem: &problem,
        relaxation: &relaxation,
        placements: &LOCAL,
        ranges: &everything,
        canonical: &canonical,
        monitor: &Unattended,
    };
    let halved = halves.search(&root, &mut pool, QUICK, MOST_STEPS);
    assert!(halved.complete && halved.work > 0, "{halved:?}");
    // m nodes with (2, 0), 8 - 2 m - k cores for `cpu` if k nodes have (1, 1): mem 16 m + 10 k of 64, cpu 10 (8 - 2 m - k) of 80. m = 2, k
    // = 1: 42/64 and 30/80; m = 1, k = 2: 36/64 and 40/80; m = 0, k = 4: 40/64 and 40/80; m = 1, k = 1: 26/64 and 50/80; m = 0, k = 3:
    // 30/64 and 50/80. The best minimum is 1/2.
    assert!(pool.best().is_some_and(|best| (best.score - 0.5).abs() < 1e-9), "{:?}", pool.best());
}

/// The four nodes with the best answer in the pool, 1/2, and a bound of `above` more at prices with a bound of 9/16: with equal prices (y =
/// 1/2 each) a node with (1, 1) earns 1/2 (10/64 + 10/80) = 9/64.
fn with_the_best(above: f64, steps: u64, monitor: &dyn Monitor) -> (Halved, Pool) {
    let problem = question(4, Objective::Fair);
    let relaxation = relaxation(&problem);
    let (canonical, mut pool) = pool_with(&problem, &[vec![1, 1, 1, 1], vec![1, 1, 1, 1]]);
    let everything = relaxation.everything();
    let at_start = relaxation.improve(&relaxation.start(), &everything, 0.0, Effort { steps: 1, cuts: 0 });
    assert!((at_start.bound - 9.0 / 16.0).abs() < 1e-9, "{}", at_start.bound);
    let root = Improved { bound: pool.cutoff() + above, ..at_start };
    let halves = Halves {
        problem: &problem,
        relaxation: &relaxation,
        placements: &LOCAL,
        ranges: &everything,
        canonical: &canonical,
        monitor,
    };
    (halves.search(&root, &mut pool, QUICK, steps), pool)
}

#[test]
fn a_bound_below_its_prices_does_not_restart_forever() {
    // Far below half of the gap of the round, 1/16. No allocation is better than the answer, so the first round is the last: 6 options on
    // each of 4 nodes, 6 x 7 / 2 = 21 sums of a half.
    let monitor = StopAt::new(1000);
    let (halved, pool) = with_the_best(1e-6, MOST_STEPS, &monitor);
    assert!(halved.complete, "{halved:?}");
    assert!(halved.work < 1000, "{halved:?}");
    assert!(pool.best().is_some_and(|best| (best.score - 0.5).abs() < 1e-9), "{:?}", pool.best());
}

#[test]
fn a_search_respects_its_step_limit() {
    let (whole, _) = with_the_best(1.0 / 16.0, MOST_STEPS, &Unattended);
    assert!(whole.complete && whole.work > 30, "{whole:?}");
    for steps in 0..whole.work {
        let (halved, _) = with_the_best(1.0 / 16.0, steps, &Unattended);
        assert!(!halved.complete, "{halved:?} of {steps}");
        // Ranking the options of the one class comes first: 2 steps, and 2 for each of 6 options that are kept.
        assert!(halved.work <= steps.max(14), "{halved:?} of {steps}");
    }
}

#[test]
fn a_stopped_search_is_incomplete_and_pays_for_its_work() {
    let problem = question(4, Objective::Fair);
    let (canonical, pool) = pool_with(&problem, &[vec![1, 0, 0, 0], vec![0, 1, 0, 0]]);
    let calm = relaxation(&problem);
    let root = calm.improve(&calm.start(), &calm.everything(), pool.cutoff(), Effort { steps: 50, cuts: 50 });
    let monitor = StopAt::new(1);
    let halves = Halves {
        problem: &problem,
        relaxation: &calm,
        placements: &LOCAL,
        ranges: &calm.everything(),
        canonical: &canonical,
        monitor: &monitor,
    };
    let halved = halves.search(&root, &mut pool.clone(), QUICK, MOST_STEPS);
    assert!(!halved.complete, "{halved:?}");
    assert!(halved.work > 0, "the sums of the left half were found: {halved:?}");
    assert!(monitor.asked() > 0);
}
