//! Graphs of tasks on this host: the workers of a pool (`numasim_runtime`), bound to cores, run the kernels of the tasks, and the schedulers of the simulation decide
//! who runs which.
//!
//! [`serial`] runs one task after the other: what all other results are compared with bit by bit, and how long each kind of task takes alone.
//! [`execute`] runs them under a scheduler, on [`Workers`] that an agent may control. [`calibrated`] gives the simulation tasks that take as long as here.
#![warn(missing_docs)]

mod calibrated;
mod clock;
mod director;
mod error;
mod pages;
mod parallel;
mod serial;
mod state;
mod workers;

pub use calibrated::calibrated;
pub use error::ExecuteError;
pub use pages::BlockPages;
pub use parallel::{Execution, execute};
pub use serial::{Serial, serial};
pub use workers::{Cores, Workers};
