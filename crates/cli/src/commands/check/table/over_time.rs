//! What happens over time: who waits for whom, who gives commands, what surrounds the applications. Shown where a file says
//! something of it.

use numasim_graph::Reading;
use numasim_model::AppId;
use numasim_model::dynamics::{Phase, Scaling, Synchronisation, Work};
use numasim_model::units::{Gflop, Seconds};
use numasim_study::TableKind;

use super::super::values::in_unit;
use super::DEFAULT;
use super::grid::{self, Align};
use crate::view::Style;

/// Most channels and calls that are shown one by one, of each.
const MOST_SHOWN: usize = 20;
/// Most entries of a list that are shown.
const MOST_ENTRIES: usize = 4;

pub(super) fn write(text: &mut String, reading: &Reading, style: &Style) {
    let mut rows = channels(reading);
    rows.extend(calls(reading));
    rows.extend(commands(reading));
    rows.extend(policy(reading));
    rows.extend(os(reading));
    rows.extend(cluster(reading));
    if rows.is_empty() {
        return;
    }
    grid::heading(text, "OVER TIME", style);
    grid::write_untitled(text, &rows, &[Align::Left], style);
}

pub(super) type Rows = Vec<Vec<String>>;

fn name(reading: &Reading, app: AppId) -> &str {
    reading.study.apps.get(app.0).map_or("", |app| app.name.as_str())
}

/// The rows, or the first of them and how many more there are.
fn cut(rows: impl ExactSizeIterator<Item = Vec<String>>, noun: &str) -> Rows {
    let more = rows.len().saturating_sub(MOST_SHOWN);
    let mut shown: Rows = rows.take(MOST_SHOWN).collect();
    if more > 0 {
        shown.push(vec![noun.to_owned(), format!("and {more} more")]);
    }
    shown
}

fn channels(reading: &Reading) -> Rows {
    let row = |channel: &numasim_model::dynamics::Channel| {
        let ends = format!("{} -> {}", name(reading, channel.from), name(reading, channel.to));
        let default = |key: &str| reading.is_default(TableKind::Channel, &ends, key);
        let item = marked(format!("items of {} MB", grid::figure(channel.item.value())), default("item_mb"));
        let capacity = match channel.capacity {
            Some(capacity) => format!("at most {capacity}"),
            None => marked("no limit".to_owned(), default("capacity")),
        };
        vec!["channel".to_owned(), format!("{ends}, {item}, {capacity}")]
    };
    cut(reading.study.dynamics.channels.iter().map(row), "channel")
}

fn calls(reading: &Reading) -> Rows {
    let row = |call: &numasim_model::dynamics::Call| {
        let ends = format!("{} -> {}", name(reading, call.from), name(reading, call.to));
        let every = match call.every {
            1 => "each iteration".to_owned(),
            every => format!("every {every} iterations"),
        };
        let every = marked(every, reading.is_default(TableKind::Call, &ends, "every"));
        vec!["call".to_owned(), format!("{ends}, {every}")]
    };
    cut(reading.study.dynamics.calls.iter().map(row), "call")
}

fn commands(reading: &Reading) -> Rows {
    let times = || reading.study.dynamics.commands.iter().map(|command| command.at.value());
    let count = times().len();
    let (Some(first), Some(last)) = (times().reduce(f64::min), times().reduce(f64::max)) else {
        return Rows::new();
    };
    let when = if first < last {
        format!("from {} s to {} s", grid::figure(first), grid::figure(last))
    } else {
        format!("at {} s", grid::figure(first))
    };
    let noun = if count == 1 { "1 order".to_owned() } else { format!("{count} orders") };
    vec![vec!["command".to_owned(), format!("{noun}, {when}")]]
}

/// A value, with the mark of those that no file gives.
pub(super) fn marked(value: String, default: bool) -> String {
    if default { format!("{value} {DEFAULT}") } else { value }
}

