//! Reads `[policy]`, `[os]` and `[cluster]`: what surrounds the applications.
#![allow(clippy::option_option, reason = "not there, there, or there and wrong")]

use numasim_model::dynamics::{Cluster, Os, PolicyChoice, Synchronisation};
use numasim_model::units::Seconds;

use super::keys::{Key, cluster, os, policy};
use super::problem::{Place, Problem, ProblemKind};
use super::table::TableReader;
use super::value::Value;

/// A value in so many of a second, or the one that is assumed.
pub fn time(
    table: &mut TableReader<'_>,
    key: &'static Key,
    in_a_second: f64,
    assumed: Seconds,
) -> Option<Seconds> {
    // Twelve digits hide the rounding of 5e-6 x 1e6.
    let shown = (assumed.value() * in_a_second * 1e9).round() / 1e9;
    table.read_or_shown(key, (assumed, shown), |value| {
        value.number().map(|number| Seconds::new(number / in_a_second))
    })
}

/// Where the values of `[policy]` stand that only whoever uses them can judge.
pub(super) struct PolicyPlaces {
    pub(super) name: Option<Place>,
    pub(super) period: Option<Place>,
}

/// The policy and where it stands. Whether there is such a policy is not looked at.
pub(super) fn policy(mut table: TableReader<'_>) -> Option<(PolicyChoice, PolicyPlaces)> {
    let value = table.given(&policy::NAME);
    let name = value.as_ref().map_or(Some(None), |value| value.name().map(Some));
    let none = PolicyChoice::default();
    let period_place = table.place_of(&policy::PERIOD_MS);
    let period = time(&mut table, &policy::PERIOD_MS, 1e3, none.period);
    let command_delay = time(&mut table, &policy::COMMAND_MS, 1e3, none.command_delay);
    table.finish();
    let choice =
        PolicyChoice { name: name?.map(str::to_owned), period: period?, command_delay: command_delay? };
    Some((choice, PolicyPlaces { name: value.as_ref().map(Value::place), period: period_place }))
}

/// The operating system; what is assumed holds without the table, too.
pub(super) fn os(mut table: TableReader<'_>) -> Option<Os> {
    let assumed = Os::default();
    let slice = time(&mut table, &os::SLICE_MS, 1e3, assumed.slice);
    let switch = time(&mut table, &os::SWITCH_US, 1e6, assumed.switch);
    let refill = time(&mut table, &os::REFILL_MS, 1e3, assumed.refill);
    table.finish();
    Some(Os { slice: slice?, switch: switch?, refill: refill? })
}

/// The cluster; the outer `None` where something makes no sense.
pub(super) fn cluster(table: Option<TableReader<'_>>) -> Option<Option<Cluster>> {
    let Some(mut table) = table else { return Some(None) };
    let log = table.source.log;
    let nodes_value = table.required(&cluster::NODES);
    let sync = table.word_or(
        &cluster::SYNC,
        Synchronisation::default(),
        &Synchronisation::ALL,
        Synchronisation::as_str,
    );
    let policy_on = table.given(&cluster::POLICY_ON);
    table.finish();
    let nodes = nodes_value.as_ref().and_then(Value::large_count);
    let on = policy_on.as_ref().map_or(nodes, Value::large_count);
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
