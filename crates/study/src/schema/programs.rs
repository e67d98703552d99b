//! Loops over chunks of arrays in place of tasks (`[program]`), and who else wants the workers (`[contender]`).

use schemars::JsonSchema;
use serde::Serialize;

use super::range::{not_negative, positive};
use super::tasks::one_size;

/// Loops over arrays, one behind the other, in place of tasks that are listed one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProgramTable {
    /// Into how many blocks each array is dealt, and into how many pieces each loop. Default: 8 for each worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub chunks: Option<u32>,
    /// How often all loops are run. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// The data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub array: Vec<ProgramArrayTable>,
    /// The loops, in the order in which they are run.
    #[serde(rename = "loop", skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub loops: Vec<ProgramLoopTable>,
}

/// An array. Its size is `bytes` or `mb`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = one_size)]
pub struct ProgramArrayTable {
    /// Name of the array, unique among arrays.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// Size of all of it in bytes. Not beside `mb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub bytes: Option<f64>,
    /// Size of all of it in MB (10^6 bytes). Not beside `bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub mb: Option<f64>,
}

/// A loop: a piece of work for each chunk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProgramLoopTable {
    /// Name of the loop, unique among loops.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// Work of all pieces together in GFLOP (10^9 FLOP). Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub gflop: Option<f64>,
    /// Names of arrays of which each piece reads its own chunk.
    #[serde(rename = "in", skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reads: Vec<String>,
    /// Names of arrays that each piece reads as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub whole: Vec<String>,
    /// Names of arrays of which each piece reads and writes its own chunk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub inout: Vec<String>,
    /// Names of arrays of which each piece writes its own chunk.
    #[serde(rename = "out", skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub writes: Vec<String>,
    /// How its tasks create each other. Default: "range".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<LoopShapeWord>,
}

/// How the tasks of a loop create each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoopShapeWord {
    /// A range is halved until one chunk is left.
    Range,
    /// One task creates all pieces.
    List,
}

/// Other programs that want the workers, too, under "tbb" and "tbb-numa": they compute in their caches, and have work as long as the run lasts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ContenderTable {
    /// Work of one of their tasks in GFLOP (10^9 FLOP).
    #[schemars(transform = positive)]
    pub gflop: f64,
    /// How many such programs there are. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: Option<u32>,
    /// When they want workers: from and to in seconds, in the order of time. Default: as long as the run lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub phases_s: Option<Vec<[f64; 2]>>,
}
