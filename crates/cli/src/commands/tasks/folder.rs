//! Graphs in folders: `--graph DIR` reads `blocks.csv` and `tasks.csv`, `--emit-graph DIR` writes both and `edges.csv`.

use std::fs;
use std::path::{Path, PathBuf};

use numasim_graph::csv;
use numasim_model::Machine;
use numasim_model::graph::TaskGraph;
use numasim_model::input::SourceFile;

use crate::diagnostics;
use crate::failure::Failure;
use crate::output::Folder;

/// The graph in a folder, named as the folder is, for a machine.
///
/// # Errors
/// What cannot be read, and everything that is wrong with it.
pub(super) fn read(folder: &Path, machine: &Machine) -> Result<TaskGraph, Failure> {
    let text = |name: &str| {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::input(format!("{} cannot be read", path.display()))
                .caused_by(&error)
                .hint("a graph is a folder with blocks.csv and tasks.csv, as --emit-graph writes them")
        })?;
        Ok::<_, Failure>(SourceFile { name: path.display().to_string(), text })
    };
    let sources = [text("blocks.csv")?, text("tasks.csv")?];
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    let [blocks, tasks] = &sources;
    let cores: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    csv::read_on(&name, &blocks.text, &tasks.text, Some(&cores))
        .map_err(|problems| Failure::Diagnostics(diagnostics::render(&problems, &sources, true)))
}

/// The files of a graph.
const NAMES: [&str; 3] = ["blocks.csv", "tasks.csv", "edges.csv"];

/// A folder to write a graph to.
///
/// # Errors
/// Those of [`Folder::open`].
pub(super) fn open(path: &Path, taken: &[PathBuf]) -> Result<Folder, Failure> {
    Folder::open(path, &NAMES, "--emit-graph", taken)
}

/// Writes a graph.
///
/// # Errors
/// What cannot be written.
pub(super) fn write(folder: &Folder, graph: &TaskGraph) -> Result<(), Failure> {
    folder.make()?;
    let [blocks, tasks, edges] = NAMES;
    folder.write(blocks, |out| csv::write_blocks(graph, out))?;
    folder.write(tasks, |out| csv::write_tasks(graph, out))?;
    folder.write(edges, |out| csv::write_edges(graph, out))
}
