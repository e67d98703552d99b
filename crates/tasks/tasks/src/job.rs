//! A graph under schedulers, placements and seeds, with the references for its makespan.

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
    /// The dependences between tasks.
    pub dependencies: Dependencies,
}

/// A graph that cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProgramError {
    /// The memory is too small for it and one simulation.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// There are more edges than 32 bits can count.
    #[error("the graph has more than 2^32 edges, which are not dealt with")]
    TooManyEdges,
}

impl Program {
    /// A graph and its edges.
    ///
    /// # Errors
    /// Too little memory, which is detected before the search for edges, or too many edges.
    pub fn of(graph: TaskGraph) -> Result<Self, ProgramError> {
        Counts::of(&graph, 0).at_a_time()?;
        let dependencies = Dependencies::of(&graph).ok_or(ProgramError::TooManyEdges)?;
        Ok(Self { graph, dependencies })
    }

    /// Number of simulations that fit in memory at a time, at least one.
    ///
    /// # Errors
    /// Not even one fits.
    pub fn at_a_time(&self) -> Result<usize, TooLarge> {
        Counts::of(&self.graph, self.dependencies.edge_count()).at_a_time()
    }
}

/// The settings of one simulation of a graph.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The scheduler.
    pub scheduler: SchedulerSettings,
    /// Costs of creating, fetching and stealing tasks, and the seed.
    pub runtime: RuntimeSettings,
    /// Placement of pages of blocks.
    pub placement: PagePlacement,
    /// The scenario that determines both scheduler and placement, if there is one.
    pub scenario: Option<TaskScenario>,
    /// Whether idle workers steal from other sockets.
    pub steal: bool,
    /// The share of the peak at which the granularity of tasks is searched, if requested.
    pub metg: Option<f64>,
}

impl Settings {
    /// Its label for people: the scenario, or the scheduler.
    pub fn label(&self) -> &'static str {
        self.scenario.map_or(self.scheduler.kind.as_str(), TaskScenario::as_str)
    }
}

/// The complete question about a graph: values that are not set are those of the files.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Schedulers; empty: the scheduler of the files.
    pub schedulers: Vec<SchedulerKind>,
    /// Placement of pages of blocks.
    pub placement: PagePlacement,
    /// Scenarios; each replaces scheduler and placement.
    pub scenarios: Vec<TaskScenario>,
    /// Whether idle workers steal from other sockets.
    pub steal: bool,
    /// The first seed.
    pub seed: Option<u64>,
    /// Number of seeds.
    pub runs: u32,
    /// The share of [`Settings::metg`].
    pub metg: Option<f64>,
}

/// The seeds exceed the range.
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
    /// The machine on which the graph runs.
    pub machine: &'a Machine,
    /// The generator and the contender.
    pub tasks: &'a TaskStudy,
    /// The graph.
    pub program: &'a Program,
    /// The plan, if the scheduler follows one.
    pub plan: Option<&'a GraphPlan>,
    /// The settings.
    pub settings: &'a Settings,
}

/// A run with its references.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The result.
    pub run: Run,
    /// No schedule can have a shorter makespan than this.
    pub bound: LowerBound,
    /// The minimum effective task granularity, if requested.
    pub metg: Option<Metg>,
}

impl<'a> Job<'a> {
    /// The question for the simulation.
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

    /// Simulates; `stop` is polled at intervals, like `observer`.
    ///
    /// # Errors
    /// The graph cannot be simulated; [`TasksError::Stopped`].
    pub fn run(&self, observer: &mut dyn Observer, stop: &dyn Fn() -> bool) -> Result<Answer, JobError> {
        // After Ctrl-C no further job begins: even the beginning of one takes time.
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

// The smallest tasks of Task Bench with which a scheduler still keeps the cores busy.
//
// The minimum effective task granularity of Slaughter et al. ("Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime
// Performance", SC 2020, section IV): the smallest average granularity, which is makespan x cores / tasks, at which the FLOP of all tasks
// / makespan is at least a share (there 50 %) of the peaks of all cores. Here the work of a task is halved or doubled until the search
// has sizes below and above the share; then it bisects between them. If efficiency does not rise monotonically with the work, the result
// is one of the places where it crosses the share.

/// Larger tasks are not tried: a day on a core of 12 GFLOPS.
const MOST_FLOP: u64 = 1_000_000_000_000_000;
/// Relative distance at which the bisection stops; at least 1 FLOP.
const NEAR: f64 = 1e-6;
/// Tolerance for rounding in sums of times.
const ROUNDING: f64 = 1e-9;

/// The tasks that can be made smaller: those of Task Bench.
pub fn bench(tasks: &TaskStudy) -> Option<(&str, &TaskBench)> {
    match &tasks.source {
        GraphSource::Generated { name, generator: Generator::TaskBench(bench) } => Some((name, bench)),
        _ => None,
    }
}

/// The smallest tasks that keep the cores busy (Slaughter et al., SC 2020).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metg {
    /// Share of the peak of all cores.
    pub share: f64,
    /// FLOP of a task, and makespan x cores / tasks in seconds; `None` if no size reaches that share.
    pub found: Option<(u64, f64)>,
    /// FLOP of all tasks / makespan / peak of all cores, with tasks of that size; 0 if there is none.
    pub efficiency: f64,
}

/// One task size.
#[derive(Clone, Copy)]
struct Tried {
    flop: u64,
    efficiency: f64,
    granularity_s: f64,
}

impl Metg {
    /// For a program under the scheduler of a question; `stop` is polled at intervals.
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
    /// The smallest tasks that reach `share` of the peak; `None` if no size does.
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
