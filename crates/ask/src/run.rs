//! Run: applications as processes on a host, described with the terms of simulations. The values come from the front end that observes
//! the processes.

use numasim_course::Study;
use serde::Serialize;

use crate::document::Head;
use crate::simulate::ChannelObject;
use crate::table::Of;

/// A run on this host. Values that cannot be observed from outside are null.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostRun {
    #[serde(flatten)]
    head: Head,
    /// Name of the machine.
    machine: String,
    /// The policy of the run.
    policy: String,
    /// The reason why the run ended.
    ended: Ended,
    /// Time at which the last application finished, in seconds.
    makespan_s: Option<f64>,
    /// End of the run, in seconds.
    time_s: f64,
    /// The applications.
    apps: Vec<HostApp>,
    /// The channels.
    channels: Vec<ChannelObject>,
    /// Commands that the agent sent.
    commands: Option<u64>,
    /// Start time of the agent, in seconds of the run: below 0.
    agent_started_s: Option<f64>,
    /// The failure, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// The values of [`HostRun`] that do not come from its study.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The policy of the run.
    pub policy: String,
    /// The reason why the run ended.
    pub ended: Ended,
    /// The failure, if there was one.
    pub why: Option<String>,
    /// Time at which the last application finished, in seconds.
    pub makespan_s: Option<f64>,
    /// End of the run, in seconds.
    pub time_s: f64,
    /// The applications, in the order of the files.
    pub apps: Vec<HostApp>,
    /// Maximum and mean number of items in each channel, in the order of the files.
    pub channels: Vec<(u64, f64)>,
    /// Commands that the agent sent.
    pub orders: Option<u64>,
    /// Start time of the agent, in seconds of the run.
    pub agent_started_s: Option<f64>,
}

impl HostRun {
    /// A run of the applications of `study`.
    pub fn new(study: &Study, observed: Observed) -> Self {
        let Observed { policy, ended, why, makespan_s, time_s, apps, channels, orders, agent_started_s } =
            observed;
        let channels = channels.into_iter().zip(&study.dynamics.channels);
        Self {
            head: Head::of("run"),
            machine: study.machine.name().to_owned(),
            policy,
            ended,
            makespan_s,
            time_s,
            apps,
            channels: channels
                .map(|((most, mean), channel)| ChannelObject::of(study, channel, most, mean))
                .collect(),
            commands: orders,
            agent_started_s,
            why,
        }
    }
}

/// The reason why the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "a description of a variant would be part of the schema")]
pub enum Ended {
    Finished,
    Until,
    Interrupted,
    Failed,
}

/// One application.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostApp {
    /// Its name.
    pub name: String,
    /// Time of its arrival, in seconds.
    pub arrived_s: Option<f64>,
    /// Time at which it finished, in seconds.
    pub finished_s: Option<f64>,
    /// Number of iterations that it finished.
    pub iterations: Option<u64>,
    /// Its computed work, in GFLOP.
    pub gflop: Option<f64>,
    /// Data that it moved, in GB (10^9 bytes).
    pub gb: Option<f64>,
    /// Pages of its data on each node.
    pub pages: Option<Vec<u64>>,
    /// Number of misplaced pages.
    pub misplaced_pages: Option<u64>,
    /// Mean number of cores that its tasks kept busy: their CPU time divided by the time from its arrival to its end.
    pub mean_cores: Option<f64>,
    /// Time of waiting for input from other applications, in seconds.
    pub wait_input_s: f64,
    /// Time of waiting for space for its output, in seconds.
    pub wait_output_s: f64,
    /// Time of waiting for calls, in seconds.
    pub wait_call_s: f64,
    /// Mean GFLOPS from its arrival to its end.
    pub mean_gflops: Option<f64>,
    /// Thread-seconds without a task.
    pub idle_s: Option<f64>,
    /// Thread-seconds that commands prevented from running.
    pub blocked_s: Option<f64>,
}

impl HostApp {
    /// The columns of `run`.
    pub fn columns<'v>() -> [Of<'v, Self>; 7] {
        let number =
            |name, title, value: fn(&Self) -> Option<f64>| Of::number(name, value).titled(title).rounded();
        [
            Of::text("app", |app: &Self| app.name.clone()).titled("application"),
            number("arrived_s", "arrived\ns", |app| app.arrived_s),
            number("finished_s", "finished\ns", |app| app.finished_s),
            Of::whole("iterations", |app: &Self| app.iterations).written(|count| count.to_string()),
            number("gflop", "work\nGFLOP", |app| app.gflop),
            number("mean_gflops", "mean\nGFLOPS", |app| app.mean_gflops),
            number("mean_cores", "mean\ncores", |app| app.mean_cores),
        ]
    }

    /// Its waiting times.
    pub fn waits<'v>() -> [Of<'v, Self>; 3] {
        let wait = |name, title, value: fn(&Self) -> f64| Of::number(name, value).titled(title).rounded();
        [
            wait("wait_input_s", "waits for\ninput s", |app| app.wait_input_s),
            wait("wait_output_s", "waits for\nroom s", |app| app.wait_output_s),
            wait("wait_call_s", "waits for\na call s", |app| app.wait_call_s),
        ]
    }
}
