//! Reads the keys of an `[[app]]`, with its real kernel and problem size, except the keys of its behaviour
//! over time.

use numasim_model::app::{Access, App, Data, IntensityFrom, Placement, Smt};
use numasim_model::ids::NodeId;
use numasim_model::machine::Machine;
use numasim_model::problem::{
    BlackScholes, Cells, Chase, Dmv, Elements, Faults, How, KernelName, KernelProblem, Memcpy, Partition,
    Seismic, Source, Spmv, Stencil2d, Storage,
};
use numasim_model::units::{FlopPerByte, Gflops, Gibibytes, GigabytesPerSecond};

use crate::keys::{Key, app, problem, rate};
use crate::log::Log;
use crate::machine::{MachineReading, lines_without_latencies};
use crate::names::plural;
use crate::nodes::node_list;
use crate::problem::{Place, Problem, ProblemKind};
use crate::table::TableReader;
use crate::value::{Count, Value, given};
use crate::{data, names};

/// The readable values of an `[[app]]`, without those of a family.
pub struct AppReading {
    /// The place of its name.
    pub name: Place,
    /// Number of instances; 1 if the number in the file is invalid.
    pub instances: usize,
    /// Whether the number of instances is within the limit.
    pub is_kept: bool,
    /// Its arithmetic intensity.
    pub intensity: Option<FlopPerByte>,
    /// Its data placement.
    pub data: Option<Data>,
    /// The only nodes that may hold its threads, and the place in the file.
    nodes: Option<(Vec<NodeId>, Place)>,
    /// The place of its rate.
    rate: Option<Place>,
    /// Its work in the unit of its rate, and the place in the file.
    pub work_of_rate: Option<(f64, Place)>,
}

impl AppReading {
    /// Reports a key in FLOP in addition to a rate, which has another unit.
    pub fn check_counting(&self, value: &Value<'_>) {
        if let Some(rate) = &self.rate {
            value.source.log.report(counts_flop(&value.name, value.place(), rate.clone()));
        }
    }

    /// The only nodes that may hold its threads, and the place in the file; `None` allows all nodes.
    pub fn nodes(&self) -> Option<(&[NodeId], &Place)> {
        self.nodes.as_ref().map(|(nodes, place)| (nodes.as_slice(), place))
    }
}

/// Replaces an unknown intensity: a value that is never a division by zero.
const UNKNOWN: FlopPerByte = FlopPerByte::new(1.0);

