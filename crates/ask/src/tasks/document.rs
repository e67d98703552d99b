//! Simulations of a graph of tasks, and its runs on this host, as documents.

use numasim_graph::values::TaskScenario;
use numasim_model::Machine;
use numasim_tasks::{IdleReason, NodeRun, Traffic};
use serde::Serialize;

use super::{GraphFacts, SchedulerOverSeeds, Tasked, TasksAnswer};
use crate::document::{ByName, StudyHead, plain, written_as};

/// Simulations of a graph of tasks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Simulations<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// The graph.
    graph: &'a GraphFacts,
    /// A simulation for each scheduler and seed.
    runs: Vec<RunObject<'a>>,
    /// With several seeds: results of each scheduler over its seeds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    schedulers: Vec<SchedulerOverSeeds>,
}

written_as!(TasksAnswer => Simulations);

impl<'a> From<&'a TasksAnswer> for Simulations<'a> {
    fn from(answer: &'a TasksAnswer) -> Self {
        let runs = answer.runs.iter().map(|run| RunObject {
            priorities: answer.graph.priorities.then(|| priorities(run)),
            ..RunObject::from(run)
        });
        Self {
            head: StudyHead::of("tasks", &answer.study.machine),
            graph: &answer.graph,
            runs: runs.collect(),
            schedulers: answer.over_seeds(),
        }
    }
}

/// How a scheduler handles priorities of tasks.
fn priorities(run: &Tasked) -> &'static str {
    if run.scheduler.follows_priorities() { "followed" } else { "ignored" }
}

/// With `--real`: the graph on this host.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Real {
    #[serde(flatten)]
    head: StudyHead,
    /// The graph.
    graph: GraphFacts,
    /// Cores of the machine.
    cores: u64,
    /// Bytes of all blocks.
    block_bytes: u64,
    /// Whether the result is correct.
    check: Check,
    /// Kinds of tasks, each measured alone.
    kinds: Vec<RealKind>,
    /// A run for each scheduler and repetition.
    runs: Vec<RealRun>,
}

impl Real {
    /// A graph that ran on this host, described by `machine`.
    pub fn new(
        machine: &Machine,
        graph: &GraphFacts,
        block_bytes: u64,
        check: Check,
        kinds: Vec<RealKind>,
        runs: Vec<RealRun>,
    ) -> Self {
        let cores = machine.total_cores();
        let graph = graph.clone();
        Self { head: StudyHead::of("tasks", machine), graph, cores, block_bytes, check, kinds, runs }
    }
}

/// Whether a result is correct.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// The checked quantity.
    pub what: String,
    /// Its value.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub value: f64,
    /// The largest value of a correct result.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub limit: f64,
    /// Whether the value is within the limit.
    pub right: bool,
}

/// A kind of task.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RealKind {
    /// Its name.
    #[serde(rename = "type")]
    pub name: String,
    /// Number of tasks.
    pub tasks: u64,
    /// Operations of all its tasks, in FLOP.
    pub flop: f64,
    /// Mean seconds of a task in the serial run of each repetition.
    pub mean_s: Vec<f64>,
}

/// A run under a scheduler.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RealRun {
    /// Its number, from 0.
    pub repetition: usize,
    /// The scheduler, or the scenario.
    pub scheduler: &'static str,
    /// Seed of all random choices, in the run and in the simulation.
    pub seed: u64,
    /// Time of the serial run, in seconds.
    pub serial_s: f64,
    /// Measured time, in seconds.
    pub measured_s: f64,
    /// Simulated time, in seconds.
    pub simulated_s: f64,
    /// Time that the master spent partitioning, in seconds.
    pub partition_s: f64,
    /// Number of stolen tasks.
    pub steals: u64,
    /// Whether the result is bitwise identical to that of the serial run.
    pub same_as_serial: bool,
    /// Whole pages of the blocks on each node; null if the system does not report them.
    pub pages: Option<Vec<u64>>,
    /// Pages that are not on the node of the worker that created the block.
    pub misplaced_pages: Option<u64>,
}

