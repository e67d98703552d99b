//! `[[scenario]]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::data::DataValue;

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
    /// Whether the work of each application is divided equally among its threads beforehand, so that its slowest thread decides. Default: false.
    #[serde(rename = "static", skip_serializing_if = "Option::is_none")]
    pub static_work: Option<bool>,
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
