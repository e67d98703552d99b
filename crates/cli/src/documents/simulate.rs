//! `numasim simulate`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::OrNull;

/// Simulations, or a replay.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Simulate {
    Runs(Runs),
    Replay(Replayed),
}

/// Applications over time.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Runs {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "simulate"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// The sharing model.
    model: String,
    /// Its parameters, where they are not the defaults; `numasim models` has their units.
    model_parameters: Option<BTreeMap<String, f64>>,
    /// A simulation for each policy and seed.
    runs: Vec<Run>,
    /// With `--compare`: beside a run on a host.
    compare: Option<BTreeMap<String, Value>>,
}

/// With `--replay`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Replayed {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "simulate"))]
    command: String,
    /// What was asked again.
    replay: Replay,
}

/// What was asked again.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Replay {
    /// How often the policy was asked.
    decisions: u64,
    /// The orders it sent.
    actions: u64,
}

/// One simulation.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Run {
    /// Who decides, as `--policy` takes it.
    policy: String,
    /// Seed of random work.
    seed: u64,
    /// When the last application was finished, in seconds; null where one is not.
    makespan_s: OrNull<f64>,
    /// Events of the simulation.
    events: u64,
    /// The applications.
    apps: Vec<App>,
    /// The channels.
    channels: Vec<Channel>,
    /// Orders that were sent.
    commands: u64,
    /// Threads that orders unblocked.
    core_moves: u64,
    /// From an order to the last thread that blocks.
    reaction_s: Reaction,
    /// The cluster of which the machine is one node.
    cluster: Option<Cluster>,
    /// When it ended, in seconds.
    time_s: f64,
    /// No policy is faster, in seconds; null where nothing is known.
    lower_bound_s: OrNull<f64>,
    /// Ended by Ctrl-C.
    partial: bool,
}

/// One application.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct App {
    /// Its name.
    name: String,
    /// When it came, in seconds.
    arrived_s: OrNull<f64>,
    /// When it was finished, in seconds.
    finished_s: OrNull<f64>,
    /// Iterations that it finished.
    iterations: u64,
    /// What it computed, in GFLOP.
    gflop: f64,
    /// Threads that it ran on average.
    mean_threads: f64,
    /// How long it waited for input of others, in seconds.
    wait_input_s: f64,
    /// How long it waited for room for its output, in seconds.
    wait_output_s: f64,
    /// How long it waited for calls, in seconds.
    wait_call_s: f64,
    /// GFLOPS on average while it was there.
    mean_gflops: OrNull<f64>,
    /// Thread-seconds without work.
    idle_s: f64,
    /// Thread-seconds kept from running by orders.
    blocked_s: f64,
    /// Thread-seconds on cores that others used, too.
    shared_s: f64,
}

/// One channel.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Channel {
    /// The producer.
    from: String,
    /// The consumer.
    to: String,
    /// Most items in it.
    max_items: u64,
    /// Items in it on average.
    mean_items: f64,
    /// Most data in it, in MB (10^6 bytes).
    max_mb: f64,
    /// Data in it on average, in MB.
    mean_mb: f64,
}

/// From an order to the last thread that blocks.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Reaction {
    /// On average, in seconds.
    mean: f64,
    /// At most, in seconds.
    max: f64,
    /// Orders that are counted.
    count: u64,
}

/// The cluster.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Cluster {
    /// When its last node is done, in seconds.
    makespan_s: f64,
    /// How many times as fast as `static-even` on all nodes.
    speedup: f64,
}
