//! Outputs of a simulation of tasks in addition to its result.

use std::io::{self, Write};
use std::path::Path;

use numasim_ask::table::quoted;
use numasim_ask::{Tasked, Tasks, TasksAnswer};
use numasim_graph::export::{self, Ran};
use numasim_graph::paje::{Partition, paje};
use numasim_graph::values::TaskGraph;
use numasim_model::Machine;
use numasim_tasks::{IdleReason, Job, JobError, Observer, Program, TaskRecord};
use serde_json::{Value, json};

use crate::args::TasksArgs;
use crate::commands::graph_folder;
use crate::commands::tasks::{Recorder, one, run_all};
use crate::failure::Failure;
use crate::output::{Destination, Folder, Text};
use crate::plot_file::PlotFile;
use crate::threads;

/// The destinations, checked to be writable.
pub(super) struct Outputs {
    pub(super) result: Destination,
    trace: Option<(Destination, Kind)>,
    gantt: Option<PlotFile>,
    graph: Option<Folder>,
}

/// Observers for trace and chart.
pub(super) struct Onlookers<'w, 'a, 'g> {
    trace: Option<OfRun<'w, 'a, 'g>>,
    pub(super) bars: Option<Recorder>,
    graph: &'g TaskGraph,
}

impl<'g> Onlookers<'_, '_, 'g> {
    /// Only for a chart, if one is requested.
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
        self.trace.as_ref().is_some_and(OfRun::is_broken)
    }
}

