//! Who gets which bandwidth: the models of sharing, and the default `baseline-proportional` in full.
//!
//! A [`Model`] is a [`ModelKind`] with [`Parameters`] (corrections that are off by default). It is part of the machine
//! ([`crate::Machine::sharing`]), and a plain value ([`crate::sharing_model`]). [`Solver`] compiles machine and applications once and answers with any of them; the
//! rules of the other models are at the top of the modules [`remote_first`], [`max_min`], [`proportional`],
//! [`request_fraction`] and [`ecm`], those of the corrections in [`Parameter`]. [`about`] explains all to people.
//!
//! `README.md` beside this file says where each model is computed. The rest of this text is the specification of the default.
//!
//! # Unit
//! All rates are in GB/s (10^9 bytes per second), per thread unless a name says otherwise.
//!
//! Everything shared is counted in GB/s of reads. Where the machine says what a memory delivers to a kernel that writes
//! (`triad_gbs` and the like), a GB/s of such an application stands for read figure / that figure of them, on the memory and
//! on every link to it ([`crate::Node::occupied_by`]): alone it then has the figure that was measured, beside others it takes the
//! part of a memory's time that it needs. Speeds and bandwidths of applications are GB/s as they move data.
//!
//! Replicated data that is written is data on several memories: the threads of each node use their own copy for all that they move, and that of each other
//! node with threads of the application for the share that they write. Everything shared counts every copy; wants and bandwidths of
//! applications count their bytes once. So what a thread costs depends on which nodes have threads ([`crate::Demand::on_nodes`]).
//!
//! # Problem
//! Threads on NUMA nodes want to read memory, each at the rate its core could digest. Memory controllers, the directed
//! links between nodes, links that several pairs of nodes share and what a node can read in all cannot serve all of them.
//! Who gets how much?
//!
//! # Terminology
//! - **demand** d: what one thread would read with the machine to itself, min(peak of the core / arithmetic
//!   intensity, bandwidth ceiling of the core), times its cost on the memory in question.
//! - **cost**: the fraction of its data on a memory, times what a GB/s of its kernel stands for there.
//! - **flow**: the equal threads of one application on one node that read one memory.
//! - **port** (**pool** in the code): a controller's port for the threads of its own node, or for those of one other node, which
//!   come over a link.
//! - **baseline**: what a port has / cores of the node where the threads run; every core has a right to it.
//! - **granted**: what a thread gets of a port, before it is known whether it can use it.
//! - **drawn**: what it really uses: a thread that waits for one memory leaves the others unused.
//!
//! # Algorithm
//! 0. Where an L3 domain can only read so much (`l3_read_gbs`), its threads split that by step 3 (baseline: what it has / its cores);
//!    nobody wants more than that part. The same then for a node (`read_gbs`), of whose threads each asks for no more than its part of its domain.
//! 1. A remote port asks for min(what its threads want, link), the local one for what the node's own threads want. Links that
//!    use a shared link are filled evenly (max-min) up to its capacity: a port asks for no more than that part.
//! 2. All ports of a controller are filled at the same pace until each has what it asks for or the controller is used up
//!    (`ports`).
//! 3. *Baseline plus proportional* inside a port (`Split`; paper: Dokulil and Benkner, section III-A): each thread gets
//!    min(demand, baseline); the rest goes out in proportion to what each thread still wants.
//! 4. A thread takes the smallest granted / cost over the memories it reads. What nobody could use is dealt again by
//!    steps 0 to 4, without those who have all they want or use something that is full, until nobody gains (`rounds`).
//! 5. Its performance is min(peak, bandwidth x arithmetic intensity), the roofline.
//!
//! One round is all there is where each thread reads one memory and no limit is shared (`baseline`).
//!
//! # Properties
//! Nobody above demand; nothing above capacity; no thread below its want has room on everything it uses; the threads of a
//! node that read only its memory keep at least B / (1 + nodes that read it from outside) together if they want it; order of applications and numbering of
//! nodes do not matter; all bandwidths and peaks times k give the result times k.
//!
//! Where each thread reads one memory and no limit is shared: at least min(demand, baseline) on a full port; a wider
//! controller takes from nobody; a thread added on one node never helps a thread on another node (the search relies on it).
//! Elsewhere neither holds: a thread that is held back at one memory leaves more to others at another one.
//!
//! [`Solver`] is the fast one. `reference` (a feature, for tests) answers thread by thread in the words of the model; it is slow and is
//! there to be compared with. [`invariants`] says what must hold of any answer.

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
