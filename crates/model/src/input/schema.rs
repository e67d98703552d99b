//! The input file as types: what its JSON Schema is generated from, and what a program that writes such files fills.
//!
//! Reading does not go through these types, because a file may have many mistakes at once and each wants its place;
//! a test holds the two together key by key.

use std::collections::BTreeMap;

use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, json_schema};
use serde::Serialize;
use serde_json::Value;

use crate::machine::FigureKind;
use crate::sharing::ModelKind;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

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

/// TOML has no null: a key is there or it is not. And a description is one paragraph.
fn without_null(schema: &mut Schema) {
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

/// Input file of numasim: a machine, applications and scenarios. A study may be spread over several files; `[machine]`
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
}

/// The machine. Its nodes are all alike (`nodes`, `cores_per_node`, `gflops_per_core`) or listed one by one
/// (`[[machine.node]]`); its bandwidths are all alike (`bandwidth_gbs`, `link_gbs`) or a full matrix
/// (`bandwidth_matrix_gbs`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = either_form)]
pub struct MachineTable {
    /// Name of the machine.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// Where the figures come from; free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Number of NUMA nodes, all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub nodes: Option<u32>,
    /// Cores of each node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65536))]
    pub cores_per_node: Option<u32>,
    /// Peak of one core in GFLOPS (10^9 floating-point operations per second).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub gflops_per_core: Option<f64>,
    /// Bandwidth of the memory controller of each node in GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub bandwidth_gbs: Option<f64>,
    /// Bandwidth in GB/s of the link between each ordered pair of different nodes; not needed on one node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub link_gbs: Option<f64>,
    /// Bandwidths in GB/s as Intel MLC prints them: row = node of the core, column = node of the memory; the diagonal
    /// is the memory controller. The row of a node without cores counts only on its diagonal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(inner(range(min = 0.0, max = 1e30))), length(min = 1, max = 1024))]
    pub bandwidth_matrix_gbs: Option<Vec<Vec<f64>>>,
    /// Nanoseconds that a load takes on the idle machine: row = node of the core, column = node of the memory, the
    /// diagonal included. Only `outstanding_lines` of `[machine.sharing]` looks at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(inner(range(min = 0.0, max = 1e30))), length(min = 1, max = 1024))]
    pub latency_matrix_ns: Option<Vec<Vec<f64>>>,
    /// The most one thread can draw from all memories together in GB/s. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub core_bandwidth_gbs: Option<f64>,
    /// Processor numbers of the operating system, one list for each node (`["0-19", "20-39"]`), as Linux writes them;
    /// only needed to print commands (explore --emit). If there are more processors than cores, the first ones are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(regex(pattern = r"[0-9]")), length(min = 1, max = 1024))]
    pub cpus: Option<Vec<String>>,
    /// How bandwidth is shared. Default: the model baseline-proportional without corrections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing: Option<SharingTable>,
    /// How the figures came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<ProvenanceTable>,
    /// The nodes one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default, length(min = 1, max = 1024))]
    pub node: Vec<NodeTable>,
}

/// One NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = peak_where_cores)]
pub struct NodeTable {
    /// Cores of the node; 0 for a node that has memory only (CXL, HBM).
    #[schemars(range(min = 0, max = 65536))]
    pub cores: u32,
    /// Peak of one core in GFLOPS; 0 or left out where there are no cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e30))]
    pub gflops_per_core: Option<f64>,
    /// The most one thread of this node can draw in GB/s. Default: that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub core_bandwidth_gbs: Option<f64>,
    /// Processor numbers of the operating system as Linux writes them (`0-19,40-59`); only needed to print commands
    /// (explore --emit). If there are more processors than cores, the first ones are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"[0-9]"))]
    pub cpus: Option<String>,
    /// Number of the node in the operating system (numactl --membind). Default: its place in this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub os_node: Option<u32>,
}

/// How each figure of the machine came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProvenanceTable {
    /// Of the numbers of cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<FigureTable>,
    /// Of the peak of a core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gflops_per_core: Option<FigureTable>,
    /// Of what one thread can draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_bandwidth_gbs: Option<FigureTable>,
    /// Of the memory controllers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_gbs: Option<FigureTable>,
    /// Of the links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_gbs: Option<FigureTable>,
    /// Of the bandwidth matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_matrix_gbs: Option<FigureTable>,
    /// Of the latency matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_matrix_ns: Option<FigureTable>,
    /// Of the parameters of the sharing model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing: Option<FigureTable>,
}

/// The sharing model of the machine and its corrections; `numasim models` explains all of them. A correction that is
/// not given is switched off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SharingTable {
    /// The model. Default: "baseline-proportional"; `--model` wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelKind>,
    /// How soft the corner of a controller is: 1/p of the smooth minimum of demand and bandwidth. Default: 0, hard.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub saturation_knee: Option<f64>,
    /// What a controller loses when it is asked for more than it has: B / (1 + loss (asked / B - 1)). Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub overload_loss: Option<f64>,
    /// The most one thread draws from the memory of its own node in GB/s. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub core_local_gbs: Option<f64>,
    /// The most one thread draws from the memory of another node in GB/s. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub core_remote_gbs: Option<f64>,
    /// Cache lines of 64 byte that one thread has under way: with a latency it draws at most lines x 64 byte / latency.
    /// Needs `latency_matrix_ns`. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-3, max = 1e6))]
    pub outstanding_lines: Option<f64>,
    /// The part of the bandwidth of every link that data gets. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-3, max = 1.0))]
    pub link_efficiency: Option<f64>,
    /// GB/s that the home controller loses for each GB/s read from outside, beyond it. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub remote_loss: Option<f64>,
    /// The right of remote traffic at a controller where local traffic has 1. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-3, max = 1e3))]
    pub remote_weight: Option<f64>,
    /// The model ecm: what each further thread adds to the latency of a line, in transfer times of a line. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub ecm_penalty: Option<f64>,
}