/// One simulation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RunObject<'a> {
    /// The scheduler.
    scheduler: &'a str,
    /// The page placement.
    placement: &'a str,
    /// Whether idle workers steal.
    steal: bool,
    /// Seed of random choices.
    seed: u64,
    /// End of the last task, in seconds.
    makespan_s: f64,
    /// Lower bound on the makespan of any schedule, in seconds.
    bound_s: f64,
    /// Moved data, in bytes.
    bytes: Bytes,
    /// Fraction of all worker-seconds without a task.
    idle: f64,
    /// Number of stolen tasks.
    steals: u64,
    /// Edges between nodes, for schedulers that partition.
    cut_edges: Option<u64>,
    /// Their data, in bytes.
    cut_bytes: Option<f64>,
    /// Time of partitioning, in seconds.
    partition_s: f64,
    /// Tasks that were passed through mailboxes.
    mailbox: u64,
    /// Tasks that were passed through shared queues.
    shared: u64,
    /// Number of workers taken away.
    revokes: u64,
    /// Tasks that ran on a node other than the intended one.
    remote_tasks: u64,
    /// Time of moving pages, in seconds.
    migration_s: f64,
    /// The scenario, if one defines scheduler and placement.
    scenario: Option<&'a str>,
    /// Tasks of co-runners.
    contender_tasks: u64,
    /// Workers assigned to the programs on each node, phase by phase.
    dealt: Option<&'a [Vec<u32>]>,
    /// Tasks and blocks missing from a plan.
    fallbacks: Option<Fallbacks>,
    /// The origin of the bound, as a stable word.
    bound_by: &'a str,
    /// Fractions of all worker-seconds without a task, by reason.
    idle_reasons: ByName<f64>,
    /// If tasks have priorities: `followed`, or `ignored` by this scheduler.
    #[serde(skip_serializing_if = "Option::is_none")]
    priorities: Option<&'static str>,
    /// The nodes.
    per_node: Vec<NodeObject>,
    /// With `--metg`: the smallest tasks that reach a given share of the peak.
    #[serde(skip_serializing_if = "Option::is_none")]
    metg: Option<MetgObject>,
}

impl<'a> From<&'a Tasked> for RunObject<'a> {
    fn from(tasked: &'a Tasked) -> Self {
        let run = &tasked.run;
        let contender = run.contender.as_ref();
        Self {
            scheduler: tasked.scheduler.as_str(),
            placement: tasked.placement.as_str(),
            steal: tasked.steal,
            seed: tasked.seed,
            makespan_s: plain(tasked.makespan_s()),
            bound_s: plain(tasked.bound_s()),
            bytes: Bytes::from(&run.traffic),
            idle: plain(run.idle),
            steals: run.steals,
            cut_edges: run.cut.map(|cut| cut.edges),
            cut_bytes: run.cut.map(|cut| plain(cut.bytes)),
            partition_s: plain(run.partition.value()),
            mailbox: run.mailbox,
            shared: run.shared,
            revokes: run.revokes,
            remote_tasks: run.remote_tasks,
            migration_s: plain(run.migration.value()),
            scenario: tasked.scenario.map(TaskScenario::as_str),
            contender_tasks: contender.map_or(0, |contender| contender.tasks),
            dealt: contender.and_then(|contender| contender.dealt.as_deref()),
            fallbacks: run.fallbacks.map(|of| Fallbacks { tasks: of.tasks, blocks: of.blocks }),
            bound_by: tasked.bound.because_of.as_str(),
            idle_reasons: reasons(|reason| run.idle_because(reason)),
            priorities: None,
            per_node: run.nodes.iter().enumerate().map(NodeObject::from).collect(),
            metg: tasked.metg.map(|metg| MetgObject {
                share: metg.share,
                metg_us: metg.found.map(|(_, seconds)| plain(seconds * 1e6)),
                flop: metg.found.map(|(flop, _)| flop),
                efficiency: metg.found.map(|_| plain(metg.efficiency)),
            }),
        }
    }
}

/// Tasks and blocks missing from a plan.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Fallbacks {
    /// Tasks.
    tasks: u64,
    /// Blocks.
    blocks: u64,
}

/// One node.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NodeObject {
    /// Its number, from 0.
    node: usize,
    /// Tasks that ran there.
    tasks: u64,
    /// Worker-seconds with a task.
    busy_s: f64,
    /// Worker-seconds without a task, by reason.
    idle_s: ByName<f64>,
    /// Data moved by its tasks, in bytes.
    bytes: Bytes,
}

impl From<(usize, &NodeRun)> for NodeObject {
    fn from((node, run): (usize, &NodeRun)) -> Self {
        Self {
            node,
            tasks: run.tasks,
            busy_s: plain(run.busy.value()),
            idle_s: reasons(|reason| run.idle.of(reason).value()),
            bytes: Bytes::from(&run.traffic),
        }
    }
}

/// The value of each reason, in the order in which reasons are checked.
fn reasons(of: impl Fn(IdleReason) -> f64) -> ByName<f64> {
    ByName(IdleReason::ALL.map(|reason| (reason.as_str().to_owned(), plain(of(reason)))).to_vec())
}

/// Moved data, in bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Bytes {
    /// From caches of the local node.
    llc_local: f64,
    /// From caches of remote nodes.
    llc_remote: f64,
    /// From the memory of the local node.
    dram_local: f64,
    /// From memories of remote nodes.
    dram_remote: f64,
}

impl From<&Traffic> for Bytes {
    fn from(traffic: &Traffic) -> Self {
        Self {
            llc_local: plain(traffic.llc_local),
            llc_remote: plain(traffic.llc_remote),
            dram_local: plain(traffic.dram_local),
            dram_remote: plain(traffic.dram_remote),
        }
    }
}

/// The smallest tasks that reach a given share of the peak.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MetgObject {
    /// The share.
    share: f64,
    /// Time of such a task, in microseconds; null if none was found.
    metg_us: Option<f64>,
    /// Its FLOP.
    flop: Option<u64>,
    /// The fraction of the peak that it reaches.
    efficiency: Option<f64>,
}
