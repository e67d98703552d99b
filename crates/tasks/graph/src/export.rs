//! `tasks.rec` of StarPU: the time and place of each task of a graph, with its accesses.
//!
//! A record of lines `Field: value` for each task (GNU recutils), with the fields that StarPU writes (`task_dump` in
//! `src/debug/traces/starpu_fxt.c`): times in ms since the run began, handles = blocks by number, sizes = blocks in B. The format has no
//! field for the bytes that a task moves if it reads only a border of a block. `DependsOn` contains the tasks that a task waits for:
//! others by its accesses, and the task that creates it. When read back ([`crate::import::starpu`]) it is the same graph, except for
//! these bytes and for sockets and affinities.

use std::fmt;

use crate::values::{AccessMode, TaskGraph, TaskId};
use numasim_model::NodeId;

use crate::Dependencies;

/// A task that has run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ran {
    /// Its number.
    pub task: TaskId,
    /// The worker that ran it.
    pub worker: u32,
    /// The node of that worker.
    pub node: NodeId,
    /// When it began, in seconds.
    pub start_s: f64,
    /// When it ended, in seconds.
    pub end_s: f64,
}

/// Writes a record for each of `tasks`, in their order: StarPU writes them as they end.
///
/// # Errors
/// Errors of `out`.
pub fn starpu(
    graph: &TaskGraph,
    edges: &Dependencies,
    tasks: &[Ran],
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let parents = parents(graph, edges);
    let has_priorities = graph.has_priorities();
    for ran in tasks {
        let Ran { task, worker, node, start_s, end_s } = *ran;
        let kind = one_line(graph.type_name(task));
        writeln!(out, "Name: {}", graph.task_name(task).map_or(kind.clone(), one_line))?;
        writeln!(out, "Model: {kind}")?;
        writeln!(out, "JobId: {}", task.0)?;
        writeln!(out, "SubmitOrder: {}", task.0)?;
        list(out, "DependsOn", parents.get(task.0 as usize).into_iter().flatten().map(|parent| parent.0))?;
        if has_priorities {
            writeln!(out, "Priority: {}", graph.priority(task))?;
        }
        writeln!(out, "WorkerId: {worker}")?;
        writeln!(out, "MemoryNode: {}", node.0)?;
        writeln!(out, "StartTime: {}", start_s * 1e3)?;
        writeln!(out, "EndTime: {}", end_s * 1e3)?;
        writeln!(out, "GFlop: {}", graph.gflop(task))?;
        list(out, "Handles", graph.accesses(task).map(|access| access.block.0))?;
        let mode = |mode| match mode {
            AccessMode::In => "R",
            AccessMode::Out => "W",
            AccessMode::Inout => "RW",
        };
        list(out, "Modes", graph.accesses(task).map(|access| mode(access.mode)))?;
        let bytes = |block: u32| graph.blocks().get(block as usize).map_or(0.0, |block| block.bytes);
        list(out, "Sizes", graph.accesses(task).map(|access| bytes(access.block.0)))?;
        writeln!(out)?;
    }
    Ok(())
}

/// A field with several values; no line if there are none.
fn list<T: fmt::Display>(
    out: &mut dyn fmt::Write,
    field: &str,
    values: impl Iterator<Item = T>,
) -> fmt::Result {
    let mut any = false;
    for value in values {
        if any {
            write!(out, " {value}")?;
        } else {
            write!(out, "{field}: {value}")?;
        }
        any = true;
    }
    if any { writeln!(out) } else { Ok(()) }
}

/// The tasks for which each task waits, including its creator, by number.
fn parents(graph: &TaskGraph, edges: &Dependencies) -> Vec<Vec<TaskId>> {
    let mut parents = vec![Vec::new(); graph.task_count()];
    let mut wait = |child: TaskId, parent: TaskId| {
        if let Some(parents) = parents.get_mut(child.0 as usize) {
            parents.push(parent);
        }
    };
    for task in graph.tasks() {
        edges.children(task).iter().for_each(|&child| wait(child, task));
        if let Some(creator) = graph.created_by(task) {
            wait(task, creator);
        }
    }
    for parents in &mut parents {
        parents.sort_unstable();
        parents.dedup();
    }
    parents
}

