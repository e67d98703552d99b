//! numasim for Python: the package `numasim` of `python/`, of which this is the part that computes.
//!
//! Values go in as the text of files, through the same checked reader; results come out as arrays that take over the memory of what
//! was computed, and as the documents of the command line. Work runs without the lock of the interpreter, and Ctrl-C ends it.

mod array;
mod error;
mod evaluating;
mod exploring;
mod reading;
mod scenario;
mod sweeping;
mod working;

use pyo3::prelude::*;

/// The part of the package that computes.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::evaluating::{Evaluation, evaluate};
    #[pymodule_export]
    use super::exploring::{Exploration, explore};
    #[pymodule_export]
    use super::reading::Reading;
    #[pymodule_export]
    use super::scenario::ScenarioResult;
    #[pymodule_export]
    use super::sweeping::sweep;
}
