//! Bounds of nodes whose options are not listed: by hand, and never below the best of all allocations.

use super::fair::{exactly, narrow_cores};
use super::models::{lines, model, sharing, with_lines};
use super::*;
use crate::search::dual::{Effort, Relaxation};
use crate::search::homes::HomeSets;
use crate::symmetry::node_classes;

const WELL: Effort = Effort { steps: 20, cuts: 40 };

/// The bound over the corners of nodes with these homes.
fn over_corners(problem: &Problem, homes: &[Placement]) -> f64 {
    let placements = problem.placements(homes);
    let classes = node_classes(&problem.machine, &problem.apps, &placements, false);
    let evaluator = Evaluator::new(problem, placements);
    let loose = Relaxation::loose(problem, &problem.machine, &evaluator, &classes, &Unattended)
        .with_least_of_corners(&evaluator);
    loose.improve(&loose.start(), &loose.everything(), f64::NEG_INFINITY, WELL).bound
}

/// The same with the model of how nodes share their memories.
fn by_shares(problem: &Problem, homes: &[Placement]) -> f64 {
    let placements = problem.placements(homes);
    let classes = node_classes(&problem.machine, &problem.apps, &placements, false);
    let evaluator = Evaluator::new(problem, placements);
    let loose = Relaxation::loose(problem, &problem.machine, &evaluator, &classes, &Unattended);
    let first = loose.improve(&loose.start(), &loose.everything(), f64::NEG_INFINITY, WELL);
    loose.improve_by_shares(first, &evaluator, f64::NEG_INFINITY, 100).bound
}

/// Not above, up to rounding; a geomean may be -infinity.
fn is_bounded(score: f64, bound: f64) -> bool {
    score <= bound || score <= bound + 1e-9 * bound.abs() + 1e-12
}

#[test]
fn jobs_of_fixed_size_are_bounded_by_total_bandwidth() {
    // They want 12 x 12, 12 x 12 and 2 x 12 GB/s of 200: every p is at most 200 / 312.
    let (machine, apps) = narrow_cores();
    let problem = Problem::new(&machine, &apps, Objective::Fair, Restrictions::default()).expect("possible");
    let bound = over_corners(&problem, &[]);
    assert!((bound - 25.0 / 39.0).abs() < 1e-9, "{bound}");
}

/// Two nodes of 16 cores in domains of 4, 1000 GFLOPS a core; 100 GB/s each, links of 10 GB/s, 20 GB/s a domain.
fn narrow_domains() -> Machine {
    let flat = uniform_machine(2, 16, 1000.0, 100.0, 10.0);
    with_nodes(&flat, |_, node| Node {
        cores_per_l3: Some(4),
        l3_bandwidth: Some(GigabytesPerSecond::new(20.0)),
        ..node
    })
}

#[test]
fn each_home_is_bounded_by_the_domains_and_the_links_to_it() {
    // 4 domains of the home draw 80 GB/s, the other node 10 over the link: 90 GFLOPS, and 31 threads of `b` at 1000. If the home were open, the
    // fastest memory would have 100.
    let machine = narrow_domains();
    let apps = [app("a", 1.0, Data::OpenHome { share: 1.0 }), local_app("b", 1e6)];
    let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default());
    let problem = problem.expect("possible");
    let flat = problem.clone().by_nodes();
    let sets = HomeSets::within(&flat, &machine, Settings::default().effort, &Unattended);
    assert!((sets.bound - 31_090.0).abs() < 1.0, "{}", sets.bound);
}

#[test]
fn guaranteed_bandwidth_is_not_available_to_others() {
    // A thread is guaranteed 100 / 16 = 6.25 GB/s. 2 of `small` want no more than 10 / 2 each and have that: 190 GB/s are left of 288.
    let (machine, [big, big2, _]) = narrow_cores();
    let apps = [big, big2, exactly(2, local_app("small", 2.0))];
    let problem = Problem::new(&machine, &apps, Objective::Fair, Restrictions::default()).expect("possible");
    let bound = over_corners(&problem, &[]);
    assert!((bound - 190.0 / 288.0).abs() < 1e-9, "{bound}");
}

#[test]
fn a_memory_is_not_distributed_freely() {
    // 16 cores with 32 GB/s, each guaranteed 2. 2 threads of `heavy` want 100 GB/s each, 6 of `light` 20: f = (32 - 8 x 2) / (2 x 98 + 6 x
    // 18) = 1/19, 2 + 98/19 = 7.158 GB/s for a thread of `heavy`, 14.316 of 32 that it has alone: p = 0.447. With free distribution, 16
    // GB/s for each would be 0.5.
    let node = uniform_machine(1, 16, 10.0, 32.0, 1.0).nodes()[0];
    let machine = Machine::uniform("one", 1, node, GigabytesPerSecond::new(1.0)).expect("a machine");
    let apps = [exactly(2, local_app("heavy", 0.1)), exactly(6, local_app("light", 0.5))];
    let problem = Problem::new(&machine, &apps, Objective::Fair, Restrictions::default()).expect("possible");
    let expected = 2.0 * (2.0 + 98.0 / 19.0) / 32.0;
    assert!((over_corners(&problem, &[]) - 0.5).abs() < 1e-9);
    let bound = by_shares(&problem, &[]);
    // If many values of f are equally good, not all of them are examined closely.
    assert!(bound >= expected - 1e-9 && bound < 1.001 * expected, "{bound} of {expected}");
}