/// A name without line feeds, which would end the field.
fn one_line(name: &str) -> String {
    name.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use crate::import::starpu::read;
    use crate::values::{Generator, NewTask, TaskGraphBuilder};

    fn ran(graph: &TaskGraph) -> Vec<Ran> {
        // In an order that differs from that of their numbers.
        let one = |task: TaskId| Ran {
            task,
            worker: task.0 % 2,
            node: NodeId(task.0 as usize % 2),
            start_s: f64::from(task.0) / 1e3,
            end_s: f64::from(task.0 + 1) / 1e3,
        };
        graph.tasks().rev().map(one).collect()
    }

    fn written(graph: &TaskGraph) -> String {
        let (mut text, edges) = (String::new(), Dependencies::of(graph).expect("few edges"));
        starpu(graph, &edges, &ran(graph), &mut text).expect("strings take all");
        text
    }

    fn cholesky() -> TaskGraph {
        generate(&Generator::Cholesky { n: 2, tile: 10, init: true }, "cholesky", &[NodeId(0)])
            .expect("a graph")
    }

    #[test]
    fn a_run_is_written_field_by_field() {
        // Blocks 00, 10, 11; init x 3, potrf, trsm, syrk, potrf: the last one waits for syrk alone.
        let text = written(&cholesky());
        let trsm: Vec<&str> = text.split("\n\n").filter(|record| record.contains("Model: trsm")).collect();
        assert_eq!(
            trsm,
            [
                "Name: trsm\nModel: trsm\nJobId: 4\nSubmitOrder: 4\nDependsOn: 1 3\nWorkerId: 0\nMemoryNode: 0\n\
              StartTime: 4\nEndTime: 5\nGFlop: 0.000001\nHandles: 0 1\nModes: R RW\nSizes: 800 800"
            ]
        );
    }

    #[test]
    fn what_is_written_is_read_as_the_same_graph() {
        for generator in [
            Generator::Cholesky { n: 4, tile: 10, init: true },
            Generator::Qr { n: 3, tile: 10, init: false },
            Generator::Jacobi { blocks: 3, rows: 6, columns: 4, iterations: 3, init: true },
            Generator::GaussSeidel { grid: 3, tile: 4, iterations: 2, control: 1, init: true },
        ] {
            let graph = generate(&generator, "graph", &[NodeId(0)]).expect("a graph");
            let read = read(&written(&graph), "graph", None).expect("a graph");
            assert_eq!(read.warnings, []);
            let other = read.graph;
            assert_eq!(other.task_count(), graph.task_count());
            // Blocks are numbered as tasks meet them.
            let name = |graph: &TaskGraph, block| graph.block_name(block).map(str::to_owned);
            for task in graph.tasks() {
                assert_eq!(other.type_name(task), graph.type_name(task));
                assert_eq!(other.gflop(task), graph.gflop(task));
                let own: Vec<_> =
                    graph.accesses(task).map(|a| (Some(a.block.0.to_string()), a.mode)).collect();
                let read: Vec<_> = other.accesses(task).map(|a| (name(&other, a.block), a.mode)).collect();
                assert_eq!(read, own);
                for (a, b) in graph.accesses(task).zip(other.accesses(task)) {
                    let bytes = |graph: &TaskGraph, block: u32| graph.blocks()[block as usize].bytes;
                    assert_eq!(bytes(&graph, a.block.0), bytes(&other, b.block.0));
                }
            }
            let edges = |graph| Dependencies::of(graph).expect("few edges");
            let (own, read) = (edges(&graph), edges(&other));
            assert!(graph.tasks().all(|task| own.children(task) == read.children(task)), "{generator:?}");
        }
    }

    #[test]
    fn priorities_are_written_and_read_again() {
        let mut graph = TaskGraphBuilder::new("two");
        let kind = graph.kind("work");
        for priority in [0.0, 5.0] {
            let new = NewTask { kind, gflop: 1.0, accesses: &[], socket: None, taskwait: false, name: None };
            let task = graph.task(new).expect("a task");
            graph.prioritise(task, priority);
        }
        let text = written(&graph.finish());
        assert_eq!(text.matches("\nPriority: ").count(), 2);
        let read = read(&text, "two", None).expect("a graph").graph;
        assert_eq!([0, 1].map(|task| read.priority(TaskId(task))), [0.0, 5.0]);
    }

    #[test]
    fn tasks_wait_for_their_creators() {
        let graph =
            generate(&Generator::Stencil2d { n: 4, rows: 2, columns: 1, iterations: 1 }, "s", &[NodeId(0)]);
        let graph = graph.expect("a graph");
        let read = read(&written(&graph), "s", None).expect("a graph").graph;
        let edges = Dependencies::of(&read).expect("few edges");
        assert_eq!(edges.children(TaskId(0)), [TaskId(1), TaskId(2)]);
    }
}
