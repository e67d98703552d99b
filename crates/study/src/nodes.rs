//! Reads the nodes of `[machine]`, equal ones or one by one: cores, peaks, limits, caches, and the numbers of
//! the operating system.

use std::collections::BTreeMap;

use numasim_model::access::Access;
use numasim_model::app::App;
use numasim_model::cpus::{CpuList, CpuListError, OsNode, OsNodesError, contradictions};
use numasim_model::ids::NodeId;
use numasim_model::machine::{LastLevelCache, MAX_NODES, Machine, MixedBandwidths, Node};
use numasim_model::units::{GigabytesPerSecond, Megabytes};
use toml::de::DeValue;

use crate::keys::{Key, machine, node};
use crate::log::Log;
use crate::names::plural;
use crate::problem::{Problem, ProblemKind};
use crate::reading::TableKind;
use crate::table::TableReader;
use crate::value::{Count, Quantity, Value};

/// The values of one node, except its bandwidth.
#[derive(Clone)]
pub(super) struct NodeFigures {
    pub(super) cores: u32,
    pub(super) gflops_per_core: f64,
    /// The values in the node's own table.
    pub(super) limits: NodeLimits,
}

/// The readable part of the nodes.
#[derive(Default)]
pub(super) struct NodesReading {
    /// Their number, if it is known.
    pub(super) count: Option<usize>,
    core_counts: Vec<Option<u32>>,
    pub(super) figures: Vec<Option<NodeFigures>>,
    /// The numbers of the operating system; empty if not given.
    pub(super) os_nodes: Vec<OsNode>,
}

impl NodesReading {
    /// The nodes with an explicit size of 0 memory.
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
        report_two_ways(cpus, listed);
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
            // Both are still checked, but neither is used.
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
    let os_keys = cpus.map(|cpus| read_cpu_lists(cpus, nodes.map(|_| count))).unwrap_or_default();
    let core_counts = vec![cores; count];
    NodesReading {
        count: nodes.map(|_| count),
        os_nodes: os_nodes(table.source.log, &core_counts, &os_keys),
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
    let os_nodes = os_nodes(list.source.log, &core_counts, &os_keys);
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

/// Cores, values, and the numbers of the operating system.
type NodeReading<'a> = (Option<u32>, (Option<NodeFigures>, OsKeys<'a>));

fn read_node<'a>(entry: &Value<'a>) -> NodeReading<'a> {
    let hint = "write a table, e.g. `{ cores = 8, gflops_per_core = 10.0 }`";
    let Some(mut table) = entry.table(&node::TABLE, "a table", hint) else {
        return (None, (None, OsKeys::default()));
    };
    let cores = table.required(&node::CORES).and_then(|value| value.count());
    let peak_value = table.optional(&node::GFLOPS_PER_CORE);
    let limits =
        NodeLimits::read_of_node(&mut table).filter(|limits| limits.check_domains(&table, cores.into_iter()));
    // The peak of a node without cores is meaningless; both 0 and a missing key are accepted.
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

/// The keys that both tables have, in the declaration of a node.
fn shared_keys() -> impl Iterator<Item = &'static Key> {
    let is_number = |key: &&Key| key.inherited.is_some() && *key != &node::MIXED_GBS;
    node::TABLE.keys.iter().copied().filter(is_number)
}

/// The values by the names of their keys, if a file gives them, and the bandwidths of memories under mixes of
/// reads and writes.
#[derive(Clone, Default)]
pub(super) struct NodeLimits {
    figures: BTreeMap<&'static str, f64>,
    mixed: Option<MixedBandwidths>,
}

impl NodeLimits {
    /// Reads them from `[machine]`; `None` if any of them is invalid.
    pub(super) fn read(table: &mut TableReader<'_>) -> Option<Self> {
        // All are read, so that every mistake is reported.
        let read: Vec<(&str, Option<f64>)> = shared_keys()
            .filter_map(|key| {
                let value = table.named(key.name)?;
                let number =
                    if key.shape.counts().is_some() { value.count().map(f64::from) } else { value.number() };
                Some((key.name, number))
            })
            .collect();
        let mixed = table.optional(&node::MIXED_GBS).map(|value| read_mixed(&value));
        let figures = read.into_iter().map(|(key, value)| Some((key, value?))).collect::<Option<_>>()?;
        Some(Self { figures, mixed: mixed.map_or(Some(None), |mixed| mixed.map(Some))? })
    }

