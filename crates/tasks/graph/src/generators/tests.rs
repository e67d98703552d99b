//! Counts of tasks and edges, work, bytes and annotations, compared with closed forms and the values of the specification.

mod any;
mod dense;
mod limits;
mod loops;
mod patterns;
mod stencils;
mod strands;
mod vectors;

use crate::values::{AccessMode, Generator, TaskGraph, TaskId};
use numasim_model::ids::NodeId;

use super::generate;
use crate::Dependencies;

/// The graph for two sockets, the nodes 0 and 2.
fn made(generator: &Generator) -> TaskGraph {
    generate(generator, "test", &[NodeId(0), NodeId(2)]).expect("a graph")
}

/// Tasks, edges, tasks on the longest path.
fn counts(generator: &Generator) -> (usize, usize, u32) {
    let graph = made(generator);
    let dependencies = Dependencies::of(&graph).expect("few edges");
    (graph.task_count(), dependencies.edge_count(), dependencies.span())
}

/// Number of tasks of a kind.
fn of_kind(graph: &TaskGraph, kind: &str) -> usize {
    graph.tasks().filter(|&task| graph.type_name(task) == kind).count()
}

/// Work of all tasks, FLOP.
fn flop(graph: &TaskGraph) -> f64 {
    graph.tasks().map(|task| graph.gflop(task)).sum::<f64>() * 1e9
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-12 * expected, "{value} is not {expected}");
}

/// The accesses of a task: block, mode, declared and moved bytes.
fn accesses(graph: &TaskGraph, task: u32) -> Vec<(u32, AccessMode, f64, f64)> {
    let row = |access: crate::values::Access| {
        (access.block.0, access.mode, access.declared_bytes, access.moved_bytes)
    };
    graph.accesses(TaskId(task)).map(row).collect()
}

/// Sockets of some tasks, by node.
fn sockets(graph: &TaskGraph, tasks: std::ops::Range<u32>) -> Vec<usize> {
    tasks.map(|task| graph.socket(TaskId(task)).expect("an annotation").0).collect()
}
