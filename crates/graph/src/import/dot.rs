//! Graphs in the DOT language: a task for each node, a block for each edge.
//!
//! Attributes: of a node `flop`, or `size` (as the examples of SimGrid and dslab-dag have it), in FLOP, and `type`; of an edge `bytes`, or `size`, in B.
//! A `strict` graph has one edge for a pair of nodes, any other one as many as are written.

mod lexer;
mod parser;

use numasim_model::graph::AccessMode;
use numasim_model::input::{Place, Problem, ProblemKind};

use super::assemble::assemble;
use super::draft::{Draft, DraftTask};
use super::{Imported, Noted, room};
use crate::problems::{Problems, amount, at};
use parser::Item;

/// Reads a `digraph`. `name` is that of the graph where the text has none.
///
/// # Errors
/// Problems with their places: no DOT, no digraph, amounts that are no numbers or below 0, a circle of nodes.
pub fn read(text: &str, name: &str) -> Result<Imported, Vec<Problem>> {
    room::check(text, [room::words(text), 320], 1)?;
    let graph = parser::read(text);
    let graph = graph.map_err(|(place, message)| vec![at(ProblemKind::Syntax, 0, place, message)])?;
    let mut problems = Problems::default();
    let mut draft = Draft::default();
    let (mut without_work, mut without_bytes) = (Noted::default(), Noted::default());
    for (name, item) in graph.nodes {
        if problems.is_full() {
            break;
        }
        let place = Place::at(0, item.place.clone());
        let flop = figure(&item, "flop", &mut problems);
        if flop.is_none() {
            without_work.at(&name, &place);
        }
        let kind = item.attributes.get("type").map_or_else(|| "task".to_owned(), |(kind, _)| kind.clone());
        let gflop = flop.unwrap_or(0.0) / 1e9;
        let task = DraftTask { name, kind, gflop, accesses: Vec::new(), parents: Vec::new(), place };
        if let Err(problem) = draft.task(task) {
            problems.add(*problem);
        }
    }
    for (from, to, item) in graph.edges {
        if problems.is_full() {
            break;
        }
        let name_of = |node: usize| draft.tasks.get(node).map_or("", |task| task.name.as_str());
        let name = format!("{} -> {}", name_of(from), name_of(to));
        let bytes = figure(&item, "bytes", &mut problems);
        if bytes.is_none() {
            without_bytes.at(&name, &Place::at(0, item.place.clone()));
        }
        let bytes = bytes.unwrap_or(0.0);
        let Some(block) = draft.block(name, bytes) else { break };
        if let Some(task) = draft.tasks.get_mut(from) {
            task.accesses.push((block, AccessMode::Out, bytes));
        }
        if let (Some(task), Ok(from)) = (draft.tasks.get_mut(to), u32::try_from(from)) {
            task.parents.push(from);
            task.accesses.push((block, AccessMode::In, bytes));
        }
    }
    problems.none(())?;
    for task in &mut draft.tasks {
        task.accesses.sort_by_key(|access| access.1.writes());
    }
    let graph = assemble(draft, graph.name.as_deref().unwrap_or(name))?;
    let work = without_work.warning(["the node", "nodes"], "without `flop`: no work");
    let bytes = without_bytes.warning(["the edge", "edges"], "without `bytes`: no data");
    Ok(Imported { graph, warnings: work.into_iter().chain(bytes).collect() })
}

/// An amount that is called `key` or `size`, if it is there and right.
fn figure(item: &Item, key: &str, problems: &mut Problems) -> Option<f64> {
    let (own, size) = (item.attributes.get(key), item.attributes.get("size"));
    if let (Some(_), Some((_, place))) = (own, size) {
        let message = format!("`size` is here another word for `{key}`, which is there too");
        problems.add(at(ProblemKind::Conflict, 0, place.clone(), message).hint("delete one of them"));
    }
    let (word, (text, place)) = own.map(|own| (key, own)).or(size.map(|size| ("size", size)))?;
    match amount(text.trim()) {
        Ok(value) => Some(value),
        Err(why) => {
            problems.add(at(ProblemKind::BadValue, 0, place.clone(), format!("`{word}` is {why}")));
            None
        }
    }
}
