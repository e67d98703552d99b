//! The machine: nodes, bandwidths, and how the figures came about.

use std::borrow::Cow;
use std::fmt::Write as _;

use numasim_graph::Reading;
use numasim_model::machine::Provenance;
use numasim_model::text::visible_but;
use numasim_model::units::{Gibibytes, GigabytesPerSecond};
use numasim_model::{Access, Machine, Node, NodeId};
use numasim_study::TableKind;

use super::DEFAULT;
use super::caches;
use super::grid::{self, Align};
use super::shared;
use crate::view::{Style, node_ranges};
use numasim_draw::grid::fit;

/// More nodes than this are merged into ranges of equal ones, and their matrix is summed up.
const MOST_NODES: usize = 12;

pub(super) fn write(text: &mut String, reading: &Reading, style: &Style) {
    let machine = &reading.study.machine;
    grid::heading(text, &format!("MACHINE  {}", machine.name()), style);
    match machine.source() {
        Some(source) => labelled(text, "source", &source_text(source), style),
        None => labelled(text, "source", &format!("not given {DEFAULT}"), style),
    }
    nodes(text, reading, style);
    os_nodes(text, reading, style);
    links(text, machine, style);
    shared::write(text, reading, style);
    sharing(text, machine, style);
    provenance(text, machine, style);
}

/// A remark of the file, which may have several lines and must do nothing to a terminal.
fn source_text(source: &str) -> Cow<'_, str> {
    visible_but(source, &['\n', '\t'])
}

/// A label and text that is broken into lines below each other.
fn labelled(text: &mut String, label: &str, words: &str, style: &Style) {
    if style.markdown {
        // Each label is an entry of a list.
        let _ = writeln!(text, "{label}: {words}", words = words.replace('\n', " "));
        return;
    }
    let room = style.columns().saturating_sub(label.len() + 4);
    let lines = grid::wrap(words, room).into_iter().flat_map(|line| fit(&line, room));
    for (index, line) in lines.enumerate() {
        let label = if index == 0 { label.to_owned() } else { " ".repeat(label.len()) };
        let _ = writeln!(text, "  {label}  {line}");
    }
}

fn nodes(text: &mut String, reading: &Reading, style: &Style) {
    let machine = &reading.study.machine;
    let all: Vec<&Node> = machine.nodes().iter().collect();
    let shown = if all.len() > MOST_NODES {
        grid::runs(&all)
    } else {
        all.iter().enumerate().map(|(index, node)| (index..=index, node)).collect()
    };
    let column = |value: &dyn Fn(&Node) -> f64| {
        grid::figures(&shown.iter().map(|(_, node)| value(node)).collect::<Vec<_>>())
    };
    let peaks = column(&|node| node.gflops_per_core.value());
    let sums = column(&|node| node.gflops_per_core.value() * f64::from(node.cores));
    let controllers = column(&|node| node.bandwidth.value());
    let default = reading.is_default(TableKind::Machine, machine.name(), "core_bandwidth_gbs");
    let header = ["node", "cores", "GFLOPS/core", "GFLOPS", "memory GB/s", "GB/s per thread"];
    let mut header = header.map(str::to_owned).to_vec();
    // What few files say has a column only where one of them says it.
    let reads = all.iter().any(|node| node.read_bandwidth.is_some());
    let sizes = all.iter().any(|node| node.memory.is_some());
    header.extend(reads.then(|| "reads GB/s".to_owned()));
    header.extend(sizes.then(|| "memory GiB".to_owned()));
    // Those that the file has, and those that an application uses without.
    let kernels: Vec<Access> = Access::WRITING
        .into_iter()
        .filter(|&kernel| machine.has_figure_of(kernel) || no_figure_of(reading, kernel, 0))
        .collect();
    header.extend(kernels.iter().map(|kernel| format!("{} GB/s", kernel.as_str())));
    let mut rows = vec![header];
    for (((nodes, node), peak), (sum, controller)) in
        shown.iter().zip(peaks).zip(sums.into_iter().zip(controllers))
    {
        let only_memory = node.cores == 0;
        let has_memory = node.has_memory();
        let or_dash = |value: String| if only_memory { "-".to_owned() } else { value };
        let open =
            default || reading.is_default(TableKind::Node, &nodes.start().to_string(), "core_bandwidth_gbs");
        let ceiling = match node.core_bandwidth {
            Some(ceiling) => or_dash(grid::figure(ceiling.value())),
            None if open => format!("no limit {DEFAULT}"),
            None => "no limit".to_owned(),
        };
        let name = match (only_memory, has_memory) {
            (true, _) => format!("{} (memory only)", grid::range(nodes)),
            (_, false) => format!("{} (no memory)", grid::range(nodes)),
            _ => grid::range(nodes),
        };
        let controller = if has_memory { controller } else { "-".to_owned() };
        let mut row = vec![name, node.cores.to_string(), or_dash(peak), or_dash(sum), controller, ceiling];
        if reads {
            let most = node.read_bandwidth.map(|most| grid::figure(most.value()));
            row.push(or_dash(most.unwrap_or_else(|| "no limit".to_owned())));
        }
        if sizes {
            row.push(node.memory.map_or_else(|| "not given".to_owned(), |size| grid::figure(size.value())));
        }
        for &kernel in &kernels {
            let measured = node.kernels.get(kernel).map(|measured| grid::figure(measured.value()));
            let measured = measured.or_else(|| (!has_memory).then(|| "-".to_owned()));
            row.push(measured.unwrap_or_else(|| {
                let default = no_figure_of(reading, kernel, *nodes.start());
                if default { format!("as reads {DEFAULT}") } else { "as reads".to_owned() }
            }));
        }
        rows.push(row);
    }
    if machine.node_count() > 1 {
        let total = |value: &dyn Fn(&Node) -> f64| grid::total(all.iter().map(|node| value(node)));
        let mut row = vec![
            "all".to_owned(),
            machine.total_cores().to_string(),
            String::new(),
            total(&|node| node.gflops_per_core.value() * f64::from(node.cores)),
            total(&|node| node.bandwidth.value()),
        ];
        if all.iter().all(|node| node.memory.is_some()) {
            row.extend(vec![String::new(); 1 + usize::from(reads)]);
            row.push(total(&|node| node.memory.map_or(0.0, Gibibytes::value)));
        }
        rows.push(row);
    }
    text.push('\n');
    grid::write(text, &rows, &[Align::Left, Align::Right], style);
    if !machine.all_have_memory() {
        text.push('\n');
        labelled(text, "no memory", &local_data(machine), style);
    }
}

