//! `numasim tasks`: a graph of tasks on blocks of data, under schedulers.

use std::path::Path;

use numasim_ask::tasks::{failed, too_large};
use numasim_ask::{Input, Tasked, Tasks, TasksAnswer, table, tasks};
use numasim_course::Study;
use numasim_draw::gantt::{Band, Bar, Gantt, MOST_COLUMNS};
use numasim_draw::{Heading, figures};
use numasim_graph::values::{
    GraphSource, PagePlacement, SchedulerKind, SchedulerSettings, TaskGraph, TaskStudy,
};
use numasim_model::NodeId;
use numasim_model::units::Seconds;
use numasim_plan::{File, GraphPlan, guide};
use numasim_tasks::{Asked, IdleReason, Job, JobError, Observer, Program, Settings, Silent, TaskRecord};
use outputs::Outputs;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::args::TasksArgs;
use crate::commands::graph_folder;
use crate::commands::tasks::outputs::Onlookers;
use crate::failure::Failure;
use crate::files::{PlainFiles, Stop};
use crate::shell::Shell;
use crate::view::plots::time_unit;
use crate::view::tasked::{GraphFacts, idle_in_words};
use crate::view::{Style, machine_title, tasked};
use crate::{sharing, watch};

mod outputs;
mod real;

/// Runs the command.
pub(crate) fn run(args: &TasksArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::read(&args.files, args.sharing.model, shell)?;
    if args.real {
        return real::run(args, &input, shell);
    }
    let question = question(args, &input, args.graph.as_deref())?;
    let plan = plan_of(args, &question, &input.study)?;
    let question = question.by(plan)?;
    let outputs = Outputs::open(args, question.jobs().len())?;
    watch::listen();
    let answer = outputs.compute(&question)?;
    let table = |style: &Style| tasked::table(&answer, style);
    let rows = || table::csv(&answer.columns(), &answer.runs);
    shell.answer(&outputs.result, args.output.format, table, &answer, rows)?;
    outputs.graph(&question.program().graph)?;
    told(&answer)
}

/// Warnings in addition to the result.
fn told(answer: &TasksAnswer) -> Result<(), Failure> {
    let (done, asked) = (answer.runs.len(), answer.asked);
    if done == asked {
        return Ok(());
    }
    Err(Failure::interrupted(format!("interrupted after {done} of {asked} simulations"))
        .hint("those that were over are written"))
}

// `--gantt`: the activity of each worker over time, in a simulation or on this host.

/// Records the activity of each worker.
#[derive(Default)]
struct Recorder {
    /// In the order of the ends.
    records: Vec<Record>,
    /// Reasons why workers were idle, with times in seconds.
    idle: Vec<(IdleReason, f64, f64)>,
}

/// 24 B each, because there may be 10^7 of them.
struct Record {
    worker: u32,
    kind: u32,
    start_s: f64,
    end_s: f64,
}

impl Recorder {
    /// Records the end of a task of this kind.
    fn ended(&mut self, record: &TaskRecord, kind: u32) {
        let TaskRecord { worker, start_s, end_s, .. } = *record;
        self.records.push(Record { worker, kind, start_s, end_s });
    }

    /// Records why workers had no task.
    fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
        self.idle.push((reason, start_s, end_s));
    }

    /// The chart of the simulation, on an axis up to `end`: a band for each node with cores.
    fn chart(&self, job: &Job<'_>, tasked: &Tasked, end: Seconds) -> Gantt {
        let (_, per_second) = time_unit(end);
        let heading = heading(job, tasked, tasked.run.makespan);
        self.drawn(job, heading, end, self.grounds(tasked, per_second))
    }

    /// The chart with another heading, and with the reasons why workers were idle in the unit of the axis ([`time_unit`]).
    fn drawn(&self, job: &Job<'_>, heading: Heading, end: Seconds, idle: Vec<Bar>) -> Gantt {
        let machine = job.machine;
        let (unit, per_second) = time_unit(end);
        let workers = usize::try_from(machine.total_cores()).unwrap_or(0);
        let mut rows: Vec<Vec<Bar>> = vec![Vec::new(); workers];
        for record in &self.records {
            if let Some(row) = rows.get_mut(record.worker as usize) {
                let (from, to) = (record.start_s * per_second, record.end_s * per_second);
                row.push(Bar { from, to, kind: record.kind as usize });
            }
        }
        let mut rows = rows.into_iter();
        let bands = machine.compute_nodes().map(|node| Band {
            name: format!("node {}", node.0),
            rows: rows.by_ref().take(machine.node(node).cores as usize).collect(),
        });
        Gantt {
            heading,
            x: format!("time ({unit})"),
            end: end.value() * per_second,
            columns: MOST_COLUMNS,
            kinds: job.program.graph.types().to_vec(),
            bands: bands.collect(),
            reasons: IdleReason::ALL.map(|reason| format!("idle: {}", idle_in_words(reason))).to_vec(),
            idle,
        }
    }
}

