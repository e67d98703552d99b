//! Errors of the sharing models on published measurements of real machines.
//!
//! # Problem
//! Which model is right for which case? Each of five data sets answers a part: bandwidth over cores of one NUMA domain ([`scaling`]), over a link
//! ([`links`]), several nodes that read one memory ([`readers`]), the paper's own table ([`table_iii`]), local and remote readers of one memory
//! ([`co_run`]). Sets of several domains, memories and applications at once are separate: [`together`]; so are results of `numasim validate`:
//! [`validated`].
//!
//! # Terminology
//! - **set**: measurements of one machine with one kind of traffic.
//! - **method**: a model with corrections, and how their values were found.
//! - **blind**: no value in use was fitted to the predicted point.
//!
//! # Output
//! For each set and method the points with measurement and prediction ([`Judged`]); [`summary`] gives the mean, the
//! median, the 95th percentile and the largest of the absolute errors. Points that a fit used are never counted, no
//! method was chosen by set, and sets whose errors led to any choice are marked ([`Role`]).
//!
//! The data are numbers from the sources named in the comments of each file, included in this crate's folder `data`.

pub(crate) mod co_run;
pub(crate) mod links;
pub(crate) mod readers;
pub(crate) mod scaling;
pub(crate) mod table_iii;
#[cfg(test)]
mod tests;
pub(crate) mod together;
pub(crate) mod totals;
pub(crate) mod validated;

use numasim_model::sharing::Parameter;
use numasim_model::{Machine, Model, ModelKind, Study};
use numasim_study::{Problem, SourceFile};

use numasim_evidence::compare::with_model_error;
use numasim_evidence::fit::FitError;
pub(crate) use numasim_evidence::null_models::{EQUAL_PARTS, INTERPOLATION, NO_SHARING};
use numasim_evidence::statistics;
use numasim_study::csv::Rows;

/// The questions: five of [`everything`], then those of [`together`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Part {
    /// Bandwidth over cores within one NUMA domain.
    Scaling,
    /// The same points by one step of the method after the other.
    Steps,
    /// Threads of one node read the memory of another one.
    Links,
    /// Several nodes read one memory.
    Readers,
    /// The paper's Table III, each row left out in turn.
    TableIii,
    /// Local and remote readers of one memory.
    CoRun,
    /// Unequal numbers of threads on like domains.
    Domains,
    /// A node of chiplets.
    Chiplets,
    /// Many cores from what one has and how much it moves.
    Intensity,
    /// Data on several memories.
    Interleave,
    /// All threads on one memory.
    Home,
    /// Unlike applications on one memory.
    Pair,
    /// Threads of any nodes on any memories.
    Memories,
    /// Latency under the traffic of others.
    Latency,
}

impl Part {
    /// Its name in CSV and JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Scaling => "scaling",
            Self::Steps => "steps",
            Self::Links => "links",
            Self::Readers => "readers",
            Self::TableIii => "table-iii",
            Self::CoRun => "co-run",
            Self::Domains => "domains",
            Self::Chiplets => "chiplets",
            Self::Intensity => "intensity",
            Self::Interleave => "interleave",
            Self::Home => "home",
            Self::Pair => "pair",
            Self::Memories => "memories",
            Self::Latency => "latency",
        }
    }

    /// Whether it is one of [`together`].
    pub(crate) const fn is_together(self) -> bool {
        matches!(
            self,
            Self::Domains
                | Self::Chiplets
                | Self::Intensity
                | Self::Interleave
                | Self::Home
                | Self::Pair
                | Self::Memories
                | Self::Latency
        )
    }
}

/// The use of the errors of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// They led to the choice of a form, a prior or a setting: no prediction, though no fit used the points.
    Chose,
    /// They led to no choice.
    Tests,
    /// A user's file, with unknown use.
    Given,
}

impl Role {
    /// Its name in CSV and JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Chose => "chose",
            Self::Tests => "tests",
            Self::Given => "given",
        }
    }
}

