//! Why a graph does not run here.

use numasim_host::affinity::AffinityError;
use numasim_kernels::Fault;
use numasim_runtime::{LayoutError, OrderError};
use numasim_tasks::TasksError;

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