/// A time in a unit of which a second has so many.
fn time(time: Seconds, per_second: f64) -> String {
    grid::figure(in_unit(time, per_second))
}

/// Row of a table of which all `keys` may be defaults; nothing where all are.
pub(super) fn settings(reading: &Reading, kind: TableKind, keys: &[(&str, String)]) -> Rows {
    let default = |key: &str| reading.is_default(kind, "", key);
    if keys.iter().all(|(key, _)| default(key)) {
        return Rows::new();
    }
    let values = keys.iter().map(|(key, value)| marked(format!("{key} {value}"), default(key)));
    vec![vec![kind.as_str().to_owned(), values.collect::<Vec<_>>().join(", ")]]
}

fn policy(reading: &Reading) -> Rows {
    let policy = &reading.study.dynamics.policy;
    let keys = [
        ("name", policy.name.clone().unwrap_or_else(|| "none".to_owned())),
        ("period_ms", time(policy.period, 1e3)),
        ("command_ms", time(policy.command_delay, 1e3)),
    ];
    settings(reading, TableKind::Policy, &keys)
}

fn os(reading: &Reading) -> Rows {
    let os = &reading.study.dynamics.os;
    let keys = [
        ("slice_ms", time(os.slice, 1e3)),
        ("switch_us", time(os.switch, 1e6)),
        ("refill_ms", time(os.refill, 1e3)),
    ];
    settings(reading, TableKind::Os, &keys)
}

fn cluster(reading: &Reading) -> Rows {
    let Some(cluster) = &reading.study.dynamics.cluster else { return Rows::new() };
    let default = |key: &str| reading.is_default(TableKind::Cluster, "", key);
    let sync = match cluster.sync {
        Synchronisation::Barrier => "a barrier after each iteration",
        Synchronisation::Loose => "loosely synchronised",
    };
    let text = format!(
        "{} nodes, {}, the policy on {}",
        cluster.nodes,
        marked(sync.to_owned(), default("sync")),
        marked(cluster.policy_on.to_string(), default("policy_on"))
    );
    vec![vec!["cluster".to_owned(), text]]
}

/// A phase in few words.
pub(super) fn phase(phase: &Phase) -> String {
    let work = match &phase.work {
        Some(Work::Divisible(work)) => format!("{} GFLOP", grid::figure(work.value())),
        Some(Work::Tasks { count, each }) => format!("{count} x {}", list(each)),
        None => "work not given".to_owned(),
    };
    format!("{work} at {} FLOP/byte", grid::figure(phase.arithmetic_intensity.value()))
}

/// The work of tasks: `3, 4 GFLOP`.
pub(super) fn list(each: &[Gflop]) -> String {
    let mut shown: Vec<String> =
        each.iter().take(MOST_ENTRIES).map(|work| grid::figure(work.value())).collect();
    if each.len() > MOST_ENTRIES {
        shown.push(format!("… ({} in all)", each.len()));
    }
    format!("{} GFLOP", shown.join(", "))
}

/// How several threads are together, in few words.
pub(super) fn scaling(scaling: &Scaling) -> String {
    match scaling {
        Scaling::Linear => "linear".to_owned(),
        Scaling::Serial { fraction } => format!("{} serial", grid::figure(*fraction)),
        Scaling::Table(points) => {
            let (threads, speedup) = points.last().copied().unwrap_or((1, 1.0));
            format!("{} times with {threads} threads", grid::figure(speedup))
        }
    }
}

/// Threads on each node, equal ones together.
pub(super) fn threads(threads: &[u32]) -> String {
    let runs = grid::runs(threads);
    if let [(_, each)] = runs.as_slice() {
        return format!("{each} on each node");
    }
    let some = runs.iter().filter(|(_, threads)| **threads > 0);
    some.map(|(nodes, each)| format!("{each} on node {}", grid::range(nodes))).collect::<Vec<_>>().join(", ")
}
