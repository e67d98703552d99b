//! Fit: values of a machine from measured scenarios.

use std::collections::HashSet;
use std::sync::Arc;

use numasim_course::Study;
use numasim_evidence::fit::{self as evidence, Blind, Estimate, FitError, Observed, Parameter, Residual};
use numasim_model::{Machine, Scenario};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::{Measured, nothing_measured, predicted, warnings};
use crate::document::{StudyHead, plain, written_as};
use crate::evaluate::wanted;
use crate::refusal::Refusal;
use crate::table::{self, Of};
use crate::{Input, suggest};

/// A question to [`fit`].
#[derive(Clone, Copy, Debug)]
pub struct Fit<'a> {
    /// The files.
    pub input: &'a Input,
    /// Names of the scenarios to use; all if it is empty. The other measured scenarios are predicted.
    pub scenarios: &'a [String],
    /// The measurements.
    pub measured: &'a Measured,
    /// The values to determine.
    pub free: &'a [Parameter],
}

/// Values of a machine that were determined from measurements.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The files.
    pub study: Arc<Study>,
    /// Name of the measured file.
    pub measured: String,
    /// The values, and how well they explain the measurements.
    pub fit: evidence::Fit,
    /// Measured scenarios that the fit did not use, predicted on its machine.
    pub others: Vec<Residual>,
    /// Measurements that are left out.
    pub warnings: Vec<String>,
}

written_as!(Fitted => Document);

/// The values of a machine with these keys.
///
/// # Errors
/// A key that the machine does not have, or that cannot be fitted.
pub fn free(machine: &Machine, keys: &[String]) -> Result<Vec<Parameter>, Refusal> {
    let read = |key: &String| {
        Parameter::read(machine, key)
            .map_err(|error| Refusal::said(format!("--free {key}: {error}")).hint(error.hint))
    };
    keys.iter().map(read).collect()
}

/// The values with which the model predicts the measurements best.
///
/// ```
/// use numasim_ask::compare::Measured;
/// use numasim_ask::fit::{Fit, fit, free};
/// use numasim_study::SourceFile;
///
/// let input = numasim_ask::Input::read(&[("two.toml", numasim_ask::EXAMPLE)])?;
/// // 4 threads of `stream` at 0.5 FLOP for each byte: as if their node delivered 30 GB/s.
/// let text = "scenario,app,gflops\napart,stream,15.0\n".to_owned();
/// let measured = Measured::read(SourceFile { name: "measured.csv".to_owned(), text })?;
/// let free = free(&input.study.machine, &["bandwidth_gbs".to_owned()])?;
/// let fitted = fit(&Fit { input: &input, scenarios: &[], measured: &measured, free: &free })?;
/// assert!(fitted.csv().contains("figure,bandwidth_gbs,GB/s,determined,32,30"));
/// # Ok::<(), numasim_ask::Refusal>(())
/// ```
///
/// # Errors
/// Unknown names, scenarios that cannot be evaluated, no measurements, or a key that is named twice.
pub fn fit(question: &Fit<'_>) -> Result<Fitted, Refusal> {
    let Fit { input, measured, free, .. } = *question;
    let study = &input.study;
    let asked = wanted(study, question.scenarios)?;
    let all: Vec<&Scenario> = study.scenarios.iter().collect();
    let mut comparison = predicted(input, &all, measured)?;
    let asked_for: HashSet<&str> = asked.iter().map(|asked| asked.name.as_str()).collect();
    comparison.missing.retain(|one| asked_for.contains(one.scenario.as_str()));
    let is_asked = |one: &Observed| asked_for.contains(study.scenarios[one.scenario].name.as_str());
    let (used, others): (Vec<Observed>, Vec<Observed>) =
        evidence::observations(study, &comparison).into_iter().partition(is_asked);
    if used.is_empty() {
        let message =
            format!("{} has no measurement above 0 GFLOPS of any of these scenarios", measured.name);
        return Err(nothing_measured(message, &comparison, &asked, &measured.name));
    }
    let predict = evidence::by_solver(study);
    let fit = evidence::fit(study, &used, free, true, &predict).map_err(refused)?;
    let others = evidence::predict_others(study, &fit.machine, &others, &predict).map_err(refused)?;
    let warnings = warnings(&comparison, &measured.name);
    Ok(Fitted { study: Arc::clone(study), measured: measured.name.clone(), fit, others, warnings })
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn refused(error: FitError) -> Refusal {
    let refusal = Refusal::said(error.to_string());
    match error {
        FitError::Twice(_) => refusal.hint("name each figure once after --free"),
        _ => refusal,
    }
}

impl Fitted {
    /// The name of the scenario of an observation.
    pub fn scenario(&self, residual: &Residual) -> &str {
        self.study.scenarios.get(residual.observed.scenario).map_or("", |scenario| scenario.name.as_str())
    }

    /// The name of the application; `None` for a whole scenario.
    pub fn app(&self, residual: &Residual) -> Option<&str> {
        residual.observed.app.and_then(|app| self.study.apps.get(app.0)).map(|app| app.name.as_str())
    }

    /// Errors of the scenarios that the fit did not use; `None` if there are none.
    pub fn errors_of_others(&self) -> Option<evidence::Errors> {
        evidence::errors(self.others.iter().map(Residual::error))
    }

    /// The machine with the determined values, as a file.
    ///
    /// # Errors
    /// A file contains one value per key, so values of which only a combination is known cannot be written.
    pub fn machine_file(&self) -> Result<String, Refusal> {
        let together: Vec<&str> = self.fit.inseparable().map(Parameter::key).collect();
        if !together.is_empty() {
            return Err(Refusal::said(format!(
                "no machine file was written: the measurements determine only a combination of {}",
                suggest::list(&together)
            ))
            .hint("free fewer of them, or measure scenarios on which they act differently"));
        }
        let keys: Vec<&str> = self.fit.figures.iter().map(|fitted| fitted.parameter.key()).collect();
        let origin = format!("numasim fit of {} to {}", keys.join(", "), self.measured);
        Ok(evidence::machine_file(&self.study.machine, &self.fit, &origin))
    }

    /// A row for each free value (`kind` is `figure`) and one for each measured value: `fitted`, or `predicted` if the fit did not use
    /// the scenario. Columns of the other kind are empty; numbers are not rounded.
    pub fn csv(&self) -> String {
        let Document { figures, observations, .. } = Document::from(self);
        let figures =
            figures.into_iter().map(|one| Row { kind: "figure", figure: Some(one), measured: None });
        let measured = observations.into_iter().map(|one| {
            let kind = if one.used { "fitted" } else { "predicted" };
            Row { kind, figure: None, measured: Some(one) }
        });
        table::csv(&Row::columns(), figures.chain(measured))
    }
}

/// A row of the CSV.
struct Row<'a> {
    kind: &'static str,
    figure: Option<Figure<'a>>,
    measured: Option<Observation<'a>>,
}

