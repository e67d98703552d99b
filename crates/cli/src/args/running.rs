//! The command lines of `numasim snapshot` and `advise`, and the options that `top` shares with them.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::TypedValueParser;
use clap::{ArgAction, Args, ValueHint};
use numasim_ask::advise::OBJECTIVES;
use numasim_sim::Objective;

use crate::args::named;
use crate::output::OutputArgs;

const LOOK: &str = "Host and applications";

/// Which host is looked at, and which applications of it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LookArgs {
    /// Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = LOOK)]
    pub(crate) machine: Option<PathBuf>,

    /// Read a recorded host instead of this one: a folder with `proc` and `sys`
    ///
    /// Given twice, the second is the same host some seconds later and needs to contain only what changed. A folder with `at-0` and `at-1` contains both.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, action = ArgAction::Append, help_heading = LOOK)]
    pub(crate) root: Vec<PathBuf>,

    /// Only this application; may be given more than once
    ///
    /// Its name, the PID of one of its processes, its control group, the unit of a service, or the beginning of a container's
    /// identifier [default: all applications that use more than 5 % of a core].
    #[arg(long, value_name = "WHICH", action = ArgAction::Append, help_heading = LOOK)]
    pub(crate) select: Vec<String>,
}

/// How far the two instants of this host are apart.
#[derive(Clone, Debug, Args)]
pub(crate) struct ApartArgs {
    /// Time between the two instants
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = between, conflicts_with = "root")]
    #[arg(help_heading = LOOK)]
    pub(crate) seconds: Duration,
}

/// Reads `--seconds`: ticks of 10 ms tell 5 % of a core from 0.2 s on.
fn between(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.2..=3600.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("write a number of seconds from 0.2 to 3600, such as 2".to_owned()),
    }
}

const SNAPSHOT: &str = "\
Examples:
  numasim snapshot -o study.toml
  numasim snapshot --machine machine.toml --select redis --select 4711
  numasim snapshot --root recorded/at-0 --root recorded/at-1 --format json
  numasim explore study.toml

It reads /proc, /sys, control groups and resctrl, and changes nothing. An application is a container (docker, podman, Kubernetes), a \
virtual machine, a systemd service, or otherwise a process. A thread counts if it used at least 5 % of a core between the two \
instants; it belongs to the node of the logical CPU on which it last ran.

The study contains the machine, an [[app]] for each application and today's placement as the scenario `now`. Values that could not \
be observed are comments. Bandwidth needs a resctrl monitoring group for each application: mkdir /sys/fs/resctrl/mon_groups/NAME, then write \
its threads into `tasks`. Without it, each thread is assumed to consume a core's share of its memory. Counters of the memory controllers \
(perf_event_open, as root or with CAP_PERFMON) show the GB/s of each socket, of all applications together.

You do not need root for your own processes. Pages of other users' processes need root, or memory.numa_stat of their control group.";

/// `numasim snapshot`.
#[derive(Debug, Args)]
#[command(after_help = SNAPSHOT)]
pub(crate) struct SnapshotArgs {
    #[command(flatten)]
    pub(crate) look: LookArgs,

    #[command(flatten)]
    pub(crate) apart: ApartArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const ADVISE: &str = "\
Examples:
  numasim advise --machine machine.toml
  numasim advise --machine machine.toml --emit -o moves.sh
  numasim advise --root recorded --machine machine.toml --format json

It takes a snapshot, searches for the best placement of the same threads as `explore` does, with today's placement as a baseline, and prints \
the difference as moves. If several placements are equally good, it chooses one with few moves. There is no advice if the gain is inside its 95 % interval, or if \
machine values or application bandwidths are assumed.

It changes nothing: --emit writes the moves as commands (taskset and migratepages, systemctl set-property, docker update, podman update, virsh vcpupin).";

/// `numasim advise`.
#[derive(Debug, Args)]
#[command(after_help = ADVISE)]
pub(crate) struct AdviseArgs {
    #[command(flatten)]
    pub(crate) look: LookArgs,

    #[command(flatten)]
    pub(crate) apart: ApartArgs,

    /// What to optimise
    #[arg(long, value_name = "NAME", default_value = "geomean", value_parser = relative())]
    pub(crate) objective: Objective,

    /// Write the moves as a shell script
    #[arg(long, conflicts_with = "format")]
    pub(crate) emit: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// One of [`OBJECTIVES`].
fn relative() -> impl TypedValueParser<Value = Objective> {
    named(OBJECTIVES, |objective| objective.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instants_are_far_enough_apart_to_count_ticks() {
        assert_eq!(between("0.2"), Ok(Duration::from_millis(200)));
        for wrong in ["0.1", "3601", "-1", "2s", "NaN"] {
            assert!(between(wrong).is_err(), "{wrong} was accepted");
        }
    }
}
