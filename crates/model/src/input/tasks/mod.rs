//! Reads what files say about tasks: `[[block]]`, `[[task]]`, `[graph]`, `[scheduler]` and `[runtime]`.

mod accesses;
mod blocks;
mod generator;
mod graph;
mod left_out;
mod listed;
mod runtime;
mod scheduler;

use crate::graph::{Generator, GraphSource, TaskGraphBuilder, TaskStudy};

use super::log::Log;
use super::machine::MachineReading;
use super::places::Places;
use super::problem::{Place, Problem, ProblemKind};
use super::reading::TableKind;
use super::root::Tables;
use super::table::TableReader;
use blocks::Blocks;
use graph::GraphTable;
use listed::Tasks;

/// What a graph is called that nobody gave a name, where its tasks are listed.
const NAMELESS: &str = "tasks";

/// What was read, and where it stands.
#[derive(Default)]
pub(super) struct TasksReading {
    pub(super) study: TaskStudy,
    /// Whether some file says anything of tasks.
    pub(super) is_there: bool,
    /// The scheduler, the generator and the tasks.
    pub(super) places: Places,
}

/// All that the files say of tasks; `None` where some of it makes no sense.
pub(super) fn read(tables: &mut Tables<'_>, log: &Log, machine: &MachineReading) -> Option<TasksReading> {
    let (block_tables, task_tables) = (tables.list("block"), tables.list("task"));
    let first = block_tables.first().or(task_tables.first()).map(TableReader::place);
    let singles = ["graph", "scheduler", "runtime"].map(|key| tables.table(key, log));
    if first.is_none() && singles.iter().all(Option::is_none) {
        return Some(TasksReading::default());
    }
    let [graph_table, scheduler_table, runtime_table] = singles;
    let (table, generator_place) = graph::read(graph_table);
    let given = table.as_ref().and_then(|table| table.name.as_deref());
    let made = table.as_ref().and_then(|table| table.generator.as_ref()).map(Generator::as_str);
    let has_graph = made.is_some() || first.is_some();
    let name = given.or(made).unwrap_or(NAMELESS).to_owned();
    if has_graph && given.is_none() {
        log.note_default(TableKind::Graph, "", "name", name.as_str());
    }
    let mut builder = TaskGraphBuilder::new(name.as_str());
    let mut blocks = Blocks::default();
    for table in block_tables {
        blocks.add(table, &mut builder, machine);
    }
    let mut tasks = Tasks::default();
    for table in task_tables {
        tasks.add(table, &blocks, &mut builder, machine);
    }
    let complete = [blocks.finish(log), tasks.finish(log)] == [true, true];
    // Each is read, so that every mistake is reported.
    let scheduler = scheduler::read(scheduler_table, log);
    let runtime = runtime::read(runtime_table, log);
    if let (Some(listed), Some(generator)) = (&first, &generator_place) {
        report_two_ways(listed, generator, log);
        return None;
    }
    let GraphTable { name: given, generator } = table?;
    let source = match generator {
        Some(generator) => GraphSource::Generated { name, generator },
        None if first.is_some() => GraphSource::Given(complete.then(|| builder.finish())?),
        None => GraphSource::None,
    };
    let (scheduler, scheduler_place) = scheduler?;
    let study = TaskStudy { name: given, source, scheduler, runtime: runtime?, contender: None };
    let places = Places {
        scheduler: scheduler_place,
        generator: generator_place,
        tasks: tasks.places,
        ..Places::default()
    };
    Some(TasksReading { study, is_there: true, places })
}

fn report_two_ways(listed: &Place, generator: &Place, log: &Log) {
    let problem = Problem::new(ProblemKind::Conflict, "the tasks are given in two ways")
        .at(generator.clone(), "this makes all of them")
        .related(listed.clone(), "this lists them one by one")
        .hint("keep either `generator`, or `[[block]]` and `[[task]]`");
    log.report(problem);
}
