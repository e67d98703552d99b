//! Helpers for tests of readers: problems in the form of their output, graphs as rows.

use std::fmt::Write as _;

use crate::values::TaskGraph;
use numasim_study::Problem;

use crate::Tracker;

/// `FILE:LINE:COLUMN [marked text] message`, and the hint below; files are `(name, text)`.
pub(crate) fn located(problems: &[Problem], files: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for problem in problems {
        let place = problem.place.as_ref().expect("a place");
        let (name, file) = files[place.file];
        let span = place.span.clone().unwrap_or(0..0);
        let before = &file[..span.start];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
        let _ = writeln!(text, "{name}:{line}:{column} [{}] {}", &file[span], problem.message);
        if let Some(hint) = &problem.hint {
            let _ = writeln!(text, "  {hint}");
        }
    }
    text
}

/// Whether every place is inside the text.
pub(crate) fn are_inside(problems: &[Problem], files: &[&str]) -> bool {
    let mut places = problems.iter().filter_map(|problem| problem.place.as_ref());
    !problems.is_empty()
        && places.all(|place| place.span.clone().is_none_or(|span| files[place.file].get(span).is_some()))
}

/// A line for each task: name, kind, GFLOP, accesses with names of blocks, declared and moved bytes; then one for each edge.
pub(crate) fn rows(graph: &TaskGraph) -> String {
    let mut text = format!("{}\n", graph.name());
    for task in graph.tasks() {
        let name = graph.task_name(task).unwrap_or("-");
        let _ = write!(text, "{name} {} {}:", graph.type_name(task), graph.gflop(task));
        for access in graph.accesses(task) {
            let block = graph.block_name(access.block).map_or(format!("#{}", access.block.0), str::to_owned);
            let (mode, declared, moved) = (access.mode.as_str(), access.declared_bytes, access.moved_bytes);
            let _ = write!(text, " {mode} {block} {declared}/{moved}");
        }
        text.push('\n');
    }
    let mut tracker = Tracker::new(graph.blocks().len());
    for task in graph.tasks() {
        for edge in tracker.add(graph, task) {
            let name = |task| graph.task_name(task).unwrap_or("-");
            let _ = writeln!(
                text,
                "{} -> {} {} {}",
                name(edge.from),
                name(edge.to),
                edge.kind.as_str(),
                edge.bytes
            );
        }
    }
    text
}
