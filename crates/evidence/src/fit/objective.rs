//! What a fit makes small: relative errors of predicted GFLOPS as a function of the free figures.

use numasim_model::{AppId, Machine, Scenario, Study};

use super::least_squares::{Columns, dot};
use super::parameter::{Parameter, machine_with};

/// Predicts the GFLOPS of each application of a scenario on a machine, or says why it cannot.
pub type Predict<'a> = &'a dyn Fn(&Machine, &Scenario) -> Result<Vec<f64>, String>;

/// A measured figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Place of the scenario in the study.
    pub scenario: usize,
    /// The application; `None`: all of them together.
    pub app: Option<AppId>,
    /// Measured GFLOPS, above 0: the median over repetitions.
    pub gflops: f64,
}

/// The search stays within this factor of where it begins, up and down.
pub(super) const RANGE: f64 = 1000.0;

/// Weight of the wish to stay where the file has a figure, on the logarithm. It decides only where the measurements do
/// not: a figure that changes a prediction by 0.01 % when it grows by a factor of e is moved by it by 0.01 %.
const STAY: f64 = 1e-6;

/// A wish about a free figure, from what is known of others of its kind: it weighs as an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Place of the figure among the free ones.
    pub place: usize,
    /// What it usually is, in its unit, above 0.
    pub value: f64,
    /// The relative error of an observation that weighs as much as a figure off by a factor of e.
    pub weight: f64,
}

/// Where the logarithm of a figure is drawn to, and how strongly.
#[derive(Clone, Copy, Debug)]
struct Wish {
    at: f64,
    weight: f64,
}

/// Step of central differences, on the logarithm.
const STEP: f64 = 1e-6;

/// The free figures, as natural logarithms: positive by construction, and steps are relative.
pub(super) struct Objective<'a> {
    pub(super) study: &'a Study,
    pub(super) parameters: &'a [Parameter],
    pub(super) predict: Predict<'a>,
    /// Where the search begins: what the file says.
    pub(super) start: Vec<f64>,
    /// Of each figure: to stay, or its prior.
    wishes: Vec<Wish>,
}

impl<'a> Objective<'a> {
    pub(super) fn new(study: &'a Study, parameters: &'a [Parameter], predict: Predict<'a>) -> Self {
        let start: Vec<f64> =
            parameters.iter().map(|parameter| parameter.first_guess(&study.machine).ln()).collect();
        let wishes = start.iter().map(|&at| Wish { at, weight: STAY }).collect();
        Self { study, parameters, predict, start, wishes }
    }

    /// The same with these wishes; those about no figure say nothing.
    pub(super) fn with_priors(mut self, priors: &[Prior]) -> Self {
        for prior in priors {
            if let Some(wish) = self.wishes.get_mut(prior.place) {
                *wish = Wish { at: prior.value.ln(), weight: prior.weight };
            }
        }
        self
    }

    /// Values of the figures at a point, kept inside of the range of the search.
    pub(super) fn values(&self, point: &[f64]) -> Vec<f64> {
        let reach = RANGE.ln();
        let inside = |(&at, &start): (&f64, &f64)| at.clamp(start - reach, start + reach).exp();
        point.iter().zip(self.start.iter()).map(inside).collect()
    }

    /// The figure is at the end of the range.
    pub(super) fn at_end(&self, point: &[f64], parameter: usize) -> bool {
        (point[parameter] - self.start[parameter]).abs() > RANGE.ln() - 1e-3
    }

    pub(super) fn machine(&self, point: &[f64]) -> Result<Machine, String> {
        machine_with(&self.study.machine, self.parameters, &self.values(point))
            .map_err(|error| error.to_string())
    }

    /// Predicted GFLOPS of each observation.
    pub(super) fn predicted(&self, point: &[f64], observed: &[Observed]) -> Result<Vec<f64>, String> {
        predicted(self.study, &self.machine(point)?, observed, self.predict)
    }

    /// (predicted - measured) / measured of each observation.
    pub(super) fn errors(&self, point: &[f64], observed: &[Observed]) -> Result<Vec<f64>, String> {
        let predicted = self.predicted(point, observed)?;
        let error = |(predicted, one): (&f64, &Observed)| (predicted - one.gflops) / one.gflops;
        Ok(predicted.iter().zip(observed).map(error).collect())
    }

    /// Change of each error for a change of each logarithm: central differences.
    pub(super) fn slopes(&self, point: &[f64], observed: &[Observed]) -> Result<Columns, String> {
        let column = |p: usize| {
            let (mut above, mut below) = (point.to_vec(), point.to_vec());
            above[p] += STEP;
            below[p] -= STEP;
            let rise = self.errors(&above, observed)?.into_iter().zip(self.errors(&below, observed)?);
            Ok(rise.map(|(above, below)| (above - below) / (2.0 * STEP)).collect())
        };
        (0..self.parameters.len()).map(column).collect()
    }

    /// What the optimiser sees: the errors, and below them the wishes.
    pub(super) fn residuals(&self, point: &[f64], observed: &[Observed]) -> Option<Vec<f64>> {
        let mut all = self.errors(point, observed).ok()?;
        all.extend(point.iter().zip(&self.wishes).map(|(at, wish)| (at - wish.at) * wish.weight));
        Some(all)
    }

    /// Derivatives of [`Objective::residuals`].
    pub(super) fn jacobian(&self, point: &[f64], observed: &[Observed]) -> Option<Columns> {
        let mut all = self.slopes(point, observed).ok()?;
        for (p, column) in all.iter_mut().enumerate() {
            let of_wish = |(q, wish): (usize, &Wish)| if p == q { wish.weight } else { 0.0 };
            column.extend(self.wishes.iter().enumerate().map(of_wish));
        }
        Some(all)
    }

    /// Half the sum that is made small; infinite where nothing can be predicted.
    pub(super) fn cost(&self, point: &[f64], observed: &[Observed]) -> f64 {
        let cost = self.residuals(point, observed).map_or(f64::INFINITY, |all| 0.5 * dot(&all, &all));
        if cost.is_nan() { f64::INFINITY } else { cost }
    }
}

/// Predicted GFLOPS of each observation. Those of a scenario stand together, so that it is predicted once.
pub(super) fn predicted(
    study: &Study,
    machine: &Machine,
    observed: &[Observed],
    predict: Predict<'_>,
) -> Result<Vec<f64>, String> {
    let mut all = Vec::with_capacity(observed.len());
    for group in observed.chunk_by(|a, b| a.scenario == b.scenario) {
        let scenario = group.first().and_then(|first| study.scenarios.get(first.scenario));
        let scenario = scenario.ok_or("there is no such scenario")?;
        let apps = predict(machine, scenario)?;
        all.extend(group.iter().map(|one| match one.app {
            Some(app) => apps.get(app.0).copied().unwrap_or_default(),
            None => apps.iter().sum(),
        }));
    }
    Ok(all)
}