/// Reads the keys except those of behaviour over time. Names and work of the application are filled in later.
pub(super) fn read(
    table: &mut TableReader<'_>,
    name: &Place,
    (instances, is_kept): (usize, bool),
    machine: &MachineReading,
    may_lack_intensity: bool,
) -> (Option<App>, AppReading) {
    let intensity_value = table.optional(&app::ARITHMETIC_INTENSITY);
    let of_thread = OfThread::read(table);
    // Each uses its default, which is noted, only if the key is missing.
    let data_value = table.given(&app::DATA);
    let data =
        data_value.as_ref().map_or(Some(Data::Placed(Placement::Local)), |value| data::read(value, machine));
    let nodes_value = table.given(&app::NODES);
    let nodes = given(nodes_value.as_ref(), |value| read_nodes(value, machine));
    let memory_value = table.given(&app::MEMORY_GIB);
    let memory = given(memory_value.as_ref(), Value::number);
    let lines_value = table.optional(&app::OUTSTANDING_LINES);
    if let (Some(value), Some(machine)) = (&lines_value, &machine.machine)
        && !machine.has_latencies()
    {
        value.source.log.report(lines_without_latencies(value));
    }
    let lines = given(lines_value.as_ref(), Value::number);
    let stands = read_problem(table);
    let is_from_elsewhere = intensity_value.is_some() || of_thread.rate.is_some() || is_real(stands);
    let intensity_from = match (is_from_elsewhere, of_thread.gives_quotient(), may_lack_intensity) {
        (true, ..) | (false, false, false) => IntensityFrom::Given,
        (false, true, _) => IntensityFrom::Quotient,
        (false, false, true) => IntensityFrom::Unknown,
    };
    let is_quotient = intensity_from == IntensityFrom::Quotient;
    let intensity = match (&of_thread.rate, of_thread.quotient().filter(|_| is_quotient)) {
        (Some(rate), _) => of_thread.read_rate(table, rate, intensity_value.as_ref(), stands),
        (None, Some(quotient)) => {
            table.note(&app::ARITHMETIC_INTENSITY, quotient.value().to_string());
            Some(quotient)
        }
        (None, None) if is_quotient => None,
        (None, None) if intensity_from == IntensityFrom::Unknown => {
            table.note(&app::ARITHMETIC_INTENSITY, "not given");
            Some(UNKNOWN)
        }
        (None, None) => read_intensity(table, intensity_value, stands),
    };
    let write_share = read_write_share(table);
    let node_overhead = table.optional(&app::NODE_OVERHEAD).map_or(Some(0.0), |value| value.number());
    let smt = read_smt(table, machine);
    let threads_per_core = if matches!(smt, Some((Smt::One, _)) | None) { 1 } else { 2 };
    let cores = usable_cores(machine, nodes.as_ref());
    let limits = read_limits(table, nodes_value.as_ref(), cores, threads_per_core);
    let ranks = table.optional(&app::RANKS).map_or(Some(1), |value| value.count());
    let weight = table.read_or(&app::WEIGHT, 1.0, Value::number);
    let allowed = nodes.clone().flatten().zip(nodes_value.as_ref().map(Value::place));
    let app = || {
        let limits = limits?;
        let (kernel, problem) = match stands? {
            Stands::Synthetic(access) => (access, None),
            Stands::Real(problem) => (problem.access(), Some(problem)),
        };
        Some(App {
            thread_gflops: of_thread
                .gflops
                .as_ref()
                .map_or(Some(None), |(_, read)| read.map(Some))?
                .map(Gflops::new),
            thread_gbs: of_thread
                .gbs
                .as_ref()
                .map_or(Some(None), |(_, read)| read.map(Some))?
                .map(GigabytesPerSecond::new),
            intensity_from,
            rate_unit: of_thread.rate.as_ref().and_then(|rate| rate.unit.clone()),
            write_share: write_share?,
            node_overhead: node_overhead?,
            kernel,
            problem,
            outstanding_lines: lines?,
            smt: smt?.0,
            smt_speedup: smt?.1,
            ranks: ranks?,
            min_threads: limits.min,
            max_threads: limits.max,
            weight: weight?,
            work: None,
            nodes: nodes?,
            memory: memory?.map(Gibibytes::new),
            ..App::new("", intensity?, data.clone()?)
        })
    };
    let app = app();
    if let (Some(app), Some(size), Some(machine)) = (&app, &memory_value, &machine.machine) {
        check_room(app, machine, size, data_value.as_ref());
    }
    let rate = of_thread.rate.as_ref().map(|rate| rate.value.key_place());
    let work_of_rate = of_thread.rate.and_then(|rate| rate.work);
    let read = AppReading {
        name: name.clone(),
        instances,
        is_kept,
        intensity,
        data,
        nodes: allowed,
        rate,
        work_of_rate,
    };
    (app, read)
}

/// The readable values of one thread.
struct OfThread<'a> {
    gflops: Option<(Value<'a>, Option<f64>)>,
    gbs: Option<(Value<'a>, Option<f64>)>,
    rate: Option<Rate<'a>>,
}

/// The rate of an application that does not count FLOP.
struct Rate<'a> {
    value: Value<'a>,
    unit: Option<String>,
    per_gb: Option<f64>,
    work: Option<(f64, Place)>,
}

