//! The command lines of the commands over time: `numasim simulate`, `tasks`, `profile` and `plan`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{ArgAction, Args, ValueHint, value_parser};
use numasim_ask::over_time::did_you_mean;
use numasim_graph::values::{PagePlacement, SchedulerKind, TaskScenario};
use numasim_model::ModelKind;
use numasim_plan::Pattern;
use numasim_policy::{NameError, PolicyName};

use crate::args::{ModelArgs, named, one_model};
use crate::output::{Format, OutputArgs};

// The command line of `numasim plan`.

const PLAN: &str = "\
Examples:
  numasim plan profile -o plan
  numasim plan profile --pattern hints -o plan --format json
  numasim tasks machine.toml stencil2d.toml --scheduler tbb,hint,plan --plan plan --placement numa

Tasks that were created in the same way form one class, so that a plan from a few iterations is valid for any number. Writes plan-dbs.csv and \
plan-tree.csv, which a run reads, and plan.toml, which contains the whole plan.";

/// `numasim plan`.
#[derive(Debug, Args)]
#[command(after_help = PLAN)]
pub(crate) struct PlanArgs {
    /// A profile: the folder that `numasim profile` or OCR-Vx wrote; or TOML files, read as one, with a [machine] and the graph
    /// to be planned
    #[arg(value_name = "DIR|FILE", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) from: Vec<PathBuf>,

    /// For a profile: how blocks are distributed over nodes: consecutive ones together, round-robin, or as the programmer specified
    /// [default: block]
    #[arg(long, value_name = "PATTERN", value_parser = named(Pattern::ALL, |pattern| pattern.as_str()))]
    pub(crate) pattern: Option<Pattern>,

    /// Plan the graph in blocks.csv and tasks.csv in DIR, for the machine in the files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "pattern")]
    pub(crate) graph: Option<PathBuf>,

    /// For a graph: bandwidth-sharing model [default: the model in the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = one_model(), conflicts_with = "pattern")]
    pub(crate) model: Option<ModelKind>,

    /// Write the plan to PLAN: plan.toml with plan-dbs.csv and plan-tree.csv, or for a graph with blocks.csv, tasks.csv and
    /// edges.csv
    #[arg(short, long, value_name = "PLAN", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Format of the summary on standard output
    #[arg(long, value_name = "FORMAT", default_value = "table", help_heading = "Output")]
    pub(crate) format: Format,
}

// The command line of `numasim profile`.

const PROFILE: &str = "\
Examples:
  numasim profile machine.toml stencil2d.toml -o profile
  numasim profile machine.toml --graph DIR -o profile
  numasim plan profile -o plan

The program is a tree: the master creates one task, which creates all others. Each task runs alone on the first core, \
once with each of its blocks local and all others remote, and once in the whole run. The files ptrace-*.csv have the format of OCR-Vx, with \
simulated seconds.";

/// `numasim profile`.
#[derive(Debug, Args)]
#[command(after_help = PROFILE)]
pub(crate) struct ProfileArgs {
    /// TOML files, read as one: exactly one [machine], and [[block]] and [[task]] or a [graph] with a generator
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Read the graph from blocks.csv and tasks.csv in DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) graph: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sharing: ModelArgs,

    /// Write the files ptrace-*.csv to DIR
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) output: PathBuf,
}

// The command line of `numasim simulate`.

const SIMULATE: &str = "\
Examples:
  numasim simulate study.toml
  numasim simulate study.toml --policy none --policy fair-share --policy lead:2
  numasim simulate study.toml --policy lead:2 --plot cores.svg
  numasim simulate study.toml --policy lead:2 --timeline cores.csv
  numasim simulate study.toml --policy lend --until 60 --format json -o run.json
  numasim simulate study.toml --runs 20 --seed 1
  numasim simulate study.toml --policy reexplore --trace decisions.jsonl
  numasim simulate study.toml --compare run-1 --plot both.svg
  numasim simulate --replay decisions.jsonl

Policies (SCENARIO is one of the files):
  none             no policy: all threads run, even if there are more than cores
  script           the commands of the files, [[command]]
  static-even      all applications share the cores, whether they wait or not
  static:SCENARIO  the threads and the data of a scenario
  fair-share       the applications that do not wait share the cores
  lead:K           as fair-share, and a producer K items ahead waits [K: 2]
  lend             as static-even, and an application lends cores it does not need
  oversubscribe:N  as fair-share, with N more threads per node for applications
                   with io_ms [N: 1]
  marginal         each core goes where it adds most GFLOPS
  reexplore        the placement of explore --objective total-gflops, computed
                   again after each change
  replan           as reexplore, considering the remaining work and the cost of
                   a move

Each [[app]] needs its work: work_gflop (over all iterations) or task_gflop (for each task). [policy] contains period_ms (0: the policy \
decides whenever something changes) and command_ms (delay from a command to its effect), [os] the cost of running more threads \
than cores. The lower bound on the makespan holds for every policy: no placement does the work faster.

--timeline has the columns time_s, app, node, running (threads in a task), busy (cores that they use), idle, blocked, \
gflops, gbs, and items (in the channels out of the application). A row holds until the next one of the same application and \
node. --trace contains the input files and then, one JSON object per line, what the policy saw and decided; --replay asks the same \
policy again for each line and exits with code 1 at the first command that differs.

If no application can make progress and no event is pending (a deadlock), the message names the waiting applications and what they wait for; exit code 1. Applications that are not \
finished at --until have null in JSON; exit code 0, with a warning. Ctrl-C writes the simulation up to that point, marks \
it as partial, and exits with 130.

All results follow from the model; nothing is measured.";