impl Recorder {
    /// The reasons why workers were idle over time; reasons that did not occur are left out.
    fn grounds(&self, tasked: &Tasked, per_second: f64) -> Vec<Bar> {
        let held = IdleReason::ALL.map(|reason| tasked.run.idle_because(reason) > 0.0);
        let bar = |&(reason, start_s, end_s): &(IdleReason, f64, f64)| Bar {
            from: start_s * per_second,
            to: end_s * per_second,
            kind: reason as usize,
        };
        self.idle.iter().map(bar).filter(|bar| held.get(bar.kind).is_some_and(|&held| held)).collect()
    }
}

fn heading(job: &Job<'_>, tasked: &Tasked, makespan: Seconds) -> Heading {
    let above = tasked
        .above_bound()
        .map_or(String::new(), |above| format!(", {:.1} % above the lower bound", above * 100.0));
    let stealing = if tasked.steal { " with stealing" } else { "" };
    let parts = [
        format!("{}{stealing}: {} s{above}", tasked.label(), figures::single(makespan.value())),
        format!("{:.1} % idle", tasked.run.idle * 100.0),
        format!("{:.1} % of bytes remote", tasked.run.traffic.remote_share() * 100.0),
        format!("model {}", job.machine.sharing().name()),
    ];
    Heading { title: title(job), subtitle: parts.join("; ") }
}

/// The title with the graph and the scheduler.
fn title(job: &Job<'_>) -> String {
    format!("{} on {}", job.program.graph.name(), machine_title(job.machine))
}

// Simulations of tasks with a chart of each, for the page of `report`.

/// With more workers there is no chart.
const MOST_WORKERS: u64 = 256;

/// A graph, and its results under several schedulers.
pub(crate) struct Pictured {
    pub(crate) facts: GraphFacts,
    /// Successful simulations, each with a chart if there are few enough workers.
    pub(crate) runs: Vec<(Tasked, Option<Gantt>)>,
    /// The other schedulers, each with the reason.
    pub(crate) without: Vec<(SchedulerKind, String)>,
}

/// Whether the files have a graph.
pub(crate) fn has_graph(tasks: &TaskStudy) -> bool {
    !matches!(tasks.source, GraphSource::None)
}

/// Simulates the graph in the files, with their seed, under `kinds`. If `kinds` is empty: under `fifo`, `sa` if every task has a socket,
/// `dep`, `rip-dep` and the scheduler in the files.
///
/// # Errors
/// A graph that cannot be created, or does not fit in memory; Ctrl-C.
pub(crate) fn pictured(input: &Input, kinds: &[SchedulerKind]) -> Result<Pictured, Failure> {
    let program = tasks::program(tasks::graph(input)?)?;
    let (machine, of_files) = (&input.study.machine, &input.tasks);
    program.at_a_time().map_err(too_large)?;
    let kinds = if kinds.is_empty() { usual(of_files, &program) } else { kinds.to_vec() };
    let settings: Vec<Settings> = kinds
        .into_iter()
        .map(|kind| Settings {
            scenario: None,
            scheduler: SchedulerSettings { kind, ..of_files.scheduler.clone() },
            runtime: of_files.runtime.clone(),
            placement: PagePlacement::default(),
            steal: false,
            metg: None,
        })
        .collect();
    let draws = machine.total_cores() <= MOST_WORKERS;
    let (mut done, mut without) = (Vec::new(), Vec::new());
    for settings in &settings {
        let job = Job { machine, tasks: of_files, program: &program, plan: None, settings };
        let mut onlookers = Onlookers::of_chart(&program.graph, draws);
        match one(&job, &mut onlookers) {
            Ok(tasked) => done.push((job, tasked, onlookers.bars)),
            Err(error) => match failed(machine, &program, &error) {
                None => return Err(Failure::interrupted("interrupted")),
                Some(refusal) => {
                    without.push((settings.scheduler.kind, Failure::from(refusal).message().to_owned()));
                }
            },
        }
    }
    // On a common axis, so that they can be compared.
    let end_s = done.iter().map(|(_, tasked, _)| tasked.run.makespan.value()).fold(0.0, f64::max);
    let chart = |(job, tasked, bars): (Job<'_>, Tasked, Option<Recorder>)| {
        let chart = bars.map(|bars| bars.chart(&job, &tasked, Seconds::new(end_s)));
        (tasked, chart)
    };
    Ok(Pictured { facts: GraphFacts::of(&program), runs: done.into_iter().map(chart).collect(), without })
}