impl<'a> Row<'a> {
    fn columns() -> [Of<'a, Self>; 17] {
        let word = |name, of: fn(&Figure<'a>) -> &'a str| {
            Of::text(name, move |row: &Self| row.figure.as_ref().map(of))
        };
        let figure = |name, of: fn(&Figure<'a>) -> Option<f64>| {
            Of::number(name, move |row: &Self| row.figure.as_ref().and_then(of))
        };
        let measured = |name, of: fn(&Observation<'a>) -> f64| {
            Of::number(name, move |row: &Self| row.measured.as_ref().map(of))
        };
        let left_out = |name, of: fn(&Observation<'a>) -> Option<f64>| {
            Of::number(name, move |row: &Self| row.measured.as_ref().and_then(of))
        };
        [
            Of::text("kind", |row: &Self| row.kind),
            word("figure", |one| one.key),
            word("unit", |one| one.unit),
            word("status", |one| one.status),
            figure("before", |one| one.before),
            figure("value", |one| one.value),
            figure("ci95_low", |one| one.ci95_low),
            figure("ci95_high", |one| one.ci95_high),
            figure("left_out_min", |one| one.left_out_min),
            figure("left_out_max", |one| one.left_out_max),
            Of::text("scenario", |row: &Self| row.measured.as_ref().map(|one| one.scenario)),
            Of::text("app", |row: &Self| row.measured.as_ref().and_then(|one| one.app)),
            measured("measured_gflops", |one| one.measured_gflops),
            measured("predicted_gflops", |one| one.predicted_gflops),
            measured("error", |one| one.error),
            left_out("left_out_gflops", |one| one.left_out_gflops),
            left_out("left_out_error", |one| one.left_out_error),
        ]
    }
}

/// The values of a machine with which the model predicts the measurements best. Errors are fractions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Document<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// The file of the measurements.
    measured: &'a str,
    /// Each free value.
    figures: Vec<Figure<'a>>,
    /// Errors over all measurements.
    summary: Summary,
    /// Each measured value.
    observations: Vec<Observation<'a>>,
}

