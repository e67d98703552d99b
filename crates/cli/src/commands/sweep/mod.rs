//! `numasim sweep`: what if a figure were another one? Evaluates, explores or simulates at every point of a grid.

mod cluster;
mod drawn;
mod evaluating;
mod exploring;
mod partial;
mod plan;
mod progress;
mod receipt;
mod rows;
mod shown;
mod simulating;

use std::io::{ErrorKind, Write};

use crate::args::SweepArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::threads;
use crate::view::{figures, warning};
use crate::watch;
use drawn::Drawing;
use numasim_ask::located::Located;
use numasim_ask::over_time;
use partial::Partial;
use plan::{Plan, Work};
use progress::Bar;
use rows::{Column, Rows};
use shown::{Json, Table};

/// Runs the command.
pub(crate) fn run(args: &SweepArgs, shell: &Shell) -> Result<(), Failure> {
    if args.resume && args.format != Format::Csv {
        return Err(Failure::input("--resume works with CSV only").hint("leave out --format"));
    }
    if let Some(folder) = &args.cluster.collect {
        return cluster::collect(folder, args.output.as_deref());
    }
    if let Some(folder) = &args.cluster.resubmit {
        return cluster::resubmit(folder, &args.cluster, shell);
    }
    let (reading, sources) = files::read_study_and_texts(&args.files)?;
    let texts = args.cluster.submit.map(|_| sources.clone());
    let (study, located) = Located::split(reading, sources);
    let plan = Plan::new(args, sharing::choose(study, args.model, shell)?, &located)?;
    if let Work::Simulate(simulating) = &plan.work {
        let study = plan.sweep.study();
        let of_files =
            simulating.policies.is_empty().then(|| over_time::policy_of_files(study, &located).ok());
        let policies: Vec<_> = simulating.policies.iter().cloned().chain(of_files.flatten()).collect();
        for warning in over_time::ignored(study, &located, &policies) {
            shell.warn(warning);
        }
    }
    if let Some(texts) = texts {
        return cluster::submit(args, &plan, &texts, shell);
    }
    let columns = rows::columns(&plan);
    let destination = Destination::open(args.output.as_deref())?;
    let drawing = args.plot.as_deref().map(|path| Drawing::open(path, &plan, &columns)).transpose()?;
    threads::start(args.threads)?;
    watch::listen();
    let mut job = Job { plan: &plan, columns: &columns, drawing, starved: 0, failed: 0 };
    let sink = job.open(args, destination)?;
    let Some(sink) = job.compute(sink, shell)? else { return Ok(()) };
    job.tell(shell);
    let table = |table: &Table| {
        shell.for_people(args.format, args.output.is_some(), |style| table.text(&plan, &columns, style))
    };
    sink.finish(&plan, table)?;
    job.drawing.map_or(Ok(()), |drawing| drawing.deliver(&plan))
}

/// Where rows go while they are computed.
enum Sink {
    /// On as they come: standard output, a pipe, a device.
    Stream(Box<dyn Write>),
    /// A file that gets its name when it is whole.
    Partial(Partial),
    /// For people, at the end.
    Table(Table, Destination),
    /// One object, at the end.
    Json(Json, Destination),
}

/// One sweep while it runs.
struct Job<'a> {
    plan: &'a Plan,
    columns: &'a [Column],
    drawing: Option<Drawing>,
    /// Rows with starved nodes.
    starved: u64,
    /// Rows without a result.
    failed: u64,
}

