//! The command line of `numasim sweep`.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, ArgGroup, Args, ValueEnum, ValueHint, value_parser};
use numasim_course::figure as over_time;
use numasim_draw::grid::wrap;
use numasim_model::DataWord;
use numasim_policy::PolicyName;
use numasim_sim::Objective;
use numasim_study::figure;
use numasim_study::keys::{Key, app, machine, node};

use crate::args::{ModelArgs, objective, seconds, time};
use crate::output::Format;

const EXPLORING: &str = "With --explore";
const SIMULATING: &str = "With --simulate";

/// `numasim sweep`.
#[derive(Debug, Args)]
#[command(after_help = help())]
#[command(group(ArgGroup::new("seeded").args(["explore", "simulate"])))]
pub(crate) struct SweepArgs {
    /// TOML files, read as one: exactly one [machine], any number of [[app]] and [[scenario]]
    #[arg(value_name = "FILE", required_unless_present_any = ANSWERED, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) sharing: ModelArgs,

    /// An input and its values; several inputs form a grid, and the last one varies fastest
    ///
    /// VALUES: a list 1,2,5; a range 10..100:10 with its end; a range by factors 1/64..64*2. KEY is the name in the files: machine.link_gbs, app.NAME.arithmetic_intensity, scenario.NAME.threads.APP, ...
    #[arg(long, value_name = "KEY=VALUES", required_unless_present_any = ANSWERED, action = ArgAction::Append)]
    pub(crate) set: Vec<String>,

    /// Evaluate only the scenario with this name; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append, conflicts_with = "seeded")]
    pub(crate) scenario: Vec<String>,

    /// Search for the best placement at every point, instead of evaluating the scenarios
    #[arg(long)]
    pub(crate) explore: bool,

    /// Objective to optimise [default: geomean]
    #[arg(long, value_name = "NAME", value_parser = objective(), requires = "explore", help_heading = EXPLORING)]
    pub(crate) objective: Option<Objective>,

    /// Each application has the same number of threads on every node that has cores
    #[arg(long, requires = "explore", help_heading = EXPLORING)]
    pub(crate) same_on_every_node: bool,

    /// At most one application has threads on a node
    #[arg(long, requires = "explore", help_heading = EXPLORING)]
    pub(crate) whole_nodes: bool,

    /// Each application has at least N threads on every node that has cores
    #[arg(long, value_name = "N", requires = "explore", help_heading = EXPLORING)]
    pub(crate) min_threads_per_node: Option<u32>,

    /// Every core is used
    #[arg(long, requires = "explore", help_heading = EXPLORING)]
    pub(crate) no_idle_cores: bool,

    /// Search at most this many seconds at each point [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    #[arg(requires = "explore", help_heading = EXPLORING)]
    pub(crate) time_limit: Option<Duration>,

    /// Simulate what happens over time at every point, instead of evaluating the scenarios
    #[arg(long)]
    pub(crate) simulate: bool,

    /// The policy that assigns threads; each of several has a row at every point [default: the policy in the files,
    /// else none]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = time::policy, action = ArgAction::Append)]
    #[arg(requires = "simulate", help_heading = SIMULATING)]
    pub(crate) policy: Vec<PolicyName>,

    /// Stop each simulation after SECONDS of simulated time [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = time::simulated_seconds, allow_negative_numbers = true)]
    #[arg(requires = "simulate", help_heading = SIMULATING)]
    pub(crate) until: Option<f64>,

    /// Seed of the random restarts, or of the random draws of a simulation; the same seed gives the same answers
    /// [default: 0, with --simulate 1]
    #[arg(long, value_name = "N", requires = "seeded")]
    pub(crate) seed: Option<u64>,

    /// Compute the I-th of N equal parts of the points, I from 1; part 1 has the header
    ///
    /// Concatenating all parts in order (`cat`) gives the output of a single run.
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with = "plot", help_heading = "Large sweeps")]
    pub(crate) shard: Option<Shard>,

    /// Resume from FILE.partial, left by an interrupted sweep with `-o FILE`; start from the beginning if there is none
    #[arg(long, requires = "output", help_heading = "Large sweeps")]
    pub(crate) resume: bool,

    /// Worker threads of numasim itself [default: one per core of this host]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024), help_heading = "Large sweeps")]
    pub(crate) threads: Option<u16>,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// Draw one axis as lines, two as a heat map, as SVG, PNG or PDF
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,

    /// How to write the result
    #[arg(long, value_name = "FORMAT", default_value = "csv", help_heading = "Output")]
    pub(crate) format: Format,

    /// Write the result to FILE, whole or not at all, instead of standard output
    ///
    /// Until the sweep is done, its rows are in FILE.partial.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}

