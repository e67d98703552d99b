//! `--real`: the graph on this host, with real kernels, compared with its simulation.
//!
//! Each repetition (`--runs`) is a serial run, then a run under each scheduler, so that other load of the host affects all of them. In
//! the simulation of a repetition, each task takes the mean time of its kind in the serial run. The simulation predicts the assignment of
//! tasks to workers over time, waiting, shared bandwidth, and the cost of scheduling.
//!
//! All runs under schedulers use the same workers, which are an application of an agent if there is one; the serial runs do not.

use std::io;
use std::path::Path;

use numasim_ask::{Input, tasks};
use numasim_bench::execute::{Cores, ExecuteError, Execution, Serial, Workers, calibrated, execute, serial};
use numasim_draw::gantt::Gantt;
use numasim_draw::{Heading, figures};
use numasim_graph::values::{GraphSource, PagePlacement, TaskStudy};
use numasim_host::affinity;
use numasim_host::system::System;
use numasim_kernels::{Code, Verdict, code};
use numasim_model::Machine;
use numasim_model::units::Seconds;
use numasim_runtime::{Agent, Control};
use numasim_tasks::{Job, Program, Question, Silent, simulate};

use crate::args::TasksArgs;
use crate::commands::tasks::outputs::{Kind as Ending, Writer, one_stream};
use crate::commands::tasks::{self as simulated, Recorder, title};
use crate::failure::Failure;
use crate::output::Destination;
use crate::plot_file::PlotFile;
use crate::shell::Shell;
use crate::view::Style;
use crate::view::executed::{self, DataPages, Executed, ExecutedView, Kind, Repetition};
use crate::view::tasked::GraphFacts;
use crate::watch;

/// Runs the graph in the files.
///
/// # Errors
/// A graph without kernels, a machine that is not this host, inputs that schedulers and kernels reject, and outputs that cannot be
/// written; a wrong result, after everything is written.
pub(super) fn run(args: &TasksArgs, input: &Input, shell: &Shell) -> Result<(), Failure> {
    let code = code_of(&input.tasks)?;
    let question = simulated::question(args, input, None)?;
    let (program, jobs) = (question.program(), question.jobs());
    let machine = &input.study.machine;
    let cores = processors(machine)?;
    if input.tasks.contender.is_some() {
        return Err(Failure::input("--real ignores [contender]: no other program would use the workers"));
    }
    let result = args.output.open()?;
    let trace = args.trace.as_deref();
    let trace = trace.map(|path| Trace::open(path, jobs.len())).transpose()?;
    let gantt = open_gantt(args, jobs.len())?;
    one_stream(&result, trace.as_ref().map(Trace::to), args)?;
    watch::listen();
    fresh_pages();
    let workers = workers(machine, &cores)?;
    let numbers = os_numbers(machine);
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
        // The settings of a scheduler, one for each seed, are consecutive.
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
    let table = |style: &Style| executed::table(&view, style);
    shell.answer(&result, args.output.format, table, &executed::json(&view), || executed::csv(&view))?;
    if let Some(trace) = trace {
        trace.write(job, &run)?;
    }
    if let Some(gantt) = gantt {
        gantt.deliver(&chart(job, &run).svg())?;
    }
    if held {
        shell.warn(HELD);
    }
    told(&view, runs)
}

/// Caution about times under an agent.
const HELD: &str = "an agent held workers back: measured times are those of fewer cores than simulated ones";

/// The workers of all runs. If an agent is present, or appears, they follow its commands.
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

/// The same graph, simulated.
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

/// Warnings in addition to the result.
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

/// Pages of one run are not reused by the next one, on whatever node they are.
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

// Logical CPUs of this host for the cores of the machine in the files.

/// The operating system's number of each node of the machine: that in the machine file, else that of the node with the same index on this
/// host.
fn os_numbers(machine: &Machine) -> Vec<Option<u32>> {
    let here = System::host().node_cores(&affinity::allowed().unwrap_or_default());
    let of_node = |node: numasim_model::NodeId| {
        let listed = machine.os_nodes().get(node.0).map(|os_node| os_node.number);
        listed.or_else(|| here.get(node.0).map(|node| node.number))
    };
    machine.node_ids().map(of_node).collect()
}

