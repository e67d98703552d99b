//! Searching until the proof or the end of the time that somebody gave: [`explore_to_the_end`].
//!
//! # Approach
//! One search after the other, each with [`RISE`] times the effort of the one before and other random restarts, until one is proven or the
//! monitor says stop. More effort also lists nodes with more options. Each begins with the best allocation of those before; of all bounds the tightest
//! counts. Starting over costs at most a third of all steps.

use super::settings::RISE;
use super::{ExploreError, Monitor, Outcome, Settings, Status, explore, explore_beyond, gap};
use crate::objective::Objective;
use crate::problem::Problem;

/// [`explore`], again and again with more effort until the answer is proven or `monitor` says stop. Without anybody who stops it, it may
/// go on for ever: what no effort proves is at least climbed to from further starts.
///
/// # Errors
/// Those of [`explore`]; [`ExploreError::NothingFound`] only when it was stopped.
pub fn explore_to_the_end(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    let mut settings = *settings;
    let mut found = explore(problem, &settings, monitor);
    loop {
        let goes_on = match &found {
            Ok(outcome) => outcome.status != Status::Optimal,
            Err(ExploreError::NothingFound) => true,
            Err(_) => false,
        };
        if !goes_on || monitor.stop() {
            return found;
        }
        settings.effort = settings.effort.saturating_mul(RISE);
        settings.seed = settings.seed.wrapping_add(1);
        let known = found.as_ref().ok().map(|outcome| &outcome.best);
        let next = explore_beyond(problem, &settings, monitor, known);
        found = match (found, next) {
            (Ok(before), Ok(after)) => Ok(together(problem, before, after)),
            (Ok(before), Err(ExploreError::NothingFound)) => Ok(before),
            (_, after) => after,
        };
    }
}

/// What two searches for the same say together.
fn together(problem: &Problem, before: Outcome, after: Outcome) -> Outcome {
    if after.status == Status::Optimal {
        return after;
    }
    let status = after.status;
    let bound = if problem.goal.objective() == Objective::Makespan {
        before.bound.max(after.bound)
    } else {
        before.bound.min(after.bound)
    };
    // A search that was stopped has looked for no alternatives.
    let (mut better, other) = if after.best.beats(&before.best) { (after, before) } else { (before, after) };
    if better.alternatives.is_empty() && better.best == other.best {
        better.alternatives = other.alternatives;
    }
    let gap = gap(better.value, bound);
    Outcome { bound, gap, status, ..better }
}

#[cfg(test)]
mod tests {
    use super::super::Unattended;
    use super::super::testing::{StopAt, question};
    use super::*;

    const LITTLE: Settings = Settings { top: 3, seed: 0, effort: 1 };

    #[test]
    fn rounds_with_more_effort_end_in_the_proof() {
        let problem = question(7, Objective::Fair);
        let little = explore(&problem, &LITTLE, &Unattended).expect("an answer");
        assert_eq!(little.status, Status::Unproven, "one round would be enough");
        let found = explore_to_the_end(&problem, &LITTLE, &Unattended).expect("an answer");
        let much = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
        assert_eq!((found.status, found.value), (Status::Optimal, much.value));
    }

    #[test]
    fn what_a_round_knew_stays_when_the_next_one_is_stopped() {
        let problem = question(7, Objective::Fair);
        let first = explore(&problem, &LITTLE, &Unattended).expect("an answer");
        let counted = StopAt::new(u64::MAX);
        explore(&problem, &LITTLE, &counted).expect("an answer");
        let of_one_round = counted.asked();
        // Right after the first round, and a little later in the second one.
        for at in [of_one_round + 1, of_one_round + 3, of_one_round + 6] {
            let monitor = StopAt::new(at);
            let found = explore_to_the_end(&problem, &LITTLE, &monitor).expect("an answer");
            assert!(found.value >= first.value && found.bound <= first.bound, "{found:?} {first:?}");
            assert!(found.value <= found.bound && found.alternatives.len() >= first.alternatives.len());
            assert!((found.gap - (found.bound - found.value) / found.bound).abs() < 1e-12);
        }
    }
}