impl Job<'_> {
    fn open(&mut self, args: &SweepArgs, destination: Destination) -> Result<Sink, Failure> {
        let (plan, columns) = (self.plan, self.columns);
        match args.format {
            Format::Table | Format::Markdown => return Ok(Sink::Table(Table::new(), destination)),
            Format::Json => return Ok(Sink::Json(Json::new(), destination)),
            Format::Csv => {}
        }
        let header = if plan.header { rows::header(plan, columns) } else { Vec::new() };
        if let Destination::File(target) = destination {
            let drawing = &mut self.drawing;
            let kept = |row: &[u8]| {
                if let Some(drawing) = drawing {
                    drawing.add(row);
                }
            };
            return Partial::open(target, plan, &header, args.resume, kept).map(Sink::Partial);
        }
        if args.resume {
            return Err(Failure::input("--resume needs a regular file").hint("name one with -o FILE"));
        }
        let stream = destination.stream();
        let Some(mut stream) = stream.map_err(|error| not_written(&error))? else {
            return Err(Failure::fault("a destination of no known kind"));
        };
        match stream.write_all(&header) {
            // The first rows find out too.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(not_written(&error)),
            _ => Ok(Sink::Stream(stream)),
        }
    }

    /// Computes what is not there yet. `None`: nobody reads any more.
    fn compute(&mut self, mut sink: Sink, shell: &Shell) -> Result<Option<Sink>, Failure> {
        let (plan, columns) = (self.plan, self.columns);
        let (all, kept) = (plan.points.end - plan.points.start, sink.kept());
        if kept > 0 {
            shell.note(format!("{kept} of {all} points exist already"));
        }
        let bar = Bar::new(all, kept, shell);
        let mut computed = kept;
        let done = |rows: Rows, points: u64| {
            if let Some(drawing) = &mut self.drawing {
                drawing.add(&rows.text);
            }
            self.starved += rows.starved;
            self.failed += rows.failed;
            computed += points;
            bar.advance(points);
            // A plot is wanted also where nobody reads the rows to their end.
            Ok(sink.add(&rows, plan, columns)? || self.drawing.is_some())
        };
        let points = plan.points.start + kept..plan.points.end;
        let ended = match &plan.work {
            Work::Evaluate(scenarios) => evaluating::run(plan, scenarios, points, done),
            Work::Explore(question) => exploring::run(plan, question, columns, points, done),
            Work::Simulate(asked) => simulating::run(plan, asked, columns, points, done),
        };
        bar.finish();
        ended?;
        if computed == all {
            return Ok(Some(sink));
        }
        if !watch::interrupted() {
            return Ok(None);
        }
        let failure = Failure::interrupted(format!("interrupted after {computed} of {all} points"));
        Err(match &sink {
            Sink::Partial(partial) => failure.hint(format!(
                "the rows so far are in {}; the same command with --resume continues",
                partial.path().display()
            )),
            Sink::Stream(_) => failure,
            Sink::Table(..) | Sink::Json(..) => failure.hint("only CSV with -o FILE keeps what is computed"),
        })
    }

    fn tell(&self, shell: &Shell) {
        if self.starved > 0 {
            shell.warn(format!(
                "remote reads starve a node's own threads in {} (column starved_nodes). {}",
                figures::count(self.starved, "row"),
                warning::RULE
            ));
        }
        if self.failed > 0 {
            let rows = figures::count(self.failed, "row");
            shell.warn(format!("{rows} without a result; see the column reason"));
        }
    }
}

impl Sink {
    /// Points that were there before.
    fn kept(&self) -> u64 {
        if let Self::Partial(partial) = self { partial.kept } else { 0 }
    }

    /// Takes rows. Returns whether somebody wants more.
    fn add(&mut self, rows: &Rows, plan: &Plan, columns: &[Column]) -> Result<bool, Failure> {
        match self {
            Self::Stream(stream) => match stream.write_all(&rows.text) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(false),
                Err(error) => return Err(not_written(&error)),
                Ok(()) => {}
            },
            Self::Partial(partial) => partial.write(&rows.text)?,
            Self::Table(table, _) => table.add(&rows.text, plan, columns),
            Self::Json(json, _) => json.add(&rows.text, plan, columns),
        }
        Ok(true)
    }

    /// Everything is there.
    fn finish(self, plan: &Plan, text: impl FnOnce(&Table) -> String) -> Result<(), Failure> {
        match self {
            Self::Stream(mut stream) => match stream.flush() {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(not_written(&error)),
                _ => Ok(()),
            },
            Self::Partial(partial) => partial.finish(),
            Self::Table(table, destination) => destination.deliver(&text(&table)),
            Self::Json(json, destination) => destination.deliver(&json.text(plan)),
        }
    }
}

fn not_written(error: &std::io::Error) -> Failure {
    Failure::output("cannot write the rows").caused_by(error)
}
