//! A graph under schedulers, placements and seeds, with what its makespan is compared with.

use numasim_graph::values::{
    Generator, GraphSource, PagePlacement, RuntimeSettings, SchedulerKind, SchedulerSettings, TaskBench,
    TaskGraph, TaskScenario, TaskStudy,
};
use numasim_graph::{Dependencies, generate};
use numasim_model::{Machine, NodeId};
use numasim_plan::GraphPlan;

use crate::bound::{LowerBound, lower_bound};
use crate::engine::simulate;
use crate::error::{Counts, JobError, TasksError, TooLarge};
use crate::question::Question;
use crate::result::{Observer, Run, Silent, Stoppable};

/// A graph and its edges.
#[derive(Debug)]
pub struct Program {
    /// Blocks and tasks.
    pub graph: TaskGraph,
    /// What waits for what.
    pub dependencies: Dependencies,
}

/// A graph that cannot be dealt with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProgramError {
    /// There is no room for it and one simulation.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// Edges are counted in 32 bits.
    #[error("the graph has more than 2^32 edges, which are not dealt with")]
    TooManyEdges,
}

impl Program {
    /// A graph and its edges.
    ///
    /// # Errors
    /// No room for it, which shows before its edges are looked for, or too many edges.
    pub fn of(graph: TaskGraph) -> Result<Self, ProgramError> {
        Counts::of(&graph, 0).at_a_time()?;
        let dependencies = Dependencies::of(&graph).ok_or(ProgramError::TooManyEdges)?;
        Ok(Self { graph, dependencies })
    }

    /// For how many simulations at a time there is room, at least one.
    ///
    /// # Errors
    /// For none.
    pub fn at_a_time(&self) -> Result<usize, TooLarge> {
        Counts::of(&self.graph, self.dependencies.edge_count()).at_a_time()
    }
}

/// What is asked of a graph, once.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Who decides which task runs where.
    pub scheduler: SchedulerSettings,
    /// What creating, fetching and stealing tasks cost, and the seed.
    pub runtime: RuntimeSettings,
    /// Where pages of blocks are.
    pub placement: PagePlacement,
    /// What says both, where something does.
    pub scenario: Option<TaskScenario>,
    /// Whether idle workers steal from other sockets.
    pub steal: bool,
    /// The share of the peak at which the granularity of tasks is looked for, where it is.
    pub metg: Option<f64>,
}

impl Settings {
    /// What people call it: the scenario, or the scheduler.
    pub fn label(&self) -> &'static str {
        self.scenario.map_or(self.scheduler.kind.as_str(), TaskScenario::as_str)
    }
}

/// What is asked of a graph in all: what is not said is that of the files.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Schedulers; none: that of the files.
    pub schedulers: Vec<SchedulerKind>,
    /// Where pages of blocks are.
    pub placement: PagePlacement,
    /// Scenarios, each in place of scheduler and placement.
    pub scenarios: Vec<TaskScenario>,
    /// Whether idle workers steal from other sockets.
    pub steal: bool,
    /// The first seed.
    pub seed: Option<u64>,
    /// How many seeds.
    pub runs: u32,
    /// The share of [`Settings::metg`].
    pub metg: Option<f64>,
}

/// There are no such seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("seed {first} and {runs} runs: there are no such seeds")]
pub struct NoSeeds {
    first: u64,
    runs: u32,
}

impl Asked {
    /// Every scheduler, or every scenario, with every seed.
    ///
    /// # Errors
    /// Seeds beyond the last one.
    pub fn settings(&self, tasks: &TaskStudy) -> Result<Vec<Settings>, NoSeeds> {
        let first = self.seed.unwrap_or(tasks.runtime.seed);
        let more = u64::from(self.runs.saturating_sub(1));
        let last = first.checked_add(more).ok_or(NoSeeds { first, runs: self.runs })?;
        let of_files = [tasks.scheduler.kind];
        let kinds = if self.schedulers.is_empty() { &of_files[..] } else { &self.schedulers };
        let of_kind = |&kind: &SchedulerKind| {
            let scheduler = SchedulerSettings { kind, ..tasks.scheduler.clone() };
            let is_same = self.placement == PagePlacement::Numa && !kind.places_blocks();
            (scheduler, if is_same { PagePlacement::FirstTouch } else { self.placement }, None)
        };
        let of_scenario = |&scenario: &TaskScenario| {
            (scenario.scheduler(&tasks.scheduler), scenario.placement(), Some(scenario))
        };
        let asked: Vec<_> = if self.scenarios.is_empty() {
            kinds.iter().map(of_kind).collect()
        } else {
            self.scenarios.iter().map(of_scenario).collect()
        };
        let with_seeds = |(scheduler, placement, scenario): (SchedulerSettings, PagePlacement, _)| {
            (first..=last).map(move |seed| Settings {
                scheduler: scheduler.clone(),
                runtime: RuntimeSettings { seed, ..tasks.runtime.clone() },
                placement,
                scenario,
                steal: self.steal,
                metg: self.metg,
            })
        };
        Ok(asked.into_iter().flat_map(with_seeds).collect())
    }
}

/// One simulation.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Where it runs.
    pub machine: &'a Machine,
    /// The generator and the contender.
    pub tasks: &'a TaskStudy,
    /// The graph.
    pub program: &'a Program,
    /// The plan, where the scheduler goes by one.
    pub plan: Option<&'a GraphPlan>,
    /// What is asked.
    pub settings: &'a Settings,
}

/// A run with what it is compared with.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What came out.
    pub run: Run,
    /// No schedule can have a shorter makespan than this.
    pub bound: LowerBound,
    /// The minimum effective task granularity, where that was asked for.
    pub metg: Option<Metg>,
}

