//! Reads `[scheduler]`, `[runtime]` and `[contender]`: who decides which task runs where, what creating, fetching and stealing tasks costs, and
//! which other programs want the workers.

use crate::keys::{contender, runtime, scheduler};
use crate::values::{Contender, Partitioner, RuntimeSettings, SchedulerKind, SchedulerSettings, Ties};
use numasim_model::units::Seconds;
use numasim_study::reader::{TableReader, Value, time};
use numasim_study::{Problem, ProblemKind};

/// The settings; what is assumed holds without the table, too.
pub(super) fn scheduler(mut table: TableReader<'_>) -> Option<SchedulerSettings> {
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

/// The settings; what is assumed holds without the table, too. `throttle` is that of the graph where nobody gives one.
pub(super) fn runtime(mut table: TableReader<'_>, throttle: Option<u64>) -> Option<RuntimeSettings> {
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

/// The contender; `None` where it makes no sense.
pub(super) fn contender(mut table: TableReader<'_>) -> Option<Contender> {
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

/// From and to.
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
