//! Applications of a host: from two instants of its processes to applications with threads, data and bandwidth on each node.
//!
//! A [`Moment`] is the state of all processes at an instant. Two of them say which groups of processes use the processors
//! ([`groups`]); of these, [`Details`] say where their data is. [`applications`] puts both together. A host reads the values, or a recorded
//! tree does: nothing here knows where they come from.
//!
//! A thread counts if it used at least [`BUSY`] of a core between the instants, and is on the node of the processor it ran on last.

mod apps;
mod bandwidth;
mod grouping;
mod memory;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::app_profile::placement::Verdict;
use crate::formats::cgroup::{Engine, GroupPath};
use crate::formats::resctrl::{Group, LocalAndTotal};

pub use apps::applications;
pub use grouping::{Draft, Selection, groups};

/// Clock ticks of `/proc` in a second: `USER_HZ`, the same on every architecture that Linux runs NUMA machines on.
pub const TICKS_PER_SECOND: f64 = 100.0;
/// A thread, or an application, with less of one core is idle.
pub const BUSY: f64 = 0.05;

/// Processes of a host at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Seconds since the system started; `None` if it does not say.
    pub uptime_s: Option<f64>,
    /// All processes but those of the kernel that are known as such, ascending by number.
    pub processes: Vec<Process>,
    /// Monitoring groups; `None` without resctrl.
    pub resctrl: Option<Vec<Group>>,
}

/// A process at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// The name of its program, at most 15 bytes, whatever they are.
    pub name: String,
    /// Its control group.
    pub group: Option<GroupPath>,
    /// Its threads, ascending by number.
    pub tasks: Vec<Task>,
}

/// A thread at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Its number.
    pub tid: u32,
    /// When it started, in ticks: with the number it names a thread for good.
    pub started: u64,
    /// The processor that it runs on, or ran on last.
    pub cpu: u32,
    /// Processor time that it has used, in ticks.
    pub ticks: u64,
    /// The number of the virtual processor of a guest that it is.
    pub vcpu: Option<u32>,
}

/// Why something of a process is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unseen {
    /// It belongs to another user.
    Denied,
    /// The process has ended, or the system has no such file.
    Absent,
}

/// Files of a process that belongs to an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// The beginning of its command line, words apart by NUL; empty of a kernel thread.
    pub command: Vec<u8>,
    /// The text of `numa_maps`.
    pub numa_maps: Result<String, Unseen>,
    /// Processors that it may use: `16-23`.
    pub allowed_cpus: Option<String>,
    /// Nodes that its memory may come from: `2`.
    pub allowed_mems: Option<String>,
}

/// Files of a control group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupDetails {
    /// The text of `memory.numa_stat`.
    pub numa_stat: Option<String>,
    /// Whether the text is of version 2.
    pub unified: bool,
}

/// The processors of the host as a machine file numbers its nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    /// The operating system's number of each node of the machine.
    pub os_nodes: Vec<u32>,
    /// Place of the node of each processor in `os_nodes`.
    pub node_of: BTreeMap<u32, usize>,
    /// L3 domain of each processor in its node, as far as the system says it.
    pub domain_of: BTreeMap<u32, usize>,
    /// Number of L3 domains of each node; 0 if they are not known.
    pub domains: Vec<usize>,
    /// The core of each processor, named by its first processor.
    pub core_of: BTreeMap<u32, u32>,
    /// Place of the node of each L3 cache, by the number of the cache.
    pub node_of_cache: BTreeMap<u32, usize>,
}

/// Facts of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// Number of sockets; `None` if the system does not say.
    pub sockets: Option<usize>,
    /// Distances between the nodes as the firmware reports them.
    pub distances: Option<Vec<Vec<u64>>>,
    /// Model name of the processor.
    pub processor: Option<String>,
    /// Processors that are switched off.
    pub offline: Option<String>,
    /// The kernel moves pages and threads between nodes on its own.
    pub numa_balancing: bool,
    /// Kinds of counters of memory controllers that the kernel offers to perf: `uncore_imc`.
    pub memory_counters: Vec<String>,
}

/// A host as it was read.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its applications.
    pub running: Running,
    /// The machine as text of an input file.
    pub machine: String,
    /// The same machine with hardware threads as its cores, for more busy threads than cores; `None` if the machine was measured, or its
    /// cores have one hardware thread.
    pub by_hardware_threads: Option<String>,
    /// Where its processors are in the machine.
    pub places: Places,
    /// Facts of the host that matter to a reader of the figures.
    pub facts: HostFacts,
}

