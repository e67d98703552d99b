//! Tasks: graphs of tasks on blocks of data, under schedulers.

mod columns;
mod document;
mod seeds;

use std::sync::Arc;

use numasim_course::Study;
use numasim_draw::figures;
use numasim_graph::graph_of;
use numasim_graph::values::{
    GraphSource, PagePlacement, SchedulerKind, TaskGraph, TaskId, TaskScenario, TaskStudy,
};
use numasim_model::{Machine, NodeId};
use numasim_plan::GraphPlan;
use numasim_sim::search::Monitor;
use numasim_tasks::bound::LowerBound;
use numasim_tasks::{
    Answer, Asked, Job, JobError, Metg, NoSeeds, Observer, Program, ProgramError, Run, Settings, Silent,
    TasksError, TooLarge, bench,
};
use serde::Serialize;

use crate::input::Input;
use crate::refusal::Refusal;
pub use columns::columns;
pub use document::{Check, Real, RealKind, RealRun};
pub use seeds::{OfScheduler, OverSeeds, SchedulerOverSeeds};

/// A question to [`tasks`] that has passed all checks: a graph and the settings of each of its simulations. Front ends that observe
/// simulations, or run several in parallel, use its [`Tasks::jobs`].
#[derive(Debug)]
pub struct Tasks {
    input: Input,
    program: Program,
    settings: Vec<Settings>,
    plan: Option<GraphPlan>,
    /// Number of simulations that fit in memory at the same time.
    pub at_a_time: usize,
}

impl Tasks {
    /// A graph (for files, [`graph`] creates it) under each scheduler, or scenario, with each seed.
    ///
    /// # Errors
    /// Not enough memory for the graph, too many edges, seeds beyond the last one, or `--metg` with a graph other than Task Bench.
    pub fn of(input: &Input, graph: TaskGraph, asked: &Asked) -> Result<Self, Refusal> {
        if let Some(refusal) = input.study.machine.sharing_refusal() {
            return Err(Refusal::said(refusal.to_string()));
        }
        let program = program(graph)?;
        let settings = settings(asked, &input.tasks)?;
        let at_a_time = program.at_a_time().map_err(too_large)?;
        Ok(Self { input: input.clone(), program, settings, plan: None, at_a_time })
    }

    /// Whether a scheduler needs a plan.
    pub fn goes_by_plan(&self) -> bool {
        self.settings.iter().any(|settings| settings.scheduler.kind == SchedulerKind::Plan)
    }

    /// The same question with a plan.
    ///
    /// # Errors
    /// A scheduler needs a plan, and there is none.
    pub fn by(self, plan: Option<GraphPlan>) -> Result<Self, Refusal> {
        if plan.is_none() && self.goes_by_plan() {
            return Err(Refusal::said("the scheduler plan needs a plan")
                .hint("give --plan PLAN, a folder that `numasim plan` has written"));
        }
        Ok(Self { plan, ..self })
    }

    /// The graph and its edges.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The simulations in the order of the schedulers or scenarios, then of the seeds.
    pub fn jobs(&self) -> Vec<Job<'_>> {
        let Self { input: Input { study, tasks, .. }, program, settings, plan, .. } = self;
        let machine = &study.machine;
        let job = |settings| Job { machine, tasks, program, plan: plan.as_ref(), settings };
        settings.iter().map(job).collect()
    }

    /// The answer, from the results of [`Self::jobs`] in their order: those before the first one that was stopped.
    ///
    /// # Errors
    /// The first simulation has no result.
    pub fn answer(
        &self,
        results: impl IntoIterator<Item = Result<Tasked, JobError>>,
    ) -> Result<TasksAnswer, Refusal> {
        let mut runs = Vec::new();
        for result in results {
            match result.map_err(|error| failed(&self.input.study.machine, &self.program, &error)) {
                Ok(run) => runs.push(run),
                Err(Some(refusal)) => return Err(refusal),
                Err(None) => break,
            }
        }
        let graph = GraphFacts::of(&self.program);
        Ok(TasksAnswer { study: Arc::clone(&self.input.study), graph, runs, asked: self.settings.len() })
    }
}

