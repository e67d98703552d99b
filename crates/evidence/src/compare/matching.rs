//! Which measurement belongs to which scenario and application.

use std::collections::{HashMap, HashSet};

use numasim_model::{AppId, Scenario, Study};

use super::comparison::{Mismatch, Missing, Unmatched};
use super::read::{Measured, Measurements};
use numasim_model::words::nearest;

/// For so many measurements a near name is looked for: it costs time, and nobody reads more.
const MOST_SUGGESTIONS: usize = 20;

/// The measurements of each scenario.
pub(super) struct Matches<'m> {
    /// One for each of the scenarios that were asked for.
    pub(super) of_scenario: Vec<Found<'m>>,
    pub(super) unmatched: Vec<Unmatched>,
}

/// The measurements of one scenario.
#[derive(Clone, Default)]
pub(super) struct Found<'m> {
    pub(super) total: Option<&'m Measured>,
    pub(super) apps: HashMap<usize, &'m Measured>,
}

impl Found<'_> {
    fn is_empty(&self) -> bool {
        self.total.is_none() && self.apps.is_empty()
    }

    /// What of this scenario was not measured.
    pub(super) fn missing(&self, study: &Study, scenario: &Scenario) -> Vec<Missing> {
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
pub(super) fn active<'s>(study: &'s Study, scenario: &'s Scenario) -> impl Iterator<Item = AppId> + 's {
    (0..study.apps.len()).map(AppId).filter(|&app| scenario.allocation.total(app) > 0)
}

/// Finds the scenario and application of each measurement. Those of scenarios that exist and were not asked for are
/// left aside.
pub(super) fn find<'m>(study: &Study, asked: &[&Scenario], measurements: &'m Measurements) -> Matches<'m> {
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

/// The measurement counts, and is one of the threads that the scenario has.
fn fits(scenario: &Scenario, app: Option<AppId>, measured: &Measured) -> Result<(), Mismatch> {
    if let Some(app) = app {
        let wanted = scenario.allocation.row(app);
        if wanted.iter().all(|&threads| threads == 0) {
            return Err(Mismatch::NoThreads);
        }
        // A file without threads says nothing against the scenario.
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
