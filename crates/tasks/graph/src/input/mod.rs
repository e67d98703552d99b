//! Reads the tables about tasks from files: `[[block]]`, `[[task]]`, `[program]`, `[graph]`, `[scheduler]`, `[runtime]` and
//! `[contender]`.

use generator::GraphTable;
use listed::{Blocks, Tasks};
use numasim_model::Study;
use numasim_model::units::Seconds;
use numasim_study::reader::{Apps, Log, MachineReading, TableReader, Tables, Value, time};
use numasim_study::{Family, Place, Problem, ProblemKind, SourceFile, TableKind};

use crate::keys;
use crate::keys::{contender, root, runtime, scheduler};
use crate::values::{
    Contender, Generator, GraphSource, Partitioner, RuntimeSettings, SchedulerKind, SchedulerSettings,
    TaskGraph, TaskGraphBuilder, TaskStudy, Ties, VertexWeight, WindowUnit,
};

mod generator;
mod listed;
#[cfg(test)]
mod tests;

/// Default name of a graph whose tasks are listed.
const NAMELESS: &str = "tasks";
/// Default name of a graph that loops make.
const PROGRAM: &str = "program";

/// All files, read and checked, with their tables about tasks.
pub type Reading = numasim_study::Reading<Study, TaskStudy>;

/// Reads all files as one study, with their tasks.
///
/// # Errors
/// Every problem that was found, in the order of the files and their lines.
pub fn read_study(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
    numasim_study::read_study_with(files, &keys::FILE, TaskTables)
}

/// The tables of tasks; they add nothing to applications.
pub struct TaskTables;

impl Family for TaskTables {
    type Read = TaskStudy;

    fn tables<'a>(
        self,
        tables: &mut Tables<'a>,
        log: &'a Log,
        _: &Apps,
        machine: &MachineReading,
    ) -> Option<(TaskStudy, bool)> {
        read(tables, log, machine)
    }
}

/// All tables about tasks, and whether there are any; `None` if some value is invalid.
fn read<'a>(tables: &mut Tables<'a>, log: &'a Log, machine: &MachineReading) -> Option<(TaskStudy, bool)> {
    let (block_tables, task_tables) = (tables.list(&root::BLOCK), tables.list(&root::TASK));
    let first = block_tables.first().or(task_tables.first()).map(TableReader::place);
    let [graph_table, program_table, contender_table] =
        [&root::GRAPH, &root::PROGRAM, &root::CONTENDER].map(|key| tables.table(key, log));
    let [scheduler_table, runtime_table] =
        [&root::SCHEDULER, &root::RUNTIME].map(|key| tables.table_or_none(key, log));
    let some = [&graph_table, &program_table, &contender_table].into_iter().any(Option::is_some);
    if first.is_none() && !some && !scheduler_table.is_there() && !runtime_table.is_there() {
        return Some((TaskStudy::default(), false));
    }
    let cores = machine.cores_of_sockets();
    let program_place = program_table.as_ref().map(TableReader::place);
    let (table, generator_place) = generator::read_graph(graph_table, cores.as_deref());
    let given = table.as_ref().and_then(|table| table.name.as_deref());
    let generator = table.as_ref().and_then(|table| table.generator.as_ref());
    let made = generator.map(Generator::as_str).or(program_place.as_ref().map(|_| PROGRAM));
    let has_graph = made.is_some() || first.is_some();
    let name = given.or(made).unwrap_or(NAMELESS).to_owned();
    if has_graph && given.is_none() {
        log.note_default(TableKind::Graph, "", "name", name.as_str());
    }
    let listed = listed_graph(block_tables, task_tables, &name, log, machine);
    let program = program_table.map(|table| generator::read_program(table, machine));
    // Each value is read, so that every mistake is reported. The unit is unknown if the generator is invalid.
    let is_known = generator.is_some() || generator_place.is_none();
    let unit = (generator.and_then(Generator::window_unit), is_known);
    let scheduler = scheduler(scheduler_table, unit);
    let workers = || cores.iter().flatten().copied().map(u64::from).sum();
    let throttle = generator.and_then(|generator| generator.throttle(workers()));
    let runtime = runtime(runtime_table, throttle);
    let contender = contender_table.map_or(Some(None), |table| contender(table).map(Some));
    if report_two_ways([&first, &generator_place, &program_place], log) {
        return None;
    }
    let GraphTable { name: given, generator } = table?;
    let source = match (generator, program) {
        (Some(generator), _) => GraphSource::Generated { name, generator },
        (None, Some(program)) => GraphSource::Program { name, program: program? },
        (None, None) if first.is_some() => GraphSource::Given(listed?),
        (None, None) => GraphSource::None,
    };
    let (scheduler, runtime, contender) = (scheduler?, runtime?, contender?);
    Some((TaskStudy { name: given, source, scheduler, runtime, contender }, true))
}

