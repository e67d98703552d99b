//! Reads the top of each file: which tables there are. Lists of all files are joined; of the others there is one each.

use toml::de::DeTable;

use super::aliases;
use super::log::{Log, Source};
use super::problem::{Place, Problem, ProblemKind};
use super::table::TableReader;
use super::value::Value;

/// The tables of all files, by their keys.
#[derive(Default)]
pub(super) struct Tables<'a> {
    /// For each of [`aliases::SINGLE`] the tables that there are, which should be one.
    singles: [Vec<Value<'a>>; aliases::SINGLE.len()],
    /// For each of [`aliases::LISTS`] the entries.
    lists: [Vec<TableReader<'a>>; aliases::LISTS.len()],
}

impl<'a> Tables<'a> {
    /// Adds those of one more file.
    pub(super) fn add(&mut self, source: Source<'a>, root: &'a DeTable<'a>) {
        if root.is_empty() {
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
        let mut reader = TableReader::new(source, aliases::ROOT, root, 0..0);
        for (key, into) in aliases::SINGLE.into_iter().zip(&mut self.singles) {
            into.extend(reader.optional(key));
        }
        for (key, into) in aliases::LISTS.into_iter().zip(&mut self.lists) {
            let title = aliases::title(key);
            let hint = format!("write `{title}`, with two brackets on each side, above each of them");
            into.extend(
                reader.optional(key).and_then(|value| value.tables(title, &hint)).unwrap_or_default(),
            );
        }
        if source.log.has_broken_syntax() {
            // Behind a broken header the keys of its table seem to stand at the top.
            return;
        }
        reader.finish();
    }

    /// The tables with this key, of which there should be one; a second one is reported.
    pub(super) fn single(&mut self, key: &str, log: &Log) -> Vec<Value<'a>> {
        let all = aliases::SINGLE.iter().position(|&one| one == key).and_then(|at| self.singles.get_mut(at));
        let all = all.map(std::mem::take).unwrap_or_default();
        if let [first, others @ ..] = all.as_slice() {
            let message = match key {
                "machine" => "there are two machines".to_owned(),
                _ => format!("there are two `[{key}]` tables"),
            };
            for other in others {
                let problem = Problem::new(ProblemKind::SecondTable, message.clone())
                    .at(other.place(), format!("another `[{key}]`"))
                    .related(first.place(), format!("the first `[{key}]`"))
                    .hint(format!("give exactly one `[{key}]` over all files"));
                log.report(problem);
            }
        }
        all
    }

    /// The table with this key, of which there should be one; the first of several is read.
    pub(super) fn table(&mut self, key: &'static str, log: &Log) -> Option<TableReader<'a>> {
        let hint = format!("write `[{key}]`, with one bracket on each side; there is one only");
        let values = self.single(key, log);
        // Every one that is no table is reported.
        let read = values.iter().map(|value| value.table(aliases::title(key), "a table", hint.as_str()));
        let read: Vec<Option<TableReader<'_>>> = read.collect();
        read.into_iter().next().flatten()
    }

    /// The entries of the list with this key.
    pub(super) fn list(&mut self, key: &str) -> Vec<TableReader<'a>> {
        let entries =
            aliases::LISTS.iter().position(|&list| list == key).and_then(|at| self.lists.get_mut(at));
        entries.map(std::mem::take).unwrap_or_default()
    }
}
