//! What a comparison of prediction and measurement says: plain values.

use std::collections::BTreeSet;

use crate::compare::read::LeftOut;
use crate::null_models::{Contention, NullModel};
use crate::statistics::share_interval;

/// Prediction beside measurement, for all scenarios.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The scenarios of which anything was measured, in the order of the input files.
    pub scenarios: Vec<ComparedScenario>,
    /// Errors of the scenarios' totals; `None` if no total was measured.
    pub totals: Option<Errors>,
    /// Errors of applications in scenarios; `None` if no application was measured.
    pub apps: Option<Errors>,
    /// What it costs to trust the model; `None` with fewer than two measured totals.
    pub regret: Option<Regret>,
    /// The same among scenarios of the same applications, where the scenarios are not all of the same; best read where
    /// the files describe several questions. Sets of a single scenario are not listed.
    pub choices: Vec<Choice>,
    /// Kendall's tau-b between predicted and measured totals, see [`crate::statistics::kendall_tau_b`].
    pub kendall_tau_b: Option<f64>,
    /// How often measured and predicted intervals hold what they promise; `None` where nothing has an interval.
    pub coverage: Option<Coverage>,
    /// Whether all scenarios place the same applications: only then is it one question which of them is best.
    pub same_applications: bool,
    /// What models that know nothing of sharing say of the same measurements, and what that decides.
    pub beside: Beside,
    /// What the input files have and the measured file has not.
    pub missing: Vec<Missing>,
    /// What the measured file has and cannot be compared.
    pub unmatched: Vec<Unmatched>,
    /// Repetitions that count for nothing.
    pub left_out: Vec<LeftOut>,
}

impl Comparison {
    /// What it costs to trust the model where that is one question: scenarios of other applications answer other questions,
    /// and the best of them all is no choice that anybody has.
    pub fn regret_of_one_question(&self) -> Option<&Regret> {
        self.regret.as_ref().filter(|_| self.same_applications)
    }
}

/// One scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedScenario {
    /// Its name.
    pub name: String,
    /// All applications together: GFLOPS and traffic as measured, or the sum over its applications in each repetition
    /// if all of them were measured. `None` if neither.
    pub total: Option<Compared>,
    /// Its applications that have threads, in the order of the files.
    pub apps: Vec<ComparedApp>,
    /// Codes of the doubts that hold for any of its measurements.
    pub doubts: BTreeSet<String>,
    /// How far its threads want more than there is.
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

/// Predicted and measured figures of the same thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// GFLOPS.
    pub gflops: Pair,
    /// GB/s, predicted.
    pub predicted_bandwidth_gbs: f64,
    /// GB/s; `None` where no bandwidth was measured in every repetition.
    pub bandwidth_gbs: Option<Pair>,
    /// GFLOPS that null models predict, by [`NullModel::ALL`].
    pub null_gflops: Option<[f64; NullModel::ALL.len()]>,
}

/// A predicted and a measured figure of the same unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// What the model says.
    pub predicted: f64,
    /// What was measured.
    pub measured: Spread,
    /// (predicted - measured median) / measured median. `None` if nothing was measured but zero, and the prediction is
    /// another.
    pub error: Option<f64>,
    /// The interval of 95 % of the prediction, where figures of the machine are uncertain
    /// ([`Comparison::with_intervals`]).
    pub interval: Option<(f64, f64)>,
}

/// A figure over repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// How many.
    pub repetitions: usize,
    /// Sample standard deviation over mean, see [`crate::statistics::spread`]; `None` for a single repetition, or where
    /// nothing was measured but zero.
    pub relative: Option<f64>,
    /// Holds the median in at least 95 % of all cases, see [`crate::statistics::median_interval`].
    pub interval: Option<(f64, f64)>,
}

/// Signed and absolute errors in GFLOPS, each relative to the measured value.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    /// How many figures were compared.
    pub count: usize,
    /// Mean of the signed errors: above 0 the model promises too much.
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

/// What it costs to run the scenario that the model prefers instead of the one that was measured best.
#[derive(Clone, Debug, PartialEq)]
pub struct Regret {
    /// The scenario with the largest predicted total; of equal predictions the one that was measured worst.
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
    /// How many scenarios.
    pub scenarios: usize,
    /// What it costs to trust the model here.
    pub regret: Regret,
}

/// Something that was not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Name of the scenario.
    pub scenario: String,
    /// The application, where others of the scenario were measured; `None` is the whole scenario.
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
    /// Why.
    pub why: Mismatch,
}

