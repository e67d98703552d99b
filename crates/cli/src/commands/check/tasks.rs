//! Tasks, as JSON in the words of the input files; null where no file says anything of them.

use numasim_graph::values::{Generator, GraphSource, Parameter, TaskStudy};
use serde_json::{Value, json};

use super::values::in_unit;

/// Whether some file says anything of tasks that is no default.
fn is_there(tasks: &TaskStudy) -> bool {
    *tasks != TaskStudy::default()
}

/// The graph: what was counted of listed tasks, or the generator with its parameters.
pub(super) fn graph(tasks: &TaskStudy) -> Value {
    match &tasks.source {
        GraphSource::None => Value::Null,
        GraphSource::Given(graph) => json!({
            "name": graph.name(), "blocks": graph.blocks().len(), "tasks": graph.task_count(),
            "accesses": graph.access_count(), "types": graph.types(),
        }),
        GraphSource::Generated { name, generator } => {
            let mut value = json!({ "name": name, "generator": generator.as_str() });
            if let (Some(all), Value::Object(parameters)) = (value.as_object_mut(), parameters(generator)) {
                all.extend(parameters);
            }
            value
        }
        GraphSource::Program { name, program } => json!({
            "name": name, "chunks": program.chunks, "repeat": program.repeat,
            "arrays": program.arrays.len(), "loops": program.loops.len(),
        }),
    }
}

/// The parameters of a generator.
pub(super) fn parameters(generator: &Generator) -> Value {
    let mut value = json!({});
    if let Generator::TaskBench(bench) = generator {
        value["pattern"] = json!(bench.pattern.as_str());
    }
    for (key, number) in generator.parameters() {
        value[key] = in_its_unit(key, number);
    }
    if let Some(init) = generator.init() {
        value["init"] = json!(init);
    }
    value
}

/// A value as files have it: whole, unless it is a size with a fraction.
fn in_its_unit(key: &str, number: u64) -> Value {
    match Parameter::find(key) {
        Some(size) if !number.is_multiple_of(size.unit) => json!(size.in_its_unit(number)),
        found => json!(number / found.map_or(1, |parameter| parameter.unit)),
    }
}

pub(super) fn scheduler(tasks: &TaskStudy) -> Value {
    if !is_there(tasks) {
        return Value::Null;
    }
    let scheduler = &tasks.scheduler;
    json!({
        "name": scheduler.kind.as_str(), "stride": scheduler.stride, "window": scheduler.window,
        "initial_extra": scheduler.initial_extra, "intersection": scheduler.intersection,
        "partition_ns_per_vertex_edge": scheduler.partition_ns_per_vertex_edge,
        "partitioner": scheduler.partitioner.as_str(),
        "old_dependencies": scheduler.old_dependencies, "immediate_successor": scheduler.immediate_successor,
        "affinity_partitioner": scheduler.affinity_partitioner, "reflection": scheduler.reflection,
    })
}

/// Who else wants the workers; null where nobody does.
pub(super) fn contender(tasks: &TaskStudy) -> Value {
    let Some(contender) = &tasks.contender else { return Value::Null };
    let phases = contender.phases.as_ref();
    let phases = phases
        .map(|phases| phases.iter().map(|(from, to)| [from.value(), to.value()]).collect::<Vec<[f64; 2]>>());
    json!({ "gflop": contender.gflop, "count": contender.count, "phases_s": phases })
}

pub(super) fn runtime(tasks: &TaskStudy) -> Value {
    if !is_there(tasks) {
        return Value::Null;
    }
    let runtime = &tasks.runtime;
    json!({
        "creation_us": in_unit(runtime.creation, 1e6), "task_us": in_unit(runtime.task, 1e6),
        "steal_us": in_unit(runtime.steal, 1e6), "page_us": in_unit(runtime.page, 1e6), "throttle": runtime.throttle, "seed": runtime.seed,
        "ties": runtime.ties.as_str(), "task_spread": runtime.task_spread,
    })
}
