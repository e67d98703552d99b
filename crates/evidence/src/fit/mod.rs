//! Values of a machine from measured scenarios, by least squares.
//!
//! # Problem
//! Given measured GFLOPS of scenarios, find the values of chosen keys of the machine (*free* values) with
//! which the model predicts them best. The authors of the paper did that by hand, from one run.
//!
//! # Terminology
//! - **observation**: measured GFLOPS of an application in a scenario, or of a whole scenario.
//! - **error**: (predicted - measured) / measured. All observations have the same weight: the noise of a
//!   benchmark is proportional to the measured value, and a model that is off by 5 % is also off by 5 % in
//!   small scenarios.
//! - **blind**: predicted by a fit that did not see the scenario.
//!
//! # Results
//! 1. The search minimises the sum of squared errors (`search`), over the logarithms of the values.
//! 2. A value gets a number only if the measurements determine it there. A value without any influence, one
//!    that is known only from one side, one that reached the end of the range, and values that only act
//!    together are named instead ([`Estimate`]).
//! 3. The 95 % intervals are those of linear least squares at the lowest point (Student's t, scatter of the
//!    errors). They assume that observations are independent and the model is right: they cover noise, but
//!    not the errors of the model.
//! 4. A fit is not a prediction: its errors are small because it saw the data that it predicts. So each
//!    scenario is left out in turn, and predicted by a fit to the others ([`Blind`]).

mod certainty;
mod file;
mod least_squares;
mod objective;
mod search;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use numasim_model::sharing::Solver;
use numasim_model::{Machine, Scenario, Study};

use crate::compare::{ComparedScenario, Comparison};
use crate::fit::certainty::{Certainties, Certainty};
pub use crate::fit::file::machine_file;
use crate::fit::objective::Objective;
pub use crate::fit::objective::{KeyError, Observed, Parameter, Predict, Prior};
use crate::statistics::WIDEST_REACH;

/// The information of the measurements about a free value.
#[derive(Clone, Debug, PartialEq)]
pub enum Estimate {
    /// They determine it.
    Determined {
        /// The value of the smallest sum of squared errors.
        value: f64,
        /// 95 % interval; `None` if there are no more observations than values.
        interval: Option<(f64, f64)>,
        /// Smallest and largest value when each scenario is left out in turn; `None` if no such fit determines it.
        left_out: Option<(f64, f64)>,
    },
    /// No measurement depends on it.
    NoInfluence,
    /// A lower bound, with the other values as fitted: no measurement depends on larger values, or the
    /// scatter hides it (95 %).
    AtLeast(f64),
    /// An upper bound, with the other values as fitted: no measurement depends on smaller values, or the
    /// scatter hides it (95 %).
    AtMost(f64),
    /// The best value is at an end of the range of the search: with these scenarios the model cannot be
    /// right.
    AtEnd(f64),
    /// Only a combination of it with others is determined, not each separately: the keys of the others.
    Inseparable(Vec<String>),
}

impl Estimate {
    /// The 95 % interval, unless it is so wide ([`WIDEST_REACH`]) that it carries no information.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let Self::Determined { interval, .. } = self else { return None };
        interval.filter(|(low, high)| high / low <= WIDEST_REACH * WIDEST_REACH)
    }
}

/// A free value and its estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Its key.
    pub parameter: Parameter,
    /// The value in the files; `None`: no limit.
    pub before: Option<f64>,
    /// The information of the measurements.
    pub estimate: Estimate,
}

/// A measured value and the prediction of the fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// The measurement.
    pub observed: Observed,
    /// GFLOPS predicted by the fit to all scenarios.
    pub predicted: f64,
    /// The prediction by a fit that did not see this scenario; `None` if there is only one scenario, or none
    /// was left out.
    pub blind: Option<Blind>,
}

/// Absolute errors, relative to the measured values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Number of observations.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub worst: f64,
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The free values, as requested.
    pub figures: Vec<Fitted>,
    /// The machine with the values of the smallest sum of squares. A value without influence is that of the
    /// files.
    pub machine: Machine,
    /// Every observation, scenario by scenario.
    pub residuals: Vec<Residual>,
    /// Errors of the fit itself.
    pub errors: Errors,
    /// Errors of blind predictions; `None` if there is none.
    pub blind_errors: Option<Errors>,
    /// Number of observations less that of determined values.
    pub degrees_of_freedom: usize,
    /// Standard deviation of the errors, from the fit and its degrees of freedom; `None` without any.
    pub scatter: Option<f64>,
}

