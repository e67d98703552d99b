//! `numasim sweep`: what if a figure were another one? Evaluates, explores or simulates at every point of a grid.

mod cluster;
mod drawn;
mod partial;
mod plan;
mod progress;
mod receipt;
mod shown;

use std::io::{ErrorKind, Write};

use numasim_ask::located::Located;
use numasim_ask::sweep::Batch;
use numasim_ask::table;

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
use partial::Partial;
use plan::Plan;
use progress::Bar;
use shown::Shown;

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
    for warning in plan.sweep.warnings(&located) {
        shell.warn(warning);
    }
    if let Some(texts) = texts {
        return cluster::submit(args, &plan, &texts, shell);
    }
    let destination = Destination::open(args.output.as_deref())?;
    let drawing = args.plot.as_deref().map(|path| Drawing::open(path, &plan)).transpose()?;
    threads::start(args.threads)?;
    watch::listen();
    let mut job = Job { plan: &plan, drawing, starved: 0, failed: 0 };
    let sink = job.open(args, destination)?;
    let Some(sink) = job.compute(sink, shell)? else { return Ok(()) };
    job.tell(shell);
    let table = |shown: &Shown| {
        shell.for_people(args.format, args.output.is_some(), |style| shown.text(&plan, style))
    };
    sink.finish(&plan, table)?;
    job.drawing.map_or(Ok(()), |drawing| drawing.deliver(&plan))
}

/// Where rows go while they are computed.
enum Sink<'a> {
    /// On as they come: standard output, a pipe, a device.
    Stream(Box<dyn Write>),
    /// A file that gets its name when it is whole.
    Partial(Partial),
    /// For people, at the end.
    Table(Shown<'a>, Destination),
    /// One object, at the end.
    Json(String, Destination),
}

/// A batch with the text that goes to the sink.
struct Made<'a> {
    batch: Batch<'a>,
    text: String,
}

/// One sweep while it runs.
struct Job<'a> {
    plan: &'a Plan,
    drawing: Option<Drawing>,
    /// Rows with starved nodes.
    starved: u64,
    /// Rows without a result.
    failed: u64,
}

impl<'a> Job<'a> {
    fn open(&mut self, args: &SweepArgs, destination: Destination) -> Result<Sink<'a>, Failure> {
        let plan = self.plan;
        match args.format {
            Format::Table | Format::Markdown => return Ok(Sink::Table(Shown::new(plan), destination)),
            Format::Json => return Ok(Sink::Json(String::new(), destination)),
            Format::Csv => {}
        }
        let header = if plan.header { table::header(plan.sweep.columns()) } else { String::new() };
        if let Destination::File(target) = destination {
            let drawing = &mut self.drawing;
            let kept = |row: &[u8]| {
                if let Some(drawing) = drawing {
                    drawing.add_line(row);
                }
            };
            return Partial::open(target, plan, header.as_bytes(), args.resume, kept).map(Sink::Partial);
        }
        if args.resume {
            return Err(Failure::input("--resume needs a regular file").hint("name one with -o FILE"));
        }
        let stream = destination.stream();
        let Some(mut stream) = stream.map_err(|error| not_written(&error))? else {
            return Err(Failure::fault("a destination of no known kind"));
        };
        match stream.write_all(header.as_bytes()) {
            // The first rows find out too.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(not_written(&error)),
            _ => Ok(Sink::Stream(stream)),
        }
    }

    /// Computes what is not there yet. `None`: nobody reads any more.
    fn compute(&mut self, mut sink: Sink<'a>, shell: &Shell) -> Result<Option<Sink<'a>>, Failure> {
        let plan = self.plan;
        let (all, kept) = (plan.points.end - plan.points.start, sink.kept());
        if kept > 0 {
            shell.note(format!("{kept} of {all} points exist already"));
        }
        let bar = Bar::new(all, kept, shell);
        let mut computed = kept;
        let text = sink.text_of_rows();
        let make = |batch: Batch<'a>| Made { text: text(plan, &batch), batch };
        let done = |made: Made<'a>| {
            let batch = &made.batch;
            if let Some(drawing) = &mut self.drawing {
                drawing.add(&batch.table);
            }
            self.starved += batch.starved;
            self.failed += batch.failed;
            computed += batch.points;
            bar.advance(batch.points);
            // A plot is wanted also where nobody reads the rows to their end.
            Ok::<_, Failure>(sink.add(&made)? || self.drawing.is_some())
        };
        let points = plan.points.start + kept..plan.points.end;
        let ended = plan.sweep.run(points, &watch::interrupted, &make, done);
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

impl<'a> Sink<'a> {
    /// Points that were there before.
    fn kept(&self) -> u64 {
        if let Self::Partial(partial) = self { partial.kept } else { 0 }
    }

    /// What workers write of each batch.
    fn text_of_rows(&self) -> fn(&Plan, &Batch) -> String {
        match self {
            Self::Stream(_) | Self::Partial(_) => |_, batch| batch.table.csv_rows(),
            Self::Table(..) => |_, _| String::new(),
            Self::Json(..) => |plan, batch| plan.sweep.json_rows(&batch.table),
        }
    }

    /// Takes rows. Returns whether somebody wants more.
    fn add(&mut self, made: &Made<'a>) -> Result<bool, Failure> {
        match self {
            Self::Stream(stream) => match stream.write_all(made.text.as_bytes()) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(false),
                Err(error) => return Err(not_written(&error)),
                Ok(()) => {}
            },
            Self::Partial(partial) => partial.write(made.text.as_bytes())?,
            Self::Table(shown, _) => shown.add(&made.batch.table),
            Self::Json(objects, _) => {
                objects.push_str(if objects.is_empty() { "" } else { ",\n" });
                objects.push_str(&made.text);
            }
        }
        Ok(true)
    }

    /// Everything is there.
    fn finish(self, plan: &Plan, text: impl FnOnce(&Shown) -> String) -> Result<(), Failure> {
        match self {
            Self::Stream(mut stream) => match stream.flush() {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(not_written(&error)),
                _ => Ok(()),
            },
            Self::Partial(partial) => partial.finish(),
            Self::Table(shown, destination) => destination.deliver(&text(&shown)),
            Self::Json(objects, destination) => destination.deliver(&plan.sweep.document().text(&objects)),
        }
    }
}

fn not_written(error: &std::io::Error) -> Failure {
    Failure::output("cannot write the rows").caused_by(error)
}
