//! `blocks.csv`.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use numasim_model::graph::{Block, BlockHome, TaskGraphBuilder};
use numasim_model::ids::NodeId;
use numasim_model::input::{Problem, ProblemKind};

use super::rows::{self, Columns, Row};
use crate::problems::Problems;

/// The word for a home on every node.
pub(super) const INTERLEAVE: &str = "interleave";

/// The columns.
pub(super) const COLUMNS: Columns<4> =
    Columns { names: ["id", "bytes", "home", "name"], required: &["id", "bytes"] };

/// Reads all blocks; whether none of them is missing.
pub(super) fn read(text: &str, graph: &mut TaskGraphBuilder, problems: &mut Problems) -> bool {
    let mut all = true;
    rows::read((0, text), &COLUMNS, problems, |row, problems| {
        let id = problems.take(row.id("blocks"));
        let bytes = problems.take(row.amount("bytes", "a number of bytes, such as 1e6"));
        let home = problems.take(home(row));
        let name = problems.take(row.word("name"));
        let added = match (id, bytes, home, name) {
            (Some(()), Some(bytes), Some(home), Some(name)) => {
                let name = Some(name).filter(|name| !name.is_empty());
                let added = graph.block(Block { bytes, home }, name);
                added
                    .map_err(|error| problems.add(row.problem("id", ProblemKind::Limit, error.to_string())))
                    .is_ok()
            }
            _ => false,
        };
        all &= added;
    }) && all
}

fn home<const N: usize>(row: &Row<'_, N>) -> Result<BlockHome, Problem> {
    match row.text("home") {
        "" => Ok(BlockHome::Open),
        INTERLEAVE => Ok(BlockHome::Interleaved),
        _ => Ok(BlockHome::Node(NodeId(row.node("home", "`interleave`, or nothing")?))),
    }
}
