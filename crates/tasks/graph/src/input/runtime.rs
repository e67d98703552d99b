//! Reads `[runtime]`: what creating, fetching and stealing tasks costs, and what is drawn.

use crate::values::{RuntimeSettings, Ties};

use crate::keys::runtime;
use numasim_study::reader::TableReader;
use numasim_study::reader::Value;
use numasim_study::reader::time;

/// The settings; what is assumed holds without the table, too. `throttle` is that of the graph where nobody gives one.
pub(super) fn read(mut table: TableReader<'_>, throttle: Option<u64>) -> Option<RuntimeSettings> {
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
