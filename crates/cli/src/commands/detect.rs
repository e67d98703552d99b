//! `numasim detect`: the skeleton of a machine file for this host, or for another one that hwloc can describe.

use std::fmt::Write as _;

use numasim_draw::grid::{Align, Grid};
use numasim_host::topology::{Counting, Firmware, HostTopology, Origin, Unusable, UnusableThing};
use numasim_host::{DetectError, Source, machine_file};
use numasim_model::units::GigabytesPerSecond;
use serde_json::{Value, json};

use crate::args::DetectArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use crate::view::Style;

/// Bytes of a GiB.
const GIB: f64 = (1_u64 << 30) as f64;

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
    let host = read(args)?;
    for unusable in host.unusable.iter().filter(|_| host.origin == Origin::ThisHost) {
        shell.note(format!("not used: {}", unusable.describe()));
    }
    if args.output.format == Format::Markdown {
        return destination.deliver(&shell.for_people(Format::Markdown, true, |style| table(&host, style)));
    }
    destination.deliver(&render(&host, args.output.format))
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

fn render(host: &HostTopology, format: Format) -> String {
    match format {
        // Markdown is made by `table`.
        Format::Table | Format::Markdown => machine_file::skeleton(host),
        Format::Json => format!("{:#}\n", object(host)),
        Format::Csv => rows(host),
    }
}

/// What the nodes have, for people; the machine file says more.
fn table(host: &HostTopology, style: &Style) -> String {
    let columns = [
        ("node", Align::Left),
        ("OS node", Align::Right),
        ("cores", Align::Right),
        ("memory GiB", Align::Right),
        ("sockets", Align::Left),
        ("processors", Align::Left),
        ("not usable", Align::Left),
        ("reads by firmware GB/s", Align::Right),
    ];
    let mut grid = Grid::new(&columns);
    let unknown = || style.idle().to_owned();
    for (node, found) in host.nodes.iter().enumerate() {
        let said = found.firmware.as_ref().and_then(|said| said.read_bandwidth);
        let sockets: Vec<String> = found.packages.iter().map(ToString::to_string).collect();
        let memory = found.memory_bytes.map(|bytes| format!("{:.1}", bytes as f64 / GIB));
        grid.row(vec![
            node.to_string(),
            found.os_index.to_string(),
            found.cores.to_string(),
            memory.unwrap_or_else(unknown),
            if sockets.is_empty() { unknown() } else { sockets.join(", ") },
            found.cpus.as_ref().map_or_else(unknown, ToString::to_string),
            found.left_out.as_ref().map_or_else(unknown, ToString::to_string),
            said.map_or_else(unknown, |gbs| gbs.value().to_string()),
        ]);
    }
    let core = core_is(host);
    format!("Machine: {}\nSource: {}\nCore: {core}\n\n{}", host.name, host.source, grid.render(style))
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

fn object(host: &HostTopology) -> Value {
    let nodes: Vec<Value> = (0..)
        .zip(&host.nodes)
        .map(|(node, found): (usize, _)| {
            json!({ "node": node, "os_index": found.os_index, "cores": found.cores,
                    "cpus": found.cpus.as_ref().map(ToString::to_string),
                    "unusable_cpus": found.left_out.as_ref().map(ToString::to_string),
                    "memory_bytes": found.memory_bytes, "sockets": found.packages,
                    "firmware": found.firmware.as_ref().map(firmware) })
        })
        .collect();
    let caches: Vec<Value> = host
        .caches
        .iter()
        .map(|cache| {
            json!({ "level": cache.level, "bytes": cache.bytes, "cores": cache.cores, "count": cache.count })
        })
        .collect();
    json!({ "schema": 1, "command": "detect", "machine": host.name, "source": host.source,
            "this_host": host.origin == Origin::ThisHost,
            "core": core_is(host),
            "nodes": nodes, "caches": caches,
            "distances": host.distances.as_ref().map(|distances| &distances.values),
            "unusable": host.unusable.iter().map(unusable).collect::<Vec<_>>() })
}

fn firmware(said: &Firmware) -> Value {
    json!({ "seen_from_os_nodes": said.seen_from,
            "read_bandwidth_gbs": said.read_bandwidth.map(GigabytesPerSecond::value),
            "write_bandwidth_gbs": said.write_bandwidth.map(GigabytesPerSecond::value),
            "read_latency_ns": said.read_latency_ns, "write_latency_ns": said.write_latency_ns })
}

fn unusable(unusable: &Unusable) -> Value {
    let (cpus, os_nodes) = match &unusable.what {
        UnusableThing::Cpus(list) => (Some(list.to_string()), None),
        UnusableThing::Nodes(nodes) => (None, Some(nodes)),
    };
    json!({ "cpus": cpus, "os_nodes": os_nodes, "why": unusable.why.code(), "text": unusable.describe() })
}

fn rows(host: &HostTopology) -> String {
    let mut rows =
        "node,os_index,cores,memory_bytes,cpus,unusable_cpus,firmware_read_bandwidth_gbs\n".to_owned();
    for (node, found) in host.nodes.iter().enumerate() {
        let memory = found.memory_bytes.map_or_else(String::new, |bytes| bytes.to_string());
        // Only the lists may have commas.
        let list = |list: &Option<_>| match list {
            Some(list) => format!("\"{list}\""),
            None => String::new(),
        };
        let (cpus, left_out) = (list(&found.cpus), list(&found.left_out));
        let said = found.firmware.as_ref().and_then(|said| said.read_bandwidth);
        let said = said.map_or_else(String::new, |gbs| gbs.value().to_string());
        // Writing to a String cannot fail.
        let _ = writeln!(rows, "{node},{},{},{memory},{cpus},{left_out},{said}", found.os_index, found.cores);
    }
    rows
}

#[cfg(test)]
mod tests {
    use numasim_host::topology::{Cache, Distances, HostNode, Why};
    use numasim_model::cpus::CpuList;

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
        let read: Value = serde_json::from_str(&render(&host(), Format::Json)).expect("valid JSON");
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
            render(&host(), Format::Csv),
            "node,os_index,cores,memory_bytes,cpus,unusable_cpus,firmware_read_bandwidth_gbs\n\
             0,0,8,64,\"0-7\",\"8,10\",\n1,2,0,,,,2.5\n"
        );
    }
}