/// A graph of tasks under schedulers, with the simulations in sequence.
///
/// ```
/// use std::sync::Arc;
///
/// use numasim_ask::{Input, Tasks, tasks};
/// use numasim_sim::search::Unattended;
/// use numasim_tasks::Asked;
///
/// let machine = "[machine]\nname = \"one node\"\nnodes = 1\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 32.0\n";
/// let graph = "[graph]\ngenerator = \"cholesky\"\nn = 4\ntile = 100\n";
/// let input = Input::read(&[("one.toml", &format!("{machine}{graph}"))])?;
/// let asked = Asked { runs: 1, ..Asked::default() };
/// let question = Tasks::of(&input, numasim_ask::tasks::graph(&input)?, &asked)?;
/// let answer = tasks(&question, &Unattended)?;
/// assert!(answer.runs[0].makespan_s() >= answer.runs[0].bound_s());
/// # Ok::<(), numasim_ask::Refusal>(())
/// ```
///
/// # Errors
/// The errors of [`Tasks::by`] and [`Tasks::answer`].
pub fn tasks(question: &Tasks, monitor: &dyn Monitor) -> Result<TasksAnswer, Refusal> {
    question.answer(question.jobs().iter().map(|job| Tasked::run(job, &mut Silent, &|| monitor.stop())))
}

/// Simulations of one graph.
#[derive(Clone, Debug)]
pub struct TasksAnswer {
    /// The machine, and the contents of the files about tasks.
    pub study: Arc<Study>,
    /// The graph.
    pub graph: GraphFacts,
    /// In the order of the schedulers or scenarios, then of the seeds.
    pub runs: Vec<Tasked>,
    /// Number of requested simulations, which exceeds the number of runs if the question was stopped.
    pub asked: usize,
}

/// The graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphFacts {
    /// Its name.
    pub name: String,
    /// Number of tasks.
    pub tasks: usize,
    /// Pairs of tasks in which one waits for the other.
    pub edges: usize,
    /// Number of data blocks.
    pub blocks: usize,
    /// Number of tasks in the longest chain.
    pub span: u32,
    /// Whether tasks have different priorities.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub priorities: bool,
}

impl GraphFacts {
    /// The facts about a program that people see.
    pub fn of(program: &Program) -> Self {
        Self {
            name: program.graph.name().to_owned(),
            tasks: program.graph.task_count(),
            edges: program.dependencies.edge_count(),
            blocks: program.graph.blocks().len(),
            span: program.dependencies.span(),
            priorities: program.graph.has_priorities(),
        }
    }

    /// `cholesky: 20 tasks, 30 edges, 10 blocks, 7 on the longest path`.
    pub fn in_words(&self) -> String {
        format!(
            "{}: {}, {}, {}, {} on the longest path",
            self.name,
            figures::count(self.tasks as u64, "task"),
            figures::count(self.edges as u64, "edge"),
            figures::count(self.blocks as u64, "block"),
            self.span,
        )
    }
}

/// One simulation with its inputs.
#[derive(Clone, Debug)]
pub struct Tasked {
    /// The scheduler.
    pub scheduler: SchedulerKind,
    /// The page placement.
    pub placement: PagePlacement,
    /// The scenario that defined both, if there is one.
    pub scenario: Option<TaskScenario>,
    /// Whether idle workers may steal.
    pub steal: bool,
    /// Seed of all random choices.
    pub seed: u64,
    /// The result.
    pub run: Run,
    /// Lower bound on the makespan of any schedule.
    pub bound: LowerBound,
    /// The minimum effective task granularity, if it was requested.
    pub metg: Option<Metg>,
}

impl Tasked {
    /// Simulates; asks `stop` as often as `observer`, from time to time.
    ///
    /// # Errors
    /// The graph cannot be simulated; the simulation was stopped.
    pub fn run(
        job: &Job<'_>,
        observer: &mut dyn Observer,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, JobError> {
        Ok(Self::of(job.settings, job.run(observer, stop)?))
    }

    /// The settings and the answer.
    pub fn of(settings: &Settings, answer: Answer) -> Self {
        let Answer { run, bound, metg } = answer;
        Self {
            scheduler: settings.scheduler.kind,
            placement: settings.placement,
            scenario: settings.scenario,
            steal: settings.steal,
            seed: settings.runtime.seed,
            run,
            bound,
            metg,
        }
    }

    /// Its name for people: the scenario, or the scheduler.
    pub fn label(&self) -> &'static str {
        self.scenario.map_or(self.scheduler.as_str(), TaskScenario::as_str)
    }

    /// End of the last task, in seconds.
    pub fn makespan_s(&self) -> f64 {
        self.run.makespan.value()
    }

    /// Lower bound on the makespan of any schedule, in seconds.
    pub fn bound_s(&self) -> f64 {
        self.bound.makespan.value()
    }

    /// Difference between makespan and lower bound, as a fraction of the bound.
    pub fn above_bound(&self) -> Option<f64> {
        (self.bound_s() > 0.0).then(|| (self.makespan_s() / self.bound_s() - 1.0).max(0.0))
    }
}