impl<'a> OfThread<'a> {
    fn read(table: &mut TableReader<'a>) -> Self {
        let mut number = |key| table.optional(key).map(|value| (value.clone(), value.number()));
        let (gflops, gbs) = (number(&app::THREAD_GFLOPS), number(&app::THREAD_GBS));
        let rate = table.optional(&app::RATE).map(|value| {
            let hint = "write e.g. `rate = { unit = \"queries/s\", per_gb = 125.0 }`";
            let Some(mut table) = value.table(&rate::TABLE, "a table", hint) else {
                return Rate { value, unit: None, per_gb: None, work: None };
            };
            let unit = table.required(&rate::UNIT);
            let per_gb = table.required(&rate::PER_GB).and_then(|value| value.number());
            let work = table.optional(&rate::WORK).and_then(|value| Some((value.number()?, value.place())));
            table.finish();
            Rate { unit: unit.and_then(|unit| unit.name().map(str::to_owned)), per_gb, work, value }
        });
        Self { gflops, gbs, rate }
    }

    /// Whether both values are given, so that the intensity may be omitted.
    fn gives_quotient(&self) -> bool {
        self.gflops.is_some() && self.gbs.is_some() && self.rate.is_none()
    }

    fn quotient(&self) -> Option<FlopPerByte> {
        let (_, gflops) = self.gflops.as_ref()?;
        let (_, gbs) = self.gbs.as_ref()?;
        Some(FlopPerByte::new((*gflops)? / (*gbs)?))
    }

    /// The intensity in the unit of the rate; reports keys that conflict with a rate, and missing ones.
    fn read_rate(
        &self,
        table: &mut TableReader<'_>,
        rate: &Rate<'_>,
        intensity: Option<&Value<'_>>,
        stands: Option<Stands>,
    ) -> Option<FlopPerByte> {
        let log = table.source.log;
        let own = |key: &Key| Some((key.name, table.place_of(key)?));
        let excluded = intensity
            .map(|value| (value.name.as_str(), value.place()))
            .or_else(|| self.gflops.as_ref().map(|(value, _)| (value.name.as_str(), value.place())))
            .or_else(|| own(&app::WORK_GFLOP))
            .or_else(|| own(&app::KERNEL).filter(|_| is_real(stands)));
        if let Some((name, place)) = excluded {
            log.report(counts_flop(name, place, rate.value.key_place()));
            return None;
        }
        if self.gbs.is_none() {
            let message = "`rate` needs `thread_gbs`, what one thread draws alone";
            let problem = Problem::new(ProblemKind::MissingKey, message)
                .at(rate.value.key_place(), "of which bandwidth?")
                .hint("add e.g. `thread_gbs = 3.0`");
            table.missing_any(&[&app::THREAD_GBS], problem);
            return None;
        }
        rate.unit.as_ref()?;
        rate.per_gb.map(FlopPerByte::new)
    }
}

fn counts_flop(name: &str, place: Place, rate: Place) -> Problem {
    Problem::new(ProblemKind::Conflict, format!("`{name}` counts FLOP, and an app with a `rate` has none"))
        .at(place, "counts FLOP")
        .related(rate, "counts something else")
        .hint(format!("keep `rate` or `{name}`"))
}

fn is_real(stands: Option<Stands>) -> bool {
    matches!(stands, Some(Stands::Real(_)))
}

/// The share of bytes that is written, 0 if a kernel defines it.
fn read_write_share(table: &mut TableReader<'_>) -> Option<f64> {
    let Some(value) = table.optional(&app::WRITE_SHARE) else { return Some(0.0) };
    let share = data::read_share(&value, "1 is all of its bytes, 0 none of them: it only reads")?;
    let Some(kernel) = table.place_of(&app::KERNEL) else { return Some(share) };
    let message = "`kernel` and `write_share` both say how the app uses memory";
    let problem = Problem::new(ProblemKind::Conflict, message)
        .at(value.key_place(), "a share of writes")
        .related(kernel, "a kernel")
        .hint("keep `kernel` if the machine has a figure of it (`copy_gbs`, ...), else `write_share`");
    table.source.log.report(problem);
    None
}

