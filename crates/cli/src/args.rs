//! The command line: every command, every option, and the types of their values.

mod evidence;
mod explore;
mod groups;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nobody is there who reads it"))]
mod live;
mod machine;
mod measure;
mod running;
mod search;
mod sweep;
mod time;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};
use numasim_ask::wording::GLOSSARY;
use numasim_model::{ModelKind, bounds};
use numasim_sim::Objective;
use numasim_sim::search::within;

use crate::documents::Document;
use crate::failure::Failure;
use crate::output::{Destination, OutputArgs};
pub(crate) use evidence::{
    Axes, CompareArgs, DiscriminateArgs, FitArgs, Page, PlotArgs, PlotKind, PlotLook, PlotTheme, ReportArgs,
};
pub(crate) use explore::ExploreArgs;
pub(crate) use groups::grouped;
pub(crate) use live::{AgentArgs, RunArgs, TopArgs};
#[cfg(target_os = "linux")]
pub(crate) use live::{AgentCommand, StatusFormat, is_period};
pub(crate) use machine::{
    AppTemplate, CatalogArgs, ExportArgs, ExportHwlocArgs, ExportKind, FiguresArgs, GraphFolder, ImportArgs,
    ImportKind, InitArgs, Like, LscpuArgs, ModelsArgs, NumactlArgs, PlacedOn,
};
pub(crate) use measure::{BenchArgs, Benchmark, CalibrateArgs, Calibrating, ProfileAppArgs, ValidateArgs};
pub(crate) use running::{AdviseArgs, LookArgs, SnapshotArgs};
pub(crate) use search::{CpusFrom, EmitArgs, EmitKind, ObjectivePair};
pub(crate) use sweep::{ClusterArgs, MOST_SHARDS, Shard, SweepArgs};
pub(crate) use time::{PlanArgs, ProfileArgs, SimulateArgs, TasksArgs};

/// Start of `numasim --help`.
const ABOUT: &str = "\
Several applications share one machine with several NUMA nodes. Each node has cores and a memory \
controller; links connect the nodes. numasim computes how fast each application runs for a given \
thread placement (evaluate), and searches for the best placement (explore). Machine, \
applications and placements are described in TOML files.

Units: 1 GB = 10^9 bytes; bandwidth in GB/s, performance in GFLOPS (10^9 floating-point operations per \
second), arithmetic intensity in FLOP per byte moved to or from memory. Nodes are numbered from 0.";

/// End of `numasim -h`.
const EXIT_CODES: &str = "\
Exit codes:
  0    success; also if Ctrl-C or --time-limit stopped explore with a best so far
  1    the input or the question is wrong (bad file, no feasible placement,
       output not writable)
  2    the command line is wrong
  70   a bug in numasim
  130  interrupted by Ctrl-C without a complete result";

/// End of `numasim --help`, before the exit codes.
const EXAMPLES: &str = "\
Examples:
  numasim evaluate machine.toml apps.toml scenarios.toml
  numasim explore @xeon-gold-6138-4s @genomics --objective geomean
  numasim explore study.toml --objective fair --format json -o best.json
  numasim sweep study.toml --set machine.link_gbs=5..40:5 --plot links.svg
  numasim check study.toml";

/// Last line of `numasim --help`.
fn terms() -> String {
    format!("Terms: {GLOSSARY} in the sources of numasim.")
}

