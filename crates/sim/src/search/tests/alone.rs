//! The reference performance of applications alone, against brute force over all their allowed allocations.

use super::*;
use crate::objective::Goal;

proptest! {
    #![proptest_config(crate::random::questions(200))]

    #[test]
    fn performance_alone_equals_brute_force((machine, apps, ..) in question()) {
        let goal = Goal::of_any_work(Objective::TotalGflops, &machine, &apps).expect("a sum of anything");
        prop_assert!(goal.is_exact());
        for (app, found) in apps.iter().zip(goal.alone()) {
            let placing = Placing { exclusive: false, ..app.placing.clone() };
            let own = App { weight: 1.0, placing, ..app.clone() };
            let problem =
                Problem::new(&machine, &[own], Objective::TotalGflops, Restrictions::default());
            let truth = problem.ok().and_then(|problem| brute_force(&problem)).unwrap_or(0.0);
            prop_assert!(same_score(*found, truth), "{found} of {truth}");
        }
    }
}
