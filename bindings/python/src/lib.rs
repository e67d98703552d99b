//! numasim for Python: the compiled part of the package `numasim` in `python/`.
//!
//! Values enter as the text of files, through the same checked reader. Results are arrays that take over the memory of the computed
//! values, and the documents of the command line. Work runs without the interpreter lock, and Ctrl-C stops it.

mod answer;
mod columns;
mod drawing;
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

/// The compiled part of the package.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::answer::Answer;
    #[pymodule_export]
    use super::columns::arrow_stream;
    #[pymodule_export]
    use super::drawing::{bars_svg, heat_svg, lines_svg};
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
