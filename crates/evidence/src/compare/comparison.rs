//! The result of a comparison of prediction and measurement, as plain values.

use std::collections::BTreeSet;

use crate::compare::read::LeftOut;
use crate::null_models::{Contention, NullModel};
use crate::statistics::share_interval;

/// Prediction and measurement of all scenarios.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The scenarios with any measurement, in the order of the input files.
    pub scenarios: Vec<ComparedScenario>,
    /// Errors of the scenarios' totals; `None` if no total was measured.
    pub totals: Option<Errors>,
    /// Errors of applications in scenarios; `None` if no application was measured.
    pub apps: Option<Errors>,
    /// The cost of trusting the model; `None` with fewer than two measured totals.
    pub regret: Option<Regret>,
    /// The same among scenarios of the same applications, if not all scenarios have the same ones; useful if
    /// the files describe several questions. Sets of a single scenario are not listed.
    pub choices: Vec<Choice>,
    /// Kendall's tau-b between predicted and measured totals, see [`crate::statistics::kendall_tau_b`].
    pub kendall_tau_b: Option<f64>,
    /// The observed coverage of measured and predicted intervals; `None` without intervals.
    pub coverage: Option<Coverage>,
    /// Whether all scenarios place the same applications; only then is the choice of the best one a single
    /// question.
    pub same_applications: bool,
    /// The predictions of null models for the same measurements, and the verdict.
    pub beside: Beside,
    /// Parts of the input files that are missing in the measured file.
    pub missing: Vec<Missing>,
    /// Measurements that cannot be compared.
    pub unmatched: Vec<Unmatched>,
    /// Repetitions that are excluded.
    pub left_out: Vec<LeftOut>,
}

impl Comparison {
    /// The cost of trusting the model if the scenarios are one question. Scenarios of other applications
    /// answer other questions, and the best of all of them is not a real choice.
    pub fn regret_of_one_question(&self) -> Option<&Regret> {
        self.regret.as_ref().filter(|_| self.same_applications)
    }
}

/// One scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedScenario {
    /// Its name.
    pub name: String,
    /// All applications together: GFLOPS and traffic as measured, or the sum over its applications in each
    /// repetition if all of them were measured. `None` if neither is available.
    pub total: Option<Compared>,
    /// Its applications that have threads, in the order of the files.
    pub apps: Vec<ComparedApp>,
    /// Codes of the warnings for any of its measurements.
    pub doubts: BTreeSet<String>,
    /// The ratio of the demand of its threads to the capacity.
    pub contention: Option<Contention>,
}

/// One application in one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedApp {
    /// Name of the instance.
    pub name: String,
    /// `None` if it was not measured.
    pub compared: Option<Compared>,
}

/// Predicted and measured values of the same quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// GFLOPS.
    pub gflops: Pair,
    /// GB/s, predicted.
    pub predicted_bandwidth_gbs: f64,
    /// GB/s; `None` unless bandwidth was measured in every repetition.
    pub bandwidth_gbs: Option<Pair>,
    /// GFLOPS that null models predict, by [`NullModel::ALL`].
    pub null_gflops: Option<[f64; NullModel::ALL.len()]>,
}

/// A predicted and a measured value of the same unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The prediction of the model.
    pub predicted: f64,
    /// The measurement.
    pub measured: Spread,
    /// (predicted - measured median) / measured median. `None` if only zero was measured and the prediction
    /// is not zero.
    pub error: Option<f64>,
    /// The 95 % interval of the prediction, if values of the machine are uncertain
    /// ([`Comparison::with_intervals`]).
    pub interval: Option<(f64, f64)>,
}

/// A value over repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Number of repetitions.
    pub repetitions: usize,
    /// Coefficient of variation (sample standard deviation over mean), see [`crate::statistics::spread`];
    /// `None` for a single repetition, or if only zero was measured.
    pub relative: Option<f64>,
    /// Contains the median in at least 95 % of all cases, see [`crate::statistics::median_interval`].
    pub interval: Option<(f64, f64)>,
}

/// Signed and absolute errors in GFLOPS, each relative to the measured value.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    /// Number of compared values.
    pub count: usize,
    /// Mean of the signed errors: above 0 the model predicts too much.
    pub mean_signed: f64,
    /// Mean absolute error.
    pub mean: f64,
    /// Median absolute error.
    pub median: f64,
    /// 95th percentile of the absolute errors, see [`crate::statistics::percentile`].
    pub p95: f64,
    /// Worst absolute error.
    pub worst: f64,
    /// The scenario of the worst one.
    pub worst_scenario: String,
    /// Its application, `None` if the error is that of a total.
    pub worst_app: Option<String>,
}

/// The cost of running the scenario that the model prefers instead of the one that was measured best.
#[derive(Clone, Debug, PartialEq)]
pub struct Regret {
    /// The scenario with the largest predicted total; among equal predictions the one that was measured
    /// worst.
    pub preferred: String,
    /// Its measured GFLOPS.
    pub preferred_gflops: f64,
    /// The scenario with the largest measured total.
    pub best: String,
    /// Its measured GFLOPS.
    pub best_gflops: f64,
    /// (best - preferred) / best: 0 if the model picks the best one.
    pub relative: f64,
}