/// The reason that no fit is possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// There are no measurements.
    #[error("no scenario of the files was measured")]
    NothingMeasured,
    /// No value is free.
    #[error("no figure is free")]
    NothingFree,
    /// A duplicate key.
    #[error("{0} is free twice")]
    Twice(String),
    /// A scenario cannot be predicted.
    #[error("{0}")]
    Prediction(String),
}

impl Fit {
    /// The values that act only together, so that [`Fit::machine`] contains one of many equal choices.
    pub fn inseparable(&self) -> impl Iterator<Item = &Parameter> {
        let together = |fitted: &&Fitted| matches!(fitted.estimate, Estimate::Inseparable(_));
        self.figures.iter().filter(together).map(|fitted| &fitted.parameter)
    }
}

impl Residual {
    /// (predicted - measured) / measured.
    pub fn error(&self) -> f64 {
        (self.predicted - self.observed.gflops) / self.observed.gflops
    }

    /// GFLOPS of the blind prediction, if there is one.
    pub fn blind_gflops(&self) -> Option<f64> {
        match self.blind {
            Some(Blind::Predicted(gflops)) => Some(gflops),
            _ => None,
        }
    }

    /// The error of the blind prediction.
    pub fn blind_error(&self) -> Option<f64> {
        self.blind_gflops().map(|gflops| (gflops - self.observed.gflops) / self.observed.gflops)
    }
}

/// The measurements of a comparison as observations: each application of a scenario, and the whole scenario
/// if an application is missing. Measurements of 0 GFLOPS have no relative error and are omitted.
pub fn observations(study: &Study, comparison: &Comparison) -> Vec<Observed> {
    let mut all = Vec::new();
    let by_name: HashMap<&str, &ComparedScenario> =
        comparison.scenarios.iter().map(|one| (one.name.as_str(), one)).collect();
    let ids: HashMap<&str, usize> =
        study.apps.iter().enumerate().map(|(id, app)| (app.name.as_str(), id)).collect();
    for (place, scenario) in study.scenarios.iter().enumerate() {
        let Some(&compared) = by_name.get(scenario.name.as_str()) else {
            continue;
        };
        let complete = compared.apps.iter().all(|app| app.compared.is_some());
        let total = compared.total.as_ref().filter(|_| !complete || compared.apps.is_empty());
        let apps = compared.apps.iter().filter_map(|app| {
            let &id = ids.get(app.name.as_str())?;
            Some((Some(numasim_model::AppId(id)), app.compared.as_ref()?))
        });
        let measured = apps.chain(total.map(|total| (None, total)));
        all.extend(
            measured
                .map(|(app, one)| Observed { scenario: place, app, gflops: one.gflops.measured.median })
                .filter(|one| one.gflops > 0.0 && one.gflops.is_finite()),
        );
    }
    all
}

/// Fits the free values of the study's machine to the measurements. `predict` is the model. With `blind` each
/// scenario is left out in turn and predicted, which takes most of the time.
///
/// # Errors
/// Every variant of [`FitError`].
pub fn fit(
    study: &Study,
    observed: &[Observed],
    free: &[Parameter],
    blind: bool,
    predict: Predict<'_>,
) -> Result<Fit, FitError> {
    if observed.is_empty() {
        return Err(FitError::NothingMeasured);
    }
    if free.is_empty() {
        return Err(FitError::NothingFree);
    }
    if let Some(twice) = free.iter().enumerate().find(|(place, one)| free[..*place].contains(one)) {
        return Err(FitError::Twice(twice.1.key().to_owned()));
    }
    let mut observed = observed.to_vec();
    observed.sort_by_key(|one| (one.scenario, one.app.map_or(usize::MAX, |app| app.0)));
    let objective = Objective::new(study, free, predict);
    // Reports errors of the scenarios themselves before the search, which would ignore them.
    objective.predicted(&objective.start, &observed).map_err(FitError::Prediction)?;

    let mut point = search::everywhere(&objective, &observed);
    let certainties = certainty::look(&objective, &point, &observed).map_err(FitError::Prediction)?;
    for (p, certainty) in certainties.of.iter().enumerate() {
        if *certainty == Certainty::NoInfluence {
            let mut stayed = point.clone();
            stayed[p] = objective.start[p];
            if objective.cost(&stayed, &observed) <= objective.cost(&point, &observed) {
                point = stayed;
            }
        }
    }
    let left_out = if blind { each_left_out(&objective, &point, &observed) } else { Ok(None) };
    let left_out = left_out.map_err(FitError::Prediction)?;
    let predicted = objective.predicted(&point, &observed).map_err(FitError::Prediction)?;
    let mut blind = left_out.as_ref().map(|left_out| left_out.blind.clone().into_iter());
    let residuals: Vec<Residual> = observed
        .iter()
        .zip(predicted)
        .map(|(&observed, predicted)| {
            let blind = blind.as_mut().and_then(Iterator::next);
            Residual { observed, predicted, blind }
        })
        .collect();
    let ranges = left_out.map_or_else(|| vec![None; free.len()], |left_out| left_out.ranges);
    let values = objective.values(&point);
    let estimate = |p: usize| estimate(free, &certainties, p, values[p], ranges[p]);
    let figures = free.iter().enumerate().map(|(p, parameter)| Fitted {
        before: parameter.value(&study.machine),
        estimate: estimate(p),
        parameter: parameter.clone(),
    });
    Ok(Fit {
        figures: figures.collect(),
        machine: machine(&objective, &values, &certainties).map_err(FitError::Prediction)?,
        errors: errors(residuals.iter().map(Residual::error)).ok_or(FitError::NothingMeasured)?,
        blind_errors: errors(residuals.iter().filter_map(Residual::blind_error)),
        residuals,
        degrees_of_freedom: certainties.degrees_of_freedom,
        scatter: certainties.scatter,
    })
}

