//! What [`explore`](crate::explore()) found, as values and as a document.

use std::sync::Arc;

use numasim_course::Study;
use numasim_model::{App, ModelKind};
use numasim_sim::intervals::{Draws, Interval, Rival};
use numasim_sim::search::over_models::OverModels;
use numasim_sim::search::{Level, Mark, Outcome, Simplest, Spent, Status};
use numasim_sim::sensitivity::Sensitivity;
use numasim_sim::{Candidate, Caution, Objective, Problem};
use serde::Serialize;

use crate::caution::{self, CautionObject};
use crate::document::{ByName, Intervals, StudyHead, ends, plain, word, written_as};
use crate::scenario::ScenarioObject;
use crate::sensitivity::SensitivityObject;
use crate::{EvaluatedScenario, warning};

numasim_model::words! {
    /// Why an answer is not proven.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum WhyUnproven {
        /// Somebody ended the search.
        Interrupted = "interrupted",
        /// Its time was over.
        TimeLimit = "time-limit",
        /// The space is larger than what the search covers.
        TooLarge = "too-large",
        /// The sharing model lacks what proofs need.
        Model = "model",
    }
}

impl WhyUnproven {
    /// Of what a search has found, which `ended` may have ended before; `None` where it is proven.
    pub fn of(outcome: &Outcome, problem: &Problem, ended: Option<Self>) -> Option<Self> {
        let by_itself =
            || if problem.proofs_apply(&outcome.best.placements) { Self::TooLarge } else { Self::Model };
        (outcome.status != Status::Optimal).then(|| ended.unwrap_or_else(by_itself))
    }
}

/// `optimal` or `feasible`.
pub(crate) const fn status_of(unproven: Option<WhyUnproven>) -> &'static str {
    if unproven.is_none() { "optimal" } else { "feasible" }
}

/// An allocation with its value.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The allocation and what becomes of it; `best`, `alternative 1`, or the name of a baseline.
    pub scenario: Arc<EvaluatedScenario>,
    /// Value of the objective.
    pub value: f64,
    /// The allocation, for other questions about the problem.
    pub candidate: Candidate,
    /// Beside the best on the same uncertain machines; of alternatives and baselines.
    pub rival: Option<Rival>,
}

/// What people do without a search: `even`, `one app per node`, and the scenarios of the files.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The allocation.
    pub rated: Rated,
    /// The restriction that it breaks, if any.
    pub breaks: Option<String>,
}

/// The placement that is good whichever of several models is right.
#[derive(Clone, Debug)]
pub struct Robust {
    /// What it and others lose under each model.
    pub over: OverModels,
    /// The placement under the first model.
    pub best: Rated,
    /// Seconds of all searches.
    pub elapsed_s: f64,
}

/// The simplest placement that loses little of the best.
#[derive(Clone, Debug)]
pub struct Simple {
    /// The placement.
    pub rated: Rated,
    /// What it loses, and how simple it is.
    pub found: Simplest,
    /// The share of the best that it may lose.
    pub within: f64,
    /// Whether it is the best itself.
    pub is_best: bool,
}

/// The best placement that was found, how good it can be at most, and what it is compared with.
///
/// Beyond the contract, its document has: `cautions` (what to know beside value and status), `unproven`, `effort` (of an unproven search
/// without a time limit), `restrictions`, `seed`, `alternatives_complete`, `alone_gflops`.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What was asked about.
    pub study: Arc<Study>,
    /// What was asked.
    pub problem: Problem,
    /// Seed of the random restarts.
    pub seed: u64,
    /// What to know about the best beside its value.
    pub cautions: Vec<Caution>,
    /// The best allocation.
    pub best: Rated,
    /// No allocation has a better value.
    pub bound: f64,
    /// |bound - value| / |bound|.
    pub gap: f64,
    /// For `fair`: the levels of p, from the smallest up; else none.
    pub levels: Vec<Level>,
    /// Why the best is not proven; `None` if it is.
    pub unproven: Option<WhyUnproven>,
    /// What the effort has brought so far; `None` if the best is proven, or had a time limit instead.
    pub effort: Option<Spent>,
    /// Seconds of the search.
    pub elapsed_s: f64,
    /// The next best ones.
    pub alternatives: Vec<Rated>,
    /// No better alternative is missing.
    pub alternatives_complete: bool,
    /// What people do without a search.
    pub baselines: Vec<Baseline>,
    /// The placement that is good whichever model is right, if it was asked for.
    pub robust: Option<Robust>,
    /// The simplest placement that is nearly as good, if it was asked for.
    pub simple: Option<Simple>,
    /// What wider resources are worth, and how wrong inputs may be, if that was asked for.
    pub sensitivity: Option<Sensitivity>,
    /// Where the intervals come from, and that of the best value; `None` if nothing of the machine is uncertain.
    pub uncertainty: Option<(Draws, Interval)>,
    /// Models that are left out, and why there are no intervals.
    pub warnings: Vec<String>,
}

