//! [`Explored`] as a document.

use numasim_model::{App, AppId, ModelKind};
use numasim_sim::Saturated;
use numasim_sim::intervals::{Interval, Rival};
use numasim_sim::search::over_models::OverModels;
use numasim_sim::search::{Level, Mark, Spent};
use serde::Serialize;

use super::{Baseline, Explored, Fewest, Rated, Robust, Simple};
use crate::caution::{self, CautionObject};
use crate::document::{ByName, Intervals, StudyHead, ends, plain, word, written_as};
use crate::scenario::{BottleneckWord, ScenarioObject};
use crate::sensitivity::SensitivityObject;

written_as!(Explored => ExploredObject);

/// The best allocation, how certain it is, and the allocations that it is compared with.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ExploredObject<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// Source of the intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    intervals: Option<Intervals>,
    /// The objective.
    objective: ObjectiveWord,
    #[serde(flatten)]
    proof: ProofObject,
    /// Cautions about the best.
    cautions: Vec<CautionObject<'a>>,
    /// For the objective `fair`: the applications by their p, in ascending order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    levels: Vec<LevelObject<'a>>,
    /// Nodes on which cores of the best are idle because a resource is full, in ascending order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    saturated: Vec<SaturatedObject<'a>>,
    /// Time of the search, in seconds.
    elapsed_s: f64,
    /// Constraints on the allocation, in words.
    restrictions: Vec<String>,
    /// Seed of the random restarts.
    seed: u64,
    /// Progress within the search budget, if the best is not proven and no time limit was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<Effort>,
    /// The best allocation.
    best: BestObject<'a>,
    /// The next best ones.
    alternatives: Vec<AlternativeObject<'a>>,
    /// Whether no better alternative is missing.
    alternatives_complete: bool,
    /// Baselines that need no search, and the scenarios in the files.
    baselines: Vec<BaselineObject<'a>>,
    /// Maximum GFLOPS of each application alone on the machine under its own constraints.
    alone_gflops: ByName<f64>,
    /// The allocation that is good whichever model is correct.
    #[serde(skip_serializing_if = "Option::is_none")]
    robust: Option<RobustObject<'a>>,
    /// The simplest allocation that is nearly as good.
    #[serde(skip_serializing_if = "Option::is_none")]
    simple: Option<SimpleObject<'a>>,
    /// The allocation with the fewest threads that is nearly as good.
    #[serde(skip_serializing_if = "Option::is_none")]
    fewest: Option<FewestObject<'a>>,
    /// With `--sensitivity`: gains from more resources, and ranges of inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivity: Option<SensitivityObject<'a>>,
}

/// The value of the best, and how certain it is that no allocation is better.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ProofObject {
    /// Whether it is proven that no allocation is better.
    status: StatusWord,
    /// Value of the best: weighted GFLOPS, a p between 0 and 1, or seconds; null if it is not finite.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    value: f64,
    /// Bound on the value of every allocation, in the unit of `value`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    bound: f64,
    /// |bound - value| / |bound|.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    gap: f64,
    /// The reason why it is not proven; null if it is.
    unproven: Option<UnprovenWord>,
}

impl From<&Explored> for ProofObject {
    fn from(found: &Explored) -> Self {
        Self {
            status: StatusWord(found.status()),
            value: plain(found.best.value),
            bound: plain(found.bound),
            gap: plain(found.gap),
            unproven: found.unproven.map(|why| UnprovenWord(why.as_str())),
        }
    }
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
            proof: found.into(),
            cautions: found.cautions.iter().map(|one| caution::object(one, apps)).collect(),
            levels: found.levels.iter().map(|level| LevelObject::new(level, apps)).collect(),
            saturated: found.saturated.iter().map(|one| SaturatedObject::new(one, apps)).collect(),
            elapsed_s: plain(found.elapsed_s),
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
            fewest: found.fewest.as_ref().map(|fewest| FewestObject::new(fewest, &found.best, value)),
            sensitivity: found.sensitivity.as_ref().map(|one| SensitivityObject::new(one, &found.problem)),
        }
    }
}

word!(
    ObjectiveWord,
    "Objective",
    "What is best.",
    numasim_sim::Objective::ALL.map(numasim_sim::Objective::as_str)
);
word!(StatusWord, "Status", "How sure the answer is.", ["optimal", "feasible"]);
word!(
    UnprovenWord,
    "Unproven",
    "Why nothing is proven.",
    super::WhyUnproven::ALL.map(super::WhyUnproven::as_str)
);

/// Progress of a search within its budget.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Effort {
    /// The fraction of the search budget that was used, 0 to 1.
    spent: f64,
    /// The state after a quarter and after half of the search budget.
    history: Vec<Meanwhile>,
}

/// The state of a search at a point in time.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Meanwhile {
    /// The fraction of the search budget that was used, 0 to 1.
    effort: f64,
    /// Value of the best so far.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    value: f64,
    /// Bound on the value of every allocation.
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

/// The applications with the same p.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LevelObject<'a> {
    /// GFLOPS of each, as a fraction of its stand-alone GFLOPS under its own constraints.
    p: f64,
    /// Their names, in the order of the files.
    apps: Vec<&'a str>,
    /// Whether it is proven that no permitted allocation is better at this level and as good below it.
    proven: bool,
}

impl<'a> LevelObject<'a> {
    fn new(level: &Level, apps: &'a [App]) -> Self {
        let names = level.apps.iter().map(|app| apps[app.0].name.as_str());
        Self { p: plain(level.p), apps: names.collect(), proven: level.proven }
    }
}

