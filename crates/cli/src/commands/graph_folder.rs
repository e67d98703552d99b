//! Graphs in folders: `tasks --graph DIR` reads `blocks.csv` and `tasks.csv`, `import` writes both, `tasks --emit-graph DIR` also `edges.csv`.

use std::path::{Path, PathBuf};

use numasim_graph::csv;
use numasim_model::Machine;
use numasim_model::graph::TaskGraph;

use crate::diagnostics;
use crate::failure::Failure;
use crate::files;
use crate::output::Folder;

/// The graph in a folder, named as the folder is, for a machine.
///
/// # Errors
/// What cannot be read, and everything that is wrong with it.
pub(super) fn read(folder: &Path, machine: &Machine) -> Result<TaskGraph, Failure> {
    let sources = ["blocks.csv", "tasks.csv"].map(|name| files::read_graph_csv(&folder.join(name)));
    let [blocks, tasks] = sources;
    let sources = [blocks?, tasks?];
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    let [blocks, tasks] = &sources;
    let cores: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    csv::read_on(&name, &blocks.text, &tasks.text, Some(&cores))
        .map_err(|problems| Failure::Diagnostics(diagnostics::render(&problems, &sources, true)))
}

/// The files of a graph.
const NAMES: [&str; 3] = ["blocks.csv", "tasks.csv", "edges.csv"];

/// A folder to write a graph to, which `switch` names.
///
/// # Errors
/// Those of [`Folder::open`].
pub(super) fn open(path: &Path, switch: &str, taken: &[PathBuf]) -> Result<Folder, Failure> {
    Folder::open(path, &NAMES, switch, taken)
}

/// Writes blocks and tasks.
///
/// # Errors
/// What cannot be written.
pub(super) fn write(folder: &Folder, graph: &TaskGraph) -> Result<(), Failure> {
    folder.make()?;
    let [blocks, tasks, _] = NAMES;
    folder.write(blocks, |out| csv::write_blocks(graph, out))?;
    folder.write(tasks, |out| csv::write_tasks(graph, out))
}

/// Writes blocks, tasks and the edges between them.
///
/// # Errors
/// What cannot be written.
pub(super) fn write_with_edges(folder: &Folder, graph: &TaskGraph) -> Result<(), Failure> {
    write(folder, graph)?;
    let [_, _, edges] = NAMES;
    folder.write(edges, |out| csv::write_edges(graph, out))
}
