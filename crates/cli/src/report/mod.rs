//! The page of `numasim report`: pure functions from values to one HTML file that needs nothing else.
//!
//! Every text goes through maud, which escapes it. The exceptions are our own style, script and plots; plots escape their text
//! themselves. The page contains the JSON of `evaluate`, `compare`, `simulate` and `tasks`. Each visible value names its location in it
//! (`data-json`), so that a test, or a reader, can compare both.

mod contents;
mod html;
mod interactive;
mod machine;
mod page;
mod scenarios;
mod simulations;
mod verdict;

pub(crate) use contents::{Course, Explored, Figure, ReadFile, Repeated, Report, Simulations, Tasks};
pub(crate) use interactive::Interactive;
pub(crate) use page::page;
pub(crate) use simulations::MOST_APPS;
