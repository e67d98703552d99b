//! Compares predictions with measurements: reads measured CSV files and compares them with a model.
//!
//! [`read_measured`] turns text into values, [`compare`] pairs them with the evaluation of each scenario. The
//! caller chooses the model.

mod beside;
mod comparison;
mod errors;
mod read;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use numasim_model::words::nearest;
use numasim_model::{AppId, Evaluation, Scenario, Study};

pub use crate::compare::beside::{CONTENDED, FEWEST};
pub use crate::compare::comparison::{
    Advantage, Beside, BesideNull, Choice, Compared, ComparedApp, ComparedScenario, Comparison, Contended,
    Coverage, Errors, Held, Mismatch, Missing, Pair, Regret, Share, Spread, Unmatched, Verdict, Way,
};
pub use crate::compare::errors::{MODEL_ERROR, PredictedIntervals, with_model_error};
pub use crate::compare::read::{LeftOut, Measured, Measurements, Repetition, read_measured};
use crate::null_models::{self, NullModel};
use crate::statistics;

/// Compares the scenarios `asked` with the measurements. `evaluate` predicts one scenario; it is called for
/// those with any measurement.
///
/// # Errors
/// The first error of `evaluate`.
pub fn compare<E>(
    study: &Study,
    asked: &[&Scenario],
    measurements: &Measurements,
    mut evaluate: impl FnMut(&Scenario) -> Result<Evaluation, E>,
) -> Result<Comparison, E> {
    let matches = find(study, asked, measurements);
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
        coverage: errors::coverage(&scenarios),
        kendall_tau_b: statistics::kendall_tau_b(&pairs),
        same_applications: errors::same_applications(&scenarios),
        beside: beside::beside(&figures.totals, &figures.apps),
        missing,
        unmatched: matches.unmatched,
        left_out: left_out.cloned().collect(),
        scenarios,
    })
}

/// The values for the comparison of null models.
#[derive(Default)]
struct Figures {
    totals: Vec<beside::Figure>,
    apps: Vec<beside::Figure>,
}

fn one_scenario(
    study: &Study,
    scenario: &Scenario,
    found: &Found<'_>,
    evaluation: &Evaluation,
    figures: &mut Figures,
) -> ComparedScenario {
    let measured: Vec<(usize, Option<&Measured>)> =
        active(study, scenario).map(|app| (app.0, found.apps.get(&app.0).copied())).collect();
    // A scenario that could be evaluated has no open homes.
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

/// Number of measurements for which a similar name is searched: the search costs time, and people do not read
/// more.
const MOST_SUGGESTIONS: usize = 20;

/// The measurements of each scenario.
struct Matches<'m> {
    /// One for each of the requested scenarios.
    of_scenario: Vec<Found<'m>>,
    unmatched: Vec<Unmatched>,
}

/// The measurements of one scenario.
#[derive(Clone, Default)]
struct Found<'m> {
    total: Option<&'m Measured>,
    apps: HashMap<usize, &'m Measured>,
}

impl Found<'_> {
    fn is_empty(&self) -> bool {
        self.total.is_none() && self.apps.is_empty()
    }

    /// The parts of this scenario without a measurement.
    fn missing(&self, study: &Study, scenario: &Scenario) -> Vec<Missing> {
        let missing = |app: Option<String>| Missing { scenario: scenario.name.clone(), app };
        if self.is_empty() {
            return vec![missing(None)];
        }
        if self.apps.is_empty() {
            return Vec::new();
        }
        active(study, scenario)
            .filter(|app| !self.apps.contains_key(&app.0))
            .map(|app| missing(study.apps.get(app.0).map(|app| app.name.clone())))
            .collect()
    }
}

/// The applications that have threads in a scenario.
fn active<'s>(study: &'s Study, scenario: &'s Scenario) -> impl Iterator<Item = AppId> + 's {
    (0..study.apps.len()).map(AppId).filter(|&app| scenario.allocation.total(app) > 0)
}