fn usual(tasks: &TaskStudy, program: &Program) -> Vec<SchedulerKind> {
    let annotated = program.graph.tasks().all(|task| program.graph.socket(task).is_some());
    let mut kinds = vec![SchedulerKind::Fifo];
    kinds.extend(annotated.then_some(SchedulerKind::Sa));
    kinds.extend([SchedulerKind::Dep, SchedulerKind::RipDep]);
    if !kinds.contains(&tasks.scheduler.kind) {
        kinds.push(tasks.scheduler.kind);
    }
    kinds
}

// `--plan PLAN`: the plan for the simulated graph.

/// The plan for the graph, if a scheduler needs one.
///
/// # Errors
/// A plan that no scheduler needs; mistakes in its files.
fn plan_of(args: &TasksArgs, question: &Tasks, study: &Study) -> Result<Option<GraphPlan>, Failure> {
    let folder = match (&args.plan, question.goes_by_plan()) {
        (None, _) => return Ok(None),
        (Some(folder), true) => folder,
        (Some(folder), false) => {
            return Err(Failure::input(format!("no scheduler goes by --plan {}", folder.display()))
                .hint("give --scheduler plan"));
        }
    };
    let nodes: Vec<NodeId> = study.machine.compute_nodes().collect();
    let expected = "a plan is a folder that `numasim plan` has written";
    let files = PlainFiles::in_folder(folder, &[File::PlanTree, File::PlanDbs], expected)?;
    let guide = guide::<Stop>(nodes.len(), |file, each| files.feed(file, each))
        .map_err(|stop| files.failure(stop))?;
    files.are_unchanged()?;
    Ok(Some(GraphPlan::of(&guide, &question.program().graph, &nodes)))
}

// The graph that is simulated and the settings: from files and options to values.

/// The graph in the files or in a folder.
///
/// # Errors
/// Two graphs; a generator that cannot create one; files that cannot be read.
pub(in crate::commands) fn graph(input: &Input, folder: Option<&Path>) -> Result<TaskGraph, Failure> {
    match (&input.tasks.source, folder) {
        (GraphSource::None, Some(folder)) => graph_folder::read(folder, &input.study.machine),
        (_, None) => Ok(tasks::graph(input)?),
        (_, Some(folder)) => Err(Failure::input(format!(
            "there are two graphs: that of --graph {} and that of the files",
            folder.display()
        ))
        .hint("leave out --graph, or give files without [[task]], [[block]], [program] and generator")),
    }
}

/// The graph in the files or in a folder, under every scheduler, or every scenario, with every seed.
///
/// # Errors
/// The errors of [`graph`] and [`Tasks::of`].
fn question(args: &TasksArgs, input: &Input, folder: Option<&Path>) -> Result<Tasks, Failure> {
    let asked = Asked {
        schedulers: args.scheduler.clone(),
        placement: args.placement,
        scenarios: args.scenario.clone(),
        steal: args.steal,
        seed: args.seed,
        runs: args.runs,
        metg: args.metg,
    };
    Ok(Tasks::of(input, graph(input, folder)?, &asked)?)
}

// Simulations of a graph in sequence, or several in parallel.

/// Simulates.
fn one(job: &Job<'_>, observer: &mut dyn Observer) -> Result<Tasked, JobError> {
    Tasked::run(job, observer, &watch::interrupted)
}

/// All simulations in their order, up to the batch with the first one without a result. `at_a_time`: number of simulations that fit in
/// memory at the same time.
fn run_all(jobs: &[Job<'_>], at_a_time: usize) -> Vec<Result<Tasked, JobError>> {
    let mut done = Vec::new();
    for batch in jobs.chunks(at_a_time.max(1)) {
        done.extend(batch.par_iter().map(|job| one(job, &mut Silent)).collect::<Vec<_>>());
        if done.iter().any(Result::is_err) {
            break;
        }
    }
    done
}
