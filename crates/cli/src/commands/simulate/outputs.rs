//! Outputs of a simulation in addition to its result, written while it runs.

use std::cell::Cell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use numasim_agent::record::Of;
use numasim_ask::table::quoted;
use numasim_course::Study;
use numasim_dynamic::{Both, Changes, Counts, Job, JobError, Observer, Row, Run, Silent, Snapshot, State};
use numasim_model::{App, ModelKind};
use numasim_study::SourceFile;

use crate::args::SimulateArgs;
use crate::failure::Failure;
use crate::output::Destination;
use crate::plot_file::PlotFile;
use crate::shell::Shell;
use crate::trace::TraceWriter;
use crate::watch;

/// The destinations, checked to be writable.
pub(super) struct Outputs {
    pub(super) result: Destination,
    timeline: Option<Destination>,
    trace: Option<Destination>,
    pub(super) plot: Option<PlotFile>,
}

impl Outputs {
    /// Checks that all outputs can be written, and changes nothing.
    ///
    /// # Errors
    /// A timeline, a trace or a plot of more than one simulation, and the errors of [`Destination::open`] and [`PlotFile::open`].
    pub(super) fn open(args: &SimulateArgs, simulations: usize) -> Result<Self, Failure> {
        let of_one = [("--timeline", &args.timeline), ("--trace", &args.trace), ("--plot", &args.plot)];
        for (flag, path) in of_one {
            if path.is_some() && simulations > 1 {
                let failure =
                    Failure::input(format!("{flag} is of one simulation, and these are {simulations}"))
                        .hint("give one --policy, and leave out --runs");
                return Err(match flag {
                    "--plot" => failure.hint("`numasim report` shows a picture of each of several policies"),
                    _ => failure,
                });
            }
        }
        let mut streams = 0;
        let mut open = |path: Option<&PathBuf>| {
            let destination = Destination::open(path.map(PathBuf::as_path))?;
            streams += usize::from(matches!(destination, Destination::Stdout));
            Ok::<_, Failure>(destination)
        };
        let result = open(args.output.output.as_ref())?;
        let timeline = args.timeline.as_ref().map(|path| open(Some(path))).transpose()?;
        let trace = args.trace.as_ref().map(|path| open(Some(path))).transpose()?;
        let plot = args.plot.as_ref().map(|path| PlotFile::open(Some(path))).transpose()?;
        streams += usize::from(args.plot.as_deref() == Some(Path::new("-")));
        if streams > 1 {
            return Err(Failure::input("more than one result would go to standard output")
                .hint("name files for the others; -o FILE takes the result itself"));
        }
        Ok(Self { result, timeline, trace, plot })
    }

    /// Whether the simulation has observers.
    pub(super) fn look_on(&self) -> bool {
        self.timeline.is_some() || self.trace.is_some() || self.plot.is_some()
    }

    /// Whether rows are written to a terminal as they are produced: a progress line would appear between them.
    pub(super) fn rows_on_screen(&self, shell: &Shell) -> bool {
        let to_stdout = |one: &Option<Destination>| matches!(one, Some(Destination::Stdout));
        shell.width.is_some() && (to_stdout(&self.timeline) || to_stdout(&self.trace))
    }

    /// Simulates, and writes timeline and trace during the simulation; `others` are further observers. If the simulation fails, no files
    /// are written.
    pub(super) fn simulate(
        &self,
        job: &Job,
        sources: &[SourceFile],
        model: Option<ModelKind>,
        others: &mut dyn Observer,
    ) -> Result<Result<Run, JobError>, Failure> {
        let made = match job.policy.make(job.study) {
            Ok(made) => made,
            Err(error) => return Ok(Err(JobError::Unmade(error))),
        };
        let of = Of {
            study: job.study,
            sources,
            policy: job.policy,
            model,
            looks_at_work: made.is_some_and(|policy| policy.looks_at().work),
        };
        let broken = Cell::new(false);
        let mut ended = None;
        // The reason why the trace was not written, if it also stops the timeline.
        let mut refused = None;
        let written = Destination::deliver_if(self.timeline.as_ref(), |timeline| {
            let inner = Destination::deliver_if(self.trace.as_ref(), |trace| {
                let mut timeline =
                    timeline.map(|out| Timeline::start(out, job.study, &broken)).transpose()?;
                let mut trace = trace.map(|out| TraceWriter::start(out, &of, &broken)).transpose()?;
                let (mut first, mut second) = (Silent, Silent);
                let first: &mut dyn Observer = match &mut timeline {
                    Some(timeline) => timeline,
                    None => &mut first,
                };
                let second: &mut dyn Observer = match &mut trace {
                    Some(trace) => trace,
                    None => &mut second,
                };
                let stop = || watch::interrupted() || broken.get();
                let run = job.run(&mut Both(&mut Both(first, second), others), &stop);
                let failed = run.is_err();
                ended = Some(run);
                timeline.map_or(Ok(()), Timeline::finish)?;
                trace.map_or(Ok(()), TraceWriter::finish)?;
                // Incomplete output is not written.
                if failed { Err(io::Error::other("there is no result")) } else { Ok(()) }
            });
            inner.map_err(|failure| {
                refused = Some(failure);
                io::Error::other("there is no trace")
            })
        });
        match (ended, written) {
            (Some(Err(ended)), _) => Ok(Err(ended)),
            (Some(Ok(run)), Ok(())) => Ok(Ok(run)),
            (_, Err(failure)) => Err(refused.unwrap_or(failure)),
            (None, Ok(())) => Err(Failure::fault("a simulation without an end")),
        }
    }
}

