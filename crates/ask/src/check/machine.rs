//! The machine, for people: nodes, bandwidths, and the provenance of the values.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use crate::reading::Reading;
use numasim_draw::Style;
use numasim_draw::grid::Align;
use numasim_model::machine::{LastLevelCache, Provenance, SharedLink};
use numasim_model::text::visible_but;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, Node, NodeId};
use numasim_study::TableKind;
use numasim_study::keys::{Key, limits_of, node};

use super::words::{self, DEFAULT, labelled, marked};
use crate::node_ranges;

/// With more nodes, equal ones are merged into ranges, and their matrix is summarised.
const MOST_NODES: usize = 12;
/// With more shared links, a line with their number replaces the list.
const MOST_SHARED: usize = 20;

pub(super) fn write(text: &mut String, reading: &Reading, style: &Style) {
    let machine = &reading.study.machine;
    words::heading(text, &format!("MACHINE  {}", machine.name()), style);
    match machine.source() {
        Some(source) => labelled(text, "source", &source_text(source), style),
        None => labelled(text, "source", &format!("not given {DEFAULT}"), style),
    }
    if machine.threads_per_core() > 1 {
        labelled(text, "hardware threads", &format!("{} on each core", machine.threads_per_core()), style);
    }
    nodes(text, reading, style);
    os_nodes(text, reading, style);
    links(text, machine, style);
    shared(text, reading, style);
    sharing(text, machine, style);
    provenance(text, machine, style);
}

/// A remark in the file. It may have several lines, and its control characters must not reach a terminal.
fn source_text(source: &str) -> Cow<'_, str> {
    visible_but(source, &['\n', '\t'])
}

/// A column of the table of nodes: its title, a cell for each line, and the sum over all nodes if it has one.
struct Column {
    title: String,
    cells: Vec<String>,
    total: String,
}

fn nodes(text: &mut String, reading: &Reading, style: &Style) {
    let machine = &reading.study.machine;
    let all: Vec<&Node> = machine.nodes().iter().collect();
    let shown: Vec<(RangeInclusive<usize>, &Node)> = if all.len() > MOST_NODES {
        words::runs(&all).into_iter().map(|(nodes, node)| (nodes, *node)).collect()
    } else {
        all.iter().enumerate().map(|(index, node)| (index..=index, *node)).collect()
    };
    let column =
        |title: &str, cell: &dyn Fn(&RangeInclusive<usize>, &Node) -> String, total: String| Column {
            title: title.to_owned(),
            cells: shown.iter().map(|(nodes, node)| cell(nodes, node)).collect(),
            total,
        };
    let numbers = |title: &str, is_there: fn(&Node) -> bool, value: fn(&Node) -> f64, total: String| {
        let figures = words::figures(&shown.iter().map(|(_, node)| value(node)).collect::<Vec<_>>());
        let cells = shown.iter().zip(figures);
        let cells = cells.map(|((_, node), cell)| if is_there(node) { cell } else { "-".to_owned() });
        Column { title: title.to_owned(), cells: cells.collect(), total }
    };
    let total = |value: fn(&Node) -> f64| words::total(all.iter().map(|node| value(node)));
    let has_cores: fn(&Node) -> bool = |node| node.cores > 0;
    let gflops: fn(&Node) -> f64 = |node| node.gflops_per_core.value() * f64::from(node.cores);
    let bandwidth: fn(&Node) -> f64 = |node| node.bandwidth.value();
    let name = |nodes: &RangeInclusive<usize>, node: &Node| match (node.cores == 0, node.has_memory()) {
        (true, _) => format!("{} (memory only)", words::range(nodes)),
        (_, false) => format!("{} (no memory)", words::range(nodes)),
        _ => words::range(nodes),
    };
    let mut columns = vec![
        column("node", &name, "all".to_owned()),
        column("cores", &|_, node| node.cores.to_string(), machine.total_cores().to_string()),
        numbers("GFLOPS/core", has_cores, |node| node.gflops_per_core.value(), String::new()),
        numbers("GFLOPS", has_cores, gflops, total(gflops)),
        numbers("memory GB/s", Node::has_memory, bandwidth, total(bandwidth)),
    ];
    // A value that is rare in files has a column only if a file contains it, or if an application uses its default.
    let default = |key: &Key, node: usize| {
        reading.is_default(TableKind::Machine, machine.name(), key.name)
            || reading.is_default(TableKind::Node, &node.to_string(), key.name)
    };
    for (number, (key, _)) in all.first().into_iter().flat_map(|node| limits_of(node)).enumerate() {
        let value = |node: &Node| limits_of(node).nth(number).and_then(|(_, value)| value);
        let of_thread = *key == node::CORE_BANDWIDTH_GBS;
        let is_used = key.noted_when_used && default(key, 0);
        if of_thread || is_used || all.iter().any(|node| value(node).is_some()) {
            let cell = |nodes: &RangeInclusive<usize>, node: &Node| {
                let is_default = (of_thread || key.noted_when_used) && default(key, *nodes.start());
                limit(key, node, value(node), is_default)
            };
            let sum = *key == node::MEMORY_GIB && all.iter().all(|node| value(node).is_some());
            let sum = sum.then(|| words::total(all.iter().filter_map(|node| value(node))));
            columns.push(column(&title(key), &cell, sum.unwrap_or_default()));
        }
    }
    let mut rows = vec![columns.iter().map(|column| column.title.clone()).collect::<Vec<_>>()];
    rows.extend((0..shown.len()).map(|row| columns.iter().map(|column| column.cells[row].clone()).collect()));
    if machine.node_count() > 1 {
        rows.push(columns.into_iter().map(|column| column.total).collect());
    }
    text.push('\n');
    words::write(text, &rows, &[Align::Left, Align::Right], style);
    if !machine.all_have_memory() {
        text.push('\n');
        labelled(text, "no memory", &local_data(machine), style);
    }
}