/// Checks that at most one of result, trace and chart goes to standard output.
///
/// # Errors
/// More than one does.
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
    /// Checks that all outputs can be written, and changes nothing.
    ///
    /// # Errors
    /// A chart or a tasks.rec of more than one simulation, a trace without a known file extension, two results for standard output, and
    /// the errors of [`Destination::open`].
    pub(super) fn open(args: &TasksArgs, simulations: usize) -> Result<Self, Failure> {
        if args.gantt.is_some() && simulations > 1 {
            return Err(Failure::input(format!("--gantt is of one simulation, and these are {simulations}"))
                .hint("give one --scheduler, and leave out --runs"));
        }
        let result = args.output.open()?;
        let trace = args
            .trace
            .as_deref()
            .map(|path| Ok::<_, Failure>((Destination::open(Some(path))?, Kind::of(path, simulations)?)));
        let trace = trace.transpose()?;
        let gantt = PlotFile::beside(args.gantt.as_deref())?;
        let graph =
            args.emit_graph.as_deref().map(|path| graph_folder::open(path, "--emit-graph")).transpose()?;
        one_stream(&result, trace.as_ref().map(|(to, _)| to), args)?;
        Ok(Self { result, trace, gantt, graph })
    }

    /// All simulations in their order, up to the first that Ctrl-C stopped. The trace is written during the simulations, chart and graph
    /// after them.
    ///
    /// # Errors
    /// Simulations that fail, and outputs that cannot be written.
    pub(super) fn compute(&self, question: &Tasks) -> Result<TasksAnswer, Failure> {
        let jobs = question.jobs();
        if self.trace.is_none() && self.gantt.is_none() {
            threads::start(None)?;
            return Ok(question.answer(run_all(&jobs, question.at_a_time))?);
        }
        let mut answer = None;
        let mut bars = None;
        let written = Destination::deliver_if(self.trace.as_ref().map(|(to, _)| to), |out| {
            let kind = self.trace.as_ref().map(|(_, kind)| *kind);
            let mut trace = out.zip(kind).map(|(out, kind)| Writer::start(out, kind)).transpose()?;
            let (results, recorder) = one_by_one(&jobs, trace.as_mut(), self.gantt.is_some());
            bars = recorder;
            let answer = answer.insert(question.answer(results));
            trace.map_or(Ok(()), Writer::finish)?;
            // Incomplete output is not written.
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

    /// Writes the graph, if it was requested.
    ///
    /// # Errors
    /// The graph cannot be written.
    pub(super) fn graph(&self, graph: &TaskGraph) -> Result<(), Failure> {
        self.graph.as_ref().map_or(Ok(()), |folder| graph_folder::write_with_edges(folder, graph))
    }
}

type Done = (Vec<Result<Tasked, JobError>>, Option<Recorder>);

/// Runs jobs up to the first one without a result; returns the data for a chart of the last one.
fn one_by_one(jobs: &[Job<'_>], mut trace: Option<&mut Writer<'_>>, draws: bool) -> Done {
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

// `--trace`: when and where each task ran, as CSV, for Perfetto, as StarPU's `tasks.rec` ([`export`]), or in the Paje format ([`paje`]).
//
// | column | meaning |
// |---|---|
// | `scheduler`, `seed` | the simulation; under `--scenario` the name of the scenario |
// | `task`, `type` | number of the task in creation order, and its kind |
// | `socket` | the node that the scheduler gave it; empty if it gave none |
// | `node`, `worker` | NUMA node and core on which it ran; cores are counted over all nodes |
// | `start_s`, `end_s` | its start and end, in simulated seconds |
// | `source` | source from which the worker got it: `returned`, `successor`, `own`, `mailbox`, `shared` or `steal` |
//
// Tasks are listed in the order of their ends. The JSON is a trace of complete events ("ph": "X", times in us): a process for each node,
// a thread for each worker, and one for the master if it partitions.

/// The format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Csv,
    Chrome,
    StarPu,
    Paje,
}

impl Kind {
    /// Whether a file is for one run, and written at its end.
    const fn is_of_one_run(self) -> bool {
        matches!(self, Self::StarPu | Self::Paje)
    }

    /// Chooses the format by the name of the file, for this number of runs.
    ///
    /// # Errors
    /// A file extension of another kind; several runs in a file that supports only one.
    pub(super) fn of(path: &Path, runs: usize) -> Result<Self, Failure> {
        let Some(ending) = path.extension() else { return Ok(Self::Csv) };
        let kinds = [
            ("csv", Self::Csv, "a trace"),
            ("json", Self::Chrome, "a trace"),
            ("rec", Self::StarPu, "a tasks.rec"),
            ("paje", Self::Paje, "a trace of Paje"),
            ("trace", Self::Paje, "a trace of Paje"),
        ];
        match kinds.iter().find(|(known, ..)| ending.eq_ignore_ascii_case(known)) {
            Some((_, kind, what)) if kind.is_of_one_run() && runs > 1 => {
                Err(Failure::input(format!("{what} is of one run, and these are several"))
                    .hint("give one --scheduler, and leave out --runs"))
            }
            Some((_, kind, _)) => Ok(*kind),
            None => Err(Failure::input(format!("{} has no ending of a trace", path.display())).hint(
                "end the name in .csv, in .json for Perfetto, in .rec for StarPU's tasks.rec, or in .paje for the Paje format",
            )),
        }
    }
}

/// Writes the traces of simulations in sequence.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    kind: Kind,
    /// Processes of finished simulations: each node and each master is one.
    processes: usize,
    events: u64,
    failed: Option<io::Error>,
}

/// Writes the trace of a simulation.
pub(super) struct OfRun<'w, 'a, 'g> {
    writer: &'w mut Writer<'a>,
    program: &'g Program,
    machine: &'g Machine,
    scheduler: &'static str,
    seed: u64,
    nodes: usize,
    /// Tasks that ran, and partitionings, for a file that is written at the end.
    ran: Vec<Ran>,
    partitions: Vec<Partition>,
}

impl<'a> Writer<'a> {
    /// Writes the beginning of the file.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(super) fn start(out: &'a mut dyn Write, kind: Kind) -> io::Result<Self> {
        match kind {
            Kind::Csv => {
                out.write_all(b"scheduler,seed,task,type,socket,node,worker,start_s,end_s,source\n")?;
            }
            Kind::Chrome => out.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?,
            Kind::StarPu | Kind::Paje => {}
        }
        Ok(Self { out, kind, processes: 0, events: 0, failed: None })
    }

    /// Begins the next simulation.
    pub(super) fn of_run<'w, 'g>(&'w mut self, job: &Job<'g>) -> OfRun<'w, 'a, 'g> {
        let nodes = job.machine.node_count();
        let (scheduler, seed) = (job.settings.label(), job.settings.runtime.seed);
        if self.kind == Kind::Chrome {
            let names = (0..nodes).map(|node| format!("node {node}")).chain(["master".to_owned()]);
            for (process, name) in (self.processes..).zip(names) {
                self.event(&json!({
                    "ph": "M", "name": "process_name", "pid": process, "tid": 0,
                    "args": { "name": format!("{name} ({scheduler}, seed {seed})") },
                }));
            }
        }
        let (program, machine) = (job.program, job.machine);
        let (ran, partitions) = (Vec::new(), Vec::new());
        OfRun { writer: self, program, machine, scheduler, seed, nodes, ran, partitions }
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// The first write error.
    pub(super) fn finish(self) -> io::Result<()> {
        match (self.failed, self.kind) {
            (Some(error), _) => Err(error),
            (None, Kind::Csv | Kind::StarPu | Kind::Paje) => Ok(()),
            (None, Kind::Chrome) => self.out.write_all(b"\n]}\n"),
        }
    }

    fn event(&mut self, event: &Value) {
        let comma = if self.events > 0 { "," } else { "" };
        self.events += 1;
        self.write(|out| write!(out, "{comma}\n{event}"));
    }

    fn write(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(self.out).err();
        }
    }
}

