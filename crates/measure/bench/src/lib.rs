//! Measurements on this host: plans of scenarios for it, measurements with pinned kernels, execution of task graphs, and warnings about the
//! results.
//!
//! The description of the host comes from `numasim-host`; the evaluation of measured values is in `numasim-evidence`.

pub mod bundle;
pub mod calibrate;
pub mod doubt;
pub mod execute;
#[cfg(target_os = "linux")]
pub mod live;
pub mod plan;
pub mod provenance;
pub mod result_file;
pub mod rows;
pub mod runner;
pub mod session;
