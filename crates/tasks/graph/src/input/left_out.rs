//! Counts what the entries of a list leave out: a default of each of 10^5 tasks would be told to nobody.

use numasim_study::keys::{Key, Table};
use numasim_study::names::plural;
use numasim_study::reader::Log;

/// How many entries of a list of tables leave each key out that has a default.
pub(super) struct LeftOut {
    table: &'static Table,
    counts: Vec<usize>,
}

impl LeftOut {
    pub(super) fn new(table: &'static Table) -> Self {
        Self { table, counts: vec![0; table.keys.len()] }
    }

    /// One more entry does not give `key`.
    pub(super) fn count(&mut self, key: &Key) {
        for (own, count) in self.table.keys.iter().zip(&mut self.counts) {
            *count += usize::from(own.name == key.name);
        }
    }

    /// Notes the defaults, of which there are as many as entries that leave them out.
    pub(super) fn note(&self, entries: usize, log: &Log) {
        let Some(kind) = self.table.kind else { return };
        for (key, &count) in self.table.keys.iter().zip(&self.counts).filter(|(_, count)| **count > 0) {
            let value = if count == entries {
                key.default.to_owned()
            } else {
                format!("{}, of {count} of {}", key.default, plural(entries, kind.as_str()))
            };
            log.note_default(kind, "", key.name, value);
        }
    }
}
