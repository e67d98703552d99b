//! Reads `[policy]`, `[os]` and `[cluster]`: what surrounds the applications.
#![allow(clippy::option_option, reason = "not there, there, or there and wrong")]

use numasim_model::dynamics::{Cluster, Os, PolicyChoice, Synchronisation};
use numasim_model::units::Seconds;

use super::log::Log;
use super::problem::{Place, Problem, ProblemKind};
use super::reading::TableKind;
use super::table::TableReader;
use super::value::{Count, Quantity, Value};
use super::words;

const PERIOD: Quantity = Quantity {
    what: "the time between two decisions in ms; 0 is at every event",
    example: "80.0",
    zero: true,
};
const COMMAND: Quantity =
    Quantity { what: "the time from a decision to the threads in ms", example: "1.0", zero: true };
const SLICE: Quantity =
    Quantity { what: "how long a thread keeps its core in ms", example: "3.0", zero: false };
const SWITCH: Quantity = Quantity { what: "the change to another thread in us", example: "5.0", zero: true };
const REFILL: Quantity =
    Quantity { what: "the time to fill the private caches again in ms", example: "0.1", zero: true };
const NODES: Count =
    Count { what: "a number of nodes of the cluster", example: "16", min: 1, max: u32::MAX as u64 };
const POLICY_ON: Count = Count {
    what: "on how many nodes of the cluster the policy runs",
    example: "8",
    min: 0,
    max: u32::MAX as u64,
};

#[allow(clippy::single_match_else, reason = "both cases are equals")]
/// A value in `unit`s of seconds, or the one that is assumed.
pub(super) fn time(
    table: &mut Option<TableReader<'_>>,
    kind: TableKind,
    log: &Log,
    (key, quantity, unit): (&'static str, Quantity, f64),
    assumed: Seconds,
) -> Option<Seconds> {
    match table.as_mut().and_then(|table| table.optional(key)) {
        Some(value) => value.number(quantity).map(|number| Seconds::new(number / unit)),
        None => {
            // Twelve digits hide the rounding of 5e-6 x 1e6.
            let shown = (assumed.value() * unit * 1e9).round() / 1e9;
            log.note_default(kind, "", key, shown.to_string());
            Some(assumed)
        }
    }
}

/// Where the values of `[policy]` stand that only whoever uses them can judge.
pub(super) struct PolicyPlaces {
    pub(super) name: Option<Place>,
    pub(super) period: Option<Place>,
}

/// The policy and where it stands. Whether there is such a policy is not looked at.
pub(super) fn policy(mut table: Option<TableReader<'_>>, log: &Log) -> Option<(PolicyChoice, PolicyPlaces)> {
    let value = table.as_mut().and_then(|table| table.optional("name"));
    if value.is_none() {
        log.note_default(TableKind::Policy, "", "name", "none");
    }
    let name = value.as_ref().map_or(Some(None), |value| value.name().map(Some));
    let none = PolicyChoice::default();
    let period_place = table.as_ref().and_then(|table| table.place_of("period_ms"));
    let mut read = |of, assumed| time(&mut table, TableKind::Policy, log, of, assumed);
    let period = read(("period_ms", PERIOD, 1e3), none.period);
    let command_delay = read(("command_ms", COMMAND, 1e3), none.command_delay);
    if let Some(table) = table {
        table.finish();
    }
    let choice =
        PolicyChoice { name: name?.map(str::to_owned), period: period?, command_delay: command_delay? };
    Some((choice, PolicyPlaces { name: value.as_ref().map(Value::place), period: period_place }))
}

/// The operating system; what is assumed holds without the table, too.
pub(super) fn os(mut table: Option<TableReader<'_>>, log: &Log) -> Option<Os> {
    let assumed = Os::default();
    let mut read = |of, assumed| time(&mut table, TableKind::Os, log, of, assumed);
    let slice = read(("slice_ms", SLICE, 1e3), assumed.slice);
    let switch = read(("switch_us", SWITCH, 1e6), assumed.switch);
    let refill = read(("refill_ms", REFILL, 1e3), assumed.refill);
    if let Some(table) = table {
        table.finish();
    }
    Some(Os { slice: slice?, switch: switch?, refill: refill? })
}

/// The cluster; the outer `None` where something makes no sense.
pub(super) fn cluster(table: Option<TableReader<'_>>) -> Option<Option<Cluster>> {
    let Some(mut table) = table else { return Some(None) };
    let log = table.source.log;
    let nodes_value = table.required("nodes", "16");
    let sync = table.optional("sync").map_or_else(
        || {
            log.note_default(TableKind::Cluster, "", "sync", Synchronisation::default().as_str());
            Some(Synchronisation::default())
        },
        |value| words::read(&value, &Synchronisation::ALL, Synchronisation::as_str),
    );
    let policy_on = table.optional("policy_on");
    if policy_on.is_none() {
        log.note_default(TableKind::Cluster, "", "policy_on", "all");
    }
    table.finish();
    let nodes = nodes_value.as_ref().and_then(|value| value.large_count(NODES));
    let on = policy_on.as_ref().map_or(nodes, |value| value.large_count(POLICY_ON));
    let (nodes, on) = (nodes?, on?);
    if let (true, Some(value), Some(of)) = (on > nodes, &policy_on, &nodes_value) {
        let problem = Problem::new(ProblemKind::BadValue, format!("`policy_on` is {on} of {nodes} nodes"))
            .at(value.place(), "more than all")
            .related(of.place(), "all nodes")
            .hint(format!("write at most {nodes}"));
        log.report(problem);
        return None;
    }
    Some(Some(Cluster { nodes, sync: sync?, policy_on: on }))
}