/// Find the best placement of threads and data on a shared NUMA machine
#[derive(Debug, Parser)]
#[command(name = "numasim", version, about, long_about = ABOUT, after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}\n\n{}", terms()))]
#[command(after_help = EXIT_CODES, max_term_width = 100, propagate_version = true)]
pub(crate) struct Cli {
    /// When to use colours
    ///
    /// `auto`: on a terminal, unless NO_COLOR is set or TERM is "dumb".
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    pub(crate) color: ColorWhen,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compute the performance of every scenario in the files
    Evaluate(EvaluateArgs),
    /// Find the best placement of threads on NUMA nodes
    Explore(ExploreArgs),
    /// Evaluate or explore with varied inputs
    ///
    /// Bandwidths, thread counts, data placement, or any other value in the files.
    Sweep(SweepArgs),
    /// Simulate applications over time, with a policy that moves cores
    Simulate(SimulateArgs),
    /// Assign cores to the applications of this host
    ///
    /// While they run.
    Agent(AgentArgs),
    /// Run the applications of the files on this host, under an agent
    ///
    /// The agent applies a policy.
    Run(RunArgs),
    /// Watch this host, or an agent, in the terminal
    Top(TopArgs),
    /// Take a snapshot of this host as a study
    ///
    /// Applications with their threads, data and bandwidth by node.
    Snapshot(SnapshotArgs),
    /// Recommend what to move on this host
    ///
    /// Based on a snapshot. It changes nothing.
    Advise(AdviseArgs),
    /// Simulate a graph of tasks under the schedulers of task runtimes
    ///
    /// The tasks read and write blocks of data.
    Tasks(TasksArgs),
    /// Time each task of a tree program with local and remote data
    ///
    /// And write the profile for `plan`.
    Profile(ProfileArgs),
    /// Plan the placement of data and tasks from a profile
    ///
    /// For any number of iterations.
    Plan(PlanArgs),
    /// Explain the bandwidth-sharing models and their parameters
    Models(ModelsArgs),
    /// Measure this host and write its machine file
    Calibrate(CalibrateArgs),
    /// Run and measure every scenario on this host
    ///
    /// With pinned threads and bound memory.
    Bench(BenchArgs),
    /// Check the model on this host
    ///
    /// Detect, calibrate, measure, compare and report.
    Validate(ValidateArgs),
    /// Compare measured performance with the model's predictions
    Compare(CompareArgs),
    /// Estimate machine parameters from measured scenarios
    ///
    /// With confidence intervals.
    Fit(FitArgs),
    /// Propose scenarios that tell the sharing models apart
    Discriminate(DiscriminateArgs),
    /// Describe a program as an [[app]]
    ///
    /// From hardware counters, its pages and its runs.
    ProfileApp(ProfileAppArgs),
    /// Draw a machine, a scenario or a set of placements
    Plot(PlotArgs),
    /// Write a self-contained web page on model and measurements
    Report(ReportArgs),
    /// Validate files and show what was read
    Check(CheckArgs),
    /// Print the skeleton of a machine file of this host
    ///
    /// NUMA nodes, cores, memory and sockets.
    Detect(DetectArgs),
    /// Convert the output of other tools
    ///
    /// To a machine file, a measured CSV, a placement or a graph of tasks.
    Import(ImportArgs),
    /// List the built-in machines and workloads, or print one
    ///
    /// Every command accepts @NAME instead of a FILE.
    Catalog(CatalogArgs),
    /// Write a first study: a machine, applications and a scenario
    ///
    /// With comments.
    Init(InitArgs),
    /// Write the machine for another tool
    Export(ExportArgs),
    /// Print the JSON Schema of the input files or of an output
    Schema(SchemaArgs),
    /// Print a script that completes commands and switches in a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal only
    #[default]
    Auto,
    /// Also into pipes and with NO_COLOR set
    Always,
    /// No colours
    Never,
}

/// The input files of a study.
#[derive(Debug, Args)]
pub(crate) struct StudyFiles {
    /// TOML files, read as one; @NAME is a file of `numasim catalog`
    ///
    /// Exactly one [machine], any number of [[app]] and [[scenario]].
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
}

/// The bandwidth-sharing model.
#[derive(Debug, Default, Args)]
pub(crate) struct ModelArgs {
    /// Sharing model [default: the model in the file]
    ///
    /// `numasim models` lists and explains them. A file that names no model uses baseline-proportional.
    #[arg(long, value_name = "NAME", value_parser = one_model(), hide_possible_values = true)]
    pub(crate) model: Option<ModelKind>,
}

/// The input files and the model that every computing command takes.
#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    pub(crate) toml: StudyFiles,

    #[command(flatten)]
    pub(crate) sharing: ModelArgs,
}

const EVALUATE: &str = "\
Examples:
  numasim evaluate machine.toml apps.toml scenarios.toml
  numasim evaluate study.toml --scenario even --scenario 'one app per node'
  numasim evaluate study.toml --format csv -o figures.csv
  numasim evaluate study.toml --model all
  numasim evaluate configs/kernels/dmv.toml --static-work
  numasim evaluate study.toml --scenario even --emit slurm -o job.sh

Results are in GFLOPS and GB/s (10^9 bytes per second). The files must contain a [[scenario]].
With --static-work, or `static = true` in a [[scenario]], the GFLOPS of an application are threads x rate of its slowest thread.
For more than 64 nodes, JSON lists only the links that carry traffic.";

