//! `numasim run`.

use schemars::JsonSchema;

use super::OrNull;
use super::simulate::Channel;

/// A run on this host. What nobody can see from outside is null.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Run {
    /// Version of the document.
    #[schemars(extend("const" = 1))]
    schema: u64,
    /// Who wrote it.
    #[schemars(extend("const" = "run"))]
    command: String,
    /// Name of the machine.
    machine: String,
    /// Who decided.
    policy: String,
    /// Why it is over.
    ended: Ended,
    /// What failed, where something did.
    why: Option<String>,
    /// When the last application was finished, in seconds.
    makespan_s: OrNull<f64>,
    /// When it ended, in seconds.
    time_s: f64,
    /// The applications.
    apps: Vec<App>,
    /// The channels.
    channels: Vec<Channel>,
    /// Orders that the agent sent.
    commands: OrNull<u64>,
    /// When the agent had started, in seconds of the run: below 0.
    agent_started_s: OrNull<f64>,
}

/// Why it is over.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum Ended {
    Finished,
    Until,
    Interrupted,
    Failed,
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
    iterations: OrNull<u64>,
    /// What it computed, in GFLOP.
    gflop: OrNull<f64>,
    /// What it moved, in GB (10^9 bytes).
    gb: OrNull<f64>,
    /// Pages of its data on each node.
    pages: OrNull<Vec<u64>>,
    /// Pages that are not where they should be.
    misplaced_pages: OrNull<u64>,
    /// Threads that it ran on average.
    mean_threads: OrNull<f64>,
    /// How long it waited for input of others, in seconds.
    wait_input_s: f64,
    /// How long it waited for room for its output, in seconds.
    wait_output_s: f64,
    /// How long it waited for calls, in seconds.
    wait_call_s: f64,
    /// GFLOPS on average while it was there.
    mean_gflops: OrNull<f64>,
    /// Thread-seconds without a task.
    idle_s: OrNull<f64>,
    /// Thread-seconds kept from running.
    blocked_s: OrNull<f64>,
}