impl Explored {
    /// `optimal` or `feasible`.
    pub const fn status(&self) -> &'static str {
        status_of(self.unproven)
    }

    /// What the best is compared with: alternatives, then baselines.
    pub fn others(&self) -> impl Iterator<Item = &Rated> {
        self.alternatives.iter().chain(self.baselines.iter().map(|one| &one.rated))
    }

    /// Best, alternatives, robust placement, baselines and, if it is another one, the simplest, each with its role.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Rated)> {
        std::iter::once(("best", &self.best))
            .chain(self.alternatives.iter().map(|rated| ("alternative", rated)))
            .chain(self.robust.iter().map(|robust| ("robust", &robust.best)))
            .chain(self.baselines.iter().map(|one| ("baseline", &one.rated)))
            .chain(
                self.simple.iter().filter(|simple| !simple.is_best).map(|simple| ("simple", &simple.rated)),
            )
    }

    /// Whether `rated` is as good as the best, to the precision of the search.
    pub fn ties(&self, rated: &Rated) -> bool {
        ties(self.best.value, rated.value)
    }

    /// What to know before trusting the figures of best and baselines, and the objective, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let best = warning::facts(&self.best.scenario.evaluation.warnings);
        let best = best.into_iter().map(|facts| format!("the best allocation: {facts}"));
        // With their figures in JSON; here they would hide what is said of the best.
        let baselines = self.baselines.iter().filter_map(|one| {
            let summary = warning::summary(&one.rated.scenario.evaluation.warnings)?;
            Some(format!("baseline '{}': {summary}", one.rated.scenario.name))
        });
        let mut notes: Vec<String> = best.chain(baselines).collect();
        if let Some(first) = notes.first_mut() {
            first.push(' ');
            first.push_str(warning::RULE);
        }
        notes.extend(hopeless(&self.problem));
        notes
    }
}

/// Names the applications that get nothing in any allocation.
pub fn hopeless(problem: &Problem) -> Vec<String> {
    let objective = problem.goal().objective();
    if !matches!(objective, Objective::Fair | Objective::Geomean) {
        return Vec::new();
    }
    let apps = problem.apps().iter().zip(problem.goal().alone()).filter(|(_, alone)| **alone == 0.0);
    apps.map(|(app, _)| {
        format!(
            "'{}' gets 0 GFLOPS even alone on the machine, so no allocation is better than \
             another for the objective {}; total-gflops still distinguishes them",
            app.name,
            objective.as_str()
        )
    })
    .collect()
}

/// Whether a value is as good as the best, to the precision of the search.
pub fn ties(best: f64, other: f64) -> bool {
    // Also where both are infinite: a makespan without an end.
    other == best || (other - best).abs() <= 1e-9 * best.abs()
}

written_as!(Explored => ExploredObject);

/// The best allocation, how sure that is, and what it is compared with.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ExploredObject<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// Where intervals come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    intervals: Option<Intervals>,
    /// What is best.
    objective: ObjectiveWord,
    /// Whether it is proven that nothing is better.
    status: StatusWord,
    /// What to know of the best beside its value.
    cautions: Vec<CautionObject<'a>>,
    /// Value of the best: weighted GFLOPS, a p between 0 and 1, or seconds; null where there is no finite one.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    value: f64,
    /// No allocation is better than this, in the unit of `value`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    bound: f64,
    /// |bound - value| / |bound|.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    gap: f64,
    /// For the objective `fair`: the applications by their p, from the smallest p up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    levels: Vec<LevelObject<'a>>,
    /// Time of the search, in seconds.
    elapsed_s: f64,
    /// Why it is not proven; null where it is.
    unproven: Option<UnprovenWord>,
    /// What the allocation may not do, in words.
    restrictions: Vec<String>,
    /// Seed of the random restarts.
    seed: u64,
    /// What the effort has brought, where the best is not proven and no time limit was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<Effort>,
    /// The best allocation.
    best: BestObject<'a>,
    /// The next best ones.
    alternatives: Vec<AlternativeObject<'a>>,
    /// No better alternative is missing.
    alternatives_complete: bool,
    /// What people do without a search, and the scenarios of the files.
    baselines: Vec<BaselineObject<'a>>,
    /// The most GFLOPS of each application alone on the machine under its own constraints.
    alone_gflops: ByName<f64>,
    /// The allocation that is good whichever model is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    robust: Option<RobustObject<'a>>,
    /// The simplest allocation that is nearly as good.
    #[serde(skip_serializing_if = "Option::is_none")]
    simple: Option<SimpleObject<'a>>,
    /// With `--sensitivity`: gains of wider resources and ranges of inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivity: Option<SensitivityObject<'a>>,
}

