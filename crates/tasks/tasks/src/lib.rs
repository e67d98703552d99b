//! Task graphs over simulated time: the times and places of tasks under a scheduler, and the resulting makespan.
//!
//! A [`Question`] consists of a machine, a graph (`numasim_graph::values`), a scheduler (`[scheduler]`), the costs of its runtime
//! (`[runtime]`) and the placement of pages; a [`Run`] is the answer. Rates of tasks come from the sharing model
//! (`numasim_model::sharing::Load`): a task on a core of a node is one thread with a separate arithmetic intensity and separate fractions
//! of data.
//!
//! # One instant
//! Events whose times differ by at most 1e-9 (relative to the time) happen together, in these steps, repeated until nothing more happens:
//! 1. Tasks that end, by number: finished, children counted down.
//! 2. The master creates as many tasks as it can.
//! 3. All tasks that became ready go to the ends of their queues, by number.
//! 4. Every idle worker, in order, takes the first task of its queue; then those that are still idle, in order, steal.
//!
//! Everything is pure: no clock, file or global state; randomness comes from the seed alone.
#![warn(missing_docs)]

pub use advice::{Advice, HomeRule, advise};
pub use engine::{Profiler, profile, simulate, simulate_under};
pub use error::{JobError, TasksError, TooLarge};
pub use job::{Answer, Asked, Job, Metg, NoSeeds, Program, ProgramError, Settings, bench};
pub use question::Question;
pub use result::{
    ContenderRun, Cut, IdleReason, IdleTimes, NodeRun, Observer, Run, Silent, TaskRecord, Traffic,
};
pub use schedulers::{Fallbacks, HandOver, Partitioning, Pause, Round, Scheduler, Source, Start, View};
pub use sockets::{SocketId, Sockets, WorkerId};

mod advice;
pub mod bound;
mod engine;
mod error;
pub mod invariants;
mod job;
pub mod live;
mod question;
mod random;
#[cfg(feature = "reference")]
pub mod reference;
mod result;
mod schedulers;
mod sockets;
