//! The command lines of the commands that compare and draw: `numasim compare`, `discriminate`, `fit`, `report` and `plot`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum, ValueHint, value_parser};
use numasim_graph::values::SchedulerKind;
use numasim_policy::PolicyName;
use numasim_sim::Objective;
use numasim_study::figure;
use numasim_study::keys::machine;

use crate::args::{ModelArgs, StudyArgs, objective, seconds, time};
use crate::output::OutputArgs;

// The command line of `numasim compare`.

const COMPARE: &str = "\
Examples:
  numasim compare machine.toml study.toml --measured measured.csv
  numasim compare study.toml --measured measured.csv --format csv -o errors.csv

The CSV is the output of `numasim bench`, or has the columns scenario,app,gflops and, if measured, bandwidth_gbs \
and repetition; an empty app means the whole scenario. Lines that begin with # are comments.

  error            (predicted - measured) / measured, where measured is the
                   median of the repetitions
  spread           coefficient of variation: sample standard deviation / mean
                   of the repetitions
  95th percentile  of n absolute errors in ascending order: the value at index
                   (n - 1) x 0.95, counted from 0, interpolated linearly
  regret           (best measured - measured value of the scenario that the
                   model prefers) / best measured
  Kendall's tau-b  between predicted and measured totals: +1 means the same
                   order, -1 the opposite order
  no sharing       each thread is as fast as alone on the machine
  equal shares     each controller and link is divided by the number of its
                   threads, whatever they demand
  contention       the largest demand / capacity; the demand is the bandwidth
                   that the threads would consume without sharing

Regret compares scenarios of the same applications. The model is better than no sharing or equal shares if the 95 % \
interval of its advantage is above 0: means of absolute errors of the totals, paired bootstrap over scenarios and repetitions. \
Only scenarios with a contention of 1.3 or more count for the verdict on sharing, and six are needed.

In JSON and CSV, errors, spread and regret are fractions.";

/// `numasim compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE)]
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

const DISCRIMINATE: &str = "\
Examples:
  numasim discriminate machine.toml
  numasim discriminate machine.toml --emit-scenarios apart.toml
  numasim bench machine.toml apart.toml -o m.csv
  numasim compare machine.toml apart.toml --measured m.csv --model max-min

Searches scenarios of two applications: both local on one node, or one local and one that reads this node's \
memory from another node or from all others. It proposes the scenarios in which the models disagree most.";

/// `numasim discriminate`.
#[derive(Debug, Args)]
#[command(after_help = DISCRIMINATE)]
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

const FIT: &str = "\
Examples:
  numasim fit study.toml --measured m.csv --free bandwidth_gbs,link_gbs
  numasim fit study.toml --measured m.csv --free bandwidth_gbs --scenario even
  numasim fit study.toml --measured m.csv --free link_gbs --emit-machine m.toml

Minimises the sum of squared relative errors, (fitted - measured) / measured. Each application of a scenario \
contributes one error, or the scenario as a whole if only its total was measured. The search uses the \
Levenberg-Marquardt method from many starting points, up to a factor of 1000 from the values in the files.

  95 %      confidence interval by linear least squares: valid for independent
            noise and a correct model
  left out  leave-one-out cross-validation: each scenario is predicted by a fit
            to the others; of more than 100 scenarios, one hundredth at a time

A parameter gets no value if the measurements do not determine it: nothing depends on it, it is bounded from one side \
only, or several act only together.";

/// `numasim fit`.
#[derive(Debug, Args)]
#[command(after_help = FIT)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,

    /// Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops
    #[arg(long, value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) measured: PathBuf,

    /// Machine parameters to estimate, separated by commas; may be given more than once
    #[arg(long, value_name = "KEY,...", required = true, value_delimiter = ',', action = ArgAction::Append)]
    #[arg(long_help = free())]
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

const REPORT: &str = "\
Examples:
  numasim report results/paper-table-iii -o report.html
  numasim report their-host.tar.zst -o report.html
  numasim report machine.toml study.toml --measured m.csv -o report.html
  numasim report --measured result.csv -o report.html
  numasim report pipeline.toml --policy none --policy lead:2 -o report.html
  numasim report machine.toml study.toml --interactive -o report.html

Writes one self-contained HTML file: it loads nothing and needs only a browser. It contains the question, a verdict, the \
machine, each scenario with its map and results, plots, warnings, the origin of all data, and the commands that reproduce \
it.

From a folder, it reads measured.study.toml (the scenarios that `numasim bench` ran), or all *.toml if that file is missing; and \
measured.csv, or the only CSV of measurements. Without any input file, RESULT.study.toml next to RESULT.csv is used. \
RESULT.provenance.json next to the CSV is read if it exists. Without measurements, the page contains predictions only. A bundle (numasim validate --bundle) \
is read like a folder with its files.

If every [[app]] defines its work (see numasim simulate --help), the page shows what happens over time: policies side by side, a plot of the cores \
of each application for each policy, and cores, GFLOPS and items at a time that the reader chooses. It then needs no [[scenario]].";