/// The title of a limit: its name, with the unit as people write it.
fn title(key: &Key) -> String {
    match key.name {
        "core_bandwidth_gbs" => "GB/s per thread".to_owned(),
        "read_gbs" => "reads GB/s".to_owned(),
        "l3_read_gbs" => "GB/s per L3".to_owned(),
        "cores_per_l3" => "cores per L3".to_owned(),
        name => {
            let words = name.rsplit_once('_').map_or(name, |(words, _)| words).replace('_', " ");
            format!("{words} {}", key.unit())
        }
    }
}

/// A limit of a node: the value in the file, or the default.
fn limit(key: &Key, node: &Node, value: Option<f64>, is_default: bool) -> String {
    let is_open = value.is_none();
    let of_cores = [node::READ_GBS, node::CORES_PER_L3, node::L3_READ_GBS].contains(key)
        || *key == node::CORE_BANDWIDTH_GBS && !is_open;
    if of_cores && node.cores == 0 || key.of_memory && is_open && !node.has_memory() {
        return "-".to_owned();
    }
    match value {
        Some(value) => words::figure(value),
        None if key.of_memory => marked("as reads".to_owned(), is_default),
        None => marked(key.default.to_owned(), is_default),
    }
}

/// The placement of the local data of nodes without memory: `local data of node 1 on node 0`.
fn local_data(machine: &Machine) -> String {
    let of_memory = |memory: NodeId| {
        let others: Vec<NodeId> = machine.local_to(memory).filter(|&node| node != memory).collect();
        let noun = if others.len() == 1 { "node" } else { "nodes" };
        (!others.is_empty()).then(|| format!("local data of {noun} {} on {memory}", node_ranges(&others)))
    };
    machine.memory_nodes().filter_map(of_memory).collect::<Vec<_>>().join("; ")
}

