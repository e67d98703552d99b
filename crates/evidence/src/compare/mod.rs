//! Prediction beside measurement: reads measured CSV files and compares them with what a model says.
//!
//! [`read_measured`] turns text into values, [`compare`] puts them beside the evaluation of each scenario. Which model
//! evaluates is the caller's choice.

mod beside;
mod comparison;
mod coverage;
mod errors;
mod held;
mod matching;
mod read;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use numasim_model::{Evaluation, Scenario, Study};

use crate::null_models::{self, NullModel};
use crate::statistics;

pub use beside::{CONTENDED, FEWEST};
pub use comparison::{
    Advantage, Beside, BesideNull, Choice, Compared, ComparedApp, ComparedScenario, Comparison, Contended,
    Errors, Mismatch, Missing, Pair, Regret, Spread, Unmatched, Verdict,
};
pub use coverage::PredictedIntervals;
pub use held::{Coverage, Held, Share, Way};
pub use read::{LeftOut, Measured, Measurements, Repetition, read_measured};

/// Compares the scenarios `asked` for with what was measured. `evaluate` predicts one scenario; it is called for those
/// of which anything was measured.
///
/// # Errors
/// The first error of `evaluate`.
pub fn compare<E>(
    study: &Study,
    asked: &[&Scenario],
    measurements: &Measurements,
    mut evaluate: impl FnMut(&Scenario) -> Result<Evaluation, E>,
) -> Result<Comparison, E> {
    let matches = matching::find(study, asked, measurements);
    let mut scenarios = Vec::new();
    let mut missing = Vec::new();
    let mut figures = Figures::default();
    for (&scenario, found) in asked.iter().zip(&matches.of_scenario) {
        missing.extend(found.missing(study, scenario));
        if found.total.is_some() || !found.apps.is_empty() {
            scenarios.push(one_scenario(study, scenario, found, &evaluate(scenario)?, &mut figures));
        }
    }
    let totals = errors::totals(&scenarios);
    let pairs: Vec<(f64, f64)> =
        totals.iter().map(|&(_, predicted, measured)| (predicted, measured)).collect();
    let asked_for: HashSet<&str> = asked.iter().map(|scenario| scenario.name.trim()).collect();
    let aside: HashSet<&str> = study
        .scenarios
        .iter()
        .map(|scenario| scenario.name.trim())
        .filter(|name| !asked_for.contains(name))
        .collect();
    let left_out = measurements.left_out.iter().filter(|left| !aside.contains(left.scenario.as_str()));
    Ok(Comparison {
        totals: errors::of_totals(&scenarios),
        apps: errors::of_apps(&scenarios),
        regret: errors::regret(&totals),
        choices: errors::choices(&scenarios),
        coverage: coverage::coverage(&scenarios),
        kendall_tau_b: statistics::kendall_tau_b(&pairs),
        same_applications: errors::same_applications(&scenarios),
        beside: beside::beside(&figures.totals, &figures.apps),
        missing,
        unmatched: matches.unmatched,
        left_out: left_out.cloned().collect(),
        scenarios,
    })
}

/// What null models are compared on.
#[derive(Default)]
struct Figures {
    totals: Vec<beside::Figure>,
    apps: Vec<beside::Figure>,
}

fn one_scenario(
    study: &Study,
    scenario: &Scenario,
    found: &matching::Found<'_>,
    evaluation: &Evaluation,
    figures: &mut Figures,
) -> ComparedScenario {
    let measured: Vec<(usize, Option<&Measured>)> =
        matching::active(study, scenario).map(|app| (app.0, found.apps.get(&app.0).copied())).collect();
    // A scenario that could be evaluated has its homes decided.
    let nulls = null_models::predict(study, scenario).ok();
    let of_nulls = |app: Option<usize>| {
        let nulls = nulls.as_ref()?;
        Some(NullModel::ALL.map(|null| match app {
            Some(app) => nulls.gflops(null).get(app).map_or(0.0, |gflops| gflops.value()),
            None => nulls.total(null).value(),
        }))
    };
    let apps = measured.iter().filter_map(|&(app, measured)| {
        let result = evaluation.apps.get(app)?;
        let compared = measured.and_then(|measured| {
            let (gflops, gbs) = (result.gflops.value(), result.bandwidth.value());
            errors::compared(gflops, gbs, of_nulls(Some(app)), &measured.repetitions)
        });
        Some(ComparedApp { name: study.apps.get(app)?.name.clone(), compared })
    });
    let all: Option<Vec<&Measured>> = measured.iter().map(|&(_, measured)| measured).collect();
    let repetitions = match found.total {
        Some(total) => total.repetitions.clone(),
        None => all.map(|apps| errors::together(&apps)).unwrap_or_default(),
    };
    let contention = nulls.as_ref().and_then(|nulls| nulls.contention);
    let figure = |app: Option<usize>, model: f64, repetitions: &[Repetition]| {
        Some(beside::Figure {
            scenario: scenario.name.clone(),
            app: app.and_then(|app| Some(study.apps.get(app)?.name.clone())),
            contention,
            measured: repetitions.iter().map(|repetition| repetition.gflops.value()).collect(),
            model,
            nulls: of_nulls(app)?,
        })
    };
    if !repetitions.is_empty() {
        figures.totals.extend(figure(None, evaluation.total.value(), &repetitions));
    }
    figures.apps.extend(measured.iter().filter_map(|&(app, measured)| {
        figure(Some(app), evaluation.apps.get(app)?.gflops.value(), &measured?.repetitions)
    }));
    let bandwidth = evaluation.apps.iter().map(|app| app.bandwidth.value()).sum::<f64>();
    let doubts =
        found.apps.values().copied().chain(found.total).flat_map(|measured| measured.doubts.iter().cloned());
    ComparedScenario {
        name: scenario.name.clone(),
        total: errors::compared(evaluation.total.value(), bandwidth, of_nulls(None), &repetitions),
        apps: apps.collect(),
        doubts: doubts.collect(),
        contention,
    }
}