/// `numasim report`.
#[derive(Debug, Args)]
#[command(after_help = REPORT)]
pub(crate) struct ReportArgs {
    /// TOML files, or a folder with such files and a CSV of measurements (the output of `numasim validate`), or its bundle
    /// (FILE.tar.zst)
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

/// Options of the page.
#[derive(Debug, Default, Args)]
pub(crate) struct Page {
    #[command(flatten)]
    pub(crate) sharing: ModelArgs,

    /// Policies that assign threads over time, if every application defines its work; several are compared [default: none,
    /// static-even, fair-share, and the policy in the files]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = time::policy, action = ArgAction::Append)]
    pub(crate) policy: Vec<PolicyName>,

    /// Schedulers for a graph of tasks in the files; several are compared [default: fifo, sa if every
    /// task has a socket, dep, rip-dep, and the scheduler in the files]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = time::scheduler())]
    pub(crate) scheduler: Vec<SchedulerKind>,

    /// Stop the simulations after SECONDS of simulated time [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = time::simulated_seconds, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,

    /// Objective of the search, if there are no measurements [default: geomean]; with it, the search also covers
    /// applications that run over time
    #[arg(long, value_name = "NAME", value_parser = objective())]
    pub(crate) objective: Option<Objective>,

    /// Search for at most this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10", allow_negative_numbers = true)]
    pub(crate) time_limit: Duration,

    /// The title of the page [default: the name of the machine]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Embed the what-if page, with these files in it: sliders for threads and bandwidths, and the search, computed by the browser; adds
    /// about 3 MB [default: numasim.html next to the program, which bindings/web/build makes]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    #[allow(clippy::option_option, reason = "not asked for, asked for, asked for by name: as clap has it")]
    pub(crate) interactive: Option<Option<PathBuf>>,
}

// The command line of `numasim plot`.

const ALLOCATIONS: &str = "Allocations";

/// What `plot` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotKind {
    /// Upper limits of a core, a node, the machine and the links, with the applications
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

const PLOT: &str = "\
Examples:
  numasim plot matrix machine.toml -o matrix.svg
  numasim plot roofline machine.toml apps.toml -o roofline.svg
  numasim plot threads study.toml --scenario even -o even.png
  numasim plot allocations study.toml --x mem --y compute -o allocations.svg
  numasim plot allocations study.toml --x mem --y bad --rest compute \\
      --objective fair -o fair.svg
  numasim plot bars study.toml --measured measured.csv -o bars.svg

The file extension selects the format: .svg, .png (twice as many pixels; needs a build with --features png) or .pdf (vectors, text that can be searched; --features pdf). \
Without -o the SVG goes to standard output. Colours are distinguishable for colour-blind readers, and everything stays \
legible in greyscale.

In `allocations`, a name with instances addresses all of them: each has that many threads on every node. Applications \
that are not named have no threads; --rest gives one of them the remaining cores.";

/// `numasim plot`.
#[derive(Debug, Args)]
#[command(after_help = PLOT)]
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

    #[command(flatten)]
    pub(crate) look: PlotLook,

    /// Write to FILE.svg, FILE.png or FILE.pdf, whole or not at all, instead of SVG to standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// How a plot looks.
#[derive(Debug, Args)]
pub(crate) struct PlotLook {
    /// Colours of the paper: light, dark, or auto, which follows the reader's browser (SVG only)
    #[arg(long, value_name = "NAME", value_enum, default_value_t = PlotTheme::Light, hide_possible_values = true)]
    pub(crate) theme: PlotTheme,

    /// Width of the plot in pixels, 200 to 4000; its height and its text scale in proportion [default: 900, more for
    /// large machines]
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(200..=4000))]
    pub(crate) width: Option<u32>,

    /// Size of the labels in points, 4 to 40, for papers; the plot becomes as wide as that needs [default: 8.5]
    #[arg(long, value_name = "POINTS", value_parser = value_parser!(u32).range(4..=40), conflicts_with = "width")]
    pub(crate) font_size: Option<u32>,
}

/// The paper that a plot is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotTheme {
    /// Dark ink on white
    Light,
    /// Light ink on a dark page
    Dark,
    /// As the reader's browser prefers
    Auto,
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

    /// Objective shown as colour [default: geomean]
    #[arg(long, value_name = "NAME", value_parser = objective(), help_heading = ALLOCATIONS)]
    pub(crate) objective: Option<Objective>,

    /// Static scheduling: divide the work of every application equally among its threads in advance, so that its slowest thread
    /// determines the result [default: as in --scenario]
    #[arg(long, help_heading = ALLOCATIONS)]
    pub(crate) static_work: bool,
}

/// `--free` of `numasim fit`: the keys that a machine has for all its nodes or links.
fn free() -> String {
    let keys: Vec<&str> =
        figure::of_nodes().skip(1).chain([&machine::LINK_GBS]).map(|key| key.name).collect();
    format!(
        "Machine parameters to estimate, separated by commas; may be given more than once\n\nKeys as for `sweep --set`, \
         `machine.` may be left out: {} are one value for the whole machine; node.2.bandwidth_gbs is one node, \
         bandwidth_matrix_gbs.0.1 the link on which cores of node 0 read memory of node 1.",
        keys.join(", ")
    )
}