/// The node numbers of the operating system; empty if the file does not contain them.
fn os_nodes(text: &mut String, reading: &Reading, style: &Style) {
    let os_nodes = reading.study.machine.os_nodes();
    if os_nodes.is_empty() {
        return;
    }
    let header = ["node", "os_node", "cpus"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (node, os_node) in os_nodes.iter().enumerate() {
        let default = reading.is_default(TableKind::Node, &node.to_string(), "os_node");
        let number = marked(os_node.number.to_string(), default);
        let cpus = os_node.cpus.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        rows.push(vec![node.to_string(), number, cpus]);
    }
    text.push('\n');
    words::write(text, &rows, &[Align::Left], style);
}

fn links(text: &mut String, machine: &Machine, style: &Style) {
    let nodes: Vec<_> = machine.node_ids().collect();
    if nodes.len() == 1 {
        return;
    }
    let pairs = nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| (from, to)));
    let speeds: Vec<f64> =
        pairs.filter_map(|(from, to)| machine.link(from, to)).map(GigabytesPerSecond::value).collect();
    let smallest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = speeds.iter().copied().fold(0.0, f64::max);
    if nodes.len() > MOST_NODES {
        let _ = writeln!(
            text,
            "\n  {} links of {} to {} GB/s; --format csv lists them all",
            speeds.len(),
            words::figure(smallest),
            words::figure(largest)
        );
        return;
    }
    let words = "GB/s: row = node of the core, column = node of the memory, [ ] = the node's own controller";
    words::legend(text, words, style);
    let entry = |&from: &_, &to: &_| {
        if from == to { machine.controller(from) } else { machine.link(from, to) }
    };
    let values: Vec<f64> = nodes
        .iter()
        .flat_map(|from| {
            nodes.iter().filter_map(|to| entry(from, to).map(GigabytesPerSecond::value)).collect::<Vec<_>>()
        })
        .collect();
    let mut figures = words::figures(&values).into_iter();
    let head = std::iter::once(String::new()).chain(nodes.iter().map(|node| format!("{} ", node.0)));
    let mut rows = vec![head.collect::<Vec<_>>()];
    for from in &nodes {
        let mut row = vec![from.0.to_string()];
        row.extend(nodes.iter().map(|to| match entry(from, to) {
            None if from == to && !machine.has_memory(*from) => "[-]".to_owned(),
            None => "- ".to_owned(),
            Some(_) if from == to => format!("[{}]", figures.next().unwrap_or_default()),
            Some(_) => format!("{} ", figures.next().unwrap_or_default()),
        }));
        rows.push(row);
    }
    words::write(text, &rows, &[Align::Right], style);
}

/// Sockets, and links shared by several pairs of nodes.
fn shared(text: &mut String, reading: &Reading, style: &Style) {
    let machine = &reading.study.machine;
    if let Some(sockets) = reading.sockets {
        let each = machine.node_count() / sockets.max(1);
        let of = |socket: usize| words::range(&(socket * each..=((socket + 1) * each).saturating_sub(1)));
        let shown: Vec<String> =
            (0..sockets.min(MOST_SHARED)).map(|socket| format!("{socket}: {}", of(socket))).collect();
        let more = if sockets > MOST_SHARED { ", …" } else { "" };
        let words = format!("sockets and their nodes  {}{more}", shown.join(", "));
        words::legend(text, &words, style);
    }
    let links = machine.shared_links();
    if links.is_empty() {
        return;
    }
    let words = "shared links, GB/s in each direction: cores on the left read memories on the right, and with <-> the reverse";
    words::legend(text, words, style);
    let row = |link: &SharedLink| {
        let arrow = if link.both_ways { "<->" } else { "-->" };
        let sides = format!("[{}] {arrow} [{}]", words::ranges_of(&link.from), words::ranges_of(&link.to));
        vec![link.name.clone(), words::figure(link.bandwidth.value()), sides]
    };
    let rows: Vec<Vec<String>> = links.iter().take(MOST_SHARED).map(row).collect();
    words::write_untitled(text, &rows, &[Align::Left, Align::Right, Align::Left], style);
    if links.len() > MOST_SHARED {
        let _ = writeln!(text, "  and {} more; --format csv lists them all", links.len() - MOST_SHARED);
    }
}

