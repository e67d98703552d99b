//! Simulations of every code under every scheduler on a machine, several in parallel.

use numasim_graph::partition::NS_PER_VERTEX_EDGE;
use numasim_graph::values::{RuntimeSettings, SchedulerSettings, TaskGraph};
use numasim_model::Machine;
use numasim_plan::{GraphPlan, Pattern};
use numasim_tasks::bound::{LowerBound, lower_bound};
use numasim_tasks::{Question, Run, Silent, advise, simulate};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::codes::{Code, OnMachine};
use crate::common::Failure;
use crate::common::machines::{sockets, without_numa};
use crate::common::windows::Settings;
use crate::plans::plans;
use crate::ways::{Way, With};

/// Repetitions; speedups are by pairs of equal seeds.
pub(crate) const SEEDS: u64 = 4;
/// For the machine without NUMA, which serves for comparison.
const NULL_SEEDS: u64 = 1;
/// The seed for creating advice, which differs from those for testing it.
const ADVICE_SEED: u64 = 1000;

/// A code with the information gathered before it runs.
struct Prepared {
    on: OnMachine,
    advised: TaskGraph,
    plans: Vec<(Pattern, GraphPlan)>,
}

/// All runs of a code under a scheduler on a machine, by seed.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) code: Code,
    pub(crate) way: Way,
    pub(crate) runs: Vec<Run>,
    /// For each seed; the same for every scheduler.
    pub(crate) bounds: Vec<LowerBound>,
    /// The runs without NUMA, with fewer seeds.
    pub(crate) uniform: Vec<Run>,
}

fn runtime(on: &OnMachine, seed: u64) -> RuntimeSettings {
    let task_spread = Settings::default().task_spread;
    RuntimeSettings { seed, task_spread, throttle: on.throttle, ..RuntimeSettings::default() }
}

fn scheduler(on: &OnMachine, way: Way) -> SchedulerSettings {
    let plain = SchedulerSettings {
        kind: way.kind,
        partition_ns_per_vertex_edge: Some(NS_PER_VERTEX_EDGE),
        affinity_partitioner: way.with == With::AffinityPartitioner,
        ..SchedulerSettings::default()
    };
    match &on.windows {
        Some(windows) if way.kind.partitions() => windows.scheduler(way.kind, &Settings::default()),
        _ => plain,
    }
}

fn prepared(machine: &Machine, code: &Code) -> Result<Prepared, Failure> {
    let on = code.on(machine)?;
    let advice = advise(machine, &on.graph, &runtime(&on, ADVICE_SEED), &|| false)?;
    let plans = plans(machine, &on, &sockets(machine))?;
    Ok(Prepared { advised: advice.graph, plans, on })
}

fn one(machine: &Machine, code: &Prepared, way: Way, seed: u64) -> Result<Run, Failure> {
    let (scheduler, runtime) = (scheduler(&code.on, way), runtime(&code.on, seed));
    let plan = |pattern| code.plans.iter().find(|(known, _)| *known == pattern).map(|(_, plan)| plan);
    let question = Question {
        machine,
        graph: if way.with == With::Advice { &code.advised } else { &code.on.graph },
        scheduler: &scheduler,
        runtime: &runtime,
        placement: way.placement(),
        steal: way.with == With::Stealing,
        contender: None,
        plan: if let With::Plan(pattern) = way.with { plan(pattern) } else { None },
    };
    simulate(&question, &mut Silent)
        .map_err(|error| format!("{} under {}: {error}", code.on.code.name, way.name()).into())
}

/// No schedule can end earlier, whatever the scheduler and the placement of open blocks.
fn bound(machine: &Machine, code: &Prepared, seed: u64) -> LowerBound {
    let (scheduler, runtime) = (scheduler(&code.on, Way::FIFO), runtime(&code.on, seed));
    let question = Question {
        machine,
        graph: &code.on.graph,
        scheduler: &scheduler,
        runtime: &runtime,
        placement: Way::FIFO.placement(),
        steal: false,
        contender: None,
        plan: None,
    };
    lower_bound(&question, &code.on.dependencies)
}

/// Simulates all codes under all schedulers that support them.
pub(crate) fn all(machine: &Machine, codes: &[Code]) -> Result<Vec<Case>, Failure> {
    let uniform = without_numa(machine)?;
    let made: Vec<Result<Prepared, Failure>> = codes.par_iter().map(|code| prepared(machine, code)).collect();
    let made = made.into_iter().collect::<Result<Vec<Prepared>, Failure>>()?;
    let mut cases = Vec::new();
    for code in &made {
        let bounds: Vec<LowerBound> = (1..=SEEDS).map(|seed| bound(machine, code, seed)).collect();
        let ways = Way::all().into_iter().filter(|way| way.suits(&code.on));
        cases.extend(ways.map(|way| (code, way, bounds.clone())));
    }
    let run = |(code, way, bounds): &(&Prepared, Way, Vec<LowerBound>)| {
        let of = |machine: &Machine, seeds: u64| -> Result<Vec<Run>, Failure> {
            (1..=seeds).map(|seed| one(machine, code, *way, seed)).collect()
        };
        let (runs, uniform) = (of(machine, SEEDS)?, of(&uniform, NULL_SEEDS)?);
        Ok(Case { code: code.on.code.clone(), way: *way, runs, bounds: bounds.clone(), uniform })
    };
    let done: Vec<Result<Case, Failure>> = cases.par_iter().map(run).collect();
    done.into_iter().collect()
}