/// A free value.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Figure<'a> {
    /// Its key.
    key: &'a str,
    /// Its unit.
    unit: &'static str,
    /// The value in the files.
    before: Option<f64>,
    /// How far the measurements determine it, as a stable word.
    status: &'static str,
    /// The value, which may also be only a bound, as the status shows.
    value: Option<f64>,
    /// Lower end of the 95 % interval.
    ci95_low: Option<f64>,
    /// Upper end of the 95 % interval.
    ci95_high: Option<f64>,
    /// The smallest value if each scenario is left out in turn.
    left_out_min: Option<f64>,
    /// The largest value if each scenario is left out in turn.
    left_out_max: Option<f64>,
    /// Keys of the values that it cannot be separated from, if only a combination is known.
    inseparable_from: &'a [String],
}

/// Errors over all measurements.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Summary {
    /// Errors of the fit.
    fit: Errors,
    /// Errors if each scenario is left out of the fit and predicted.
    left_out: Option<Errors>,
    /// Errors of the scenarios that the fit did not use.
    not_used: Option<Errors>,
    /// Number of measured values minus number of determined ones.
    degrees_of_freedom: u64,
    /// Standard deviation of the errors of the fit.
    scatter: Option<f64>,
}

/// Absolute relative errors, 0.01 being 1 %.
#[allow(clippy::struct_field_names, reason = "the keys of the document")]
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Errors {
    /// Number of errors.
    count: u64,
    /// Their mean.
    mean_absolute_error: f64,
    /// The largest error.
    worst_absolute_error: f64,
}

/// A measured value and its prediction by the fitted model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Observation<'a> {
    /// The scenario.
    scenario: &'a str,
    /// The application; null for the whole scenario.
    app: Option<&'a str>,
    /// Whether the fit used it.
    used: bool,
    /// Measured value, in GFLOPS.
    measured_gflops: f64,
    /// Value predicted by the fit, in GFLOPS.
    predicted_gflops: f64,
    /// Error of the prediction, relative to the measured value.
    error: f64,
    /// Prediction by a fit without this scenario.
    left_out_gflops: Option<f64>,
    /// Error of that prediction.
    left_out_error: Option<f64>,
    /// Keys of the values that cannot be determined without this scenario.
    left_out_undetermined: &'a [String],
}

impl<'a> From<&'a Fitted> for Document<'a> {
    /// Numbers are not rounded.
    fn from(fitted: &'a Fitted) -> Self {
        let fit = &fitted.fit;
        let used = fit.residuals.iter().map(|one| observation(fitted, one, true));
        let predicted = fitted.others.iter().map(|one| observation(fitted, one, false));
        Self {
            head: StudyHead::of("fit", &fitted.study.machine),
            measured: &fitted.measured,
            figures: fit.figures.iter().map(figure).collect(),
            summary: Summary {
                fit: errors(fit.errors),
                left_out: fit.blind_errors.map(errors),
                not_used: fitted.errors_of_others().map(errors),
                degrees_of_freedom: fit.degrees_of_freedom as u64,
                scatter: fit.scatter.map(plain),
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
        before: fitted.before.map(plain),
        status,
        value: value.map(plain),
        ci95_low: interval.map(|(low, _)| low).map(plain),
        ci95_high: interval.map(|(_, high)| high).map(plain),
        left_out_min: left_out.map(|(low, _)| low).map(plain),
        left_out_max: left_out.map(|(_, high)| high).map(plain),
        inseparable_from: match &fitted.estimate {
            Estimate::Inseparable(others) => others,
            _ => &[],
        },
    }
}

fn errors(errors: evidence::Errors) -> Errors {
    Errors {
        count: errors.count as u64,
        mean_absolute_error: plain(errors.mean),
        worst_absolute_error: plain(errors.worst),
    }
}

fn observation<'a>(fitted: &'a Fitted, one: &'a Residual, used: bool) -> Observation<'a> {
    Observation {
        scenario: fitted.scenario(one),
        app: fitted.app(one),
        used,
        measured_gflops: plain(one.observed.gflops),
        predicted_gflops: plain(one.predicted),
        error: plain(one.error()),
        left_out_gflops: one.blind_gflops().map(plain),
        left_out_error: one.blind_error().map(plain),
        left_out_undetermined: match &one.blind {
            Some(Blind::Undetermined(keys)) => keys,
            _ => &[],
        },
    }
}
