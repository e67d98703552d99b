//! `[[app]]`.

use schemars::JsonSchema;
use serde::Serialize;

use super::data::DataValue;
use super::dynamics::{BindWord, ControlWord, PhaseTable, PickWord, ScalingValue, TaskWorkValue};
use super::problem::{KernelWord, ProblemTable, intensity_or_kernel};
use super::range::{not_negative, positive};
use super::scenario::ThreadsValue;

/// An application: how much it computes per byte, and where its data lies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = intensity_or_kernel)]
pub struct AppTable {
    /// Name of the application, unique over all files.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// How many equal ones; `mem` with 3 makes mem-1, mem-2 and mem-3. Default: 1. At most 10000 over all files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10000))]
    pub instances: Option<u32>,
    /// Arithmetic intensity in FLOP per byte moved to or from memory. A real kernel (`kernel`) counts its own: then it may be left out, or is at most 5 % off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub arithmetic_intensity: Option<f64>,
    /// Where the data lies. Default: "local".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataValue>,
    /// Numbers of the only nodes that may hold its threads. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0, max = 1023)), length(min = 1, max = 1024))]
    pub nodes: Option<Vec<u32>>,
    /// How much data it has in GiB (2^30 bytes), which lies as `data` says, local data in proportion to the threads.
    /// Default: not given, fits everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub memory_gib: Option<f64>,
    /// What its threads compute: a synthetic kernel of the benchmark (numasim bench) of any intensity, or a real one with sizes in `[app.problem]`. Default: "read".
    /// The models use how it uses memory where the machine has `copy_gbs`, `triad_gbs` or `update_gbs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelWord>,
    /// How large the problem of a real kernel is, and in which variant. Default: the size of the paper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<ProblemTable>,
    /// Fewest threads over the whole machine that explore may give it. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub min_threads: Option<u32>,
    /// Most threads over the whole machine that explore may give it. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub max_threads: Option<u32>,
    /// Weight in the objectives; 0 does not count. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e30))]
    pub weight: Option<f64>,
    /// Work in GFLOP, of all iterations together; the makespan objective and simulations need it, or `task_gflop`. With `tasks`
    /// 0 is read, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub work_gflop: Option<f64>,
    /// Work of each task in GFLOP; a list repeats. Not beside `work_gflop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_gflop: Option<TaskWorkValue>,
    /// Tasks in each iteration. Default: the length of `task_gflop`; without that the work is divisible.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub tasks: Option<u64>,
    /// Coefficient of variation of the work of tasks (lognormal, mean 1). Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub task_spread: Option<f64>,
    /// Iterations, one after the other. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub iterations: Option<u64>,
    /// How long a thread sleeps after each task, in ms. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub io_ms: Option<f64>,
    /// How fast several threads are together. Default: linear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling: Option<ScalingValue>,
    /// When it arrives, in seconds. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub arrives_s: Option<f64>,
    /// Threads that it has over time, on each node at most 65536, also more than cores. Default: one per core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<ThreadsValue>,
    /// What its threads are bound to. Default: "node", or "core" where `control` is "cores".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bind: Option<BindWord>,
    /// Which commands it can follow. Default: "per-node", or "cores" where there is a `command`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlWord>,
    /// A program of its own, which `numasim run` starts: its file and its arguments. Work and phases then say what
    /// `simulate` takes it for, and `control` is "cores" by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub command: Option<Vec<String>>,
    /// In which order its threads are numbered. Default: "spread".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pick: Option<PickWord>,
    /// The phases of an iteration, one after the other; then the work stands in them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub phase: Vec<PhaseTable>,
}
