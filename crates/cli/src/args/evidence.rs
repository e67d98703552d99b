//! The command lines of the commands that compare and draw: `numasim compare`, `discriminate`, `fit`, `report` and `plot`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum, ValueHint, value_parser};
use numasim_graph::values::SchedulerKind;
use numasim_model::ModelKind;
use numasim_policy::PolicyName;
use numasim_sim::Objective;

use crate::args::{StudyArgs, objective, one_model, seconds, time};
use crate::output::OutputArgs;

// The command line of `numasim compare`.

/// `numasim compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,

    /// Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops
    #[arg(long, value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) measured: PathBuf,

    /// Only the scenario with this name; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) scenario: Vec<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

// The command line of `numasim discriminate`.

/// `numasim discriminate`.
#[derive(Debug, Args)]
pub(crate) struct DiscriminateArgs {
    /// TOML files with a [machine]; applications and scenarios in them are ignored
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Propose at most N scenarios
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u8).range(1..=50))]
    pub(crate) most: u8,

    /// Also write the applications and scenarios to FILE, for bench and compare
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) emit_scenarios: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

// The command line of `numasim fit`.

/// `numasim fit`.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,

    /// Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops
    #[arg(long, value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) measured: PathBuf,

    /// Machine parameters to estimate, separated by commas; may be given more than once
    #[arg(long, value_name = "KEY,...", required = true, value_delimiter = ',', action = ArgAction::Append)]
    #[arg(long_help = crate::help::free())]
    pub(crate) free: Vec<String>,

    /// Fit only to the scenario with this name, and predict the other measured ones; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) scenario: Vec<String>,

    /// Also write a machine file with the fitted values, whole or not at all
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) emit_machine: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

// The command line of `numasim report`.

/// `numasim report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// TOML files, or a folder with such files and a CSV of measurements (what `numasim validate` writes), or a bundle
    /// of it (FILE.tar.zst)
    #[arg(value_name = "DIR|FILE", required_unless_present = "measured", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops [default: the CSV of
    /// the folder]
    #[arg(long, value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) measured: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) page: Page,

    /// Write the page to FILE, whole or not at all, instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// What the page of files is asked to say.
#[derive(Debug, Default, Args)]
pub(crate) struct Page {
    /// Bandwidth-sharing model [default: that of the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = one_model())]
    pub(crate) model: Option<ModelKind>,

    /// Who decides about threads over time, where every application has its work; several are compared [default: none,
    /// static-even, fair-share, and that of [policy] in the files]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = time::policy, action = ArgAction::Append)]
    pub(crate) policy: Vec<PolicyName>,

    /// Who decides which task runs where, of a graph of tasks in the files; several are compared [default: fifo, sa where every
    /// task has a socket, dep, rip-dep, and that of [scheduler] in the files]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = time::scheduler())]
    pub(crate) scheduler: Vec<SchedulerKind>,

    /// End the simulations after so many seconds of simulated time [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = time::simulated_seconds, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,

    /// Objective of the search, where there are applications and no scenario [default: total-gflops]; with it, applications that run over
    /// time are searched for a placement, too
    #[arg(long, value_name = "NAME", value_parser = objective())]
    pub(crate) objective: Option<Objective>,

    /// Search for this many seconds at most, where there is no scenario
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10", allow_negative_numbers = true)]
    pub(crate) time_limit: Duration,

    /// The title of the page [default: the name of the machine]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Embed the what-if page, with these files in it: sliders for threads and bandwidths, and the search, computed by the browser; adds
    /// about 3 MB [default: numasim.html beside the program, which bindings/web/build makes]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    #[allow(clippy::option_option, reason = "not asked for, asked for, asked for by name: as clap has it")]
    pub(crate) interactive: Option<Option<PathBuf>>,
}

// The command line of `numasim plot`.

const ALLOCATIONS: &str = "Allocations";

/// What `plot` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotKind {
    /// Upper limits of a core, a node, the machine and the links, with the applications on them
    Roofline,
    /// The bandwidth from each node to each memory
    Matrix,
    /// The objective over the threads of two applications on each node
    Allocations,
    /// The threads of a scenario on the nodes, and the load of memories and links
    Threads,
    /// Model and measurement of each scenario side by side; needs --measured
    Bars,
    /// Model against measurement, for scenarios and single applications; needs --measured
    Scatter,
}

/// `numasim plot`.
#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// What to draw
    #[arg(value_name = "KIND")]
    pub(crate) kind: PlotKind,

    #[command(flatten)]
    pub(crate) study: StudyArgs,

    /// The scenario: drawn by threads; performance of the applications in roofline; data placement in allocations;
    /// the only one in bars and scatter
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,

    /// Measurements for bars and scatter: the CSV of `numasim bench`, or one with scenario,app,gflops
    #[arg(long, value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) measured: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) axes: Axes,

    /// Write to FILE.svg, FILE.png or FILE.pdf, whole or not at all, instead of SVG to standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// What `plot allocations` draws of a scenario.
#[derive(Debug, Default, Args)]
pub(crate) struct Axes {
    /// The application on the horizontal axis, in threads per node [default: the first]
    #[arg(long, value_name = "APP", help_heading = ALLOCATIONS)]
    pub(crate) x: Option<String>,

    /// The application on the vertical axis, in threads per node [default: the next]
    #[arg(long, value_name = "APP", help_heading = ALLOCATIONS)]
    pub(crate) y: Option<String>,

    /// The application that gets the remaining cores [default: none, they stay idle]
    #[arg(long, value_name = "APP", help_heading = ALLOCATIONS)]
    pub(crate) rest: Option<String>,

    /// Objective shown as colour [default: total-gflops]
    #[arg(long, value_name = "NAME", value_parser = objective(), help_heading = ALLOCATIONS)]
    pub(crate) objective: Option<Objective>,

    /// Divide the work of every application equally among its threads beforehand: its slowest thread decides [default:
    /// what --scenario says]
    #[arg(long, help_heading = ALLOCATIONS)]
    pub(crate) static_work: bool,
}