/// The graph in the files.
///
/// # Errors
/// A generator that cannot create a graph; a graph without tasks.
pub fn graph(input: &Input) -> Result<TaskGraph, Refusal> {
    let sockets: Vec<NodeId> = input.study.machine.compute_nodes().collect();
    let source = &input.tasks.source;
    let graph = graph_of(source, &sockets).map_err(|error| Refusal::said(error.to_string()))?;
    if graph.task_count() > 0 {
        return Ok(graph);
    }
    let (message, hint) = match source {
        GraphSource::None => (
            "there is no graph of tasks".to_owned(),
            "list each `[[task]]`, write `[program]` or `[graph] generator = \"...\"`, or name a folder with blocks.csv and tasks.csv",
        ),
        GraphSource::Given(_) => {
            ("there are no tasks: the graph is empty".to_owned(), "write a `[[task]]` for each task")
        }
        GraphSource::Generated { generator, .. } => (
            format!(
                "there are no tasks: the generator {} makes none with these parameters",
                generator.as_str()
            ),
            "give it more `iterations`, `repeat` or `queries`, or `init = true`",
        ),
        GraphSource::Program { .. } => (
            "there are no tasks: the loops of `[program]` make none".to_owned(),
            "write a `[[program.loop]]`, and a `repeat` of at least 1",
        ),
    };
    Err(Refusal::said(message).hint(hint))
}

/// A graph and its edges.
///
/// # Errors
/// Not enough memory for the graph, or too many edges.
pub fn program(graph: TaskGraph) -> Result<Program, Refusal> {
    Program::of(graph).map_err(|error| match error {
        ProgramError::TooLarge(error) => too_large(error),
        error @ ProgramError::TooManyEdges => Refusal::said(error.to_string()),
    })
}

/// The refusal if a graph and one simulation do not fit in memory.
pub fn too_large(error: TooLarge) -> Refusal {
    Refusal::said(error.to_string()).hint("simulate fewer iterations, or coarser tasks")
}

/// Every scheduler, or every scenario, with every seed.
///
/// # Errors
/// Seeds beyond the last one; a task granularity that cannot be made smaller.
fn settings(asked: &Asked, tasks: &TaskStudy) -> Result<Vec<Settings>, Refusal> {
    let no_seeds = |error: NoSeeds| Refusal::said(error.to_string()).hint("give a smaller --seed");
    let settings = asked.settings(tasks).map_err(no_seeds)?;
    if asked.metg.is_some() && bench(tasks).is_none() {
        return Err(Refusal::said("--metg is of Task Bench: the graph of these files is another one")
            .hint("give [graph] generator = \"task-bench\" with a pattern, width and steps"));
    }
    Ok(settings)
}

/// The refusal of a simulation without a result; `None` if it was stopped.
pub fn failed(machine: &Machine, program: &Program, error: &JobError) -> Option<Refusal> {
    let error = match error {
        JobError::Simulated(error) => error,
        error @ JobError::Generated(_) => return Some(Refusal::said(error.to_string())),
    };
    let name = |task: TaskId| match program.graph.task_name(task) {
        Some(name) => format!("task `{name}`"),
        None => format!("task {}", task.0),
    };
    Some(match *error {
        TasksError::Stopped => return None,
        TasksError::NoSocket(task) => {
            Refusal::said(format!("{} has no `socket`, which the scheduler sa needs", name(task)))
                .hint("give every task a `socket`, or take another --scheduler")
        }
        TasksError::NoCores { task, node } => {
            Refusal::said(format!("{} should run on {node}, which has no cores", name(task)))
                .hint("give it the `socket` of a node with cores, or take another --scheduler")
        }
        TasksError::Affinity { task, node } => {
            Refusal::said(format!("the `affinity` of {} is {node}, which has no cores", name(task)))
                .hint("give it the `affinity` of a node with cores, or none")
        }
        TasksError::Tree { scheduler, task } => Refusal::said(format!(
            "{} is created by a task, but the scheduler {} partitions what the master creates",
            name(task),
            scheduler.as_str()
        ))
        .hint("take another --scheduler: `fifo`, `sa`, `dep`, `tbb`, `tbb-numa`, `hint` run tree programs"),
        TasksError::NeverEnds(task) => {
            let model = machine.sharing().name();
            Refusal::said(format!(
                "{} never ends: no data moves any more under the sharing model {model}",
                name(task)
            ))
            .hint(
                "each task that runs reads several memories, and one of them gives all it has to others, who wait in the same way: \
                 remote-first serves reads across links first, as far as they ask, and a node's own threads from what is left",
            )
            .hint("take another --model, such as baseline-proportional, which serves a node's own threads and links as equals")
        }
        ref error => Refusal::said(error.to_string()),
    })
}
