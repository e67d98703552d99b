//! `numasim sweep`: what if an input had a different value? Evaluates, explores or simulates at every point of a grid.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write};
use std::ops::Range;

use drawn::Drawing;
use numasim_ask::located::Located;
use numasim_ask::sweep::{Batch, Exploring, Simulating, Sweep, Work, sweep};
use numasim_ask::table::{self, Cell, Table};
use numasim_course::Study;
use numasim_draw::grid::wrap;
use numasim_policy::PolicyName;
use numasim_sim::{Objective, Restrictions};
use partial::Partial;
use serde_json::{Value, json};

use crate::args::{Shard, SweepArgs};
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use crate::view::{Style, figures, warning};
use crate::watch::Bar;
use crate::{files, sharing, threads, watch};

mod cluster;
mod drawn;
mod partial;

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
    let plan = Plan::new(args, sharing::choose(study, args.sharing.model, shell)?, &located)?;
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

/// Progress of a sweep.
const PROGRESS: &str = "sweeping {elapsed} [{bar:8}] {human_pos} of {human_len} points, {eta} left";

/// The destination of rows while they are computed.
enum Sink<'a> {
    /// Rows are passed on as they are computed: standard output, a pipe, a device.
    Stream(Box<dyn Write>),
    /// A file that gets its name when it is complete.
    Partial(Partial),
    /// A table for people, at the end.
    Table(Shown<'a>, Destination),
    /// One JSON object, at the end.
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
            // Writing the first rows also detects this.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(not_written(&error)),
            _ => Ok(Sink::Stream(stream)),
        }
    }

    /// Computes the missing points. `None`: the reader is gone.
    fn compute(&mut self, mut sink: Sink<'a>, shell: &Shell) -> Result<Option<Sink<'a>>, Failure> {
        let plan = self.plan;
        let (all, kept) = (plan.points.end - plan.points.start, sink.kept());
        if kept > 0 {
            shell.note(format!("{kept} of {all} points exist already"));
        }
        let bar = Bar::new(PROGRESS, all, kept, shell);
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
            if let Some(bar) = bar.drawn() {
                bar.inc(batch.points);
            }
            // A plot is also written if the rows are not read to their end.
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
    /// Number of points that already existed.
    fn kept(&self) -> u64 {
        if let Self::Partial(partial) = self { partial.kept } else { 0 }
    }

    /// The function with which workers write each batch.
    fn text_of_rows(&self) -> fn(&Plan, &Batch) -> String {
        match self {
            Self::Stream(_) | Self::Partial(_) => |_, batch| batch.table.csv_rows(),
            Self::Table(..) => |_, _| String::new(),
            Self::Json(..) => |plan, batch| plan.sweep.json_rows(&batch.table),
        }
    }

    /// Receives rows. Returns whether more are needed.
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

    /// All rows have been received.
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

// From the command line to the computation and its points.

/// The default of `numasim simulate`.
const SEED_OF_TASKS: u64 = 1;

/// All parameters that determine the rows.
struct Plan {
    sweep: Sweep,
    /// The points of this shard.
    points: Range<u64>,
    /// Whether the rows start with the header.
    header: bool,
    /// Whether it is a part of a sweep, which writes a receipt next to its rows.
    is_part: bool,
    /// Distinguishes this sweep from others, for the partial file.
    identity: Value,
}

impl Plan {
    /// Checks the command line against the study.
    fn new(args: &SweepArgs, study: Study, located: &Located) -> Result<Self, Failure> {
        let shard = args.shard.unwrap_or(Shard::WHOLE);
        let identity = identity(args, &study, shard);
        let work = work(args, &study)?;
        let sweep = sweep(study, located, &args.set, work)?;
        Ok(Self {
            points: shard.of(sweep.grid().points()),
            header: shard.is_first(),
            is_part: args.shard.is_some(),
            sweep,
            identity,
        })
    }
}

/// The work at every point.
fn work(args: &SweepArgs, study: &Study) -> Result<Work, Failure> {
    if args.explore {
        return Ok(Work::Explore(Exploring {
            objective: args.objective.unwrap_or_default(),
            restrictions: Restrictions {
                same_on_every_node: args.same_on_every_node,
                whole_nodes: args.whole_nodes,
                min_threads_per_node: args.min_threads_per_node.unwrap_or(0),
                no_idle_cores: args.no_idle_cores,
                whole_l3: false,
            },
            seed: args.seed.unwrap_or(0),
            time_limit: args.time_limit,
        }));
    }
    if args.simulate {
        let seed = args.seed.unwrap_or(SEED_OF_TASKS);
        return Ok(Work::Simulate(Simulating { policies: args.policy.clone(), seed, until_s: args.until }));
    }
    Ok(Work::evaluate(study, &args.scenario)?)
}

/// All parameters that affect the rows, under names that users know.
fn identity(args: &SweepArgs, study: &Study, shard: Shard) -> Value {
    json!({
        "schema": 1,
        "command": "sweep",
        "numasim": env!("CARGO_PKG_VERSION"),
        "model": study.machine.sharing().name(),
        "files": format!("{:016x}", fnv1a(format!("{study:?}").as_bytes())),
        "--set": args.set,
        "--scenario": args.scenario,
        "--explore": args.explore,
        "--objective": args.objective.map(Objective::as_str),
        "--same-on-every-node": args.same_on_every_node,
        "--whole-nodes": args.whole_nodes,
        "--min-threads-per-node": args.min_threads_per_node,
        "--no-idle-cores": args.no_idle_cores,
        "--time-limit": args.time_limit.map(|limit| limit.as_secs_f64()),
        "--simulate": args.simulate,
        "--policy": args.policy.iter().map(PolicyName::to_string).collect::<Vec<_>>(),
        "--until": args.until,
        "--seed": args.seed,
        "--shard": shard.to_string(),
    })
}

/// The 64-bit FNV-1a hash: the same on every platform and in every version of Rust.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

// The rows for people.

/// Number of rows at the beginning and at the end of a long sweep that a table shows.
const SHOWN_AT_ENDS: usize = 20;

/// The ends of a long sweep, and its best point.
struct Shown<'a> {
    first: Table<'a>,
    last: VecDeque<Vec<Cell<'a>>>,
    rows: u64,
    /// One for each scenario or policy.
    best: Vec<Best<'a>>,
    /// The columns whose sum rates a row, and whether lower is better.
    judged: (Vec<usize>, bool),
    /// The columns that identify scenarios and policies.
    named: Vec<usize>,
}

/// The best point of a scenario.
struct Best<'a> {
    value: f64,
    /// The first row with this value.
    row: Vec<Cell<'a>>,
    /// Number of rows after it, as long as all of them are as good.
    as_good: Option<u64>,
}

