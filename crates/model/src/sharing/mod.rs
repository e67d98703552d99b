//! Who gets which bandwidth: the models of sharing, and the paper's `baseline-proportional` in full.
//!
//! A [`Model`] is a [`ModelKind`] with [`Parameters`] (corrections that are off by default). It is part of the machine
//! ([`crate::Machine::sharing`]), and a plain value ([`crate::sharing_model`]). [`Solver`] compiles machine and applications once and answers with any of them; the
//! rules of the other models are at the top of the modules [`max_min`], [`proportional`], [`fair_port`],
//! [`request_fraction`] and [`ecm`], those of the corrections in [`Parameter`]. [`about`] explains all to people.
//!
//! The rest of this text is the specification of the default.
//!
//! # Unit
//! All rates are in GB/s (10^9 bytes per second), per thread unless a name says otherwise.
//!
//! # Problem
//! Threads on NUMA nodes want to read memory, each at the rate its core could digest. Memory controllers and the
//! directed links between nodes cannot serve all of them. Who gets how much?
//!
//! # Terminology
//! - **demand** d: what one thread would read with the machine to itself, min(peak of the core / arithmetic
//!   intensity, bandwidth ceiling of the core), times the fraction of its data on the memory in question.
//! - **flow**: the equal threads of one application on one node that read one memory.
//! - **pool**: an amount of bandwidth that flows share: a link (for the flows of one node that read another node's
//!   memory), or what remote readers leave of a controller (for the node's own flows).
//! - **baseline**: pool / cores of the node where the threads run; every core has a right to it.
//! - **granted**: what a thread gets of a pool, before it is known whether it can use it.
//! - **drawn**: what it really uses: a thread that waits for one memory leaves the others unused.
//!
//! # Algorithm (paper: Dokulil and Benkner, section III-A)
//! For each memory m with bandwidth B:
//! 1. *Remote first*: each link n -> m grants min(what its flows want, link). If all links together would get more
//!    than B, each is scaled by the same factor.
//! 2. Inside a link the flows share by the rule of step 4.
//! 3. What is left, R, is the pool of the threads that run on m.
//! 4. *Baseline plus proportional*: each thread gets min(demand, baseline); the rest goes out in proportion to what
//!    each thread still wants.
//! 5. A thread's bandwidth is the smallest granted / fraction over the memories it reads; its performance is
//!    min(peak, bandwidth x arithmetic intensity), the roofline.
//!
//! # Properties
//! Nobody above demand; controllers and links never above capacity; at least min(demand, baseline) on a saturated
//! pool; capacity is used up while anyone there is hungry; order of applications and numbering of nodes do not
//! matter; all bandwidths and peaks times k gives the result times k; a thread added on one node never helps a thread
//! on another node (the search relies on it).
//!
//! [`Solver`] is the fast one. [`mod@reference`] answers thread by thread in the words of the model; it is slow and is
//! there to be compared with. [`invariants`] says what must hold of any answer.

mod baseline;
mod compiled;
mod corrected;
mod corrections;
mod describe;
pub mod ecm;
pub mod invariants;
pub mod max_min;
mod ports;
pub mod proportional;
pub mod reference;
mod remote;
pub mod remote_first;
pub mod request_fraction;
mod rounds;
mod shares;
mod solver;
mod split;
pub mod trace;
mod view;

pub use compiled::PoolKind;
pub use solver::{Solver, Workspace};
pub use view::{FlowView, PoolView, Starved};

pub use crate::sharing_model::{Model, ModelKind, Parameter, ParameterError, Parameters, about};
