//! The host as it runs now, as a study: applications with threads, data and bandwidth, and today's placement as the scenario `now`.
//!
//! A front end reads the host ([`Seen`]). This module turns it into a document, tables, and the text of a study (`study`). Unknown values
//! are comments in the study and nulls in the document.

mod demand;
mod study;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use numasim_evidence::app_profile::app_file::rounded;
use numasim_evidence::formats::resctrl::LocalAndTotal;
use numasim_evidence::running::{Application, Places, ReadAndWritten, Running};
pub use numasim_evidence::running::{HostFacts, Seen};
use numasim_model::machine::{FigureKind, Node};
use numasim_model::{Machine, NodeId, Placement};
use serde::Serialize;

use crate::document::{ByName, Head, word};
use crate::input::Input;
use crate::refusal::Refusal;

pub use demand::{Demand, DemandKind};
pub use study::NOW;

/// Bytes of a GiB.
const GIB: f64 = (1_u64 << 30) as f64;

/// The applications of a host, and its study.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// Common keys of all documents.
    #[serde(flatten)]
    pub head: Head,
    /// Name of the machine.
    pub machine: String,
    /// The host.
    pub host: Host,
    /// Seconds between the two instants; null with one.
    pub seconds: Option<f64>,
    /// The nodes, as the machine numbers them.
    pub nodes: Vec<NodeNow>,
    /// Traffic of each L3 cache, if monitoring groups of resctrl count it.
    pub caches: Vec<CacheNow>,
    /// Traffic of the memory controllers of each socket, if their counters could be read.
    pub memories: Vec<MemoryNow>,
    /// The applications, in descending order of CPU time.
    pub apps: Vec<AppNow>,
    /// Everything that could not be observed, one sentence each.
    pub unseen: Vec<String>,
    /// The study, as an input file.
    pub study: String,
    /// Whether the study contains today's placement as the scenario `now`.
    pub has_now: bool,
    #[serde(skip)]
    pub(crate) values: Machine,
    #[serde(skip)]
    pub(crate) seen: Seen,
    #[serde(skip)]
    parts: study::Parts,
}

/// A host as its system describes it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SnapshotHost"))]
pub struct Host {
    /// NUMA nodes.
    pub nodes: usize,
    /// Their numbers in the operating system.
    pub os_nodes: Vec<u32>,
    /// Cores of each node.
    pub cores_per_node: Vec<u32>,
    /// Hardware threads of a core.
    pub threads_per_core: u32,
    /// Cores of each L3 domain; null if nodes have one domain, or if the domains are unknown.
    pub cores_per_l3: Option<u32>,
    /// Sockets; null if the system does not report them.
    pub sockets: Option<usize>,
    /// Distances between the nodes as reported by the firmware; null if it does not report them.
    pub distances: Option<Vec<Vec<u64>>>,
    /// Model name of the processor.
    pub processor: Option<String>,
    /// Logical CPUs that are offline.
    pub offline_cpus: Option<String>,
    /// Keys of the machine whose values are assumed, not measured.
    pub assumed: Vec<String>,
}

/// A node now.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeNow {
    /// Its number in the machine.
    pub node: usize,
    /// Its number in the operating system.
    pub os_node: u32,
    /// Its cores.
    pub cores: u32,
    /// Cores in use by any process; null with one instant.
    pub cores_used: Option<f64>,
    /// GB/s of its cores from the memory next to their L3 caches; null if unknown.
    pub local_gbs: Option<f64>,
    /// GB/s of its cores from all memories; null if unknown.
    pub total_gbs: Option<f64>,
}

/// An L3 cache now.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheNow {
    /// The number assigned by the kernel.
    pub cache: u32,
    /// The node of its cores; null if the node is not in the machine.
    pub node: Option<usize>,
    /// GB/s from the memory next to it; null if unknown.
    pub local_gbs: Option<f64>,
    /// GB/s from all memories; null if unknown.
    pub total_gbs: Option<f64>,
}

