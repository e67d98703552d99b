//! The command line of `numasim run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use numasim_kernels::loops::Isa;
use numasim_policy::PolicyName;

use super::{bench, simulate};
use crate::output::Format;

/// `numasim run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// TOML files, read as one: exactly one [machine], which is this host or a part of it, [[app]] with their work or a
    /// `command`, and where there are any [[channel]], [[call]] and [policy]
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Who decides about threads [default: that of [policy] in the files, else fair-share]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = simulate::policy)]
    pub(crate) policy: Option<PolicyName>,

    /// Choose the placement with the largest total GFLOPS first, as `explore` does, and apply it: policy static
    #[arg(long, conflicts_with_all = ["policy", "no_agent", "socket"])]
    pub(crate) explore: bool,

    /// Use the agent that listens at PATH, and its policy [default: an agent of its own]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, conflicts_with = "policy")]
    pub(crate) socket: Option<PathBuf>,

    /// Without any agent: all threads run
    #[arg(long, conflicts_with_all = ["policy", "socket"])]
    pub(crate) no_agent: bool,

    /// End after so many seconds [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    pub(crate) until: Option<Duration>,

    /// Seed of the work of tasks with a task_spread: the same tasks as those of `simulate` with this seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Time between two rows of the timeline, in milliseconds
    #[arg(long, value_name = "MS", default_value = "50", value_parser = sample)]
    pub(crate) sample_ms: Duration,

    /// Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]
    #[arg(long, value_name = "NAME")]
    pub(crate) isa: Option<Isa>,

    /// Size of each thread's data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = bench::size)]
    pub(crate) memory_per_thread: Option<u64>,

    /// Take memory of item_mb for each item of a channel, from when it is produced until it is finished
    #[arg(long)]
    pub(crate) real_items: bool,

    /// Write everything into this new folder
    #[arg(short, long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Format of the summary on standard output
    #[arg(long, value_name = "FORMAT", default_value = "table", help_heading = "Output")]
    pub(crate) format: Format,
}

/// Reads `--sample-ms`.
fn sample(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(ms @ 1..=60_000) => Ok(Duration::from_millis(ms)),
        _ => Err("write a whole number of milliseconds from 1 to 60000, such as 50".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_each_millisecond_to_each_minute() {
        assert_eq!(sample("1"), Ok(Duration::from_millis(1)));
        for wrong in ["0", "60001", "1.5", "-1", ""] {
            assert!(sample(wrong).is_err(), "{wrong} was accepted");
        }
    }
}
