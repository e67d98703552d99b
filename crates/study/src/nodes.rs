//! Reads the nodes of a machine: all alike, or one by one.

use numasim_model::cpus::OsNode;
use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_NODES;

use super::keys::{machine, node};
use super::node_limits::NodeLimits;
use super::os_nodes::{self, OsKeys};
use super::problem::{Problem, ProblemKind};
use super::table::TableReader;
use super::value::{Quantity, Value};

/// The figures of one node, apart from its bandwidth.
#[derive(Clone)]
pub(super) struct NodeFigures {
    pub(super) cores: u32,
    pub(super) gflops_per_core: f64,
    /// What the node says for itself.
    pub(super) limits: NodeLimits,
}

/// What could be read of the nodes.
#[derive(Default)]
pub(super) struct NodesReading {
    /// How many there are, as far as that is clear.
    pub(super) count: Option<usize>,
    core_counts: Vec<Option<u32>>,
    pub(super) figures: Vec<Option<NodeFigures>>,
    /// What the operating system calls them; empty where the file does not say it.
    pub(super) os_nodes: Vec<OsNode>,
}

impl NodesReading {
    /// The nodes that say that they have no memory.
    pub(super) fn without_memory(&self) -> Vec<NodeId> {
        let has_none =
            |figures: &Option<NodeFigures>| figures.as_ref().is_some_and(|node| node.limits.has_no_memory());
        (0..)
            .zip(&self.figures)
            .filter(|(_, figures)| has_none(figures))
            .map(|(node, _)| NodeId(node))
            .collect()
    }

    /// Cores of each node, if all are known.
    pub(super) fn cores(&self) -> Option<Vec<u32>> {
        self.count?;
        self.core_counts.iter().copied().collect()
    }
}

pub(super) fn read(table: &mut TableReader<'_>) -> NodesReading {
    let uniform = [
        table.optional(&machine::NODES),
        table.optional(&machine::CORES_PER_NODE),
        table.optional(&machine::GFLOPS_PER_CORE),
    ];
    let listed = table.optional(&machine::NODE);
    let cpus = table.optional(&machine::CPUS);
    if let (Some(cpus), Some(listed)) = (&cpus, &listed) {
        os_nodes::report_two_ways(cpus, listed);
    }
    let first_uniform = uniform.iter().flatten().next().cloned();
    match (first_uniform, &listed) {
        (None, None) => {
            let message = "the nodes of the machine are missing";
            let hint = "give `nodes`, `cores_per_node` and `gflops_per_core`, or one `[[machine.node]]` for each node";
            let problem = Problem::new(ProblemKind::MissingKey, message)
                .at(table.place(), "this machine has no nodes")
                .hint(hint);
            table.missing_any(
                &[&machine::NODES, &machine::CORES_PER_NODE, &machine::GFLOPS_PER_CORE, &machine::NODE],
                problem,
            );
            NodesReading::default()
        }
        (Some(_), None) => read_uniform(table, &uniform, cpus.as_ref()),
        (None, Some(list)) => read_list(list),
        (Some(first), Some(list)) => {
            let message = "the nodes are described in two ways";
            let problem = Problem::new(ProblemKind::Conflict, message)
                .at(first.key_place(), format!("`{}` describes nodes that are all alike", first.name))
                .related(list.key_place(), "this describes them one by one")
                .hint("keep either `nodes`, `cores_per_node` and `gflops_per_core`, or `[[machine.node]]`");
            table.source.log.report(problem);
            // Both are still checked, but neither counts.
            check_uniform(&uniform);
            read_list(list);
            NodesReading::default()
        }
    }
}

