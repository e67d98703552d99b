//! The command line of `numasim sweep`.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, ArgGroup, Args, ValueHint, value_parser};
use numasim_model::ModelKind;
use numasim_policy::PolicyName;

use super::cluster::{ANSWERED, ClusterArgs};
use super::{ObjectiveName, model, seconds, simulate};
use crate::output::Format;

const EXPLORING: &str = "With --explore";
const SIMULATING: &str = "With --simulate";

/// `numasim sweep`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("seeded").args(["explore", "simulate"])))]
pub(crate) struct SweepArgs {
    /// TOML files, read as one: exactly one [machine], any number of [[app]] and [[scenario]]
    #[arg(value_name = "FILE", required_unless_present_any = ANSWERED, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Bandwidth-sharing model [default: that of the machine file, else baseline-proportional]
    #[arg(long, value_name = "NAME", value_parser = model::one())]
    pub(crate) model: Option<ModelKind>,

    /// An input and the values it takes; several make a grid, the last one varies fastest
    ///
    /// VALUES: a list 1,2,5; a range 10..100:10 with its end; a range by factors 1/64..64*2. KEY is named as in
    /// the files: machine.link_gbs, app.NAME.arithmetic_intensity, scenario.NAME.threads.APP, ...
    #[arg(long, value_name = "KEY=VALUES", required_unless_present_any = ANSWERED, action = ArgAction::Append)]
    pub(crate) set: Vec<String>,

    /// Evaluate only the scenario with this name; may be given more than once
    #[arg(long, value_name = "NAME", action = ArgAction::Append, conflicts_with = "seeded")]
    pub(crate) scenario: Vec<String>,

    /// Search for the best allocation at every point, instead of evaluating the scenarios
    #[arg(long)]
    pub(crate) explore: bool,

    /// Objective to optimise [default: total-gflops]
    #[arg(long, value_name = "NAME", requires = "explore", help_heading = EXPLORING)]
    pub(crate) objective: Option<ObjectiveName>,

    /// An application has the same number of threads on every node that has cores
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

    /// Who decides about threads; each of several has a row at every point [default: that of [policy] in the files,
    /// else none]
    #[arg(long, value_name = "NAME[:ARG]", value_parser = simulate::policy, action = ArgAction::Append)]
    #[arg(requires = "simulate", help_heading = SIMULATING)]
    pub(crate) policy: Vec<PolicyName>,

    /// End each simulation after so many seconds of simulated time [default: when every application is finished]
    #[arg(long, value_name = "SECONDS", value_parser = simulate::simulated_seconds, allow_negative_numbers = true)]
    #[arg(requires = "simulate", help_heading = SIMULATING)]
    pub(crate) until: Option<f64>,

    /// Seed of the random restarts, or of the work of tasks with a task_spread; the same seed gives the same answers
    /// [default: 0, with --simulate 1]
    #[arg(long, value_name = "N", requires = "seeded")]
    pub(crate) seed: Option<u64>,

    /// Compute the I-th of N equal parts of the points, I from 1; part 1 has the header
    ///
    /// Concatenating all parts in order (`cat`) gives the output of a single run.
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with = "plot", help_heading = "Large sweeps")]
    pub(crate) shard: Option<Shard>,

    /// Resume from FILE.partial, left by an interrupted sweep with `-o FILE`; start anew if there is none
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
    /// Until the sweep is done its rows are in FILE.partial.
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
