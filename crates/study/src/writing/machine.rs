//! A machine as an input file.

use std::collections::BTreeMap;

use numasim_model::ids::NodeId;
use numasim_model::machine::{KernelVariants, Machine, MixedBandwidths, Provenance};
use numasim_model::sharing::Model;
use numasim_model::units::GigabytesPerSecond;

use super::{Lines, float, inline, list, quoted};
use crate::keys::{
    Key, kernels, limits_of, machine as keys, node, provenance, shared_link, sharing, variant,
};

/// The style of a written machine.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Format of values that can be measured or fitted; sizes and distances are written unchanged.
    pub figure: fn(f64) -> String,
    /// Whether equal nodes and links are keys of the machine instead of a matrix and a table for each node.
    pub short: bool,
}

impl Style {
    fn of(self, key: &Key, value: f64) -> String {
        match (key.changed_in, key.shape.counts()) {
            (_, Some(_)) => value.to_string(),
            (Some(_), None) => (self.figure)(value),
            (None, None) => float(value),
        }
    }
}

/// Writes `[machine]` and all tables below it.
pub fn machine(lines: &mut Lines, of: &Machine, style: Style) {
    lines.table(&keys::TABLE);
    lines.put(&keys::NAME, quoted(of.name()));
    lines.maybe(&keys::SOURCE, of.source().map(quoted));
    let link = style.short.then(|| link_of_equal_nodes(of)).flatten();
    let pairs = |lines: &mut Lines, key, cell: &dyn Fn(NodeId, NodeId) -> String| {
        lines.rows(key, of.node_ids().map(|from| of.node_ids().map(|to| cell(from, to)).collect()));
    };
    if let Some(link) = link {
        let first = of.node(NodeId(0));
        lines.put(&keys::NODES, of.node_count());
        lines.put(&keys::CORES_PER_NODE, first.cores);
        lines.put(&keys::GFLOPS_PER_CORE, (style.figure)(first.gflops_per_core.value()));
        lines.put(&keys::BANDWIDTH_GBS, (style.figure)(first.bandwidth.value()));
        lines.maybe(&keys::LINK_GBS, link.map(style.figure));
        limits(lines, of, NodeId(0), style);
        let cpus: Option<Vec<String>> = of
            .os_nodes()
            .iter()
            .map(|node| node.cpus.as_ref().map(|cpus| quoted(&cpus.to_string())))
            .collect();
        lines.maybe(&keys::CPUS, cpus.filter(|cpus| !cpus.is_empty()).map(list));
    } else {
        lines.comment(
            "row = node of the core that runs, column = node of the memory; diagonal: local bandwidth",
        );
        pairs(lines, &keys::BANDWIDTH_MATRIX_GBS, &|from, to| {
            // In the row of a node without cores only the diagonal counts.
            let link = || of.link(from, to).map_or(0.0, GigabytesPerSecond::value);
            (style.figure)(if from == to { of.node(from).bandwidth.value() } else { link() })
        });
    }
    lines.maybe(&keys::THREADS_PER_CORE, (of.threads_per_core() > 1).then(|| of.threads_per_core()));
    if of.has_latencies() {
        pairs(lines, &keys::LATENCY_MATRIX_NS, &|from, to| {
            (style.figure)(of.latency_ns(from, to).unwrap_or_default())
        });
    }
    if of.has_distances() {
        pairs(lines, &keys::DISTANCE_MATRIX, &|from, to| {
            of.distance(from, to).unwrap_or_default().to_string()
        });
    }
    origins(lines, of, link.is_none());
    ways(lines, of.kernel_variants());
    if *of.sharing() != Model::default() {
        lines.table(&sharing::TABLE);
        lines.put(&sharing::MODEL, quoted(of.sharing().kind.as_str()));
        for (parameter, value) in of.sharing().parameters.in_use() {
            if let Some(key) = sharing::TABLE.key(parameter.as_str()) {
                lines.put(key, (style.figure)(value));
            }
        }
    }
    if link.is_none() {
        for number in of.node_ids() {
            one_node(lines, of, number, style);
        }
    }
    shared_links(lines, of, style);
}