    /// Reads them from a `[[machine.node]]`, which may have no memory; `None` if any of them is invalid.
    pub(super) fn read_of_node(table: &mut TableReader<'_>) -> Option<Self> {
        let limits = Self::read(table)?;
        let kernel = [&node::COPY_GBS, &node::TRIAD_GBS, &node::UPDATE_GBS, &node::MIXED_GBS]
            .into_iter()
            .find_map(|kernel| table.place_of(kernel));
        let (Some(kernel), true) = (kernel, limits.has_no_memory()) else { return Some(limits) };
        let message = "the node has no memory, but a bandwidth of its memory";
        let problem = Problem::new(ProblemKind::Conflict, message)
            .at(kernel, "of which memory?")
            .hint("leave it out, or write the size of the memory, e.g. `memory_gib = 64.0`");
        let problem = match table.place_of(&node::MEMORY_GIB) {
            Some(place) => problem.related(place, "0: the node has no memory"),
            None => problem,
        };
        table.source.log.report(problem);
        None
    }

    /// These values, and those of `machine` for missing ones.
    pub(super) fn or(&self, machine: &Self) -> Self {
        let mut figures = machine.figures.clone();
        figures.extend(&self.figures);
        Self { figures, mixed: self.mixed.or(machine.mixed) }
    }

    fn get(&self, key: &Key) -> Option<f64> {
        self.figures.get(key.name).copied()
    }

    /// Whether the node has an explicit size of 0 memory.
    pub(super) fn has_no_memory(&self) -> bool {
        self.get(&node::MEMORY_GIB) == Some(0.0)
    }

    /// Its last-level cache, if a file gives one; the outer `None` if the file does not mention it.
    #[allow(clippy::option_option, reason = "not said, none, or one")]
    pub(super) fn cache(&self) -> Option<Option<LastLevelCache>> {
        let size = self.get(&node::LLC_MB)?;
        let core_bandwidth = self.get(&node::LLC_GBS).map(GigabytesPerSecond::new);
        Some((size > 0.0).then_some(LastLevelCache { size: Megabytes::new(size), core_bandwidth }))
    }

    /// Writes them to a node.
    pub(super) fn put(&self, into: &mut Node) {
        for key in shared_keys() {
            if let (Some(field), Some(value)) = (key.node, self.get(key)) {
                (field.put)(into, value);
            }
        }
        into.kernels.mixed = self.mixed;
    }
}

/// The points of `mixed_gbs`.
fn read_mixed(value: &Value<'_>) -> Option<MixedBandwidths> {
    let hint = || {
        format!("write pairs of a share of writes and GB/s, e.g. `{} = {}`", value.of.name, value.of.example)
    };
    let entries = value.list("a list of pairs", hint())?;
    let most = MixedBandwidths::MOST as usize;
    if entries.is_empty() || entries.len() > most {
        let message =
            format!("`{}` has {}, but must have 1 to {most}", value.name, plural(entries.len(), "pair"));
        value.report(ProblemKind::WrongLength, message, "these pairs", hint());
        return None;
    }
    let mut points: Vec<(f64, f64)> = Vec::new();
    for entry in &entries {
        let pair = entry.list("a pair of numbers", hint())?;
        let [share_value, gbs] = pair.as_slice() else {
            let message = format!("`{}` is not a pair, but has {}", entry.name, plural(pair.len(), "number"));
            entry.report(ProblemKind::WrongLength, message, "a share of writes and GB/s", hint());
            return None;
        };
        let what = Quantity { what: "a share of writes from 0 to 1", example: "0.5", zero: true };
        let share = share_value.number_of(what);
        let gbs = gbs.number_of(Quantity { what: "a bandwidth in GB/s", example: "82.0", zero: false });
        let (share, gbs) = (share?, gbs?);
        let wrong = match points.last() {
            None if share > 0.0 => Some("the first share of writes must be 0, reads alone".to_owned()),
            _ if share > 1.0 => Some("a share of writes is at most 1".to_owned()),
            Some(&(before, _)) if share <= before => {
                Some(format!("shares of writes must ascend, but {share} comes after {before}"))
            }
            _ => None,
        };
        if let Some(message) = wrong {
            share_value.report(ProblemKind::BadValue, message, "this share", hint());
            return None;
        }
        points.push((share, gbs));
    }
    MixedBandwidths::new(&points)
}

