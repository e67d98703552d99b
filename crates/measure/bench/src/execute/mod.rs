//! Graphs of tasks on this host: the workers of a pool (`numasim_runtime`), bound to cores, run the kernels of the tasks, and the schedulers of the simulation decide
//! which worker runs which task.
//!
//! [`serial`] runs one task after the other: the reference of all other results, bit by bit, and the duration of each kind of task alone.
//! [`execute`] runs them under a scheduler, on [`Workers`] that an agent may control. [`calibrated`] gives the simulation tasks that take as long as here.

mod director;
mod run;
mod workers;

use numasim_host::affinity::AffinityError;
use numasim_kernels::Fault;
use numasim_runtime::{LayoutError, OrderError};
use numasim_tasks::TasksError;

pub use run::{BlockPages, Execution, Serial, calibrated, execute, serial};
pub use workers::{Cores, Workers};

/// Why a graph does not run here.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// The scheduler refuses it.
    #[error(transparent)]
    Tasks(#[from] TasksError),
    /// A kernel cannot go on.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A thread cannot be bound.
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    /// The machine has other cores than those that are here.
    #[error("the machine has {machine} cores on its nodes, and there are {here} to run on")]
    Cores {
        /// Per node of the machine, joined by `+`.
        machine: String,
        /// Per node of this host.
        here: String,
    },
    /// No thread can be started.
    #[error("no thread can be started: {0}")]
    Thread(#[from] std::io::Error),
    /// Nobody could run anything.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The workers cannot follow their first order.
    #[error(transparent)]
    Order(OrderError),
    /// A thread panicked: a fault of the program.
    #[error("a worker ended before its time")]
    Lost,
}