/// The memories of a socket now: the total traffic of all applications and devices.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryNow {
    /// The number of the socket.
    pub socket: u32,
    /// The nodes with cores in it.
    pub nodes: Vec<usize>,
    /// GB/s read; null if unknown.
    pub read_gbs: Option<f64>,
    /// GB/s written; null if unknown.
    pub written_gbs: Option<f64>,
}

/// An application now.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppNow {
    /// Its name.
    pub name: String,
    /// Its kind.
    kind: KindWord,
    /// Identifier of a container, or unit of a service; null for others.
    pub id: Option<String>,
    /// Its control group.
    pub cgroup: Option<String>,
    /// Its processes.
    pub pids: Vec<u32>,
    /// Busy threads on each node; null with one instant.
    pub threads: Option<Vec<u32>>,
    /// Busy threads in each L3 domain, by node; nodes without any, or with unknown domains, are left out.
    pub threads_per_l3: ByName<Vec<u32>>,
    /// Number of cores used by all its threads together; null with one instant.
    pub cores_used: Option<f64>,
    /// GiB of its data on each node; null if unknown.
    pub data_gib: Option<Vec<f64>>,
    /// Its data placement; null if unknown, or with one node.
    pub data: Option<DataNow>,
    /// Other placements that describe its data equally well.
    pub data_also: Vec<DataNow>,
    /// GB/s from the memory next to the L3 caches that it uses; null if unknown.
    pub local_gbs: Option<f64>,
    /// GB/s from all memories; null if unknown.
    pub total_gbs: Option<f64>,
    /// GB/s that one of its threads consumes, as in the study; null without threads.
    pub thread_gbs: Option<f64>,
    /// The origin of this value; null without threads.
    thread_gbs_kind: Option<DemandWord>,
    /// Logical CPUs that it may use.
    pub allowed_cpus: Option<String>,
    /// Nodes that its memory may come from.
    pub allowed_mems: Option<String>,
    /// Values that are unknown or were left out, one sentence each.
    pub notes: Vec<String>,
    #[serde(skip)]
    pub(crate) demand: Option<Demand>,
}

/// Data placement, as in input files.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DataNow {
    /// `local`, `interleave` or `replicated`.
    Word(&'static str),
    /// On one node.
    Home {
        /// The node.
        home: usize,
        /// The share on this node, the rest local; 1 if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        share: Option<f64>,
    },
    /// A share on all nodes, the rest local.
    Interleave {
        /// The share.
        interleave: f64,
    },
    /// In fractions on the nodes.
    Fractions {
        /// The fraction on each node.
        fractions: Vec<f64>,
    },
}

impl DataNow {
    /// A placement with its shares as in input files.
    pub fn of(placement: &Placement) -> Self {
        match rounded(placement) {
            Placement::Home(NodeId(home)) => Self::Home { home, share: None },
            Placement::PartHome { home, share } => Self::Home { home: home.0, share: Some(share) },
            Placement::PartInterleave { share } => Self::Interleave { interleave: share },
            Placement::Fractions(fractions) => Self::Fractions { fractions },
            word => Self::Word(word.word().map_or("local", |word| word.as_str())),
        }
    }
}

word!(KindWord, "AppKind", "The kind of an application.", numasim_evidence::running::Kind::words());
word!(
    DemandWord,
    "DemandKind",
    "How the bandwidth of a thread is known.",
    DemandKind::ALL.map(DemandKind::as_str)
);

/// The snapshot of a host. If more threads are busy than there are cores, and the threads are not in pairs, the study counts hardware
/// threads as cores.
///
/// # Errors
/// The machine cannot be read; the error contains the locations.
pub fn snapshot(mut seen: Seen) -> Result<Snapshot, Refusal> {
    let by_threads = seen.by_hardware_threads.take();
    let again = by_threads.map(|machine| Seen { machine, ..seen.clone() });
    let found = of_machine(seen)?;
    if found.seconds.is_some()
        && !found.apps.is_empty()
        && !found.has_now
        && let Some(again) = again
    {
        let by_threads = of_machine(again)?;
        if by_threads.has_now {
            return Ok(by_threads);
        }
    }
    Ok(found)
}