impl NodeLimits {
    /// Reports `cores_per_l3` of `table` if it does not divide the cores of all `nodes`.
    pub(super) fn check_domains(
        &self,
        table: &TableReader<'_>,
        mut nodes: impl Iterator<Item = u32>,
    ) -> bool {
        let Some(l3) = self.get(&machine::CORES_PER_L3) else { return true };
        let Some(cores) = nodes.find(|&cores| f64::from(cores) % l3 != 0.0) else { return true };
        let message =
            format!("`cores_per_l3` must divide the cores of a node, but {l3} does not divide {cores}");
        let problem = Problem::new(ProblemKind::Conflict, message)
            .at(
                table.place_of(&machine::CORES_PER_L3).unwrap_or_else(|| table.place()),
                "cores of an L3 domain",
            )
            .hint("all L3 domains of a node have the same number of cores");
        table.source.log.report(problem);
        false
    }

    /// Whether the node's own table gives the cores of an L3 domain.
    pub(super) fn has_own_domains(&self) -> bool {
        self.get(&machine::CORES_PER_L3).is_some()
    }
}

/// Reports `llc_gbs` if no cache has a size.
pub(super) fn check_caches(table: &TableReader<'_>, machine: &NodeLimits, nodes: &[Option<NodeLimits>]) {
    let some =
        |key: &Key| std::iter::once(machine).chain(nodes.iter().flatten()).any(|own| own.get(key).is_some());
    let broken = nodes.iter().any(Option::is_none);
    if broken || !some(&machine::LLC_GBS) || some(&machine::LLC_MB) {
        return;
    }
    let message = "`llc_gbs` is the bandwidth of a cache, but `llc_mb` is not given";
    let place = table.place_of(&machine::LLC_GBS).unwrap_or_else(|| table.place());
    let problem = Problem::new(ProblemKind::MissingKey, message)
        .at(place, "of which cache?")
        .hint("add its size in MB (10^6 bytes), e.g. `llc_mb = 20.0`");
    table.source.log.report(problem);
}

/// Notes the defaults for caches if there are tasks: caches matter only to tasks.
pub(super) fn note_caches(log: &Log, machine: &Machine) {
    let with = || machine.compute_nodes().filter_map(|node| machine.cache(node));
    if with().next().is_none() {
        if !machine.says_caches() {
            log.note_default(
                TableKind::Machine,
                machine.name(),
                machine::LLC_MB.name,
                machine::LLC_MB.default,
            );
        }
    } else if with().all(|cache| cache.core_bandwidth.is_none()) {
        log.note_default(TableKind::Machine, machine.name(), machine::LLC_GBS.name, machine::LLC_GBS.default);
    }
    if !machine.has_distances() && machine.compute_nodes().count() > 1 {
        let Key { name, default, .. } = machine::DISTANCE_MATRIX;
        log.note_default(TableKind::Machine, machine.name(), name, default);
    }
}

/// Notes kernels of applications for which a memory has no bandwidth.
pub(super) fn note_kernels(log: &Log, machine: &Machine, apps: &[App]) {
    let used = |kernel: &Access| apps.iter().any(|app| app.kernel == *kernel);
    for kernel in Access::WRITING.into_iter().filter(used) {
        let note = |table, name: &str| {
            log.note_default(table, name, kernel.figure_key(), machine::COPY_GBS.default);
        };
        if !machine.has_figure_of(kernel) {
            note(TableKind::Machine, machine.name());
            continue;
        }
        let open = |node: &NodeId| machine.node(*node).kernels.get(kernel).is_none();
        machine.memory_nodes().filter(open).for_each(|node| note(TableKind::Node, &node.0.to_string()));
    }
    let Key { name, default, .. } = machine::MIXED_GBS;
    if apps.iter().any(|app| app.write_share > 0.0 && !machine.has_figure_of(app.traffic())) {
        log.note_default(TableKind::Machine, machine.name(), name, default);
    }
}