/// Why a measurement cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// No file has a scenario of this name. The nearest name, if one is near.
    UnknownScenario(Option<String>),
    /// No file has an application of this name. The nearest name, if one is near.
    UnknownApp(Option<String>),
    /// The name stands for several instances, and the measurement does not say which.
    SeveralInstances(Vec<String>),
    /// The application has no threads in this scenario.
    NoThreads,
    /// It was measured with another number of threads than the scenario says.
    OtherThreads {
        /// The node.
        node: usize,
        /// Threads measured there.
        measured: u32,
        /// Threads in the scenario.
        wanted: u32,
        /// The benchmark scaled the scenario to its host.
        fitted: bool,
    },
    /// Every repetition was left out.
    NothingCounts,
}

/// The model beside null models.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Each null model on everything that was measured; none where nothing was.
    pub nulls: Vec<BesideNull>,
    /// The scenarios that count for the verdict.
    pub contended: Contended,
    /// What the contended scenarios decide.
    pub verdict: Verdict,
}

/// A null model on the same measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideNull {
    /// Which.
    pub null: NullModel,
    /// Its errors of the scenarios' totals; `None` if no total was measured.
    pub totals: Option<Errors>,
    /// Its errors of applications in scenarios; `None` if no application was measured.
    pub apps: Option<Errors>,
    /// How much smaller the model's errors of totals are.
    pub advantage: Option<Advantage>,
}

/// How much smaller the absolute errors of the model are than those of another one, as fractions of what was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advantage {
    /// The mean; below 0 the model is the worse one.
    pub mean: f64,
    /// Holds the mean with 95 %; `None` with fewer than [`super::FEWEST`] scenarios.
    pub interval: Option<(f64, f64)>,
}

/// The scenarios that want at least [`super::CONTENDED`] times what there is.
#[derive(Clone, Debug, PartialEq)]
pub struct Contended {
    /// How many of them have a measured total.
    pub scenarios: usize,
    /// The model's errors of their totals.
    pub totals: Option<Errors>,
    /// The model's errors of applications in them.
    pub apps: Option<Errors>,
    /// The null models on them.
    pub nulls: Vec<BesideNull>,
    /// The most contended of all scenarios with a measured total, contended enough or not.
    pub highest: Option<(String, Contention)>,
}

/// What contended scenarios decide about the rule of sharing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No total was measured.
    NothingMeasured,
    /// No scenario is contended: every rule of sharing is right.
    NothingContended,
    /// Fewer than [`super::FEWEST`] scenarios are contended.
    TooFew,
    /// The model is not better than these beyond noise.
    NullsAsGood(Vec<NullModel>),
    /// The model is better than all null models beyond noise.
    Better,
}

/// How often, for whole scenarios and for applications in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// Of totals.
    pub totals: Held,
    /// Of applications in scenarios.
    pub apps: Held,
}

/// How often intervals hold, in three ways. The figures of a machine are common to all scenarios, so that these hold or
/// miss together more often than independent trials would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The measured interval of the median holds the predicted figure. 95 % would do so if the model and its figures were
    /// exact.
    pub measured: Way,
    /// The predicted interval holds the measured median. 95 % would do so if the model were right and the median exact.
    pub predicted: Way,
    /// Both are no further apart than both intervals together allow: |p - m| <= sqrt(reach of p squared + reach of m
    /// squared), each reach towards the other figure. 95 % do so if the model is right.
    pub both: Way,
}

/// One way of counting, and what it is worth: an interval that is wide enough holds anything, so that as many of a model that
/// knows nothing of sharing would be held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way {
    /// Of the model.
    pub model: Share,
    /// What null models get, by [`NullModel::ALL`]: each with its own figure in place of the predicted one, and around it an interval
    /// that is as wide in parts of that figure as the model's is of its own. They have intervals where the model has one.
    pub nulls: [Share; NullModel::ALL.len()],
    /// The mean width of what holds or not, from end to end, as a fraction of the measured median: of the measured interval, of the
    /// predicted one, of both the square root of the sum of squares. `None` of nothing.
    pub mean_width: Option<f64>,
}

/// Some of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many hold.
    pub held: usize,
    /// Of how many that have the intervals.
    pub of: usize,
}

impl Share {
    /// As a fraction; `None` of nothing.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.held as f64 / self.of as f64)
    }

    /// The interval of 95 % of the fraction, see [`share_interval`].
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