/// `numasim evaluate`.
#[derive(Debug, Args)]
#[command(after_help = EVALUATE)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) toml: StudyFiles,

    /// Bandwidth-sharing model; `all` shows every model side by side [default: the model in the machine file, else
    /// baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = one_or_all_models())]
    pub(crate) model: Option<ModelChoice>,

    /// Only the scenario with this name; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) scenario: Vec<String>,

    /// Static scheduling: divide the work of every application equally among its threads in advance, so that its slowest
    /// thread determines the result. In a file: `static = true` in a [[scenario]]
    #[arg(long)]
    pub(crate) static_work: bool,

    /// Also write the scenarios to FILE, as [[scenario]] tables for any command, with the files of the same machine and
    /// applications
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,

    /// Show how the model computes its results, step by step
    #[arg(long, conflicts_with = "emit")]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) emit: EmitArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const CHECK: &str = "\
Examples:
  numasim check study.toml
  numasim check machine.toml apps.toml --format json

Exit code 1 if anything is wrong; the message shows file, line, column and what to write instead.

For more than 64 nodes, JSON has no list of links: it has link_gbs if all links are equal, otherwise
link_matrix_gbs. CSV has one line for equal links.";

/// `numasim check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) toml: StudyFiles,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const DETECT: &str = "\
Examples:
  numasim detect -o machine.toml
  numasim detect --format json
  lstopo --of xml node17.xml         (on the machine itself)
  numasim detect --from-xml node17.xml
  numasim detect --from-synthetic \"node:4 core:20 pu:1\"

Counts physical cores, and names the first logical CPU (hardware thread) of each; --smt counts every hardware thread, and \
gflops_per_core then means one hardware thread. On this host, only what this process may use counts: logical CPUs \
that are offline, or excluded by the cgroup or the CPU affinity mask (containers, Slurm, taskset), are listed in the \
file, in JSON, and on standard error. A node without any usable logical CPU is memory-only.

memory_gib is rounded down; if nodes are nearly equal, the smallest value is used for all. If sockets have several nodes, comments \
leave room for the links between the sockets: sockets, socket_link_gbs and shared_link_gbs, or a \
[[machine.shared_link]] for each pair of sockets.

A topology contains neither bandwidths nor peaks: they are left out, with comments that explain how to get them. Values \
from the firmware (ACPI HMAT) are also comments, because they are not measured. Distances are not bandwidths. A node with cores \
but without memory gets memory_gib = 0; a comment names cores of several kinds. Needs a build with \
hwloc (cargo build --release --features hwloc), except with --from-xml.";

/// `numasim detect`.
#[derive(Debug, Args)]
#[command(after_help = DETECT)]
pub(crate) struct DetectArgs {
    /// Count each hardware thread (SMT) as a core, instead of each physical core
    #[arg(long)]
    pub(crate) smt: bool,

    /// Describe the machine on which `lstopo --of xml FILE` was run, instead of this host
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "from_synthetic")]
    pub(crate) from_xml: Option<PathBuf>,

    /// Describe a synthetic machine in hwloc's notation: "node:4 core:20 pu:1"
    #[arg(long, value_name = "TEXT")]
    pub(crate) from_synthetic: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `-o FILE` of the commands whose output has one format only.
#[derive(Clone, Debug, Args)]
pub(crate) struct FileArgs {
    /// Write to FILE, whole or not at all, instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

impl FileArgs {
    /// The place of the result, known to be writable.
    pub(crate) fn open(&self) -> Result<Destination, Failure> {
        Destination::open(self.output.as_deref())
    }
}

const SCHEMA: &str = "\
Example:
  numasim schema -o numasim.schema.json
  numasim schema explore -o explore.schema.json

Editors with a TOML language server (taplo, Even Better TOML) complete and check keys with it if the \
first line of an input file is

  #:schema ./numasim.schema.json";

/// `numasim schema`.
#[derive(Debug, Args)]
#[command(after_help = SCHEMA)]
pub(crate) struct SchemaArgs {
    /// Print the schema of the JSON that this command writes [default: the schema of the input files]
    #[arg(value_name = "COMMAND")]
    pub(crate) document: Option<Document>,

    #[command(flatten)]
    pub(crate) file: FileArgs,
}

const COMPLETIONS: &str = "\
Examples:
  numasim completions bash \\
      -o ~/.local/share/bash-completion/completions/numasim
  numasim completions zsh  -o ~/.zfunc/_numasim   (fpath+=~/.zfunc in ~/.zshrc)
  numasim completions fish -o ~/.config/fish/completions/numasim.fish";

/// `numasim completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,