// `--timeline`: the behaviour of every application over time, row by row while it is simulated.
//
// | column | meaning |
// |---|---|
// | `time_s` | start of the validity of the row, in seconds: until the next row of the same application and node |
// | `app` | name of the application instance |
// | `node` | NUMA node, from 0 |
// | `running` | threads in a task, asleep in it or not; for divisible work those that work |
// | `busy` | cores that they use |
// | `idle` | threads that may run but have no work |
// | `blocked` | threads that may not run |
// | `gflops` | GFLOPS of the threads on the node; empty if they count something else |
// | `gbs` | GB/s that they consume |
// | `items` | items of the application that are produced and not finished, over all its channels |
// | `rate`, `rate_unit` | rate of threads that count something else, with its unit; only if an application has a `rate` |

pub(crate) const HEADER: &str = "time_s,app,node,running,busy,idle,blocked,gflops,gbs,items\n";

/// Observes a simulation and writes a row for each change.
pub(super) struct Timeline<'a> {
    /// In the form of a row.
    names: Vec<String>,
    /// The units of rates, in the form of a row; empty if all applications count FLOP.
    units: Vec<Option<String>>,
    changes: Changes,
    row: Vec<u8>,
    out: &'a mut dyn Write,
    /// Set if writing fails, so that the remaining rows are not needed.
    broken: &'a Cell<bool>,
    failed: Option<io::Error>,
}

impl<'a> Timeline<'a> {
    /// Writes the header.
    pub(super) fn start(out: &'a mut dyn Write, study: &Study, broken: &'a Cell<bool>) -> io::Result<Self> {
        let unit = |app: &App| Some(quoted(app.rate_unit.as_deref()?).into_owned());
        let mut units: Vec<Option<String>> = study.apps.iter().map(unit).collect();
        if units.iter().all(Option::is_none) {
            units.clear();
        }
        out.write_all(HEADER.trim_end().as_bytes())?;
        out.write_all(if units.is_empty() { b"\n" } else { b",rate,rate_unit\n" })?;
        Ok(Self {
            units,
            names: study.apps.iter().map(|app| quoted(&app.name).into_owned()).collect(),
            changes: Changes::of(study),
            row: Vec::new(),
            out,
            broken,
            failed: None,
        })
    }

    /// Checks that everything was written.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    fn write(&mut self, snapshot: &dyn Snapshot) -> io::Result<()> {
        let Self { names, units, changes, row: text, out, .. } = self;
        changes.each(snapshot, |row| {
            let Row { time_s, app, node, state } = row;
            let State { counts: Counts { running, busy, idle, blocked }, gflops, gbs, items } = state;
            text.clear();
            write!(text, "{time_s},{},{node},{running},{busy},{idle},{blocked},", names[app.0])?;
            match units.get(app.0) {
                None => writeln!(text, "{gflops},{gbs},{items}")?,
                Some(None) => writeln!(text, "{gflops},{gbs},{items},,")?,
                Some(Some(unit)) => writeln!(text, ",{gbs},{items},{gflops},{unit}")?,
            }
            out.write_all(text)
        })
    }
}

impl Observer for Timeline<'_> {
    fn looks(&self) -> bool {
        true
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        if self.failed.is_some() {
            return;
        }
        self.failed = self.write(snapshot).err();
        self.broken.set(self.broken.get() || self.failed.is_some());
    }
}
