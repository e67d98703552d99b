//! numasim for Python: the package `numasim` of `python/`, of which this is the part that computes.
//!
//! Values go in as the text of files, through the same checked reader; results come out as arrays that take over the memory of what
//! was computed, and as the documents of the command line. Work runs without the lock of the interpreter, and Ctrl-C ends it.

mod columns;
mod error;
mod exploring;
mod machines;
mod nearly;
mod pareto;
mod reading;
mod running;
mod scenario;
mod scheduling;
mod simulating;
mod sweeping;
mod tasking;
mod working;

use pyo3::prelude::*;

/// The part of the package that computes.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::columns::arrow_stream;
    #[pymodule_export]
    use super::exploring::{Exploration, Robust, explore};
    #[pymodule_export]
    use super::machines::{Machines, machines};
    #[pymodule_export]
    use super::nearly::{Fewest, Simplest};
    #[pymodule_export]
    use super::pareto::{Front, pareto};
    #[pymodule_export]
    use super::reading::Reading;
    #[pymodule_export]
    use super::running::{Advice, Snapshot, advise, snapshot};
    #[pymodule_export]
    use super::scenario::{Evaluation, ScenarioResult, evaluate};
    #[pymodule_export]
    use super::scheduling::{ScheduledRun, TaskProgram, schedule};
    #[pymodule_export]
    use super::simulating::{SimulatedRun, Simulation, simulate};
    #[pymodule_export]
    use super::sweeping::sweep;
    #[pymodule_export]
    use super::tasking::{Tasks, TasksRun, tasks};
}
