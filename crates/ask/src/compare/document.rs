//! The document of `compare`.

use std::collections::BTreeMap;

use numasim_evidence::compare::{
    self as evidence, BesideNull, CONTENDED, Comparison, Mismatch, Verdict, Way,
};
use numasim_evidence::null_models::NullModel as Null;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Compared;
use super::words::{PROMISED, WAYS, reason, standing};
use crate::document::{StudyHead, plain, value, written_as};

written_as!(Compared => Document);

/// Predictions compared with measurements. An error is predicted / measured - 1.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// The file of the measurements.
    measured: &'a str,
    /// Errors over all scenarios and applications.
    summary: Summary<'a>,
    /// Predictions of the null models.
    null_models: Vec<NullModel>,
    /// Verdict of the scenarios with contended memories or links.
    sharing: Sharing,
    /// Each scenario.
    scenarios: Vec<Scenario<'a>>,
    /// Scenarios and applications that were not measured.
    missing: Vec<Missing<'a>>,
    /// Measured scenarios and applications that are not in the files.
    unmatched: Vec<Unmatched<'a>>,
    /// Measured rows that are left out.
    left_out: Vec<LeftOut<'a>>,
    /// Coverage of the 95 % intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

/// Errors over all scenarios and applications.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Summary<'a> {
    /// Errors of whole scenarios.
    totals: Option<Errors<'a>>,
    /// Errors of applications.
    apps: Option<Errors<'a>>,
    /// Rank correlation of the scenarios, from -1 (the opposite order) to 1 (the measured order).
    kendall_tau_b: Option<f64>,
    /// Regret of the model's choice.
    regret: Option<Regret<'a>>,
    /// The same among scenarios with the same applications.
    regret_by_applications: Vec<RegretOf<'a>>,
}

/// Relative errors, 0.01 being 1 %.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Errors<'a> {
    /// Number of errors.
    count: u64,
    /// Mean error with sign.
    mean_signed_error: f64,
    /// Mean absolute error.
    mean_absolute_error: f64,
    /// Median absolute error.
    median_absolute_error: f64,
    /// 95th percentile of the absolute error.
    p95_absolute_error: f64,
    /// The largest absolute error.
    worst_absolute_error: f64,
    /// The scenario with the largest error.
    worst_scenario: &'a str,
    /// Its application; null for an error of the whole scenario.
    worst_app: Option<&'a str>,
}

/// Declares a type with the loss from choosing the scenario that the model prefers.
macro_rules! regret {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $key:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Serialize)]
        #[cfg_attr(feature = "schema", derive(JsonSchema))]
        struct $name<'a> {
            /// 1 - preferred / best, as measured.
            regret: f64,
            /// The scenario that the model prefers.
            preferred: &'a str,
            /// Its measured GFLOPS.
            preferred_measured_gflops: f64,
            /// The scenario with the best measurement.
            best: &'a str,
            /// Its measured GFLOPS.
            best_measured_gflops: f64,
            $($(#[$of])* $key: $type,)*
        }

        impl<'a> $name<'a> {
            fn new(regret: &'a evidence::Regret, $($key: $type,)*) -> Self {
                Self {
                    regret: plain(regret.relative),
                    preferred: &regret.preferred,
                    preferred_measured_gflops: plain(regret.preferred_gflops),
                    best: &regret.best,
                    best_measured_gflops: plain(regret.best_gflops),
                    $($key,)*
                }
            }
        }
    };
}

regret! {
    /// The loss from choosing the scenario that the model prefers.
    Regret {}
}

regret! {
    /// The loss among scenarios with the same applications.
    RegretOf {
        /// The applications.
        apps: &'a [String],
        /// Number of scenarios with these applications.
        scenarios: u64,
    }
}

/// A baseline model that ignores sharing, on the same data.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct NullModel {
    /// `no-sharing` or `equal-parts`.
    name: &'static str,
    /// Mean absolute relative error of scenarios.
    mean: Option<f64>,
    /// The largest of them.
    worst: Option<f64>,
    /// Number of scenarios.
    count: u64,
    /// Mean absolute relative error of applications.
    apps_mean: Option<f64>,
    /// The largest of them.
    apps_worst: Option<f64>,
    /// Mean reduction of the error by the model.
    model_smaller_by: Option<f64>,
    /// 95 % interval of the reduction (paired bootstrap).
    model_smaller_by_ci95: Option<[f64; 2]>,
    /// Verdict on the model, as a stable word.
    model_is: &'static str,
}

