//! Reads `[machine]`, and of the tables below it `sharing`, `provenance`, and `kernels`.

use std::collections::BTreeMap;

use numasim_model::access::Access;
use numasim_model::ids::NodeId;
use numasim_model::machine::{
    FigureKind, INSTRUCTION_SETS, KernelVariant, KernelVariants, MOST_PREFETCH_BYTES, Machine, Node,
    Provenance, SharedLink,
};
use numasim_model::sharing::{Model, ModelKind, Parameter};
use numasim_model::units::{Gflops, GigabytesPerSecond};

use super::bandwidth::{self, SocketsReading};
use super::keys::{kernels, machine as keys, origin, provenance, sharing, variant};
use super::names;
use super::names::plural;
use super::nodes::{self, NodeLimits};
use super::problem::{Problem, ProblemKind};
use super::table::TableReader;
use super::value::{Count, Quantity, Value};

const DISTANCES: &str = "write one row for each node as `numactl --hardware` prints it, e.g. `[[10, 21], [21, 10]]`: row = node of the core, column = node of the memory";

/// The readable part of a machine. Even an invalid one may contain the number of cores of each node.
#[derive(Default)]
pub struct MachineReading {
    pub(super) machine: Option<Machine>,
    /// Cores of each node, if they are known.
    pub cores: Option<Vec<u32>>,
    /// The nodes with an explicit size of 0 memory.
    pub(super) without_memory: Vec<NodeId>,
    /// Whether each core has two hardware threads.
    pub(super) two_threads: bool,
    /// The number of sockets in the file.
    pub(super) sockets: Option<usize>,
}

impl MachineReading {
    /// The number of nodes, if it is known.
    pub fn nodes(&self) -> Option<usize> {
        self.cores.as_ref().map(Vec::len)
    }

    /// Cores of each node that has any, in order, if they are known.
    pub fn cores_of_sockets(&self) -> Option<Vec<u32>> {
        let cores = self.cores.as_ref()?.iter().copied();
        Some(cores.filter(|&cores| cores > 0).collect())
    }
}

pub(super) fn read(mut table: TableReader<'_>) -> MachineReading {
    let log = table.source.log;
    let name = table.required(&keys::NAME).and_then(|value| value.name());
    let source = table.optional(&keys::SOURCE);
    let limits = NodeLimits::read(&mut table).unwrap_or_default();
    let nodes = nodes::read(&mut table);
    let (cores, without_memory) = (nodes.cores(), nodes.without_memory());
    let sockets = bandwidth::read_sockets(&mut table, nodes.count);
    let bandwidth = bandwidth::read(&mut table, nodes.count, cores.as_deref(), &without_memory, &sockets);
    let shared_links = bandwidth::read_shared_links(&mut table, nodes.count).map(|links| {
        let of_sockets = match &sockets {
            SocketsReading::Read(sockets) => sockets.shared_links(),
            SocketsReading::Absent | SocketsReading::Broken => Vec::new(),
        };
        [of_sockets, links].concat()
    });
    let (has_latencies, latencies) =
        read_latencies(&mut table, nodes.count, cores.as_deref(), &without_memory);
    let model = read_sharing(&mut table, has_latencies);
    let distances = table
        .optional(&keys::DISTANCE_MATRIX)
        .map(|matrix| read_pairs(&matrix, DISTANCES, nodes.count, cores.as_deref(), &[]));
    let two_threads = table.optional(&keys::THREADS_PER_CORE).and_then(|value| value.count()) == Some(2);
    let provenance = read_provenance(&mut table);
    let variants = read_ways(&mut table);

    let shown = name.unwrap_or_default();
    shown.clone_into(&mut table.name);
    match &source {
        Some(value) => {
            value.string();
        }
        None => table.note(&keys::SOURCE, keys::SOURCE.default),
    }
    let of_nodes: Vec<Option<NodeLimits>> =
        nodes.figures.iter().map(|node| node.as_ref().map(|node| node.limits.clone())).collect();
    let inheriting = nodes.figures.iter().flatten().filter(|node| !node.limits.has_own_domains());
    let are_domains = limits.check_domains(&table, inheriting.map(|node| node.cores));
    nodes::note_defaults(log, shown, &limits, &of_nodes);
    nodes::check_caches(&table, &limits, &of_nodes);
    let caches: Vec<_> = of_nodes.iter().flatten().map(|own| own.or(&limits).cache()).collect();
    let assembled = assemble(&table, name, &limits, &nodes, bandwidth.filter(|_| are_domains), shared_links);
    let machine = assembled.map(|machine| {
        let source = source.as_ref().and_then(|value| value.get().as_str()).map(str::to_owned);
        let machine = machine
            .with_source(source)
            .with_provenance(provenance)
            .with_sharing(model)
            .with_kernel_variants(variants)
            .with_smt(two_threads);
        let machine = with(machine, latencies, Machine::with_latencies_ns);
        let machine = with(machine, distances.flatten(), Machine::with_distances);
        let said = caches.iter().any(Option::is_some);
        with(machine, said.then(|| caches.into_iter().map(Option::flatten).collect()), Machine::with_caches)
    });
    table.finish();
    let sockets = match sockets {
        SocketsReading::Read(sockets) => Some(sockets.count),
        SocketsReading::Absent | SocketsReading::Broken => None,
    };
    MachineReading { machine, cores, without_memory, two_threads, sockets }
}

