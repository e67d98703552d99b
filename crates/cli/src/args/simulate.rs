//! The command line of `numasim simulate`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint, value_parser};
use numasim_ask::over_time::did_you_mean;
use numasim_model::ModelKind;
use numasim_policy::{NameError, PolicyName};

use super::model;
use crate::output::OutputArgs;

/// `numasim simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// TOML files, read as one: exactly one [machine], [[app]] with their work, and where there are any [[channel]],
    /// [[call]], [[command]], [policy], [os] and [cluster]
    #[arg(value_name = "FILE", required_unless_present = "replay", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Who decides about threads; several are compared, with ratios to the first [default: that of [policy] in the
    /// files, else none]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = policy, action = ArgAction::Append)]
    pub(crate) policy: Vec<PolicyName>,

    /// Bandwidth-sharing model [default: that of the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = model::one())]
    pub(crate) model: Option<ModelKind>,

    /// End the simulation after so many seconds of simulated time [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = simulated_seconds, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,

    /// Seed of the work of tasks with a task_spread; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Simulate with N seeds, from --seed on, and show mean and spread
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,

    /// Put the run that `numasim run` wrote to DIR beside the simulation, with errors; its policy is the default. With
    /// --plot, both are in one picture. One policy and one run
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) compare: Option<PathBuf>,

    /// Write what every application does over time to FILE, as CSV; one policy and one run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) timeline: Option<PathBuf>,

    /// Draw the cores of each application over time, a strip for each node, and the items in channels below, as SVG, PNG
    /// or PDF; with --compare, the run above the simulation, with threads, orders, progress and errors. One policy and one run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,

    /// Write what the policy saw and decided to FILE, as JSON lines; one policy and one run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,

    /// Ask the policy again for every decision in FILE, of --trace or of an agent, and compare: exit code 1 where one
    /// differs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["files", "policy", "model", "until", "seed", "runs", "timeline", "plot", "trace"])]
    pub(crate) replay: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Reads `--policy`.
pub(super) fn policy(text: &str) -> Result<PolicyName, String> {
    text.parse().map_err(|error: NameError| match did_you_mean(&error) {
        Some(near) => format!("{error}; did you mean '{near}'?"),
        None => error.to_string(),
    })
}

/// Reads `--until`.
pub(super) fn simulated_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err("write a number of seconds, zero or more, such as 0.5 or 60".to_owned()),
    }
}
