//! The command lines of `numasim calibrate` and `numasim validate`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint, value_parser};
use numasim_kernels::loops::Isa;
use numasim_model::ModelKind;

use super::bench::{size, window};
use super::{model, seconds};
use crate::output::OutputArgs;
use numasim_bench::bundle::ENDING;

const MEASURING: &str = "Measurement";

/// `numasim calibrate`.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) asked: Calibrating,

    /// Print what would be measured and how long it takes, and measure nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How a host is calibrated.
#[derive(Debug, Default, Args)]
pub(crate) struct Calibrating {
    /// Under a minute on a few cores: 3 rounds of 0.2 s, few thread counts
    #[arg(long, conflicts_with_all = ["rounds", "window", "warm_up"], help_heading = MEASURING)]
    pub(crate) quick: bool,

    /// Do not measure copies, triads and updates beside reads
    #[arg(long, help_heading = MEASURING)]
    pub(crate) reads_only: bool,

    /// Measure with the usual kernels, instead of trying ways through memory first
    #[arg(long, help_heading = MEASURING)]
    pub(crate) usual_kernels: bool,

    /// Measure every step N times
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=10_000))]
    #[arg(help_heading = MEASURING)]
    pub(crate) rounds: u32,

    /// Length of the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = window, help_heading = MEASURING)]
    pub(crate) window: Duration,

    /// Time from the common start of all threads to the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "0.3", value_parser = seconds, help_heading = MEASURING)]
    pub(crate) warm_up: Duration,

    /// Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]
    #[arg(long, value_name = "NAME", help_heading = MEASURING)]
    pub(crate) isa: Option<Isa>,

    /// Size of each thread's data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = MEASURING)]
    pub(crate) memory_per_thread: Option<u64>,

    /// Name of the machine [default: the name of this host]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// `numasim validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Files of your own with [machine], [[app]] and [[scenario]]; scenarios that do not fit this host are scaled to it
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Folder for all measurements and results; it is created
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    pub(crate) output: PathBuf,

    /// Resume in a folder that an earlier run started
    #[arg(long)]
    pub(crate) resume: bool,

    /// Pack the result into FILE.tar.zst to send it: machine, raw rows, provenance, page, without the name of the host;
    /// with --resume, a finished folder is packed and nothing is measured
    #[arg(long, value_name = "FILE.tar.zst", value_parser = bundle, value_hint = ValueHint::FilePath)]
    pub(crate) bundle: Option<PathBuf>,

    /// Measure each scenario N times
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=1_000_000))]
    #[arg(help_heading = MEASURING)]
    pub(crate) repeat: u32,

    /// Length of the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = window, help_heading = MEASURING)]
    pub(crate) window: Duration,

    /// Size of each thread's data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = MEASURING)]
    pub(crate) memory_per_thread: Option<u64>,

    /// Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]
    #[arg(long, value_name = "NAME", help_heading = MEASURING)]
    pub(crate) isa: Option<Isa>,

    /// All applications are threads of one process [default: each is a process of its own]
    #[arg(long, help_heading = MEASURING)]
    pub(crate) one_process: bool,

    /// Bandwidth-sharing model [default: that of the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = model::one())]
    pub(crate) model: Option<ModelKind>,
}

/// Reads the name of a bundle.
fn bundle(text: &str) -> Result<PathBuf, String> {
    if text.ends_with(ENDING) && text != ENDING {
        return Ok(PathBuf::from(text));
    }
    Err(format!("the name of a bundle ends with {ENDING}"))
}
