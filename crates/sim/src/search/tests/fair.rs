//! `fair` as leximin: by hand, and against brute force.

use super::*;

pub(super) fn exactly(threads: u32, app: App) -> App {
    App { min_threads: threads, max_threads: Some(threads), ..app }
}

fn solved(machine: &Machine, apps: &[App], objective: Objective) -> Outcome {
    let problem = Problem::new(machine, apps, objective, Restrictions::default()).expect("possible");
    let found = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
    assert_eq!(found.status, Status::Optimal, "{found:?}");
    found
}

/// p, numbers of applications, and whether it is proven.
fn of_levels(found: &Outcome) -> Vec<(f64, Vec<usize>, bool)> {
    let apps = |level: &Level| level.apps.iter().map(|app| app.0).collect();
    found.levels.iter().map(|level| (level.p, apps(level), level.proven)).collect()
}

/// 2 nodes x 16 cores, 10 GFLOPS, 100 GB/s, 12 GB/s for each core.
pub(super) fn narrow_cores() -> (Machine, [App; 3]) {
    let node = uniform_machine(1, 16, 10.0, 100.0, 30.0).nodes()[0];
    let node = Node { core_bandwidth: Some(GigabytesPerSecond::new(12.0)), ..node };
    let machine = Machine::uniform("a", 2, node, GigabytesPerSecond::new(30.0)).expect("a machine");
    let apps = [
        exactly(12, local_app("big", 0.2)),
        exactly(12, local_app("big2", 0.2)),
        exactly(2, local_app("small", 0.5)),
    ];
    (machine, apps)
}

#[test]
fn jobs_of_fixed_size_keep_equal_fractions_of_their_speed() {
    // 13 threads on each node have 100 / 13 GB/s each: 12 x 100 / 13 x 0.2 of 28.8 and 2 x 100 / 13 x 0.5 of 12 GFLOPS are 25 / 39.
    let (machine, apps) = narrow_cores();
    let found = solved(&machine, &apps, Objective::Fair);
    let levels = of_levels(&found);
    assert_eq!((levels.len(), &levels[0].1, levels[0].2), (1, &vec![0, 1, 2], true), "{levels:?}");
    assert!((levels[0].0 - 25.0 / 39.0).abs() < 1e-9 && (found.value - 25.0 / 39.0).abs() < 1e-9);
    let on = |node| found.best.allocation.on_node(NodeId(node));
    assert_eq!((on(0), on(1)), (13, 13));
}

#[test]
fn after_the_smallest_p_the_next_ones_are_maximised() {
    // x of at most 3 threads and y share node 0, z has node 1: 60 of its 120. For x and y with 6 cores together, 2 / 3 and 4 / 6 are better
    // than 3 / 3 and 3 / 6.
    let machine = uniform_machine(2, 6, 10.0, 1000.0, 100.0);
    let y = App { nodes: Some(vec![NodeId(0)]), ..local_app("y", 10.0) };
    let apps = [App { max_threads: Some(3), ..y.clone() }, y, local_app("z", 10.0)];
    let found = solved(&machine, &apps, Objective::Fair);
    assert_eq!(found.best.allocation.as_slice(), [2, 0, 4, 0, 0, 6]);
    let levels = of_levels(&found);
    assert_eq!(
        levels.iter().map(|level| (level.1.clone(), level.2)).collect::<Vec<_>>(),
        [(vec![2], true), (vec![0, 1], true)]
    );
    assert!((levels[0].0 - 0.5).abs() < 1e-12 && (levels[1].0 - 2.0 / 3.0).abs() < 1e-9, "{levels:?}");
    let mean = solved(&machine, &apps, Objective::Geomean);
    assert_eq!(mean.best.allocation.as_slice(), [3, 0, 3, 0, 0, 6]);
    // (1 x 0.5 x 0.5) to the power 1 / 3
    assert!((mean.value - 0.629_960_524_9).abs() < 1e-9, "{}", mean.value);
}

/// The fairest sorted p of all allocations, and the fewest threads that reach them.
fn fairest_by_brute_force(problem: &Problem) -> Option<(Vec<f64>, u64)> {
    let mut fairest: Option<(Vec<f64>, u64)> = None;
    for homes in every_set_of_homes(problem) {
        let mut evaluator = Evaluator::new(problem, problem.placements(&homes));
        let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
        every_allocation(problem, &mut allocation, 0, &mut |allocation| {
            if problem.allows(allocation, &evaluator.placements) {
                let sorted = problem.goal.sorted(evaluator.gflops(allocation.as_slice()));
                let threads: u64 = allocation.as_slice().iter().map(|&threads| u64::from(threads)).sum();
                let better = fairest.as_ref().is_none_or(|(best, fewest)| {
                    leximin::is_fairer(&sorted, best)
                        || (!leximin::is_fairer(best, &sorted) && threads < *fewest)
                });
                if better {
                    fairest = Some((sorted, threads));
                }
            }
        });
    }
    fairest
}

proptest! {
    #![proptest_config(crate::random::questions(300))]

    #[test]
    fn the_fairest_allocation_equals_brute_force((machine, apps, _, restrictions) in question()) {
        let Ok(problem) = Problem::new(&machine, &apps, Objective::Fair, restrictions) else { return Ok(()) };
        let Ok(found) = explore(&problem, &Settings::default(), &Unattended) else { return Ok(()) };
        let (truth, fewest) = fairest_by_brute_force(&problem).expect("an answer");
        let mut evaluator = Evaluator::new(&problem, found.best.placements.clone());
        let sorted = problem.goal.sorted(evaluator.gflops(found.best.allocation.as_slice()));
        let same = sorted.iter().zip(&truth).all(|(a, b)| same_score(*a, *b));
        prop_assert!(same, "{sorted:?} is not {truth:?}: {:?}", found.levels);
        prop_assert!(found.levels.iter().all(|level| level.proven), "{:?}", found.levels);
        let p = problem.goal.p(evaluator.gflops(found.best.allocation.as_slice()));
        let listed: usize = found.levels.iter().map(|level| level.apps.len()).sum();
        prop_assert_eq!(listed, apps.len());
        for level in &found.levels {
            prop_assert!(level.apps.iter().all(|app| same_score(p[app.0], level.p)));
        }
        prop_assert_eq!(problem.threads_of(&found.best), fewest);
    }
}

#[test]
fn identical_jobs_have_the_same_p_unless_cores_remain() {
    // Three jobs on 2 x 4 cores: 2 or 3 threads each, so that two have 3 of 8; equal ones would have 2 of 8, and the smallest no more.
    let machine = uniform_machine(2, 4, 10.0, 1000.0, 100.0);
    let found = solved(&machine, &vec![local_app("job", 10.0); 3], Objective::Fair);
    let levels = of_levels(&found);
    assert_eq!(levels.iter().map(|level| level.1.len()).collect::<Vec<_>>(), [1, 2], "{levels:?}");
    // Two jobs divide the 8 cores equally.
    let found = solved(&machine, &vec![local_app("job", 10.0); 2], Objective::Fair);
    assert_eq!(of_levels(&found), [(0.5, vec![0, 1], true)]);
}