/// A part of the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// All points.
    pub(crate) const WHOLE: Self = Self { index: 1, count: 1 };

    /// Its points; parts are contiguous and differ by one point at most.
    pub(crate) fn of(self, points: u64) -> Range<u64> {
        let until = |parts: u64| {
            let end = u128::from(points) * u128::from(parts) / u128::from(self.count);
            u64::try_from(end).unwrap_or(points)
        };
        until(self.index - 1)..until(self.index)
    }

    /// Whether it begins with the header.
    pub(crate) fn is_first(self) -> bool {
        self.index == 1
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(index, count)| index.parse().ok().zip(count.parse().ok()));
    match parts {
        Some((index, count)) if 1 <= index && index <= count => Ok(Shard { index, count }),
        _ => Err("write I/N with I from 1 to N, e.g. 1/8".to_owned()),
    }
}

// The options of `numasim sweep` for a cluster.

/// Where these are given the question is known: it lies in the folder.
pub(super) const ANSWERED: [&str; 2] = ["resubmit", "collect"];

/// Switches that define the sweep; the folder of a submitted sweep already fixes them.
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

/// Batch systems.
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
    /// The folder contains copies of the input files, the batch script and, as tasks finish, a shard of the rows from each. It must
    /// be on a file system that the nodes share.
    #[arg(long, value_name = "BATCH", requires = "folder", help_heading = HEADING)]
    #[arg(conflicts_with_all = ["shard", "resume", "plot", "format", "output"])]
    pub(crate) submit: Option<Batch>,

    /// The folder of --submit, new or empty
    #[arg(long, value_name = "FOLDER", requires = "submit", value_hint = ValueHint::DirPath, help_heading = HEADING)]
    pub(crate) folder: Option<PathBuf>,

    /// Number of shards into which the points are divided; each is a task with --threads worker threads [default: 16]
    #[arg(long, value_name = "N", requires = "submit", value_parser = value_parser!(u32).range(1..=i64::from(MOST_SHARDS)))]
    #[arg(help_heading = HEADING)]
    pub(crate) shards: Option<u32>,

    /// An option for sbatch, e.g. --sbatch-option=--partition=long; may be given more than once
    #[arg(long, value_name = "OPTION", value_parser = sbatch_option, action = ArgAction::Append)]
    #[arg(allow_hyphen_values = true, requires = "submits", help_heading = HEADING)]
    pub(crate) sbatch_option: Vec<String>,

    /// Submit nothing: with --submit, write the folder and print the command that would submit
    #[arg(long, requires = "submits", help_heading = HEADING)]
    pub(crate) dry_run: bool,

    /// Submit the missing shards in the folder of a --submit again: those that failed, were killed or never ran
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = HEADING)]
    #[arg(conflicts_with_all = QUESTION, conflicts_with_all = ["submit", "collect", "resume", "threads", "plot", "format", "output"])]
    pub(crate) resubmit: Option<PathBuf>,

    /// Join the shards in the folder of a --submit once all are finished; byte for byte the output of a single run
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
    // Without these characters, an option has the same text in the script and on a command line.
    if let Some(sign) = text.chars().find(|sign| "'\"\\#".contains(*sign)) {
        return Err(format!("sbatch gives {sign} a meaning in a script: write the option without it"));
    }
    let name = text.split('=').next().unwrap_or(text);
    let is_ours = |ours: &&&str| {
        let is_short = ours.len() == 2 && name.starts_with(**ours) && !name.starts_with("--");
        // sbatch accepts the beginning of a long option as the whole option.
        let is_begun = name.len() > "--a".len() && ours.starts_with(name);
        name == **ours || is_short || is_begun
    };
    match OURS.iter().find(is_ours) {
        Some(ours) => Err(format!("{ours} is set by numasim, or would change what the tasks compute")),
        None => Ok(text.to_owned()),
    }
}

/// Text before the keys in `numasim sweep --help`.
const SWEEP_EXAMPLES: &str = "\
Examples:
  numasim sweep study.toml --set machine.link_gbs=5..40:5
  numasim sweep study.toml --explore \\
      --set app.mem.arithmetic_intensity=1/64..4*2 --plot mem.svg
  numasim sweep study.toml --scenario even --format table \\
      --set scenario.even.threads.mem=1..8:1 \\
      --set machine.bandwidth_gbs=50,100,200
  numasim sweep pipeline.toml --simulate --policy none --policy lead \\
      --set policy.lead=1..8:1
  parallel numasim sweep study.toml --set machine.link_gbs=1..100:0.001 \\
      --shard {}/8 -o part-{}.csv ::: {1..8}
  cat part-{1..8}.csv > sweep.csv
  numasim sweep study.toml --explore --set machine.link_gbs=1..100:1 \\
      --submit slurm --folder shards --shards 64 --threads 4
  numasim sweep --collect shards -o sweep.csv";

/// Text after the keys.
const SWEEP_ROWS: &str = "\
Put names with spaces or dots in double quotes:
  --set 'scenario.\"even 2,2,2,2\".threads.mem=1..2:1'

