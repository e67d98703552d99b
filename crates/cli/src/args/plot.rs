//! The command line of `numasim plot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ObjectiveName, StudyArgs};

const ALLOCATIONS: &str = "Allocations";

/// What `plot` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotKind {
    /// What a core, a node, the machine and links can do at most, with the applications on it
    Roofline,
    /// The bandwidth from each node to each memory
    Matrix,
    /// The objective over the threads of two applications on each node
    Allocations,
    /// The threads of a scenario on the nodes, and what memories and links carry
    Threads,
    /// Model and measurement of each scenario beside each other; with --measured
    Bars,
    /// Model over measurement, for scenarios and single applications; with --measured
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

    /// The scenario: what threads draws, what applications get in roofline, where data lies in allocations, the only one
    /// in bars and scatter
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,

    /// What was measured, for bars and scatter: the CSV of `numasim bench`, or one with scenario,app,gflops
    #[arg(long, value_name = "CSV", value_hint = ValueHint::FilePath)]
    pub(crate) measured: Option<PathBuf>,

    /// The application whose threads per node grow to the right [default: the first]
    #[arg(long, value_name = "APP", help_heading = ALLOCATIONS)]
    pub(crate) x: Option<String>,

    /// The application whose threads per node grow upwards [default: the next]
    #[arg(long, value_name = "APP", help_heading = ALLOCATIONS)]
    pub(crate) y: Option<String>,

    /// The application that has the cores that are left [default: none, they are idle]
    #[arg(long, value_name = "APP", help_heading = ALLOCATIONS)]
    pub(crate) rest: Option<String>,

    /// What is drawn as colour [default: total-gflops]
    #[arg(long, value_name = "NAME", help_heading = ALLOCATIONS)]
    pub(crate) objective: Option<ObjectiveName>,

    /// Write to FILE.svg or FILE.png, whole or not at all, instead of SVG to standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}
