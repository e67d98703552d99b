//! `numasim explore`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueHint, value_parser};
use numasim_ask::limits::MOST_ALTERNATIVES;
use numasim_sim::Objective;
use numasim_sim::search::over_models::ModelList;

use super::search::{self, CONSTRAINTS, EmitArgs, ObjectivePair, PlacingArgs};
use super::{StudyArgs, objective, seconds, share};
use crate::output::OutputArgs;

/// End of `numasim explore -h`.
const BRIEFLY: &str = "\
Examples:
  numasim explore machine.toml apps.toml
  numasim explore study.toml --objective fair --time-limit 10
  numasim explore study.toml --fewest-threads --within 0.02

numasim explore --help explains every switch and the answer.";

/// End of `numasim explore --help`.
const EXPLORE: &str = "\
Examples:
  numasim explore machine.toml apps.toml
  numasim explore study.toml --objective fair --time-limit 10
  numasim explore study.toml --same-on-every-node --no-idle-cores --top 5
  numasim explore study.toml --format json -o best.json
  numasim explore study.toml --pareto total-gflops,fair --plot trade-off.svg
  numasim explore --machine @epyc-9654-2s-nps1 --machine @epyc-9654-2s-nps4 apps.toml
  numasim explore study.toml --sensitivity
  numasim explore study.toml --models all
  numasim explore study.toml --threads solver=16 --max-nodes solver=2 --exclusive solver
  numasim explore study.toml --simple --within 0.02
  numasim explore study.toml --fewest-threads --within 0.02
  numasim explore study.toml --save best.toml --plot best.svg
  numasim explore study.toml --emit numactl -o start.sh

The default objective is geomean. It counts each application by p, the fraction of its stand-alone speed that it keeps. GFLOPS \
of different applications are not comparable: total-gflops, their sum, leaves memory-bound applications at their fewest threads.

The search assumes that faster threads take over work from slower ones; a scenario with `static = true` is compared at the speed of its slowest threads. \
By default, cores may stay idle, and each application has at least min_threads and at most max_threads threads on the whole machine. `optimal` means proven \
optimal; any other answer comes with a bound. The verdict also prints cautions, which neither value nor proof show: applications that get nothing, \
warnings of the model, applications that total-gflops leaves at min_threads. JSON has them in `cautions`. Ctrl-C stops the search and keeps the best \
placement found so far (exit code 0); a second Ctrl-C exits without an answer (130).

--pareto computes the Pareto front of two objectives: placements that cannot be improved in one without losing in the other, \
from the best for the first to the best for the second. If every placement can be compared (up to 10^7, equal nodes counted once), the front is complete and \
proven. Otherwise both ends carry a proof or a bound as without --pareto, and the points between them are the best of those compared: hill climbing in 25 \
directions, then all changes of one or two steps. The knee is the point farthest outside the straight line between both ends.

--fewest-threads searches for the smallest total number of hardware threads that loses at most --within of the best: 1 - value / best \
(makespan: 1 - best / value; fair: the largest 1 - p / p of the best over the ranks of both sorted lists). Without it, an answer that ties with others has \
the fewest threads among those found.

--machine, given twice or more, compares machines: the best placement of the same applications on each. `speed` is relative to the first machine: the \
ratio of the values for total-gflops and makespan, otherwise the weighted geometric mean of GFLOPS / GFLOPS on the first machine, because p is relative to \
the same machine. Each machine gets an equal share of --time-limit.

--models finds the placement with the smallest worst loss over several sharing models. The loss under a model is 1 - value / best value (makespan: 1 - best / value). \
The placement is searched for, not picked from the best of each model, and comes with a lower bound for every placement. Losses are relative to the best \
found; JSON reports for each model whether its best is proven, and in `at_most` the largest possible loss. The main answer uses --model, or else the first name \
(with `all` the model in the machine file); corrections in [machine.sharing] apply to every model. `all` selects every model that supports the machine and \
lists those it skips. With --time-limit, the searches for the best of each model share half of the time equally, unused time goes to the next, and the robust \
search gets the rest.

--sensitivity reports the gain from one more GB/s of each controller and link, or one more core, \
and by how much each input (bandwidths, peaks, arithmetic intensities) may be wrong before another placement wins. It relies on local searches: gains with \
threads moved are lower bounds, and ranges are the best known, not proven. --time-limit covers the search and this report; at least a quarter of it is reserved \
for the report, which counts the inputs it skips. With --format csv, its rows replace the placements.

