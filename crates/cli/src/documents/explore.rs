//! `numasim explore`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::scenario::scenario;
use super::{Intervals, OrNull};

/// The best allocation, how sure that is, and what it is compared with.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Explore {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "explore"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// The sharing model.
    model: String,
    /// Its parameters, where they are not the defaults; `numasim models` has their units.
    model_parameters: Option<BTreeMap<String, f64>>,
    /// Where intervals come from.
    intervals: Option<Intervals>,
    /// What is best.
    objective: Objective,
    /// Whether it is proven that nothing is better.
    status: Status,
    /// What to know of the best beside its value.
    cautions: Vec<Caution>,
    /// Value of the best: weighted GFLOPS, a p between 0 and 1, or seconds; null where there is no finite one.
    value: OrNull<f64>,
    /// No allocation is better than this, in the unit of `value`.
    bound: OrNull<f64>,
    /// |bound - value| / |bound|.
    gap: OrNull<f64>,
    /// Time of the search, in seconds.
    elapsed_s: f64,
    /// Why it is not proven; null where it is.
    unproven: OrNull<Unproven>,
    /// What the allocation may not do, in words.
    restrictions: Vec<String>,
    /// Seed of the random restarts.
    seed: u64,
    /// What the effort has brought, where the best is not proven and no time limit was given.
    effort: Option<Effort>,
    /// The best allocation.
    best: Best,
    /// The next best ones.
    alternatives: Vec<Alternative>,
    /// No better alternative is missing.
    alternatives_complete: bool,
    /// What people do without a search, and the scenarios of the files.
    baselines: Vec<Baseline>,
    /// GFLOPS of each application alone on the whole machine.
    alone_gflops: BTreeMap<String, f64>,
    /// With `--sensitivity`: gains of wider resources and ranges of inputs.
    sensitivity: Option<Sensitivity>,
    /// The simplest allocation that is nearly as good.
    simple: Option<BTreeMap<String, Value>>,
    /// The allocation that is good whichever model is right.
    robust: Option<BTreeMap<String, Value>>,
}

/// What is best.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum Objective {
    TotalGflops,
    Fair,
    Geomean,
    Makespan,
}

/// How sure the answer is.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum Status {
    Optimal,
    Feasible,
}

/// Why nothing is proven.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum Unproven {
    Interrupted,
    TimeLimit,
    TooLarge,
    Model,
}

/// What the effort of a search has brought.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Effort {
    /// The part of the effort that was spent, 0 to 1.
    spent: f64,
    /// What was known when a quarter and half of it were.
    history: Vec<Meanwhile>,
}

/// What was known while a search went on.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Meanwhile {
    /// The part of the effort that was spent, 0 to 1.
    effort: f64,
    /// Value of the best so far.
    value: OrNull<f64>,
    /// No allocation is better than this.
    bound: OrNull<f64>,
    /// |bound - value| / |bound|.
    gap: OrNull<f64>,
    /// Time since the start, in seconds.
    elapsed_s: f64,
}

/// What to know of an allocation beside its value.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Caution {
    /// A stable word.
    code: String,
    /// The applications that it is about.
    apps: Option<Vec<String>>,
    /// The nodes that it is about.
    nodes: Option<Vec<u64>>,
    /// The same in words.
    message: String,
}

scenario! {
    /// The best allocation.
    Best {
        /// The objective, in its unit.
        value: OrNull<f64>,
        /// 95 % interval of `value`.
        value_interval: Option<[OrNull<f64>; 2]>,
    }
}

scenario! {
    /// Another good allocation.
    Alternative {
        /// The objective, in its unit.
        value: OrNull<f64>,
        /// 95 % interval of `value`.
        value_interval: Option<[OrNull<f64>; 2]>,
        /// 95 % interval of how much better the best is, on the same draws.
        difference_interval: Option<[OrNull<f64>; 2]>,
        /// Whether it is told apart from the best.
        distinguishable: Option<bool>,
        /// As good as the best.
        tie: bool,
    }
}

scenario! {
    /// What people do without a search.
    Baseline {
        /// The objective, in its unit.
        value: OrNull<f64>,
        /// 95 % interval of `value`.
        value_interval: Option<[OrNull<f64>; 2]>,
        /// 95 % interval of how much better the best is, on the same draws.
        difference_interval: Option<[OrNull<f64>; 2]>,
        /// Whether it is told apart from the best.
        distinguishable: Option<bool>,
        /// How many times as good the best is; null where there is no such factor.
        factor: OrNull<f64>,
        /// The restriction that it breaks, if any.
        breaks: OrNull<String>,
    }
}

/// The answer under changed figures.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Sensitivity {
    /// Nothing is missing.
    complete: bool,
    /// The unit of gains.
    gain_unit: String,
    /// The smallest and the largest factor that was tried.
    factors: [f64; 2],
    /// Allocations that the best is compared with.
    compared_with: u64,
    /// A better allocation that was found on the way.
    better: OrNull<Placed>,
    /// What wider resources are worth.
    widening: Vec<BTreeMap<String, Value>>,
    /// How wrong inputs may be before another allocation wins.
    inputs: Vec<BTreeMap<String, Value>>,
}

/// Who runs where.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Placed {
    /// The objective, in its unit.
    value: OrNull<f64>,
    /// The applications.
    apps: Vec<PlacedApp>,
}

/// One application.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PlacedApp {
    /// Its name.
    name: String,
    /// Threads on each node.
    threads: Vec<u32>,
    /// The node of its data, where all of it is on one.
    home: OrNull<u64>,
}
