//! Detect: the hardware of a host. A front end reads it; this module presents it.

use numasim_draw::Style;
use numasim_model::cpus::CpuList;
use numasim_study::machine_file::skeleton;
use numasim_study::topology::{Cache, HostNode, HostTopology, Origin, UnusableThing};
use serde::Serialize;

use crate::document::Head;
use crate::table::{self, Cell, Of};

/// Bytes of a GiB.
const GIB: f64 = (1_u64 << 30) as f64;

/// A host, or another machine that was described.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Detected<'h> {
    /// Common keys of all documents.
    #[serde(flatten)]
    pub head: Head,
    /// Name of the host.
    pub machine: &'h str,
    /// The source of the description.
    pub source: &'h str,
    /// Whether it describes the host that runs the command.
    pub this_host: bool,
    /// The unit that counts as a core.
    pub core: &'static str,
    /// Its nodes.
    pub nodes: Vec<DetectedNode<'h>>,
    /// Its data caches, the smallest level first.
    pub caches: &'h [Cache],
    /// Distances between the nodes.
    pub distances: Option<&'h [Vec<u64>]>,
    /// Parts of the host that cannot be used.
    pub unusable: Vec<Unusable>,
    #[serde(skip)]
    host: &'h HostTopology,
}

/// A node of a host.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedNode<'h> {
    /// Its number in a machine file.
    pub node: usize,
    /// The node as the host describes it.
    #[serde(flatten)]
    pub of: &'h HostNode,
}

/// A part of the host that exists but cannot be used.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unusable {
    /// Logical CPUs.
    pub cpus: Option<String>,
    /// Nodes of the operating system.
    pub os_nodes: Option<Vec<u32>>,
    /// A stable word for the reason.
    pub why: &'static str,
    /// The reason.
    pub text: String,
}

/// The hardware of a host.
pub fn detect(host: &HostTopology) -> Detected<'_> {
    let unusable = host.unusable.iter().map(|unusable| {
        let (cpus, os_nodes) = match &unusable.what {
            UnusableThing::Cpus(list) => (Some(list.to_string()), None),
            UnusableThing::Nodes(nodes) => (None, Some(nodes.clone())),
        };
        Unusable { cpus, os_nodes, why: unusable.why.code(), text: unusable.describe() }
    });
    Detected {
        head: Head::of("detect"),
        machine: &host.name,
        source: &host.source,
        this_host: host.origin == Origin::ThisHost,
        core: host.counting.describe(),
        nodes: host.nodes.iter().enumerate().map(|(node, of)| DetectedNode { node, of }).collect(),
        caches: &host.caches,
        distances: host.distances.as_deref(),
        unusable: unusable.collect(),
        host,
    }
}

impl DetectedNode<'_> {
    fn reads(&self) -> Option<f64> {
        self.of.firmware.as_ref().and_then(|said| said.read_bandwidth_gbs)
    }
}

impl Detected<'_> {
    /// A line for each node.
    pub fn csv(&self) -> String {
        let all = columns(&Style::default()).into_iter();
        let columns: Vec<_> = all.filter(|of| of.column().name != SOCKETS).collect();
        table::csv(&columns, &self.nodes)
    }

    /// For people: the skeleton of a machine file, or on a page a table of the nodes.
    pub fn text(&self, style: &Style) -> String {
        if !style.markdown {
            return skeleton(self.host);
        }
        let nodes = table::grid(&columns(style), &self.nodes).render(style);
        format!("Machine: {}\nSource: {}\nCore: {}\n\n{nodes}", self.machine, self.source, self.core)
    }
}

/// Shown only to people.
const SOCKETS: &str = "sockets";