impl<'a> From<&'a Explored> for ExploredObject<'a> {
    fn from(found: &'a Explored) -> Self {
        let (goal, apps) = (found.problem.goal(), &found.study.apps);
        let value = found.uncertainty.as_ref().map(|(_, value)| *value);
        let alone = apps.iter().zip(goal.alone());
        Self {
            head: StudyHead::of("explore", &found.study.machine),
            intervals: found.uncertainty.as_ref().map(|(draws, _)| draws.into()),
            objective: ObjectiveWord(goal.objective().as_str()),
            status: StatusWord(found.status()),
            cautions: found.cautions.iter().map(|one| caution::object(one, apps)).collect(),
            value: plain(found.best.value),
            bound: plain(found.bound),
            gap: plain(found.gap),
            levels: found.levels.iter().map(|level| LevelObject::new(level, apps)).collect(),
            elapsed_s: plain(found.elapsed_s),
            unproven: found.unproven.map(|why| UnprovenWord(why.as_str())),
            restrictions: found.problem.restrictions().describe(apps),
            seed: found.seed,
            effort: found.effort.as_ref().map(Effort::from),
            best: BestObject::new(&found.best, value),
            alternatives: found
                .alternatives
                .iter()
                .map(|rated| AlternativeObject {
                    rated: BestObject::beside(rated),
                    rival: rated.rival.as_ref().into(),
                    tie: found.ties(rated),
                })
                .collect(),
            alternatives_complete: found.alternatives_complete,
            baselines: found
                .baselines
                .iter()
                .map(|Baseline { rated, breaks }| BaselineObject {
                    rated: BestObject::beside(rated),
                    rival: rated.rival.as_ref().into(),
                    factor: goal.factor(found.best.value, rated.value).map(plain),
                    breaks: breaks.as_deref(),
                })
                .collect(),
            alone_gflops: ByName(alone.map(|(app, &alone)| (app.name.clone(), plain(alone))).collect()),
            robust: found.robust.as_ref().map(RobustObject::from),
            simple: found.simple.as_ref().map(|simple| SimpleObject::new(simple, &found.best, value)),
            sensitivity: found.sensitivity.as_ref().map(|one| SensitivityObject::new(one, &found.problem)),
        }
    }
}

word!(ObjectiveWord, "Objective", "What is best.", Objective::ALL.map(Objective::as_str));
word!(StatusWord, "Status", "How sure the answer is.", ["optimal", "feasible"]);
word!(UnprovenWord, "Unproven", "Why nothing is proven.", WhyUnproven::ALL.map(WhyUnproven::as_str));

/// What the effort of a search has brought.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Effort {
    /// The part of the effort that was spent, 0 to 1.
    spent: f64,
    /// What was known when a quarter and half of it were.
    history: Vec<Meanwhile>,
}

/// What was known while a search went on.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Meanwhile {
    /// The part of the effort that was spent, 0 to 1.
    effort: f64,
    /// Value of the best so far.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    value: f64,
    /// No allocation is better than this.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    bound: f64,
    /// |bound - value| / |bound|.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    gap: f64,
    /// Time since the start, in seconds.
    elapsed_s: f64,
}

impl From<&Spent> for Effort {
    fn from(spent: &Spent) -> Self {
        let meanwhile = |mark: &Mark| Meanwhile {
            effort: plain(mark.effort),
            value: plain(mark.value),
            bound: plain(mark.bound),
            gap: plain(mark.gap()),
            elapsed_s: plain(mark.elapsed_s),
        };
        Self { spent: plain(spent.part), history: spent.marks.iter().map(meanwhile).collect() }
    }
}

/// The applications with one p.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LevelObject<'a> {
    /// GFLOPS of each, as a part of what it has alone under its own constraints.
    p: f64,
    /// Their names, in the order of the files.
    apps: Vec<&'a str>,
    /// No permitted allocation is better at this level and as good below it.
    proven: bool,
}

impl<'a> LevelObject<'a> {
    fn new(level: &Level, apps: &'a [App]) -> Self {
        let names = level.apps.iter().map(|app| apps[app.0].name.as_str());
        Self { p: plain(level.p), apps: names.collect(), proven: level.proven }
    }
}

/// The best allocation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BestObject<'a> {
    #[serde(flatten)]
    scenario: ScenarioObject<'a>,
    /// The objective, in its unit.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    value: f64,
    /// 95 % interval of `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<[Option<f64>; 2]>"))]
    value_interval: Option<[f64; 2]>,
}

impl<'a> BestObject<'a> {
    fn new(rated: &'a Rated, value: Option<Interval>) -> Self {
        let scenario = (&rated.scenario.view()).into();
        Self { scenario, value: plain(rated.value), value_interval: value.map(ends) }
    }

