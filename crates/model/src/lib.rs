//! Computes the bandwidth and the speed of each application, given a machine, applications and a thread
//! placement.
//!
//! A [`Machine`] has NUMA nodes with cores and a memory controller, joined by directed links. An [`App`] has
//! an arithmetic intensity ([`units::FlopPerByte`]) and a data placement. An [`Allocation`] contains the
//! number of its threads on each node. [`evaluate`] returns an [`Evaluation`]; the rules are at the top of
//! [`sharing`]. The crate `numasim-study` reads all these values from text.
//!
//! Assumptions: steady state, one thread per core, the same bandwidth of a controller or link for reads and
//! writes, and a fixed arithmetic intensity per application. Latency, caches, SMT and clock changes are not
//! modelled.
//!
//! Every function is pure: its result depends only on its arguments. Bad input yields an error value, never a
//! panic.
//!
//! ```
//! use numasim_study::{SourceFile, read_study};
//!
//! // The paper's "uneven" allocation: 254 GFLOPS.
//! let text = r#"
//!     [machine]
//!     name = "4 nodes x 8 cores"
//!     nodes = 4
//!     cores_per_node = 8
//!     gflops_per_core = 10.0
//!     bandwidth_gbs = 32.0
//!     link_gbs = 10.0
//!     [[app]]
//!     name = "mem"
//!     instances = 3
//!     arithmetic_intensity = 0.5
//!     [[app]]
//!     name = "compute"
//!     arithmetic_intensity = 10.0
//!     [[scenario]]
//!     name = "uneven"
//!     threads = { mem = 1, compute = 5 }
//! "#;
//! let file = SourceFile { name: "study.toml".into(), text: text.into() };
//! let study = read_study(&[file]).expect("no problems").study;
//! let uneven = &study.scenarios[0];
//! let placements = uneven.placements()?;
//! let evaluation = numasim_model::evaluate(&study.machine, &study.apps, &placements, &uneven.allocation)?;
//! assert_eq!(evaluation.total.value(), 254.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]

pub mod access;
pub mod allocation;
pub mod app;
pub mod bottleneck;
pub mod bounds;
pub mod cpus;
pub mod demand;
pub mod evaluation;
pub mod ids;
pub mod machine;
pub mod memory;
pub mod order;
pub mod pinning;
pub mod problem;
pub mod roofline;
pub mod scaling;
pub mod scenario;
pub mod sharing;
pub mod sharing_model;
pub mod table;
pub mod text;
pub mod units;
pub mod words;

pub use allocation::{Allocation, OnNode, PerDomain, deal};
pub use app::{Access, App, Data, DataWord, OpenData, Placement, Placing, Smt, ThreadLimits, Traffic};
pub use bottleneck::Bottleneck;
pub use demand::{Demand, ThreadLimit};
pub use evaluation::{Evaluation, evaluate, evaluate_explained, evaluate_with};
pub use ids::{AppId, NodeId};
pub use machine::{KernelBandwidths, Machine, MixedBandwidths, Node};
pub use memory::MemoryFull;
pub use scenario::{Scenario, Study};
pub use sharing_model::{Model, ModelKind, Refusal};
pub use table::Table;
