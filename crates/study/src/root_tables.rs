//! Reads the top of each file: which tables there are. Lists of all files are joined; of the others there is one each.

use std::collections::BTreeMap;

use toml::de::DeTable;

use super::keys::{Key, Shape, Table};
use super::log::{Log, Source};
use super::problem::{Place, Problem, ProblemKind};
use super::table::TableReader;
use super::value::Value;

/// The tables of all files, by their keys.
pub struct Tables<'a> {
    root: &'static Table,
    /// Tables that there should be one of.
    singles: BTreeMap<&'static str, Vec<Value<'a>>>,
    /// The entries of lists.
    lists: BTreeMap<&'static str, Vec<TableReader<'a>>>,
}

impl<'a> Tables<'a> {
    /// None so far, of files with these.
    pub(super) const fn of(root: &'static Table) -> Self {
        Self { root, singles: BTreeMap::new(), lists: BTreeMap::new() }
    }

    /// Adds those of one more file.
    pub(super) fn add(&mut self, source: Source<'a>, table: &'a DeTable<'a>) {
        if table.is_empty() {
            if !source.log.has_broken_syntax() {
                let message = if source.text.trim().is_empty() {
                    "the file is empty"
                } else {
                    "the file contains only comments"
                };
                let problem = Problem::new(ProblemKind::EmptyFile, message)
                    .at(Place::whole(source.file), "")
                    .hint("write a `[machine]`, an `[[app]]` or a `[[scenario]]` table");
                source.log.report(problem);
            }
            return;
        }
        let mut reader = TableReader::new(source, self.root, table, 0..0);
        for &key in self.root.keys {
            let value = reader.optional(key);
            if let Shape::Tables(declared, ..) = key.shape {
                let hint =
                    format!("write `{}`, with two brackets on each side, above each of them", declared.title);
                let entries = value.and_then(|value| value.tables(declared, &hint));
                self.lists.entry(key.name).or_default().extend(entries.into_iter().flatten());
            } else {
                self.singles.entry(key.name).or_default().extend(value);
            }
        }
        if source.log.has_broken_syntax() {
            // Behind a broken header the keys of its table seem to stand at the top.
            return;
        }
        reader.finish();
    }

    /// The tables with this key, of which there should be one; a second one is reported.
    pub(super) fn single(&mut self, key: &Key, log: &Log) -> Vec<Value<'a>> {
        let all = self.singles.remove(key.name).unwrap_or_default();
        if let [first, others @ ..] = all.as_slice() {
            let name = key.name;
            let message = match name {
                "machine" => "there are two machines".to_owned(),
                _ => format!("there are two `[{name}]` tables"),
            };
            for other in others {
                let problem = Problem::new(ProblemKind::SecondTable, message.clone())
                    .at(other.place(), format!("another `[{name}]`"))
                    .related(first.place(), format!("the first `[{name}]`"))
                    .hint(format!("give exactly one `[{name}]` over all files"));
                log.report(problem);
            }
        }
        all
    }

    /// The table with this key, of which there should be one; the first of several is read.
    pub fn table(&mut self, key: &'static Key, log: &Log) -> Option<TableReader<'a>> {
        let declared = key.shape.table()?;
        let hint = format!("write `[{}]`, with one bracket on each side; there is one only", key.name);
        let values = self.single(key, log);
        // Every one that is no table is reported.
        let read = values.iter().map(|value| value.table(declared, "a table", hint.as_str()));
        let read: Vec<Option<TableReader<'_>>> = read.collect();
        read.into_iter().next().flatten()
    }

    /// The same; where no file has it, a table without keys.
    pub fn table_or_none(&mut self, key: &'static Key, log: &'a Log) -> TableReader<'a> {
        self.table(key, log).unwrap_or_else(|| TableReader::none(log, key.shape.table().unwrap_or(self.root)))
    }

    /// The entries of the list with this key.
    pub fn list(&mut self, key: &Key) -> Vec<TableReader<'a>> {
        self.lists.remove(key.name).unwrap_or_default()
    }
}