/// Whether [`Style::short`] can be used.
pub fn is_short(of: &Machine) -> bool {
    link_of_equal_nodes(of).is_some()
}

/// The bandwidth of each link (`None` with one node) of a machine with equal nodes and links.
#[allow(clippy::option_option, reason = "equal nodes, and their links if there are several")]
fn link_of_equal_nodes(of: &Machine) -> Option<Option<f64>> {
    let (first, rest) = of.nodes().split_first()?;
    let numbered = (0..).zip(of.os_nodes()).all(|(place, node)| node.number == place);
    let same_caches = of.node_ids().all(|node| of.cache(node) == of.cache(NodeId(0)));
    if first.cores == 0 || rest.iter().any(|node| node != first) || !numbered || !same_caches {
        return None;
    }
    let pairs = of.node_ids().flat_map(|from| of.node_ids().map(move |to| (from, to)));
    let mut links = pairs.filter_map(|(from, to)| Some(of.link(from, to)?.value()));
    let link = links.next();
    links.all(|other| Some(other) == link).then_some(link)
}

/// The limits of a node and its memory, and its cache.
fn limits(lines: &mut Lines, of: &Machine, number: NodeId, style: Style) {
    for (key, value) in limits_of(of.node(number)) {
        lines.maybe(key, value.map(|value| style.of(key, value)));
    }
    let points = |mixed: MixedBandwidths| {
        list(mixed.points().iter().map(|&(share, gbs)| list([float(share), (style.figure)(gbs)])))
    };
    lines.maybe(&node::MIXED_GBS, of.node(number).kernels.mixed.map(points));
    match of.cache(number) {
        Some(cache) => {
            lines.put(&node::LLC_MB, style.of(&node::LLC_MB, cache.size.value()));
            lines.maybe(&node::LLC_GBS, cache.core_bandwidth.map(|gbs| float(gbs.value())));
        }
        // Next to nodes with a cache, it has none; for a machine without caches nothing is written.
        None if of.says_caches() => lines.put(&node::LLC_MB, 0),
        None => {}
    }
}

fn one_node(lines: &mut Lines, of: &Machine, number: NodeId, style: Style) {
    let own = of.node(number);
    lines.table(&node::TABLE);
    lines.put(&node::CORES, own.cores);
    lines.put(&node::GFLOPS_PER_CORE, (style.figure)(own.gflops_per_core.value()));
    limits(lines, of, number, style);
    let Some(os_node) = of.os_nodes().get(number.0) else { return };
    lines.maybe(&node::CPUS, os_node.cpus.as_ref().map(|cpus| quoted(&cpus.to_string())));
    // Only nodes that are numbered from 0 have plain lists of logical CPUs.
    let listed = of.os_nodes().iter().any(|node| node.cpus.is_some());
    let same = usize::try_from(os_node.number) == Ok(number.0);
    lines.maybe(&node::OS_NODE, (!listed || !same).then_some(os_node.number));
}

/// The source of the values. In a matrix, the source of all controllers applies to the matrix.
fn origins(lines: &mut Lines, of: &Machine, matrix: bool) {
    let flat = [&provenance::BANDWIDTH_GBS, &provenance::LINK_GBS].map(|key| key.name);
    let whole = provenance::BANDWIDTH_MATRIX_GBS.name;
    let written = |key: &str| {
        // Sockets are written as the links that they are equivalent to.
        key != provenance::SOCKET_LINK_GBS.name && if matrix { !flat.contains(&key) } else { key != whole }
    };
    let all = of.provenance();
    let mut origins: BTreeMap<&str, &Provenance> =
        all.iter().map(|(key, origin)| (key.as_str(), origin)).filter(|(key, _)| written(key)).collect();
    if let Some(controllers) = all.get(flat[0]).filter(|_| matrix) {
        origins.entry(whole).or_insert(controllers);
    }
    lines.origins(origins);
}