/// `numasim simulate`.
#[derive(Debug, Args)]
#[command(after_help = SIMULATE)]
pub(crate) struct SimulateArgs {
    /// TOML files, read as one: exactly one [machine], [[app]] with their work, and optionally [[channel]],
    /// [[call]], [[command]], [policy], [os] and [cluster]
    #[arg(value_name = "FILE", required_unless_present = "replay", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// The policy that assigns threads; several are compared, with ratios to the first [default: the policy in the files,
    /// else none]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = policy, action = ArgAction::Append)]
    pub(crate) policy: Vec<PolicyName>,

    #[command(flatten)]
    pub(crate) sharing: ModelArgs,

    /// Stop the simulation after SECONDS of simulated time [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = simulated_seconds, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,

    /// Seed of the random draws (task_spread, task_jitter, wake); the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Simulate with N seeds, from --seed on, and show mean and spread (standard deviation / mean)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,

    /// Compare the simulation with the run that `numasim run` wrote to DIR, with errors; its policy is the default. With
    /// --plot, both are in one plot. One policy and one run
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) compare: Option<PathBuf>,

    /// Write what every application does over time to FILE, as CSV; one policy and one run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) timeline: Option<PathBuf>,

    /// Draw the cores of each application over time, a strip for each node, and the items in channels below, as SVG, PNG
    /// or PDF; with --compare, the run above the simulation, with threads, commands, progress and errors. One policy and one run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,

    /// Write what the policy saw and decided to FILE, as JSON lines; one policy and one run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,

    /// Ask the policy again for every decision in FILE, from --trace or from an agent, and compare: exit code 1 if one
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

// The command line of `numasim tasks`.

const TASKS: &str = "\
Examples:
  numasim tasks configs/tasks/three.toml
  numasim tasks machine.toml gauss-seidel.toml --scheduler fifo,sa,dep,rip-dep --runs 10
  numasim tasks machine.toml gauss-seidel.toml --scheduler dep --gantt dep.svg --trace dep.json
  numasim tasks machine.toml --graph DIR --scheduler fifo,dep --format json -o runs.json
  numasim tasks machine.toml qr.toml --emit-graph DIR

A task is one thread of the sharing model with its own data fractions; the last-level cache of each node (llc_mb in
the machine file) serves bytes by their reuse distance. Times are simulated seconds; bytes are those that tasks move.";

/// `numasim tasks`.
#[derive(Debug, Args)]
#[command(after_help = TASKS)]
pub(crate) struct TasksArgs {
    /// TOML files, read as one: exactly one [machine], and [[block]] and [[task]], a [program] of loops or a [graph] with a
    /// generator; optionally [scheduler], [runtime] and [contender]
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Read the graph from blocks.csv and tasks.csv in DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) graph: Option<PathBuf>,

    /// The scheduler that chooses where each task runs; several are compared, with speedups over the first [default: the
    /// scheduler in the files, else fifo]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = scheduler())]
    pub(crate) scheduler: Vec<SchedulerKind>,

    /// Read plan-tree.csv and plan-dbs.csv in PLAN, for the scheduler plan
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::DirPath)]
    pub(crate) plan: Option<PathBuf>,

    /// Data placement of the blocks, page by page
    #[arg(long, value_name = "PLACEMENT", default_value = "first-touch", value_parser = named(PagePlacement::ALL, |placement| placement.as_str()))]
    pub(crate) placement: PagePlacement,

    /// A scheduler with a data placement from paper 003, instead of both; several are compared, with speedups over the first
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = named(TaskScenario::ALL, |scenario| scenario.as_str()),
        conflicts_with_all = ["scheduler", "placement"])]
    pub(crate) scenario: Vec<TaskScenario>,

    /// Idle workers steal from other sockets, the nearest first
    #[arg(long)]
    pub(crate) steal: bool,

    #[command(flatten)]
    pub(crate) sharing: ModelArgs,

    /// Simulate with N seeds, from --seed on, and show mean and spread (standard deviation / mean)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,

    /// Seed of all random numbers; the same seed gives the same result [default: the seed in [runtime] in the files, else 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Task Bench: also find the smallest task granularity at which the cores reach SHARE of their peak
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "0.5", value_parser = share)]
    pub(crate) metg: Option<f64>,

    /// Also run the graph on this host, with real kernels on bound threads, and compare with the simulation: for the generators cholesky, qr,
    /// gauss-seidel, red-black, jacobi and stencil2d, with results checked against a serial run. If an agent is running (NUMASIM_AGENT), the run
    /// follows its commands
    #[arg(long, conflicts_with_all = ["graph", "plan", "scenario", "metg", "emit_graph", "placement"])]
    pub(crate) real: bool,

    /// Write when and where each task ran to FILE. The extension selects the format: .csv, .json for Perfetto and chrome://tracing, .rec for a
    /// tasks.rec as StarPU writes it, or .paje (.trace) for the Paje format; the last two need one scheduler and one run. With --real it covers the last run on this host
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,

    /// Draw the workers over time, nodes as bands and kinds of tasks as colours, as SVG, PNG or PDF; one scheduler and one run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) gantt: Option<PathBuf>,

    /// Write the graph to blocks.csv, tasks.csv and edges.csv in DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) emit_graph: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// A number above 0 and below 1.
fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|value| *value > 0.0 && *value < 1.0);
    number.ok_or_else(|| "write a share above 0 and below 1, such as 0.5".to_owned())
}

pub(super) fn scheduler() -> impl TypedValueParser<Value = SchedulerKind> {
    named(SchedulerKind::ALL, |kind| kind.as_str())
}
