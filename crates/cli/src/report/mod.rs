//! The page of `numasim report`: pure functions from values to one HTML file that needs nothing else.
//!
//! Every text goes through maud, which escapes it; only our own style, script and plots do not, and plots escape for
//! themselves. The page carries the JSON of `evaluate`, `compare`, `simulate` and `tasks`: each visible figure names its place there
//! (`data-json`), so that a test, or a reader, can hold both together.

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