/// The machine on which the model predicts the observations best: [`fit`] without certainty and without
/// leaving scenarios out, and from fewer starts. For many small fits. Values without influence are unchanged.
///
/// # Errors
/// Every variant of [`FitError`] but [`FitError::Twice`].
pub fn lowest(
    study: &Study,
    observed: &[Observed],
    free: &[Parameter],
    predict: Predict<'_>,
) -> Result<Machine, FitError> {
    lowest_with(study, observed, free, &[], predict)
}

/// [`lowest`] with priors: values that the observations do not determine become the usual ones, not those of
/// the start of the search.
///
/// # Errors
/// Every variant of [`FitError`] but [`FitError::Twice`].
pub fn lowest_with(
    study: &Study,
    observed: &[Observed],
    free: &[Parameter],
    priors: &[Prior],
    predict: Predict<'_>,
) -> Result<Machine, FitError> {
    if observed.is_empty() {
        return Err(FitError::NothingMeasured);
    }
    if free.is_empty() {
        return Err(FitError::NothingFree);
    }
    let mut observed = observed.to_vec();
    observed.sort_by_key(|one| (one.scenario, one.app.map_or(usize::MAX, |app| app.0)));
    let objective = Objective::new(study, free, predict).with_priors(priors);
    objective.predicted(&objective.start, &observed).map_err(FitError::Prediction)?;
    let point = search::from_a_few(&objective, &observed);
    objective.machine(&point).map_err(FitError::Prediction)
}

/// Observations that a fit did not use, with the predictions of the model on its machine.
///
/// # Errors
/// [`FitError::Prediction`] if a scenario cannot be predicted.
pub fn predict_others(
    study: &Study,
    machine: &Machine,
    observed: &[Observed],
    predict: Predict<'_>,
) -> Result<Vec<Residual>, FitError> {
    let predicted = objective::predicted(study, machine, observed, predict).map_err(FitError::Prediction)?;
    let residual = |(&observed, predicted)| Residual { observed, predicted, blind: None };
    Ok(observed.iter().zip(predicted).map(residual).collect())
}

/// The machine with the values of the search. Values without influence stay as in the files, node by node.
fn machine(objective: &Objective<'_>, values: &[f64], certainties: &Certainties) -> Result<Machine, String> {
    let moved = |p: usize| (values[p].ln() - objective.start[p]).abs() > 1e-9;
    let kept = (0..values.len()).filter(|&p| certainties.of[p] != Certainty::NoInfluence || moved(p));
    let (parameters, values): (Vec<Parameter>, Vec<f64>) =
        kept.map(|p| (objective.parameters[p].clone(), values[p])).unzip();
    objective::machine_with(&objective.study.machine, &parameters, &values).map_err(|error| error.to_string())
}

fn estimate(
    free: &[Parameter],
    certainties: &Certainties,
    p: usize,
    value: f64,
    left_out: Option<(f64, f64)>,
) -> Estimate {
    match &certainties.of[p] {
        Certainty::Determined(error) => {
            let reach =
                error.map(|error| error * crate::statistics::students_t(certainties.degrees_of_freedom));
            let interval = reach.map(|reach| (value * (-reach).exp(), value * reach.exp()));
            Estimate::Determined { value, interval, left_out }
        }
        Certainty::NoInfluence => Estimate::NoInfluence,
        Certainty::AtLeast(bound) => Estimate::AtLeast(bound.exp()),
        Certainty::AtMost(bound) => Estimate::AtMost(bound.exp()),
        Certainty::AtEnd => Estimate::AtEnd(value),
        Certainty::Inseparable(others) => {
            Estimate::Inseparable(others.iter().map(|&other| free[other].key().to_owned()).collect())
        }
    }
}

