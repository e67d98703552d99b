//! Graphs as CSV (RFC 4180): `blocks.csv` and `tasks.csv` in and out, `edges.csv` out.
//!
//! ```text
//! id,bytes,home,name[,created_by,hint]                  home: empty, a node, or `interleave`
//! id,type,gflop,accesses,socket,taskwait,name[,created_by,seq,affinity,submit,returns,replay]
//!                                                       socket: empty or a node; taskwait: empty or 1
//! from,to,kind,bytes                                    kind: raw, war, waw, raw+war, war+waw
//! ```
//!
//! Identifiers are 0, 1, 2 ... in the order of the rows, for tasks that of creation. Accesses are `MODE:BLOCK[:DECLARED[:MOVED]]`
//! joined by `;`; declared are the bytes of the block and moved the declared ones where they are not written. Columns may come in any
//! order; `home`, `type`, `socket`, `taskwait` and `name` may be absent. What stands in brackets is of tree programs, and is written where a
//! block, or a task, says any of it: creators are tasks (of a task an earlier one), `affinity` and `hint` nodes, `submit` is `spawn`, `enqueue`,
//! `detach` or empty, `returns` empty or 1. Numbers are written in the shortest form that reads back to the
//! same value, so that files that were written, read and written again do not change by a byte.

mod accesses;
mod blocks;
mod rows;
mod tasks;
#[cfg(test)]
mod tests;
mod tree;
mod writing;

use crate::values::{TaskGraph, TaskGraphBuilder};
use numasim_study::{Place, Problem, ProblemKind};

use crate::problems::{NO_TASKS, Problems};
pub use writing::{write_blocks, write_edges, write_tasks};

/// The graph of the text of a `blocks.csv` and a `tasks.csv`.
///
/// # Errors
/// Problems with their places: file 0 is `blocks`, file 1 is `tasks`. If there are many, the first ones.
pub fn read(name: &str, blocks: &str, tasks: &str) -> Result<TaskGraph, Vec<Problem>> {
    read_on(name, blocks, tasks, None)
}

/// The same, for a machine with so many cores on each of its nodes: affinities are nodes with cores, hints are nodes that there are.
///
/// # Errors
/// As [`read`].
pub fn read_on(
    name: &str,
    blocks: &str,
    tasks: &str,
    cores: Option<&[u32]>,
) -> Result<TaskGraph, Vec<Problem>> {
    let mut graph = TaskGraphBuilder::new(name);
    let mut problems = Problems::default();
    let of_blocks = blocks::read(blocks, cores.map(<[u32]>::len), &mut graph, &mut problems);
    tasks::read(tasks, (of_blocks.all_read, cores), &mut graph, &mut problems);
    if problems.is_empty() {
        blocks::created(blocks, &of_blocks, &mut graph, &mut problems);
    }
    let graph = graph.finish();
    if problems.is_empty() && graph.task_count() == 0 {
        problems.add(Problem::new(ProblemKind::EmptyFile, NO_TASKS).at(Place::whole(1), ""));
    }
    if let (true, Some((task, error))) = (problems.is_empty(), graph.misplaced()) {
        tasks::report_misplaced(tasks, task, error, &mut problems);
    }
    problems.none(graph)
}