/// Where the local data of nodes without memory lies: `local data of node 1 on node 0`.
fn local_data(machine: &Machine) -> String {
    let of_memory = |memory: NodeId| {
        let others: Vec<NodeId> = machine.local_to(memory).filter(|&node| node != memory).collect();
        let noun = if others.len() == 1 { "node" } else { "nodes" };
        (!others.is_empty()).then(|| format!("local data of {noun} {} on {memory}", node_ranges(&others)))
    };
    machine.memory_nodes().filter_map(of_memory).collect::<Vec<_>>().join("; ")
}

/// Whether an application uses `kernel`, and no file says what the memory of the node delivers to it.
fn no_figure_of(reading: &Reading, kernel: Access, node: usize) -> bool {
    let (key, machine) = (kernel.figure_key(), reading.study.machine.name());
    reading.is_default(TableKind::Machine, machine, key)
        || reading.is_default(TableKind::Node, &node.to_string(), key)
}

/// What the operating system calls the nodes; nothing where the file does not say it.
fn os_nodes(text: &mut String, reading: &Reading, style: &Style) {
    let os_nodes = reading.study.machine.os_nodes();
    if os_nodes.is_empty() {
        return;
    }
    let header = ["node", "os_node", "cpus"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (node, os_node) in os_nodes.iter().enumerate() {
        let default = reading.is_default(TableKind::Node, &node.to_string(), "os_node");
        let number =
            if default { format!("{} {DEFAULT}", os_node.number) } else { os_node.number.to_string() };
        let cpus = os_node.cpus.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        rows.push(vec![node.to_string(), number, cpus]);
    }
    text.push('\n');
    grid::write(text, &rows, &[Align::Left], style);
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
            grid::figure(smallest),
            grid::figure(largest)
        );
        return;
    }
    let legend = "GB/s: row = node of the core, column = node of the memory, [ ] = the node's own controller";
    text.push('\n');
    for line in grid::wrap(legend, style.columns().saturating_sub(2)) {
        let _ = writeln!(text, "  {line}");
    }
    let entry = |&from: &_, &to: &_| {
        if from == to { machine.controller(from) } else { machine.link(from, to) }
    };
    let values: Vec<f64> = nodes
        .iter()
        .flat_map(|from| {
            nodes.iter().filter_map(|to| entry(from, to).map(GigabytesPerSecond::value)).collect::<Vec<_>>()
        })
        .collect();
    let mut figures = grid::figures(&values).into_iter();
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
    grid::write(text, &rows, &[Align::Right], style);
}

/// How bandwidth is shared, where the file says more than the default.
fn sharing(text: &mut String, machine: &Machine, style: &Style) {
    let model = machine.sharing();
    if *model != numasim_model::Model::default() {
        text.push('\n');
        labelled(text, "shares bandwidth by", &model.in_words(), style);
    }
    if machine.has_latencies() {
        text.push('\n');
        let words = caches::own_and_others(machine, " ns", |from, to| machine.latency_ns(from, to));
        labelled(text, "latency", &words, style);
    }
    if machine.has_distances() {
        text.push('\n');
        let words = caches::own_and_others(machine, "", |from, to| machine.distance(from, to));
        labelled(text, "distance by the firmware", &words, style);
    }
    if let Some(words) = caches::caches(machine) {
        text.push('\n');
        labelled(text, "last-level cache", &words, style);
    }
}

fn provenance(text: &mut String, machine: &Machine, style: &Style) {
    if machine.provenance().is_empty() {
        return;
    }
    text.push_str("\n  where the figures come from\n");
    if style.markdown {
        let head = ["figure", "kind", "said of it"].map(str::to_owned).to_vec();
        let row = |(key, provenance): (&String, &Provenance)| {
            vec![key.clone(), provenance.kind.as_str().to_owned(), said_of(provenance).join(", ")]
        };
        let rows: Vec<Vec<String>> =
            std::iter::once(head).chain(machine.provenance().iter().map(row)).collect();
        return grid::write(text, &rows, &[Align::Left], style);
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

/// How far off a figure may be, and where it comes from.
fn said_of(provenance: &Provenance) -> Vec<String> {
    let uncertainty = provenance.uncertainty_percent.map(|percent| format!("to {percent} %"));
    let interval = provenance.interval95_percent.map(|percent| format!("95 % interval to {percent} %"));
    let source = provenance.source.as_deref().map(|source| source_text(source).into_owned());
    [uncertainty, interval, source].into_iter().flatten().collect()
}
