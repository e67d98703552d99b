//! The command line of `numasim tasks`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint, value_parser};
use numasim_graph::values::{PagePlacement, SchedulerKind, TaskScenario};
use numasim_model::ModelKind;

use super::model;
use crate::output::OutputArgs;

/// `numasim tasks`.
#[derive(Debug, Args)]
pub(crate) struct TasksArgs {
    /// TOML files, read as one: exactly one [machine], and [[block]] and [[task]], a [program] of loops or a [graph] with a
    /// generator; where there are any [scheduler], [runtime] and [contender]
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Read the graph from blocks.csv and tasks.csv in DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) graph: Option<PathBuf>,

    /// Who decides which task runs where; several are compared, with speedups over the first [default: that of [scheduler]
    /// in the files, else fifo]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = scheduler())]
    pub(crate) scheduler: Vec<SchedulerKind>,

    /// Read plan-tree.csv and plan-dbs.csv in PLAN, which the scheduler plan goes by
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::DirPath)]
    pub(crate) plan: Option<PathBuf>,

    /// Where pages of blocks are
    #[arg(long, value_name = "PLACEMENT", default_value = "first-touch", value_parser = placement())]
    pub(crate) placement: PagePlacement,

    /// A scheduler and a placement of paper 003 in place of both; several are compared, with speedups over the first
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = scenario(),
        conflicts_with_all = ["scheduler", "placement"])]
    pub(crate) scenario: Vec<TaskScenario>,

    /// Idle workers steal from other sockets, the nearest first
    #[arg(long)]
    pub(crate) steal: bool,

    /// Bandwidth-sharing model [default: that of the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = model::one())]
    pub(crate) model: Option<ModelKind>,

    /// Simulate with N seeds, from --seed on, and show mean and spread
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,

    /// Seed of everything that is drawn; the same seed gives the same result [default: that of [runtime] in the files, else 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Task Bench: also find the smallest granularity of tasks at which the cores keep SHARE of their peak
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "0.5", value_parser = share)]
    pub(crate) metg: Option<f64>,

    /// Run the graph on this host, with real kernels on bound threads, beside the simulation: for the generators cholesky, qr, gauss-seidel, red-black, jacobi and
    /// stencil2d, with results checked against a serial run. Where an agent is there (NUMASIM_AGENT), its orders hold
    #[arg(long, conflicts_with_all = ["graph", "plan", "scenario", "metg", "emit_graph", "placement"])]
    pub(crate) real: bool,

    /// Write when and where each task ran to FILE. Its ending selects the format: .csv, .json for Perfetto and chrome://tracing, or .rec for a
    /// tasks.rec as StarPU writes it, of one scheduler and one run. With --real it covers the last run here
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
    let names = SchedulerKind::ALL.map(SchedulerKind::as_str);
    // The parser has refused every other name.
    PossibleValuesParser::new(names)
        .map(|name| SchedulerKind::ALL.into_iter().find(|kind| kind.as_str() == name).unwrap_or_default())
}

fn placement() -> impl TypedValueParser<Value = PagePlacement> {
    let names = PagePlacement::ALL.map(PagePlacement::as_str);
    // The parser has refused every other name.
    PossibleValuesParser::new(names).map(|name| {
        PagePlacement::ALL.into_iter().find(|placement| placement.as_str() == name).unwrap_or_default()
    })
}

fn scenario() -> impl TypedValueParser<Value = TaskScenario> {
    let names = TaskScenario::ALL.map(TaskScenario::as_str);
    PossibleValuesParser::new(names).map(|name| {
        let found = TaskScenario::ALL.into_iter().find(|scenario| scenario.as_str() == name);
        // The parser has refused every other name.
        found.unwrap_or(TaskScenario::NoapFt)
    })
}
