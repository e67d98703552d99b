//! A search for programs.

mod effort;
mod further;

use numasim_model::Study;
use numasim_sim::intervals::{Draws, Interval, Rival};
use numasim_sim::search::{Outcome, Spent, Status};
use numasim_sim::{Caution, Problem};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Value, json};

use crate::document::{ends, plain};
use crate::json::{Sequence, name_model, number};
use crate::scenario::ScenarioObject;
#[cfg(feature = "schema")]
use crate::schema::OrNull;
use crate::{ScenarioView, caution, intervals};
use effort::effort;
pub use further::Further;

/// An allocation with its value.
#[derive(Clone, Copy, Debug)]
pub struct RatedView<'a> {
    /// The allocation and what becomes of it.
    pub scenario: ScenarioView<'a>,
    /// Value of the objective.
    pub value: f64,
    /// Beside the best on the same uncertain machines; of all but the best.
    pub rival: Option<&'a Rival>,
}

/// Why an answer is not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyUnproven {
    /// Somebody ended the search.
    Interrupted,
    /// Its time was over.
    TimeLimit,
    /// The space is larger than what the search covers.
    TooLarge,
    /// The sharing model lacks what proofs need.
    Model,
}

impl WhyUnproven {
    /// Of what a search has found, which `ended` may have ended before; `None` where it is proven.
    pub fn of(outcome: &Outcome, problem: &Problem, ended: Option<Self>) -> Option<Self> {
        let by_itself =
            || if problem.proofs_apply(&outcome.best.placements) { Self::TooLarge } else { Self::Model };
        (outcome.status != Status::Optimal).then(|| ended.unwrap_or_else(by_itself))
    }

    /// A stable word for JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::TimeLimit => "time-limit",
            Self::TooLarge => "too-large",
            Self::Model => "model",
        }
    }
}

/// The documented JSON of `explore`, keys in the documented order.
///
/// Beyond the contract: `cautions` (what to know beside value and status: `code`, `apps` or `nodes`, `message`), `unproven` (null, `time-limit`, `interrupted`, `too-large`), `effort` (of an unproven search without a time limit: the part that is `spent`, and as `history` value, bound and gap
/// when a quarter and half of it were), `restrictions`, `seed`,
/// `alternatives_complete`, `alone_gflops`; on each scenario object its `value`, on alternatives `tie`, on baselines
/// `factor` (how many times better the best is) and `breaks` (the restriction that the baseline breaks).
/// Where figures of the machine are uncertain: `intervals` (of what they are), `value_interval`, and on all but the best
/// `difference_interval` (its value less that of the best, draw by draw) and `distinguishable`.
#[derive(Debug)]
pub struct Explored<'a> {
    /// What was asked about.
    pub study: &'a Study,
    /// What was asked.
    pub problem: &'a Problem,
    /// Seed of the random restarts.
    pub seed: u64,
    /// What to know about the best beside its value.
    pub cautions: &'a [Caution],
    /// The best allocation.
    pub best: RatedView<'a>,
    /// No allocation has a better value.
    pub bound: f64,
    /// |bound - value| / |bound|.
    pub gap: f64,
    /// Why the best is not proven; `None` where it is.
    pub unproven: Option<WhyUnproven>,
    /// Seconds of the search.
    pub elapsed_s: f64,
    /// What the effort of an unproven search without a time limit has brought; `None` elsewhere.
    pub effort: Option<&'a Spent>,
    /// The next best ones.
    pub alternatives: Vec<RatedView<'a>>,
    /// No better alternative is missing.
    pub alternatives_complete: bool,
    /// What people do without a search, and the restriction that it breaks, if any.
    pub baselines: Vec<(RatedView<'a>, Option<&'a str>)>,
    /// Where the intervals come from, and that of the best value; `None` where nothing of the machine is uncertain.
    pub uncertainty: Option<(&'a Draws, Interval)>,
    /// Other answers that were asked for, in their order.
    pub further: Vec<Further<'a>>,
    /// What more of each resource is worth, where it is asked for.
    pub sensitivity: Option<Value>,
}

impl Serialize for Explored<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let goal = self.problem.goal();
        let mut document = serializer.serialize_map(None)?;
        let mut head = json!({
            "schema": 1,
            "command": "explore",
            "machine": self.study.machine.name(),
        });
        name_model(&mut head, self.study.machine.sharing());
        let cautions: Vec<Value> =
            self.cautions.iter().map(|one| caution::json(one, &self.study.apps)).collect();
        let mut rest = json!({
            "objective": goal.objective().name(),
            "status": if self.unproven.is_none() { "optimal" } else { "feasible" },
            "cautions": cautions,
            "value": number(self.best.value),
            "bound": number(self.bound),
            "gap": number(self.gap),
            "elapsed_s": number(self.elapsed_s),
            "unproven": self.unproven.map(WhyUnproven::word),
            "restrictions": self.problem.restrictions().describe(&self.study.apps),
            "seed": self.seed,
        });
        if let Some(spent) = self.effort {
            rest["effort"] = effort(spent);
        }
        if let Some((draws, _)) = &self.uncertainty {
            head["intervals"] = intervals::json(draws);
        }
        for (key, value) in [&head, &rest].into_iter().filter_map(Value::as_object).flatten() {
            document.serialize_entry(key, value)?;
        }
        document.serialize_entry("best", &BestObject::new(&self.best, self.value_interval()))?;
        let alternatives = self.alternatives.iter().map(|rated| AlternativeObject::new(self, rated));
        document.serialize_entry("alternatives", &Sequence(alternatives))?;
        document.serialize_entry("alternatives_complete", &self.alternatives_complete)?;
        let baselines = self.baselines.iter();
        let baselines = baselines.map(|(rated, breaks)| BaselineObject::new(self, rated, *breaks));
        document.serialize_entry("baselines", &Sequence(baselines))?;
        let apps = self.study.apps.iter().zip(goal.alone());
        let alone: serde_json::Map<String, Value> =
            apps.map(|(app, &alone)| (app.name.clone(), number(alone))).collect();
        document.serialize_entry("alone_gflops", &alone)?;
        for further in &self.further {
            document.serialize_entry(further.key, &FurtherObject { explored: self, further })?;
        }
        if let Some(sensitivity) = &self.sensitivity {
            document.serialize_entry("sensitivity", sensitivity)?;
        }
        document.end()
    }
}

