//! `tasks.csv`.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use crate::values::{Access, BlockId, GraphError, NewTask, TaskGraphBuilder, TaskId, TreeTask};
use numasim_model::ids::NodeId;
use numasim_study::{Problem, ProblemKind};

use super::accesses;
use super::rows::{self, Columns, Row};
use super::tree;
use crate::problems::Problems;

/// The columns; the last ones are of tree programs.
pub(super) const COLUMNS: Columns<13> = Columns {
    names: [
        "id",
        "type",
        "gflop",
        "accesses",
        "socket",
        "taskwait",
        "name",
        "created_by",
        "seq",
        "affinity",
        "submit",
        "returns",
        "replay",
    ],
    required: &["id", "gflop", "accesses"],
};
/// How many columns there are without those of tree programs.
pub(super) const PLAIN: usize = 7;

/// Reads all tasks, for a machine with so many cores on each node, if that is known. Unless all blocks are known, accesses are not looked
/// at.
pub(super) fn read(
    text: &str,
    (blocks_are_known, cores): (bool, Option<&[u32]>),
    graph: &mut TaskGraphBuilder,
    problems: &mut Problems,
) {
    let mut found = Vec::new();
    let mut all_added = true;
    rows::read((1, text), &COLUMNS, problems, |row, problems| {
        let id = problems.take(row.id("tasks"));
        let kind = problems.take(row.word("type"));
        let gflop = problems.take(row.amount("gflop", "the work in 10^9 FLOP, such as 0.5"));
        let socket = problems.take(socket(row));
        let taskwait = problems.take(row.flag("taskwait"));
        let tree = tree::read(row, cores, problems);
        let name = problems.take(row.word("name"));
        let known = blocks_are_known && problems.take(read_accesses(row, graph, &mut found)).is_some();
        // Behind a mistake the graph is thrown away; it is made all the same, as it knows of further ones. Only numbers of creators are then
        // those of other tasks.
        let plain = (known, id, kind, gflop, socket, taskwait, name);
        if let (
            (true, Some(()), Some(kind), Some(gflop), Some(socket), Some(taskwait), Some(name)),
            Some(tree),
        ) = (plain, tree)
        {
            let kind = graph.kind(kind);
            let name = Some(name).filter(|name| !name.is_empty());
            let task = NewTask { kind, gflop, accesses: &found, socket, taskwait, name };
            let tree = if all_added { tree } else { TreeTask::default() };
            let added =
                graph.tree_task(task, tree).map_err(|error| problems.add(refused(row, &found, error)));
            all_added &= added.is_ok();
        } else {
            all_added = false;
        }
    });
}

/// Why a row is no task.
fn refused<const N: usize>(row: &Row<'_, N>, accesses: &[Access], error: GraphError) -> Problem {
    let (column, hint) = match error {
        GraphError::BlockTwice(block) => return twice(row, accesses, block),
        GraphError::TaskwaitOfChild(_) => ("taskwait", "leave it empty: only the master waits"),
        GraphError::SeqOfMaster => ("seq", "leave it empty, or write `created_by`"),
        _ => return row.problem("accesses", ProblemKind::Limit, error.to_string()),
    };
    row.problem(column, ProblemKind::BadValue, error.to_string()).hint(hint)
}

fn twice<const N: usize>(row: &Row<'_, N>, accesses: &[Access], block: BlockId) -> Problem {
    let again = accesses.iter().rposition(|access| access.block == block).unwrap_or(0);
    let part = accesses::item(row.text("accesses"), again);
    row.problem_in("accesses", part, ProblemKind::BadValue, GraphError::BlockTwice(block).to_string())
}

/// Reports the first task whose place among those of its creator is wrong.
pub(super) fn report_misplaced(text: &str, task: TaskId, error: GraphError, problems: &mut Problems) {
    let hint = "give all tasks of a creator a `seq`, which is then 0, 1, 2 ..., or none";
    let problem = rows::find((1, text), &COLUMNS, task.0, |row| {
        row.problem("seq", ProblemKind::Conflict, error.to_string()).hint(hint)
    });
    if let Some(problem) = problem {
        problems.add(problem);
    }
}

fn read_accesses<const N: usize>(
    row: &Row<'_, N>,
    graph: &TaskGraphBuilder,
    found: &mut Vec<Access>,
) -> Result<(), Problem> {
    accesses::read(row.text("accesses"), graph.graph().blocks(), found)
        .map_err(|(part, why)| row.problem_in("accesses", part, ProblemKind::BadValue, why))
}

fn socket<const N: usize>(row: &Row<'_, N>) -> Result<Option<NodeId>, Problem> {
    if row.text("socket").is_empty() {
        return Ok(None);
    }
    row.node("socket", "or nothing").map(|node| Some(NodeId(node)))
}