/// The machine with a part that was read and has the right shape.
fn with<T, E>(machine: Machine, part: Option<T>, add: fn(Machine, T) -> Result<Machine, E>) -> Machine {
    part.and_then(|part| add(machine.clone(), part).ok()).unwrap_or(machine)
}

fn assemble(
    table: &TableReader<'_>,
    name: Option<&str>,
    limits: &NodeLimits,
    nodes: &nodes::NodesReading,
    bandwidth: Option<bandwidth::Bandwidth>,
    shared_links: Option<Vec<SharedLink>>,
) -> Option<Machine> {
    let figures: Vec<nodes::NodeFigures> = nodes.figures.iter().cloned().collect::<Option<_>>()?;
    let (bandwidth, shared_links) = (bandwidth?, shared_links?);
    let parts = figures
        .iter()
        .zip(&bandwidth.controllers)
        .map(|(node, &controller)| {
            let mut read = Node {
                cores: node.cores,
                gflops_per_core: Gflops::new(node.gflops_per_core),
                bandwidth: GigabytesPerSecond::new(controller),
                ..Node::default()
            };
            node.limits.or(limits).put(&mut read);
            read
        })
        .collect();
    let links = bandwidth.links.into_iter().map(GigabytesPerSecond::new).collect();
    if figures.is_empty() {
        return None;
    }
    let refuse = |error: String, hint: &str| {
        let problem = Problem::new(ProblemKind::BadValue, error);
        table.source.log.report(problem.at(table.place(), "in this machine").hint(hint));
    };
    let cores_hint = "give at least one node a core";
    let machine = Machine::new(name?, parts, links)
        .inspect_err(|error| refuse(error.to_string(), cores_hint))
        .ok()?
        .with_shared_links(shared_links)
        .inspect_err(|error| {
            // Names and groups of the file are already checked; only a name from `sockets` can be a
            // duplicate.
            refuse(
                error.to_string(),
                "give it another name: `shared_link_gbs` makes a shared link for each pair of sockets",
            );
        })
        .ok()?;
    if nodes.os_nodes.is_empty() {
        return Some(machine);
    }
    let named = machine.with_os_nodes(nodes.os_nodes.clone());
    named.inspect_err(|error| refuse(error.to_string(), cores_hint)).ok()
}

const LATENCIES: &str = "write one row for each node, e.g. `[[90.0, 140.0], [140.0, 90.0]]`: row = node of the core, column = node of the memory";

/// The model and its parameters; the default without a table. `latencies`: the machine has a latency matrix.
fn read_sharing(table: &mut TableReader<'_>, latencies: bool) -> Model {
    let Some(value) = table.optional(&keys::SHARING) else { return Model::default() };
    let hint = "write `[machine.sharing]` and below it e.g. `model = \"max-min\"`";
    let Some(mut table) = value.table(&sharing::TABLE, "a table", hint) else { return Model::default() };
    let kind = table.optional(&sharing::MODEL).and_then(|value| read_kind(&value));
    let mut model = Model::from(kind.unwrap_or_default());
    for parameter in Parameter::ALL {
        let Some(value) = table.named(parameter.as_str()) else { continue };
        read_parameter(parameter, &value, &mut model);
        if parameter == Parameter::OutstandingLines && !latencies {
            let other =
                "add `latency_matrix_ns = …` to `[machine]`, or give `core_local_gbs` and `core_remote_gbs`";
            value.source.log.report(lines_without_latencies(&value).hint(other));
        }
    }
    table.finish();
    model
}

/// The problem of outstanding lines on a machine without latencies.
pub(crate) fn lines_without_latencies(value: &Value<'_>) -> Problem {
    Problem::new(ProblemKind::MissingKey, "`outstanding_lines` needs the latencies of the machine")
        .at(value.key_place(), "lines under way / latency = bandwidth")
}