/// The intensity in the file, or the count of a real kernel; `stands` is its readable part.
fn read_intensity(
    table: &mut TableReader<'_>,
    value: Option<Value<'_>>,
    stands: Option<Stands>,
) -> Option<FlopPerByte> {
    const KEY: &str = app::ARITHMETIC_INTENSITY.name;
    let log = table.source.log;
    let kernel = table.place_of(&app::KERNEL);
    let given = value.as_ref().and_then(Value::number).map(FlopPerByte::new);
    let problem = match stands {
        Some(Stands::Real(problem)) => problem,
        // An unknown word may have been meant as a real kernel.
        None if kernel.is_some() => return given,
        Some(Stands::Synthetic(_)) | None => {
            if value.is_none() {
                table.missing(&app::ARITHMETIC_INTENSITY);
            }
            return given;
        }
    };
    let Some(value) = value else {
        table.note(&app::ARITHMETIC_INTENSITY, problem.modelled_intensity().value().to_string());
        return Some(problem.modelled_intensity());
    };
    if problem.has_intensity(given?) {
        return given;
    }
    let (word, own) = (problem.kernel().as_str(), problem.arithmetic_intensity().value());
    let counted = if own > 0.0 { format!("{} FLOP/byte", short(own)) } else { "no FLOP at all".to_owned() };
    let message = format!("`{KEY}` is {}, but the kernel {word} counts {counted}", value.text());
    let mut report = Problem::new(ProblemKind::Conflict, message)
        .at(value.place(), "more than 5 % off")
        .hint("leave it out: the kernel counts its own; or choose sizes that have this intensity");
    if let Some(kernel) = kernel {
        report = report.related(kernel, format!("counts {counted}"));
    }
    log.report(report);
    None
}

/// Hardware threads per core that the application uses, and the speedup with both of them.
fn read_smt(table: &mut TableReader<'_>, machine: &MachineReading) -> Option<(Smt, Option<f64>)> {
    let value = table.optional(&app::SMT);
    let speedup_value = table.optional(&app::SMT_SPEEDUP);
    let speedup = match &speedup_value {
        None => None,
        Some(value) => Some(read_speedup(value)?),
    };
    let Some(value) = value else { return Some((Smt::One, speedup)) };
    let smt = value.word(&Smt::ALL, Smt::as_str)?;
    if smt != Smt::One && speedup_value.is_none() {
        value.source.log.report(speedup_is_missing(&value));
        return None;
    }
    Some((has_threads(&value, smt, machine)?, speedup))
}

fn read_speedup(value: &Value<'_>) -> Option<f64> {
    let speedup = value.number()?;
    if (1.0..=2.0).contains(&speedup) {
        return Some(speedup);
    }
    let message = format!("`{}` must be 1.0 to 2.0, not {}", value.name, value.text());
    let hint = "2.0 is as fast as two cores, 1.0 as fast as one thread alone";
    value.report(ProblemKind::BadValue, message, "not the speed of two threads of a core", hint);
    None
}

/// The choice of a value on this machine: with one thread per core, "any" is one, and "both" is reported.
pub(crate) fn has_threads(value: &Value<'_>, smt: Smt, machine: &MachineReading) -> Option<Smt> {
    if machine.two_threads || machine.machine.is_none() {
        return Some(smt);
    }
    if smt == Smt::Both {
        let message = format!("`{}` is \"both\", but the cores of the machine have one thread", value.name);
        let hint = "write `threads_per_core = 2` in `[machine]` if they have two";
        value.report(ProblemKind::BadValue, message, "two threads of a core", hint);
        return None;
    }
    Some(Smt::One)
}

/// The problem of two threads per core without a speedup.
pub(crate) fn speedup_is_missing(value: &Value<'_>) -> Problem {
    let message = format!("`{}` needs `smt_speedup`, how fast both threads of a core are", value.name);
    Problem::new(ProblemKind::MissingKey, message)
        .at(value.place(), "how much faster than one?")
        .hint("add e.g. `smt_speedup = 1.25` to the app")
}