    #[command(flatten)]
    pub(crate) file: FileArgs,
}

const MAN: &str = "\
Examples:
  numasim man | man -l -
  numasim man explore | man -l -
  numasim man --dir ~/.local/share/man/man1";

/// `numasim man`.
#[derive(Debug, Args)]
#[command(after_help = MAN)]
pub(crate) struct ManArgs {
    /// Print the page of this command [default: the main page, which lists all commands]
    #[arg(value_name = "COMMAND")]
    pub(crate) page: Option<String>,

    /// Write all pages into this directory: numasim.1, numasim-evaluate.1, ...
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["page", "output"])]
    pub(crate) dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) file: FileArgs,
}

/// The longest time limit, in seconds: 30 years. A greater one means the same, and clocks cannot overflow.
const LONGEST_TIME_LIMIT_S: f64 = 1e9;

/// Reads `--time-limit`.
fn seconds(text: &str) -> Result<Duration, String> {
    let refusal = "write a number of seconds, zero or more, such as 0.5 or 60";
    let seconds: f64 = text.parse().map_err(|_| refusal.to_owned())?;
    if !seconds.is_finite() || seconds < 0.0 {
        return Err(refusal.to_owned());
    }
    Ok(Duration::from_secs_f64(seconds.min(LONGEST_TIME_LIMIT_S)))
}

/// Reads `--within`.
fn share(text: &str) -> Result<f64, String> {
    within(text.parse().unwrap_or(f64::NAN)).map_err(str::to_owned)
}

/// What `evaluate --model` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelChoice {
    /// One model.
    One(ModelKind),
    /// All of them, side by side.
    All,
}

/// One of these values, each by its word.
fn named<T, W>(all: impl IntoIterator<Item = T>, word: impl Fn(&T) -> W) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
    W: Into<PossibleValue>,
{
    let all: Vec<(T, PossibleValue)> =
        all.into_iter().map(|value| (value.clone(), word(&value).into())).collect();
    let words = all.iter().map(|(_, word)| word.clone());
    PossibleValuesParser::new(words).try_map(move |name| {
        let found = all.iter().find(|(_, word)| word.get_name() == name);
        found.map(|(value, _)| value.clone()).ok_or("no such word")
    })
}

/// An objective of a search.
fn objective() -> impl TypedValueParser<Value = Objective> {
    named(Objective::ALL, |objective| {
        PossibleValue::new(objective.as_str()).help(match objective {
            Objective::TotalGflops => "The largest sum of weight x GFLOPS",
            Objective::Fair => "The largest minimum of GFLOPS / stand-alone GFLOPS under the same constraints",
            Objective::Geomean => {
                "The largest weighted geometric mean of GFLOPS / stand-alone GFLOPS under the same constraints"
            }
            Objective::Makespan => {
                "The shortest time until every application has done its work_gflop, in seconds"
            }
        })
    })
}

/// One of the models.
fn one_model() -> impl TypedValueParser<Value = ModelKind> {
    named(ModelKind::ALL, |kind| kind.as_str())
}

/// One of the models, or all.
fn one_or_all_models() -> impl TypedValueParser<Value = ModelChoice> {
    let all = ModelKind::ALL.map(ModelChoice::One).into_iter().chain([ModelChoice::All]);
    named(all, |choice| match choice {
        ModelChoice::One(kind) => kind.as_str(),
        ModelChoice::All => "all",
    })
}

/// A figure above zero, in the bounds of files.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    above_zero(text, "a number", "80 or 73.6")
}

/// `what` above zero, in the bounds of files; `example` is one.
fn above_zero(text: &str, what: &str, example: &str) -> Result<f64, String> {
    let Ok(number) = text.parse::<f64>() else {
        return Err(format!("write {what} above zero, such as {example}"));
    };
    match bounds::misfit(bounds::as_written(number, text), false) {
        None => Ok(number),
        Some(misfit) if misfit.label.starts_with("too ") => {
            Err(format!("{text} is {}: write {what} of {}, such as {example}", misfit.label, misfit.must))
        }
        Some(_) => Err(format!("write {what} above zero, such as {example}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_time_limit_is_a_finite_number_of_seconds_from_zero_up() {
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(seconds("1e300"), Ok(Duration::from_secs(1_000_000_000)));
        for wrong in ["-1", "inf", "NaN", "5s", ""] {
            assert!(seconds(wrong).is_err(), "{wrong} was accepted");
        }
    }
}
