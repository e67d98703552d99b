//! The command lines of `numasim agent`, `run` and `top`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Subcommand, ValueEnum, ValueHint};
use numasim_kernels::loops::Isa;
use numasim_policy::PolicyName;

use crate::args::{LookArgs, measure, seconds, time};
use crate::output::Format;

// The command line of `numasim agent`.

/// Longest period in ms.
const LONGEST_MS: f64 = 60_000.0;

const AGENT: &str = "\
Examples:
  numasim agent
  numasim agent study.toml --policy lead:2 --record decisions.jsonl
  numasim agent --policy fair-share --period-ms 0 --socket /tmp/mine/agent.sock
  numasim agent --adopt solver=4711 --adopt database=/sys/fs/cgroup/database
  numasim agent machine.toml --this-host --dry-run --adopt solver=4711
  numasim agent status
  numasim agent status --format json
  numasim agent stop
  numasim simulate --replay decisions.jsonl

It runs in the foreground until Ctrl-C, SIGTERM, SIGHUP or `agent stop`. Applications of the same user find it by its socket; \
those that connect under the name of an [[app]] get its arithmetic_intensity, scaling, channels and limits. It supports the policies of \
`numasim simulate --help`, except script; policies that evaluate the model need [machine]. Write `./status` for a file called `status`.";

/// `numasim agent`.
#[derive(Debug, Args)]
#[command(after_help = AGENT)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AgentCommand>,

    /// TOML files, read as one: [machine], and where there are any [[app]], [[channel]], [[scenario]] and [policy]
    /// [default machine: this host]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// The policy that assigns threads [default: the policy in the files, else fair-share]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = time::policy)]
    pub(crate) policy: Option<PolicyName>,

    /// Time between two decisions, 1 to 60000; 0: whenever something changes [default: that of [policy] in the files,
    /// else 80]
    #[arg(long, value_name = "MS", value_parser = period_ms, allow_negative_numbers = true)]
    pub(crate) period_ms: Option<f64>,

    /// Where applications connect [default: NUMASIM_AGENT, else $XDG_RUNTIME_DIR/numasim/agent.sock, else
    /// numasim-UID/agent.sock in the system's folder for temporary files]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) socket: Option<PathBuf>,

    /// Write what the policy sees and decides to FILE, as JSON lines, for `simulate --replay`; an existing FILE is rejected
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) record: Option<PathBuf>,

    /// Write the start of the record and exit: applications with NUMASIM_RECORD=FILE take turns as the agent
    #[arg(long, requires = "record", conflicts_with_all = ["dry_run", "adopt"])]
    pub(crate) record_only: bool,

    /// Decide and record, but send no commands
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Take the [machine] of the files for this host, or for its first nodes and cores: for --adopt, and for the load in
    /// `agent status`
    #[arg(long)]
    pub(crate) this_host: bool,

    /// Control a process without agent support: move its threads by their affinity, or move all processes in a control
    /// group (a folder of cgroup v2) by its cpuset if that is writable; may be given several times
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
    /// Show the state and the decisions of an agent
    Status {
        /// Path of its socket [default: as for numasim agent]
        #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
        socket: Option<PathBuf>,
        /// Output format
        #[arg(long, value_name = "FORMAT", default_value = "table")]
        format: StatusFormat,
    },
    /// Stop an agent, and wait until it has exited
    Stop {
        /// Path of its socket [default: as for numasim agent]
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

// The command line of `numasim top`.

const TOP: &str = "\
If an agent is running, it polls the agent and shows its nodes, applications and last commands, in 80 columns or more. q, Esc or Ctrl-C quits.
Without an agent, it shows the host: cores in use, GB/s and the remote share of each node and L3 cache (from monitoring groups of resctrl), GB/s of each
socket (from counters of the memory controllers, if the system permits it), and the applications by node, as `snapshot` finds them.

Threads: # runs a task, . has none, x is blocked. `order` is the last command, `sent/ack` its number and the last one that
the application acknowledged. GB/s are estimated from the description of the work in FILE and the progress, never measured;
without FILE they are not shown.

Examples:
  numasim top
  numasim top machine.toml apps.toml
  numasim top --once
  numasim top --once --root recorded";

/// `numasim top`.
#[derive(Debug, Args)]
#[command(after_help = TOP)]
pub(crate) struct TopArgs {
    /// TOML files that describe the applications: the bandwidth is estimated from their work, arithmetic_intensity and
    /// progress; without them it is not shown
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Path of the agent's socket [default: NUMASIM_AGENT, else the agent's own default]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) socket: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) look: LookArgs,

    /// Time between two updates, in milliseconds
    #[arg(long, value_name = "MS", default_value = "500", value_parser = interval)]
    pub(crate) interval_ms: Duration,

    /// Print one frame as plain text and exit
    #[arg(long)]
    pub(crate) once: bool,
}

