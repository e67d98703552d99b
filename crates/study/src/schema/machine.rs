//! `[machine]`, its nodes and its shared links.

use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;

use super::kernels::KernelsTable;
use super::origin::{ProvenanceTable, SharingTable};
use super::range::{not_negative, positive};

/// The machine. Its nodes are all alike (`nodes`, `cores_per_node`, `gflops_per_core`) or listed one by one
/// (`[[machine.node]]`); its bandwidths are all alike (`bandwidth_gbs`, `link_gbs`) or a full matrix
/// (`bandwidth_matrix_gbs`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = either_form)]
pub struct MachineTable {
    /// Name of the machine.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// Where the figures come from; free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Number of NUMA nodes, all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub nodes: Option<u32>,
    /// Cores of each node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65536))]
    pub cores_per_node: Option<u32>,
    /// Peak of one core in GFLOPS (10^9 floating-point operations per second).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub gflops_per_core: Option<f64>,
    /// Bandwidth of the memory controller of each node in GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub bandwidth_gbs: Option<f64>,
    /// Bandwidth in GB/s of the link between each ordered pair of different nodes; not needed on one node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub link_gbs: Option<f64>,
    /// Sockets, each with the same number of nodes, which are numbered socket by socket: a shorthand for a matrix of
    /// bandwidths. `link_gbs` is then for nodes on the same socket; not needed where each socket has one node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub sockets: Option<u32>,
    /// Bandwidth in GB/s of the link between each ordered pair of nodes on different sockets; needs `sockets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub socket_link_gbs: Option<f64>,
    /// What all nodes of a socket together read from another socket in GB/s: a shared link for each pair of sockets,
    /// named `socket 0 - socket 1`; needs `sockets`. Default: no limit but the links of the pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub shared_link_gbs: Option<f64>,
    /// Bandwidths in GB/s as Intel MLC prints them: row = node of the core, column = node of the memory; the diagonal
    /// is the memory controller. The row of a node without cores counts only on its diagonal; the column of a node without memory is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(inner(range(min = 0.0, max = 1e30))), length(min = 1, max = 1024))]
    pub bandwidth_matrix_gbs: Option<Vec<Vec<f64>>>,
    /// Nanoseconds that a load takes on the idle machine: row = node of the core, column = node of the memory, the
    /// diagonal included. Only `outstanding_lines` of `[machine.sharing]` looks at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(inner(range(min = 0.0, max = 1e30))), length(min = 1, max = 1024))]
    pub latency_matrix_ns: Option<Vec<Vec<f64>>>,
    /// How far the firmware says that memories are (SLIT, `numactl --hardware`): row = node of the core, column = node of the memory;
    /// 10 is the own node. Only schedulers of tasks look at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(inner(range(min = 0.0, max = 1e30))), length(min = 1, max = 1024))]
    pub distance_matrix: Option<Vec<Vec<f64>>>,
    /// Size of the last-level cache of each node in MB (10^6 bytes); 0 for none. Only tasks look at it. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub llc_mb: Option<f64>,
    /// The most one core reads from the last-level cache of its node in GB/s; needs `llc_mb`. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub llc_gbs: Option<f64>,
    /// The most one thread can draw from all memories together in GB/s. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub core_bandwidth_gbs: Option<f64>,
    /// The most that all threads of a node can read together, local and remote, in GB/s. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub read_gbs: Option<f64>,
    /// How much memory a node has in GiB (2^30 bytes). Default: not known, no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub memory_gib: Option<f64>,
    /// Bandwidth of the memory of each node in GB/s under the benchmark's kernel `copy`, as the kernel counts what it moves. Applications with
    /// that `kernel` use it. Default: the bandwidth of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub copy_gbs: Option<f64>,
    /// Bandwidth of the memory of each node in GB/s under the benchmark's kernel `triad`, as the kernel counts what it moves. Applications with
    /// that `kernel` use it. Default: the bandwidth of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub triad_gbs: Option<f64>,
    /// Bandwidth of the memory of each node in GB/s under the benchmark's kernel `update`, as the kernel counts what it moves. Applications with
    /// that `kernel` use it. Default: the bandwidth of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub update_gbs: Option<f64>,
    /// Processor numbers of the operating system, one list for each node (`["0-19", "20-39"]`), as Linux writes them;
    /// only needed to print commands (explore --emit). If there are more processors than cores, the first ones are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(regex(pattern = r"[0-9]")), length(min = 1, max = 1024))]
    pub cpus: Option<Vec<String>>,
    /// How bandwidth is shared. Default: the model baseline-proportional without corrections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing: Option<SharingTable>,
    /// How the benchmark's kernels go through the memory of this machine, as `calibrate` found it. Default: the usual ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels: Option<KernelsTable>,
    /// How the figures came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<ProvenanceTable>,
    /// The nodes one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default, length(min = 1, max = 1024))]
    pub node: Vec<NodeTable>,
    /// Links that several pairs of nodes use together, such as those between two sockets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default, length(max = 4096))]
    pub shared_link: Vec<SharedLinkTable>,
}

