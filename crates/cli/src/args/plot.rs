//! The command line of `numasim plot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ObjectiveName, StudyArgs};

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
    #[arg(long, value_name = "NAME", help_heading = ALLOCATIONS)]
    pub(crate) objective: Option<ObjectiveName>,

    /// Divide the work of every application equally among its threads beforehand: its slowest thread decides [default:
    /// what --scenario says]
    #[arg(long, help_heading = ALLOCATIONS)]
    pub(crate) static_work: bool,
}