/// A node with idle cores whose threads wait for a full resource.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SaturatedObject<'a> {
    /// The node.
    node: u64,
    /// The full resource, as in `bottleneck_per_node`.
    by: BottleneckWord,
    /// The applications that wait for it.
    apps: Vec<WaitingObject<'a>>,
    /// Whether one thread less of any application is worse.
    least: bool,
}

/// An application whose threads wait.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WaitingObject<'a> {
    /// Its name.
    name: &'a str,
    /// Its hardware threads on the node.
    threads: u32,
}

impl<'a> SaturatedObject<'a> {
    fn new(of: &Saturated, apps: &'a [App]) -> Self {
        let waiting = |&(app, threads): &(AppId, u32)| WaitingObject { name: &apps[app.0].name, threads };
        Self {
            node: of.node.0 as u64,
            by: BottleneckWord(of.by.kind()),
            apps: of.apps.iter().map(waiting).collect(),
            least: of.is_least,
        }
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

    /// For an allocation that may be the best itself, with the interval `value`.
    fn near(rated: &'a Rated, best: &Rated, value: Option<Interval>) -> Self {
        Self::new(rated, value.filter(|_| rated.is_as(best)))
    }

    /// For all allocations except the best.
    fn beside(rated: &'a Rated) -> Self {
        Self::new(rated, rated.rival.as_ref().map(|rival| rival.value))
    }
}

/// Comparison with the best, on the same drawn machines.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RivalObject {
    /// 95 % interval of the difference between the best and this allocation, on the same drawn machines.
    #[cfg_attr(feature = "schema", schemars(with = "Option<[Option<f64>; 2]>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    difference_interval: Option<[f64; 2]>,
    /// Whether the difference from the best is statistically distinguishable.
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
    /// Whether it is as good as the best.
    tie: bool,
}

/// A baseline that needs no search.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BaselineObject<'a> {
    #[serde(flatten)]
    rated: BestObject<'a>,
    #[serde(flatten)]
    rival: RivalObject,
    /// Ratio of the best to this value; null if the ratio is undefined.
    factor: Option<f64>,
    /// The constraint that it violates, if any.
    breaks: Option<&'a str>,
}

/// The placement that is good whichever model is correct: `worst_regret`, `bound`, `regrets` and `others`. Beyond the contract it
/// contains `status`, `at_most` (the worst regret if the bests that are not proven are as good as their bounds), `models` and `left_out`.
/// `best` is the placement under the first model, without intervals, because intervals would be those of one model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RobustObject<'a> {
    /// Its largest loss relative to the best of a model, as a fraction.
    worst_regret: f64,
    /// Bound on the worst regret of every placement.
    bound: f64,
    /// Whether the bound is proven to be reached.
    status: &'static str,
    /// Its worst regret if the bests that are not proven are as good as their bounds.
    at_most: f64,
    /// Its loss under each model.
    regrets: ByName<f64>,
    /// Losses of the best of each model and of the baselines under each model.
    others: ByName<ByName<f64>>,
    /// The best of each model.
    models: ByName<OfModel>,
    /// Models that are left out.
    left_out: Vec<LeftOutObject>,
    /// The placement under the first model.
    best: BestObject<'a>,
}

/// Proof state of the best of a model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OfModel {
    /// Its value.
    value: f64,
    /// Bound on the value of every allocation.
    bound: f64,
    /// Whether it is proven that no allocation is better.
    proven: bool,
}

/// A model that is left out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LeftOutObject {
    /// Its name.
    model: &'static str,
    /// The reason.
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

/// An allocation that loses at most a given share of the best.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NearObject<'a> {
    /// Its loss as a share of the best. For the fewest threads under `fair`: the largest share at one position of the sorted p.
    loss: f64,
    /// The maximum share that it may lose.
    within: f64,
    /// Whether it is proven that no simpler allocation, or none with fewer threads, loses as little.
    proven: bool,
    /// The allocation.
    best: BestObject<'a>,
}

/// The simplest allocation that loses at most the share `within` of the best.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SimpleObject<'a> {
    /// Number of different thread counts in it.
    different_numbers: usize,
    /// Whether applications share nodes.
    shared_nodes: bool,
    #[serde(flatten)]
    near: NearObject<'a>,
}

impl<'a> SimpleObject<'a> {
    /// `value`: the interval of the best.
    fn new(simple: &'a Simple, best: &Rated, value: Option<Interval>) -> Self {
        Self {
            different_numbers: simple.found.simplicity.numbers,
            shared_nodes: simple.found.simplicity.mixed,
            near: NearObject {
                loss: plain(simple.found.loss),
                within: plain(simple.within),
                proven: simple.found.proven,
                best: BestObject::near(&simple.rated, best, value),
            },
        }
    }
}

/// The allocation with the smallest total number of threads that loses at most the share `within` of the best.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FewestObject<'a> {
    /// Total number of hardware threads of all applications.
    threads: u64,
    #[serde(flatten)]
    near: NearObject<'a>,
}

impl<'a> FewestObject<'a> {
    /// `value`: the interval of the best.
    fn new(fewest: &'a Fewest, best: &Rated, value: Option<Interval>) -> Self {
        Self {
            threads: fewest.found.threads,
            near: NearObject {
                loss: plain(fewest.found.loss),
                within: plain(fewest.within),
                proven: fewest.found.proven,
                best: BestObject::near(&fewest.rated, best, value),
            },
        }
    }
}
