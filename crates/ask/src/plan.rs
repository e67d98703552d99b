//! Plan: where to place the tasks and blocks of a profile, or of one graph.

use numasim_plan::plan::Promise;
use numasim_plan::{Class, ClassId, Plan, PlannedClass};
use numasim_tasks::Advice;
use serde::Serialize;

use crate::document::{Head, plain};
use crate::table::Of;

/// The plan of a profile: its size.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfilePlan {
    #[serde(flatten)]
    head: Head,
    /// The pattern of blocks.
    pattern: &'static str,
    /// Nodes of the machine.
    nodes: usize,
    /// Tasks of the profile.
    tasks: usize,
    /// Classes of tasks.
    classes: usize,
    /// Classes without a placement preference.
    no_opinion: usize,
    /// Blocks of the profile.
    blocks: u64,
    /// Classes of blocks.
    block_classes: usize,
}

impl From<&Plan> for ProfilePlan {
    fn from(plan: &Plan) -> Self {
        Self {
            head: Head::of("plan"),
            pattern: plan.pattern().as_str(),
            nodes: plan.nodes(),
            tasks: plan.classes().task_count(),
            classes: plan.classes().all().len(),
            no_opinion: plan.no_opinion(),
            blocks: plan.block_count(),
            block_classes: plan.blocks().len(),
        }
    }
}

/// A class of tasks, and its placement.
pub type PlannedRow<'v> = (ClassId, &'v Class, &'v PlannedClass);

/// The columns of the plan of a profile: a row for each class of tasks; a class without a placement preference has no node.
pub fn of_profile<'v>(plan: &'v Plan) -> [Of<'v, PlannedRow<'v>>; 5] {
    let templates = plan.classes().templates();
    [
        Of::whole("class", |(number, ..): &PlannedRow<'v>| number.0),
        Of::text("template", |(_, class, _): &PlannedRow<'v>| templates.name(class.template)),
        Of::whole("node", |(.., planned): &PlannedRow<'v>| planned.node),
        Of::whole("tasks", |(_, class, _): &PlannedRow<'v>| class.tasks),
        Of::number("work_s", |(.., planned): &PlannedRow<'v>| planned.work_s),
    ]
}

/// The plan of one graph: its predicted gain.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphPlan<'a> {
    #[serde(flatten)]
    head: Head,
    /// Name of the graph.
    graph: &'a str,
    /// Name of the machine.
    machine: &'a str,
    /// Its tasks.
    tasks: usize,
    /// Its blocks.
    blocks: usize,
    /// The method that places the tasks.
    placed_by: &'a str,
    /// The method that places the blocks.
    homes: &'a str,
    /// Predicted makespan, in seconds.
    makespan_s: f64,
    /// Makespan without the plan, in seconds.
    before_s: f64,
    /// before / makespan.
    gain: f64,
    /// Lower bound on the makespan, in seconds.
    bound_s: f64,
    /// The limit behind the bound.
    bound_by: &'static str,
    /// before / bound.
    gain_at_most: f64,
}

impl<'a> GraphPlan<'a> {
    /// The predicted gain of the advice for a graph.
    pub fn new(advice: &'a Advice, promise: &Promise<'a>) -> Self {
        Self {
            head: Head::of("plan"),
            graph: advice.graph.name(),
            machine: promise.machine,
            tasks: advice.graph.task_count(),
            blocks: advice.graph.blocks().len(),
            placed_by: promise.scheduler,
            homes: promise.homes,
            makespan_s: plain(promise.makespan_s),
            before_s: plain(promise.before_s),
            gain: plain(promise.gain()),
            bound_s: plain(promise.bound_s),
            bound_by: advice.bound.because_of.as_str(),
            gain_at_most: plain(promise.gain_at_most()),
        }
    }

    /// The columns of its CSV, which has one row.
    pub fn columns<'v>() -> [Of<'v, &'v Self>; 7] {
        [
            Of::text("placed_by", |plan: &&'v Self| plan.placed_by),
            Of::text("homes", |plan: &&'v Self| plan.homes),
            Of::number("makespan_s", |plan: &&'v Self| plan.makespan_s),
            Of::number("before_s", |plan: &&'v Self| plan.before_s),
            Of::number("gain", |plan: &&'v Self| plan.gain),
            Of::number("bound_s", |plan: &&'v Self| plan.bound_s),
            Of::number("gain_at_most", |plan: &&'v Self| plan.gain_at_most),
        ]
    }
}
