//! The command line of `numasim report`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueHint};
use numasim_graph::values::SchedulerKind;
use numasim_model::ModelKind;
use numasim_policy::PolicyName;

use super::{ObjectiveName, model, simulate, tasks};

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
    #[arg(long, value_name = "NAME", value_parser = model::one())]
    pub(crate) model: Option<ModelKind>,

    /// Who decides about threads over time, where every application has its work; several are compared [default: none,
    /// static-even, fair-share, and that of [policy] in the files]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = simulate::policy, action = ArgAction::Append)]
    pub(crate) policy: Vec<PolicyName>,

    /// Who decides which task runs where, of a graph of tasks in the files; several are compared [default: fifo, sa where every
    /// task has a socket, dep, rip-dep, and that of [scheduler] in the files]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = tasks::scheduler())]
    pub(crate) scheduler: Vec<SchedulerKind>,

    /// End the simulations after so many seconds of simulated time [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = simulate::simulated_seconds, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,

    /// Objective of the search, where there are applications and no scenario [default: total-gflops]; with it, applications that run over
    /// time are searched for a placement, too
    #[arg(long, value_name = "NAME")]
    pub(crate) objective: Option<ObjectiveName>,

    /// Search for this many seconds at most, where there is no scenario
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, default_value = "10", allow_negative_numbers = true)]
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