impl<'a> Job<'a> {
    /// The question that it asks.
    pub fn question(&self) -> Question<'a> {
        let Settings { scheduler, runtime, placement, steal, .. } = self.settings;
        Question {
            machine: self.machine,
            graph: &self.program.graph,
            scheduler,
            runtime,
            placement: *placement,
            steal: *steal,
            contender: self.tasks.contender.as_ref(),
            plan: self.plan,
        }
    }

    /// Simulates; `stop` is asked now and then, as `observer` is.
    ///
    /// # Errors
    /// The graph cannot be simulated; [`TasksError::Stopped`].
    pub fn run(&self, observer: &mut dyn Observer, stop: &dyn Fn() -> bool) -> Result<Answer, JobError> {
        // Of many jobs none begins after Ctrl-C: even the beginning of one takes its time.
        if stop() {
            return Err(TasksError::Stopped.into());
        }
        let question = self.question();
        let run = simulate(&question, &mut Stoppable { observer, stop })?;
        let bound = lower_bound(&question, &self.program.dependencies);
        let metg = match self.settings.metg.zip(bench(self.tasks)) {
            Some((share, of)) => Some(Metg::of(&question, share, of, stop)?),
            None => None,
        };
        Ok(Answer { run, bound, metg })
    }
}

// The smallest tasks of Task Bench with which a scheduler still keeps the cores at work.
//
// The minimum effective task granularity of Slaughter et al. ("Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime
// Performance", SC 2020, section IV): the smallest average granularity, which is makespan x cores / tasks, at which the FLOP of all tasks
// / makespan is at least a share (there 50 %) of the peaks of all cores. Here the work of a task is halved or doubled until it
// is below and above the share, then halved between both. Where efficiency does not rise with the work everywhere, what is found is one
// of the places where it crosses the share.

/// Larger tasks are looked at no more: a day on a core of 12 GFLOPS.
const MOST_FLOP: u64 = 1_000_000_000_000_000;
/// How near both ends of the last step are, relative to them; 1 FLOP at least.
const NEAR: f64 = 1e-6;
/// Rounding in sums of times.
const ROUNDING: f64 = 1e-9;

/// The tasks that can be made smaller: those of Task Bench.
pub fn bench(tasks: &TaskStudy) -> Option<(&str, &TaskBench)> {
    match &tasks.source {
        GraphSource::Generated { name, generator: Generator::TaskBench(bench) } => Some((name, bench)),
        _ => None,
    }
}

/// The smallest tasks that keep the cores at work (Slaughter et al., SC 2020).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metg {
    /// Of the peak of all cores.
    pub share: f64,
    /// FLOP of a task, and makespan x cores / tasks in seconds; `None` where no size keeps that share.
    pub found: Option<(u64, f64)>,
    /// FLOP of all tasks / makespan / peak of all cores, with tasks of that size; 0 where there is none.
    pub efficiency: f64,
}

/// One size of tasks.
#[derive(Clone, Copy)]
struct Tried {
    flop: u64,
    efficiency: f64,
    granularity_s: f64,
}

impl Metg {
    /// Of a program under the scheduler of a question; `stop` is asked now and then.
    pub(crate) fn of(
        question: &Question<'_>,
        share: f64,
        (name, bench): (&str, &TaskBench),
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, JobError> {
        let tried = Search { question, name, bench, stop }.smallest(share)?;
        Ok(Self {
            share,
            found: tried.map(|tried| (tried.flop, tried.granularity_s)),
            efficiency: tried.map_or(0.0, |tried| tried.efficiency),
        })
    }
}

struct Search<'a> {
    question: &'a Question<'a>,
    name: &'a str,
    bench: &'a TaskBench,
    stop: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// The smallest tasks that keep `share` of the peak; `None` where no size does.
    fn smallest(&self, share: f64) -> Result<Option<Tried>, JobError> {
        let enough = |tried: &Tried| tried.efficiency >= share * (1.0 - ROUNDING);
        let mut above = self.with(self.bench.flop.clamp(1, MOST_FLOP))?;
        // The largest size that is known to be too small.
        let mut below = 0;
        while !enough(&above) {
            if above.flop >= MOST_FLOP {
                return Ok(None);
            }
            below = above.flop;
            above = self.with((above.flop * 2).min(MOST_FLOP))?;
        }
        while above.flop - below > 1 && (above.flop - below) as f64 > NEAR * above.flop as f64 {
            let middle = self.with(below.midpoint(above.flop))?;
            if enough(&middle) {
                above = middle;
            } else {
                below = middle.flop;
            }
        }
        Ok(Some(above))
    }

    /// The same program with tasks of `flop`.
    fn with(&self, flop: u64) -> Result<Tried, JobError> {
        let machine = self.question.machine;
        let sockets: Vec<NodeId> = machine.compute_nodes().collect();
        let generator = Generator::TaskBench(TaskBench { flop, ..self.bench.clone() });
        let graph = generate(&generator, self.name, &sockets)?;
        let question = Question { graph: &graph, ..*self.question };
        let run = simulate(&question, &mut Stoppable { observer: &mut Silent, stop: self.stop })?;
        let (seconds, tasks) = (run.makespan.value(), graph.task_count() as f64);
        let gflop: f64 = graph.tasks().map(|task| graph.gflop(task)).sum();
        let peak: f64 =
            machine.nodes().iter().map(|node| node.gflops_per_core.value() * f64::from(node.cores)).sum();
        Ok(Tried {
            flop,
            efficiency: if seconds > 0.0 { gflop / seconds / peak } else { 0.0 },
            granularity_s: if tasks > 0.0 { seconds * machine.total_cores() as f64 / tasks } else { 0.0 },
        })
    }
}
