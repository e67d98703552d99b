//! Detect: what a host has. A front end finds it; this is how it is shown.

use numasim_draw::Style;
use serde::Serialize;

use crate::document::Head;
use crate::table::{self, Cell, Of};

/// Bytes of a GiB.
const GIB: f64 = (1_u64 << 30) as f64;

/// A host, or another machine that was described.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Detected {
    /// How it begins.
    #[serde(flatten)]
    pub head: Head,
    /// Name of the host.
    pub machine: String,
    /// What read it.
    pub source: String,
    /// Whether it is the host that asks.
    pub this_host: bool,
    /// What is counted as a core.
    pub core: &'static str,
    /// Its nodes.
    pub nodes: Vec<DetectedNode>,
    /// Its data caches, the smallest level first.
    pub caches: Vec<DetectedCache>,
    /// Distances between the nodes.
    pub distances: Option<Vec<Vec<u64>>>,
    /// What it has and cannot be used.
    pub unusable: Vec<Unusable>,
}

/// A node of a host.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedNode {
    /// Its number in a machine file.
    pub node: usize,
    /// Its number in the operating system.
    pub os_index: u32,
    /// Its cores.
    pub cores: u32,
    /// Its processors.
    pub cpus: Option<String>,
    /// Processors that cannot be used.
    pub unusable_cpus: Option<String>,
    /// Its memory.
    pub memory_bytes: Option<u64>,
    /// The sockets beside which its memory is.
    pub sockets: Vec<u32>,
    /// What the firmware says of its memory.
    pub firmware: Option<DetectedFirmware>,
}

/// What the firmware says of a memory.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedFirmware {
    /// Nodes of the operating system from which it holds.
    pub seen_from_os_nodes: Vec<u32>,
    /// Bandwidth of reads.
    pub read_bandwidth_gbs: Option<f64>,
    /// Bandwidth of writes.
    pub write_bandwidth_gbs: Option<f64>,
    /// Latency of reads.
    pub read_latency_ns: Option<u64>,
    /// Latency of writes.
    pub write_latency_ns: Option<u64>,
}

/// Caches of one kind.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedCache {
    /// Its level.
    pub level: u8,
    /// Its size.
    pub bytes: u64,
    /// Cores that share one.
    pub cores: u32,
    /// How many there are.
    pub count: u32,
}

/// Something that exists and cannot be used.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unusable {
    /// Processors.
    pub cpus: Option<String>,
    /// Nodes of the operating system.
    pub os_nodes: Option<Vec<u32>>,
    /// A stable word for the reason.
    pub why: &'static str,
    /// The reason.
    pub text: String,
}

impl DetectedNode {
    fn reads(&self) -> Option<f64> {
        self.firmware.as_ref().and_then(|said| said.read_bandwidth_gbs)
    }
}

impl Detected {
    /// A line for each node. Lists of processors are always in quotes, which only some of them need.
    pub fn csv(&self) -> String {
        let mut rows =
            "node,os_index,cores,memory_bytes,cpus,unusable_cpus,firmware_read_bandwidth_gbs\n".to_owned();
        for of in &self.nodes {
            let list = |list: &Option<String>| list.as_ref().map(|list| format!("\"{list}\""));
            let cells = [
                Some(of.node.to_string()),
                Some(of.os_index.to_string()),
                Some(of.cores.to_string()),
                of.memory_bytes.map(|bytes| bytes.to_string()),
                list(&of.cpus),
                list(&of.unusable_cpus),
                of.reads().map(|gbs| gbs.to_string()),
            ];
            rows += &(cells.map(Option::unwrap_or_default).join(",") + "\n");
        }
        rows
    }

    /// What the nodes have, for people; a machine file says more.
    pub fn text(&self, style: &Style) -> String {
        let or_idle = |text: Option<String>| Cell::from(text.unwrap_or_else(|| style.idle().to_owned()));
        let words = |words: &[u32]| words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let columns = [
            Of::text("node", |of: &&DetectedNode| of.node.to_string()),
            Of::count("OS node", |of: &&DetectedNode| of.os_index),
            Of::count("cores", |of: &&DetectedNode| of.cores),
            Of::number("memory GiB", move |of: &&DetectedNode| {
                or_idle(of.memory_bytes.map(|bytes| format!("{:.1}", bytes as f64 / GIB)))
            }),
            Of::text("sockets", move |of: &&DetectedNode| {
                or_idle(Some(words(&of.sockets)).filter(|words| !words.is_empty()))
            }),
            Of::text("processors", move |of: &&DetectedNode| or_idle(of.cpus.clone())),
            Of::text("not usable", move |of: &&DetectedNode| or_idle(of.unusable_cpus.clone())),
            Of::number("reads by firmware GB/s", move |of: &&DetectedNode| {
                or_idle(of.reads().map(|gbs| gbs.to_string()))
            }),
        ];
        let nodes = table::grid_of(&columns, &self.nodes).render(style);
        format!("Machine: {}\nSource: {}\nCore: {}\n\n{nodes}", self.machine, self.source, self.core)
    }
}
