//! The input file as types: what its JSON Schema is generated from, and what a program that writes such files fills.
//!
//! Reading does not go through these types, because a file may have many mistakes at once and each wants its place;
//! a test holds the two together key by key.

mod app;
mod data;
mod dynamics;
mod kernels;
mod machine;
mod origin;
mod problem;
mod programs;
mod range;
mod scenario;
mod tasks;

use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, json_schema};
use serde::Serialize;
use serde_json::Value;

pub use app::AppTable;
pub use data::{AnyWord, DataValue, DataWord, FractionsTable, HomeTable, HomeValue, InterleaveTable};
pub use dynamics::{
    BindWord, CallTable, ChannelTable, ClusterTable, CommandTable, ControlWord, OsTable, PhaseTable,
    PickWord, PolicyTable, ScalingValue, SerialTable, SpeedupTable, SyncWord, TaskWorkValue,
};
pub use kernels::{IsaWord, KernelsTable, StoresWord, VariantTable};
pub use machine::{MachineTable, NodeTable, SharedLinkTable};
pub use origin::{FigureTable, ProvenanceTable, SharingTable};
pub use problem::{
    CellsValue, ElementsWord, FaultsWord, HowWord, KernelWord, PartitionWord, ProblemTable, SourceWord,
    StorageWord,
};
pub use programs::{ContenderTable, LoopShapeWord, ProgramArrayTable, ProgramLoopTable, ProgramTable};
pub use scenario::{ScenarioTable, ThreadsValue};
pub use tasks::{
    BlockHomeValue, BlockTable, GeneratorWord, GraphTable, InterleaveWord, PatternWord, RuntimeTable,
    SchedulerTable, SchedulerWord, SubmitWord, TaskTable, TiesWord,
};

/// The version of JSON Schema.
pub const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The JSON Schema (draft 2020-12) of one input file.
pub fn json_schema() -> Schema {
    let mut generated = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<StudyFile>();
    RecursiveTransform(without_null).transform(&mut generated);
    let mut schema = json_schema!({ "$schema": DRAFT, "title": "numasim input file" });
    for (key, value) in generated.as_object().into_iter().flatten().filter(|(key, _)| *key != "title") {
        schema.insert(key.clone(), value.clone());
    }
    schema
}

/// No null where a key is there or it is not, as in TOML; and a description is one paragraph.
pub fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            only.into_iter().for_each(|(key, value)| {
                schema.insert(key, value);
            });
        }
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// Input file of numasim: a machine, applications, scenarios, what the applications do over time, and graphs of tasks. A study may be spread over several files; `[machine]`
/// stands in exactly one of them. Bandwidths are in GB/s with 1 GB = 10^9 bytes; nodes are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StudyFile {
    /// The machine: NUMA nodes, their cores and memory controllers, and the links between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineTable>,
    /// The applications.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub app: Vec<AppTable>,
    /// Ways of placing the threads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub scenario: Vec<ScenarioTable>,
    /// Producers and consumers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub channel: Vec<ChannelTable>,
    /// Who calls whom, as a library.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub call: Vec<CallTable>,
    /// What the policy "script" orders when.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub command: Vec<CommandTable>,
    /// Who decides how many threads each application may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyTable>,
    /// What it costs that more threads run than there are cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<OsTable>,
    /// The cluster of which the machine is one node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterTable>,
    /// Blocks of data that tasks read and write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub block: Vec<BlockTable>,
    /// Tasks, in the order in which they are created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub task: Vec<TaskTable>,
    /// The graph of tasks: its name, and what makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphTable>,
    /// Loops over chunks of arrays, in place of tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramTable>,
    /// Who decides which task runs on which node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<SchedulerTable>,
    /// What creating, fetching and stealing tasks costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<RuntimeTable>,
    /// Other programs that want the workers, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contender: Option<ContenderTable>,
}
