//! What a row of `tasks.csv` says of a tree program.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use crate::values::{GraphError, Submit, TaskId, TreeTask};
use numasim_model::ids::NodeId;
use numasim_study::{Problem, ProblemKind};

use super::rows::Row;
use crate::problems::{Problems, shown};

/// What the row says, for a machine with so many cores on each node, if that is known; `None` where some of it makes no sense.
pub(super) fn read<'r, const N: usize>(
    row: &'r Row<'_, N>,
    cores: Option<&[u32]>,
    problems: &mut Problems,
) -> Option<TreeTask<'r>> {
    let created_by = problems.take(creator(row));
    let seq = problems.take(row.number("seq", "0, 1, 2 ..., the place among the tasks of its creator"));
    let affinity = problems.take(affinity(row, cores));
    let submit = problems.take(submit(row));
    let returns = problems.take(row.flag("returns"));
    let replay = problems.take(row.word("replay"));
    Some(TreeTask {
        created_by: created_by?,
        seq: seq?,
        affinity: affinity?,
        submit: submit?,
        returns: returns?,
        replay: replay.map(|key| Some(key).filter(|key| !key.is_empty()))?,
    })
}

fn creator<const N: usize>(row: &Row<'_, N>) -> Result<Option<TaskId>, Problem> {
    let Some(creator) = row.number("created_by", "the number of an earlier task")? else { return Ok(None) };
    if (creator as usize) < row.number {
        return Ok(Some(TaskId(creator)));
    }
    let error = GraphError::CreatorNotEarlier(TaskId(creator));
    let hint = "write the number of a task above this one";
    Err(row.problem("created_by", ProblemKind::BadValue, error.to_string()).hint(hint))
}

fn affinity<const N: usize>(row: &Row<'_, N>, cores: Option<&[u32]>) -> Result<Option<NodeId>, Problem> {
    if row.text("affinity").is_empty() {
        return Ok(None);
    }
    let node = row.node("affinity", "or nothing")?;
    let Some(cores) = cores else { return Ok(Some(NodeId(node))) };
    match cores.get(node) {
        None => Err(row.no_such_node("affinity", cores.len())),
        Some(0) => {
            let message = format!("`affinity` is node {node}, which has no cores");
            let hint = "write a node that can run the task, or nothing";
            Err(row.problem("affinity", ProblemKind::BadValue, message).hint(hint))
        }
        Some(_) => Ok(Some(NodeId(node))),
    }
}

fn submit<const N: usize>(row: &Row<'_, N>) -> Result<Submit, Problem> {
    let text = row.text("submit");
    if text.is_empty() {
        return Ok(Submit::default());
    }
    Submit::ALL.into_iter().find(|submit| submit.as_str() == text).ok_or_else(|| {
        let message = format!("`submit` is '{}'", shown(text));
        let hint = "write spawn, enqueue or detach, or nothing";
        row.problem("submit", ProblemKind::BadValue, message).hint(hint)
    })
}