/// Finds the scenario and application of each measurement. Measurements of scenarios that exist but were not
/// requested are ignored.
fn find<'m>(study: &Study, asked: &[&Scenario], measurements: &'m Measurements) -> Matches<'m> {
    let places: HashMap<&str, usize> =
        asked.iter().enumerate().map(|(place, scenario)| (scenario.name.trim(), place)).collect();
    let known: HashSet<&str> = study.scenarios.iter().map(|scenario| scenario.name.trim()).collect();
    let apps: HashMap<&str, usize> =
        study.apps.iter().enumerate().map(|(place, app)| (app.name.trim(), place)).collect();
    let mut matches = Matches { of_scenario: vec![Found::default(); asked.len()], unmatched: Vec::new() };
    for measured in &measurements.measured {
        let may_suggest = matches.unmatched.len() < MOST_SUGGESTIONS;
        let near = |name: &str, names: &mut dyn Iterator<Item = &str>| {
            may_suggest.then(|| nearest(name, names).map(str::to_owned)).flatten()
        };
        let place = places.get(measured.scenario.as_str());
        let found = match place {
            None if known.contains(measured.scenario.as_str()) => continue,
            None => {
                let mut names = study.scenarios.iter().map(|scenario| scenario.name.as_str());
                Err(Mismatch::UnknownScenario(near(&measured.scenario, &mut names)))
            }
            Some(&place) => which_app(study, &apps, measured, near)
                .and_then(|app| fits(asked[place], app, measured).map(|()| (place, app))),
        };
        match found {
            Ok((place, None)) => matches.of_scenario[place].total = Some(measured),
            Ok((place, Some(app))) => {
                matches.of_scenario[place].apps.insert(app.0, measured);
            }
            Err(why) => matches.unmatched.push(Unmatched {
                scenario: measured.scenario.clone(),
                app: measured.app.clone(),
                line: measured.line,
                why,
            }),
        }
    }
    matches
}

/// The application of a measurement; `Ok(None)` for a whole scenario.
fn which_app(
    study: &Study,
    apps: &HashMap<&str, usize>,
    measured: &Measured,
    near: impl Fn(&str, &mut dyn Iterator<Item = &str>) -> Option<String>,
) -> Result<Option<AppId>, Mismatch> {
    let Some(name) = measured.app.as_deref() else { return Ok(None) };
    if let Some(&app) = apps.get(name) {
        return Ok(Some(AppId(app)));
    }
    let instances: Vec<usize> =
        (0..study.apps.len()).filter(|&app| study.apps[app].group.trim() == name).collect();
    match instances.as_slice() {
        [] => Err(Mismatch::UnknownApp(near(name, &mut study.apps.iter().map(|app| app.name.as_str())))),
        [only] => Ok(Some(AppId(*only))),
        several => {
            Err(Mismatch::SeveralInstances(several.iter().map(|&app| study.apps[app].name.clone()).collect()))
        }
    }
}

/// Checks that the measurement counts and has the threads of the scenario.
fn fits(scenario: &Scenario, app: Option<AppId>, measured: &Measured) -> Result<(), Mismatch> {
    if let Some(app) = app {
        let wanted = scenario.threads(app);
        if wanted.iter().all(|&threads| threads == 0) {
            return Err(Mismatch::NoThreads);
        }
        // A file without threads does not contradict the scenario.
        let nodes = 0..if measured.threads.is_empty() { 0 } else { wanted.len() };
        let others = measured.threads.keys().copied().filter(|&node| node >= wanted.len());
        for node in nodes.chain(others) {
            let wanted = wanted.get(node).copied().unwrap_or(0);
            let found = measured.threads.get(&node).copied().unwrap_or(0);
            if wanted != found {
                let fitted = measured.fitted;
                return Err(Mismatch::OtherThreads { node, measured: found, wanted, fitted });
            }
        }
    }
    if measured.repetitions.is_empty() { Err(Mismatch::NothingCounts) } else { Ok(()) }
}
