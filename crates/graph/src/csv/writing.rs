//! Writes a graph, a few rows at a time, so that a large one needs no memory beside itself.

use std::fmt;

use numasim_model::graph::{BlockHome, TaskGraph};

use super::accesses;
use super::{blocks, tasks};
use crate::Tracker;

/// Rows that are kept before they are handed on.
const KEPT: usize = 1024;

/// Rows of a file on their way out.
struct Rows<'w, W> {
    out: &'w mut W,
    kept: ::csv::Writer<Vec<u8>>,
    count: usize,
}

impl<'w, W: fmt::Write> Rows<'w, W> {
    fn new(out: &'w mut W) -> Self {
        Self { out, kept: ::csv::Writer::from_writer(Vec::new()), count: 0 }
    }

    fn row<const N: usize>(&mut self, cells: [&str; N]) -> fmt::Result {
        self.kept.write_record(cells).map_err(|_| fmt::Error)?;
        self.count += 1;
        if self.count == KEPT { self.hand_on() } else { Ok(()) }
    }

    fn hand_on(&mut self) -> fmt::Result {
        self.count = 0;
        let full = std::mem::replace(&mut self.kept, ::csv::Writer::from_writer(Vec::new()));
        let text = full.into_inner().map_err(|_| fmt::Error)?;
        self.out.write_str(&String::from_utf8(text).map_err(|_| fmt::Error)?)
    }
}

/// A number in the shortest form that reads back to the same value; adding 0 takes the sign from -0.
fn number(value: f64) -> String {
    (value + 0.0).to_string()
}

/// Writes `blocks.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_blocks(graph: &TaskGraph, out: &mut impl fmt::Write) -> fmt::Result {
    let mut rows = Rows::new(out);
    rows.row(blocks::COLUMNS.names)?;
    for (id, block) in (0..).zip(graph.blocks()) {
        let home = match block.home {
            BlockHome::Open => String::new(),
            BlockHome::Node(node) => node.0.to_string(),
            BlockHome::Interleaved => blocks::INTERLEAVE.to_owned(),
        };
        let name = graph.block_name(numasim_model::graph::BlockId(id)).unwrap_or_default();
        rows.row([&id.to_string(), &number(block.bytes), &home, name])?;
    }
    rows.hand_on()
}

/// Writes `tasks.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_tasks(graph: &TaskGraph, out: &mut impl fmt::Write) -> fmt::Result {
    let mut rows = Rows::new(out);
    rows.row(tasks::COLUMNS.names)?;
    let mut cell = String::new();
    for task in graph.tasks() {
        cell.clear();
        accesses::write(graph.accesses(task), graph.blocks(), &mut cell)?;
        let socket = graph.socket(task).map_or(String::new(), |node| node.0.to_string());
        let taskwait = if graph.taskwait(task) { "1" } else { "" };
        let name = graph.task_name(task).unwrap_or_default();
        let (id, gflop) = (task.0.to_string(), number(graph.gflop(task)));
        rows.row([&id, graph.type_name(task), &gflop, &cell, &socket, taskwait, name])?;
    }
    rows.hand_on()
}

/// Writes `edges.csv`: by the later task, then by the earlier one.
///
/// # Errors
/// Those of `out`.
pub fn write_edges(graph: &TaskGraph, out: &mut impl fmt::Write) -> fmt::Result {
    let mut rows = Rows::new(out);
    rows.row(["from", "to", "kind", "bytes"])?;
    let mut tracker = Tracker::new(graph.blocks().len());
    for task in graph.tasks() {
        for edge in tracker.add(graph, task) {
            let (from, to) = (edge.from.0.to_string(), edge.to.0.to_string());
            rows.row([&from, &to, edge.kind.as_str(), &number(edge.bytes)])?;
        }
    }
    rows.hand_on()
}
