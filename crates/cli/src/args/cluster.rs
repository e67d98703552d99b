//! The switches of `numasim sweep` that spread it over a cluster.

use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Args, ValueEnum, ValueHint, value_parser};

/// Where these are given the question is known: it lies in the folder.
pub(super) const ANSWERED: [&str; 2] = ["resubmit", "collect"];

/// What belongs to a question, and what a folder has decided.
const QUESTION: [&str; 17] = [
    "files",
    "model",
    "set",
    "scenario",
    "explore",
    "objective",
    "same_on_every_node",
    "whole_nodes",
    "min_threads_per_node",
    "no_idle_cores",
    "time_limit",
    "simulate",
    "policy",
    "until",
    "seed",
    "shard",
    "shards",
];

const HEADING: &str = "On a cluster";

/// More tasks than any cluster takes in one array.
pub(crate) const MOST_SHARDS: u32 = 100_000;

/// Who runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Batch {
    /// A job array of Slurm
    Slurm,
}

/// A sweep as a job array: everything that is known of it lies in one folder.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("submits").args(["submit", "resubmit"])))]
pub(crate) struct ClusterArgs {
    /// Write the sweep into --folder as a job array, and submit it; prints the number of the job
    ///
    /// The folder has copies of the input files, the batch script and, as tasks end, a shard of the rows from each. It must
    /// be on a file system that the nodes share.
    #[arg(long, value_name = "BATCH", requires = "folder", help_heading = HEADING)]
    #[arg(conflicts_with_all = ["shard", "resume", "plot", "format", "output"])]
    pub(crate) submit: Option<Batch>,

    /// The folder of --submit, new or empty
    #[arg(long, value_name = "FOLDER", requires = "submit", value_hint = ValueHint::DirPath, help_heading = HEADING)]
    pub(crate) folder: Option<PathBuf>,

    /// Into how many shards the points are divided; each is a task of --threads worker threads [default: 16]
    #[arg(long, value_name = "N", requires = "submit", value_parser = value_parser!(u32).range(1..=i64::from(MOST_SHARDS)))]
    #[arg(help_heading = HEADING)]
    pub(crate) shards: Option<u32>,

    /// An option for sbatch, e.g. --sbatch-option=--partition=long; may be given more than once
    #[arg(long, value_name = "OPTION", value_parser = sbatch_option, action = ArgAction::Append)]
    #[arg(allow_hyphen_values = true, requires = "submits", help_heading = HEADING)]
    pub(crate) sbatch_option: Vec<String>,

    /// Submit nothing: with --submit write the folder, and print the command that would submit
    #[arg(long, requires = "submits", help_heading = HEADING)]
    pub(crate) dry_run: bool,

    /// Submit again what is missing in the folder of a --submit: shards that failed, were killed or never ran
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = HEADING)]
    #[arg(conflicts_with_all = QUESTION, conflicts_with_all = ["submit", "collect", "resume", "threads", "plot", "format", "output"])]
    pub(crate) resubmit: Option<PathBuf>,

    /// Join the shards in the folder of a --submit, once all are there; byte for byte what one run writes
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = HEADING)]
    #[arg(conflicts_with_all = QUESTION, conflicts_with_all = ["submit", "resume", "threads", "plot", "format"])]
    #[arg(conflicts_with_all = ["sbatch_option", "dry_run"])]
    pub(crate) collect: Option<PathBuf>,
}

/// Options that would make another array of it, or nothing at all.
const OURS: [&str; 7] = ["--array", "-a", "--wrap", "--chdir", "-D", "--test-only", "--parsable"];

/// Reads `--partition=long`.
fn sbatch_option(text: &str) -> Result<String, String> {
    if !text.starts_with('-') || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("write an option as sbatch takes it, in one word: --time=02:00:00".to_owned());
    }
    // In the script and on a command line an option is one and the same text only without these.
    if let Some(sign) = text.chars().find(|sign| "'\"\\#".contains(*sign)) {
        return Err(format!("sbatch gives {sign} a meaning in a script: write the option without it"));
    }
    let name = text.split('=').next().unwrap_or(text);
    let is_ours = |ours: &&&str| {
        let is_short = ours.len() == 2 && name.starts_with(**ours) && !name.starts_with("--");
        // sbatch takes the beginning of a long option for the whole.
        let is_begun = name.len() > "--a".len() && ours.starts_with(name);
        name == **ours || is_short || is_begun
    };
    match OURS.iter().find(is_ours) {
        Some(ours) => Err(format!("{ours} is set by numasim, or would change what the tasks compute")),
        None => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::sbatch_option;

    #[test]
    fn options_that_numasim_sets_are_refused() {
        for fine in ["--partition=long", "-pshort", "--account=x", "-Ax", "--acctg-freq=30"] {
            assert_eq!(sbatch_option(fine), Ok(fine.to_owned()));
        }
        for wrong in [
            "--array=1-4",
            "-a1",
            "-a 1",
            "--wrap=true",
            "-D/tmp",
            "partition=long",
            "-A x",
            "--x=1\n#SBATCH",
            "--arr=1-4",
            "--comment=it's",
            "--comment=\"mine\"",
            "--comment=a\\b",
            "--comment=a#b",
        ] {
            assert!(sbatch_option(wrong).is_err(), "{wrong}");
        }
    }
}
