//! Writes a graph, a few rows at a time, so that a large one needs no memory beside itself.

use std::fmt;

use crate::values::{BlockHome, BlockId, Submit, TaskGraph, TaskId};

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
        self.cells(cells.into_iter())
    }

    fn cells<'c>(&mut self, cells: impl Iterator<Item = &'c str>) -> fmt::Result {
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
    let blocks = || (0..).map(BlockId).take(graph.blocks().len());
    let is_tree = blocks().any(|block| graph.hint(block).is_some() || graph.block_creator(block).is_some());
    let width = if is_tree { usize::MAX } else { blocks::PLAIN };
    rows.cells(blocks::COLUMNS.names.into_iter().take(width))?;
    for (id, block) in (0..).zip(graph.blocks()) {
        let home = match block.home {
            BlockHome::Open => String::new(),
            BlockHome::Node(node) => node.0.to_string(),
            BlockHome::Interleaved => blocks::INTERLEAVE.to_owned(),
        };
        let (number_of_block, id) = (id.to_string(), BlockId(id));
        let name = graph.block_name(id).unwrap_or_default();
        let creator = graph.block_creator(id).map_or(String::new(), |creator| creator.0.to_string());
        let hint = graph.hint(id).map_or(String::new(), |node| node.0.to_string());
        let all = [&number_of_block, &number(block.bytes), &home, name, &creator, &hint];
        rows.cells(all.into_iter().take(width))?;
    }
    rows.hand_on()
}

/// Writes `tasks.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_tasks(graph: &TaskGraph, out: &mut impl fmt::Write) -> fmt::Result {
    let mut rows = Rows::new(out);
    let is_tree = graph.tasks().any(|task| says_tree(graph, task));
    let width = if is_tree { usize::MAX } else { tasks::PLAIN };
    rows.cells(tasks::COLUMNS.names.into_iter().take(width))?;
    let mut cell = String::new();
    for task in graph.tasks() {
        cell.clear();
        accesses::write(graph.accesses(task), graph.blocks(), &mut cell)?;
        let socket = graph.socket(task).map_or(String::new(), |node| node.0.to_string());
        let taskwait = if graph.taskwait(task) { "1" } else { "" };
        let name = graph.task_name(task).unwrap_or_default();
        let (id, gflop) = (task.0.to_string(), number(graph.gflop(task)));
        let plain = [&id, graph.type_name(task), &gflop, &cell, &socket, taskwait, name];
        if !is_tree {
            rows.row(plain)?;
            continue;
        }
        let creator = graph.created_by(task).map_or(String::new(), |creator| creator.0.to_string());
        let seq = graph.seq(task).filter(|_| graph.gives_seq(task));
        let seq = seq.map_or(String::new(), |seq| seq.to_string());
        let affinity = graph.affinity(task).map_or(String::new(), |node| node.0.to_string());
        let submit = graph.submit(task);
        let submit = if submit == Submit::default() { "" } else { submit.as_str() };
        let returns = if graph.returns(task) { "1" } else { "" };
        let replay = graph.replay(task).and_then(|key| graph.replays().get(key.0 as usize));
        let replay = replay.map_or("", |key| &**key);
        let tree: [&str; 6] = [&creator, &seq, &affinity, submit, returns, replay];
        rows.cells(plain.into_iter().chain(tree))?;
    }
    rows.hand_on()
}

/// Whether a task says anything of a tree program.
fn says_tree(graph: &TaskGraph, task: TaskId) -> bool {
    graph.created_by(task).is_some()
        || graph.affinity(task).is_some()
        || graph.submit(task) != Submit::default()
        || graph.returns(task)
        || graph.replay(task).is_some()
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