/// Notes values that neither the machine nor a node gives; a node that could not be read is `None`. Kernels
/// and caches are noted only if they are used.
pub(super) fn note_defaults(log: &Log, name: &str, machine: &NodeLimits, nodes: &[Option<NodeLimits>]) {
    for key in shared_keys().filter(|key| !key.noted_when_used && machine.get(key).is_none()) {
        let open = |node: &Option<NodeLimits>| node.as_ref().is_some_and(|node| node.get(key).is_none());
        if nodes.iter().all(open) {
            log.note_default(TableKind::Machine, name, key.name, key.default);
            continue;
        }
        for (index, _) in nodes.iter().enumerate().filter(|(_, node)| open(node)) {
            log.note_default(TableKind::Node, &index.to_string(), key.name, key.default);
        }
    }
}

const EXAMPLE: &str = "write numbers and ranges as Linux does, e.g. `\"0-19\"` or `\"0-9,40-49\"`";

/// The keys of one node; an invalid value is present without its meaning.
#[derive(Default)]
pub(super) struct OsKeys<'a> {
    cpus: Option<(Value<'a>, Option<CpuList>)>,
    os_node: Option<(Value<'a>, Option<u32>)>,
}

impl<'a> OsKeys<'a> {
    /// Reads those of a `[[machine.node]]`.
    pub(super) fn read(table: &mut TableReader<'a>) -> Self {
        let cpus = table.optional(&node::CPUS).map(|value| {
            let list = read_cpus(&value);
            (value, list)
        });
        let os_node = table.optional(&node::OS_NODE).map(|value| {
            let number = value.count();
            (value, number)
        });
        Self { cpus, os_node }
    }
}

/// Reads those of the machine: one list of logical CPUs for each node.
fn read_cpu_lists<'a>(value: &Value<'a>, nodes: Option<usize>) -> Vec<OsKeys<'a>> {
    let hint = "write one text for each node, e.g. `cpus = [\"0-19\", \"20-39\"]`";
    let Some(entries) = value.list("a list with one text for each node", hint) else { return Vec::new() };
    if let Some(nodes) = nodes.filter(|&nodes| nodes != entries.len()) {
        let message = format!("the machine has {nodes} nodes, the list `cpus` {}", entries.len());
        value.report(ProblemKind::Conflict, message, "one entry for each node is needed", hint);
        return Vec::new();
    }
    let keys = entries.into_iter().map(|entry| {
        let list = read_cpus(&entry);
        OsKeys { cpus: Some((entry, list)), os_node: None }
    });
    keys.collect()
}

fn read_cpus(value: &Value<'_>) -> Option<CpuList> {
    let DeValue::String(text) = value.get() else {
        value.wrong_type("text", EXAMPLE);
        return None;
    };
    let error = match CpuList::parse(text) {
        Ok(list) => return Some(list),
        Err(error) => error,
    };
    let hint = match error {
        CpuListError::Empty => {
            "name the logical CPUs, e.g. `\"0-19\"`; leave `cpus` out for a node without cores"
        }
        _ => EXAMPLE,
    };
    let message = format!("`{}` is not a list of logical CPUs: {error}", value.name);
    value.report(ProblemKind::BadValue, message, "not a list of logical CPUs", hint);
    None
}

/// `[machine] cpus` is only for equal nodes.
fn report_two_ways(cpus: &Value<'_>, nodes: &Value<'_>) {
    let message = "`cpus` of [machine] is for nodes that are all alike";
    let problem = Problem::new(ProblemKind::Conflict, message)
        .at(cpus.key_place(), "a list for all nodes")
        .related(nodes.key_place(), "these are described one by one")
        .hint("write `cpus = \"0-19\"` into each `[[machine.node]]`");
    cpus.source.log.report(problem);
}

