//! Applications over simulated time: who works when, how fast, and who waits for whom.
//!
//! [`simulate`] takes a [`Question`] (a study, who decides about threads, a seed, perhaps an end) and returns a [`Run`]. Rates come
//! from the sharing model (`numasim_model::sharing::Load`); between two instants they are constant (fluid simulation). The rules
//! are those of paper 002, sections II to V, made exact; where the paper leaves something open, the text beside the rule says
//! what was decided.
//!
//! # One instant
//! Whatever lies within 1 ns happens at one instant, in this order:
//! 1. Everything ends that ends: work, sleep, iterations, calls; applications arrive; iterations that can begin do begin;
//!    repeated until nothing changes.
//! 2. The policy is asked.
//! 3. Commands that are due take effect in the order in which they were given; threads block and unblock.
//! 4. Idle threads that are not blocked take tasks. If one of them takes no time, the instant is gone through again.
//!
//! # Modules
//! `threads` (states of the threads of an application), `cores` (how running threads share the cores of a node), `rates` (from
//! running threads to speeds), `progress` (iterations, phases, tasks, channels, calls), `commands` (orders under way and in
//! force), `simulation` (the instants in order), `result` (what is asked and found), `job` (a simulation by the name of its policy), `changes` (rows of a timeline), `slots` (what is counted, and what a picture
//! over time needs). `reference` (a feature, for tests) answers the same questions thread by thread; it is slow and is there to be compared with.
//!
//! Everything is pure: no clock, file or global; randomness comes from the seed alone.
#![warn(missing_docs)]

mod bound;
mod changes;
mod cluster;
mod commands;
mod cores;
pub mod invariants;
mod job;
mod progress;
mod rates;
#[cfg(feature = "reference")]
pub mod reference;
mod result;
mod simulation;
mod slots;
mod spread;
mod threads;

pub use bound::{Bottleneck, LowerBound, lower_bound};
pub use changes::{Changes, Row, State};
pub use cluster::{ClusterRun, Makespans, cluster};
pub use job::{Job, JobError, Outcome};
pub use result::{
    AppRun, Both, ChannelRun, Controller, Counts, Deadlock, Ending, MOST_FRUITLESS, Observer, Question,
    Reaction, Run, Silent, SimulateError, Snapshot, SoFar, Stuck, WaitsFor, is_too_short,
};
pub use simulation::simulate;
pub use slots::{Items, StripRecorder, Strips};
pub use slots::{SlotRecorder, Slots};
pub use spread::task_factors;
