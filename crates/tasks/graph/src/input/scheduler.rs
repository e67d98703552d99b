//! Reads `[scheduler]`: who decides which task runs where.

use crate::values::{Partitioner, SchedulerKind, SchedulerSettings};

use crate::keys::scheduler;
use numasim_study::reader::TableReader;
use numasim_study::reader::Value;
use numasim_study::{Problem, ProblemKind};

/// The settings; what is assumed holds without the table, too.
pub(super) fn read(mut table: TableReader<'_>) -> Option<SchedulerSettings> {
    let assumed = SchedulerSettings::default();
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
            .hint(format!("write at most {}: each window must have tasks of its own", window - 1));
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
        initial_extra: initial_extra?,
        intersection,
        partition_ns_per_vertex_edge: partition?,
        old_dependencies: old_dependencies?,
        partitioner: partitioner?,
        immediate_successor: immediate_successor?,
        affinity_partitioner: affinity_partitioner?,
        reflection: reflection?,
    })
}
