//! Reads what files say about tasks: `[[block]]`, `[[task]]`, `[program]`, `[graph]`, `[scheduler]`, `[runtime]` and `[contender]`.

mod blocks;
mod generator;
mod listed;
mod names;
mod program;
mod settings;
#[cfg(test)]
mod tests;
mod tree;

use crate::keys::{self, root};
use crate::values::{Generator, GraphSource, TaskGraph, TaskGraphBuilder, TaskStudy};
use blocks::Blocks;
use generator::GraphTable;
use listed::Tasks;
use numasim_study::reader::{Log, MachineReading, TableReader, Tables};
use numasim_study::{Place, Problem, ProblemKind, SourceFile, TableKind};

/// What a graph is called that nobody gave a name, where its tasks are listed.
const NAMELESS: &str = "tasks";
/// And where loops make them.
const PROGRAM: &str = "program";

/// All files, read and checked, with what they say of tasks.
pub type Reading = numasim_study::Reading<TaskStudy>;

/// Reads all files as one study, with their tasks.
///
/// # Errors
/// Every problem that was found, in the order of the files and their lines.
pub fn read_study(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
    numasim_study::read_study_with(files, &keys::FILE, read)
}

/// All that the files say of tasks, and whether they say anything; `None` where some of it makes no sense.
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
    let (table, generator_place) = generator::read(graph_table, cores.as_deref());
    let given = table.as_ref().and_then(|table| table.name.as_deref());
    let generator = table.as_ref().and_then(|table| table.generator.as_ref());
    let made = generator.map(Generator::as_str).or(program_place.as_ref().map(|_| PROGRAM));
    let has_graph = made.is_some() || first.is_some();
    let name = given.or(made).unwrap_or(NAMELESS).to_owned();
    if has_graph && given.is_none() {
        log.note_default(TableKind::Graph, "", "name", name.as_str());
    }
    let listed = listed_graph(block_tables, task_tables, &name, log, machine);
    let program = program_table.map(|table| program::read(table, machine));
    // Each is read, so that every mistake is reported.
    let scheduler = settings::scheduler(scheduler_table);
    let workers = || cores.iter().flatten().copied().map(u64::from).sum();
    let throttle = generator.and_then(|generator| generator.throttle(workers()));
    let runtime = settings::runtime(runtime_table, throttle);
    let contender = contender_table.map_or(Some(None), |table| settings::contender(table).map(Some));
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

/// The graph of `[[block]]` and `[[task]]`, `None` where some of it makes no sense.
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

/// Whether the tasks are given in more than one way, which is reported.
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
