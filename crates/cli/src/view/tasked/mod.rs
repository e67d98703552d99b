//! What came out of simulated task graphs: pure functions from runs to a table and CSV; JSON is that of every front end.

mod csv;
mod table;
mod words;

pub(crate) use csv::csv;
pub(crate) use numasim_ask::tasked::{GraphFacts, Tasked, TasksView, head, json};
pub(crate) use table::table;
pub(crate) use words::{bound_in_words, idle_in_words};
