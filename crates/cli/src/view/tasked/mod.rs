//! What came out of simulated task graphs: pure functions from runs to a table.

mod table;
mod words;

pub(crate) use numasim_ask::tasks::{GraphFacts, Tasked, TasksAnswer};
pub(crate) use table::table;
pub(crate) use words::{bound_in_words, idle_in_words};