/// Rounded to four decimals.
fn short(value: f64) -> String {
    ((value * 1e4).round() / 1e4).to_string()
}

/// The nodes that may hold threads, ascending.
fn read_nodes(value: &Value<'_>, machine: &MachineReading) -> Option<Vec<NodeId>> {
    let mut nodes = node_list(value, machine.nodes())?;
    nodes.sort_unstable();
    if let Some(cores) = &machine.cores
        && nodes.iter().all(|node| cores.get(node.0) == Some(&0))
    {
        let message = format!("`{}` names no node that has cores", value.name);
        let hint = "threads need cores: name a node that has some; `data` gives the placement of data";
        value.report(ProblemKind::BadValue, message, "memory only", hint);
        return None;
    }
    Some(nodes)
}

/// Cores of the nodes that may hold threads, if all values are known.
fn usable_cores(machine: &MachineReading, nodes: Option<&Option<Vec<NodeId>>>) -> Option<u64> {
    let cores = machine.cores.as_ref()?;
    let of = |cores: u32| u64::from(cores);
    Some(match nodes? {
        None => cores.iter().copied().map(of).sum(),
        Some(nodes) => nodes.iter().filter_map(|node| cores.get(node.0).copied()).map(of).sum(),
    })
}

/// Minimum and maximum number of threads of an application.
struct Limits {
    min: u32,
    max: Option<u32>,
}

/// `nodes`: the list of nodes that may hold threads, if the file contains one; `cores`: the number of their
/// cores, each with the application's threads per core.
fn read_limits(
    table: &mut TableReader<'_>,
    nodes: Option<&Value<'_>>,
    cores: Option<u64>,
    threads_per_core: u64,
) -> Option<Limits> {
    let log = table.source.log;
    let min_value = table.optional(&app::MIN_THREADS);
    let max_value = table.optional(&app::MAX_THREADS);
    if min_value.is_none() {
        table.note(&app::MIN_THREADS, app::MIN_THREADS.default);
    }
    if max_value.is_none() {
        table.note(&app::MAX_THREADS, app::MAX_THREADS.default);
    }
    let min = min_value.as_ref().map_or(Some(1), Value::count);
    let max = max_value.as_ref().and_then(Value::count);
    if let (Some(min), Some(cores), Some(value)) = (min, cores, &min_value)
        && u64::from(min) > cores * threads_per_core
    {
        report_too_many(log, value, min, cores, threads_per_core, nodes);
    }
    if max_value.is_some() && max.is_none() {
        return None;
    }
    let min = min?;
    if let (Some(max), Some(max_value)) = (max, &max_value)
        && min > max
    {
        let kind = ProblemKind::BadValue;
        let problem = if let Some(min_value) = &min_value {
            Problem::new(kind, format!("`min_threads` {min} is above `max_threads` {max}"))
                .at(min_value.place(), "the least")
                .related(max_value.place(), "the most")
                .hint(format!("write `min_threads` of at most {max}, or raise `max_threads`"))
        } else {
            Problem::new(kind, "`max_threads` 0 is below `min_threads`, which is 1 by default")
                .at(max_value.place(), "the most")
                .hint("add `min_threads = 0`, or write `max_threads` of at least 1")
        };
        log.report(problem);
        return None;
    }
    Some(Limits { min, max })
}

fn report_too_many(
    log: &Log,
    value: &Value<'_>,
    min: u32,
    cores: u64,
    threads_per_core: u64,
    nodes: Option<&Value<'_>>,
) {
    let all = plural(usize::try_from(cores).unwrap_or(usize::MAX), "core");
    let whose = if nodes.is_some() { "the nodes that it may use have" } else { "the whole machine has" };
    let message = format!("`min_threads` is {min}, but {whose} {all}");
    let hint = match threads_per_core {
        1 => format!("each thread needs its own core: write at most {cores}"),
        threads => format!("each core has {threads} threads: write at most {}", cores * threads),
    };
    let mut problem = Problem::new(ProblemKind::Infeasible, message)
        .at(value.place(), "more threads than cores")
        .hint(hint);
    if let Some(nodes) = nodes {
        problem = problem.related(nodes.place(), "the nodes that it may use");
    }
    log.report(problem);
}