/// Kind and source of one figure.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FigureTable {
    /// Measured, theoretical, estimated or assumed.
    pub kind: FigureKind,
    /// Who measured or computed it, and how; free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How far off it may be, in percent of the figure, or of the worst one where the key has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub uncertainty_percent: Option<f64>,
}

/// An application: how much it computes per byte, and where its data lies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AppTable {
    /// Name of the application, unique over all files.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// How many equal ones; `mem` with 3 makes mem-1, mem-2 and mem-3. Default: 1. At most 10000 over all files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10000))]
    pub instances: Option<u32>,
    /// Arithmetic intensity in FLOP per byte moved to or from memory.
    #[schemars(transform = positive)]
    pub arithmetic_intensity: f64,
    /// Where the data lies. Default: "local".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataValue>,
    /// How the kernel of the benchmark (numasim bench) that stands for it uses memory. Default: "read". The models do
    /// not look at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelWord>,
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
    /// Work in GFLOP; only the makespan objective needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub work_gflop: Option<f64>,
}

/// How a kernel uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KernelWord {
    /// Reads only.
    Read,
    /// One line read, one written: `a[i] = b[i]`.
    Copy,
    /// Two lines read, one written: `a[i] = b[i] + s * c[i]`.
    Triad,
    /// Each line read and written back in place: `a[i] = s * a[i]`.
    Update,
}

/// Where data lies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum DataValue {
    /// A word.
    Word(DataWord),
    /// All data, or a share of it, on one node.
    Home(HomeTable),
    /// A share of the data on all nodes.
    Interleave(InterleaveTable),
    /// A fraction on each node.
    Fractions(FractionsTable),
}

/// Data that needs no further figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DataWord {
    /// Every thread reads the memory of its own node.
    Local,
    /// Spread evenly over all nodes.
    Interleave,
}

/// All data on one node, or a share of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HomeTable {
    /// The node, or "any": explore chooses it.
    pub home: HomeValue,
    /// The share of the data that lies there, the rest where each thread runs. Default: 1, all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: Option<f64>,
}

/// A share of the data spread evenly over all nodes, the rest where each thread runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct InterleaveTable {
    /// That share.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub interleave: f64,
}

/// A node, or "any".
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HomeValue {
    /// Number of the node, from 0.
    Node(#[schemars(range(min = 0, max = 1023))] u32),
    /// Explore chooses the node.
    Word(AnyWord),
}

/// The word "any".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnyWord {
    /// Explore chooses.
    Any,
}

/// A fraction of the data on each node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FractionsTable {
    /// One fraction for each node; they sum to 1.
    #[schemars(inner(range(min = 0.0)), length(min = 1, max = 1024))]
    pub fractions: Vec<f64>,
}

/// One way of placing the threads.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ScenarioTable {
    /// Name of the scenario, unique over all files.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// Threads by the name of an application or of one instance; an application that is not named has none.
    pub threads: BTreeMap<String, ThreadsValue>,
    /// Data that lies elsewhere in this scenario, by the name of an application or of one instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, DataValue>>,
}

/// Threads of one application.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ThreadsValue {
    /// This many on every node that has cores.
    EveryNode(u32),
    /// One entry for each node.
    PerNode(Vec<u32>),
}

/// More than 0: 1e-30 to 1e30, so that products and quotients stay finite.
fn positive(schema: &mut Schema) {
    schema.insert("minimum".to_owned(), 1e-30.into());
    schema.insert("maximum".to_owned(), 1e30.into());
}

/// The two forms of nodes and the two forms of bandwidths exclude each other.
fn either_form(schema: &mut Schema) {
    let form = |keys: &[&str], other: &str| {
        let given: Vec<_> = keys.iter().map(|key| json_schema!({ "required": [key] })).collect();
        json_schema!({ "required": [other], "not": { "anyOf": given } })
    };
    let mut forms = json_schema!({ "allOf": [
        { "oneOf": [
            { "required": ["nodes", "cores_per_node", "gflops_per_core"], "not": { "required": ["node"] } },
            form(&["nodes", "cores_per_node", "gflops_per_core", "cpus"], "node"),
        ] },
        { "oneOf": [
            { "required": ["bandwidth_gbs"], "not": { "required": ["bandwidth_matrix_gbs"] } },
            form(&["bandwidth_gbs", "link_gbs"], "bandwidth_matrix_gbs"),
        ] },
    ] });
    if let Some(all) = forms.remove("allOf") {
        schema.insert("allOf".to_owned(), all);
    }
}

/// A node with cores needs their peak.
fn peak_where_cores(schema: &mut Schema) {
    let with_cores = json_schema!({ "properties": { "cores": { "minimum": 1 } } });
    let then = json_schema!({
        "required": ["gflops_per_core"], "properties": { "gflops_per_core": { "minimum": 1e-30 } }
    });
    schema.insert("if".to_owned(), with_cores.into());
    schema.insert("then".to_owned(), then.into());
}
