//! `--real`: the graph on this host, with real kernels, beside the simulation of the same.
//!
//! Each repetition (`--runs`) is a serial run, then a run under each scheduler, so that what else the host does falls on all of them. The simulation of a repetition has tasks
//! that take as long as the mean of their kind in its serial run: what it predicts is who runs what when, waiting, shared bandwidth, and what scheduling costs.
//!
//! All runs under schedulers have the same workers, which are an application of an agent, where one is there; the serial runs are not.

mod cores;
mod gantt;
mod trace;

use numasim_ask::{Input, document, tasks};
use numasim_bench::execute::{Cores, ExecuteError, Execution, Serial, Workers, calibrated, execute, serial};
use numasim_graph::values::{GraphSource, PagePlacement, TaskStudy};
use numasim_kernels::{Code, Verdict, code};
use numasim_model::Machine;
use numasim_runtime::{Agent, Control};
use numasim_tasks::{Job, Program, Question, Silent, simulate};

use super::outputs::one_stream;
use super::program;
use crate::args::TasksArgs;
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use crate::view::executed::{self, DataPages, Executed, ExecutedView, Kind, Repetition};
use crate::view::tasked::GraphFacts;
use crate::watch;

/// Runs the graph of the files.
///
/// # Errors
/// A graph without kernels, a machine that is not this host, what schedulers and kernels refuse, what cannot be written; a wrong result, when all is written.
pub(super) fn run(args: &TasksArgs, input: &Input, shell: &Shell) -> Result<(), Failure> {
    let code = code_of(&input.tasks)?;
    let question = program::question(args, input, None)?;
    let (program, jobs) = (question.program(), question.jobs());
    let machine = &input.study.machine;
    let cores = cores::of(machine)?;
    if input.tasks.contender.is_some() {
        return Err(Failure::input("--real has no [contender]: nobody else would want the workers"));
    }
    let result = Destination::open(args.output.output.as_deref())?;
    let trace = args.trace.as_deref();
    let trace = trace.map(|path| trace::Trace::open(path, jobs.len())).transpose()?;
    let gantt = gantt::open(args, jobs.len())?;
    one_stream(&result, trace.as_ref().map(trace::Trace::to), args)?;
    watch::listen();
    fresh_pages();
    let workers = workers(machine, &cores)?;
    let numbers = cores::numbers(machine);
    let cpu = cores.0.iter().flatten().next().copied().unwrap_or(0);
    let runs = usize::try_from(args.runs).unwrap_or(1);
    let (mut repetitions, mut verdict, mut last): (Vec<Repetition>, Option<Verdict>, _) =
        (Vec::new(), None, None);
    let (mut held, mut done) = (false, 0);
    for repetition in 0..runs {
        if watch::interrupted() {
            break;
        }
        let reference = serial(&program.graph, &*code, cpu).map_err(failed)?;
        if verdict.is_none() {
            verdict = Some(code.check(&reference.store));
        }
        let mut executed = Vec::new();
        // The settings of a scheduler, one for each seed, stand together.
        for job in jobs.iter().skip(repetition).step_by(runs) {
            let question = job.question();
            let run = execute(&question, &*code, &workers).map_err(|error| of_job(job, error))?;
            held |= run.held > 0;
            done += 1;
            workers.pool().progress(done);
            let pages = run.pages.as_ref().map(|pages| DataPages::of(pages, &numbers));
            executed.push(compared(job, &reference, &run, pages)?);
            last = Some((job, run));
        }
        repetitions.push(Repetition { serial_s: reference.seconds, kinds: reference.kinds, runs: executed });
    }
    let Some((verdict, (job, run))) = verdict.zip(last) else {
        return Err(Failure::interrupted("interrupted before the first repetition"));
    };
    let kinds = kinds(program, &*code, &repetitions);
    let view = ExecutedView {
        machine,
        graph: &GraphFacts::of(program),
        labels: jobs.iter().step_by(runs).map(|job| job.settings.label()).collect(),
        kinds: &kinds,
        verdict,
        bytes: run.store.bytes(),
        repetitions: &repetitions,
    };
    deliver(args, &result, &view, shell)?;
    if let Some(trace) = trace {
        trace.write(job, &run)?;
    }
    if let Some(gantt) = gantt {
        gantt.deliver(&gantt::chart(job, &run).svg())?;
    }
    if held {
        shell.warn(HELD);
    }
    told(&view, runs)
}