/// Reports data of a single application that does not fit on its memories. `size` is its `memory_gib`, `data`
/// its placement.
///
/// Checks each application separately: the total of several applications depends on the scenario.
fn check_room(app: &App, machine: &Machine, size: &Value<'_>, data: Option<&Value<'_>>) {
    let Some(gib) = app.memory.map(Gibibytes::value) else { return };
    let Some(full) = too_small(app, machine, gib) else { return };
    let elsewhere = match app.data {
        Data::Placed(Placement::Replicated) => {
            "write another `data`: each node with threads needs room for all the data"
        }
        _ => "let it lie on other or on more nodes",
    };
    let mut problem = Problem::new(ProblemKind::Infeasible, full)
        .at(size.place(), "the size of the data")
        .hint(format!("{elsewhere}, or correct `memory_gib` here or of the machine"));
    if let Some(data) = data {
        problem = problem.related(data.place(), "where it lies");
    }
    size.source.log.report(problem);
}

/// The data that does not fit, in a sentence.
fn too_small(app: &App, machine: &Machine, gib: f64) -> Option<String> {
    let room = |node: NodeId| machine.node(node).memory.map_or(f64::INFINITY, Gibibytes::value);
    let fits = |needed: f64, there: f64| needed <= there * (1.0 + 1e-9);
    let placement = match &app.data {
        Data::Placed(placement) => placement,
        Data::OpenHome { share } => {
            let largest = machine.node_ids().map(room).fold(0.0, f64::max);
            return (!fits(gib * share, largest)).then(|| {
                format!(
                    "{} GiB of data are to lie on one node, but the largest memory has {largest} GiB",
                    gib * share
                )
            });
        }
        // The data may be spread: `explore` checks all memories together.
        Data::OpenFractions => return None,
    };
    let may_run = |node: &NodeId| app.nodes.as_ref().is_none_or(|nodes| nodes.contains(node));
    if *placement == Placement::Replicated {
        let memories = machine.compute_nodes().filter(may_run).map(|node| machine.local_memory(node));
        let largest = memories.reduce(|best, node| if room(node) > room(best) { node } else { best })?;
        return (!fits(gib, room(largest))).then(|| {
            format!(
                "{gib} GiB of data are to lie on each node with threads, but {largest}, the largest of them, has {} GiB of memory",
                room(largest)
            )
        });
    }
    for node in machine.node_ids() {
        let needed = gib * placement.fixed_share(machine, node);
        if !fits(needed, room(node)) {
            let there = room(node);
            return Some(format!(
                "{needed} GiB of data are to lie on {node}, which has {there} GiB of memory"
            ));
        }
    }
    let local = gib * placement.local_share();
    let left = |node: NodeId| room(node) - gib * placement.fixed_share(machine, node);
    let there: f64 = machine.compute_nodes().filter(may_run).map(left).sum();
    (!fits(local, there)).then(|| {
        format!(
            "{local} GiB of data are to lie where the threads run, and there are {there} GiB of memory for it"
        )
    })
}

const TITLE: &str = problem::TABLE.title;
/// A dense matrix has fewer rows than a grid of points.
const ROWS: Count = Count { what: "a number of rows", example: "5120", min: 1, max: Dmv::MOST_ROWS };
/// The memory in which each thread follows addresses is smaller than the memory that it copies.
const CHASE_MIB: Count =
    Count { what: "a size in MiB (2^20 bytes)", example: "256", min: 1, max: Chase::MOST_MIB };