/// The access variants of the benchmark kernels.
pub(crate) fn ways(lines: &mut Lines, variants: &KernelVariants) {
    for (number, (access, way)) in variants.iter().enumerate() {
        if number == 0 {
            lines.table(&kernels::TABLE);
            lines.maybe(&kernels::PROCESSOR, variants.processor().map(quoted));
        }
        let mut entries = vec![
            (&variant::ISA, quoted(&way.isa)),
            (&variant::STREAMS, way.streams.to_string()),
            (&variant::PREFETCH_BYTES, list(way.prefetch_bytes)),
        ];
        if !way.streaming_stores {
            entries.push((&variant::STORES, quoted("cached")));
        }
        if let Some(key) = kernels::TABLE.key(access.as_str()) {
            lines.put(key, inline(entries));
        }
    }
}

fn shared_links(lines: &mut Lines, of: &Machine, style: Style) {
    for link in of.shared_links() {
        let [from, to] = [&link.from, &link.to].map(|nodes| list(nodes.iter().map(|node| node.0)));
        lines.table(&shared_link::TABLE);
        lines.put(&shared_link::NAME, quoted(&link.name));
        lines.put(&shared_link::GBS, (style.figure)(link.bandwidth.value()));
        if link.both_ways {
            lines.put(&shared_link::BETWEEN, list([from, to]));
        } else {
            lines.put(&shared_link::FROM, from);
            lines.put(&shared_link::TO, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 1\ngflops_per_core = 1\nbandwidth_gbs = 9\n\
        link_gbs = 5\nshared_link_gbs = 4.5\nread_gbs = 12.25\ncores_per_l3 = 1\nl3_read_gbs = 11.5\nsockets = 2\nsocket_link_gbs = 3\n\
        memory_gib = 1e-3\ntriad_gbs = 6.75\nupdate_gbs = 7\nllc_mb = 2.5\nllc_gbs = 12\ncpus = [\"0\", \"1\", \"2\", \"3\"]\n\
        distance_matrix = [[10, 20, 30, 40], [21, 10.5, 20, 20], [30, 20, 10, 20], [30, 20, 20, 10]]\n\
        [[machine.shared_link]]\nname = \"\\\"x\\\"\"\ngbs = 1e20\nfrom = [1]\nto = [0]\n\
        [machine.sharing]\nmodel = \"max-min\"\nremote_loss = 0.25\n\
        [machine.provenance]\nbandwidth_gbs = { kind = \"measured\", source = \"x\", uncertainty_percent = 2, interval95_percent = 1.5 }\n\
        [machine.kernels]\nprocessor = \"p\"\ncopy = { isa = \"avx2\", streams = 2, prefetch_bytes = [64, 0], stores = \"cached\" }\n";

    fn read(text: String) -> Machine {
        let file = crate::SourceFile { name: "m.toml".into(), text };
        crate::read_study(&[file]).expect("in order").study.machine
    }

    fn written(of: &Machine, short: bool) -> String {
        let mut lines = Lines::default();
        machine(&mut lines, of, Style { figure: float, short });
        lines.text()
    }

    #[test]
    fn machines_are_read_back_unchanged() {
        let first = read(TEXT.to_owned());
        let again = read(written(&first, true));
        assert_eq!(again.provenance()["bandwidth_matrix_gbs"], first.provenance()["bandwidth_gbs"]);
        let same = again.clone().with_provenance(first.provenance().clone());
        // Links from a node to itself are meaningless and not written.
        assert_eq!(written(&same, false), written(&first, false));
        assert_eq!(written(&again, false), written(&again, true), "links differ");
    }

    #[test]
    fn equal_nodes_are_keys_of_the_machine() {
        let plain =
            TEXT.replace("sockets = 2\nsocket_link_gbs = 3\n", "").replace("shared_link_gbs = 4.5\n", "");
        let first = read(plain);
        let text = written(&first, true);
        assert!(text.contains("\nnodes = 4\n") && !text.contains("[[machine.node]]"), "{text}");
        assert_eq!(written(&read(text), false), written(&first, false));
        let mut matrix = read(written(&first, false));
        matrix = matrix.with_provenance(first.provenance().clone());
        assert_eq!(written(&matrix, false), written(&first, false));
    }
}