/// Scenarios that place the same applications: an answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The applications that have threads.
    pub apps: Vec<String>,
    /// Number of scenarios.
    pub scenarios: usize,
    /// The cost of trusting the model here.
    pub regret: Regret,
}

/// A missing measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Name of the scenario.
    pub scenario: String,
    /// The application, if others of the scenario were measured; `None` is the whole scenario.
    pub app: Option<String>,
}

/// A measurement that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the application; `None` is the whole scenario.
    pub app: Option<String>,
    /// Its first line in the measured file, from 1.
    pub line: usize,
    /// The reason.
    pub why: Mismatch,
}

/// The reason that a measurement cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// No file has a scenario with this name. Contains the closest name, if there is one.
    UnknownScenario(Option<String>),
    /// No file has an application with this name. Contains the closest name, if there is one.
    UnknownApp(Option<String>),
    /// The name refers to several instances, and the measurement does not specify one.
    SeveralInstances(Vec<String>),
    /// The application has no threads in this scenario.
    NoThreads,
    /// The number of threads differs from that of the scenario.
    OtherThreads {
        /// The node.
        node: usize,
        /// Threads measured there.
        measured: u32,
        /// Threads in the scenario.
        wanted: u32,
        /// Whether the benchmark scaled the scenario to its host.
        fitted: bool,
    },
    /// Every repetition is excluded.
    NothingCounts,
}

/// The model compared with null models.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Each null model on all measurements; empty without measurements.
    pub nulls: Vec<BesideNull>,
    /// The scenarios that count for the verdict.
    pub contended: Contended,
    /// The verdict from the contended scenarios.
    pub verdict: Verdict,
}

/// A null model on the same measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideNull {
    /// The null model.
    pub null: NullModel,
    /// Its errors of the scenarios' totals; `None` if no total was measured.
    pub totals: Option<Errors>,
    /// Its errors of applications in scenarios; `None` if no application was measured.
    pub apps: Option<Errors>,
    /// Difference between its errors of totals and those of the model.
    pub advantage: Option<Advantage>,
}

/// Difference between the absolute errors of another model and those of this one, as fractions of the
/// measured values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advantage {
    /// The mean; below 0 this model is worse.
    pub mean: f64,
    /// Contains the mean with 95 %; `None` with fewer than [`super::FEWEST`] scenarios.
    pub interval: Option<(f64, f64)>,
}

/// The scenarios that oversubscribe a resource by at least a factor of [`super::CONTENDED`].
#[derive(Clone, Debug, PartialEq)]
pub struct Contended {
    /// Number of them with a measured total.
    pub scenarios: usize,
    /// The model's errors of their totals.
    pub totals: Option<Errors>,
    /// The model's errors of applications in them.
    pub apps: Option<Errors>,
    /// The null models on them.
    pub nulls: Vec<BesideNull>,
    /// The most contended scenario with a measured total, whether or not it reaches the factor.
    pub highest: Option<(String, Contention)>,
}

/// The verdict of contended scenarios on the sharing model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No total was measured.
    NothingMeasured,
    /// No scenario is contended: every sharing model is right.
    NothingContended,
    /// Fewer than [`super::FEWEST`] scenarios are contended.
    TooFew,
    /// The model is not significantly better than these null models.
    NullsAsGood(Vec<NullModel>),
    /// The model is significantly better than all null models.
    Better,
}

/// Observed coverage for whole scenarios and for applications in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// For totals.
    pub totals: Held,
    /// For applications in scenarios.
    pub apps: Held,
}

/// Observed coverage of intervals, counted in three ways. The values of a machine are common to all
/// scenarios, so the intervals of these cover or miss together more often than independent trials would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The measured interval of the median contains the predicted value. 95 % would do so if the model and
    /// its values were exact.
    pub measured: Way,
    /// The predicted interval contains the measured median. 95 % would do so if the model were right and the
    /// median exact.
    pub predicted: Way,
    /// The two differ by no more than their combined uncertainty: |p - m| <= sqrt(reach of p squared + reach
    /// of m squared), each reach towards the other value. 95 % do so if the model is right.
    pub both: Way,
}

/// One way of counting, compared with null models: a wide enough interval contains any value, so the count
/// would be the same for a model without sharing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way {
    /// The coverage of the model.
    pub model: Share,
    /// The coverage of null models, by [`NullModel::ALL`]: each has its own value instead of the predicted
    /// one, and an interval around it with the same relative width as that of the model. They have intervals
    /// if the model has one.
    pub nulls: [Share; NullModel::ALL.len()],
    /// The mean width of the intervals, from end to end, as a fraction of the measured median: of the
    /// measured interval, of the predicted one, or for both the square root of the sum of squares. `None`
    /// without intervals.
    pub mean_width: Option<f64>,
}

/// A part of a number of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Number of covered values.
    pub held: usize,
    /// Number of values with intervals.
    pub of: usize,
}

impl Share {
    /// The fraction; `None` without values.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.held as f64 / self.of as f64)
    }

    /// The 95 % interval of the fraction, see [`share_interval`].
    pub fn interval(self) -> Option<(f64, f64)> {
        share_interval(self.held, self.of)
    }

    pub(super) fn count(&mut self, holds: Option<bool>) {
        if let Some(holds) = holds {
            self.of += 1;
            self.held += usize::from(holds);
        }
    }
}