fn columns<'h>(style: &Style) -> [Of<'h, DetectedNode<'h>>; 8] {
    let list = |list: &Option<CpuList>| list.as_ref().map(|list| Cell::Quoted(list.to_string()));
    let words = |words: &[u32]| words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    [
        Of::text("node", |of: &DetectedNode| of.node.to_string()),
        Of::count("os_index", |of: &DetectedNode| of.of.os_index).titled("OS node"),
        Of::count("cores", |of: &DetectedNode| of.of.cores),
        Of::whole("memory_bytes", |of: &DetectedNode| of.of.memory_bytes)
            .titled("memory GiB")
            .scaled(1.0 / GIB)
            .written(|gib| format!("{gib:.1}")),
        Of::text(SOCKETS, move |of: &DetectedNode| words(&of.of.sockets)),
        Of::text("cpus", move |of: &DetectedNode| list(&of.of.cpus)).titled("logical CPUs"),
        Of::text("unusable_cpus", move |of: &DetectedNode| list(&of.of.unusable_cpus)).titled("not usable"),
        Of::number("firmware_read_bandwidth_gbs", DetectedNode::reads).titled("reads by firmware GB/s"),
    ]
    .map(|of| of.none(style.idle()))
}

#[cfg(test)]
mod tests {
    use numasim_study::topology::{Firmware, Unusable, Why};
    use serde_json::{Value, json};

    use super::*;

    fn cpus(text: &str) -> CpuList {
        CpuList::parse(text).expect("valid")
    }

    fn host() -> HostTopology {
        let firmware = Firmware {
            seen_from_os_nodes: vec![0],
            read_bandwidth_gbs: Some(2.5),
            read_latency_ns: Some(90),
            ..Firmware::default()
        };
        let nodes = vec![
            HostNode {
                cores: 8,
                cpus: Some(cpus("0-7")),
                unusable_cpus: Some(cpus("8,10")),
                memory_bytes: Some(64),
                sockets: vec![1],
                ..HostNode::default()
            },
            HostNode { os_index: 2, firmware: Some(firmware), ..HostNode::default() },
        ];
        HostTopology {
            caches: vec![Cache { level: 2, bytes: 1024, cores: 1, count: 8 }],
            distances: Some(vec![vec![10, 40], vec![40, 10]]),
            unusable: vec![Unusable { what: UnusableThing::Cpus(cpus("8,10")), why: Why::Offline }],
            ..HostTopology::from_nodes("box", "test", nodes)
        }
    }

    #[test]
    fn json_says_null_for_what_is_unknown() {
        let read: Value = serde_json::to_value(detect(&host())).expect("JSON");
        assert_eq!(
            read["nodes"],
            json!([{ "node": 0, "os_index": 0, "cores": 8, "cpus": "0-7", "unusable_cpus": "8,10",
                     "memory_bytes": 64, "sockets": [1], "firmware": null },
                   { "node": 1, "os_index": 2, "cores": 0, "cpus": null, "unusable_cpus": null,
                     "memory_bytes": null, "sockets": [],
                     "firmware": { "seen_from_os_nodes": [0], "read_bandwidth_gbs": 2.5,
                                   "write_bandwidth_gbs": null, "read_latency_ns": 90,
                                   "write_latency_ns": null } }])
        );
        assert_eq!(read["caches"], json!([{ "level": 2, "bytes": 1024, "cores": 1, "count": 8 }]));
        assert_eq!(read["distances"], json!([[10, 40], [40, 10]]));
        assert_eq!(
            read["unusable"],
            json!([{ "cpus": "8,10", "os_nodes": null, "why": "offline", "text": "processors 8,10: offline" }])
        );
    }

    #[test]
    fn csv_has_one_line_per_node() {
        assert_eq!(
            detect(&host()).csv(),
            "node,os_index,cores,memory_bytes,cpus,unusable_cpus,firmware_read_bandwidth_gbs\n\
             0,0,8,64,\"0-7\",\"8,10\",\n1,2,0,,,,2.5\n"
        );
    }

    #[test]
    fn a_page_has_a_table_in_the_units_of_people() {
        let mut host = host();
        host.nodes[0].memory_bytes = Some(3 << 29);
        let page = detect(&host).text(&Style { markdown: true, ..Style::default() });
        let page = numasim_draw::markdown::document(&page);
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = page.lines().filter(|line| line.starts_with('|')).map(cells).collect();
        assert_eq!(rows[0][4], "memory GiB", "{page}");
        assert_eq!(rows[2][1..9], ["0", "0", "8", "1.5", "1", "0-7", "8,10", "·"], "{page}");
        assert_eq!(rows[3][1..9], ["1", "2", "0", "·", "·", "·", "·", "2.5"], "{page}");
    }
}
