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

/// Predictions beside measurements. An error is predicted / measured - 1.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// The file of the measurements.
    measured: &'a str,
    /// Errors of everything.
    summary: Summary<'a>,
    /// What other models would have predicted.
    null_models: Vec<NullModel>,
    /// What the scenarios decide in which memories or links are contended.
    sharing: Sharing,
    /// Each scenario.
    scenarios: Vec<Scenario<'a>>,
    /// What was not measured.
    missing: Vec<Missing<'a>>,
    /// What was measured, and is not in the files.
    unmatched: Vec<Unmatched<'a>>,
    /// Measured rows that do not count.
    left_out: Vec<LeftOut<'a>>,
    /// How often 95 % intervals hold what they promise.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

/// Errors of everything.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Summary<'a> {
    /// Of whole scenarios.
    totals: Option<Errors<'a>>,
    /// Of applications.
    apps: Option<Errors<'a>>,
    /// Order of the scenarios, from -1 (the opposite) to 1 (as measured).
    kendall_tau_b: Option<f64>,
    /// What the choice of the model loses.
    regret: Option<Regret<'a>>,
    /// The same among scenarios of the same applications.
    regret_by_applications: Vec<RegretOf<'a>>,
}

/// Relative errors, 0.01 being 1 %.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Errors<'a> {
    /// How many there are.
    count: u64,
    /// Mean with sign.
    mean_signed_error: f64,
    /// Mean without sign.
    mean_absolute_error: f64,
    /// Median without sign.
    median_absolute_error: f64,
    /// 95th percentile without sign.
    p95_absolute_error: f64,
    /// The largest without sign.
    worst_absolute_error: f64,
    /// The scenario of the largest.
    worst_scenario: &'a str,
    /// Its application; null where it is of the whole scenario.
    worst_app: Option<&'a str>,
}

/// A type with what is lost by choosing the scenario that the model prefers.
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
            /// What it measured, in GFLOPS.
            preferred_measured_gflops: f64,
            /// The scenario that measured best.
            best: &'a str,
            /// What it measured, in GFLOPS.
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
    /// What is lost by choosing the scenario that the model prefers.
    Regret {}
}

regret! {
    /// What is lost among scenarios of the same applications.
    RegretOf {
        /// The applications.
        apps: &'a [String],
        /// How many scenarios have them.
        scenarios: u64,
    }
}

/// A model that knows nothing of sharing, on the same data.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct NullModel {
    /// `no-sharing` or `equal-parts`.
    name: &'static str,
    /// Mean absolute relative error of scenarios.
    mean: Option<f64>,
    /// The largest of them.
    worst: Option<f64>,
    /// How many scenarios there are.
    count: u64,
    /// Mean absolute relative error of applications.
    apps_mean: Option<f64>,
    /// The largest of them.
    apps_worst: Option<f64>,
    /// By how much the error of the model is smaller, on average.
    model_smaller_by: Option<f64>,
    /// 95 % interval of that (paired bootstrap).
    model_smaller_by_ci95: Option<[f64; 2]>,
    /// What that says of the model, as a stable word.
    model_is: &'static str,
}

/// What contended scenarios decide.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Sharing {
    /// A stable word.
    verdict: &'static str,
    /// From here on a scenario counts as contended: wanted / available.
    least_contention: f64,
    /// How many are.
    contended_scenarios: u64,
    /// The highest contention: wanted / available.
    highest_contention: Option<f64>,
    /// Mean absolute relative error of the model in them.
    mean: Option<f64>,
    /// The largest of them.
    worst: Option<f64>,
    /// The null models in them.
    null_models: Vec<NullModel>,
}