fn read_kind(value: &Value<'_>) -> Option<ModelKind> {
    let word = value.string()?;
    let found = ModelKind::from_word(word);
    if found.is_none() {
        let known = ModelKind::ALL.map(ModelKind::as_str);
        let hint = match value.source.log.suggest(word, known) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => "`numasim models` explains them".to_owned(),
        };
        let message = format!("`model` must be {}, not {}", names::one_of(known), value.text());
        value.report(ProblemKind::BadValue, message, "unknown model", hint);
    }
    found
}

fn read_parameter(parameter: Parameter, value: &Value<'_>, model: &mut Model) {
    let Some(number) = value.number() else { return };
    if let Err(error) = model.parameters.set(parameter, number) {
        let label = if number > parameter.range().1 { "too large" } else { "too small" };
        value.report(ProblemKind::BadValue, error.to_string(), label, "`numasim models` explains it");
    }
}

/// The latencies row by row; `None` if they are missing or invalid. Rows of nodes without cores and columns
/// of nodes without memory may have zeros.
fn read_latencies(
    table: &mut TableReader<'_>,
    count: Option<usize>,
    cores: Option<&[u32]>,
    without_memory: &[NodeId],
) -> (bool, Option<Vec<f64>>) {
    let Some(matrix) = table.optional(&keys::LATENCY_MATRIX_NS) else { return (false, None) };
    (true, read_pairs(&matrix, LATENCIES, count, cores, without_memory))
}

/// The origin of each value for which the file contains one.
fn read_provenance(table: &mut TableReader<'_>) -> BTreeMap<String, Provenance> {
    table.optional(&keys::PROVENANCE).map(|value| read_origins(&value)).unwrap_or_default()
}

fn read_origins(value: &Value<'_>) -> BTreeMap<String, Provenance> {
    let mut origins = BTreeMap::new();
    let expected = "a table of figures";
    let hint = "write e.g. `[machine.provenance]` and below it `link_gbs = { kind = \"measured\" }`";
    let Some(mut table) = value.table(&provenance::TABLE, expected, hint) else { return origins };
    for &figure in provenance::TABLE.keys {
        if let Some(read) = table.optional(figure).and_then(|value| read_origin(&value)) {
            origins.insert(figure.name.to_owned(), read);
        }
    }
    table.finish();
    origins
}

fn read_origin(value: &Value<'_>) -> Option<Provenance> {
    let hint = "write e.g. `{ kind = \"measured\", source = \"STREAM, 8 threads\" }`";
    let mut table = value.table(&origin::TABLE, "a table with `kind`", hint)?;
    let kind = table.required(&origin::KIND);
    let source = table.optional(&origin::SOURCE).and_then(|value| value.string());
    let uncertainty_percent = table.optional(&origin::UNCERTAINTY_PERCENT).and_then(|value| value.number());
    let interval95_percent = table.optional(&origin::INTERVAL95_PERCENT).and_then(|value| value.number());
    table.finish();
    let kind = kind?;
    let word = kind.string()?;
    let found = FigureKind::from_word(word);
    if found.is_none() {
        let words = FigureKind::ALL.map(FigureKind::as_str);
        let hint = match kind.source.log.suggest(word, words) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => format!("write {}", names::one_of(words)),
        };
        let message = format!("`kind` must be {}, not {}", names::one_of(words), kind.text());
        kind.report(ProblemKind::BadValue, message, "unknown kind", hint);
    }
    Some(Provenance {
        kind: found?,
        source: source.map(str::to_owned),
        uncertainty_percent,
        interval95_percent,
    })
}

const WAYS: &str = "`numasim calibrate` writes it, e.g. `read = { isa = \"avx2\", streams = 4, prefetch_bytes = [6144, 3072] }`";
const PREFETCH: Count =
    Count { what: "a distance in bytes", example: "6144", min: 0, max: MOST_PREFETCH_BYTES as u64 };
const STORES: [&str; 2] = ["streaming", "cached"];

/// The access variants of the file.
fn read_ways(table: &mut TableReader<'_>) -> KernelVariants {
    let Some(value) = table.optional(&keys::KERNELS) else { return KernelVariants::default() };
    let Some(mut table) = value.table(&kernels::TABLE, "a table of kernels", WAYS) else {
        return KernelVariants::default();
    };
    let processor = table.optional(&kernels::PROCESSOR).and_then(|value| value.string().map(str::to_owned));
    let mut read = Access::ALL.map(|access| (access, None));
    for (access, variant) in &mut read {
        *variant = table.named(access.as_str()).and_then(|value| read_way(&value));
    }
    table.finish();
    KernelVariants::new(|access| read.iter().find(|(other, _)| *other == access)?.1.clone())
        .tried_on(processor)
}

