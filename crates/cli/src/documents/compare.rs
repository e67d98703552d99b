//! `numasim compare`.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::OrNull;

/// Predictions beside measurements. An error is predicted / measured - 1.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Compare {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "compare"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// The sharing model.
    model: String,
    /// The file of the measurements.
    measured: String,
    /// Errors of everything.
    summary: Summary,
    /// What other models would have predicted.
    null_models: Vec<NullModel>,
    /// What the scenarios decide in which memories or links are contended.
    sharing: Sharing,
    /// Each scenario.
    scenarios: Vec<Scenario>,
    /// What was not measured.
    missing: Vec<Missing>,
    /// What was measured, and is not in the files.
    unmatched: Vec<Unmatched>,
    /// Measured rows that do not count.
    left_out: Vec<LeftOut>,
    /// How often 95 % intervals hold what they promise.
    coverage: Option<Coverage>,
}

/// Errors of everything.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Summary {
    /// Of whole scenarios.
    totals: OrNull<Errors>,
    /// Of applications.
    apps: OrNull<Errors>,
    /// Order of the scenarios, from -1 (the opposite) to 1 (as measured).
    kendall_tau_b: OrNull<f64>,
    /// What the choice of the model loses.
    regret: OrNull<Regret>,
    /// The same among scenarios of the same applications.
    regret_by_applications: Vec<RegretOf>,
}

/// Relative errors, 0.01 being 1 %.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Errors {
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
    worst_scenario: String,
    /// Its application; null where it is of the whole scenario.
    worst_app: OrNull<String>,
}

/// What is lost by choosing the scenario that the model prefers.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Regret {
    /// 1 - preferred / best, as measured.
    regret: f64,
    /// The scenario that the model prefers.
    preferred: String,
    /// What it measured, in GFLOPS.
    preferred_measured_gflops: f64,
    /// The scenario that measured best.
    best: String,
    /// What it measured, in GFLOPS.
    best_measured_gflops: f64,
}

/// What is lost among scenarios of the same applications.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RegretOf {
    /// 1 - preferred / best, as measured.
    regret: f64,
    /// The scenario that the model prefers.
    preferred: String,
    /// What it measured, in GFLOPS.
    preferred_measured_gflops: f64,
    /// The scenario that measured best.
    best: String,
    /// What it measured, in GFLOPS.
    best_measured_gflops: f64,
    /// The applications.
    apps: Vec<String>,
    /// How many scenarios have them.
    scenarios: u64,
}

/// A model that knows nothing of sharing, on the same data.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct NullModel {
    /// `no-sharing` or `equal-parts`.
    name: String,
    /// Mean absolute relative error of scenarios.
    mean: OrNull<f64>,
    /// The largest of them.
    worst: OrNull<f64>,
    /// How many scenarios there are.
    count: u64,
    /// Mean absolute relative error of applications.
    apps_mean: OrNull<f64>,
    /// The largest of them.
    apps_worst: OrNull<f64>,
    /// By how much the error of the model is smaller, on average.
    model_smaller_by: OrNull<f64>,
    /// 95 % interval of that (paired bootstrap).
    model_smaller_by_ci95: OrNull<[f64; 2]>,
    /// What that says of the model, as a stable word.
    model_is: String,
}

/// What contended scenarios decide.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Sharing {
    /// A stable word.
    verdict: String,
    /// From here on a scenario counts as contended: wanted / available.
    least_contention: f64,
    /// How many are.
    contended_scenarios: u64,
    /// The highest contention: wanted / available.
    highest_contention: OrNull<f64>,
    /// Mean absolute relative error of the model in them.
    mean: OrNull<f64>,
    /// The largest of them.
    worst: OrNull<f64>,
    /// The null models in them.
    null_models: Vec<NullModel>,
}

/// A type with the figures of a scenario or an application.
macro_rules! compared {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $key:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(JsonSchema)]
        #[schemars(deny_unknown_fields)]
        struct $name {
            /// Its name.
            name: String,
            /// How often it was measured.
            repetitions: OrNull<u64>,
            /// Predicted, in GFLOPS.
            predicted_gflops: OrNull<f64>,
            /// Median of the measurements, in GFLOPS.
            measured_gflops: OrNull<f64>,
            /// The smallest, in GFLOPS.
            measured_gflops_min: OrNull<f64>,
            /// The largest, in GFLOPS.
            measured_gflops_max: OrNull<f64>,
            /// 95 % interval of the median, in GFLOPS.
            measured_gflops_ci95_low: OrNull<f64>,
            /// Its other end, in GFLOPS.
            measured_gflops_ci95_high: OrNull<f64>,
            /// (max - min) / median.
            spread: OrNull<f64>,
            /// Predicted / measured - 1.
            error: OrNull<f64>,
            /// Predicted, in GB/s.
            predicted_bandwidth_gbs: OrNull<f64>,
            /// Median of the measurements, in GB/s.
            measured_bandwidth_gbs: OrNull<f64>,
            /// The smallest, in GB/s.
            measured_bandwidth_gbs_min: OrNull<f64>,
            /// The largest, in GB/s.
            measured_bandwidth_gbs_max: OrNull<f64>,
            /// Predicted / measured - 1 of the bandwidth.
            bandwidth_error: OrNull<f64>,
            /// 95 % interval of the prediction, in GFLOPS.
            predicted_gflops_ci95_low: Option<f64>,
            /// Its other end, in GFLOPS.
            predicted_gflops_ci95_high: Option<f64>,
            $($(#[$of])* $key: $type,)*
        }
    };
}

compared! {
    /// One scenario.
    Scenario {
        /// Why its measurements may not be what they seem, as stable words.
        doubts: Vec<String>,
        /// The most that is wanted of a memory or link, as a part of what it has.
        contention: OrNull<f64>,
        /// Its applications.
        apps: Vec<App>,
    }
}

compared! {
    /// One application.
    App {}
}

/// What was not measured.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Missing {
    /// The scenario.
    scenario: String,
    /// The application; null where it is the whole scenario.
    app: OrNull<String>,
}

/// What was measured, and is not in the files.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Unmatched {
    /// The scenario.
    scenario: String,
    /// The application; null where it is the whole scenario.
    app: OrNull<String>,
    /// The line of the CSV.
    line: u64,
    /// Why, as a stable word.
    kind: String,
    /// The same in words.
    message: String,
}

/// A measured row that does not count.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LeftOut {
    /// The scenario.
    scenario: String,
    /// The application; null where it is the whole scenario.
    app: OrNull<String>,
    /// The repetition.
    repetition: u64,
    /// The line of the CSV.
    line: u64,
    /// Why.
    why: String,
}

/// How often 95 % intervals hold what they promise.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Coverage {
    /// What they promise: 0.95.
    promised: f64,
    /// Of scenarios, by what is counted.
    totals: BTreeMap<String, OrNull<Held>>,
    /// Of applications, by what is counted.
    apps: BTreeMap<String, OrNull<Held>>,
}

/// How often.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
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
}
