//! `numasim detect`: the skeleton of a machine file for this host.

use std::fmt::Write as _;

use numasim_bench::{HostTopology, machine_file};
use serde_json::json;

use crate::args::DetectArgs;
use crate::failure::Failure;
use crate::output::{self, Format};
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, _shell: &Shell) -> Result<(), Failure> {
    let host = numasim_bench::host_topology("detect").map_err(|error| Failure::input(error.to_string()))?;
    output::deliver(&args.output, &render(&host, args.output.format))
}

fn render(host: &HostTopology, format: Format) -> String {
    match format {
        Format::Table => machine_file::skeleton(host),
        Format::Json => {
            let nodes: Vec<_> = (0..)
                .zip(&host.nodes)
                .map(|(node, found): (usize, _)| {
                    json!({ "node": node, "os_index": found.os_index, "cores": found.cores,
                            "cpus": found.cpus.as_ref().map(ToString::to_string),
                            "memory_bytes": found.memory_bytes })
                })
                .collect();
            let object = json!({ "schema": 1, "command": "detect", "machine": host.name, "source": host.source,
                                 "nodes": nodes });
            format!("{object:#}\n")
        }
        Format::Csv => {
            let mut rows = "node,os_index,cores,memory_bytes,cpus\n".to_owned();
            for (node, found) in host.nodes.iter().enumerate() {
                let memory = found.memory_bytes.map_or_else(String::new, |bytes| bytes.to_string());
                let cpus = found.cpus.as_ref().map_or_else(String::new, |list| format!("\"{list}\""));
                // Only the list may have commas. Writing to a String cannot fail.
                let _ = writeln!(rows, "{node},{},{},{memory},{cpus}", found.os_index, found.cores);
            }
            rows
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numasim_bench::HostNode;
    use numasim_model::cpus::CpuList;

    fn host() -> HostTopology {
        HostTopology {
            name: "box".into(),
            source: "test".into(),
            nodes: vec![
                HostNode { os_index: 0, cores: 8, cpus: CpuList::parse("0-7").ok(), memory_bytes: Some(64) },
                HostNode { os_index: 2, cores: 0, cpus: None, memory_bytes: None },
            ],
        }
    }

    #[test]
    fn json_lists_the_nodes_and_says_null_for_what_is_unknown() {
        let text = render(&host(), Format::Json);
        let read: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
        assert_eq!(
            read["nodes"],
            json!([{ "node": 0, "os_index": 0, "cores": 8, "cpus": "0-7", "memory_bytes": 64 },
                   { "node": 1, "os_index": 2, "cores": 0, "cpus": null, "memory_bytes": null }])
        );
    }

    #[test]
    fn csv_has_one_line_per_node() {
        assert_eq!(
            render(&host(), Format::Csv),
            "node,os_index,cores,memory_bytes,cpus\n0,0,8,64,\"0-7\"\n1,2,0,,\n"
        );
    }
}
