//! Small files of each kind by hand, their mistakes, and texts of any kind.

mod any_text;
mod dot;
mod starpu;
mod wfcommons;

use std::fmt::Write as _;

use numasim_study::Problem;

use super::Imported;
use crate::testing::{located, rows};

/// The graph, and the warnings with the lines that they are about.
fn seen(text: &str, imported: &Imported) -> String {
    let mut seen = rows(&imported.graph);
    for warning in &imported.warnings {
        let span = warning.place.as_ref().and_then(|place| place.span.clone()).expect("a place");
        let line = 1 + text[..span.start].matches('\n').count();
        let _ = writeln!(seen, "warning: line {line}: {}", warning.message);
    }
    seen
}

fn refused(text: &str, read: Result<Imported, Vec<Problem>>) -> String {
    located(&read.expect_err("problems"), &[("file", text)])
}