/// The bandwidth-sharing model if the file does not use the default, and the contents of the file about latencies, distances and caches.
fn sharing(text: &mut String, machine: &Machine, style: &Style) {
    let model = machine.sharing();
    let rows = [
        ("shares bandwidth by", (*model != numasim_model::Model::default()).then(|| model.in_words())),
        (
            "latency",
            machine
                .has_latencies()
                .then(|| own_and_others(machine, " ns", |from, to| machine.latency_ns(from, to))),
        ),
        (
            "distance by the firmware",
            machine
                .has_distances()
                .then(|| own_and_others(machine, "", |from, to| machine.distance(from, to))),
        ),
        ("last-level cache", caches(machine)),
    ];
    for (label, words) in rows {
        if let Some(words) = words {
            text.push('\n');
            labelled(text, label, &words, style);
        }
    }
}

fn provenance(text: &mut String, machine: &Machine, style: &Style) {
    if machine.provenance().is_empty() {
        return;
    }
    text.push_str("\n  sources of the values\n");
    if style.markdown {
        let head = ["value", "kind", "source"].map(str::to_owned).to_vec();
        let row = |(key, provenance): (&String, &Provenance)| {
            vec![key.clone(), provenance.kind.as_str().to_owned(), said_of(provenance).join(", ")]
        };
        let rows: Vec<Vec<String>> =
            std::iter::once(head).chain(machine.provenance().iter().map(row)).collect();
        return words::write(text, &rows, &[Align::Left], style);
    }
    let key_width = machine.provenance().keys().map(String::len).max().unwrap_or(0);
    let kind_width = machine.provenance().values().map(|p| p.kind.as_str().len()).max().unwrap_or(0);
    for (key, provenance) in machine.provenance() {
        let kind = provenance.kind.as_str();
        let label = format!("{key:key_width$}  {kind:kind_width$}");
        let said = said_of(provenance);
        if said.is_empty() {
            let _ = writeln!(text, "  {}", label.trim_end());
        } else {
            labelled(text, &label, &said.join(", "), style);
        }
    }
}

/// Uncertainty and source of a value.
fn said_of(provenance: &Provenance) -> Vec<String> {
    let uncertainty = provenance.uncertainty_percent.map(|percent| format!("to {percent} %"));
    let interval = provenance.interval95_percent.map(|percent| format!("95 % interval to {percent} %"));
    let source = provenance.source.as_deref().map(|source| source_text(source).into_owned());
    [uncertainty, interval, source].into_iter().flatten().collect()
}

/// The caches of the nodes, in few words; nodes with equal caches are merged.
fn caches(machine: &Machine) -> Option<String> {
    if !machine.says_caches() {
        return None;
    }
    let all: Vec<Option<&LastLevelCache>> = machine.node_ids().map(|node| machine.cache(node)).collect();
    let runs = words::runs(&all);
    let words = |cache: Option<&LastLevelCache>| match cache {
        None => "none".to_owned(),
        Some(cache) => {
            let size = format!("{} MB", words::figure(cache.size.value()));
            match cache.core_bandwidth {
                Some(gbs) => format!("{size}, {} GB/s per core", words::figure(gbs.value())),
                None => size,
            }
        }
    };
    if let [(_, cache)] = runs.as_slice() {
        return Some(match cache {
            None => "none".to_owned(),
            Some(_) => format!("{}, of each node", words(**cache)),
        });
    }
    let each = runs.iter().map(|(nodes, cache)| format!("node {}: {}", words::range(nodes), words(**cache)));
    Some(each.collect::<Vec<_>>().join("; "))
}

/// A value of each pair of nodes: the range for local memory, and the range for remote memory.
fn own_and_others(machine: &Machine, unit: &str, of: impl Fn(NodeId, NodeId) -> Option<f64>) -> String {
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for from in machine.compute_nodes() {
        for to in machine.node_ids() {
            if from == to { &mut own } else { &mut other }.extend(of(from, to));
        }
    }
    let range = |values: &[f64]| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        if low < high {
            format!("{} to {}{unit}", words::figure(low), words::figure(high))
        } else {
            format!("{}{unit}", words::figure(low))
        }
    };
    let words = format!("own memory {}", range(&own));
    if other.is_empty() { words } else { format!("{words}, other nodes {}", range(&other)) }
}