/// Relative difference below which two points are as good.
const AS_GOOD: f64 = 1e-9;

impl<'a> Shown<'a> {
    fn new(plan: &'a Plan) -> Self {
        let columns = plan.sweep.columns();
        let (name, less) = plan.sweep.judged_by();
        // The names of axes are longer.
        let judged = (0..columns.len()).filter(|&c| columns[c].name == name).collect();
        let is_name = |&c: &usize| ["scenario", "policy"].contains(&&*columns[c].name);
        let named = (0..columns.len()).filter(is_name).collect();
        Self {
            first: Table::new(columns),
            last: VecDeque::new(),
            rows: 0,
            best: Vec::new(),
            judged: (judged, less),
            named,
        }
    }

    fn add(&mut self, table: &Table<'a>) {
        for row in table.rows() {
            self.rows += 1;
            let (judged, less) = &self.judged;
            let values: Option<Vec<f64>> = judged.iter().map(|&c| row[c].number()).collect();
            if let Some(values) = values.filter(|values| !values.is_empty()) {
                let value = values.into_iter().fold(0.0, |sum, value| sum + value);
                let is_of = |best: &&mut Best<'_>| self.named.iter().all(|&c| best.row[c] == row[c]);
                match self.best.iter_mut().find(is_of) {
                    None => self.best.push(Best { value, row: row.to_vec(), as_good: Some(0) }),
                    Some(best) => {
                        let gain = if *less { best.value - value } else { value - best.value };
                        if gain > AS_GOOD * best.value.abs() {
                            *best = Best { value, row: row.to_vec(), as_good: Some(0) };
                        } else {
                            let is_as_good = gain >= -AS_GOOD * best.value.abs();
                            best.as_good = best.as_good.filter(|_| is_as_good).map(|rows| rows + 1);
                        }
                    }
                }
            }
            if self.first.rows().len() < SHOWN_AT_ENDS {
                self.first.push(row.iter().cloned());
            } else {
                if self.last.len() == SHOWN_AT_ENDS {
                    self.last.pop_front();
                }
                self.last.push_back(row.to_vec());
            }
        }
    }

    fn text(&self, plan: &Plan, style: &Style) -> String {
        let mut table = self.first.clone();
        self.last.iter().for_each(|row| table.push(row.iter().cloned()));
        let left_out = self.rows - table.rows().len() as u64;
        let grid = table.grid((left_out > 0).then_some(SHOWN_AT_ENDS));
        let machine = &plan.sweep.grid().study().machine;
        let (machine, model) = (machine.name(), machine.sharing().in_words());
        let points = figures::count(plan.points.end - plan.points.start, "point");
        let mut text =
            format!("Machine: {machine}\nModel:   {model}\nSweep:   {points}\n\n{}", grid.render(style));
        if left_out > 0 {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "\n{left_out} rows between are not shown; --format csv has all of them.");
        }
        let (_, less) = self.judged;
        let best = self.best.iter().reduce(|best, next| {
            let better = if less { next.value < best.value } else { next.value > best.value };
            if better { next } else { best }
        });
        if let Some(Best { value, row, as_good }) = best {
            let axes = plan.sweep.grid().axes().len();
            let at: Vec<String> = table
                .columns()
                .iter()
                .zip(row)
                .enumerate()
                .filter(|(c, (column, _))| *c < axes || ["scenario", "policy"].contains(&&*column.name))
                .map(|(_, (column, cell))| format!("{} = {cell}", column.key()))
                .collect();
            let what = match plan.sweep.work() {
                Work::Evaluate(_) => format!("Most {}", drawn::unit(plan)),
                Work::Explore(asked) => format!("Best {}", asked.objective.as_str()),
                Work::Simulate(_) => "Shortest makespan".to_owned(),
            };
            // Along one rising axis: the point from which on a higher value gains nothing.
            let last = self.last.back().map(Vec::as_slice).or_else(|| self.first.rows().last());
            let rises = last.is_some_and(|last| last[0].number() > row[0].number());
            let is_last_gain = axes == 1 && rises && as_good.is_some_and(|rows| rows > 0);
            let from = if is_last_gain { ("from", " on") } else { ("at", "") };
            let (axes, names) = at.split_at(axes);
            let names = if names.is_empty() { String::new() } else { format!(", {}", names.join(", ")) };
            let (axes, value) = (axes.join(", "), figures::single(*value));
            let best = format!("{what}: {value} {} {axes}{}{names}", from.0, from.1);
            let _ = writeln!(text, "\n{}", wrap(&best, style.columns()).join("\n"));
        }
        text
    }
}
