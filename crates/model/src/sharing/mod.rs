//! Bandwidth-sharing models, with the full specification of the default, `baseline-proportional`.
//!
//! A [`Model`] is a [`ModelKind`] with [`Parameters`] (corrections that are off by default). It is part of
//! the machine ([`crate::Machine::sharing`]), and a plain value ([`crate::sharing_model`]). [`Solver`]
//! compiles machine and applications once and answers under any model. The rules of the other models are at
//! the top of the modules [`remote_first`], [`max_min`], [`proportional`], [`request_fraction`] and [`ecm`],
//! those of the corrections in [`Parameter`]. [`about`] explains all of them to people.
//!
//! `README.md` in this folder lists the file that computes each model. The rest of this text is the
//! specification of the default.
//!
//! # Unit
//! All rates are in GB/s (10^9 bytes per second), per thread unless a name says otherwise.
//!
//! Every shared resource is counted in read-equivalent GB/s. If the machine defines the bandwidth of a memory
//! under a write kernel (`triad_gbs` and the like), one GB/s of such an application counts as bandwidth for
//! reads / bandwidth for the kernel, on the memory and on every link to it ([`crate::Node::occupied_by`]).
//! Alone it then reaches the measured bandwidth; next to others it takes the share of a memory's time that it
//! needs. Speeds and bandwidths of applications are GB/s as they move data.
//!
//! Replicated data with writes is data on several memories: the threads of each node use their own copy for
//! all their traffic, and the copy of each other node with threads of the application for the share that they
//! write. Shared resources count every copy; demands and bandwidths of applications count their bytes once.
//! The cost of a thread therefore depends on the nodes with threads ([`crate::Demand::on_nodes`]).
//!
//! # Problem
//! Threads on NUMA nodes read memory, each up to the rate that its core can process. Memory controllers, the
//! directed links between nodes, links that several pairs of nodes share and the read limit of a node cannot
//! serve all of them. How much does each thread get?
//!
//! # Terminology
//! - **demand** d: the rate of one thread with the machine to itself, min(peak of the core / arithmetic
//!   intensity, bandwidth ceiling of the core), times its cost on the memory in question.
//! - **cost**: the fraction of its data on a memory, times the read-equivalent factor of its kernel there.
//! - **flow**: the equal threads of one application on one node that read one memory.
//! - **port** (**pool** in the code): a controller's port for the threads of its own node, or for those of
//!   one other node, which come over a link.
//! - **baseline**: bandwidth of a port / cores of the node of the threads; every core is entitled to it.
//! - **granted**: a thread's share of a port, before it is known whether the thread can use it.
//! - **drawn**: the thread's actual traffic: a thread that waits for one memory leaves the others unused.
//!
//! # Algorithm
//! 0. If an L3 domain has a read limit (`l3_read_gbs`), its threads split that limit by step 3 (baseline:
//!    limit / its cores), and no thread requests more than its share. The same then applies to a node
//!    (`read_gbs`), whose threads request no more than their shares of their domains.
//! 1. A remote port requests min(demand of its threads, link), the local port requests the demand of the
//!    node's own threads. Links that use a shared link are filled evenly (max-min) up to its capacity: a port
//!    requests no more than its share of it.
//! 2. All ports of a controller are filled at the same pace until each has its request or the controller is
//!    full (`ports`).
//! 3. *Baseline plus proportional* inside a port (`Split`; paper: Dokulil and Benkner, section III-A): each
//!    thread gets min(demand, baseline); the rest is distributed in proportion to the remaining demand of
//!    each thread.
//! 4. A thread takes the smallest granted / cost over the memories that it reads. Unused bandwidth is
//!    redistributed by steps 0 to 4, without the threads whose demand is met or that use a full resource,
//!    until no thread gains any more (`rounds`).
//! 5. Its performance is min(peak, bandwidth x arithmetic intensity), the roofline.
//!
//! A single round is complete if each thread reads one memory and no limit is shared (`baseline`).
//!
//! # Properties
//! No thread exceeds its demand; no resource exceeds its capacity; no thread below its demand has room on
//! every resource that it uses; the threads of a node that read only its memory keep at least B / (1 + nodes
//! that read it from outside) together if their demand is that high; the order of applications and the
//! numbering of nodes do not matter; all bandwidths and peaks times k give the result times k.
//!
//! If each thread reads one memory and no limit is shared: every thread on a full port gets at least
//! min(demand, baseline); more controller bandwidth takes nothing from any thread; a thread added on one node
//! never helps a thread on another node (the search relies on it). Otherwise none of these is guaranteed: a thread
//! that is limited at one memory leaves more to others at another memory.
//!
//! [`Solver`] is the fast implementation. `reference` (a feature, for tests) answers thread by thread in the
//! words of the model; it is slow and serves as the comparison. [`invariants`] defines the properties of any
//! answer.

mod baseline;
mod compiled;
mod copies;
mod corrections;
pub mod dealt;
pub mod ecm;
pub mod invariants;
pub mod least;
pub mod max_min;
pub mod network;
pub mod own_queue;
pub mod own_share;
mod ports;
pub mod proportional;
#[cfg(feature = "reference")]
pub mod reference;
pub mod remote_first;
pub mod request_fraction;
mod rounds;
pub(crate) mod solver;
pub mod trace;
mod view;
mod waits;
mod way;

pub use compiled::PoolKind;
pub use network::{FlowId, FlowKey, Load, Network};
pub use solver::{Solver, Workspace, kept_on};
pub use view::{FlowView, PoolView, Starved};

pub use crate::sharing_model::{Model, ModelKind, Parameter, ParameterError, Parameters, about};