/// The kind of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A container.
    Container {
        /// Its engine.
        engine: Engine,
        /// Its identifier.
        id: String,
    },
    /// A virtual machine.
    Guest,
    /// A service of systemd.
    Service {
        /// The name of its unit.
        unit: String,
    },
    /// A process on its own.
    Process,
}

/// An application that runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Application {
    /// Its name, in one line of visible characters, unlike that of any other.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its control group.
    pub group: Option<String>,
    /// Its processes, ascending.
    pub pids: Vec<u32>,
    /// Busy threads; `None` with one instant.
    pub busy: Option<Vec<BusyThread>>,
    /// Threads of all its processes, busy or not.
    pub all_threads: usize,
    /// Cores that it used, all threads together; `None` with one instant.
    pub cores_used: Option<f64>,
    /// Data on each node, in bytes; `None` if no list of its pages could be read.
    pub data: Option<Vec<u64>>,
    /// From what the data is known, in a few words.
    pub data_source: Option<&'static str>,
    /// How the data lies; `None` without data or threads.
    pub class: Option<Verdict>,
    /// GB/s from the memory next to the L3 caches that it uses.
    pub local_gbs: Option<f64>,
    /// GB/s from all memories.
    pub total_gbs: Option<f64>,
    /// Monitoring groups that count for it.
    pub monitors: Vec<String>,
    /// Processors that it may use.
    pub allowed_cpus: Option<String>,
    /// Nodes that its memory may come from.
    pub allowed_mems: Option<String>,
    /// Values that are unknown or were left out, a sentence each.
    pub notes: Vec<String>,
}

/// A busy thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusyThread {
    /// Its process.
    pub pid: u32,
    /// Its number.
    pub tid: u32,
    /// The processor that it ran on last.
    pub cpu: u32,
    /// Place of its node; `None` if the machine has no such processor.
    pub node: Option<usize>,
    /// Its L3 domain in the node, if that is known.
    pub domain: Option<usize>,
    /// The number of the virtual processor of a guest that it is.
    pub vcpu: Option<u32>,
    /// The part of a core that it used.
    pub share: f64,
}

impl Application {
    /// Busy threads on each of `nodes` nodes; `None` with one instant.
    pub fn threads(&self, nodes: usize) -> Option<Vec<u32>> {
        let busy = self.busy.as_ref()?;
        let mut threads = vec![0; nodes];
        for thread in busy.iter().filter_map(|thread| thread.node) {
            if let Some(count) = threads.get_mut(thread) {
                *count += 1;
            }
        }
        Some(threads)
    }

    /// Busy threads in each L3 domain of a node with `domains` of them; `None` if the domain of one is not known.
    pub fn threads_in_domains(&self, node: usize, domains: usize) -> Option<Vec<u32>> {
        let mut threads = vec![0; domains];
        for thread in self.busy.as_ref()?.iter().filter(|thread| thread.node == Some(node)) {
            *threads.get_mut(thread.domain?)? += 1;
        }
        Some(threads)
    }

    /// Whether its busy threads are on all hardware threads of their cores, two on each.
    pub fn fills_cores(&self, core_of: &BTreeMap<u32, u32>) -> bool {
        let mut of_core: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for thread in self.busy.iter().flatten() {
            let core = core_of.get(&thread.cpu).copied().unwrap_or(thread.cpu);
            of_core.entry(core).or_default().push(thread.cpu);
        }
        let both = |cpus: &Vec<u32>| matches!(cpus.as_slice(), [a, b] if a != b);
        !of_core.is_empty() && of_core.values().all(both)
    }
}

/// Applications of a host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Running {
    /// Seconds between the instants; `None` with one.
    pub seconds: Option<f64>,
    /// The applications, the one with the most processor time first.
    pub apps: Vec<Application>,
    /// Cores in use on each node, by anything; `None` with one instant.
    pub cores_used: Option<Vec<f64>>,
    /// Traffic of all groups together by the number of the L3 cache: GB/s from the memory next to it, and from all memories.
    pub traffic: BTreeMap<u32, LocalAndTotal<f64>>,
    /// Everything unknown of the host, a sentence each.
    pub unseen: Vec<String>,
}
