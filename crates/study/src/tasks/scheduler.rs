//! Reads `[scheduler]`: who decides which task runs where.

use numasim_model::graph::{Partitioner, SchedulerKind, SchedulerSettings};

use super::super::log::Log;
use super::super::problem::{Place, Problem, ProblemKind};
use super::super::reading::TableKind;
use super::super::table::TableReader;
use super::super::value::{Count, Quantity, Value};
use super::super::words;

const MOST: u64 = u32::MAX as u64;
const STRIDE: Count =
    Count { what: "how many tasks without data in a row go to one socket", example: "2", min: 1, max: MOST };
const WINDOW: Count =
    Count { what: "how many tasks are partitioned together", example: "1000", min: 1, max: MOST };
const INITIAL_EXTRA: Count =
    Count { what: "how many more tasks the first window has", example: "100", min: 0, max: MOST };
const INTERSECTION: Count =
    Count { what: "how many tasks of a window stay in the next one", example: "100", min: 0, max: MOST };
const PARTITION: Quantity =
    Quantity { what: "the time to partition in ns per task and edge", example: "100.0", zero: true };

/// The value of a key, or its default, which is noted.
pub(super) fn setting<'a, T>(
    table: &mut Option<TableReader<'a>>,
    (kind, key, log): (TableKind, &'static str, &Log),
    (default, shown): (T, String),
    read: impl Fn(&Value<'a>) -> Option<T>,
) -> Option<T> {
    let value = table.as_mut().and_then(|table| table.optional(key));
    if value.is_none() {
        log.note_default(kind, "", key, shown);
    }
    value.map_or(Some(default), |value| read(&value))
}

/// The settings, and where the name stands; what is assumed holds without the table, too.
pub(super) fn read(
    mut table: Option<TableReader<'_>>,
    log: &Log,
) -> Option<(SchedulerSettings, Option<Place>)> {
    let assumed = SchedulerSettings::default();
    let name = table.as_ref().and_then(|table| table.place_of("name"));
    let intersection_place = table.as_ref().and_then(|table| table.place_of("intersection"));
    let window_place = table.as_ref().and_then(|table| table.place_of("window"));
    let of = |key| (TableKind::Scheduler, key, log);
    let kind = setting(&mut table, of("name"), (assumed.kind, assumed.kind.as_str().to_owned()), |value| {
        words::read(value, &SchedulerKind::ALL, SchedulerKind::as_str)
    });
    let mut count = |key, default: u32, limits| {
        setting(&mut table, of(key), (default, default.to_string()), |value| value.count(limits))
    };
    let stride = count("stride", assumed.stride, STRIDE);
    let window = count("window", assumed.window, WINDOW);
    let initial_extra = count("initial_extra", assumed.initial_extra, INITIAL_EXTRA);
    let intersection = count("intersection", assumed.intersection, INTERSECTION);
    let recursive = (assumed.partitioner, assumed.partitioner.as_str().to_owned());
    let partitioner = setting(&mut table, of("partitioner"), recursive, |value| {
        words::read(value, &Partitioner::ALL, Partitioner::as_str)
    });
    let own = "the figure of this program".to_owned();
    let partition = setting(&mut table, of("partition_ns_per_vertex_edge"), (None, own), |value| {
        value.number(PARTITION).map(Some)
    });
    let mut flag =
        |key, default: bool| setting(&mut table, of(key), (default, default.to_string()), Value::flag);
    let old_dependencies = flag("old_dependencies", assumed.old_dependencies);
    let immediate_successor = flag("immediate_successor", assumed.immediate_successor);
    let affinity_partitioner = flag("affinity_partitioner", assumed.affinity_partitioner);
    let reflection = flag("reflection", assumed.reflection);
    if let Some(table) = table {
        table.finish();
    }
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
    let settings = SchedulerSettings {
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
    };
    Some((settings, name))
}