fn read_way(value: &Value<'_>) -> Option<KernelVariant> {
    let mut table = value.table(&variant::TABLE, "a table with `isa`", WAYS)?;
    let isa = table.required(&variant::ISA).and_then(|value| word(&value, &INSTRUCTION_SETS));
    let streams = table.required(&variant::STREAMS).and_then(|value| value.count());
    let prefetch = table.required(&variant::PREFETCH_BYTES).and_then(|value| prefetches(&value));
    let stores = table.optional(&variant::STORES).map_or(Some("streaming"), |value| word(&value, &STORES));
    table.finish();
    Some(KernelVariant {
        isa: isa?.to_owned(),
        streams: streams?,
        prefetch_bytes: prefetch?,
        streaming_stores: stores? == STORES[0],
    })
}

fn prefetches(value: &Value<'_>) -> Option<[u32; 2]> {
    let hint = "write how many bytes ahead, far and near, e.g. `[6144, 3072]`; `[0, 0]` is no prefetch";
    let entries = value.list("two distances in bytes", hint)?;
    let [far, near] = entries.as_slice() else {
        let message = format!("`{}` has {} entries", value.name, entries.len());
        value.report(ProblemKind::BadValue, message, "two distances are needed", hint);
        return None;
    };
    Some([far.count_of(PREFETCH)?, near.count_of(PREFETCH)?])
}

fn word(value: &Value<'_>, known: &[&'static str]) -> Option<&'static str> {
    let written = value.string()?;
    let found = known.iter().copied().find(|&word| word == written);
    if found.is_none() {
        let message = format!("unknown word {}", value.text());
        let hint = format!("write {}", names::one_of(known.iter().copied()));
        value.report(ProblemKind::BadValue, message, "not known", hint);
    }
    found
}

/// The values row by row; `hint` shows the syntax. `None` if they are invalid. Rows of nodes without cores
/// and unused columns may have zeros.
fn read_pairs(
    matrix: &Value<'_>,
    hint: &'static str,
    count: Option<usize>,
    cores: Option<&[u32]>,
    unused_columns: &[NodeId],
) -> Option<Vec<f64>> {
    let rows = matrix.list("a matrix", hint)?;
    let nodes = count?;
    let length = |value: &Value<'_>, got: usize, noun: &str| {
        let (got, machine) = (plural(got, noun), plural(nodes, "node"));
        let message = format!("`{}` has {got}, but the machine has {machine}", value.name);
        value.report(ProblemKind::WrongLength, message, &got, hint);
    };
    if rows.len() != nodes {
        length(matrix, rows.len(), "row");
        return None;
    }
    let mut all = Vec::new();
    for (from, row) in rows.iter().enumerate() {
        let entries = row.list("a row of numbers", hint)?;
        if entries.len() != nodes {
            length(row, entries.len(), "entry");
            return None;
        }
        let unused_row = cores.is_some_and(|cores| cores.get(from) == Some(&0));
        let read = |(to, entry): (usize, &Value<'_>)| {
            let zero = unused_row || unused_columns.contains(&NodeId(to));
            entry.number_of(Quantity { zero, ..matrix.of.quantity() })
        };
        let values: Vec<Option<f64>> = entries.iter().enumerate().map(read).collect();
        all.extend(values.into_iter().collect::<Option<Vec<f64>>>()?);
    }
    Some(all)
}

/// One node that has memory; `machine` contains the values that could be read.
pub fn node_with_memory(value: &Value<'_>, machine: &MachineReading) -> Option<NodeId> {
    let node = nodes::node_number(value, machine.nodes())?;
    has_memory(value, node, machine)?;
    Some(node)
}

/// Returns `None` and reports a problem at `value` if `node` has no memory for data.
pub(super) fn has_memory(value: &Value<'_>, node: NodeId, machine: &MachineReading) -> Option<()> {
    if !machine.without_memory.contains(&node) {
        return Some(());
    }
    let with_memory = (0..machine.nodes()?).filter(|&node| !machine.without_memory.contains(&NodeId(node)));
    let with_memory: Vec<String> = with_memory.map(|node| node.to_string()).collect();
    let noun = if with_memory.len() == 1 { "node" } else { "nodes" };
    let hint = format!(
        "name a node that has memory: {noun} {}; the machine says `memory_gib = 0` for {node}",
        with_memory.join(", ")
    );
    let message = format!("`{}` places data on {node}, which has no memory", value.name);
    value.report(ProblemKind::BadValue, message, "no memory", hint);
    None
}