/// The kernel that represents an application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stands {
    /// A synthetic kernel, with any intensity.
    Synthetic(Access),
    /// A real kernel, which counts its own intensity.
    Real(KernelProblem),
}

/// A word that is valid for `kernel`.
#[derive(Clone, Copy)]
enum Word {
    Synthetic(Access),
    Real(KernelName),
}

impl Word {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Synthetic(access) => access.as_str(),
            Self::Real(kernel) => kernel.as_str(),
        }
    }
}

/// Reads both. `None` is a mistake, which is reported.
fn read_problem(table: &mut TableReader<'_>) -> Option<Stands> {
    let log = table.source.log;
    let (kernel, problem) = (
        table.given_or(&app::KERNEL, || Access::default().as_str().to_owned()),
        table.optional(&app::PROBLEM),
    );
    let words: Vec<Word> =
        Access::ALL.map(Word::Synthetic).into_iter().chain(KernelName::ALL.map(Word::Real)).collect();
    let word = kernel
        .as_ref()
        .map_or_else(|| Some(Word::Synthetic(Access::default())), |value| value.word(&words, Word::as_str));
    match word? {
        Word::Synthetic(access) => {
            if let Some(value) = problem {
                report_without_kernel(log, &value, kernel.as_ref());
                return None;
            }
            Some(Stands::Synthetic(access))
        }
        Word::Real(kernel) => {
            let hint = "write `[app.problem]` below the keys of its `[[app]]`, and sizes below it";
            let mut sizes = match problem {
                Some(value) => value.table(&problem::TABLE, "a table", hint)?,
                None => TableReader::none(log, &problem::TABLE),
            };
            sizes.name.clone_from(&table.name);
            sizes.prefix = "problem.";
            let read = sizes.problem(kernel);
            sizes.finish();
            read.map(Stands::Real)
        }
    }
}

fn report_without_kernel(log: &Log, value: &Value<'_>, kernel: Option<&Value<'_>>) {
    let one = names::one_of(KernelName::ALL.map(KernelName::as_str));
    let message = match kernel {
        Some(kernel) => format!("{TITLE} belongs to a real kernel, and {} is none", kernel.text()),
        None => format!("{TITLE} belongs to a real kernel, and this app names none"),
    };
    let problem = Problem::new(ProblemKind::Conflict, message)
        .at(value.key_place(), "the problem of which kernel?")
        .hint(format!("write `kernel`, {one}, or remove the table"));
    log.report(match kernel {
        Some(kernel) => problem.related(kernel.place(), "of any size"),
        None => problem,
    });
}

