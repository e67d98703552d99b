//! A graph under schedulers, placements and seeds, with what its makespan is compared with.

use numasim_graph::Dependencies;
use numasim_graph::values::{
    PagePlacement, RuntimeSettings, SchedulerKind, SchedulerSettings, TaskGraph, TaskScenario, TaskStudy,
};
use numasim_model::Machine;
use numasim_plan::GraphPlan;

use crate::bound::{LowerBound, lower_bound};
use crate::engine::simulate;
use crate::error::{JobError, TasksError};
use crate::metg::{Metg, bench};
use crate::observer::{Observer, Stoppable};
use crate::question::Question;
use crate::result::Run;
use crate::room::{Counts, TooLarge};

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
        let of_kind = |&kind| {
            let scheduler = SchedulerSettings { kind, ..tasks.scheduler.clone() };
            (scheduler, self.placement, None)
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
