//! `numasim detect`: the skeleton of a machine file for this host, or for another one that hwloc can describe.

use numasim_ask::detect::{self, Detected, DetectedCache, DetectedFirmware, DetectedNode};
use numasim_ask::document::Head;
use numasim_host::topology::{Counting, Firmware, HostTopology, Origin, Unusable, UnusableThing};
use numasim_host::{DetectError, Source, machine_file};
use numasim_model::units::GigabytesPerSecond;

use crate::args::DetectArgs;
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;
use crate::view::Style;

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let host = read(args)?;
    for unusable in host.unusable.iter().filter(|_| host.origin == Origin::ThisHost) {
        shell.note(format!("not used: {}", unusable.describe()));
    }
    let found = detected(&host);
    let text = |style: &Style| if style.markdown { found.text(style) } else { machine_file::skeleton(&host) };
    shell.answer(&destination, args.output.format, text, &found, || found.csv())
}

fn read(args: &DetectArgs) -> Result<HostTopology, Failure> {
    let counting = if args.smt { Counting::HardwareThreads } else { Counting::Cores };
    let of = |source| numasim_host::detect(source, counting, "detect");
    match (&args.from_xml, &args.from_synthetic) {
        (Some(path), _) => {
            let text = files::read_topology(path)?;
            let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
            of(Source::Xml { text: &text, name: &name }).map_err(|error| failure(&error, Some(path)))
        }
        (None, Some(text)) => of(Source::Synthetic(text)).map_err(|error| failure(&error, None)),
        (None, None) => of(Source::ThisHost).map_err(|error| failure(&error, None)),
    }
}

fn failure(error: &DetectError, file: Option<&std::path::PathBuf>) -> Failure {
    let message = match file.filter(|_| !matches!(error, DetectError::NeedsHwloc(_))) {
        Some(file) => Failure::input(format!("{}: {error}", file.display())),
        None => Failure::input(error.to_string()),
    };
    match error.hint() {
        Some(hint) => message.hint(hint),
        None => message,
    }
}

/// What is counted as a core.
fn core_is(host: &HostTopology) -> &'static str {
    match host.counting {
        Counting::Cores => "physical core",
        Counting::HardwareThreads => "hardware thread",
        // No reader of this command leaves it open.
        Counting::Processors => "processor",
    }
}

fn detected(host: &HostTopology) -> Detected {
    let nodes = host.nodes.iter().enumerate().map(|(node, found)| DetectedNode {
        node,
        os_index: found.os_index,
        cores: found.cores,
        cpus: found.cpus.as_ref().map(ToString::to_string),
        unusable_cpus: found.left_out.as_ref().map(ToString::to_string),
        memory_bytes: found.memory_bytes,
        sockets: found.packages.clone(),
        firmware: found.firmware.as_ref().map(firmware),
    });
    let caches = host.caches.iter().map(|cache| DetectedCache {
        level: cache.level,
        bytes: cache.bytes,
        cores: cache.cores,
        count: cache.count,
    });
    Detected {
        head: Head::of("detect"),
        machine: host.name.clone(),
        source: host.source.clone(),
        this_host: host.origin == Origin::ThisHost,
        core: core_is(host),
        nodes: nodes.collect(),
        caches: caches.collect(),
        distances: host.distances.as_ref().map(|distances| distances.values.clone()),
        unusable: host.unusable.iter().map(unusable).collect(),
    }
}

fn firmware(said: &Firmware) -> DetectedFirmware {
    DetectedFirmware {
        seen_from_os_nodes: said.seen_from.clone(),
        read_bandwidth_gbs: said.read_bandwidth.map(GigabytesPerSecond::value),
        write_bandwidth_gbs: said.write_bandwidth.map(GigabytesPerSecond::value),
        read_latency_ns: said.read_latency_ns,
        write_latency_ns: said.write_latency_ns,
    }
}

fn unusable(unusable: &Unusable) -> detect::Unusable {
    let (cpus, os_nodes) = match &unusable.what {
        UnusableThing::Cpus(list) => (Some(list.to_string()), None),
        UnusableThing::Nodes(nodes) => (None, Some(nodes.clone())),
    };
    detect::Unusable { cpus, os_nodes, why: unusable.why.code(), text: unusable.describe() }
}

#[cfg(test)]
mod tests {
    use numasim_host::topology::{Cache, Distances, HostNode, Why};
    use numasim_model::cpus::CpuList;
    use serde_json::{Value, json};

    use super::*;

    fn cpus(text: &str) -> CpuList {
        CpuList::parse(text).expect("valid")
    }

    fn host() -> HostTopology {
        let firmware = Firmware {
            seen_from: vec![0],
            read_bandwidth: Some(GigabytesPerSecond::new(2.5)),
            read_latency_ns: Some(90),
            ..Firmware::default()
        };
        let nodes = vec![
            HostNode {
                cores: 8,
                cpus: Some(cpus("0-7")),
                left_out: Some(cpus("8,10")),
                memory_bytes: Some(64),
                packages: vec![1],
                ..HostNode::default()
            },
            HostNode { os_index: 2, firmware: Some(firmware), ..HostNode::default() },
        ];
        HostTopology {
            caches: vec![Cache { level: 2, bytes: 1024, cores: 1, count: 8 }],
            distances: Some(Distances { values: vec![vec![10, 40], vec![40, 10]] }),
            unusable: vec![Unusable { what: UnusableThing::Cpus(cpus("8,10")), why: Why::Offline }],
            ..HostTopology::from_nodes("box", "test", nodes)
        }
    }

    #[test]
    fn json_says_null_for_what_is_unknown() {
        let read: Value = serde_json::to_value(detected(&host())).expect("JSON");
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
            detected(&host()).csv(),
            "node,os_index,cores,memory_bytes,cpus,unusable_cpus,firmware_read_bandwidth_gbs\n\
             0,0,8,64,\"0-7\",\"8,10\",\n1,2,0,,,,2.5\n"
        );
    }
}