/// One NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = peak_where_cores)]
pub struct NodeTable {
    /// Cores of the node; 0 for a node that has memory only (CXL, HBM).
    #[schemars(range(min = 0, max = 65536))]
    pub cores: u32,
    /// Peak of one core in GFLOPS; 0 or left out where there are no cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e30))]
    pub gflops_per_core: Option<f64>,
    /// The most one thread of this node can draw in GB/s. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub core_bandwidth_gbs: Option<f64>,
    /// The most that all threads of this node can read together, local and remote, in GB/s. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub read_gbs: Option<f64>,
    /// How much memory this node has in GiB (2^30 bytes); 0 for a node that has cores and no memory (Threadripper 2990WX). Its local
    /// data lies on the nearest node with memory. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub memory_gib: Option<f64>,
    /// Bandwidth of the memory of this node in GB/s under the benchmark's kernel `copy`, as the kernel counts what it moves. Applications with
    /// that `kernel` use it. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub copy_gbs: Option<f64>,
    /// Bandwidth of the memory of this node in GB/s under the benchmark's kernel `triad`, as the kernel counts what it moves. Applications with
    /// that `kernel` use it. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub triad_gbs: Option<f64>,
    /// Bandwidth of the memory of this node in GB/s under the benchmark's kernel `update`, as the kernel counts what it moves. Applications with
    /// that `kernel` use it. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub update_gbs: Option<f64>,
    /// Size of the last-level cache of this node in MB (10^6 bytes); 0 for none. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub llc_mb: Option<f64>,
    /// The most one core of this node reads from its last-level cache in GB/s. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub llc_gbs: Option<f64>,
    /// Processor numbers of the operating system as Linux writes them (`0-19,40-59`); only needed to print commands
    /// (explore --emit). If there are more processors than cores, the first ones are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"[0-9]"))]
    pub cpus: Option<String>,
    /// Number of the node in the operating system (numactl --membind). Default: its place in this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub os_node: Option<u32>,
}

/// Bandwidth that the reads of several pairs of nodes share, beside the links of the pairs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = one_or_both_directions)]
pub struct SharedLinkTable {
    /// Its name, unique on the machine.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// What it carries in each direction in GB/s.
    #[schemars(transform = positive)]
    pub gbs: f64,
    /// Two groups of nodes: cores of the first read memories of the second over it and, with a capacity of its own, the
    /// reverse.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(length(min = 1), inner(range(min = 0, max = 1023))), length(min = 2, max = 2))]
    pub between: Option<Vec<Vec<u32>>>,
    /// One direction only: nodes of the cores that read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0, max = 1023)), length(min = 1))]
    pub from: Option<Vec<u32>>,
    /// One direction only: nodes of the memories that they read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0, max = 1023)), length(min = 1))]
    pub to: Option<Vec<u32>>,
}

/// The two forms of nodes and the two forms of bandwidths exclude each other.
fn either_form(schema: &mut Schema) {
    let form = |keys: &[&str], other: &str| {
        let given: Vec<_> = keys.iter().map(|key| json_schema!({ "required": [key] })).collect();
        json_schema!({ "required": [other], "not": { "anyOf": given } })
    };
    let mut forms = json_schema!({ "allOf": [
        { "oneOf": [
            { "required": ["nodes", "cores_per_node", "gflops_per_core"], "not": { "required": ["node"] } },
            form(&["nodes", "cores_per_node", "gflops_per_core", "cpus"], "node"),
        ] },
        { "oneOf": [
            { "required": ["bandwidth_gbs"], "not": { "required": ["bandwidth_matrix_gbs"] } },
            form(
                &["bandwidth_gbs", "link_gbs", "sockets", "socket_link_gbs", "shared_link_gbs"],
                "bandwidth_matrix_gbs"
            ),
        ] },
    ] });
    if let Some(all) = forms.remove("allOf") {
        schema.insert("allOf".to_owned(), all);
    }
    let needs = json_schema!({ "socket_link_gbs": ["sockets"], "shared_link_gbs": ["sockets"] });
    schema.insert("dependentRequired".to_owned(), needs.into());
}

/// `between`, or `from` and `to`.
fn one_or_both_directions(schema: &mut Schema) {
    let mut forms = json_schema!({ "oneOf": [
        { "required": ["between"], "not": { "anyOf": [{ "required": ["from"] }, { "required": ["to"] }] } },
        { "required": ["from", "to"], "not": { "required": ["between"] } },
    ] });
    if let Some(one) = forms.remove("oneOf") {
        schema.insert("oneOf".to_owned(), one);
    }
}

/// A node with cores needs their peak.
fn peak_where_cores(schema: &mut Schema) {
    let with_cores = json_schema!({ "properties": { "cores": { "minimum": 1 } } });
    let then = json_schema!({
        "required": ["gflops_per_core"], "properties": { "gflops_per_core": { "minimum": 1e-30 } }
    });
    schema.insert("if".to_owned(), with_cores.into());
    schema.insert("then".to_owned(), then.into());
}
