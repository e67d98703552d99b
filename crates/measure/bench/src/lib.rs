//! What this host does: plans of scenarios for it, pinned kernels that are measured, graphs of tasks that are executed, and what is doubtful about the result.
//!
//! What the host is comes from `numasim-host`, what measured figures say is in `numasim-evidence`.

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
