//! `blocks.csv`.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use crate::values::{Block, BlockHome, BlockId, TaskGraphBuilder, TaskId};
use numasim_model::ids::NodeId;
use numasim_study::{Problem, ProblemKind};

use super::rows::{self, Columns, Row};
use crate::problems::Problems;

/// The word for a home on every node.
pub(super) const INTERLEAVE: &str = "interleave";

/// The columns; the last ones are of tree programs.
pub(super) const COLUMNS: Columns<6> =
    Columns { names: ["id", "bytes", "home", "name", "created_by", "hint"], required: &["id", "bytes"] };
/// How many columns there are without those of tree programs.
pub(super) const PLAIN: usize = 4;

/// What was read of blocks.
pub(super) struct BlocksReading {
    /// Whether none of them is missing.
    pub(super) all_read: bool,
    /// Blocks with the tasks that create them, which come later.
    creators: Vec<(BlockId, TaskId)>,
}

/// Reads all blocks, for a machine with so many nodes, if that is known.
pub(super) fn read(
    text: &str,
    nodes: Option<usize>,
    graph: &mut TaskGraphBuilder,
    problems: &mut Problems,
) -> BlocksReading {
    let (mut all, mut creators) = (true, Vec::new());
    let no_row_missing = rows::read((0, text), &COLUMNS, problems, |row, problems| {
        let id = problems.take(row.id("blocks"));
        let bytes = problems.take(row.amount("bytes", "a number of bytes, such as 1e6"));
        let home = problems.take(home(row));
        let name = problems.take(row.word("name"));
        let creator = problems.take(row.number("created_by", "the number of a task"));
        let hint = problems.take(hint(row, nodes));
        let added = match (id, bytes, home, name) {
            (Some(()), Some(bytes), Some(home), Some(name)) => {
                let name = Some(name).filter(|name| !name.is_empty());
                let added = graph.block(Block { bytes, home }, name);
                let added = added.and_then(|block| match hint.flatten() {
                    Some(node) => graph.block_hint(block, node).map(|()| block),
                    None => Ok(block),
                });
                added
                    .map_err(|error| problems.add(row.problem("id", ProblemKind::Limit, error.to_string())))
                    .ok()
            }
            _ => None,
        };
        creators.extend(added.zip(creator.flatten().map(TaskId)));
        all &= added.is_some();
    });
    BlocksReading { all_read: no_row_missing && all, creators }
}

/// Tells the graph which task creates which block, when all tasks are there.
pub(super) fn created(
    text: &str,
    blocks: &BlocksReading,
    graph: &mut TaskGraphBuilder,
    problems: &mut Problems,
) {
    for &(block, creator) in &blocks.creators {
        if graph.block_created_by(block, creator).is_err() {
            let message = format!("there is no task {}", creator.0);
            let problem = rows::find((0, text), &COLUMNS, block.0, |row| {
                row.problem("created_by", ProblemKind::UnknownName, message)
            });
            if let Some(problem) = problem {
                problems.add(problem);
            }
        }
        if problems.is_full() {
            return;
        }
    }
}

fn hint<const N: usize>(row: &Row<'_, N>, nodes: Option<usize>) -> Result<Option<NodeId>, Problem> {
    if row.text("hint").is_empty() {
        return Ok(None);
    }
    let node = row.node("hint", "or nothing")?;
    match nodes {
        Some(nodes) if node >= nodes => Err(row.no_such_node("hint", nodes)),
        _ => Ok(Some(NodeId(node))),
    }
}

fn home<const N: usize>(row: &Row<'_, N>) -> Result<BlockHome, Problem> {
    match row.text("home") {
        "" => Ok(BlockHome::Open),
        INTERLEAVE => Ok(BlockHome::Interleaved),
        _ => Ok(BlockHome::Node(NodeId(row.node("home", "`interleave`, or nothing")?))),
    }
}
