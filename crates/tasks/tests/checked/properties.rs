//! What is promised of every run.

use numasim_tasks::bound::lower_bound;
use numasim_tasks::{invariants, reference};
use proptest::prelude::*;

use crate::common::Records;
use crate::drawn::{anything, choices};
use crate::random::questions;

proptest! {
    #![proptest_config(questions(500))]

    #[test]
    fn what_must_hold_of_any_run_holds_of_the_slow_simulation(mut choices in choices()) {
        let asked = anything(&mut choices, 30);
        let question = asked.question();
        let dependencies = asked.dependencies();
        let mut records = Records::default();
        let run = reference::simulate(&question, &mut records).expect("an answer");
        let bound = lower_bound(&question, &dependencies);
        let mut violations = invariants::of_run(&question, &run, Some(&bound));
        violations.extend(invariants::of_tasks(&question, &dependencies, &run, &records.0));
        prop_assert_eq!(violations, []);
    }
}