#[test]
fn many_jobs_at_full_speed_are_proven_without_listing_a_node() {
    // 20 jobs of 2 to 5 threads on 4 x 32 cores, each with a different intensity; together they want 70 x 2 to 4 GB/s of 4 x 200.
    let node = uniform_machine(1, 32, 10.0, 200.0, 20.0).nodes()[0];
    let machine = Machine::uniform("a", 4, node, GigabytesPerSecond::new(20.0)).expect("a machine");
    let job = |n: u32| exactly(2 + n % 4, local_app(&format!("job{n}"), 2.5 + 0.1 * f64::from(n)));
    let apps: Vec<App> = (0..20).map(job).collect();
    let problem = Problem::new(&machine, &apps, Objective::Fair, Restrictions::default()).expect("possible");
    let found =
        explore(&problem, &Settings { top: 0, ..Settings::default() }, &Unattended).expect("an answer");
    assert_eq!((found.status, found.levels.len()), (Status::Optimal, 1));
    assert!((found.value - 1.0).abs() < 1e-9 && found.levels[0].proven, "{found:?}");
}

#[test]
fn equal_jobs_are_placed_whole_if_that_is_best() {
    // 4 nodes of 44 cores and 175 GB/s, 20 jobs of 8 threads and 4 of 2 that want 25 GB/s each. All of 700 GB/s for 168 threads are 1/6 of
    // 25 for each: 5 large jobs and a small one on each node.
    let node = Node {
        core_bandwidth: Some(GigabytesPerSecond::new(25.0)),
        ..uniform_machine(1, 44, 35.2, 175.0, 60.0).nodes()[0]
    };
    let machine = Machine::uniform("four", 4, node, GigabytesPerSecond::new(60.0)).expect("a machine");
    let large = exactly(8, local_app("large", 0.5));
    let small = exactly(2, local_app("small", 0.5));
    let apps = [vec![large; 20], vec![small; 4]].concat();
    let problem = Problem::new(&machine, &apps, Objective::Fair, Restrictions::default()).expect("possible");
    let found =
        explore(&problem, &Settings { top: 0, ..Settings::default() }, &Unattended).expect("an answer");
    assert_eq!(found.status, Status::Optimal);
    assert!((found.value - 1.0 / 6.0).abs() < 1e-9, "{}", found.value);
}

#[test]
fn jobs_in_a_row_are_simple_and_nearly_as_good_as_the_best() {
    // 8 nodes of 24 cores and 91.8 GB/s; jobs of 16, 16, 8 and 8 threads. Alone the large ones have 16 x 45 = 720 GB/s and the small ones
    // 360. The memories are therefore distributed as 2.67, 2.67, 1.33, 1.33 nodes: whole nodes of 6 threads, and shared ones.
    let node = Node {
        core_bandwidth: Some(GigabytesPerSecond::new(45.0)),
        ..uniform_machine(1, 24, 40.0, 91.8, 60.0).nodes()[0]
    };
    let machine = Machine::uniform("eight", 8, node, GigabytesPerSecond::new(60.0)).expect("a machine");
    let job = |name, threads| exactly(threads, local_app(name, 0.3));
    let apps = [job("a", 16), job("a2", 16), job("b", 8), job("b2", 8)];
    let problem = Problem::new(&machine, &apps, Objective::Fair, Restrictions::default()).expect("possible");
    let little = Settings { top: 0, effort: 1_000_000, seed: 0 };
    let best = explore(&problem, &little, &Unattended).expect("an answer").best;
    let found = crate::search::simplest(&problem, &best, &[], 0.01, &little, &Unattended).expect("allowed");
    assert!(found.simplicity.numbers <= 8 && found.loss <= 0.01, "{found:?}");
}

proptest! {
    #![proptest_config(crate::random::questions(500))]

    #[test]
    fn no_allocation_exceeds_bounds_without_options(
        (machine, apps, objective, restrictions) in question(),
        model in model(),
        lines in lines(),
    ) {
        let (machine, apps) = (sharing(machine, model), with_lines(apps, lines));
        let Ok(problem) = Problem::new(&machine, &apps, objective, restrictions) else { return Ok(()) };
        let sets = HomeSets::new(&problem, Settings::default().effort, &Unattended);
        let mut truth = f64::NEG_INFINITY;
        for homes in every_set_of_homes(&problem) {
            let Some(best) = best_with(&problem, &homes) else { continue };
            for bound in [over_corners(&problem, &homes), by_shares(&problem, &homes)] {
                prop_assert!(is_bounded(best, bound), "{best} of {bound} with {homes:?}");
            }
            let listed = sets.listed.iter().flatten().find(|set| set.homes == homes);
            if let Some(set) = listed {
                prop_assert!(is_bounded(best, set.bound), "{best} of {}", set.bound);
            }
            truth = truth.max(best);
        }
        prop_assert!(is_bounded(truth, sets.bound), "{truth} of {}", sets.bound);
        prop_assert!(is_bounded(truth, problem.roof()), "{truth} of {}", problem.roof());
    }
}