/// The graph of `[[block]]` and `[[task]]`; `None` if some value is invalid.
fn listed_graph<'a>(
    block_tables: Vec<TableReader<'a>>,
    task_tables: Vec<TableReader<'a>>,
    name: &str,
    log: &Log,
    machine: &MachineReading,
) -> Option<TaskGraph> {
    let mut builder = TaskGraphBuilder::new(name);
    let mut blocks = Blocks::default();
    for table in block_tables {
        blocks.add(table, &mut builder, machine);
    }
    let mut tasks = Tasks::default();
    for table in task_tables {
        tasks.add(table, &blocks, &mut builder, machine);
    }
    let created = blocks.created(&tasks.creators, &mut builder, log);
    let complete = [blocks.finish(log), tasks.finish(log), created] == [true; 3];
    let graph = complete.then(|| builder.finish());
    graph.filter(|graph| tasks.creators.has_places(graph, &tasks.places, log))
}

/// Returns whether the tasks are given in more than one way, which is reported.
fn report_two_ways([listed, generator, program]: [&Option<Place>; 3], log: &Log) -> bool {
    let made = generator.as_ref().map(|place| (place, "this makes all of them"));
    let loops = program.as_ref().map(|place| (place, "these are their loops"));
    let listed = listed.as_ref().map(|place| (place, "this lists them one by one"));
    let ways: Vec<(&Place, &str)> = [made, loops, listed].into_iter().flatten().collect();
    let [(place, label), others @ ..] = ways.as_slice() else { return false };
    if others.is_empty() {
        return false;
    }
    let mut problem = Problem::new(ProblemKind::Conflict, "the tasks are given in two ways")
        .at((*place).clone(), *label)
        .hint("keep one of `generator`, `[program]`, or `[[block]]` and `[[task]]`");
    for (place, label) in others {
        problem = problem.related((*place).clone(), *label);
    }
    log.report(problem);
    true
}

// Reads `[scheduler]`, `[runtime]` and `[contender]`: the scheduler, the costs of creating, fetching and stealing tasks, and other
// programs that want the workers.