/// A published value and the prediction of a method.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Point {
    /// The measured case: "7 cores", "0-1 on 4".
    pub(crate) name: String,
    /// The published value; its unit is that of the set.
    pub(crate) measured: f64,
    /// The prediction of the method.
    pub(crate) predicted: f64,
}

impl Point {
    /// (predicted - measured) / measured.
    pub(crate) fn error(&self) -> f64 {
        (self.predicted - self.measured) / self.measured
    }
}

/// A method on a set.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Judged {
    /// The question.
    pub(crate) part: Part,
    /// The use of its errors.
    pub(crate) role: Role,
    /// The machine, if a part has several.
    pub(crate) machine: Option<String>,
    /// The machine, with what distinguishes its sets.
    pub(crate) set: String,
    /// Kind of traffic: "load", "STREAM Triad".
    pub(crate) traffic: String,
    /// Whether cache lines are read before they are written (write-allocate), and whether that traffic is counted.
    pub(crate) write_allocate: &'static str,
    /// The name of the model.
    pub(crate) model: &'static str,
    /// The treatment of its corrections: "no fit", "remote_loss of the others".
    pub(crate) variant: String,
    /// The fitted or given values, in words.
    pub(crate) figures: String,
    /// GB/s or GFLOPS.
    pub(crate) unit: &'static str,
    /// For a curve over cores: slower with all cores than with some of them.
    pub(crate) falls: Option<scaling::Fall>,
    /// For a curve over cores: some count was measured several times with speeds that differ by more than a quarter.
    pub(crate) is_unsteady: bool,
    /// The points that no fit of the method used.
    pub(crate) points: Vec<Point>,
    /// The points that a fit used, if it always used the same; they count nowhere.
    pub(crate) fitted: Vec<Point>,
}

impl Judged {
    /// From points, each with a flag for given or fitted; the other fields have the values of most sets.
    fn new(
        part: Part,
        set: String,
        (model, variant): (&'static str, &str),
        points: impl IntoIterator<Item = (bool, Point)>,
    ) -> Self {
        let (fitted, points): (Vec<_>, Vec<_>) = points.into_iter().partition(|(fitted, _)| *fitted);
        let bare = |points: Vec<(bool, Point)>| points.into_iter().map(|(_, point)| point).collect();
        Self {
            part,
            role: Role::Given,
            machine: None,
            set,
            traffic: String::new(),
            write_allocate: "not counted",
            model,
            variant: variant.to_owned(),
            figures: String::new(),
            unit: "GB/s",
            falls: None,
            is_unsteady: false,
            points: bare(points),
            fitted: bare(fitted),
        }
    }
}

/// All included data, in the order of the questions.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn everything() -> Result<Vec<Judged>, PublishedError> {
    Ok([
        scaling::carried()?,
        scaling::steps::carried()?,
        links::judge()?,
        readers::judge()?,
        table_iii::judge()?,
        co_run::judge()?,
    ]
    .concat())
}

/// Absolute errors, relative to the measured values.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Summary {
    /// The number of points.
    pub(crate) points: usize,
    /// Their mean.
    pub(crate) mean: f64,
    /// Their median.
    pub(crate) median: f64,
    /// 95 % of them are at most this.
    pub(crate) percentile_95: f64,
    /// The largest.
    pub(crate) worst: f64,
    /// The fraction of them within the interval of the model's error, as in `compare`; `None` for measurements that
    /// have separate intervals.
    pub(crate) held: Option<f64>,
}

/// Sums up some points; `None` without any.
pub(crate) fn summary<'p>(points: impl IntoIterator<Item = &'p Point>) -> Option<Summary> {
    let points: Vec<&Point> = points.into_iter().collect();
    let errors: Vec<f64> = points.iter().map(|point| point.error().abs()).collect();
    let held = |point: &&&Point| {
        let (low, high) = with_model_error((point.predicted, point.predicted), point.predicted);
        low <= point.measured && point.measured <= high
    };
    Some(Summary {
        held: Some(points.iter().filter(held).count() as f64 / points.len() as f64),
        points: errors.len(),
        mean: statistics::mean(&errors)?,
        median: statistics::median(&errors)?,
        percentile_95: statistics::percentile(&errors, 0.95)?,
        worst: errors.iter().copied().fold(0.0, f64::max),
    })
}

