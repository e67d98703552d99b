//! Graphs in folders: `tasks --graph DIR` reads `blocks.csv` and `tasks.csv`, `import` writes both, `tasks --emit-graph DIR` also `edges.csv`.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use numasim_graph::csv;
use numasim_model::graph::TaskGraph;

use crate::diagnostics;
use crate::failure::Failure;
use crate::files;
use crate::output::Destination;

/// The graph in a folder, named as the folder is.
///
/// # Errors
/// What cannot be read, and everything that is wrong with it.
pub(super) fn read(folder: &Path) -> Result<TaskGraph, Failure> {
    let sources = ["blocks.csv", "tasks.csv"].map(|name| files::read_graph(&folder.join(name)));
    let [blocks, tasks] = sources;
    let sources = [blocks?, tasks?];
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    let [blocks, tasks] = &sources;
    csv::read(&name, &blocks.text, &tasks.text)
        .map_err(|problems| Failure::Diagnostics(diagnostics::render(&problems, &sources, true)))
}

/// A folder to write a graph to.
pub(super) struct Folder {
    path: PathBuf,
    taken: Vec<PathBuf>,
}

impl Folder {
    /// Checks that a graph can be written there, and changes nothing.
    ///
    /// # Errors
    /// Something else with this name, and those of [`Destination::open`].
    pub(super) fn open(path: &Path, taken: &[PathBuf]) -> Result<Self, Failure> {
        let folder = Self { path: path.to_owned(), taken: taken.to_owned() };
        if path.is_dir() {
            for name in ["blocks.csv", "tasks.csv", "edges.csv"] {
                folder.destination(name)?;
            }
        } else if path.exists() {
            return Err(Failure::output(format!("{} is no folder", path.display())));
        }
        Ok(folder)
    }

    fn destination(&self, name: &str) -> Result<Destination, Failure> {
        Destination::open(Some(&self.path.join(name)), &self.taken)
    }

    /// Writes blocks and tasks; the folder is made where there is none.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn write(&self, graph: &TaskGraph) -> Result<(), Failure> {
        fs::create_dir_all(&self.path).map_err(|error| {
            Failure::output(format!("cannot make the folder {}", self.path.display())).caused_by(&error)
        })?;
        self.one("blocks.csv", |out| csv::write_blocks(graph, out))?;
        self.one("tasks.csv", |out| csv::write_tasks(graph, out))
    }

    /// Writes blocks, tasks and the edges between them.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn write_with_edges(&self, graph: &TaskGraph) -> Result<(), Failure> {
        self.write(graph)?;
        self.one("edges.csv", |out| csv::write_edges(graph, out))
    }

    fn one(&self, name: &str, write: impl FnOnce(&mut Text<'_>) -> fmt::Result) -> Result<(), Failure> {
        self.destination(name)?.deliver_by(|out| {
            let mut text = Text { out, error: None };
            let written = write(&mut text);
            match (text.error, written) {
                (Some(error), _) => Err(error),
                (None, Err(error)) => Err(io::Error::other(error)),
                (None, Ok(())) => Ok(()),
            }
        })
    }
}

/// Text on its way to bytes; keeps why it got no further.
struct Text<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
