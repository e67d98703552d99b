//! What a simulation of tasks writes beside its result.

use std::io::{self, Write};
use std::path::Path;

use numasim_ask::{Tasked, Tasks, TasksAnswer};
use numasim_graph::values::TaskGraph;
use numasim_tasks::{IdleReason, Job, JobError, Observer, TaskRecord};

use super::bars::Recorder;
use super::running::{self, one};
use super::trace;
use crate::args::TasksArgs;
use crate::commands::graph_folder;
use crate::failure::Failure;
use crate::output::{Destination, Folder};
use crate::plot_file::PlotFile;
use crate::threads;

/// Where everything goes, known to be writable.
pub(super) struct Outputs {
    pub(super) result: Destination,
    trace: Option<(Destination, trace::Kind)>,
    gantt: Option<PlotFile>,
    graph: Option<Folder>,
}

/// Looks on for trace and chart.
pub(super) struct Onlookers<'w, 'a, 'g> {
    trace: Option<trace::OfRun<'w, 'a, 'g>>,
    pub(super) bars: Option<Recorder>,
    graph: &'g TaskGraph,
}

impl<'g> Onlookers<'_, '_, 'g> {
    /// For a chart alone, if it is to be drawn.
    pub(super) fn of_chart(graph: &'g TaskGraph, draws: bool) -> Self {
        Self { trace: None, bars: draws.then(Recorder::default), graph }
    }
}

impl Observer for Onlookers<'_, '_, '_> {
    fn ended(&mut self, record: &TaskRecord) {
        if let Some(trace) = &mut self.trace {
            trace.ended(record);
        }
        if let Some(bars) = &mut self.bars {
            bars.ended(record, self.graph.kind(record.task).0);
        }
    }

    fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        if let Some(trace) = &mut self.trace {
            trace.partitioned(tasks, start_s, end_s);
        }
    }

    fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
        if let Some(bars) = &mut self.bars {
            bars.idle_because(reason, start_s, end_s);
        }
    }

    fn stops(&self) -> bool {
        self.trace.as_ref().is_some_and(trace::OfRun::is_broken)
    }
}

/// Whether at most one of result, trace and chart goes to standard output.
///
/// # Errors
/// It is not so.
pub(super) fn one_stream(
    result: &Destination,
    trace: Option<&Destination>,
    args: &TasksArgs,
) -> Result<(), Failure> {
    let streams = usize::from(matches!(result, Destination::Stdout))
        + usize::from(matches!(trace, Some(Destination::Stdout)))
        + usize::from(args.gantt.as_deref() == Some(Path::new("-")));
    if streams > 1 {
        return Err(Failure::input("more than one result would go to standard output")
            .hint("name files for the others; -o FILE takes the result itself"));
    }
    Ok(())
}

impl Outputs {
    /// Checks that all can be written, and changes nothing.
    ///
    /// # Errors
    /// A chart or a tasks.rec of more than one simulation, a trace without an ending of one, two results for standard output, and those of [`Destination::open`].
    pub(super) fn open(args: &TasksArgs, simulations: usize) -> Result<Self, Failure> {
        if args.gantt.is_some() && simulations > 1 {
            return Err(Failure::input(format!("--gantt is of one simulation, and these are {simulations}"))
                .hint("give one --scheduler, and leave out --runs"));
        }
        let result = Destination::open(args.output.output.as_deref())?;
        let trace = args.trace.as_deref().map(|path| {
            Ok::<_, Failure>((Destination::open(Some(path))?, trace::Kind::of(path, simulations)?))
        });
        let trace = trace.transpose()?;
        let gantt = args.gantt.as_deref().map(|path| PlotFile::open(Some(path))).transpose()?;
        let graph =
            args.emit_graph.as_deref().map(|path| graph_folder::open(path, "--emit-graph")).transpose()?;
        one_stream(&result, trace.as_ref().map(|(to, _)| to), args)?;
        Ok(Self { result, trace, gantt, graph })
    }

    /// All simulations in their order, up to the first that Ctrl-C stopped; the trace is written meanwhile, chart and graph then.
    ///
    /// # Errors
    /// What cannot be simulated or written.
    pub(super) fn compute(&self, question: &Tasks) -> Result<TasksAnswer, Failure> {
        let jobs = question.jobs();
        if self.trace.is_none() && self.gantt.is_none() {
            threads::start(None)?;
            return Ok(question.answer(running::all(&jobs, question.at_a_time))?);
        }
        let mut answer = None;
        let mut bars = None;
        let written = written_to(self.trace.as_ref().map(|(to, _)| to), |out| {
            let kind = self.trace.as_ref().map(|(_, kind)| *kind);
            let mut trace = out.zip(kind).map(|(out, kind)| trace::Writer::start(out, kind)).transpose()?;
            let (results, recorder) = one_by_one(&jobs, trace.as_mut(), self.gantt.is_some());
            bars = recorder;
            let answer = answer.insert(question.answer(results));
            trace.map_or(Ok(()), trace::Writer::finish)?;
            // What is not whole is not written.
            if answer.is_err() { Err(io::Error::other("there is no result")) } else { Ok(()) }
        });
        let answer = answer.transpose()?;
        written?;
        let Some(answer) = answer else { return Err(Failure::fault("simulations without an end")) };
        if let (Some(plot), Some(bars), [run], [job]) =
            (&self.gantt, bars, answer.runs.as_slice(), jobs.as_slice())
        {
            plot.deliver(&bars.chart(job, run, run.run.makespan).svg())?;
        }
        Ok(answer)
    }

    /// Writes the graph, where that is asked for.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn graph(&self, graph: &TaskGraph) -> Result<(), Failure> {
        self.graph.as_ref().map_or(Ok(()), |folder| graph_folder::write_with_edges(folder, graph))
    }
}

type Done = (Vec<Result<Tasked, JobError>>, Option<Recorder>);

/// Up to the first one without a result; with what a chart of the last one needs.
fn one_by_one(jobs: &[Job<'_>], mut trace: Option<&mut trace::Writer<'_>>, draws: bool) -> Done {
    let (mut results, mut bars) = (Vec::new(), None);
    for job in jobs {
        let mut onlookers = Onlookers {
            trace: trace.as_mut().map(|trace| trace.of_run(job)),
            bars: draws.then(Recorder::default),
            graph: &job.program.graph,
        };
        results.push(one(job, &mut onlookers));
        bars = onlookers.bars;
        if results.last().is_some_and(Result::is_err) {
            break;
        }
    }
    (results, bars)
}

/// Writes to a destination, where there is one.
fn written_to(
    destination: Option<&Destination>,
    write: impl FnOnce(Option<&mut dyn Write>) -> io::Result<()>,
) -> Result<(), Failure> {
    match destination {
        Some(destination) => destination.deliver_by(|out| write(Some(out))),
        None => write(None).map_err(|error| Failure::output("cannot write").caused_by(&error)),
    }
}
