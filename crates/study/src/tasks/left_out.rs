//! Counts what the entries of a list leave out: a default of each of 10^5 tasks would be told to nobody.

use super::super::log::Log;
use super::super::names::plural;
use super::super::reading::TableKind;

/// Keys of a list of tables, and how many of its entries leave each of them out.
pub(super) struct LeftOut<const KEYS: usize> {
    table: TableKind,
    /// Key, and what stands for it.
    keys: [(&'static str, &'static str); KEYS],
    counts: [usize; KEYS],
}

impl<const KEYS: usize> LeftOut<KEYS> {
    pub(super) const fn new(table: TableKind, keys: [(&'static str, &'static str); KEYS]) -> Self {
        Self { table, keys, counts: [0; KEYS] }
    }

    /// One more entry does not give `key`.
    pub(super) fn count(&mut self, key: &str) {
        for ((own, _), count) in self.keys.iter().zip(&mut self.counts) {
            *count += usize::from(*own == key);
        }
    }

    /// Notes the defaults, of which there are as many as entries that leave them out.
    pub(super) fn note(&self, entries: usize, log: &Log) {
        for ((key, value), &count) in self.keys.iter().zip(&self.counts) {
            if count == 0 {
                continue;
            }
            let value = if count == entries {
                (*value).to_owned()
            } else {
                format!("{value}, of {count} of {}", plural(entries, self.table.as_str()))
            };
            log.note_default(self.table, "", *key, value);
        }
    }
}