With --explore, set a --time-limit if proofs take long: the row then contains the best placement found and a bound. \
With --simulate, there is a row for each --policy: makespan, finishing time of each application, the most items in each channel, commands, \
and threads that commands unblocked; status is ok, until (not finished at --until), deadlock or infeasible. policy.lead is the K of lead:K. \
An impossible point (more threads than cores) has a row with the reason and no result. Ctrl-C (exit code 130) or a \
killed job leaves FILE.partial; the same command with --resume continues after its last complete row. \
A shard written to a file has a receipt next to it, FILE.json. The folder of --submit contains the whole state of a job array: \
--collect joins it once every shard is finished and belongs to this sweep; --resubmit submits the shards that failed, were killed or never ran.";

/// Column in which a list of keys says what each is.
const KEYS: usize = 34;

/// A key, or several, and what is to be said of it.
fn key(text: &mut String, key: &str, what: &str) {
    for (number, line) in wrap(what, 78 - KEYS).into_iter().enumerate() {
        let key = if number == 0 { key } else { "" };
        if key.len() + 4 > KEYS {
            let _ = write!(text, "\n  {key}\n{:KEYS$}{line}", "");
        } else {
            let _ = write!(text, "\n  {key:width$}{line}", width = KEYS - 2);
        }
    }
}

/// End of `numasim sweep --help`: its keys are those that the files declare.
fn help() -> String {
    let names = |keys: &mut dyn Iterator<Item = &'static Key>| {
        keys.map(|key| key.name).collect::<Vec<_>>().join(", ")
    };
    let simulated = |key: &&'static Key| *key != &app::ARITHMETIC_INTENSITY;
    let demand = |key: &&'static Key| figure::is_of_demand(key);
    let searched = figure::of_apps().filter(|key| !demand(key));
    let mut text = format!(
        "{SWEEP_EXAMPLES}\n\nKeys (units as in the files; a name with instances addresses all of them):"
    );
    let mut put = |name: &str, what: &str| key(&mut text, name, what);
    put("machine.KEY", &names(&mut figure::of_nodes().chain([&machine::LINK_GBS])));
    put("machine.node.N.KEY", &names(&mut [&node::CORES].into_iter().chain(figure::of_nodes().skip(1))));
    put("machine.bandwidth_matrix_gbs.FROM.TO", "one link; if FROM = TO, one controller");
    put("machine.shared_link.NAME.gbs", "a shared link");
    put("machine.sharing.PARAMETER", "a parameter of the sharing model, see numasim models");
    put("app.NAME.KEY", &names(&mut figure::of_apps().filter(demand)));
    put(
        "app.NAME.data",
        &format!(
            "{}, home:0, home:1, ...; home:0:0.5, interleave:0.3: that share, the rest local; home:any, fractions:any to explore",
            DataWord::ALL.map(DataWord::as_str).join(", ")
        ),
    );
    put("app.NAME.KEY", &format!("with --explore: {}", names(&mut { searched })));
    put("scenario.NAME.threads.APP", "on every node that has cores");
    put("scenario.NAME.threads.APP.N", "on node N");
    put("scenario.NAME.data.APP", "as app.NAME.data, in this scenario");
    text.push_str("\nWith --simulate also:");
    let mut put = |name: &str, what: &str| key(&mut text, name, what);
    let of_apps = || over_time::keys(over_time::OF_APPS);
    put("app.NAME.KEY", &names(&mut of_apps().filter(simulated)));
    put(
        "app.NAME.phase.N.KEY",
        &format!("a phase, from 0: {}", names(&mut of_apps().filter(|key| over_time::is_of_phase(key)))),
    );
    put("channel.FROM.TO.KEY", &names(&mut over_time::keys(over_time::OF_CHANNELS)));
    put("call.FROM.TO.KEY", &names(&mut over_time::keys(over_time::OF_CALLS)));
    put("policy.KEY", &format!("{} (K of lead:K)", names(&mut over_time::keys(over_time::OF_POLICY))));
    put("os.KEY", &names(&mut over_time::keys(over_time::OF_OS)));
    text.push('\n');
    text.push_str(SWEEP_ROWS);
    text
}

#[cfg(test)]
mod cluster_tests {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_all_points_in_order() {
        for (points, count) in [(10, 3), (2, 5), (1_000_000_007, 7), (0, 1)] {
            let parts: Vec<Range<u64>> = (1..=count).map(|index| Shard { index, count }.of(points)).collect();
            assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, points));
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start), "{parts:?}");
            assert!(
                parts.iter().all(|part| (part.end - part.start).abs_diff(points / count) <= 1),
                "{parts:?}"
            );
        }
    }

    #[test]
    fn a_shard_is_counted_from_1() {
        assert_eq!(shard("3/4"), Ok(Shard { index: 3, count: 4 }));
        for wrong in ["0/4", "5/4", "1", "1/0", "a/b", "1/2/3"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }
}
