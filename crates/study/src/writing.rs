//! Pieces of input files for those who write some: `detect`, `calibrate`, `fit`, `import`, `explore --save`.

pub mod scenario;
pub mod study;

use std::fmt::Write as _;

use numasim_model::ids::NodeId;
use numasim_model::machine::{KernelVariants, Machine, Node};
use numasim_model::text::is_hidden;

use crate::keys::{limits_of, node};

/// What a comment says where `gflops_per_core` is not known: how to find it.
pub const PEAK: &str = "# GFLOPS: numasim calibrate, or clock in GHz x FLOP per cycle, or likwid-bench -t peakflops_avx_fma on one core";

/// A TOML basic string.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_hidden(c) => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// What a node can read, its memory, and what that delivers to kernels that write, as lines of `[machine]` or a `[[machine.node]]`; nothing where nobody said it.
pub fn limits_of_node(node: &Node) -> String {
    let mut lines = String::new();
    for (key, value) in limits_of(node).filter(|(key, _)| *key != &node::CORE_BANDWIDTH_GBS) {
        if let Some(value) = value {
            let _ = writeln!(lines, "{} = {}", key.name, float(value));
        }
    }
    lines
}

/// The last-level cache of a node, as lines of `[machine]` or a `[[machine.node]]`; nothing where nobody said it.
pub fn cache_of_node(machine: &Machine, node: NodeId) -> String {
    let mut lines = String::new();
    let Some(cache) = machine.cache(node) else { return lines };
    let _ = writeln!(lines, "llc_mb = {}", float(cache.size.value()));
    if let Some(bandwidth) = cache.core_bandwidth {
        let _ = writeln!(lines, "llc_gbs = {}", float(bandwidth.value()));
    }
    lines
}

/// The firmware's distances as a key of `[machine]`, row by row; nothing where nobody said them.
pub fn distances(machine: &Machine) -> String {
    if !machine.has_distances() {
        return String::new();
    }
    let row = |from: NodeId| -> Vec<f64> {
        machine.node_ids().map(|to| machine.distance(from, to).unwrap_or_default()).collect()
    };
    distance_matrix(machine.node_ids().map(row))
}

/// The ways of the benchmark's kernels through memory as `[machine.kernels]` after an empty line; nothing where nobody tried any.
pub fn kernel_variants(variants: &KernelVariants) -> String {
    let mut text = String::new();
    for (access, variant) in variants.iter() {
        if text.is_empty() {
            text.push_str("\n[machine.kernels]\n");
            if let Some(processor) = variants.processor() {
                let _ = writeln!(text, "processor = {}", quoted(processor));
            }
        }
        let (name, isa, streams) = (access.as_str(), quoted(&variant.isa), variant.streams);
        let [far, near] = variant.prefetch_bytes;
        let stores = if variant.streaming_stores { "" } else { ", stores = \"cached\"" };
        let _ = writeln!(
            text,
            "{name} = {{ isa = {isa}, streams = {streams}, prefetch_bytes = [{far}, {near}]{stores} }}"
        );
    }
    text
}

/// Distances as a key of `[machine]`, row by row.
pub fn distance_matrix(rows: impl IntoIterator<Item = Vec<f64>>) -> String {
    let mut lines = "distance_matrix = [\n".to_owned();
    for row in rows {
        let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
        let _ = writeln!(lines, "    [{}],", cells.join(", "));
    }
    lines.push_str("]\n");
    lines
}

/// The shared links of a machine, each as a `[[machine.shared_link]]` after an empty line.
pub fn shared_links(machine: &Machine) -> String {
    let mut text = String::new();
    for link in machine.shared_links() {
        let (name, gbs) = (quoted(&link.name), float(link.bandwidth.value()));
        let _ = write!(text, "\n[[machine.shared_link]]\nname = {name}\ngbs = {gbs}\n");
        let (from, to) = (list(&link.from), list(&link.to));
        let _ = if link.both_ways {
            writeln!(text, "between = [{from}, {to}]")
        } else {
            writeln!(text, "from = {from}\nto = {to}")
        };
    }
    text
}

/// Nodes by their numbers.
fn list(nodes: &[NodeId]) -> String {
    let nodes: Vec<usize> = nodes.iter().map(|node| node.0).collect();
    format!("{nodes:?}")
}

/// A matrix row by row, in one line.
fn matrix(rows: impl Iterator<Item = Vec<f64>>) -> String {
    format!("{:?}", rows.collect::<Vec<_>>())
}

/// A number that TOML reads as the same float.
fn float(value: f64) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back_as_it_was_written() {
        for text in ["plain", "a \"b\" \\ c", "two\nlines\u{7}", "ä → 八"] {
            let read: toml::Table = toml::from_str(&format!("x = {}", quoted(text))).expect("TOML");
            assert_eq!(read["x"].as_str(), Some(text));
        }
    }

    #[test]
    fn shared_links_limits_caches_and_distances_are_read_back_as_they_were_written() {
        let text = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 1\ngflops_per_core = 1\nbandwidth_gbs = 9\n\
                    link_gbs = 5\nsockets = 2\nsocket_link_gbs = 3\nshared_link_gbs = 4.5\nread_gbs = 12.25\n\
                    memory_gib = 1e-3\ntriad_gbs = 6.75\nupdate_gbs = 7\nllc_mb = 2.5\nllc_gbs = 12\n\
                    distance_matrix = [[10, 20, 30, 40], [21, 10.5, 20, 20], [30, 20, 10, 20], [30, 20, 20, 10]]\n[[machine.shared_link]]\nname = \"\\\"x\\\"\"\ngbs = 1e20\nfrom = [1]\nto = [0]\n";
        let read = |text: String| {
            let file = crate::SourceFile { name: "m.toml".into(), text };
            crate::read_study(&[file]).expect("in order").study.machine
        };
        let machine = read(text.to_owned());
        let plain = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 1\ngflops_per_core = 1\nbandwidth_gbs = 9\nlink_gbs = 5\n";
        let again = format!(
            "{plain}{}{}{}{}",
            limits_of_node(&machine.nodes()[0]),
            cache_of_node(&machine, NodeId(0)),
            distances(&machine),
            shared_links(&machine)
        );
        let again = read(again);
        assert_eq!(again.nodes(), machine.nodes());
        assert_eq!(again.shared_links(), machine.shared_links());
        let of = |machine: &Machine| -> Vec<_> {
            let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
            let distances = pairs.map(|(from, to)| machine.distance(from, to));
            distances
                .chain(machine.node_ids().map(|node| machine.cache(node).map(|cache| cache.size.value())))
                .collect()
        };
        assert_eq!(of(&again), of(&machine));
        assert_eq!((of(&again)[5], of(&again)[16]), (Some(10.5), Some(2.5)));
        assert_eq!(again.shared_links().len(), 2);
    }
}
