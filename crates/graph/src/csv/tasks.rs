//! `tasks.csv`.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use numasim_model::graph::{Access, GraphError, NewTask, TaskGraphBuilder};
use numasim_model::ids::NodeId;
use numasim_model::input::{Problem, ProblemKind};

use super::accesses;
use super::rows::{self, Columns, Row};
use crate::problems::Problems;

/// The columns.
pub(super) const COLUMNS: Columns<7> = Columns {
    names: ["id", "type", "gflop", "accesses", "socket", "taskwait", "name"],
    required: &["id", "gflop", "accesses"],
};

/// Reads all tasks. Unless all blocks are known, accesses are not looked at.
pub(super) fn read(
    text: &str,
    blocks_are_known: bool,
    graph: &mut TaskGraphBuilder,
    problems: &mut Problems,
) {
    let mut found = Vec::new();
    rows::read((1, text), &COLUMNS, problems, |row, problems| {
        let id = problems.take(row.id("tasks"));
        let kind = problems.take(row.word("type"));
        let gflop = problems.take(row.amount("gflop", "the work in 10^9 FLOP, such as 0.5"));
        let socket = problems.take(socket(row));
        let taskwait = problems.take(taskwait(row));
        let name = problems.take(row.word("name"));
        let known = blocks_are_known && problems.take(read_accesses(row, graph, &mut found)).is_some();
        // Behind a mistake the graph is thrown away; it is made all the same, as it knows of further ones.
        if let (true, Some(()), Some(kind), Some(gflop), Some(socket), Some(taskwait), Some(name)) =
            (known, id, kind, gflop, socket, taskwait, name)
        {
            let kind = graph.kind(kind);
            let name = Some(name).filter(|name| !name.is_empty());
            let task = NewTask { kind, gflop, accesses: &found, socket, taskwait, name };
            if let Err(error) = graph.task(task) {
                problems.add(refused(row, &found, error));
            }
        }
    });
}

/// Why a row is no task.
fn refused<const N: usize>(row: &Row<'_, N>, accesses: &[Access], error: GraphError) -> Problem {
    let GraphError::BlockTwice(block) = error else {
        return row.problem("accesses", ProblemKind::Limit, error.to_string());
    };
    let again = accesses.iter().rposition(|access| access.block == block).unwrap_or(0);
    let part = accesses::item(row.text("accesses"), again);
    row.problem_in("accesses", part, ProblemKind::BadValue, error.to_string())
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

fn taskwait<const N: usize>(row: &Row<'_, N>) -> Result<bool, Problem> {
    match row.text("taskwait") {
        "" => Ok(false),
        "1" => Ok(true),
        other => {
            let message = format!("`taskwait` is '{}'", crate::problems::shown(other));
            Err(row.problem("taskwait", ProblemKind::BadValue, message).hint("write 1, or nothing"))
        }
    }
}
