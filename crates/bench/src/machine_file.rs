//! From a host's topology to the skeleton of a machine file.

use std::fmt::Write as _;

use crate::HostTopology;

/// The `[machine]` table with what a topology shows.
///
/// Figures that it cannot show are comments, so that `numasim check` names each one that is still missing.
pub fn skeleton(host: &HostTopology) -> String {
    let mut text = String::from(
        "# Skeleton: a topology shows cores, not speeds. Fill in the figures marked with `?` and remove the `# `\n\
         # before them; `numasim check` names what is still missing.\n[machine]\n",
    );
    let mut line = |written: String| {
        text.push_str(&written);
        text.push('\n');
    };
    line(format!("name = {}", quoted(&host.name)));
    line(format!("source = {}", quoted(&host.source)));
    let cores: Vec<u32> = host.nodes.iter().map(|node| node.cores).collect();
    match cores.as_slice() {
        [first, rest @ ..] if *first > 0 && rest.iter().all(|cores| cores == first) && numbered(host) => {
            line(format!("nodes = {}", cores.len()));
            line(format!("cores_per_node = {first}"));
            let lists: Vec<String> = host
                .nodes
                .iter()
                .filter_map(|node| node.cpus.as_ref())
                .map(|list| format!("\"{list}\""))
                .collect();
            if lists.len() == cores.len() {
                line(format!("cpus = [{}]", lists.join(", ")));
            }
            line(format!("# gflops_per_core = ?  {PEAK}"));
            line(format!("# bandwidth_gbs = ?    {BANDWIDTH}"));
            if cores.len() > 1 {
                line(format!("# link_gbs = ?         {LINK}"));
            }
        }
        _ => {
            line(format!(
                "{LINK}\n# row = node of the core that runs, column = node of the memory; diagonal: {LOCAL}"
            ));
            let row = format!("[{}]", vec!["?"; cores.len()].join(", "));
            line(format!("# bandwidth_matrix_gbs = [{}]", vec![row; cores.len()].join(", ")));
            for node in &host.nodes {
                line(format!("\n[[machine.node]]  # {}\ncores = {}", origin(node), node.cores));
                line(if node.cores == 0 {
                    "gflops_per_core = 0.0  # memory only".into()
                } else {
                    format!("# gflops_per_core = ?  {PEAK}")
                });
                if let Some(list) = &node.cpus {
                    line(format!("cpus = \"{list}\""));
                }
                if !numbered(host) {
                    line(format!("os_node = {}", node.os_index));
                }
            }
        }
    }
    text
}

const PEAK: &str =
    "# GFLOPS: clock in GHz x FLOP per cycle, or likwid-bench -t peakflops_avx_fma on one core";
const BANDWIDTH: &str =
    "# GB/s: STREAM triad with all cores of one node, numactl --cpunodebind=0 --membind=0";
const LINK: &str =
    "# GB/s between two nodes: mlc --bandwidth_matrix, or STREAM with --cpunodebind=0 --membind=1";
const LOCAL: &str = "local bandwidth";

/// The operating system numbers the nodes as the file does: 0, 1, 2, ...
pub(crate) fn numbered(host: &HostTopology) -> bool {
    (0..).zip(&host.nodes).all(|(place, node)| node.os_index == place)
}

fn origin(node: &crate::HostNode) -> String {
    let mut text = format!("NUMA node {} of the operating system", node.os_index);
    if let Some(bytes) = node.memory_bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, ", {:.1} GB", bytes as f64 / 1e9);
    }
    text
}

/// A TOML basic string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use numasim_model::cpus::CpuList;

    use super::*;
    use crate::HostNode;

    fn host(cores: &[u32]) -> HostTopology {
        let nodes = (0..)
            .zip(cores)
            .map(|(os_index, &cores)| HostNode {
                os_index,
                cores,
                // Node 1 of two nodes of 8 cores: 8-15.
                cpus: CpuList::new((os_index * cores..(os_index + 1) * cores).collect()).ok(),
                memory_bytes: Some(64_000_000_000),
            })
            .collect();
        HostTopology { name: "a \"box\"".into(), source: "hwloc".into(), nodes }
    }

    fn settings(text: &str) -> Vec<&str> {
        text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
    }

    #[test]
    fn equal_nodes_are_written_as_a_uniform_machine() {
        let text = skeleton(&host(&[20, 20, 20, 20]));
        let expected = [
            "[machine]",
            r#"name = "a \"box\"""#,
            r#"source = "hwloc""#,
            "nodes = 4",
            "cores_per_node = 20",
            r#"cpus = ["0-19", "20-39", "40-59", "60-79"]"#,
        ];
        assert_eq!(settings(&text), expected);
        for unknown in ["# gflops_per_core = ?", "# bandwidth_gbs = ?", "# link_gbs = ?"] {
            assert!(text.contains(unknown), "{text}");
        }
    }

    #[test]
    fn one_node_needs_no_link() {
        assert!(!skeleton(&host(&[2])).contains("link_gbs"));
    }

    #[test]
    fn a_memory_only_node_is_written_node_by_node() {
        let text = skeleton(&host(&[8, 0]));
        let nodes = &settings(&text)[3..];
        let header = |n| format!("[[machine.node]]  # NUMA node {n} of the operating system, 64.0 GB");
        let memory_only = "gflops_per_core = 0.0  # memory only";
        let cpus = r#"cpus = "0-7""#;
        assert_eq!(nodes, [&header(0), "cores = 8", cpus, &header(1), "cores = 0", memory_only]);
        assert!(text.contains("# bandwidth_matrix_gbs = [[?, ?], [?, ?]]"), "{text}");
    }

    #[test]
    fn nodes_whose_numbers_have_gaps_are_written_one_by_one() {
        let mut host = host(&[2, 2]);
        host.nodes[1].os_index = 8;
        let text = skeleton(&host);
        let found: Vec<&str> =
            settings(&text).into_iter().filter(|line| line.starts_with("os_node")).collect();
        assert_eq!(found, ["os_node = 0", "os_node = 8"]);
    }

    #[test]
    fn control_characters_of_a_name_are_escaped() {
        assert_eq!(quoted("a\tb\\"), r#""a\u0009b\\""#);
    }
}