impl OfRun<'_, '_, '_> {
    /// Whether writing failed, so that the remaining rows are not needed.
    pub(super) fn is_broken(&self) -> bool {
        self.writer.failed.is_some()
    }

    /// Records the end of a task.
    pub(super) fn ended(&mut self, record: &TaskRecord) {
        let TaskRecord { task, socket, node, worker, start_s, end_s, source, revoked: _, traffic } = *record;
        let graph = &self.program.graph;
        let kind = graph.type_name(task);
        match self.writer.kind {
            Kind::Csv => {
                let (scheduler, seed) = (self.scheduler, self.seed);
                let kind = quoted(kind);
                let socket = socket.map_or(String::new(), |socket| socket.0.to_string());
                let (task, node, source) = (task.0, node.0, source.as_str());
                self.writer.write(|out| {
                    writeln!(
                        out,
                        "{scheduler},{seed},{task},{kind},{socket},{node},{worker},{start_s},{end_s},{source}"
                    )
                });
            }
            Kind::Chrome => {
                let event = json!({
                    "ph": "X",
                    "name": graph.task_name(task).unwrap_or(kind),
                    "cat": kind,
                    "pid": self.writer.processes + node.0,
                    "tid": worker,
                    "ts": start_s * 1e6,
                    "dur": (end_s - start_s) * 1e6,
                    "args": {
                        "task": task.0,
                        "socket": socket.map(|socket| socket.0),
                        "source": source.as_str(),
                        "llc_local_bytes": traffic.llc_local,
                        "llc_remote_bytes": traffic.llc_remote,
                        "dram_local_bytes": traffic.dram_local,
                        "dram_remote_bytes": traffic.dram_remote,
                    },
                });
                self.writer.event(&event);
            }
            Kind::StarPu | Kind::Paje => self.ran.push(Ran { task, worker, node, start_s, end_s }),
        }
    }

    /// Records a partitioning by the master.
    pub(super) fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        if self.writer.kind == Kind::Chrome {
            let event = json!({
                "ph": "X", "name": "partition", "cat": "master", "pid": self.writer.processes + self.nodes, "tid": 0,
                "ts": start_s * 1e6, "dur": (end_s - start_s) * 1e6, "args": { "tasks": tasks },
            });
            self.writer.event(&event);
        } else if self.writer.kind == Kind::Paje {
            self.partitions.push(Partition { tasks, start_s, end_s });
        }
    }
}

impl Drop for OfRun<'_, '_, '_> {
    fn drop(&mut self) {
        self.writer.processes += self.nodes + 1;
        let Program { graph, dependencies, .. } = self.program;
        let (machine, ran, partitions) = (self.machine, &self.ran, &self.partitions);
        match self.writer.kind {
            Kind::Csv | Kind::Chrome => {}
            Kind::StarPu => {
                self.writer.write(|out| Text::to(out, |text| export::starpu(graph, dependencies, ran, text)));
            }
            Kind::Paje => {
                self.writer.write(|out| Text::to(out, |text| paje(graph, machine, ran, partitions, text)));
            }
        }
    }
}
