//! `numasim sweep`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::OrNull;

/// Results at the points of a grid.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Sweep {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "sweep"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// The sharing model of the files.
    model: String,
    /// The keys that are varied, as `--set` takes them.
    keys: Vec<String>,
    /// With `--explore`: what is best.
    objective: Option<String>,
    /// A row for each point, and scenario or policy.
    rows: Vec<Row>,
}

/// One row. Keys that a kind of sweep does not have are missing.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Row {
    /// The value of each key, in its unit; words for keys that have words.
    point: BTreeMap<String, Value>,
    /// The scenario.
    scenario: Option<OrNull<String>>,
    /// `optimal` or `feasible`, or why there is no result.
    status: Option<OrNull<String>>,
    /// The objective, in its unit.
    value: Option<OrNull<f64>>,
    /// No allocation is better than this.
    bound: Option<OrNull<f64>>,
    /// |bound - value| / |bound|.
    gap: Option<OrNull<f64>>,
    /// Sum of the GFLOPS of all applications.
    total_gflops: Option<OrNull<f64>>,
    /// The policy.
    policy: Option<OrNull<String>>,
    /// When the last application was finished, in seconds.
    makespan_s: Option<OrNull<f64>>,
    /// Orders that were sent.
    commands: Option<OrNull<u64>>,
    /// Threads that orders unblocked.
    core_moves: Option<OrNull<u64>>,
    /// Nodes whose own threads get less than an equal part because of reads of others.
    starved_nodes: Option<Vec<u64>>,
    /// Why there is no result.
    reason: Option<OrNull<String>>,
    /// What to know beside the value, as stable words.
    cautions: Option<Vec<String>>,
    /// The applications; empty where there is no result.
    apps: Vec<App>,
    /// The channels.
    channels: Option<Vec<Channel>>,
}

/// One application.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct App {
    /// Its name.
    name: String,
    /// Its GFLOPS.
    gflops: Option<OrNull<f64>>,
    /// Threads on each node.
    threads: Option<Vec<u64>>,
    /// The node of its data.
    home: Option<OrNull<u64>>,
    /// When it was finished, in seconds.
    finished_s: Option<OrNull<f64>>,
}

/// One channel.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Channel {
    /// The producer.
    from: String,
    /// The consumer.
    to: String,
    /// Most items in it.
    max_items: OrNull<u64>,
}
