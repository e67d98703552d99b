//! Applications of a host: from two instants of its processes to applications with threads, data and
//! bandwidth on each node.
//!
//! A [`Moment`] is the state of all processes at an instant. Two of them show which groups of processes use
//! CPU time ([`groups`]); for these, [`Details`] show the data placement. [`applications`] combines both. The
//! values come from a host or a recorded tree; this module does not depend on the source.
//!
//! A thread counts if it used at least [`BUSY`] of a core between the instants. Its node is that of its last
//! logical CPU.

mod apps;
mod bandwidth;
mod controllers;
mod grouping;
mod memory;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::app_profile::placement::Verdict;
use crate::formats::cgroup::{Engine, GroupPath};
use crate::formats::resctrl::{Group, LocalAndTotal};

pub use apps::applications;
pub use controllers::{ControllerCount, ReadAndWritten};
pub use grouping::{Draft, Selection, groups};

/// Clock ticks of `/proc` per second: `USER_HZ`, the same on every architecture on which Linux supports NUMA
/// machines.
pub const TICKS_PER_SECOND: f64 = 100.0;
/// A thread, or an application, with less of one core is idle.
pub const BUSY: f64 = 0.05;

/// Processes of a host at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Seconds since the system started; `None` if it is not reported.
    pub uptime_s: Option<f64>,
    /// All processes except known kernel threads, ascending by number.
    pub processes: Vec<Process>,
    /// Monitoring groups; `None` without resctrl.
    pub resctrl: Option<Vec<Group>>,
    /// Counters of memory controllers, in the same order at each instant; empty if none was read.
    pub controllers: Vec<ControllerCount>,
}

/// A process at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// The name of its program, at most 15 arbitrary bytes.
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
    /// Its start time, in ticks: together with the number it identifies a thread permanently.
    pub started: u64,
    /// The logical CPU on which it runs, or last ran.
    pub cpu: u32,
    /// CPU time that it has used, in ticks.
    pub ticks: u64,
    /// The number of the guest's virtual CPU, if it is one.
    pub vcpu: Option<u32>,
}

/// The reason that a property of a process is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unseen {
    /// It belongs to another user.
    Denied,
    /// The process has ended, or the file does not exist.
    Absent,
}

/// Files of a process that belongs to an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// The beginning of its command line, words separated by NUL; empty for a kernel thread.
    pub command: Vec<u8>,
    /// The text of `numa_maps`.
    pub numa_maps: Result<String, Unseen>,
    /// Logical CPUs that it may use: `16-23`.
    pub allowed_cpus: Option<String>,
    /// Nodes from which its memory may come: `2`.
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

/// The logical CPUs of the host in the node numbering of a machine file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    /// The operating system's number of each node of the machine.
    pub os_nodes: Vec<u32>,
    /// Index into `os_nodes` of the node of each logical CPU.
    pub node_of: BTreeMap<u32, usize>,
    /// L3 domain of each logical CPU in its node, if the system reports it.
    pub domain_of: BTreeMap<u32, usize>,
    /// Number of L3 domains of each node; 0 if unknown.
    pub domains: Vec<usize>,
    /// The core of each logical CPU, identified by its first logical CPU.
    pub core_of: BTreeMap<u32, u32>,
    /// Index of the node of each L3 cache, by the number of the cache.
    pub node_of_cache: BTreeMap<u32, usize>,
    /// Numbers of the sockets of each node, as far as the system reports them.
    pub sockets: Vec<Vec<u32>>,
}

/// Facts of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// Number of sockets; `None` if the system does not report it.
    pub sockets: Option<usize>,
    /// Distances between the nodes as reported by the firmware.
    pub distances: Option<Vec<Vec<u64>>>,
    /// Model name of the processor.
    pub processor: Option<String>,
    /// Offline logical CPUs.
    pub offline: Option<String>,
    /// Whether the kernel moves pages and threads between nodes on its own.
    pub numa_balancing: bool,
    /// Kinds of counters of memory controllers that the kernel offers to perf: `uncore_imc`.
    pub memory_counters: Vec<String>,
    /// The reason for not reading these counters, as part of a sentence; `None` if they were read.
    pub counters_unread: Option<String>,
}