fn check_uniform(values: &[Option<Value<'_>>; 3]) -> (Option<u32>, Option<u32>, Option<f64>) {
    let [nodes, cores, peak] = values;
    (
        nodes.as_ref().and_then(Value::count),
        cores.as_ref().and_then(Value::count),
        peak.as_ref().and_then(Value::number),
    )
}

fn read_uniform(
    table: &mut TableReader<'_>,
    values: &[Option<Value<'_>>; 3],
    cpus: Option<&Value<'_>>,
) -> NodesReading {
    let keys = [&machine::NODES, &machine::CORES_PER_NODE, &machine::GFLOPS_PER_CORE];
    for (key, value) in keys.into_iter().zip(values) {
        if value.is_none() {
            table.missing(key);
        }
    }
    let (nodes, cores, peak) = check_uniform(values);
    let count = nodes.map_or(0, |nodes| nodes as usize);
    let figures = cores.zip(peak).map(|(cores, gflops_per_core)| NodeFigures {
        cores,
        gflops_per_core,
        limits: NodeLimits::default(),
    });
    let os_keys = cpus.map(|cpus| os_nodes::read_list(cpus, nodes.map(|_| count))).unwrap_or_default();
    let core_counts = vec![cores; count];
    NodesReading {
        count: nodes.map(|_| count),
        os_nodes: os_nodes::assemble(table.source.log, &core_counts, &os_keys),
        core_counts,
        figures: if nodes.is_some() { vec![figures; count] } else { vec![None] },
    }
}

fn read_list(list: &Value<'_>) -> NodesReading {
    let hint = "write one `[[machine.node]]`, with two brackets on each side, for each node";
    let Some(entries) = list.list("a list of nodes", hint) else { return NodesReading::default() };
    if entries.is_empty() || entries.len() > MAX_NODES {
        let message = format!("a machine has 1 to {MAX_NODES} NUMA nodes, this one has {}", entries.len());
        let problem = Problem::new(ProblemKind::Limit, message).at(list.key_place(), "the nodes").hint(hint);
        list.source.log.report(problem);
        return NodesReading::default();
    }
    let (core_counts, (figures, os_keys)): (Vec<_>, (Vec<_>, Vec<_>)) = entries.iter().map(read_node).unzip();
    let os_nodes = os_nodes::assemble(list.source.log, &core_counts, &os_keys);
    let broken = NodesReading {
        count: Some(entries.len()),
        core_counts: vec![None],
        figures: vec![None],
        os_nodes: Vec::new(),
    };
    if core_counts.iter().all(|&cores| cores == Some(0)) {
        let problem = Problem::new(ProblemKind::BadValue, "no NUMA node of the machine has a core")
            .at(list.key_place(), "every node has `cores = 0`")
            .hint("give at least one `[[machine.node]]` a core, e.g. `cores = 8`");
        list.source.log.report(problem);
        return broken;
    }
    let nodes = NodesReading { count: Some(entries.len()), core_counts, figures, os_nodes };
    if nodes.without_memory().len() == entries.len() {
        let problem = Problem::new(ProblemKind::BadValue, "no NUMA node of the machine has memory")
            .at(list.key_place(), "every node has `memory_gib = 0`")
            .hint("leave `memory_gib` out, or write a size, at each `[[machine.node]]` that has memory");
        list.source.log.report(problem);
        return broken;
    }
    nodes
}

/// Cores, figures, and what the operating system calls them.
type NodeReading<'a> = (Option<u32>, (Option<NodeFigures>, OsKeys<'a>));

fn read_node<'a>(entry: &Value<'a>) -> NodeReading<'a> {
    let hint = "write a table, e.g. `{ cores = 8, gflops_per_core = 10.0 }`";
    let Some(mut table) = entry.table(&node::TABLE, "a table", hint) else {
        return (None, (None, OsKeys::default()));
    };
    let cores = table.required(&node::CORES).and_then(|value| value.count());
    let peak_value = table.optional(&node::GFLOPS_PER_CORE);
    let limits = NodeLimits::read_of_node(&mut table);
    // The peak of a node without cores means nothing; 0 or no key at all both say so.
    let memory_only = cores == Some(0);
    let peak = match &peak_value {
        Some(value) => value
            .number_of(Quantity { zero: memory_only || cores.is_none(), ..node::GFLOPS_PER_CORE.quantity() })
            .map(|peak| if memory_only { 0.0 } else { peak }),
        None if memory_only => Some(0.0),
        None => {
            if cores.is_some() {
                table.missing(&node::GFLOPS_PER_CORE);
            }
            None
        }
    };
    let os_keys = OsKeys::read(&mut table);
    let memory_place = table.place_of(&node::MEMORY_GIB).unwrap_or_else(|| table.place());
    table.finish();
    let has_no_memory = limits.as_ref().is_some_and(NodeLimits::has_no_memory);
    if has_no_memory && memory_only {
        let problem = Problem::new(ProblemKind::BadValue, "a node has neither cores nor memory")
            .at(memory_place, "`cores = 0` and no memory")
            .hint("leave the node out, or give it cores or memory");
        entry.source.log.report(problem);
        return (cores, (None, os_keys));
    }
    let figures = cores.zip(peak).zip(limits);
    let figures =
        figures.map(|((cores, gflops_per_core), limits)| NodeFigures { cores, gflops_per_core, limits });
    (cores, (figures, os_keys))
}
