//! From a graph of another tool to `blocks.csv` and `tasks.csv`.

use std::path::Path;

use numasim_graph::import::{Imported, Warning};
use numasim_study::{Problem, SourceFile};

use crate::args::GraphFolder;
use crate::commands::graph_folder;
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

/// Reads a file with `read`, which also gets a name for the graph, and writes the graph to a folder.
///
/// # Errors
/// What cannot be read, everything that is wrong with it, and what cannot be written.
pub(super) fn run(
    file: &Path,
    to: &GraphFolder,
    shell: &Shell,
    read: impl FnOnce(&str, &str) -> Result<Imported, Vec<Problem>>,
) -> Result<(), Failure> {
    let folder = graph_folder::open(&to.output, "-o")?;
    let source = files::read_graph(file)?;
    let imported = match read(&source.text, &super::stem(file)) {
        Ok(imported) => imported,
        Err(problems) => return Err(files::refused(&problems, source)),
    };
    for warning in &imported.warnings {
        shell.warn(located(warning, &source));
    }
    // Graphs are large: the text is not needed any more.
    drop(source);
    graph_folder::write(&folder, &imported.graph)
}

/// `FILE:LINE: message`
fn located(warning: &Warning, source: &SourceFile) -> String {
    let span = warning.place.as_ref().and_then(|place| place.span.as_ref());
    match span.and_then(|span| source.text.get(..span.start)) {
        Some(before) => format!("{}:{}: {}", source.name, before.matches('\n').count() + 1, warning.message),
        None => format!("{}: {}", source.name, warning.message),
    }
}
