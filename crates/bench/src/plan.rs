//! What a run shall do on this host, decided before anything is measured: which thread runs which kernel on which
//! processors, with its data on which NUMA nodes.
//!
//! A plan is a plain value. It is made from scenarios and a host's topology, and a [`crate::runner::Runner`] carries
//! it out.

use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;

use crate::kernel::Kernel;

/// One scenario, ready to run on this host.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedScenario {
    /// Its name in the file.
    pub name: String,
    /// Its applications that have threads, in the order of the files.
    pub apps: Vec<PlannedApp>,
    /// It was scaled to this host (`--fit-host`) and is not what the file says.
    pub fitted: bool,
}

/// One application of a planned scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedApp {
    /// The name of the instance: `mem-2`.
    pub name: String,
    /// What its threads compute.
    pub kernel: Kernel,
    /// Its threads, node by node.
    pub threads: Vec<PlannedThread>,
}

/// One thread.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedThread {
    /// The node it runs on: its place in [`crate::HostTopology::nodes`].
    pub node: NodeId,
    /// The processors it may use: one with `--bind core`, all of the node with `--bind node`.
    pub cpus: CpuList,
    /// Where its data lies: operating-system number of each NUMA node and the share of the data on it, sum 1, no zeros.
    /// The shares hold for any long stretch of the data, so that a thread reads all its nodes all the time.
    pub memory: Vec<(u32, f64)>,
}