fn of_machine(seen: Seen) -> Result<Snapshot, Refusal> {
    let machine = Input::read(&[("the machine", &seen.machine)])?.study.machine.clone();
    let places = &seen.places;
    let assumed: Vec<String> = machine
        .provenance()
        .iter()
        .filter(|(_, origin)| origin.kind == FigureKind::Assumed)
        .map(|(key, _)| key.clone())
        .collect();
    let demands = demand::of_each(&seen.running.apps, &machine, assumed.is_empty());
    let apps: Vec<AppNow> = seen
        .running
        .apps
        .iter()
        .zip(demands)
        .map(|(app, demand)| app_now(app, demand, &machine, places))
        .collect();
    let first = machine.nodes().first();
    let mut snapshot = Snapshot {
        head: Head::of("snapshot"),
        machine: machine.name().to_owned(),
        host: Host {
            nodes: machine.node_count(),
            os_nodes: places.os_nodes.clone(),
            cores_per_node: (0..machine.node_count()).map(|node| cores_of(places, node)).collect(),
            threads_per_core: threads_per_core(places),
            cores_per_l3: first.filter(|node| node.domains() > 1).map(Node::domain_cores),
            sockets: seen.facts.sockets,
            distances: seen.facts.distances.clone(),
            processor: seen.facts.processor.clone(),
            offline_cpus: seen.facts.offline.clone(),
            assumed,
        },
        seconds: seen.running.seconds,
        nodes: nodes(&seen.running, places),
        caches: caches(&seen.running, places),
        memories: memories(&seen.running, places),
        apps,
        unseen: unseen(&seen, &machine),
        study: String::new(),
        has_now: false,
        values: machine,
        seen,
        parts: study::Parts::default(),
    };
    (snapshot.study, snapshot.has_now) = study::text(&mut snapshot);
    Ok(snapshot)
}

/// Cores of a node of the host.
fn cores_of(places: &Places, node: usize) -> u32 {
    let own =
        places.core_of.iter().filter(|(cpu, core)| cpu == core && places.node_of.get(cpu) == Some(&node));
    u32::try_from(own.count()).unwrap_or(u32::MAX)
}

/// Whether the machine has more cores than the host.
fn cores_are_hardware_threads(machine: &Machine, places: &Places) -> bool {
    let cores: u64 = (0..machine.node_count()).map(|node| u64::from(cores_of(places, node))).sum();
    threads_per_core(places) > 1 && machine.total_cores() > cores
}

/// Hardware threads of the core with the largest number.
fn threads_per_core(places: &Places) -> u32 {
    let mut cores: BTreeMap<u32, u32> = BTreeMap::new();
    for core in places.core_of.values() {
        *cores.entry(*core).or_default() += 1;
    }
    cores.into_values().max().unwrap_or(1)
}

/// Everything about the host that could not be observed.
fn unseen(seen: &Seen, machine: &Machine) -> Vec<String> {
    let mut unseen = seen.running.unseen.clone();
    if let Some(offline) = &seen.facts.offline {
        unseen.push(format!("processors that are switched off are not in the machine: {offline}"));
    }
    if seen.facts.numa_balancing {
        unseen.push("the kernel moves pages and threads between nodes on its own (numa_balancing): a placement may change after the snapshot".to_owned());
    }
    let counters = &seen.facts.memory_counters;
    if let Some(why) = &seen.facts.counters_unread
        && seen.running.traffic.is_empty()
        && !counters.is_empty()
    {
        unseen.push(format!(
            "the memory controllers have counters of all applications together ({}), which were not read: {why}",
            counters.join(", ")
        ));
    }
    if cores_are_hardware_threads(machine, &seen.places) {
        unseen.push("the cores of the machine are hardware threads here: more threads are busy than the host has cores".to_owned());
    }
    let is_amd = seen.facts.processor.as_ref().is_some_and(|name| name.contains("AMD"));
    if is_amd && !seen.running.traffic.is_empty() {
        unseen.push("on AMD the local counter leaves out lines that are written back: total less local is not the remote share of code that writes".to_owned());
    }
    unseen
}