/// The settings; the defaults also apply without the table. `unit`: of the generator, if there is one that has it, and whether it is
/// known.
fn scheduler(mut table: TableReader<'_>, unit: (Option<WindowUnit>, bool)) -> Option<SchedulerSettings> {
    let (assumed, window_units) = in_units(&mut table, unit)?;
    let intersection_place = table.place_of(&scheduler::INTERSECTION);
    let window_place = table.place_of(&scheduler::WINDOW);
    let kind = table.word_or(&scheduler::NAME, assumed.kind, &SchedulerKind::ALL, SchedulerKind::as_str);
    let mut count = |key, default| table.read_or_shown(key, (default, default), Value::count);
    let stride = count(&scheduler::STRIDE, assumed.stride);
    let window = count(&scheduler::WINDOW, assumed.window);
    let initial_extra = count(&scheduler::INITIAL_EXTRA, assumed.initial_extra);
    let intersection = count(&scheduler::INTERSECTION, assumed.intersection);
    let partitioner =
        table.word_or(&scheduler::PARTITIONER, assumed.partitioner, &Partitioner::ALL, Partitioner::as_str);
    let vertex_weight = table.word_or(
        &scheduler::VERTEX_WEIGHT,
        assumed.vertex_weight,
        &VertexWeight::ALL,
        VertexWeight::as_str,
    );
    let partition =
        table.read_or(&scheduler::PARTITION_NS_PER_VERTEX_EDGE, None, |value| value.number().map(Some));
    let mut flag = |key, default: bool| table.read_or_shown(key, (default, default), Value::flag);
    let old_dependencies = flag(&scheduler::OLD_DEPENDENCIES, assumed.old_dependencies);
    let immediate_successor = flag(&scheduler::IMMEDIATE_SUCCESSOR, assumed.immediate_successor);
    let affinity_partitioner = flag(&scheduler::AFFINITY_PARTITIONER, assumed.affinity_partitioner);
    let reflection = flag(&scheduler::REFLECTION, assumed.reflection);
    let log = table.source.log;
    table.finish();
    let (window, intersection) = (window?, intersection?);
    if intersection >= window {
        let message = format!("`intersection` is {intersection}, but a window has {window} tasks");
        let place = intersection_place.or_else(|| window_place.clone());
        let mut problem = Problem::new(ProblemKind::BadValue, message)
            .hint(format!("write at most {}: each window must have its own tasks", window - 1));
        if let Some(place) = place {
            problem = problem.at(place, "no task would be new");
        }
        if let Some(place) = window_place {
            problem = problem.related(place, "a window");
        }
        log.report(problem);
        return None;
    }
    Some(SchedulerSettings {
        kind: kind?,
        stride: stride?,
        window,
        window_units,
        initial_extra: initial_extra?,
        intersection,
        partition_ns_per_vertex_edge: partition?,
        old_dependencies: old_dependencies?,
        partitioner: partitioner?,
        vertex_weight: vertex_weight?,
        immediate_successor: immediate_successor?,
        affinity_partitioner: affinity_partitioner?,
        reflection: reflection?,
    })
}

/// The sizes of windows that have no key, by default or derived from `window_units`, and the number of units. `None` if they are invalid.
fn in_units(
    table: &mut TableReader<'_>,
    (unit, is_known): (Option<WindowUnit>, bool),
) -> Option<(SchedulerSettings, Option<u32>)> {
    let assumed = SchedulerSettings::default();
    let places = [&scheduler::WINDOW, &scheduler::INITIAL_EXTRA, &scheduler::INTERSECTION]
        .map(|key| (key.name, table.place_of(key)));
    let Some(given) = table.optional(&scheduler::WINDOW_UNITS) else {
        table.note(&scheduler::WINDOW_UNITS, "not given");
        return Some((assumed, None));
    };
    let units = given.count();
    let other = places.iter().find_map(|(name, place)| Some((name, place.clone()?)));
    let log = table.source.log;
    if let Some((name, place)) = other {
        let problem = Problem::new(ProblemKind::Conflict, "the window is given in two ways")
            .at(given.key_place(), "in units of the generator")
            .related(place, "in tasks")
            .hint(format!("keep either `window_units` or `{name}`"));
        log.report(problem);
        return None;
    }
    let units = units.filter(|_| is_known)?;
    let Some(unit) = unit else {
        let problem = Problem::new(
            ProblemKind::BadValue,
            "`window_units` counts iterations, which only generators have",
        )
        .at(given.key_place(), "this graph has none")
        .hint("write the number of tasks, e.g. `window = 1000`; tasks that create tasks are not partitioned");
        log.report(problem);
        return None;
    };
    let narrow = |tasks: u64| u32::try_from(tasks).unwrap_or(u32::MAX);
    let window = narrow(unit.tasks.max(1).saturating_mul(units.into()));
    let settings = SchedulerSettings {
        window,
        initial_extra: narrow(unit.before),
        intersection: narrow(unit.stays).min(window - 1),
        ..assumed
    };
    Some((settings, Some(units)))
}