/// A type with the figures of a scenario or an application.
macro_rules! compared {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $key:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Serialize)]
        #[cfg_attr(feature = "schema", derive(JsonSchema))]
        struct $name<'a> {
            /// Its name.
            name: &'a str,
            /// How often it was measured.
            repetitions: Option<u64>,
            /// Predicted, in GFLOPS.
            predicted_gflops: Option<f64>,
            /// Median of the measurements, in GFLOPS.
            measured_gflops: Option<f64>,
            /// The smallest, in GFLOPS.
            measured_gflops_min: Option<f64>,
            /// The largest, in GFLOPS.
            measured_gflops_max: Option<f64>,
            /// 95 % interval of the median, in GFLOPS.
            measured_gflops_ci95_low: Option<f64>,
            /// Its other end, in GFLOPS.
            measured_gflops_ci95_high: Option<f64>,
            /// (max - min) / median.
            spread: Option<f64>,
            /// Predicted / measured - 1.
            error: Option<f64>,
            /// Predicted, in GB/s.
            predicted_bandwidth_gbs: Option<f64>,
            /// Median of the measurements, in GB/s.
            measured_bandwidth_gbs: Option<f64>,
            /// The smallest, in GB/s.
            measured_bandwidth_gbs_min: Option<f64>,
            /// The largest, in GB/s.
            measured_bandwidth_gbs_max: Option<f64>,
            /// Predicted / measured - 1 of the bandwidth.
            bandwidth_error: Option<f64>,
            /// 95 % interval of the prediction, in GFLOPS.
            #[serde(skip_serializing_if = "Option::is_none")]
            predicted_gflops_ci95_low: Option<f64>,
            /// Its other end, in GFLOPS.
            #[serde(skip_serializing_if = "Option::is_none")]
            predicted_gflops_ci95_high: Option<f64>,
            $($(#[$of])* $key: $type,)*
        }

        impl<'a> $name<'a> {
            /// All figures are null where nothing was measured.
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
        /// Why its measurements may not be what they seem, as stable words.
        doubts: Vec<&'a str>,
        /// The most that is wanted of a memory or link, as a part of what it has.
        contention: Option<f64>,
        /// Its applications.
        apps: Vec<App<'a>>,
    }
}

compared! {
    /// One application.
    App {}
}

/// What was not measured.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Missing<'a> {
    /// The scenario.
    scenario: &'a str,
    /// The application; null where it is the whole scenario.
    app: Option<&'a str>,
}

/// What was measured, and is not in the files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Unmatched<'a> {
    /// The scenario.
    scenario: &'a str,
    /// The application; null where it is the whole scenario.
    app: Option<&'a str>,
    /// The line of the CSV.
    line: u64,
    /// Why, as a stable word.
    kind: &'static str,
    /// The same in words.
    message: String,
}

/// A measured row that does not count.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct LeftOut<'a> {
    /// The scenario.
    scenario: &'a str,
    /// The application; null where it is the whole scenario.
    app: Option<&'a str>,
    /// The repetition.
    repetition: u64,
    /// The line of the CSV.
    line: u64,
    /// Why.
    why: &'a str,
}

/// How often 95 % intervals hold what they promise.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Coverage {
    /// What they promise: 0.95.
    promised: f64,
    /// Of scenarios, by what is counted.
    totals: BTreeMap<&'static str, Option<Held>>,
    /// Of applications, by what is counted.
    apps: BTreeMap<&'static str, Option<Held>>,
}

/// How often.
#[allow(clippy::struct_field_names, reason = "the keys of the document")]
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Held {
    /// So many hold.
    held: u64,
    /// Of so many.
    of: u64,
    /// So many should.
    expected: f64,
    /// held / of.
    share: f64,
    /// 95 % interval of the share.
    share_ci95: [f64; 2],
    /// Mean width of the intervals from end to end, as a part of the measured median.
    mean_width: Option<f64>,
    /// How often intervals of the same relative width around the figures of null models hold.
    null_models: Vec<HeldByNull>,
}

/// How often a null model holds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct HeldByNull {
    /// `no-sharing` or `equal-parts`.
    name: &'static str,
    /// So many hold.
    held: u64,
    /// Of so many.
    of: u64,
    /// held / of; null of none.
    share: Option<f64>,
}

impl<'a> From<&'a Compared> for Document<'a> {
    /// Numbers are not rounded; errors, spreads and regret are fractions.
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

/// The figures of a row by their keys; null where nothing was measured. The interval of a prediction is there only where it has one.
pub(super) fn figures_of(compared: Option<&evidence::Compared>) -> Map<String, Value> {
    let mut figures = match value(&App::new("", compared)) {
        Value::Object(figures) => figures,
        _ => Map::new(),
    };
    figures.shift_remove("name");
    figures
}
