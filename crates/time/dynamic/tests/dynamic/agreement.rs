//! The fast simulation and the slow one give the same answers.

use numasim_dynamic::{Run, SimulateError};
use numasim_model::units::Seconds;
use proptest::prelude::*;

use crate::drawn::{anything, choices};

/// Equal except for rounding: 1e-9 of the larger one, and of 1 (s, item, thread).
pub(crate) fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn same_time(a: Option<Seconds>, b: Option<Seconds>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => is_close(a.value(), b.value()),
        _ => false,
    }
}

/// Differences between two runs.
pub(crate) fn differences(fast: &Run, slow: &Run) -> Vec<String> {
    let mut all = Vec::new();
    let mut note = |same: bool, what: String| {
        if !same {
            all.push(what);
        }
    };
    note(fast.ending == slow.ending, format!("ending {:?} {:?}", fast.ending, slow.ending));
    note(is_close(fast.time.value(), slow.time.value()), format!("time {:?} {:?}", fast.time, slow.time));
    note(
        same_time(fast.makespan, slow.makespan),
        format!("makespan {:?} {:?}", fast.makespan, slow.makespan),
    );
    let counts = |run: &Run| (run.commands, run.core_moves, run.reaction.count, run.events);
    note(
        counts(fast) == counts(slow),
        format!("commands, moves, reactions, events {:?} {:?}", counts(fast), counts(slow)),
    );
    let reactions = |run: &Run| (run.reaction.mean.value(), run.reaction.max.value());
    let (of_fast, of_slow) = (reactions(fast), reactions(slow));
    note(
        is_close(of_fast.0, of_slow.0) && is_close(of_fast.1, of_slow.1),
        format!("reaction {of_fast:?} {of_slow:?}"),
    );
    for (number, (a, b)) in fast.apps.iter().zip(&slow.apps).enumerate() {
        note(same_time(a.arrived, b.arrived), format!("{number} arrived {:?} {:?}", a.arrived, b.arrived));
        note(
            same_time(a.finished, b.finished),
            format!("{number} finished {:?} {:?}", a.finished, b.finished),
        );
        note(a.iterations == b.iterations, format!("{number} iterations {} {}", a.iterations, b.iterations));
        let of = |app: &numasim_dynamic::AppRun| {
            [
                ("work", app.work.value()),
                ("mean threads", app.mean_threads),
                ("input", app.waited_input.value()),
                ("output", app.waited_output.value()),
                ("call", app.waited_call.value()),
                ("idle", app.idle.value()),
                ("blocked", app.blocked.value()),
                ("shared", app.shared.value()),
            ]
        };
        for ((what, a), (_, b)) in of(a).into_iter().zip(of(b)) {
            note(is_close(a, b), format!("{number} {what} {a} {b}"));
        }
    }
    for (number, (a, b)) in fast.channels.iter().zip(&slow.channels).enumerate() {
        note(
            a.max_items == b.max_items && is_close(a.mean_items, b.mean_items),
            format!("channel {number} {a:?} {b:?}"),
        );
    }
    all
}

fn compared(fast: &Result<Run, SimulateError>, slow: &Result<Run, SimulateError>) -> Vec<String> {
    match (fast, slow) {
        (Ok(fast), Ok(slow)) => differences(fast, slow),
        (Err(SimulateError::Deadlock(fast)), Err(SimulateError::Deadlock(slow)))
            if fast.stuck == slow.stuck && is_close(fast.time.value(), slow.time.value()) =>
        {
            Vec::new()
        }
        (Err(fast), Err(slow)) if fast == slow => Vec::new(),
        (fast, slow) => vec![format!("{fast:?} / {slow:?}")],
    }
}

proptest! {
    #![proptest_config(crate::random::questions(1000))]

    #[test]
    fn both_simulations_agree(mut choices in choices()) {
        let drawn = anything(&mut choices);
        let differences = compared(&drawn.fast(), &drawn.slow());
        prop_assert!(differences.is_empty(), "{differences:#?}\n{drawn:#?}");
    }
}
