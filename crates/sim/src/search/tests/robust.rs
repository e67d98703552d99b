//! The smallest worst regret over all models, against brute force.

use numasim_model::ModelKind;

use super::*;
use crate::search::robust::{Robust, robust};

/// The question under every model that can answer it.
fn under_every_model(
    machine: &Machine,
    apps: &[App],
    objective: Objective,
    restrictions: Restrictions,
) -> Vec<Problem> {
    let under = |kind: ModelKind| machine.clone().with_sharing(kind.into());
    let problem = |kind| Problem::new(&under(kind), apps, objective, restrictions).ok();
    ModelKind::ALL.into_iter().filter_map(problem).collect()
}

/// The search for each model, then for all of them, as in [`crate::search::over_models`]. Models without an answer are removed from
/// `problems`. Models whose budget was too small to find one have no outcome.
pub(super) fn answered(problems: &mut Vec<Problem>, settings: &Settings) -> Option<Robust> {
    let mut outcomes = Vec::new();
    problems.retain(|problem| {
        let outcome = match explore(problem, settings, &Unattended) {
            Ok(found) => Some(found),
            Err(ExploreError::NothingFound) => None,
            Err(ExploreError::Infeasible(_)) => return false,
            Err(fault) => panic!("{fault}"),
        };
        outcomes.push(outcome);
        true
    });
    robust(problems, &outcomes, settings, &Unattended).ok()
}

/// The value of every allocation under every problem.
fn everything(problems: &[Problem]) -> Vec<Vec<f64>> {
    let question = &problems[0];
    let nodes = question.machine.node_count();
    let mut found = Vec::new();
    for homes in every_set_of_homes(question) {
        let placements = question.placements(&homes);
        let mut evaluators: Vec<Evaluator<'_>> =
            problems.iter().map(|problem| Evaluator::new(problem, placements.clone())).collect();
        let mut allocation = Allocation::empty(question.apps.len(), nodes);
        every_allocation(question, &mut allocation, 0, &mut |allocation| {
            if question.allows(allocation, &placements) {
                let rated = evaluators.iter_mut().zip(problems);
                found.push(rated.map(|(e, p)| p.goal.value(e.rate_of(allocation).0)).collect());
            }
        });
    }
    found
}

/// The lost fraction of the best; 0 if the best is 0.
fn lost(objective: Objective, value: f64, best: f64) -> f64 {
    let part = if objective == Objective::Makespan { best / value } else { value / best };
    if part.is_nan() { 0.0 } else { 1.0 - part }
}

pub(super) fn worst(objective: Objective, values: &[f64], bests: &[f64]) -> f64 {
    values.iter().zip(bests).map(|(&value, &best)| lost(objective, value, best)).fold(0.0, f64::max)
}

/// The best value under each model.
pub(super) fn bests(objective: Objective, values: &[Vec<f64>]) -> Vec<f64> {
    let best = |m: usize| {
        let values = values.iter().map(|values| values[m]);
        if objective == Objective::Makespan {
            values.fold(f64::INFINITY, f64::min)
        } else {
            values.fold(0.0, f64::max)
        }
    };
    (0..values.first().map_or(0, Vec::len)).map(best).collect()
}

proptest! {
    #![proptest_config(crate::random::questions(60))]

    /// The regret, its bound and its proof, with a large and with a small budget.
    #[test]
    fn the_smallest_worst_regret_equals_brute_force((machine, apps, objective, restrictions) in question()) {
        let mut problems = under_every_model(&machine, &apps, objective, restrictions);
        prop_assume!(!problems.is_empty() && problems[0].size_log10() < 3.5);
        let Some(found) = answered(&mut problems, &Settings { top: 0, ..Settings::default() }) else {
            return Ok(());
        };
        let all = everything(&problems);
        let bests = bests(objective, &all);
        let truth = all.iter().map(|values| worst(objective, values, &bests)).fold(f64::INFINITY, f64::min);
        prop_assert_eq!(found.status, Status::Optimal);
        prop_assert!((found.worst_regret - truth).abs() < 1e-7, "{} of {truth}", found.worst_regret);
        prop_assert!(found.bound <= truth + 1e-7 && found.bound >= truth - 1e-7);
        prop_assert!(found.at_most < truth + 1e-7);
        for effort in [0, 2_000] {
            let lazy = Settings { effort, top: 0, seed: 1 };
            let mut problems = problems.clone();
            let count = problems.len();
            let Some(quick) = answered(&mut problems, &lazy) else { continue };
            prop_assert_eq!(problems.len(), count);
            let Candidate { allocation, placements, .. } = &quick.best;
            prop_assert!(problems[0].allows(allocation, placements));
            let value = |problem: &Problem| {
                problem.goal.value(Evaluator::new(problem, placements.clone()).rate_of(allocation).0)
            };
            let values: Vec<f64> = problems.iter().map(value).collect();
            let own = worst(objective, &values, &bests);
            prop_assert!(quick.bound <= truth + 1e-7, "bound {} of {truth}, effort {effort}", quick.bound);
            prop_assert!(quick.worst_regret <= own + 1e-7 && own <= quick.at_most + 1e-7,
                "{} <= {own} <= {}", quick.worst_regret, quick.at_most);
            prop_assert!(quick.status != Status::Optimal || own <= truth + 1e-7);
        }
    }
}

#[test]
fn an_answer_between_the_bests_of_two_models_is_found_and_proven() {
    // Fast links and data with a home: remote-first takes bandwidth from local threads that the default leaves to them.
    let machine = uniform_machine(2, 4, 10.0, 20.0, 20.0);
    let apps = vec![app("home", 0.5, Data::Placed(Placement::Home(NodeId(0)))), local_app("local", 1.0)];
    let mut problems = under_every_model(&machine, &apps, Objective::Fair, Restrictions::default());
    let found = answered(&mut problems, &Settings::default()).unwrap();
    assert_eq!((found.status, problems.len()), (Status::Optimal, 6));
    let of_bests = found.models.iter().map(|of| {
        let regrets = found.regrets_of(&problems, &of.best.allocation, &of.best.placements);
        regrets.into_iter().fold(0.0, f64::max)
    });
    let least = of_bests.fold(f64::INFINITY, f64::min);
    assert!(found.worst_regret <= least && found.bound <= found.worst_regret, "{found:?}");
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let (machine, apps) = paper();
    let problems = under_every_model(&machine, &apps, Objective::Geomean, Restrictions::default());
    let settings = Settings { effort: 2_000_000, top: 0, seed: 3 };
    let with = |threads| {
        crate::parallel::on_threads(threads, || answered(&mut problems.clone(), &settings).unwrap())
    };
    assert_eq!(with(1), with(4));
}
