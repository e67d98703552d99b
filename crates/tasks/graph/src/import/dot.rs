//! Graphs in the DOT language: a task for each node, a block for each edge.
//!
//! Attributes: of a node `flop`, or `size` (as the examples of SimGrid and dslab-dag have it), in FLOP, and `type`; of an edge `bytes`, or `size`, in B.
//! A `strict` graph has one edge for a pair of nodes, any other one as many as are written. `size = -1` of an edge is SimGrid's word for order
//! without data. Edges with `dir = back` point the other way, and those with `style = invis` only help the layout: they are no order.

mod lexer;
mod parser;

use crate::values::AccessMode;
use numasim_study::{Place, Problem, ProblemKind};

use super::assemble::assemble;
use super::draft::{Draft, DraftTask};
use super::{Imported, Noted, Warning, room};
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
    if let Some(node) = draft.tasks.iter().find(|task| is_of_a_cmake_legend(&task.name)) {
        let message = "this is a graph of CMake, whose arrows point from a target to what it needs first";
        let problem = Problem::new(ProblemKind::BadValue, message).at(node.place.clone(), "its legend");
        problems.add(problem.hint(
            "turn all arrows, delete the subgraph clusterLegend, and give nodes `flop` and edges `bytes`",
        ));
    }
    let (mut order_only, mut invisible) = (Noted::default(), Noted::default());
    let mut first_edge = None;
    let is_without_work = draft.tasks.iter().all(|task| task.gflop == 0.0);
    let mut is_without_data = true;
    for (from, to, item) in graph.edges {
        if problems.is_full() {
            break;
        }
        let Some((from, to)) = problems.take(directed((from, to), &item)) else { continue };
        let name_of = |node: usize| draft.tasks.get(node).map_or("", |task| task.name.as_str());
        let name = format!("{} -> {}", name_of(from), name_of(to));
        let place = Place::at(0, item.place.clone());
        if is_invisible(&item) {
            invisible.at(&name, &place);
            continue;
        }
        first_edge.get_or_insert_with(|| place.clone());
        let bytes = if has_no_data(&item) {
            order_only.at(&name, &place);
            0.0
        } else {
            let bytes = figure(&item, "bytes", &mut problems);
            if bytes.is_none() {
                without_bytes.at(&name, &place);
            }
            bytes.unwrap_or(0.0)
        };
        is_without_data &= bytes == 0.0;
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
    let edges = ["the edge", "edges"];
    let warnings = [
        without_work.warning(["the node", "nodes"], "without `flop`: no work"),
        without_bytes.warning(edges, "without `bytes`: no data"),
        order_only.warning(edges, "with `size = -1`: order without data, as SimGrid writes it"),
        invisible.warning(edges, "with `style = invis`: left out, as it only helps the layout"),
        first_edge.filter(|_| is_without_work && is_without_data).map(|place| Warning {
            message: "no task has work and no edge has data: the graph has only an order, in which `a -> b` means that a comes before b; \
                      tools that draw what a target needs (CMake, Bazel, Terraform) mean the opposite"
                .to_owned(),
            place: Some(place),
        }),
    ];
    Ok(Imported { graph, warnings: warnings.into_iter().flatten().collect() })
}

/// The ends of an edge in the order in which its arrow points.
#[allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]
fn directed((from, to): (usize, usize), item: &Item) -> Result<(usize, usize), Problem> {
    match item.attributes.get("dir") {
        Some((dir, _)) if dir == "back" => Ok((to, from)),
        Some((dir, place)) if dir == "both" || dir == "none" => {
            let message = format!("`dir` is {dir}: this edge does not say which of its tasks comes first");
            let problem = at(ProblemKind::BadValue, 0, place.clone(), message);
            Err(problem.hint("write `dir = forward` or `dir = back`, or delete the edge"))
        }
        _ => Ok((from, to)),
    }
}

/// It helps the layout, and is not drawn.
fn is_invisible(item: &Item) -> bool {
    let style = item.attributes.get("style");
    style
        .is_some_and(|(style, _)| style.split(',').any(|style| matches!(style.trim(), "invis" | "invisible")))
}

/// SimGrid's word for an edge that is order alone: `size="-1"`, `"-1."`.
fn has_no_data(item: &Item) -> bool {
    let size = item.attributes.get("size").filter(|_| !item.attributes.contains_key("bytes"));
    size.is_some_and(|(size, _)| size.trim().parse() == Ok(-1.0))
}

/// `legendNode0`: with `cmake --graphviz` every graph has them.
fn is_of_a_cmake_legend(name: &str) -> bool {
    let number = name.strip_prefix("legendNode");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
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
