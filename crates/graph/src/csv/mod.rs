//! Graphs as CSV (RFC 4180): `blocks.csv` and `tasks.csv` in and out, `edges.csv` out.
//!
//! ```text
//! id,bytes,home,name                                    home: empty, a node, or `interleave`
//! id,type,gflop,accesses,socket,taskwait,name           socket: empty or a node; taskwait: empty or 1
//! from,to,kind,bytes                                    kind: raw, war, waw, raw+war, war+waw
//! ```
//!
//! Identifiers are 0, 1, 2 ... in the order of the rows, for tasks that of creation. Accesses are `MODE:BLOCK[:DECLARED[:MOVED]]`
//! joined by `;`; declared are the bytes of the block and moved the declared ones where they are not written. Columns may come in any
//! order; `home`, `type`, `socket`, `taskwait` and `name` may be absent. Numbers are written in the shortest form that reads back to the
//! same value, so that files that were written, read and written again do not change by a byte.

mod accesses;
mod blocks;
mod rows;
mod tasks;
#[cfg(test)]
mod tests;
mod writing;

use numasim_model::graph::{TaskGraph, TaskGraphBuilder};
use numasim_model::input::Problem;

use crate::problems::Problems;
pub use writing::{write_blocks, write_edges, write_tasks};

/// The graph of the text of a `blocks.csv` and a `tasks.csv`.
///
/// # Errors
/// Problems with their places: file 0 is `blocks`, file 1 is `tasks`. If there are many, the first ones.
pub fn read(name: &str, blocks: &str, tasks: &str) -> Result<TaskGraph, Vec<Problem>> {
    let mut graph = TaskGraphBuilder::new(name);
    let mut problems = Problems::default();
    let all_blocks = blocks::read(blocks, &mut graph, &mut problems);
    tasks::read(tasks, all_blocks, &mut graph, &mut problems);
    problems.none(graph.finish())
}
