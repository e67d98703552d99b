//! The object of a scenario: what becomes of each application, memory and link.

use schemars::JsonSchema;

use super::OrNull;

/// A type with the keys of every scenario, and more of its own.
macro_rules! scenario {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $key:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        pub(super) struct $name {
            /// Its name.
            name: String,
            /// Sum of the GFLOPS of all applications.
            total_gflops: f64,
            /// 95 % interval of the sum, in GFLOPS, where figures of the machine are uncertain.
            total_gflops_interval: Option<[f64; 2]>,
            /// Work is divided beforehand: the slowest thread decides.
            static_work: Option<bool>,
            /// The applications, in the order of the files.
            apps: Vec<super::scenario::App>,
            /// The memories.
            nodes: Vec<super::scenario::Node>,
            /// The links between nodes.
            links: Vec<super::scenario::Link>,
            /// The links that several pairs of nodes share.
            shared_links: Vec<super::scenario::SharedLink>,
            /// What to know before trusting the result.
            warnings: Vec<super::scenario::Warning>,
            $($(#[$of])* $key: $type,)*
        }
    };
}
pub(super) use scenario;

/// One application.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct App {
    /// Its name.
    name: String,
    /// GFLOPS of all its threads.
    gflops: f64,
    /// 95 % interval of `gflops`, in GFLOPS.
    gflops_interval: Option<[f64; 2]>,
    /// What all its threads move, in GB/s (10^9 bytes).
    bandwidth_gbs: f64,
    /// 95 % interval of `bandwidth_gbs`, in GB/s.
    bandwidth_gbs_interval: Option<[f64; 2]>,
    /// Threads on each node.
    threads: Vec<u32>,
    /// GFLOPS of its threads on each node.
    gflops_per_node: Vec<f64>,
    /// The node of its data, where all of it is on one.
    home: OrNull<u64>,
    /// Of static work: the node of the slowest thread.
    slowest_node: Option<u64>,
    /// What holds its threads on each node back; null where it has none.
    bottleneck_per_node: Vec<OrNull<Bottleneck>>,
}

/// What holds threads back.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum Bottleneck {
    CorePeak,
    CoreBandwidth,
    LocalController,
    Link,
    RemoteDemand,
    SharedLink,
    NodeRead,
    SlowestThread,
}

/// The memory of a node.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Node {
    /// Its number, from 0.
    node: u64,
    /// What it can deliver, in GB/s.
    capacity_gbs: f64,
    /// What is moved to and from it, in GB/s.
    bandwidth_gbs: f64,
    /// The part of it by cores of other nodes, in GB/s.
    remote_gbs: f64,
    /// What that occupies, in GB/s of reads, where it is another figure.
    occupied_gbs: Option<f64>,
}

/// A link.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Link {
    /// The node of the cores.
    from: u64,
    /// The node of the memory.
    to: u64,
    /// What it can carry, in GB/s.
    capacity_gbs: f64,
    /// What it carries, in GB/s.
    bandwidth_gbs: f64,
    /// What that occupies, in GB/s of reads, where it is another figure.
    occupied_gbs: Option<f64>,
}

/// One direction of a link that several pairs of nodes share.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SharedLink {
    /// Its name.
    name: String,
    /// The nodes of the cores, and those of the memories.
    direction: [Vec<u64>; 2],
    /// What it can carry, in GB/s.
    capacity_gbs: f64,
    /// What it carries, in GB/s.
    bandwidth_gbs: f64,
    /// What that occupies, in GB/s of reads, where it is another figure.
    occupied_gbs: Option<f64>,
}

/// Reads of other nodes leave less of a memory than an equal part to the node's own threads.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Warning {
    /// `starved-by-remote`.
    kind: String,
    /// The node.
    node: u64,
    /// What its own threads want, in GB/s.
    wanted_gbs: f64,
    /// What is left to them, in GB/s.
    left_gbs: f64,
    /// What an equal part would be, in GB/s.
    equal_part_gbs: f64,
    /// Threads that read the memory.
    readers: u64,
    /// The same in words.
    message: String,
}
