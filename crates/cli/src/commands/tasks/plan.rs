//! `--plan PLAN`: what a plan says of the graph that is simulated.

use numasim_ask::of_tasks;
use numasim_model::graph::{SchedulerKind, TaskGraph};
use numasim_model::{NodeId, Study};
use numasim_plan::{File, GraphPlan, guide};
use numasim_tasks::Settings;

use crate::args::TasksArgs;
use crate::failure::Failure;
use crate::files::{PlainFiles, Stop};

/// The plan for the graph, where a scheduler goes by one.
///
/// # Errors
/// A plan that no scheduler asks for, or a scheduler without one; what is wrong with its files.
pub(super) fn of(
    args: &TasksArgs,
    settings: &[Settings],
    study: &Study,
    graph: &TaskGraph,
) -> Result<Option<GraphPlan>, Failure> {
    let asked = settings.iter().any(|settings| settings.scheduler.kind == SchedulerKind::Plan);
    let folder = match (&args.plan, asked) {
        (None, false) => return Ok(None),
        (Some(folder), true) => folder,
        (None, true) => return Err(of_tasks::plan_needed().into()),
        (Some(folder), false) => {
            return Err(Failure::input(format!("no scheduler goes by --plan {}", folder.display()))
                .hint("give --scheduler plan"));
        }
    };
    let nodes: Vec<NodeId> = study.machine.compute_nodes().collect();
    let expected = "a plan is a folder that `numasim plan` has written";
    let files = PlainFiles::in_folder(folder, &[File::PlanTree, File::PlanDbs], expected)?;
    let guide = guide::<Stop>(nodes.len(), |file, each| files.feed(file, each))
        .map_err(|stop| files.failure(stop))?;
    files.are_unchanged()?;
    Ok(Some(GraphPlan::of(&guide, graph, &nodes)))
}
