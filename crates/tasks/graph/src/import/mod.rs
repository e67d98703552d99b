//! Graphs of other tools: text in, a graph and warnings out, or problems with their places.
//!
//! Tasks come in topological order, those that are free in the order of the file (or of submission, where it says so). What the text
//! says of order and no block shows becomes a block of 0 B that the earlier task writes and the later ones read. A block that a
//! task reads and writes moves twice.

mod assemble;
mod control;
pub mod dot;
mod draft;
mod lines;
mod order;
mod room;
pub mod starpu;
#[cfg(test)]
mod tests;
pub mod wfcommons;

use crate::values::TaskGraph;
use numasim_study::Place;

/// A graph, and what a reader of its results should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The graph.
    pub graph: TaskGraph,
    /// What was left out or assumed.
    pub warnings: Vec<Warning>,
}

/// Something that was left out or assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What, in one sentence without a full stop.
    pub message: String,
    /// Where it was so first.
    pub place: Option<Place>,
}

/// Something that is so in several places: the first of them, and how many there are.
#[derive(Clone, Debug, Default)]
struct Noted(Option<(String, Place, usize)>);

impl Noted {
    /// At one more place; `name` is that of the task or block.
    fn at(&mut self, name: &str, place: &Place) {
        match &mut self.0 {
            Some((_, _, count)) => *count += 1,
            none => *none = Some((crate::problems::shown(name), place.clone(), 1)),
        }
    }

    /// The warning, if there is one: `what` (in the singular and in the plural), then `why`.
    fn warning(self, [one, many]: [&str; 2], why: &str) -> Option<Warning> {
        let (name, place, count) = self.0?;
        let message = match count {
            1 => format!("{one} `{name}` {why}"),
            _ => format!("{count} {many} (the first is `{name}`) {why}"),
        };
        Some(Warning { message, place: Some(place) })
    }
}