/// A logical CPU for each core: those listed in the machine file, else the first one of each core of the node with the same number.
///
/// # Errors
/// An operating system other than Linux; a machine with more cores than this host.
fn processors(machine: &Machine) -> Result<Cores, Failure> {
    let allowed = affinity::allowed()
        .map_err(|error| Failure::input("--real binds threads, which needs Linux").caused_by(&error))?;
    let here = System::host().node_cores(&allowed);
    let of_node = |node: numasim_model::NodeId| {
        let cores = machine.node(node).cores as usize;
        let listed = machine.os_nodes().get(node.0).and_then(|os_node| os_node.cpus.as_ref());
        let own: Vec<u32> = match (listed, here.get(node.0)) {
            (Some(list), _) => list.as_slice().iter().copied().take(cores).collect(),
            (None, Some(node)) => {
                node.cores.iter().filter_map(|core| core.first().copied()).take(cores).collect()
            }
            (None, None) => Vec::new(),
        };
        if own.len() < cores {
            return Err(Failure::input(format!(
                "{node} of the machine has {cores} cores, and this process may use {} there",
                own.len()
            ))
            .hint("--real runs on this host: give its machine file, as `numasim detect` or `numasim calibrate` writes it"));
        }
        Ok(own)
    };
    Ok(Cores(machine.node_ids().map(of_node).collect::<Result<_, _>>()?))
}

// `--gantt` for a run on this host: drawn like those of simulations.

/// Checks that it can be written, if it was requested, and changes nothing.
///
/// # Errors
/// More than one run, and the errors of [`PlotFile::open`].
fn open_gantt(args: &TasksArgs, runs: usize) -> Result<Option<PlotFile>, Failure> {
    let Some(path) = args.gantt.as_deref() else { return Ok(None) };
    if runs > 1 {
        return Err(Failure::input(format!("--gantt is of one run, and these are {runs}"))
            .hint("give one --scheduler, and leave out --runs"));
    }
    PlotFile::open(Some(path)).map(Some)
}

/// The activity of each worker over time.
fn chart(job: &Job<'_>, run: &Execution) -> Gantt {
    let mut bars = Recorder::default();
    for record in &run.records {
        bars.ended(record, job.program.graph.kind(record.task).0);
    }
    bars.drawn(job, heading(job, run), Seconds::new(run.makespan_s), Vec::new())
}

fn heading(job: &Job<'_>, run: &Execution) -> Heading {
    let busy_s: f64 = run.records.iter().map(|record| record.end_s - record.start_s).sum();
    let all_s = run.makespan_s * job.machine.total_cores() as f64;
    let idle = if all_s > 0.0 { 1.0 - busy_s / all_s } else { 0.0 };
    let mut parts = vec![
        format!("{}: {} s, measured", job.settings.label(), figures::single(run.makespan_s)),
        format!("{:.1} % idle", idle * 100.0),
    ];
    if run.held > 0 {
        parts.push("an agent held workers back".to_owned());
    }
    Heading { title: title(job), subtitle: parts.join("; ") }
}

// `--trace` for a run on this host, as for simulations.

/// Its destination, for the last run.
struct Trace {
    to: Destination,
    kind: Ending,
}

impl Trace {
    /// Checks that it can be written, and changes nothing.
    ///
    /// # Errors
    /// The errors of [`Ending::of`] and [`Destination::open`].
    fn open(path: &Path, runs: usize) -> Result<Self, Failure> {
        Ok(Self { to: Destination::open(Some(path))?, kind: Ending::of(path, runs)? })
    }

    /// Its destination.
    const fn to(&self) -> &Destination {
        &self.to
    }

    /// Writes it.
    ///
    /// # Errors
    /// It cannot be written.
    fn write(&self, job: &Job<'_>, run: &Execution) -> Result<(), Failure> {
        self.to.deliver_by(|out| -> io::Result<()> {
            let mut writer = Writer::start(out, self.kind)?;
            let mut trace = writer.of_run(job);
            run.records.iter().for_each(|record| trace.ended(record));
            drop(trace);
            writer.finish()
        })
    }
}