/// What a person should know of times under an agent.
const HELD: &str = "an agent held workers back: measured times are those of fewer cores than simulated ones";

/// The workers of all runs; where an agent is there, or comes, they do what it orders.
fn workers(machine: &Machine, cores: &Cores) -> Result<Workers, Failure> {
    let agent = Agent::of_environment(Control::PerNode)
        .map_err(|error| Failure::input("NUMASIM_AGENT names no socket").caused_by(&error))?;
    Workers::start(machine, cores, agent).map_err(failed)
}

/// The kernels of the graph.
fn code_of(tasks: &TaskStudy) -> Result<Box<dyn Code>, Failure> {
    let GraphSource::Generated { generator, .. } = &tasks.source else {
        return Err(Failure::input(
            "--real needs a graph whose tasks have kernels: `[graph] generator = \"...\"`",
        )
        .hint("generators with kernels: cholesky, qr, gauss-seidel, red-black, jacobi, stencil2d"));
    };
    code(generator).map_err(|error| Failure::input(error.to_string()))
}

/// The same simulated.
fn compared(
    job: &Job<'_>,
    reference: &Serial,
    run: &Execution,
    pages: Option<DataPages>,
) -> Result<Executed, Failure> {
    let question = job.question();
    let graph = calibrated(&job.program.graph, job.machine, reference);
    let question = Question { graph: &graph, placement: PagePlacement::FirstTouch, ..question };
    let simulated = simulate(&question, &mut Silent).map_err(|error| of_job(job, error.into()))?;
    Ok(Executed {
        seed: job.settings.runtime.seed,
        simulated_s: simulated.makespan.value(),
        measured_s: run.makespan_s,
        partition_s: run.partition_s,
        steals: run.records.iter().filter(|record| record.stolen()).count() as u64,
        is_equal: run.store.difference(&reference.store).is_none(),
        pages,
    })
}

fn kinds(program: &Program, code: &dyn Code, repetitions: &[Repetition]) -> Vec<Kind> {
    let graph = &program.graph;
    let of_kind = |(number, name): (usize, &String)| {
        let tasks = || graph.tasks().filter(move |&task| graph.kind(task).0 as usize == number);
        let means = repetitions.iter().filter_map(|one| one.kinds.get(number).map(|&(seconds, _)| seconds));
        Kind {
            name: name.clone(),
            tasks: tasks().count() as u64,
            seconds: means.collect(),
            flop: tasks().map(|task| code.flop(graph, task)).sum(),
        }
    };
    graph.types().iter().enumerate().map(of_kind).collect()
}

fn deliver(
    args: &TasksArgs,
    result: &Destination,
    view: &ExecutedView<'_>,
    shell: &Shell,
) -> Result<(), Failure> {
    match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let into_file = args.output.output.is_some();
            result.deliver(&shell.for_people(format, into_file, |style| executed::table(view, style)))
        }
        Format::Json => result.deliver_by(|out| document::write(&executed::json(view), out)),
        Format::Csv => result.deliver(&executed::csv(view)),
    }
}

/// What a person must know beside the result.
fn told(view: &ExecutedView<'_>, runs: usize) -> Result<(), Failure> {
    if !view.verdict.is_right() {
        return Err(Failure::fault(format!(
            "the serial run is wrong: {} is {}, at most {} is right",
            view.verdict.what, view.verdict.value, view.verdict.limit
        )));
    }
    if view.repetitions.iter().flat_map(|one| &one.runs).any(|run| !run.is_equal) {
        return Err(Failure::fault("a run under a scheduler has another result than the serial run"));
    }
    if view.repetitions.len() < runs {
        return Err(Failure::interrupted(format!(
            "interrupted after {} of {runs} repetitions",
            view.repetitions.len()
        ))
        .hint("those that were over are written"));
    }
    Ok(())
}

/// Pages of one run are not left for the next one, wherever they lie.
fn fresh_pages() {
    #[cfg(target_os = "linux")]
    numasim_host::os::mapping::fresh_pages();
}

fn of_job(job: &Job<'_>, error: ExecuteError) -> Failure {
    match error {
        ExecuteError::Tasks(error) => match tasks::failed(job.machine, job.program, &error.into()) {
            Some(refusal) => refusal.into(),
            None => Failure::interrupted("interrupted"),
        },
        other => failed(other),
    }
}

fn failed(error: ExecuteError) -> Failure {
    match error {
        ExecuteError::Lost => Failure::fault(error.to_string()),
        other => Failure::input(other.to_string()),
    }
}
