//! Graphs in folders: `tasks --graph DIR` reads `blocks.csv` and `tasks.csv`, `import` writes both, `tasks --emit-graph DIR` also `edges.csv`.

use std::path::Path;

use numasim_graph::csv;
use numasim_graph::values::TaskGraph;
use numasim_model::Machine;

use crate::diagnostics;
use crate::failure::Failure;
use crate::files;
use crate::output::{Folder, FolderFiles, Whole};

/// The graph in a folder, named after the folder, for a machine.
///
/// # Errors
/// Files that cannot be read, and all mistakes in them.
pub(super) fn read(folder: &Path, machine: &Machine) -> Result<TaskGraph, Failure> {
    let names = ["blocks.csv", "tasks.csv"];
    let whole = Whole::look(folder, names)?;
    let [blocks, tasks] = names.map(|name| files::read_graph_csv(&folder.join(name)));
    let sources = [blocks?, tasks?];
    whole.is_unchanged()?;
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    let [blocks, tasks] = &sources;
    let cores: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    csv::read_on(&name, &blocks.text, &tasks.text, Some(&cores))
        .map_err(|problems| Failure::Diagnostics(diagnostics::render(&problems, &sources, true)))
}

/// The files of a graph.
const NAMES: [&str; 3] = ["blocks.csv", "tasks.csv", "edges.csv"];

/// A folder to write a graph to, named by the option `switch`.
///
/// # Errors
/// The errors of [`Folder::open`].
pub(super) fn open(path: &Path, switch: &str) -> Result<Folder, Failure> {
    Folder::open(path, &NAMES, switch)
}

/// Writes blocks and tasks.
///
/// # Errors
/// The files cannot be written.
pub(super) fn write(folder: &Folder, graph: &TaskGraph) -> Result<(), Failure> {
    folder.write_whole(|files| blocks_and_tasks(files, graph))
}

fn blocks_and_tasks(files: &mut FolderFiles, graph: &TaskGraph) -> Result<(), Failure> {
    let [blocks, tasks, _] = NAMES;
    files.write(blocks, |out| csv::write_blocks(graph, out))?;
    files.write(tasks, |out| csv::write_tasks(graph, out))
}

/// Writes blocks, tasks and the edges between them.
///
/// # Errors
/// The files cannot be written.
pub(super) fn write_with_edges(folder: &Folder, graph: &TaskGraph) -> Result<(), Failure> {
    folder.write_whole(|files| with_edges(files, graph))
}

/// Writes the same next to other files of a folder.
///
/// # Errors
/// The files cannot be written.
pub(super) fn with_edges(files: &mut FolderFiles, graph: &TaskGraph) -> Result<(), Failure> {
    blocks_and_tasks(files, graph)?;
    let [_, _, edges] = NAMES;
    files.write(edges, |out| csv::write_edges(graph, out))
}