impl Explored<'_> {
    fn value_interval(&self) -> Option<Interval> {
        self.uncertainty.as_ref().map(|(_, value)| *value)
    }
}

/// Whether a value is as good as the best, to the precision of the search.
pub fn ties(best: f64, other: f64) -> bool {
    // Also where both are infinite: a makespan without an end.
    other == best || (other - best).abs() <= 1e-9 * best.abs()
}

struct FurtherObject<'a> {
    explored: &'a Explored<'a>,
    further: &'a Further<'a>,
}

impl Serialize for FurtherObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Further { of, best, of_several_models, .. } = self.further;
        let (this, other) = (&best.scenario, &self.explored.best.scenario);
        let is_best = this.allocation == other.allocation && this.placements == other.placements;
        let mut object = serializer.serialize_map(None)?;
        for (key, value) in of {
            object.serialize_entry(key, value)?;
        }
        // The interval is that of the best.
        let value = if is_best && !of_several_models { self.explored.value_interval() } else { None };
        object.serialize_entry("best", &BestObject::new(best, value))?;
        object.end()
    }
}

/// The best allocation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, rename = "Best"))]
struct BestObject<'a> {
    #[serde(flatten)]
    scenario: ScenarioObject<'a>,
    /// The objective, in its unit.
    #[cfg_attr(feature = "schema", schemars(with = "OrNull<f64>"))]
    value: f64,
    /// 95 % interval of `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<[OrNull<f64>; 2]>"))]
    value_interval: Option<[f64; 2]>,
}

impl<'a> BestObject<'a> {
    fn new(rated: &RatedView<'a>, value: Option<Interval>) -> Self {
        let value_interval = value.map(ends);
        Self { scenario: (&rated.scenario).into(), value: plain(rated.value), value_interval }
    }

    /// Of all but the best.
    fn beside(rated: &RatedView<'a>) -> Self {
        Self::new(rated, rated.rival.map(|rival| rival.value))
    }
}

/// Beside the best, on the same draws.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RivalObject {
    /// 95 % interval of how much better the best is, on the same draws.
    #[cfg_attr(feature = "schema", schemars(with = "Option<[OrNull<f64>; 2]>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    difference_interval: Option<[f64; 2]>,
    /// Whether it is told apart from the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    distinguishable: Option<bool>,
}

impl From<Option<&Rival>> for RivalObject {
    fn from(rival: Option<&Rival>) -> Self {
        Self {
            difference_interval: rival.map(|rival| ends(rival.difference)),
            distinguishable: rival.map(|rival| rival.distinguishable),
        }
    }
}

/// Another good allocation.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "Alternative")
)]
struct AlternativeObject<'a> {
    #[serde(flatten)]
    rated: BestObject<'a>,
    #[serde(flatten)]
    rival: RivalObject,
    /// As good as the best.
    tie: bool,
}

impl<'a> AlternativeObject<'a> {
    fn new(explored: &Explored<'_>, rated: &RatedView<'a>) -> Self {
        let tie = ties(explored.best.value, rated.value);
        Self { rated: BestObject::beside(rated), rival: rated.rival.into(), tie }
    }
}

/// What people do without a search.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "Baseline")
)]
struct BaselineObject<'a> {
    #[serde(flatten)]
    rated: BestObject<'a>,
    #[serde(flatten)]
    rival: RivalObject,
    /// How many times as good the best is; null where there is no such factor.
    #[cfg_attr(feature = "schema", schemars(with = "OrNull<f64>"))]
    factor: Option<f64>,
    /// The restriction that it breaks, if any.
    #[cfg_attr(feature = "schema", schemars(with = "OrNull<String>"))]
    breaks: Option<&'a str>,
}

impl<'a> BaselineObject<'a> {
    fn new(explored: &Explored<'_>, rated: &RatedView<'a>, breaks: Option<&'a str>) -> Self {
        let factor = explored.problem.goal().factor(explored.best.value, rated.value).map(plain);
        Self { rated: BestObject::beside(rated), rival: rated.rival.into(), factor, breaks }
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_by_less_than_the_precision_tie() {
        assert!(ties(100.0, 100.0 - 1e-8));
        assert!(!ties(100.0, 100.0 - 1e-6));
        assert!(ties(f64::INFINITY, f64::INFINITY));
    }
}