/// The settings; the defaults also apply without the table. `throttle` is the graph's default.
fn runtime(mut table: TableReader<'_>, throttle: Option<u64>) -> Option<RuntimeSettings> {
    let assumed = RuntimeSettings::default();
    let mut in_us = |key, assumed| time(&mut table, key, 1e6, assumed);
    let creation = in_us(&runtime::CREATION_US, assumed.creation);
    let task = in_us(&runtime::TASK_US, assumed.task);
    let steal = in_us(&runtime::STEAL_US, assumed.steal);
    let page = in_us(&runtime::PAGE_US, assumed.page);
    let shown = throttle.map_or("no limit".to_owned(), |throttle| throttle.to_string());
    let throttle =
        table.read_or_shown(&runtime::THROTTLE, (throttle, shown), |value| value.large_count().map(Some));
    let seed = table.read_or_shown(&runtime::SEED, (assumed.seed, assumed.seed), Value::large_count);
    let ties = table.word_or(&runtime::TIES, assumed.ties, &Ties::ALL, Ties::as_str);
    let spread = assumed.task_spread;
    let task_spread = table.read_or_shown(&runtime::TASK_SPREAD, (spread, spread), Value::number);
    table.finish();
    Some(RuntimeSettings {
        creation: creation?,
        throttle: throttle?,
        task: task?,
        steal: steal?,
        page: page?,
        seed: seed?,
        ties: ties?,
        task_spread: task_spread?,
    })
}

const PHASES: &str = "write when they want workers, from and to in seconds, e.g. `phases_s = [[0.1, 0.2], [0.3, 0.4]]`; without it they do as long as the run lasts";

/// The contender; `None` if it is invalid.
fn contender(mut table: TableReader<'_>) -> Option<Contender> {
    let gflop = table.required(&contender::GFLOP).and_then(|value| value.number());
    let count = table.read_or(&contender::COUNT, 1, Value::count);
    let phases = table.read_or(&contender::PHASES_S, None, |value| read_phases(value).map(Some));
    table.finish();
    Some(Contender { gflop: gflop?, count: count?, phases: phases? })
}

fn read_phases(value: &Value<'_>) -> Option<Vec<(Seconds, Seconds)>> {
    let entries = value.list("a list of phases", PHASES)?;
    if entries.is_empty() {
        let message = format!("`{}` has no phase", value.name);
        value.report(ProblemKind::BadValue, message, "empty", PHASES);
        return None;
    }
    let mut phases: Vec<(Seconds, Seconds)> = Vec::with_capacity(entries.len());
    let mut last: Option<(f64, &Value<'_>)> = None;
    let mut complete = true;
    for entry in &entries {
        let Some((from, to)) = read_phase(entry) else {
            complete = false;
            continue;
        };
        if let Some((end, before)) = last
            && from <= end
        {
            let message =
                format!("`{}` begins at {from}, but the phase before it lasts until {end}", entry.name);
            let problem = Problem::new(ProblemKind::BadValue, message)
                .at(entry.place(), "too early")
                .related(before.place(), "the phase before")
                .hint("write phases in the order of time, and what has no gap in between as one");
            value.source.log.report(problem);
            complete = false;
        }
        phases.push((Seconds::new(from), Seconds::new(to)));
        last = Some((to, entry));
    }
    complete.then_some(phases)
}

/// Start and end.
fn read_phase(entry: &Value<'_>) -> Option<(f64, f64)> {
    let bounds = entry.list("a phase: from and to", PHASES)?;
    let [from, to] = bounds.as_slice() else {
        let message =
            format!("`{}` has {} numbers, but a phase has two: from and to", entry.name, bounds.len());
        entry.report(ProblemKind::WrongLength, message, "not two", PHASES);
        return None;
    };
    let (from, to_s) = (from.number(), to.number());
    let (from, to_s) = (from?, to_s?);
    if from >= to_s {
        let message = format!("`{}` ends at {to_s}, but begins at {from}", entry.name);
        to.report(ProblemKind::BadValue, message, "not behind the begin", PHASES);
        return None;
    }
    Some((from, to_s))
}