/// The nodes, if all their keys could be read and are consistent; empty if no keys are given.
fn os_nodes(log: &Log, cores: &[Option<u32>], keys: &[OsKeys<'_>]) -> Vec<OsNode> {
    if keys.iter().all(|key| key.cpus.is_none() && key.os_node.is_none()) {
        return Vec::new();
    }
    let Some(cores) = cores.iter().copied().collect::<Option<Vec<u32>>>() else { return Vec::new() };
    let mut nodes = Vec::new();
    for (place, key) in (0..).zip(keys) {
        let number = match &key.os_node {
            Some((_, Some(number))) => *number,
            Some((_, None)) => return Vec::new(),
            None => {
                log.note_default(TableKind::Node, &place.to_string(), node::OS_NODE.name, place.to_string());
                place
            }
        };
        let cpus = match &key.cpus {
            Some((_, None)) => return Vec::new(),
            Some((_, list)) => list.clone(),
            None => None,
        };
        nodes.push(OsNode { number, cpus });
    }
    let found = contradictions(&cores, &nodes);
    for error in &found {
        report_contradiction(log, keys, error);
    }
    if found.is_empty() { nodes } else { Vec::new() }
}

fn report_contradiction(log: &Log, keys: &[OsKeys<'_>], error: &OsNodesError) {
    let cpus = |node: usize| keys.get(node).and_then(|key| key.cpus.as_ref()).map(|(value, _)| value.place());
    let number =
        |node: usize| keys.get(node).and_then(|key| key.os_node.as_ref()).map(|(value, _)| value.place());
    let problem = Problem::new(ProblemKind::Conflict, error.to_string());
    let problem = match error {
        OsNodesError::TooFewCpus { node, .. } => {
            let problem =
                problem.hint("name at least one logical CPU for each core, second hardware threads last");
            located(problem, cpus(node.0), "too few logical CPUs", None)
        }
        OsNodesError::CpuTwice { first, second, .. } => {
            let problem =
                problem.hint("a logical CPU belongs to one NUMA node; `lscpu -e=CPU,CORE,NODE` lists them");
            located(problem, cpus(second.0), "here again", cpus(first.0))
        }
        OsNodesError::NumberTwice { first, second, .. } => {
            let problem = problem.hint("without `os_node` a node has the number of its place, from 0");
            located(problem, number(second.0).or_else(|| number(first.0)), "the same number", None)
        }
        OsNodesError::NodeCount { .. } => problem,
    };
    log.report(problem);
}

fn located(
    problem: Problem,
    place: Option<super::Place>,
    label: &str,
    related: Option<super::Place>,
) -> Problem {
    let problem = match place {
        Some(place) => problem.at(place, label),
        None => problem,
    };
    match related {
        Some(related) => problem.related(related, "first named here"),
        None => problem,
    }
}

const NODE: Count =
    Count { what: "the number of a node, from 0", example: "0", min: 0, max: MAX_NODES as u64 - 1 };

/// One node. `nodes` is the number of nodes, if the machine is known.
pub fn node_number(value: &Value<'_>, nodes: Option<usize>) -> Option<NodeId> {
    let Some(nodes) = nodes else { return Some(NodeId(value.count_of(NODE)? as usize)) };
    let node = value.count_of(Count { max: u64::from(u32::MAX), ..NODE })? as usize;
    if node >= nodes {
        let message = format!("there is no node {node}; the machine has {}", plural(nodes, "node"));
        let hint = format!("nodes are numbered from 0: write a number from 0 to {}", nodes.saturating_sub(1));
        value.report(ProblemKind::BadValue, message, "no such node", hint);
        return None;
    }
    Some(NodeId(node))
}

/// A list of nodes without duplicates, in the order of the file; `None` if it is invalid or empty.
pub(super) fn node_list(value: &Value<'_>, nodes: Option<usize>) -> Option<Vec<NodeId>> {
    let hint = "write the numbers of nodes, e.g. `[0, 2]`";
    let entries = value.list("a list of nodes", hint)?;
    if entries.is_empty() {
        let message = format!("`{}` names no node", value.name);
        value.report(ProblemKind::BadValue, message, "empty", hint);
        return None;
    }
    let mut list: Vec<Option<NodeId>> = Vec::with_capacity(entries.len());
    let mut known = vec![false; nodes.unwrap_or(MAX_NODES)];
    for entry in &entries {
        let node = node_number(entry, nodes);
        let again =
            node.and_then(|node| known.get_mut(node.0)).is_some_and(|known| std::mem::replace(known, true));
        if again {
            let message = format!("`{}` names node {} twice", value.name, entry.text());
            entry.report(ProblemKind::BadValue, message, "a second time", "name each node once");
        }
        list.push(node.filter(|_| !again));
    }
    list.into_iter().collect()
}
