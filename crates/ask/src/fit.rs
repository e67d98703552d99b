//! `fit`: figures of a machine from measured scenarios, as a document.

use numasim_evidence::fit::{self as evidence, Blind, Estimate, Fit, Residual};
use numasim_model::Study;
use serde::Serialize;

use crate::values::{Number, OrNull};

/// A fit with what went into it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The files.
    pub study: &'a Study,
    /// Name of the model.
    pub model: &'a str,
    /// Name of the measured file.
    pub measured: &'a str,
    /// The fit.
    pub fit: &'a Fit,
    /// Measured scenarios that it did not use, predicted on its machine.
    pub others: &'a [Residual],
}

impl<'a> View<'a> {
    /// The name of the scenario of an observation.
    pub fn scenario(&self, residual: &Residual) -> &'a str {
        self.study.scenarios.get(residual.observed.scenario).map_or("", |scenario| scenario.name.as_str())
    }

    /// The name of the application; `None` for a whole scenario.
    pub fn app(&self, residual: &Residual) -> Option<&'a str> {
        residual.observed.app.and_then(|app| self.study.apps.get(app.0)).map(|app| app.name.as_str())
    }
}

/// The figures of a machine with which the model predicts measurements best. Errors are fractions.
#[derive(Serialize)]
pub struct Fitted<'a> {
    schema: u64,
    command: &'static str,
    machine: &'a str,
    model: &'a str,
    measured: &'a str,
    /// Each free figure.
    pub figures: Vec<Figure<'a>>,
    summary: Summary,
    /// Each measured figure.
    pub observations: Vec<Observation<'a>>,
}

/// A free figure.
#[derive(Serialize)]
pub struct Figure<'a> {
    /// Its key.
    pub key: &'a str,
    /// Its unit.
    pub unit: &'static str,
    /// What the files say.
    pub before: OrNull<Number>,
    /// What the measurements say of it, as a stable word.
    pub status: &'static str,
    /// The value: also where only a bound is known, which the status says.
    pub value: OrNull<Number>,
    /// Interval of 95 %.
    pub ci95_low: OrNull<Number>,
    /// Its other end.
    pub ci95_high: OrNull<Number>,
    /// The smallest value when each scenario is left out in turn.
    pub left_out_min: OrNull<Number>,
    /// The largest.
    pub left_out_max: OrNull<Number>,
    inseparable_from: &'a [String],
}

#[derive(Serialize)]
struct Summary {
    fit: Errors,
    left_out: Option<Errors>,
    not_used: Option<Errors>,
    degrees_of_freedom: usize,
    scatter: OrNull<Number>,
}

#[derive(Serialize)]
struct Errors {
    count: usize,
    mean_absolute_error: Number,
    worst_absolute_error: Number,
}

/// A measured figure and what the fitted model says of it.
#[derive(Serialize)]
pub struct Observation<'a> {
    /// The scenario.
    pub scenario: &'a str,
    /// The application; `None` is the whole scenario.
    pub app: Option<&'a str>,
    /// Whether the fit used it.
    pub used: bool,
    /// Measured.
    pub measured_gflops: Number,
    /// By the fit.
    pub predicted_gflops: Number,
    /// Of that, relative to the measured value.
    pub error: Number,
    /// By a fit that did not see this scenario.
    pub left_out_gflops: OrNull<Number>,
    /// Its error.
    pub left_out_error: OrNull<Number>,
    left_out_undetermined: &'a [String],
}

impl<'a> Fitted<'a> {
    /// The document of a fit. Numbers are not rounded.
    pub fn new(view: &View<'a>) -> Self {
        let fit = view.fit;
        let used = fit.residuals.iter().map(|one| observation(view, one, true));
        let predicted = view.others.iter().map(|one| observation(view, one, false));
        Self {
            schema: 1,
            command: "fit",
            machine: view.study.machine.name(),
            model: view.model,
            measured: view.measured,
            figures: fit.figures.iter().map(figure).collect(),
            summary: Summary {
                fit: errors(fit.errors),
                left_out: fit.blind_errors.map(errors),
                not_used: evidence::errors(view.others.iter().map(Residual::error)).map(errors),
                degrees_of_freedom: fit.degrees_of_freedom,
                scatter: fit.scatter.into(),
            },
            observations: used.chain(predicted).collect(),
        }
    }
}

fn figure(fitted: &evidence::Fitted) -> Figure<'_> {
    let (status, value, interval, left_out) = match fitted.estimate {
        Estimate::Determined { value, interval, left_out } => ("determined", Some(value), interval, left_out),
        Estimate::NoInfluence => ("no-influence", None, None, None),
        Estimate::AtLeast(value) => ("at-least", Some(value), None, None),
        Estimate::AtMost(value) => ("at-most", Some(value), None, None),
        Estimate::AtEnd(value) => ("at-end-of-range", Some(value), None, None),
        Estimate::Inseparable(_) => ("inseparable", None, None, None),
    };
    Figure {
        key: fitted.parameter.key(),
        unit: fitted.parameter.unit(),
        before: fitted.before.into(),
        status,
        value: value.into(),
        ci95_low: interval.map(|(low, _)| low).into(),
        ci95_high: interval.map(|(_, high)| high).into(),
        left_out_min: left_out.map(|(low, _)| low).into(),
        left_out_max: left_out.map(|(_, high)| high).into(),
        inseparable_from: match &fitted.estimate {
            Estimate::Inseparable(others) => others,
            _ => &[],
        },
    }
}

fn errors(errors: evidence::Errors) -> Errors {
    Errors {
        count: errors.count,
        mean_absolute_error: Number(errors.mean),
        worst_absolute_error: Number(errors.worst),
    }
}

fn observation<'a>(view: &View<'a>, one: &'a Residual, used: bool) -> Observation<'a> {
    Observation {
        scenario: view.scenario(one),
        app: view.app(one),
        used,
        measured_gflops: Number(one.observed.gflops),
        predicted_gflops: Number(one.predicted),
        error: Number(one.error()),
        left_out_gflops: one.blind_gflops().into(),
        left_out_error: one.blind_error().into(),
        left_out_undetermined: match &one.blind {
            Some(Blind::Undetermined(keys)) => keys,
            _ => &[],
        },
    }
}