--emit writes a script or files that start each application; replace each ./NAME in them by the command that starts that application. It needs the numbers of the \
logical CPUs: `cpus = \"0-19\"` in each [[machine.node]] (or `cpus = [\"0-19\", \"20-39\"]` in [machine]), or --cpus-from, which needs a build with \
hwloc. On each node, the first logical CPUs of the list are used, one for each core.";

/// `numasim explore`.
#[derive(Debug, Args)]
#[command(after_help = BRIEFLY, after_long_help = EXPLORE, group = ArgGroup::new("nearly").multiple(true))]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,

    /// What to optimise
    #[arg(long, value_name = "NAME", default_value = Objective::default().as_str(), value_parser = objective())]
    pub(crate) objective: Objective,

    /// The machine; given twice or more, compare machines
    ///
    /// The file is read as if it came before the other files. Given twice or more, the best placements on these machines are compared.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) machine: Vec<PathBuf>,

    /// Trade-off between two objectives
    ///
    /// Compute the Pareto front of two objectives: placements that cannot be improved in one without losing in the other.
    #[arg(long, value_name = "FIRST,SECOND", value_parser = search::pair)]
    #[arg(conflicts_with_all = ["objective", "top", "emit", "sensitivity"])]
    pub(crate) pareto: Option<ObjectivePair>,

    /// Also find a placement that is good under each model
    ///
    /// The placement with the smallest worst loss compared with the best of each model, so that it is good whichever of these models is right.
    /// `all` selects every model that can answer the question.
    #[arg(long, value_name = "NAME,NAME...", value_parser = str::parse::<ModelList>)]
    #[arg(conflicts_with_all = ["pareto", "emit"])]
    pub(crate) models: Option<ModelList>,

    /// Equal threads on every node
    ///
    /// Each application has the same number of threads on every node that has cores.
    #[arg(long, help_heading = CONSTRAINTS)]
    pub(crate) same_on_every_node: bool,

    /// At most one application on a node
    #[arg(long, help_heading = CONSTRAINTS)]
    pub(crate) whole_nodes: bool,

    /// At least N threads of each on every node
    ///
    /// Each application has at least N threads on every node that has cores.
    #[arg(long, value_name = "N", help_heading = CONSTRAINTS)]
    pub(crate) min_threads_per_node: Option<u32>,

    /// Use every core
    #[arg(long, help_heading = CONSTRAINTS)]
    pub(crate) no_idle_cores: bool,

    /// At most one application in an L3 domain
    ///
    /// `cores_per_l3` defines the L3 domains.
    #[arg(long, help_heading = CONSTRAINTS)]
    pub(crate) whole_l3: bool,

    #[command(flatten)]
    pub(crate) placing: PlacingArgs,

    /// Also find the simplest placement that is nearly as good
    ///
    /// The simplest placement that loses at most --within of the best: few different numbers of threads per application, whole nodes preferred to
    /// shared ones.
    #[arg(long, conflicts_with_all = ["pareto", "emit"], group = "nearly")]
    pub(crate) simple: bool,

    /// Also find the fewest threads that are as good
    ///
    /// The smallest total number of threads that is as good as the best, or that loses at most --within of it.
    #[arg(long, conflicts_with_all = ["pareto", "emit"], group = "nearly")]
    pub(crate) fewest_threads: bool,

    /// Largest loss allowed with --simple or --fewest-threads
    ///
    /// A fraction of the best value, such as 0.02 for 2 % [default: 0.01 with --simple, 0 with --fewest-threads].
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "nearly")]
    pub(crate) within: Option<f64>,

    /// Search for at most this many seconds
    ///
    /// Keep the best found so far when the time is over [default: until proven, or until the search budget of some seconds is spent].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) time_limit: Option<Duration>,

    /// Show up to K alternatives
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = value_parser!(u16).range(0..=i64::from(MOST_ALTERNATIVES)))]
    pub(crate) top: u16,

    /// Seed of the random restarts
    ///
    /// The same seed gives the same answer.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Also report the gain from more of each resource
    ///
    /// And how wrong each input may be before another placement wins.
    #[arg(long, conflicts_with = "emit")]
    pub(crate) sensitivity: bool,

    /// Also write all placements to FILE
    ///
    /// Best, alternatives, robust placement and baselines, as [[scenario]] tables that `evaluate`, `bench`, `compare` and others accept with the
    /// same files.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "pareto")]
    #[arg(help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,

    /// Draw the best placement as SVG, PNG or PDF
    ///
    /// Thread by thread; with --models the robust placement, with --pareto the trade-off.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) emit: EmitArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
