//! The command line of `numasim bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum, ValueHint, value_parser};
use numasim_bench::plan::Bind;
use numasim_kernels::loops::Isa;

use super::seconds;
use crate::output::Format;

const MEASURING: &str = "Measurement";
const HOST: &str = "Host";

/// `numasim bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    pub(crate) asked: Benchmark,

    /// Print what would run where, and every doubt about it, without measuring
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Write the measurements to this new file [default: bench-HOST-TIME.csv]
    #[arg(short, long, value_name = "RESULT.csv", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Resume the run that wrote RESULT.csv; start one if there is none
    #[arg(long, requires = "output", conflicts_with = "dry_run", help_heading = "Output")]
    pub(crate) resume: bool,

    /// Format of the summary (or the plan) on standard output
    #[arg(long, value_name = "FORMAT", default_value = "table", help_heading = "Output")]
    pub(crate) format: Format,
}

/// What is measured, and how.
#[derive(Debug, Default, Args)]
pub(crate) struct Benchmark {
    /// TOML files, read as one: exactly one [machine], any number of [[app]] and [[scenario]]
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Only the scenario with this name; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) scenario: Vec<String>,

    /// Measure each scenario N times, interleaved with the others
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=1_000_000))]
    #[arg(help_heading = MEASURING)]
    pub(crate) repeat: u32,

    /// Length of the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = window)]
    #[arg(help_heading = MEASURING)]
    pub(crate) window: Duration,

    /// Time from the common start of all threads to the measuring window
    #[arg(long, value_name = "SECONDS", default_value = "0.3", value_parser = seconds)]
    #[arg(help_heading = MEASURING)]
    pub(crate) warm_up: Duration,

    /// Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]
    #[arg(long, value_name = "NAME", help_heading = MEASURING)]
    pub(crate) isa: Option<Isa>,

    /// Size of each thread's data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = MEASURING)]
    pub(crate) memory_per_thread: Option<u64>,

    /// Each application is a process of its own, not a group of threads in one process
    #[arg(long, help_heading = MEASURING)]
    pub(crate) processes: bool,

    /// What a thread is bound to
    #[arg(long, value_name = "WHAT", default_value = "core", help_heading = HOST)]
    pub(crate) bind: BindTo,

    /// Scale scenarios that do not fit this host: nodes, threads and data placement
    #[arg(long, help_heading = HOST)]
    pub(crate) fit_host: bool,

    /// Machine file of this host: its values are written to RESULT.study.toml
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "fit_host", help_heading = HOST)]
    pub(crate) host_machine: Option<PathBuf>,
}

/// What a thread is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BindTo {
    /// A core of its own
    #[default]
    Core,
    /// All cores of its node
    Node,
    /// Nothing: the system moves threads among all cores
    None,
}

impl From<BindTo> for Bind {
    fn from(bind: BindTo) -> Self {
        match bind {
            BindTo::Core => Self::Core,
            BindTo::Node => Self::Node,
            BindTo::None => Self::None,
        }
    }
}

/// Reads `--window`.
pub(super) fn window(text: &str) -> Result<Duration, String> {
    match seconds(text) {
        Ok(window) if window >= Duration::from_millis(1) => Ok(window),
        _ => Err("write a number of seconds, at least 0.001, such as 0.5 or 2".to_owned()),
    }
}

/// Reads a size in bytes: `64MiB`, `1GiB`, `1000000`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
    ];
    let refusal = || "write a size such as 64MiB, 1GiB or 100MB, at least 64KiB".to_owned();
    let text = text.trim();
    let found = UNITS.iter().find_map(|&(unit, bytes)| Some((text.strip_suffix(unit)?, bytes)));
    let (number, unit) = found.unwrap_or((text, 1));
    let number: u64 = number.trim_end().parse().map_err(|_| refusal())?;
    number.checked_mul(unit).filter(|&bytes| (64 << 10..=1 << 46).contains(&bytes)).ok_or_else(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_binary_or_decimal_by_their_unit() {
        assert_eq!(size("16MiB"), Ok(16 << 20));
        assert_eq!(size("1 GB"), Ok(1_000_000_000));
        assert_eq!(size("100kB"), Ok(100_000));
        assert_eq!(size("65536"), Ok(65536));
        for wrong in [
            "",
            "MiB",
            "-1MiB",
            "1.5GiB",
            "1mib",
            "63KiB",
            "99999999999999999999",
            "1000TiB",
            "18446744073709551615KiB",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_window_has_a_length() {
        assert_eq!(window("0.05"), Ok(Duration::from_millis(50)));
        for wrong in ["0", "-1", "x", "1e-9"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }
}
