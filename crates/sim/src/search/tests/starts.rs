//! Scenarios and baselines are starting points: no answer is worse than one of them that the question allows.

use numasim_model::Scenario;

use super::*;
use crate::search::testing::StopAt;

/// A scenario with the data of the applications; threads on each node by `numbers`, limited by its cores.
fn scenario(machine: &Machine, apps: &[App], numbers: &[u32]) -> Scenario {
    let mut allocation = Allocation::empty(apps.len(), machine.node_count());
    for (cell, number) in (0..apps.len() * machine.node_count()).zip(numbers.iter().cycle()) {
        let (app, node) = (AppId(cell / machine.node_count()), NodeId(cell % machine.node_count()));
        let left = u64::from(machine.node(node).cores) - allocation.on_node(node);
        allocation.set(app, node, (*number).min(u32::try_from(left).expect("few cores")));
    }
    let data = apps.iter().map(|app| app.data.clone()).collect();
    let smt = apps.iter().map(|app| app.smt).collect();
    Scenario { name: "written".to_owned(), allocation, data, smt, static_work: false }
}

proptest! {
    #![proptest_config(crate::random::questions(300))]

    #[test]
    fn no_answer_is_worse_than_an_allowed_scenario(
        (machine, apps, objective, restrictions) in question(),
        numbers in prop::collection::vec(0_u32..4, 12),
    ) {
        let Ok(problem) = Problem::new(&machine, &apps, objective, restrictions) else { return Ok(()) };
        let scenarios = [scenario(&machine, &apps, &numbers)];
        let baselines = problem.baselines(&scenarios, &Unattended);
        let allowed = baselines.iter().filter(|one| one.breaks.is_none() && problem.permits(&one.candidate));
        let allowed: Vec<f64> = allowed.map(|one| one.candidate.score).collect();
        let problem = problem.starting_from(baselines.into_iter().map(|one| one.candidate));
        let settings = Settings { effort: 0, top: 0, seed: 0 };
        // A search that is stopped at once has only these.
        for stop in [1, u64::MAX] {
            let found = explore(&problem, &settings, &StopAt::new(stop));
            for &score in &allowed {
                let useless = objective == Objective::Makespan && score <= 0.0;
                let Ok(found) = &found else {
                    prop_assert!(useless, "nothing was found, and a scenario has {score}");
                    continue;
                };
                let best = found.best.score;
                prop_assert!(best >= score - margin(score) || same_score(best, score), "{best} is worse than {score}");
            }
        }
    }
}