    /// Of all but the best.
    fn beside(rated: &'a Rated) -> Self {
        Self::new(rated, rated.rival.as_ref().map(|rival| rival.value))
    }
}

/// Beside the best, on the same draws.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RivalObject {
    /// 95 % interval of how much better the best is, on the same draws.
    #[cfg_attr(feature = "schema", schemars(with = "Option<[Option<f64>; 2]>"))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AlternativeObject<'a> {
    #[serde(flatten)]
    rated: BestObject<'a>,
    #[serde(flatten)]
    rival: RivalObject,
    /// As good as the best.
    tie: bool,
}

/// What people do without a search.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BaselineObject<'a> {
    #[serde(flatten)]
    rated: BestObject<'a>,
    #[serde(flatten)]
    rival: RivalObject,
    /// How many times as good the best is; null where there is no such factor.
    factor: Option<f64>,
    /// The restriction that it breaks, if any.
    breaks: Option<&'a str>,
}

/// The placement that is good whichever model is right: `worst_regret`, `bound`, `regrets` and `others`; beyond the contract `status`,
/// `at_most` (the worst regret if the bests that are not proven are as good as their bounds), `models` and `left_out`. `best` is the
/// placement under the first model, without intervals, which would be those of one model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RobustObject<'a> {
    /// What it loses at most of the best of a model, as a share.
    worst_regret: f64,
    /// No placement has a smaller worst regret.
    bound: f64,
    /// Whether that is proven.
    status: &'static str,
    /// Its worst regret if the bests that are not proven are as good as their bounds.
    at_most: f64,
    /// What it loses under each model.
    regrets: ByName<f64>,
    /// What the best of each model and the baselines lose under each model.
    others: ByName<ByName<f64>>,
    /// The best of each model.
    models: ByName<OfModel>,
    /// Models that are left out.
    left_out: Vec<LeftOutObject>,
    /// The placement under the first model.
    best: BestObject<'a>,
}

/// What is known of the best of a model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OfModel {
    /// Its value.
    value: f64,
    /// No allocation is better than this.
    bound: f64,
    /// Whether nothing is better.
    proven: bool,
}

/// A model that is left out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LeftOutObject {
    /// Its name.
    model: &'static str,
    /// Why.
    reason: String,
}

impl<'a> From<&'a Robust> for RobustObject<'a> {
    fn from(robust: &'a Robust) -> Self {
        let OverModels { found, kinds, left_out, others } = &robust.over;
        let models = kinds.iter().zip(&found.models).map(|(kind, of)| {
            let known = OfModel { value: plain(of.value), bound: plain(of.bound), proven: of.proven };
            (kind.as_str().to_owned(), known)
        });
        let others = others.iter().map(|(name, regrets)| (name.clone(), by_model(kinds, regrets)));
        let left_out = left_out
            .iter()
            .map(|one| LeftOutObject { model: one.kind.as_str(), reason: one.reason.to_string() });
        Self {
            worst_regret: plain(found.worst_regret),
            bound: plain(found.bound),
            status: found.status.word(),
            at_most: plain(found.at_most),
            regrets: by_model(kinds, &found.regrets),
            others: ByName(others.collect()),
            models: ByName(models.collect()),
            left_out: left_out.collect(),
            best: BestObject::new(&robust.best, None),
        }
    }
}

fn by_model(kinds: &[ModelKind], regrets: &[f64]) -> ByName<f64> {
    let entries = kinds.iter().zip(regrets);
    ByName(entries.map(|(kind, &regret)| (kind.as_str().to_owned(), plain(regret))).collect())
}

/// The simplest allocation that loses at most the share `within` of the best.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SimpleObject<'a> {
    /// What it loses of the best, as a share.
    loss: f64,
    /// What it may lose.
    within: f64,
    /// Whether no simpler one loses as little.
    proven: bool,
    /// How many different numbers of threads it has.
    different_numbers: usize,
    /// Whether applications share nodes.
    shared_nodes: bool,
    /// The allocation.
    best: BestObject<'a>,
}

impl<'a> SimpleObject<'a> {
    /// `value`: the interval of the best.
    fn new(simple: &'a Simple, best: &Rated, value: Option<Interval>) -> Self {
        let (this, other) = (&simple.rated.scenario, &best.scenario);
        let is_best = this.allocation == other.allocation && this.placements == other.placements;
        Self {
            loss: plain(simple.found.loss),
            within: plain(simple.within),
            proven: simple.found.proven,
            different_numbers: simple.found.simplicity.numbers,
            shared_nodes: simple.found.simplicity.mixed,
            best: BestObject::new(&simple.rated, value.filter(|_| is_best)),
        }
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
