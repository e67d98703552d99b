//! The commands, one module each: `run` does the work of a parsed command line.

pub(crate) mod advise;
pub(crate) mod agent;
pub(crate) mod bench;
pub(crate) mod calibrate;
pub(crate) mod detect;
pub(crate) mod evaluate;
pub(crate) mod evidence;
pub(crate) mod explore;
pub(crate) mod export;
mod graph_folder;
#[cfg(target_os = "linux")]
mod host_nodes;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod itself;
mod measuring;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod profile;
pub(crate) mod profile_app;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod simulate;
pub(crate) mod snapshot;
pub(crate) mod sweep;
pub(crate) mod tasks;
pub(crate) mod top;
pub(crate) mod validate;
pub(crate) mod workers;