/// Verdict of contended scenarios.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Sharing {
    /// A stable word.
    verdict: &'static str,
    /// From this value on a scenario counts as contended: demand / capacity.
    least_contention: f64,
    /// Number of contended scenarios.
    contended_scenarios: u64,
    /// The highest contention: demand / capacity.
    highest_contention: Option<f64>,
    /// Mean absolute relative error of the model in contended scenarios.
    mean: Option<f64>,
    /// The largest of them.
    worst: Option<f64>,
    /// The null models in contended scenarios.
    null_models: Vec<NullModel>,
}

/// Declares a type with the values of a scenario or an application.
macro_rules! compared {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $key:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Serialize)]
        #[cfg_attr(feature = "schema", derive(JsonSchema))]
        struct $name<'a> {
            /// Its name.
            name: &'a str,
            /// Number of repetitions.
            repetitions: Option<u64>,
            /// Predicted value, in GFLOPS.
            predicted_gflops: Option<f64>,
            /// Median of the measurements, in GFLOPS.
            measured_gflops: Option<f64>,
            /// Minimum of the measurements, in GFLOPS.
            measured_gflops_min: Option<f64>,
            /// Maximum of the measurements, in GFLOPS.
            measured_gflops_max: Option<f64>,
            /// Lower end of the 95 % interval of the median, in GFLOPS.
            measured_gflops_ci95_low: Option<f64>,
            /// Upper end of the interval, in GFLOPS.
            measured_gflops_ci95_high: Option<f64>,
            /// (max - min) / median.
            spread: Option<f64>,
            /// Predicted / measured - 1.
            error: Option<f64>,
            /// Predicted value, in GB/s.
            predicted_bandwidth_gbs: Option<f64>,
            /// Median of the measurements, in GB/s.
            measured_bandwidth_gbs: Option<f64>,
            /// Minimum of the measurements, in GB/s.
            measured_bandwidth_gbs_min: Option<f64>,
            /// Maximum of the measurements, in GB/s.
            measured_bandwidth_gbs_max: Option<f64>,
            /// Predicted / measured - 1 for the bandwidth.
            bandwidth_error: Option<f64>,
            /// Lower end of the 95 % interval of the prediction, in GFLOPS.
            #[serde(skip_serializing_if = "Option::is_none")]
            predicted_gflops_ci95_low: Option<f64>,
            /// Upper end of the interval, in GFLOPS.
            #[serde(skip_serializing_if = "Option::is_none")]
            predicted_gflops_ci95_high: Option<f64>,
            $($(#[$of])* $key: $type,)*
        }

        impl<'a> $name<'a> {
            /// All values are null without a measurement.
            fn new(name: &'a str, compared: Option<&evidence::Compared>, $($key: $type,)*) -> Self {
                let gflops = compared.map(|compared| &compared.gflops);
                let gbs = compared.and_then(|compared| compared.bandwidth_gbs.as_ref());
                let measured = gflops.and_then(|pair| pair.measured.interval);
                let predicted = gflops.and_then(|pair| pair.interval);
                Self {
                    name,
                    repetitions: gflops.map(|pair| pair.measured.repetitions as u64),
                    predicted_gflops: gflops.map(|pair| pair.predicted).map(plain),
                    measured_gflops: gflops.map(|pair| pair.measured.median).map(plain),
                    measured_gflops_min: gflops.map(|pair| pair.measured.min).map(plain),
                    measured_gflops_max: gflops.map(|pair| pair.measured.max).map(plain),
                    measured_gflops_ci95_low: measured.map(|(low, _)| low).map(plain),
                    measured_gflops_ci95_high: measured.map(|(_, high)| high).map(plain),
                    spread: gflops.and_then(|pair| pair.measured.relative).map(plain),
                    error: gflops.and_then(|pair| pair.error).map(plain),
                    predicted_bandwidth_gbs: compared.map(|compared| compared.predicted_bandwidth_gbs).map(plain),
                    measured_bandwidth_gbs: gbs.map(|pair| pair.measured.median).map(plain),
                    measured_bandwidth_gbs_min: gbs.map(|pair| pair.measured.min).map(plain),
                    measured_bandwidth_gbs_max: gbs.map(|pair| pair.measured.max).map(plain),
                    bandwidth_error: gbs.and_then(|pair| pair.error).map(plain),
                    predicted_gflops_ci95_low: predicted.map(|(low, _)| plain(low)),
                    predicted_gflops_ci95_high: predicted.map(|(_, high)| plain(high)),
                    $($key,)*
                }
            }
        }
    };
}

