//! Given a machine, applications and a placement of threads: who gets which bandwidth, and how fast is it?
#![warn(missing_docs)]

pub mod allocation;
pub mod app;
pub mod bottleneck;
pub mod evaluation;
pub mod ids;
pub mod machine;
pub mod scenario;
pub mod sharing;
pub mod spec;
pub mod units;

pub use allocation::Allocation;
pub use app::{App, Data, Placement};
pub use bottleneck::Bottleneck;
pub use evaluation::{Evaluation, evaluate};
pub use ids::{AppId, NodeId};
pub use machine::{Machine, Node};
pub use scenario::{Scenario, Study};
pub use sharing::Demand;
