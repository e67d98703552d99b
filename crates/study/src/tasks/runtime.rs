//! Reads `[runtime]`: what creating, fetching and stealing tasks costs, and what is drawn.

use numasim_model::graph::{RuntimeSettings, Ties};

use super::super::log::Log;
use super::super::reading::TableKind;
use super::super::settings::time;
use super::super::table::TableReader;
use super::super::value::{Count, Quantity};
use super::super::words;
use super::scheduler::setting;

const CREATION: Quantity = Quantity { what: "the time to create a task in us", example: "0.5", zero: true };
const TASK: Quantity =
    Quantity { what: "the time to fetch and retire a task in us", example: "1.0", zero: true };
const STEAL: Quantity = Quantity { what: "the time to steal a task in us", example: "1.0", zero: true };
const PAGE: Quantity = Quantity {
    what: "the time to move a page of 4096 B in us, beside its bytes over the link",
    example: "1.0",
    zero: true,
};
const THROTTLE: Count =
    Count { what: "how many tasks may be created and not finished", example: "1000", min: 1, max: u64::MAX };
const SEED: Count = Count { what: "a seed", example: "1", min: 0, max: u64::MAX };
const SPREAD: Quantity = Quantity {
    what: "the spread of the work of tasks: sigma of the logarithm of a factor",
    example: "0.1",
    zero: true,
};

/// The settings; what is assumed holds without the table, too. `throttle` is that of the graph where nobody gives one.
pub(super) fn read(
    mut table: Option<TableReader<'_>>,
    throttle: Option<u64>,
    log: &Log,
) -> Option<RuntimeSettings> {
    let assumed = RuntimeSettings::default();
    let mut in_us =
        |key, quantity, assumed| time(&mut table, TableKind::Runtime, log, (key, quantity, 1e6), assumed);
    let creation = in_us("creation_us", CREATION, assumed.creation);
    let task = in_us("task_us", TASK, assumed.task);
    let steal = in_us("steal_us", STEAL, assumed.steal);
    let page = in_us("page_us", PAGE, assumed.page);
    let of = |key| (TableKind::Runtime, key, log);
    let shown = throttle.map_or("no limit".to_owned(), |throttle| throttle.to_string());
    let throttle =
        setting(&mut table, of("throttle"), (throttle, shown), |value| value.large_count(THROTTLE).map(Some));
    let seed = setting(&mut table, of("seed"), (assumed.seed, assumed.seed.to_string()), |value| {
        value.large_count(SEED)
    });
    let ties = setting(&mut table, of("ties"), (assumed.ties, assumed.ties.as_str().to_owned()), |value| {
        words::read(value, &Ties::ALL, Ties::as_str)
    });
    let spread = (assumed.task_spread, assumed.task_spread.to_string());
    let task_spread = setting(&mut table, of("task_spread"), spread, |value| value.number(SPREAD));
    if let Some(table) = table {
        table.finish();
    }
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