/// Rejects a file that places data on particular memories, for a kind of file with local data only.
fn refuse_memories(rows: &Rows<'_>) -> Result<(), Vec<Problem>> {
    let named = ["memory", "memory_node", "mem_node", "mem_nodes"];
    let Some(column) = named.iter().find_map(|name| rows.column(name)) else { return Ok(()) };
    let message = "rows say on which memory data lie, and this kind of file takes all of them for local";
    let hint = format!("rows of local and remote readers have the columns {}", together::MEMORIES.join(","));
    Err(vec![rows.header_problem(column, message).hint(hint)])
}

/// The reason why a set cannot be judged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum PublishedError {
    /// The text of a file is wrong.
    #[error("{}", .0.first().map_or("the data cannot be read", |problem| problem.message.as_str()))]
    Data(Vec<Problem>),
    /// Nothing can be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A model refuses a machine or a scenario.
    #[error("{0}")]
    Model(String),
}

impl From<Problem> for PublishedError {
    fn from(problem: Problem) -> Self {
        Self::Data(vec![problem])
    }
}

/// The null model in which data on several memories are as fast as those on the best of them.
pub(crate) const ONE_MEMORY: &str = "one-memory";
/// The null model of a straight line between two measurements.
pub(crate) const TWO_POINTS: &str = "two-points";
/// One measurement as a prediction of its repetition: the best that any model can reach.
pub(crate) const MEASURED_AGAIN: &str = "measured-again";
/// The null models.
const NULLS: [&str; 5] = [NO_SHARING, EQUAL_PARTS, INTERPOLATION, ONE_MEMORY, TWO_POINTS];

/// Whether the name of a model is that of a null model.
pub(crate) fn is_null_model(name: &str) -> bool {
    NULLS.contains(&name)
}

/// The variant without any correction.
const NO_FIT: &str = "no fit";
/// The variant of the model that is advised without measurements, with its default penalties.
const ADVISED: &str = "as advised";

/// Parameters of a model.
type Given = &'static [(Parameter, f64)];

/// The parameters that give a model a hard corner.
const fn without_correction(kind: ModelKind) -> Given {
    if matches!(kind, ModelKind::Ecm) { &[(Parameter::EcmPenalty, 0.0)] } else { &[] }
}

/// The advice for machines without measurements, for the advised model: the model alone.
fn advised(kind: ModelKind) -> Option<Given> {
    (scaling::Method::RECOMMENDED.kind() == kind).then_some(&[])
}

/// The study that a TOML text describes.
fn study(name: &str, text: &str) -> Result<Study, PublishedError> {
    let file = SourceFile { name: name.to_owned(), text: text.to_owned() };
    numasim_study::read_study(&[file]).map(|reading| reading.study).map_err(PublishedError::Data)
}

/// The machine with a model and some of its parameters.
fn with_model(
    machine: &Machine,
    kind: ModelKind,
    parameters: &[(Parameter, f64)],
) -> Result<Machine, PublishedError> {
    let mut model = Model::from(kind);
    for &(parameter, value) in parameters {
        model = model.with(parameter, value).map_err(|error| PublishedError::Model(error.to_string()))?;
    }
    Ok(machine.clone().with_sharing(model))
}

/// `a 1.5, b 0.2`, three digits.
fn in_words<'n>(figures: impl IntoIterator<Item = (&'n str, f64)>) -> String {
    let figures: Vec<String> =
        figures.into_iter().map(|(name, value)| format!("{name} {}", short(value))).collect();
    figures.join(", ")
}

/// Three significant digits.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite number is small")]
    let before = value.abs().log10().floor() as i32 + 1;
    format!("{value:.*}", usize::try_from(3 - before).unwrap_or(0))
}