/// The state of a host.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its applications.
    pub running: Running,
    /// The machine as text of an input file.
    pub machine: String,
    /// The same machine with hardware threads as its cores, for more busy threads than cores; `None` if the machine was measured, or its
    /// cores have one hardware thread.
    pub by_hardware_threads: Option<String>,
    /// The position of its logical CPUs in the machine.
    pub places: Places,
    /// Facts of the host that help to interpret the values.
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

const GUEST: &str = "guest";
const SERVICE: &str = "service";
const PROCESS: &str = "process";

impl Kind {
    /// The words of all kinds.
    pub fn words() -> Vec<&'static str> {
        Engine::ALL.map(Engine::as_str).into_iter().chain([GUEST, SERVICE, PROCESS]).collect()
    }

    /// Its word: of a container that of its engine.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Container { engine, .. } => engine.as_str(),
            Self::Guest => GUEST,
            Self::Service { .. } => SERVICE,
            Self::Process => PROCESS,
        }
    }

    /// The identifier of a container, or the name of a unit.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Container { id, .. } => Some(id),
            Self::Service { unit } => Some(unit),
            Self::Guest | Self::Process => None,
        }
    }
}

/// A running application.
#[derive(Clone, Debug, PartialEq)]
pub struct Application {
    /// Its name: one line of visible characters, unique.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its control group.
    pub group: Option<String>,
    /// Its processes, ascending.
    pub pids: Vec<u32>,
    /// Busy threads; `None` with one instant.
    pub busy: Option<Vec<BusyThread>>,
    /// Number of threads of all its processes, busy or not.
    pub all_threads: usize,
    /// Number of cores that it used, all threads together; `None` with one instant.
    pub cores_used: Option<f64>,
    /// Data on each node, in bytes; `None` if no list of its pages could be read.
    pub data: Option<Vec<u64>>,
    /// The source of the data sizes, in a few words.
    pub data_source: Option<&'static str>,
    /// Its class of data placement; `None` without data or threads.
    pub class: Option<Verdict>,
    /// GB/s from the memory next to the L3 caches that it uses.
    pub local_gbs: Option<f64>,
    /// GB/s from all memories.
    pub total_gbs: Option<f64>,
    /// Monitoring groups that are attributed to it.
    pub monitors: Vec<String>,
    /// Logical CPUs that it may use.
    pub allowed_cpus: Option<String>,
    /// Nodes from which its memory may come.
    pub allowed_mems: Option<String>,
    /// Values that are unknown or omitted, one sentence each.
    pub notes: Vec<String>,
}

/// A busy thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusyThread {
    /// Its process.
    pub pid: u32,
    /// Its number.
    pub tid: u32,
    /// Its last logical CPU.
    pub cpu: u32,
    /// Index of its node; `None` if the machine has no such logical CPU.
    pub node: Option<usize>,
    /// Its L3 domain in the node, if known.
    pub domain: Option<usize>,
    /// The number of the guest's virtual CPU, if it is one.
    pub vcpu: Option<u32>,
    /// The share of a core that it used.
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

    /// Busy threads in each L3 domain of a node with `domains` domains; `None` if the domain of any thread is
    /// unknown.
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
    /// The applications, in descending order of CPU time.
    pub apps: Vec<Application>,
    /// Cores in use on each node, by any process; `None` with one instant.
    pub cores_used: Option<Vec<f64>>,
    /// Traffic of all groups together by the number of the L3 cache: GB/s from the memory next to it, and from all memories.
    pub traffic: BTreeMap<u32, LocalAndTotal<f64>>,
    /// Traffic of the memory controllers of each socket, of all applications together, by the number of the socket.
    pub controllers: BTreeMap<u32, ReadAndWritten>,
    /// Unknown properties of the host, one sentence each.
    pub unseen: Vec<String>,
}
