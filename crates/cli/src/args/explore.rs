//! `numasim explore`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueHint, value_parser};
use numasim_ask::limits::MOST_ALTERNATIVES;
use numasim_sim::Objective;
use numasim_sim::search::over_models::ModelList;

use super::search::{self, EmitArgs, ObjectivePair, PlacingArgs, RESTRICT};
use super::{StudyArgs, objective, seconds, share};
use crate::output::OutputArgs;

/// End of `numasim explore -h`.
const BRIEFLY: &str = "\
Examples:
  numasim explore machine.toml apps.toml
  numasim explore study.toml --objective fair --time-limit 10
  numasim explore study.toml --fewest-threads --within 0.02

numasim explore --help explains every switch, and the answer.";

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

geomean is the objective where none is named: each application counts by p, what it keeps of its speed alone. GFLOPS of different applications do \
not add up: total-gflops, their sum, leaves those that memory holds back at their fewest threads.

The search takes work that threads share by their speed; a scenario with `static = true` is compared as what its slowest threads do. By default cores may idle, and each application has at least min_threads and at most max_threads threads \
over the whole machine. `optimal` means proven optimal; any other answer comes with a bound. \
The verdict also says what value and proof do not: who gets nothing, what the model warns of, whom total-gflops leaves at \
min_threads; JSON has that in `cautions`. Ctrl-C stops the search and keeps the best allocation found so far (exit code 0); a second Ctrl-C ends numasim \
without an answer (130).

--pareto computes the Pareto front of two objectives: allocations that cannot be improved in one without losing in \
the other, from the best for the first to the best for the second. If every allocation can be compared (up to 10^7, \
equal nodes counted once), the front is complete and proven. Otherwise both ends carry a proof or a bound as without \
--pareto, and the points between them are the best of those compared: hill climbing in 25 directions, then all changes \
of one or two steps. The knee is the point farthest outside the straight line between both ends.

--fewest-threads looks for the fewest hardware threads of all applications together that lose at most --within of the best: 1 - value / best \
(makespan: 1 - best / value; fair: the largest 1 - p / p of the best over the places of both sorted lists). Without it, an answer that ties with others has the fewest \
threads of those that were found.

--machine, given twice or more, compares machines: the best placement of the same applications on each. `speed` is how many times as fast as on the \
first machine they are: the ratio of the values for total-gflops and makespan, else the weighted geometric mean of GFLOPS / GFLOPS on the first machine, \
because p is relative to each machine itself. Each machine has the same part of --time-limit.

--models finds the placement that is good whichever of several sharing models is right: its loss, 1 - value / best value (makespan: 1 - best / value), is \
smallest under the model where it is largest. It is searched for, not picked from the bests, and comes with a bound that no placement is below. Losses \
are relative to the best found; JSON says of each model whether its best is proven, and `at_most` what they can be. The first model is that of \
the answer above it (--model, else the first name, with `all` that of the machine file); corrections in [machine.sharing] hold for all. `all` leaves out models that cannot read the machine, and says so. With \
--time-limit the searches for the bests have half of the time together, in equal parts, what one leaves goes to the next, and the robust search has the rest.

--sensitivity reports what one more GB/s of each controller and link, or one more core, is worth, and by how much each \
input (bandwidths, peaks, arithmetic intensities) may be wrong before another allocation wins. It relies on local \
searches: gains with threads moved are lower bounds, and ranges are the best known, not proven. --time-limit covers the \
search and this report: at least a quarter of it is for the report, which counts what it leaves out. With --format csv its rows replace the allocations.

--emit writes a script or files that start each application; each ./NAME in them stands for the command that \
starts that application. It needs the processor numbers of the operating system: `cpus = \"0-19\"` in each \
[[machine.node]] (or `cpus = [\"0-19\", \"20-39\"]` in [machine]), or --cpus-from, which needs a build with \
hwloc. On each node the first processors of the list are used, one for each core.";

/// `numasim explore`.
#[derive(Debug, Args)]
#[command(after_help = BRIEFLY, after_long_help = EXPLORE, group = ArgGroup::new("nearly").multiple(true))]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) study: StudyArgs,

    /// What is best
    #[arg(long, value_name = "NAME", default_value = Objective::default().as_str(), value_parser = objective())]
    pub(crate) objective: Objective,

    /// The machine; twice or more: compare machines
    ///
    /// The file is read as if it were before the other files. Given twice or more, the best on each of these machines is compared.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) machine: Vec<PathBuf>,

    /// What one objective costs in another
    ///
    /// Compute the Pareto front of two objectives: allocations that cannot be improved in one without losing in the other.
    #[arg(long, value_name = "FIRST,SECOND", value_parser = search::pair)]
    #[arg(conflicts_with_all = ["objective", "top", "emit", "sensitivity"])]
    pub(crate) pareto: Option<ObjectivePair>,

    /// Also a placement that is good under each model
    ///
    /// The placement that is good whichever of these models is right: the smallest worst loss beside the best of each. `all`: every model that
    /// can answer the question.
    #[arg(long, value_name = "NAME,NAME...", value_parser = str::parse::<ModelList>)]
    #[arg(conflicts_with_all = ["pareto", "emit"])]
    pub(crate) models: Option<ModelList>,

    /// Equal threads on every node
    ///
    /// An application has the same number of threads on every node that has cores.
    #[arg(long, help_heading = RESTRICT)]
    pub(crate) same_on_every_node: bool,

    /// At most one application on a node
    #[arg(long, help_heading = RESTRICT)]
    pub(crate) whole_nodes: bool,

    /// At least N threads of each on every node
    ///
    /// Each application has at least N threads on every node that has cores.
    #[arg(long, value_name = "N", help_heading = RESTRICT)]
    pub(crate) min_threads_per_node: Option<u32>,

    /// Use every core
    #[arg(long, help_heading = RESTRICT)]
    pub(crate) no_idle_cores: bool,

    /// At most one application in an L3 domain
    ///
    /// An L3 domain is that of `cores_per_l3`.
    #[arg(long, help_heading = RESTRICT)]
    pub(crate) whole_l3: bool,

    #[command(flatten)]
    pub(crate) placing: PlacingArgs,

    /// Also the simplest that is nearly as good
    ///
    /// The simplest allocation that loses at most --within of the best: few different numbers of threads per application, whole nodes before
    /// shared ones.
    #[arg(long, conflicts_with_all = ["pareto", "emit"], group = "nearly")]
    pub(crate) simple: bool,

    /// Also the fewest threads that are as good
    ///
    /// The fewest threads of all applications together that are as good as the best, or lose at most --within of it.
    #[arg(long, conflicts_with_all = ["pareto", "emit"], group = "nearly")]
    pub(crate) fewest_threads: bool,

    /// What these two may lose of the best
    ///
    /// A share of the best, such as 0.02 for 2 % [default: 0.01 with --simple, 0 with --fewest-threads].
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "nearly")]
    pub(crate) within: Option<f64>,

    /// Search until proven, at most so long
    ///
    /// Keep the best found so far when the time is over [default: until proven or until an effort of some seconds is spent].
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

    /// Also what more of each resource is worth
    ///
    /// And how wrong each input may be before another allocation wins.
    #[arg(long, conflicts_with = "emit")]
    pub(crate) sensitivity: bool,

    /// Also write all allocations to FILE
    ///
    /// Best, alternatives, robust placement and baselines, as [[scenario]] tables that `evaluate`, `bench`, `compare` and others take with the
    /// same files.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "pareto")]
    #[arg(help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,

    /// Draw the best as SVG, PNG or PDF
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
