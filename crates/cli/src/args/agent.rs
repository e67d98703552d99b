//! The command line of `numasim agent`.

use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand, ValueEnum, ValueHint};
use numasim_policy::PolicyName;

use super::simulate;

/// Longest period in ms.
const LONGEST_MS: f64 = 60_000.0;

/// `numasim agent`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AgentCommand>,

    /// TOML files, read as one: [machine], and where there are any [[app]], [[channel]], [[scenario]] and [policy]
    /// [default machine: this host]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Who decides about threads [default: that of [policy] in the files, else fair-share]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = simulate::policy)]
    pub(crate) policy: Option<PolicyName>,

    /// Time between two decisions, 1 to 60000; 0: whenever something changes [default: that of [policy] in the files,
    /// else 80]
    #[arg(long, value_name = "MS", value_parser = period_ms, allow_negative_numbers = true)]
    pub(crate) period_ms: Option<f64>,

    /// Where applications connect [default: NUMASIM_AGENT, else $XDG_RUNTIME_DIR/numasim/agent.sock, else
    /// numasim-UID/agent.sock in the system's folder for temporary files]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) socket: Option<PathBuf>,

    /// Write what the policy sees and decides to FILE, as JSON lines, for `simulate --replay`; a FILE that exists is refused
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) record: Option<PathBuf>,

    /// Decide and record, but send no orders
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Take the [machine] of the files for this host, or for its first nodes and cores: for --adopt, and for the load in
    /// `agent status`
    #[arg(long)]
    pub(crate) this_host: bool,

    /// Move the threads of a process that knows nothing of agents by their affinity, or of all processes in a control
    /// group (a folder of cgroup v2) by its cpuset where that may be written; may be given several times
    #[arg(long, value_name = "NAME=PID|/FOLDER", value_parser = adopted, action = ArgAction::Append)]
    pub(crate) adopt: Vec<Adopted>,

    /// As --adopt, from when the process has become another program; for `numasim run`
    #[arg(long, value_name = "NAME=PID", value_parser = adopted, action = ArgAction::Append, hide = true)]
    pub(crate) adopt_started: Vec<Adopted>,
}

/// What is to be adopted, and what to call it.
#[cfg(target_os = "linux")]
pub(crate) use numasim_agent::adopt::Wanted as Adopted;

/// Nothing is adopted elsewhere.
#[cfg(not(target_os = "linux"))]
pub(crate) type Adopted = String;

/// What is asked of an agent that runs.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Show what an agent knows and has decided
    Status {
        /// Where it listens [default: as for numasim agent]
        #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
        socket: Option<PathBuf>,
        /// How to write it
        #[arg(long, value_name = "FORMAT", default_value = "table")]
        format: StatusFormat,
    },
    /// End an agent, and wait until it is gone
    Stop {
        /// Where it listens [default: as for numasim agent]
        #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
        socket: Option<PathBuf>,
    },
}

/// How a status is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusFormat {
    /// For people
    #[default]
    Table,
    /// For programs; one object
    Json,
}

/// Whether an agent may decide so often.
pub(crate) fn is_period(ms: f64) -> bool {
    ms == 0.0 || (1.0..=LONGEST_MS).contains(&ms)
}

/// Reads `--period-ms`.
fn period_ms(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ms) if is_period(ms) => Ok(ms.abs()),
        _ => Err(format!("write a number of milliseconds from 1 to {LONGEST_MS}, or 0, such as 80")),
    }
}

/// Reads `--adopt`.
#[cfg(target_os = "linux")]
fn adopted(text: &str) -> Result<Adopted, String> {
    text.parse().map_err(|error: numasim_agent::adopt::WantedError| error.to_string())
}

/// Reads `--adopt`.
#[cfg(not(target_os = "linux"))]
fn adopted(_: &str) -> Result<Adopted, String> {
    Err("an agent runs on Linux only".to_owned())
}
