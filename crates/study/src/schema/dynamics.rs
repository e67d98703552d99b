//! What applications do over time: `scaling`, `[[app.phase]]`, `[[channel]]`, `[[call]]`, `[[command]]`, `[policy]`, `[os]`,
//! `[cluster]`.

use schemars::JsonSchema;
use serde::Serialize;

use super::data::DataValue;
use super::range::{not_negative, positive};
use super::scenario::ThreadsValue;

/// The work of each task in GFLOP.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TaskWorkValue {
    /// The same for every task.
    Every(#[schemars(transform = not_negative)] f64),
    /// Of one task after the other; the list repeats.
    List(#[schemars(inner(range(min = 0.0, max = 1e30)), length(min = 1))] Vec<f64>),
}

/// How fast several threads are together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ScalingValue {
    /// By Amdahl's law.
    Serial(SerialTable),
    /// By the speedup of some numbers of threads.
    Points(SpeedupTable),
}

/// Amdahl's law: the speedup of n threads is 1 / (s + (1 - s) / n).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SerialTable {
    /// s, the part of the work that only one thread can do.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub serial_fraction: f64,
}

/// Speedups of some numbers of threads; between them lines, beyond the last one its speedup.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpeedupTable {
    /// Pairs of threads and speedup, from [1, 1.0] up; the speedup never falls and is at most the number of threads.
    #[schemars(inner(length(min = 2, max = 2)), length(min = 1))]
    pub table: Vec<Vec<f64>>,
}

/// A part of an iteration; what it does not say is as in its application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PhaseTable {
    /// Arithmetic intensity in FLOP per byte moved to or from memory. Default: that of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub arithmetic_intensity: Option<f64>,
    /// Where the data lies; no home is open. Default: as in the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataValue>,
    /// How fast several threads are together. Default: as in the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling: Option<ScalingValue>,
    /// How long a thread sleeps after each task, in ms. Default: as in the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub io_ms: Option<f64>,
    /// Work of this phase in GFLOP, of all iterations together. Not beside `task_gflop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub work_gflop: Option<f64>,
    /// Work of each task in GFLOP; a list repeats. Not beside `work_gflop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_gflop: Option<TaskWorkValue>,
    /// Tasks in each iteration. Default: the length of `task_gflop`; without that the work is divisible.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub tasks: Option<u64>,
}

/// What its threads are bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BindWord {
    /// Any core of a node.
    Node,
    /// One core.
    Core,
}

/// Which commands it can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ControlWord {
    /// How many threads in all.
    Total,
    /// The threads of which cores.
    Cores,
    /// How many threads on each node.
    PerNode,
    /// None.
    None,
}

/// In which order its threads are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PickWord {
    /// Round the nodes: the first of each, then the second of each.
    Spread,
    /// Node after node.
    Pack,
}

/// A producer hands an item to a consumer in each iteration.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChannelTable {
    /// Name of the producer, a single instance.
    pub from: String,
    /// Name of the consumer, a single instance, with as many iterations.
    pub to: String,
    /// Size of an item in MB (10^6 bytes). Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub item_mb: Option<f64>,
    /// Most items that are produced and not finished: with so many the producer waits. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub capacity: Option<u64>,
}

/// Iterations of an application end with one of another, for which it waits.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CallTable {
    /// Name of who calls, a single instance.
    pub from: String,
    /// Name of who works, a single instance with as many iterations as calls, and without channels.
    pub to: String,
    /// After each how many iterations. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub every: Option<u64>,
}

/// From some time on so many threads may run; for the policy "script". One of total, per_node, or cores, as the
/// application's `control` says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CommandTable {
    /// When it is given, in seconds.
    #[schemars(transform = not_negative)]
    pub at_s: f64,
    /// Name of an application, for all of its instances, or of one instance.
    pub app: String,
    /// Threads on all nodes together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u32>,
    /// Threads on each node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_node: Option<ThreadsValue>,
    /// Cores whose threads may run, numbered through all nodes from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<Vec<u32>>,
}

/// Who decides how many threads each application may run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PolicyTable {
    /// Name of the policy, with its argument: "lead:2". Default: none; `--policy` wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: Option<String>,
    /// Time between two decisions in ms; 0 is whenever something happens. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub period_ms: Option<f64>,
    /// From a decision to the threads that see it, in ms. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub command_ms: Option<f64>,
}

/// What it costs that more threads run than there are cores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OsTable {
    /// How long a thread keeps its core, in ms. Default: 3, assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub slice_ms: Option<f64>,
    /// The change to another thread, in us. Default: 5, assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub switch_us: Option<f64>,
    /// The time to fill the private caches again, in ms. Default: 0.1, assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub refill_ms: Option<f64>,
}

/// The machine stands for one of several equal nodes of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ClusterTable {
    /// Nodes of the cluster.
    #[schemars(range(min = 1))]
    pub nodes: u32,
    /// How they wait for each other. Default: "barrier".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncWord>,
    /// On how many of them the policy decides; on the others it is "static-even". Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_on: Option<u32>,
}

/// How the nodes of a cluster wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SyncWord {
    /// After every iteration, for the slowest.
    Barrier,
    /// Work is spread by speed.
    Loose,
}
