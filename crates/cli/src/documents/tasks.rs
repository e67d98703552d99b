//! `numasim tasks`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::OrNull;

/// A graph of tasks, simulated or run on this host.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Tasks {
    Simulated(Simulated),
    Real(Real),
}

/// Simulations of a graph of tasks.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Simulated {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "tasks"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// The sharing model.
    model: String,
    /// Its parameters, where they are not the defaults; `numasim models` has their units.
    model_parameters: Option<BTreeMap<String, f64>>,
    /// The graph.
    graph: Graph,
    /// A simulation for each scheduler and seed.
    runs: Vec<Run>,
}

/// With `--real`: the graph on this host.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Real {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "tasks"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// The sharing model.
    model: String,
    /// Its parameters, where they are not the defaults; `numasim models` has their units.
    model_parameters: Option<BTreeMap<String, f64>>,
    /// The graph.
    graph: Graph,
    /// Cores of the machine.
    cores: u64,
    /// Bytes of a block, or of each.
    block_bytes: Value,
    /// Whether the result is right.
    check: BTreeMap<String, Value>,
    /// Kinds of tasks, as they were measured alone.
    kinds: Vec<BTreeMap<String, Value>>,
    /// A run for each scheduler and repetition.
    runs: Vec<BTreeMap<String, Value>>,
}

/// The graph.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Graph {
    /// Its name.
    name: String,
    /// How many tasks it has.
    tasks: u64,
    /// Pairs of which one waits for the other; null where nobody counted them.
    edges: OrNull<u64>,
    /// How many blocks of data it has.
    blocks: u64,
    /// Tasks of the longest chain; null where nobody counted them.
    span: OrNull<u64>,
}

/// One simulation.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Run {
    /// Who decides which task runs where.
    scheduler: String,
    /// Where pages lie.
    placement: String,
    /// Idle workers steal.
    steal: bool,
    /// Seed of what is random.
    seed: u64,
    /// When the last task is over, in seconds.
    makespan_s: f64,
    /// No schedule is shorter, in seconds.
    bound_s: f64,
    /// What moves, in bytes.
    bytes: Bytes,
    /// Part of all worker-seconds without a task.
    idle: f64,
    /// Tasks that were stolen.
    steals: u64,
    /// Edges between nodes, of schedulers that partition.
    cut_edges: OrNull<u64>,
    /// Their data, in bytes.
    cut_bytes: OrNull<f64>,
    /// Time of partitioning, in seconds.
    partition_s: f64,
    /// Tasks that came through mailboxes.
    mailbox: u64,
    /// Tasks that came through shared queues.
    shared: u64,
    /// Workers that were taken away.
    revokes: u64,
    /// Tasks that ran on another node than they were meant for.
    remote_tasks: u64,
    /// Time of moving pages, in seconds.
    migration_s: f64,
    /// The scenario of contenders.
    scenario: OrNull<String>,
    /// Tasks of contenders.
    contender_tasks: u64,
    /// Workers that were dealt to each node.
    dealt: Value,
    /// Tasks and blocks of which a plan knew nothing.
    fallbacks: OrNull<Fallbacks>,
    /// What the bound comes from, as a stable word.
    bound_by: String,
    /// Parts of all worker-seconds without a task, by reason.
    idle_reasons: BTreeMap<String, f64>,
    /// The nodes.
    per_node: Vec<Node>,
    /// With `--metg`: the smallest tasks that keep a share of the peak.
    metg: Option<Metg>,
}

/// Tasks and blocks of which a plan knew nothing.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Fallbacks {
    /// Tasks.
    tasks: u64,
    /// Blocks.
    blocks: u64,
}

/// One node.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Node {
    /// Its number, from 0.
    node: u64,
    /// Tasks that ran there.
    tasks: u64,
    /// Worker-seconds with a task.
    busy_s: f64,
    /// Worker-seconds without one, by reason.
    idle_s: BTreeMap<String, f64>,
    /// What its tasks move, in bytes.
    bytes: Bytes,
}

/// What moves, in bytes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Bytes {
    /// From the caches of the own node.
    llc_local: f64,
    /// From caches of other nodes.
    llc_remote: f64,
    /// From the memory of the own node.
    dram_local: f64,
    /// From memories of other nodes.
    dram_remote: f64,
}

/// The smallest tasks that keep a share of the peak.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Metg {
    /// The share.
    share: f64,
    /// Time of such a task, in microseconds; null where none was found.
    metg_us: OrNull<f64>,
    /// Its FLOP.
    flop: OrNull<f64>,
    /// The part of the peak that it keeps.
    efficiency: OrNull<f64>,
}