fn nodes(running: &Running, places: &Places) -> Vec<NodeNow> {
    let traffic = |node: usize, of: fn(&LocalAndTotal<f64>) -> Option<f64>| {
        let own = running.traffic.iter().filter(|(cache, _)| places.node_of_cache.get(cache) == Some(&node));
        let rates: Vec<Option<f64>> = own.map(|(_, rates)| of(rates)).collect();
        if rates.is_empty() { None } else { rates.into_iter().sum::<Option<f64>>() }
    };
    let node = |(node, os_node): (usize, &u32)| NodeNow {
        node,
        os_node: *os_node,
        cores: cores_of(places, node),
        cores_used: running.cores_used.as_ref().and_then(|used| used.get(node).copied()),
        local_gbs: traffic(node, |rates| rates.0),
        total_gbs: traffic(node, |rates| rates.1),
    };
    places.os_nodes.iter().enumerate().map(node).collect()
}

fn caches(running: &Running, places: &Places) -> Vec<CacheNow> {
    let cache = |(cache, rates): (&u32, &LocalAndTotal<f64>)| CacheNow {
        cache: *cache,
        node: places.node_of_cache.get(cache).copied(),
        local_gbs: rates.0,
        total_gbs: rates.1,
    };
    running.traffic.iter().map(cache).collect()
}

fn memories(running: &Running, places: &Places) -> Vec<MemoryNow> {
    let memory = |(&socket, traffic): (&u32, &ReadAndWritten)| MemoryNow {
        socket,
        nodes: (0..places.sockets.len()).filter(|&node| places.sockets[node].contains(&socket)).collect(),
        read_gbs: traffic.read_gbs,
        written_gbs: traffic.written_gbs,
    };
    running.controllers.iter().map(memory).collect()
}

fn app_now(app: &Application, demand: Option<Demand>, machine: &Machine, places: &Places) -> AppNow {
    let nodes = machine.node_count();
    let threads = app.threads(nodes);
    let class = app.data_class();
    let in_domains: BTreeMap<usize, Vec<u32>> = places
        .domains
        .iter()
        .enumerate()
        .filter(|(node, domains)| {
            **domains > 0
                && threads.as_ref().is_some_and(|threads| threads.get(*node).is_some_and(|&some| some > 0))
        })
        .filter_map(|(node, &domains)| Some((node, app.threads_in_domains(node, domains)?)))
        .collect();
    AppNow {
        name: app.name.clone(),
        kind: KindWord(app.kind.as_str()),
        id: app.kind.id().map(str::to_owned),
        cgroup: app.group.clone(),
        pids: app.pids.clone(),
        threads,
        threads_per_l3: ByName(in_domains.into_iter().map(|(node, row)| (node.to_string(), row)).collect()),
        cores_used: app.cores_used,
        data_gib: app.data.as_ref().map(|data| data.iter().map(|&bytes| bytes as f64 / GIB).collect()),
        data: class.as_ref().map(|(best, _)| DataNow::of(&best.placement)),
        data_also: class
            .map(|(_, others)| others.iter().map(|other| DataNow::of(&other.placement)).collect())
            .unwrap_or_default(),
        local_gbs: app.local_gbs,
        total_gbs: app.total_gbs,
        thread_gbs: demand.as_ref().map(|demand| demand.gbs),
        thread_gbs_kind: demand.as_ref().map(|demand| DemandWord(demand.kind.as_str())),
        allowed_cpus: app.allowed_cpus.clone(),
        allowed_mems: app.allowed_mems.clone(),
        notes: app.notes.clone(),
        demand,
    }
}