/// Reads `--interval-ms`.
fn interval(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(ms @ 20..=60_000) => Ok(Duration::from_millis(ms)),
        _ => Err("write a whole number of milliseconds from 20 to 60000, such as 500".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_20_ms_to_a_minute() {
        assert_eq!(interval("20"), Ok(Duration::from_millis(20)));
        assert_eq!(interval("60000"), Ok(Duration::from_secs(60)));
        for wrong in ["19", "60001", "-1", "0.5", "500ms", ""] {
            assert!(interval(wrong).is_err(), "{wrong} was accepted");
        }
    }
}

// The command line of `numasim run`.

const RUN: &str = "\
Each application is a process: with task_gflop or work_gflop it does that work with the kernels of `bench`, on numasim's task
runtime; with a `command` it is that program. Channels and calls are counts in shared memory. An agent of the run, or the one at
--socket, decides with the policy. The machine of the files has to be this host, or a part of it.

DIR gets timeline.csv (columns as those of `simulate --timeline`), result.json, provenance.json, agent.jsonl (for `simulate
--replay`) and app-N.out and app-N.err of programs. `simulate FILE... --compare DIR` compares the simulation with it.

However it ends (Ctrl-C, a failing application, --until, or completion), it leaves no process behind.

Examples:
  numasim run machine.toml apps.toml --policy lead:2 -o run-1
  numasim run machine.toml apps.toml --no-agent -o run-2
  numasim run machine.toml apps.toml --agent-in-apps --policy lend -o run-3
  numasim run machine.toml apps.toml --explore -o run-4";

/// `numasim run`.
#[derive(Debug, Args)]
#[command(after_help = RUN)]
pub(crate) struct RunArgs {
    /// TOML files, read as one: exactly one [machine], which is this host or a part of it, [[app]] with their work or a
    /// `command`, and where there are any [[channel]], [[call]] and [policy]
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// The policy that assigns threads [default: the policy in the files, else fair-share]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = time::policy)]
    pub(crate) policy: Option<PolicyName>,

    /// Choose the placement with the largest total GFLOPS first, as `explore` does, and apply it: policy static
    #[arg(long, conflicts_with_all = ["policy", "no_agent", "socket"])]
    pub(crate) explore: bool,

    /// Use the agent that listens at PATH, and its policy [default: a separate agent for this run]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, conflicts_with = "policy")]
    pub(crate) socket: Option<PathBuf>,

    /// Run without an agent: all threads run
    #[arg(long, conflicts_with_all = ["policy", "socket"])]
    pub(crate) no_agent: bool,

    /// Run without a separate agent: one application serves, and when it ends or is killed the next one takes over
    #[arg(long, conflicts_with_all = ["no_agent", "socket"])]
    pub(crate) agent_in_apps: bool,

    /// The library that is preloaded into each `command` with control "total" or "per-node", so that its OpenMP and oneTBB follow
    /// the agent [default: libnumasim_agent.so next to numasim, else in ../lib/numasim]
    #[arg(long, value_name = "PATH", env = "NUMASIM_LIBRARY", hide_env = true, value_hint = ValueHint::FilePath)]
    pub(crate) agent_library: Option<PathBuf>,

    /// Stop after SECONDS [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) until: Option<Duration>,

    /// Seed of the work of tasks with a task_spread: the same tasks as those of `simulate` with this seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Time between two rows of the timeline, in milliseconds
    #[arg(long, value_name = "MS", default_value = "50", value_parser = sample)]
    pub(crate) sample_ms: Duration,

    /// Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]
    #[arg(long, value_name = "NAME")]
    pub(crate) isa: Option<Isa>,

    /// Size of each thread's data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = measure::size)]
    pub(crate) memory_per_thread: Option<u64>,

    /// Take memory of item_mb for each item of a channel, from when it is produced until it is finished
    #[arg(long)]
    pub(crate) real_items: bool,

    /// Write everything into this new folder
    #[arg(short, long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Format of the summary on standard output
    #[arg(long, value_name = "FORMAT", default_value = "table", help_heading = "Output")]
    pub(crate) format: Format,
}

/// Reads `--sample-ms`.
fn sample(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(ms @ 1..=60_000) => Ok(Duration::from_millis(ms)),
        _ => Err("write a whole number of milliseconds from 1 to 60000, such as 50".to_owned()),
    }
}

#[cfg(test)]
mod run_tests {
    use super::*;

    #[test]
    fn a_row_comes_each_millisecond_to_each_minute() {
        assert_eq!(sample("1"), Ok(Duration::from_millis(1)));
        for wrong in ["0", "60001", "1.5", "-1", ""] {
            assert!(sample(wrong).is_err(), "{wrong} was accepted");
        }
    }
}