/// Summary of relative errors; `None` without any.
pub fn errors(errors: impl Iterator<Item = f64>) -> Option<Errors> {
    let absolute: Vec<f64> = errors.map(f64::abs).collect();
    let mean = crate::statistics::mean(&absolute)?;
    Some(Errors { count: absolute.len(), mean, worst: absolute.iter().copied().fold(0.0, f64::max) })
}

/// Predicts with the fast solver of the model.
pub fn by_solver(study: &Study) -> impl Fn(&Machine, &Scenario) -> Result<Vec<f64>, String> + '_ {
    |machine, scenario| {
        let demands = study.demands(scenario).map_err(|open| {
            let app = &study.apps[open.app().0].name;
            format!("scenario '{}': {}", scenario.name, open.said_of(&format!("'{app}'")))
        })?;
        scenario
            .allocation
            .fits(machine)
            .map_err(|error| format!("scenario '{}': {error}", scenario.name))?;
        let solver = Solver::new(machine, &demands);
        let mut workspace = solver.workspace();
        solver.solve(scenario.allocation.rows(machine).as_slice(), &mut workspace);
        if scenario.static_work {
            solver.wait_for_slowest(&mut workspace);
        }
        Ok(workspace.gflops().to_vec())
    }
}

// Leaves each scenario out in turn, fits to the others, and predicts it: shows the value of a fit for
// scenarios without measurements.

/// Up to this number, scenarios are left out one by one; more are left out in this many groups.
const GROUPS: usize = 100;
/// The same if there are more scenarios than a search takes: each fit is then one to a part of the others.
const FEW_GROUPS: usize = 10;

/// A prediction of an observation by a fit that did not see its scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Blind {
    /// Predicted GFLOPS.
    Predicted(f64),
    /// Without its scenario these values of the machine are not determined, by key.
    Undetermined(Vec<String>),
}

/// The result of leaving scenarios out.
struct LeftOut {
    /// For each observation, in order.
    blind: Vec<Blind>,
    /// For each value: smallest and largest estimate among the fits that determine it.
    ranges: Vec<Option<(f64, f64)>>,
}

/// `None` with fewer than two scenarios: none would be left.
fn each_left_out(
    objective: &Objective<'_>,
    best: &[f64],
    observed: &[Observed],
) -> Result<Option<LeftOut>, String> {
    let mut scenarios: Vec<usize> = observed.iter().map(|one| one.scenario).collect();
    scenarios.dedup();
    if scenarios.len() < 2 {
        return Ok(None);
    }
    let groups =
        scenarios.len().min(if scenarios.len() > search::MOST_SCENARIOS { FEW_GROUPS } else { GROUPS });
    let group_of = |one: &Observed| scenarios.binary_search(&one.scenario).unwrap_or_default() % groups;
    let mut blind: Vec<Option<Blind>> = vec![None; observed.len()];
    let mut ranges: Vec<Option<(f64, f64)>> = vec![None; objective.parameters.len()];
    for group in 0..groups {
        let (out, kept): (Vec<Observed>, Vec<Observed>) =
            observed.iter().partition(|one| group_of(one) == group);
        let kept = search::some_of(&kept);
        let point = search::from(objective, &kept, [best.to_vec(), objective.start.clone()]);
        let certainties = certainty::look(objective, &point, &kept)?;
        let determined = |p: usize| matches!(certainties.of[p], Certainty::Determined(_));
        let values = objective.values(&point);
        for (p, range) in ranges.iter_mut().enumerate().filter(|(p, _)| determined(*p)) {
            let (low, high) = range.unwrap_or((values[p], values[p]));
            *range = Some((low.min(values[p]), high.max(values[p])));
        }
        let predicted = objective.predicted(&point, &out)?;
        let slopes = objective.slopes(&point, &out)?;
        let places = (0..observed.len()).filter(|&place| group_of(&observed[place]) == group);
        for (row, place) in places.enumerate() {
            let missing: Vec<String> = (0..objective.parameters.len())
                .filter(|&p| !determined(p) && slopes[p][row].abs() > 1e-4)
                .map(|p| objective.parameters[p].key().to_owned())
                .collect();
            blind[place] = Some(if missing.is_empty() {
                Blind::Predicted(predicted[row])
            } else {
                Blind::Undetermined(missing)
            });
        }
    }
    Ok(blind.into_iter().collect::<Option<Vec<Blind>>>().map(|blind| LeftOut { blind, ranges }))
}
