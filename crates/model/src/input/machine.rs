//! Reads `[machine]`.

use std::collections::BTreeMap;

use crate::machine::{FigureKind, Machine, Node, Provenance};
use crate::units::{Gflops, GigabytesPerSecond};

use super::bandwidth;
use super::names;
use super::nodes;
use super::problem::{Problem, ProblemKind};
use super::reading::TableKind;
use super::sharing;
use super::table::TableReader;
use super::value::{BANDWIDTH, Quantity, Value};

const UNCERTAINTY: Quantity = Quantity { what: "an uncertainty in percent", example: "2.5", zero: true };

/// Keys whose origin `[machine.provenance]` may state.
pub(super) const FIGURES: [&str; 8] = [
    "cores",
    "gflops_per_core",
    "core_bandwidth_gbs",
    "bandwidth_gbs",
    "link_gbs",
    "bandwidth_matrix_gbs",
    "latency_matrix_ns",
    "sharing",
];

/// What could be read of a machine. Even a broken one may tell how many cores each node has.
#[derive(Default)]
pub(super) struct MachineReading {
    pub(super) machine: Option<Machine>,
    pub(super) cores: Option<Vec<u32>>,
}

pub(super) fn read(mut table: TableReader<'_>) -> MachineReading {
    let log = table.source.log;
    let name = table.required("name", "\"4 nodes x 8 cores\"").and_then(|value| value.name());
    let source = table.optional("source");
    let core_bandwidth = table.optional("core_bandwidth_gbs").map(|value| value.number(BANDWIDTH));
    let nodes = nodes::read(&mut table);
    let cores = nodes.cores();
    let bandwidth = bandwidth::read(&mut table, nodes.count, cores.as_deref());
    let (has_latencies, latencies) = sharing::read_latencies(&mut table, nodes.count, cores.as_deref());
    let model = sharing::read(&mut table, has_latencies);
    let provenance = table.optional("provenance").map(|value| read_provenance(&value)).unwrap_or_default();

    let shown = name.unwrap_or_default();
    match &source {
        Some(value) => {
            value.string();
        }
        None => log.note_default(TableKind::Machine, shown, "source", "not given"),
    }
    if core_bandwidth.is_none() {
        note_open_core_bandwidth(&table, shown, &nodes);
    }
    let machine = assemble(&table, name, core_bandwidth.flatten(), &nodes, bandwidth).map(|machine| {
        let source = source.as_ref().and_then(|value| value.get().as_str()).map(str::to_owned);
        let machine = machine.with_source(source).with_provenance(provenance).with_sharing(model);
        // What was read has the right shape.
        latencies.and_then(|latencies| machine.clone().with_latencies_ns(latencies).ok()).unwrap_or(machine)
    });
    table.finish();
    MachineReading { machine, cores }
}

/// Without a ceiling on the machine, each node without its own has no limit.
fn note_open_core_bandwidth(table: &TableReader<'_>, name: &str, nodes: &nodes::NodesReading) {
    let log = table.source.log;
    let open = |node: &Option<nodes::NodeFigures>| node.as_ref().is_some_and(|n| n.core_bandwidth.is_none());
    if nodes.figures.iter().all(open) {
        log.note_default(TableKind::Machine, name, "core_bandwidth_gbs", "no limit");
        return;
    }
    for (index, _) in nodes.figures.iter().enumerate().filter(|(_, node)| open(node)) {
        log.note_default(TableKind::Node, &index.to_string(), "core_bandwidth_gbs", "no limit");
    }
}

fn assemble(
    table: &TableReader<'_>,
    name: Option<&str>,
    core_bandwidth: Option<f64>,
    nodes: &nodes::NodesReading,
    bandwidth: Option<bandwidth::Bandwidth>,
) -> Option<Machine> {
    let figures: Vec<nodes::NodeFigures> = nodes.figures.iter().copied().collect::<Option<_>>()?;
    let bandwidth = bandwidth?;
    let parts = figures
        .iter()
        .zip(&bandwidth.controllers)
        .map(|(node, &controller)| Node {
            cores: node.cores,
            gflops_per_core: Gflops::new(node.gflops_per_core),
            bandwidth: GigabytesPerSecond::new(controller),
            core_bandwidth: node.core_bandwidth.or(core_bandwidth).map(GigabytesPerSecond::new),
            read_bandwidth: None,
            memory: None,
        })
        .collect();
    let links = bandwidth.links.into_iter().map(GigabytesPerSecond::new).collect();
    if figures.is_empty() {
        return None;
    }
    let machine = Machine::new(name?, parts, links).map_err(|error| error.to_string());
    let with_os_nodes = machine.and_then(|machine| {
        if nodes.os_nodes.is_empty() {
            return Ok(machine);
        }
        machine.with_os_nodes(nodes.os_nodes.clone()).map_err(|error| error.to_string())
    });
    match with_os_nodes {
        Ok(machine) => Some(machine),
        Err(error) => {
            let problem = Problem::new(ProblemKind::BadValue, error)
                .at(table.place(), "in this machine")
                .hint("give at least one node a core");
            table.source.log.report(problem);
            None
        }
    }
}

fn read_provenance(value: &Value<'_>) -> BTreeMap<String, Provenance> {
    let mut provenance = BTreeMap::new();
    let expected = "a table of figures";
    let hint = "write e.g. `[machine.provenance]` and below it `link_gbs = { kind = \"measured\" }`";
    let Some(mut table) = value.table("[machine.provenance]", expected, hint) else { return provenance };
    for figure in FIGURES {
        if let Some(read) = table.optional(figure).and_then(|value| read_figure(&value)) {
            provenance.insert(figure.to_owned(), read);
        }
    }
    table.finish();
    provenance
}

fn read_figure(value: &Value<'_>) -> Option<Provenance> {
    const KINDS: [FigureKind; 4] =
        [FigureKind::Measured, FigureKind::Theoretical, FigureKind::Estimated, FigureKind::Assumed];
    let hint = "write e.g. `{ kind = \"measured\", source = \"STREAM, 8 threads\" }`";
    let mut table = value.table("an entry of [machine.provenance]", "a table with `kind`", hint)?;
    let kind = table.required("kind", "\"measured\"");
    let source = table.optional("source").and_then(|value| value.string());
    let uncertainty_percent =
        table.optional("uncertainty_percent").and_then(|value| value.number(UNCERTAINTY));
    table.finish();
    let kind = kind?;
    let word = kind.string()?;
    let found = KINDS.into_iter().find(|kind| kind.as_str() == word);
    if found.is_none() {
        let words = KINDS.map(FigureKind::as_str);
        let hint = match kind.source.log.suggest(word, words) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => format!("write one of {}", names::list(words)),
        };
        let message = format!("`kind` must be one of {}, not {}", names::list(words), kind.text());
        kind.report(ProblemKind::BadValue, message, "unknown kind", hint);
    }
    Some(Provenance { kind: found?, source: source.map(str::to_owned), uncertainty_percent })
}