compared! {
    /// One scenario.
    Scenario {
        /// Reasons to distrust its measurements, as stable words.
        doubts: Vec<&'a str>,
        /// The highest ratio of demand to capacity of a memory or link.
        contention: Option<f64>,
        /// Its applications.
        apps: Vec<App<'a>>,
    }
}

compared! {
    /// One application.
    App {}
}

/// A scenario or application that was not measured.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Missing<'a> {
    /// The scenario.
    scenario: &'a str,
    /// The application; null for the whole scenario.
    app: Option<&'a str>,
}

/// A measured scenario or application that is not in the files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Unmatched<'a> {
    /// The scenario.
    scenario: &'a str,
    /// The application; null for the whole scenario.
    app: Option<&'a str>,
    /// The line of the CSV.
    line: u64,
    /// The reason, as a stable word.
    kind: &'static str,
    /// The reason as a sentence.
    message: String,
}

/// A measured row that is left out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct LeftOut<'a> {
    /// The scenario.
    scenario: &'a str,
    /// The application; null for the whole scenario.
    app: Option<&'a str>,
    /// The repetition.
    repetition: u64,
    /// The line of the CSV.
    line: u64,
    /// The reason.
    why: &'a str,
}

/// Coverage of the 95 % intervals.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Coverage {
    /// Nominal coverage: 0.95.
    promised: f64,
    /// Coverage for scenarios, by the counted unit.
    totals: BTreeMap<&'static str, Option<Held>>,
    /// Coverage for applications, by the counted unit.
    apps: BTreeMap<&'static str, Option<Held>>,
}

/// Number of intervals that hold.
#[allow(clippy::struct_field_names, reason = "the keys of the document")]
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Held {
    /// Number of intervals that contain the measured value.
    held: u64,
    /// Number of intervals.
    of: u64,
    /// Expected number of intervals that contain it.
    expected: f64,
    /// held / of.
    share: f64,
    /// 95 % interval of the share.
    share_ci95: [f64; 2],
    /// Mean width of the intervals from end to end, as a fraction of the measured median.
    mean_width: Option<f64>,
    /// Coverage of intervals with the same relative width around the predictions of null models.
    null_models: Vec<HeldByNull>,
}

/// Coverage of a null model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct HeldByNull {
    /// `no-sharing` or `equal-parts`.
    name: &'static str,
    /// Number of intervals that contain the measured value.
    held: u64,
    /// Number of intervals.
    of: u64,
    /// held / of; null without intervals.
    share: Option<f64>,
}

impl<'a> From<&'a Compared> for Document<'a> {
    /// Numbers are not rounded; errors, coefficients of variation and regret are fractions.
    fn from(compared: &'a Compared) -> Self {
        let comparison = &compared.comparison;
        let choice = |choice: &'a evidence::Choice| {
            RegretOf::new(&choice.regret, &choice.apps, choice.scenarios as u64)
        };
        Self {
            head: StudyHead::of("compare", &compared.study.machine),
            measured: &compared.measured,
            summary: Summary {
                totals: comparison.totals.as_ref().map(errors),
                apps: comparison.apps.as_ref().map(errors),
                kendall_tau_b: comparison.kendall_tau_b.map(plain),
                regret: comparison.regret.as_ref().map(Regret::new),
                regret_by_applications: comparison.choices.iter().map(choice).collect(),
            },
            null_models: comparison.beside.nulls.iter().map(null_model).collect(),
            sharing: sharing(comparison),
            scenarios: comparison.scenarios.iter().map(scenario).collect(),
            missing: comparison
                .missing
                .iter()
                .map(|one| Missing { scenario: &one.scenario, app: one.app.as_deref() })
                .collect(),
            unmatched: comparison.unmatched.iter().map(unmatched).collect(),
            left_out: comparison.left_out.iter().map(left_out).collect(),
            coverage: comparison.coverage.as_ref().map(coverage),
        }
    }
}

fn scenario(scenario: &evidence::ComparedScenario) -> Scenario<'_> {
    let apps = scenario.apps.iter().map(|app| App::new(&app.name, app.compared.as_ref()));
    Scenario::new(
        &scenario.name,
        scenario.total.as_ref(),
        scenario.doubts.iter().map(AsRef::as_ref).collect(),
        scenario.contention.map(|contention| contention.ratio).map(plain),
        apps.collect(),
    )
}

