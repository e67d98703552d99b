//! `--plan PLAN`: what a plan says of the graph that is simulated.

use numasim_ask::Tasks;
use numasim_model::{NodeId, Study};
use numasim_plan::{File, GraphPlan, guide};

use crate::args::TasksArgs;
use crate::failure::Failure;
use crate::files::{PlainFiles, Stop};

/// The plan for the graph, where a scheduler goes by one.
///
/// # Errors
/// A plan that no scheduler asks for; what is wrong with its files.
pub(super) fn of(args: &TasksArgs, question: &Tasks, study: &Study) -> Result<Option<GraphPlan>, Failure> {
    let folder = match (&args.plan, question.goes_by_plan()) {
        (None, _) => return Ok(None),
        (Some(folder), true) => folder,
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
    Ok(Some(GraphPlan::of(&guide, &question.program().graph, &nodes)))
}