impl TableReader<'_> {
    fn size(&mut self, key: &'static Key, default: u64) -> Option<u64> {
        self.read_or_shown(key, (default, default), Value::large_count)
    }

    /// The same with limits that only this kernel has.
    fn size_of(&mut self, key: &'static Key, count: Count, default: u64) -> Option<u64> {
        self.read_or_shown(key, (default, default), |value| value.large_count_of(count))
    }

    /// All keys are read, so that every mistake is reported.
    fn problem(&mut self, kernel: KernelName) -> Option<KernelProblem> {
        match KernelProblem::of(kernel) {
            KernelProblem::BlackScholes(own) => {
                let options = self.size(&problem::OPTIONS, own.options);
                let runs = self.size(&problem::RUNS, own.runs);
                Some(KernelProblem::BlackScholes(BlackScholes { options: options?, runs: runs? }))
            }
            KernelProblem::Dmv(own) => {
                let rows = self.size_of(&problem::ROWS, ROWS, own.rows);
                let iterations = self.size(&problem::ITERATIONS, own.iterations);
                Some(KernelProblem::Dmv(Dmv { rows: rows?, iterations: iterations? }))
            }
            KernelProblem::Spmv(own) => self.spmv(own),
            KernelProblem::Memcpy(own) => self.memcpy(own),
            KernelProblem::Stencil2d(own) => {
                let [rows, columns, iterations] = self.grid([own.rows, own.columns, own.iterations]);
                Some(KernelProblem::Stencil2d(Stencil2d {
                    rows: rows?,
                    columns: columns?,
                    iterations: iterations?,
                }))
            }
            KernelProblem::Seismic(own) => {
                let [rows, columns, iterations] = self.grid([own.rows, own.columns, own.iterations]);
                Some(KernelProblem::Seismic(Seismic {
                    rows: rows?,
                    columns: columns?,
                    iterations: iterations?,
                }))
            }
            KernelProblem::Chase(own) => {
                let size_mib = self.size_of(&problem::SIZE_MIB, CHASE_MIB, own.size_mib);
                let chains = self.size(&problem::CHAINS, own.chains);
                let hops = self.size(&problem::HOPS, own.hops);
                Some(KernelProblem::Chase(Chase { size_mib: size_mib?, chains: chains?, hops: hops? }))
            }
        }
    }

    fn grid(&mut self, [rows, columns, iterations]: [u64; 3]) -> [Option<u64>; 3] {
        [
            self.size(&problem::ROWS, rows),
            self.size(&problem::COLUMNS, columns),
            self.size(&problem::ITERATIONS, iterations),
        ]
    }

    fn spmv(&mut self, own: Spmv) -> Option<KernelProblem> {
        let [x, ..] = own.cells.0;
        let cells = self.read_or_shown(&problem::CELLS, (own.cells, x), read_cells);
        let iterations = self.size(&problem::ITERATIONS, own.iterations);
        let elements = self.word_or(&problem::ELEMENTS, own.elements, &Elements::ALL, Elements::as_str);
        let partition = self.word_or(&problem::PARTITION, own.partition, &Partition::ALL, Partition::as_str);
        let storage = self.word_or(&problem::STORAGE, own.storage, &Storage::ALL, Storage::as_str);
        Some(KernelProblem::Spmv(Spmv {
            cells: cells?,
            iterations: iterations?,
            elements: elements?,
            partition: partition?,
            storage: storage?,
        }))
    }

    fn memcpy(&mut self, own: Memcpy) -> Option<KernelProblem> {
        let size_mib = self.size(&problem::SIZE_MIB, own.size_mib);
        let copies = self.size(&problem::COPIES, own.copies);
        let source = self.word_or(&problem::SOURCE, own.source, &Source::ALL, Source::as_str);
        let faults = self.word_or(&problem::FAULTS, own.faults, &Faults::ALL, Faults::as_str);
        let how = self.word_or(&problem::HOW, own.how, &How::ALL, How::as_str);
        Some(KernelProblem::Memcpy(Memcpy {
            size_mib: size_mib?,
            copies: copies?,
            source: source?,
            faults: faults?,
            how: how?,
        }))
    }
}

/// Cells along all axes, or along each.
fn read_cells(value: &Value<'_>) -> Option<Cells> {
    let hint = "write the cells along x, y and z, e.g. `[4, 4, 8]`, or one number for all three";
    let cells = if value.is_list() {
        let entries = value.list("a list of three numbers", hint)?;
        let counts: Vec<Option<u64>> = entries.iter().map(Value::large_count).collect();
        let counts: Vec<u64> = counts.into_iter().collect::<Option<_>>()?;
        let Ok(counts) = <[u64; 3]>::try_from(counts) else {
            let message = format!("`{}` needs three numbers, not {}", value.name, entries.len());
            value.report(ProblemKind::WrongLength, message, "x, y and z", hint);
            return None;
        };
        Cells(counts)
    } else {
        Cells([value.large_count()?; 3])
    };
    if cells.rows() > Cells::MOST_ROWS {
        let message = format!(
            "`{}` of {} makes more than {} rows, 80 for each cell",
            value.name,
            value.text(),
            Cells::MOST_ROWS
        );
        value.report(ProblemKind::Limit, message, "too large", "84 cells along each axis are the most");
        return None;
    }
    Some(cells)
}