fn errors(errors: &evidence::Errors) -> Errors<'_> {
    Errors {
        count: errors.count as u64,
        mean_signed_error: plain(errors.mean_signed),
        mean_absolute_error: plain(errors.mean),
        median_absolute_error: plain(errors.median),
        p95_absolute_error: plain(errors.p95),
        worst_absolute_error: plain(errors.worst),
        worst_scenario: &errors.worst_scenario,
        worst_app: errors.worst_app.as_deref(),
    }
}

fn null_model(null: &BesideNull) -> NullModel {
    let of = |errors: Option<&evidence::Errors>, figure: fn(&evidence::Errors) -> f64| {
        errors.map(figure).map(plain)
    };
    let advantage = null.advantage.as_ref();
    NullModel {
        name: null.null.name(),
        mean: of(null.totals.as_ref(), |errors| errors.mean),
        worst: of(null.totals.as_ref(), |errors| errors.worst),
        count: null.totals.as_ref().map_or(0, |errors| errors.count as u64),
        apps_mean: of(null.apps.as_ref(), |errors| errors.mean),
        apps_worst: of(null.apps.as_ref(), |errors| errors.worst),
        model_smaller_by: advantage.map(|found| found.mean).map(plain),
        model_smaller_by_ci95: advantage.and_then(|found| found.interval).map(numbers),
        model_is: standing(advantage).0,
    }
}

fn sharing(comparison: &Comparison) -> Sharing {
    let contended = &comparison.beside.contended;
    let verdict = match comparison.beside.verdict {
        Verdict::NothingMeasured => "nothing-measured",
        Verdict::NothingContended => "nothing-contended",
        Verdict::TooFew => "too-few-scenarios",
        Verdict::NullsAsGood(_) => "null-models-as-good",
        Verdict::Better => "better",
    };
    Sharing {
        verdict,
        least_contention: plain(CONTENDED),
        contended_scenarios: contended.scenarios as u64,
        highest_contention: contended.highest.as_ref().map(|(_, contention)| contention.ratio).map(plain),
        mean: contended.totals.as_ref().map(|errors| errors.mean).map(plain),
        worst: contended.totals.as_ref().map(|errors| errors.worst).map(plain),
        null_models: contended.nulls.iter().map(null_model).collect(),
    }
}

fn unmatched(one: &evidence::Unmatched) -> Unmatched<'_> {
    let kind = match &one.why {
        Mismatch::UnknownScenario(_) => "unknown-scenario",
        Mismatch::UnknownApp(_) => "unknown-app",
        Mismatch::SeveralInstances(_) => "several-instances",
        Mismatch::NoThreads => "no-threads",
        Mismatch::OtherThreads { .. } => "other-threads",
        Mismatch::NothingCounts => "nothing-counts",
    };
    Unmatched {
        scenario: &one.scenario,
        app: one.app.as_deref(),
        line: one.line as u64,
        kind,
        message: reason(one),
    }
}

fn left_out(one: &evidence::LeftOut) -> LeftOut<'_> {
    LeftOut {
        scenario: &one.scenario,
        app: Some(&one.app),
        repetition: u64::from(one.repetition),
        line: one.line as u64,
        why: &one.why,
    }
}

fn coverage(found: &evidence::Coverage) -> Coverage {
    let held = |held: &evidence::Held| WAYS.map(|(key, _, of)| (key, way(of(held)))).into();
    Coverage { promised: plain(PROMISED), totals: held(&found.totals), apps: held(&found.apps) }
}

fn way(way: Way) -> Option<Held> {
    let of_null = |(model, share): (Null, evidence::Share)| HeldByNull {
        name: model.name(),
        held: share.held as u64,
        of: share.of as u64,
        share: share.share().map(plain),
    };
    Some(Held {
        held: way.model.held as u64,
        of: way.model.of as u64,
        expected: plain(PROMISED * way.model.of as f64),
        share: plain(way.model.share()?),
        share_ci95: numbers(way.model.interval()?),
        mean_width: way.mean_width.map(plain),
        null_models: Null::ALL.into_iter().zip(way.nulls).map(of_null).collect(),
    })
}

fn numbers((low, high): (f64, f64)) -> [f64; 2] {
    [plain(low), plain(high)]
}

/// The values of a row by their keys; null without a measurement. The interval of a prediction is present only if the prediction has one.
pub(super) fn figures_of(compared: Option<&evidence::Compared>) -> Map<String, Value> {
    let mut figures = match value(&App::new("", compared)) {
        Value::Object(figures) => figures,
        _ => Map::new(),
    };
    figures.shift_remove("name");
    figures
}
